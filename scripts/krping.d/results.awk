# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Functions that read the lines of results, for another PROGRAM: awk -f results.awk -f PROGRAM

# Store the key=value pairs of the current line as v[GROUP, KEY], without double quotes around a value.
function store(    i, eq, s) {
	for (i = 2; i <= NF; i++) {
		eq = index($i, "=")
		if (eq > 1) {
			s = substr($i, eq + 1)
			gsub(/^"|"$/, "", s)
			v[$1, substr($i, 1, eq - 1)] = s
		}
	}
}

# Return the depth in LINE, which precedes a result of a sweep, or "" if the test has none. A failed result may have no line
# with its depth.
function swept(line) {
	if (line !~ / depth=[0-9]/)
		return ""
	sub(/.* depth=/, "", line)
	sub(/ .*/, "", line)
	return line
}
