# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Compare the cases of a conformance run with expected verdicts, and print each difference:
#
#   awk -v whole=yes -f value.awk -f conform-expect.awk EXPECTED.tsv RESULT
#
# With whole, a case that has not run is a difference. The exit status is 1 if there is a difference, and
# 3 if there is none but the server does not allow a case, so that no verdict can be compared. (awk itself
# fails with 2.)

# Return a verdict with the fields that differ, for a message.
function in_words(verdict, differs) {
	return verdict (differs == "" || differs == "-" ? "" : " (" differs ")")
}

# Print a difference, which makes the exit status 1.
function differ(text) {
	print "krping: " text
	wrong = 1
}

FNR == NR {
	if (/^#/)
		next
	split($0, field, "\t")
	expected[field[1]] = in_words(field[2], field[3])
	order[++n] = field[1]
	next
}

/^case / {
	name = value($0, "name")
	got = in_words(value($0, "verdict"), value($0, "differs"))
	seen[name] = 1
	if (!(name in expected))
		differ(name ": " got ", which the file does not have")
	else if (got != expected[name] && value($0, "reason") != "")
		forbidden = forbidden (forbidden == "" ? "" : ", ") name
	else if (got != expected[name])
		differ(name ": " got " instead of " expected[name])
}

END {
	for (i = 1; i <= n; i++)
		if (whole && !(order[i] in seen))
			differ(order[i] ": no verdict instead of " expected[order[i]])
	if (forbidden != "")
		print "krping: the server does not allow " forbidden ": start it by krping server mem_mode=dma"
	exit wrong ? 1 : forbidden != "" ? 3 : 0
}
