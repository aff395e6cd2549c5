# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print a line for each case of a conformance run: its verdict, its name, and what differed.

# Return the names of the fields that differ from the rule, which the result separates by colons.
function differences(names) {
	gsub(/:/, " and ", names)
	return names == "" ? "" : "wrong " names ": "
}

# Return the expectation with commas between its PARTS. The result has semicolons there, but in the printed line a semicolon
# separates the expectation from the observation.
function expected(parts) {
	gsub(/;/, ",", parts)
	return parts
}

/^case / {
	verdict = value($0, "verdict")
	printf "%-12s %s", verdict, value($0, "name")
	if (verdict == "deviates")
		printf ": %sexpected %s; got requester %s, responder %s%s", differences(value($0, "differs")), expected(value($0, "expect")),
			value($0, "requester"), value($0, "responder"), value($0, "event") == "" ? "" : ", event " value($0, "event")
	else if (verdict == "failed")
		printf ": %s", errno_words(value($0, "error"))
	else if (value($0, "reason") != "")
		printf ": %s", value($0, "reason")
	print value($0, "source") == "" ? "" : " (" value($0, "source") ")"
}

/^conform / { sub(/^conform /, ""); print }
