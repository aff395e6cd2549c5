# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print the table of Documentation/conformance.md that has a row for each case, from tests/conform/cases. A
# row has an anchor with the name of the case, to which the page of scripts/conform-matrix links.

# value(LINE, KEY): the value of the field KEY=VALUE in LINE, without quotes
function value(line, key) {
	if (!match(line, " " key "=(\"[^\"]*\"|[^ ]*)"))
		return ""
	line = substr(line, RSTART + length(key) + 2, RLENGTH - length(key) - 2)
	gsub(/"/, "", line)
	return line
}

BEGIN {
	print "| case | group | clause | expectation |"
	print "| --- | --- | --- | --- |"
}

/^case / {
	printf "| <a id=\"%s\"></a>`%s` | `%s` | %s | %s |\n", value($0, "name"), value($0, "name"),
		value($0, "group"), value($0, "source"), value($0, "expect")
}
