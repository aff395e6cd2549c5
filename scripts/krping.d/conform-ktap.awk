# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print the cases of a conformance run as KTAP version 1:
#
#   awk -f value.awk -f conform-ktap.awk [EXPECTED.tsv] RESULT
#
# A deviation that EXPECTED.tsv lists becomes XFAIL.

# Add a diagnostic line for the current case, unless TEXT is empty.
function detail(key, text) {
	if (text != "")
		notes = notes "# " key ": " text "\n"
}

FNR == NR && ARGC > 2 {
	if (!/^#/) {
		split($0, field, "\t")
		expected[field[1]] = field[2] " " field[3]
	}
	next
}

/^case / {
	name = value($0, "name")
	verdict = value($0, "verdict")
	notes = ""
	n++
	if (verdict == "ok") {
		line = "ok " n " " name
	} else if (verdict == "unsupported") {
		line = "ok " n " " name " # SKIP " (value($0, "reason") == "" ? "unsupported" : value($0, "reason"))
	} else if (verdict == "deviates" && expected[name] == "deviates " value($0, "differs")) {
		line = "ok " n " " name " # XFAIL deviates: " value($0, "differs")
	} else {
		line = "not ok " n " " name
		detail("source", value($0, "source"))
		detail("differs", value($0, "differs"))
		detail("expected", value($0, "expect"))
		detail("requester", value($0, "requester"))
		detail("responder", value($0, "responder"))
		detail("event", value($0, "event"))
		detail("qp", value($0, "qp"))
		detail("bytes", value($0, "bytes"))
		detail("errno", value($0, "error"))
		detail("control", value($0, "control"))
	}
	out = out notes line "\n"
}

END { printf "KTAP version 1\n1..%d\n%s", n, out }
