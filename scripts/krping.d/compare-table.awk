# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The output of compare.awk as a table for people. compare-page.awk makes a page of the same cells.

function figure(metric, s) {
	if (metric == "bytes")
		return sprintf(s * 8 < 1e8 ? "%.6f" : "%.3f", s * 8 / 1e9)
	if (metric == "cycles")
		return sprintf("%.0f", s)
	return sprintf("%.3f", s / 1000)
}

function name(metric) {
	return metric == "bytes" ? "Gbit/s" : metric == "cycles" ? "cycles/s" : metric " [usec]"
}

function put(s) {
	cell[rows, ++column] = s
	if (length(s) > width[column])
		width[column] = length(s)
}

function head(names,    n, i, part) {
	n = split(names, part, ",")
	rows = column = 0
	for (i = 1; i <= n; i++)
		put(part[i])
	columns = n
}

BEGIN {
	FS = "\t"
	head("test,size,mode,depth,figure,old,spread,new,spread,change,p,n,")
}

$1 == "row" {
	rows++
	column = 0
	put($2)
	put($3)
	put($4)
	put($5)
	put(name($6))
	put(figure($6, $7))
	put($8 "%")
	put(figure($6, $9))
	put($10 "%")
	put($14 == "" || $15 == "~" ? "~" : sprintf("%+.2f%%", $11))
	put(sprintf("%.3f", $12))
	put($13 "+" $14)
	put($15 == "~" ? "" : $15)
	change[rows] = $11
	verdict[rows] = $15
}

$1 == "only" { notes[++nr] = "only in " $2 ": " $3 }
$1 == "note" { notes[++nr] = $2 }
$1 == "differs" { notes[++nr] = "differs: " $2 }

function table(    r, i, line) {
	for (r = 0; r <= rows; r++) {
		line = ""
		for (i = 1; i <= columns; i++)
			line = line (i > 1 ? "  " : "") sprintf("%" (i == 2 || (i > 5 && i < 13) ? "" : "-") width[i] "s", cell[r, i])
		sub(/ +$/, "", line)
		print line
	}
	for (i = 1; i <= nr; i++)
		print notes[i]
}

END {
	if (!html)
		table()
}
