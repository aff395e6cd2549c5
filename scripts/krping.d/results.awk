# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Functions that read the lines of results, for another PROGRAM: awk -f results.awk -f PROGRAM

# Store the key=value pairs of the current line as v[GROUP, KEY]; GROUP is the first word of the line. A value in double
# quotes may have blanks, and is stored without the quotes.
function store(    rest, key, mark, end) {
	rest = $0
	sub(/\r$/, "", rest)
	rest = substr(rest, length($1) + 1)
	while (match(rest, / [A-Za-z0-9_.-]+=/)) {
		key = substr(rest, RSTART + 1, RLENGTH - 2)
		rest = substr(rest, RSTART + RLENGTH)
		mark = sub(/^"/, "", rest) ? "\"" : " "
		end = index(rest mark, mark)
		v[$1, key] = substr(rest, 1, end - 1)
		# keep the blank before the next pair
		rest = substr(rest, mark == " " ? end : end + 1)
	}
}

# Check whether only the client of TEST counts the operations. The other side of a one-sided operation sees none.
function only_client(test) {
	return test ~ /^(rlat|r?bw|fr)$/
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
