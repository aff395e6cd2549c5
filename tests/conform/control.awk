# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Usage: awk -v names="CASE[=FIELD[:FIELD...]]..." -f control.awk EXPECTED.tsv RESULT
# Compare RESULT, a run on a patched driver, with EXPECTED.tsv, the verdicts without the patch. The
# cases in names must change, and no others: each must deviate in its FIELDs, and not in the same
# fields as without the patch. Each case of EXPECTED.tsv must have a result, and the line "conform"
# must end the run. Print a line for each violation. Finally print "changed: CASE=FIELD..." with
# all cases whose verdict or fields have changed.

# value(LINE, KEY): the value of the field KEY=VALUE in LINE, or "-"
function value(line, key) {
	if (match(line, " " key "=[^ ]*"))
		return substr(line, RSTART + length(key) + 2, RLENGTH - length(key) - 2)
	return "-"
}

# lacks(HAVE, WANT): the fields of WANT, separated by colons, that HAVE lacks
function lacks(have, want,    field, i, n, missing) {
	n = split(want, field, ":")
	for (i = 1; i <= n; i++)
		if (index(":" have ":", ":" field[i] ":") == 0)
			missing = missing " " field[i]
	return missing
}

BEGIN {
	n = split(names, word, " ")
	for (i = 1; i <= n; i++) {
		split(word[i], part, "=")
		wanted[part[1]] = 1
		fields[part[1]] = part[2]
	}
}

FILENAME ~ /\.tsv$/ {
	if (!/^#/)
		expected[$1] = $2 " " $3
	next
}

/^case / {
	name = value($0, "name")
	verdict = value($0, "verdict")
	got = verdict " " value($0, "differs")
	seen[name] = 1
	if (got == expected[name])
		next
	changed = changed " " name "=" value($0, "differs")
	if (verdict != "deviates")
		print name " is " verdict ", but a patch must make it deviate"
	else if (!(name in wanted))
		print name " deviates in " value($0, "differs") ", but the patch does not name it"
	else if (lacks(value($0, "differs"), fields[name]) != "")
		print name " does not differ in" lacks(value($0, "differs"), fields[name])
	else
		found[name] = 1
	delete wanted[name]
}

/^conform / { ended = 1 }

END {
	for (name in wanted)
		print name (name in seen ? " has its expected verdict, so the case does not notice the fault" : " has no result")
	for (name in expected)
		if (!(name in seen) && !(name in wanted))
			print name " has no result"
	if (!ended)
		print "the run has no end"
	print "changed:" changed
}
