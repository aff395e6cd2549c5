# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print a line for each case of a conformance run: its verdict, its name, and what differed.

/^case / {
	verdict = value($0, "verdict")
	printf "%-12s %s", verdict, value($0, "name")
	if (verdict == "deviates")
		printf ": expected %s; requester %s, responder %s", value($0, "expect"), value($0, "requester"), value($0, "responder")
	else if (verdict == "failed")
		printf ": %s", errno_words(value($0, "error"))
	else if (value($0, "reason") != "")
		printf ": %s", value($0, "reason")
	print value($0, "source") == "" ? "" : " (" value($0, "source") ")"
}

/^conform / { sub(/^conform /, ""); print }
