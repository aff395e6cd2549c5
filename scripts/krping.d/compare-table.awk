# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print the output of compare.awk as a table for people. With html, compare-page.awk prints the cells.

# Choose the unit of a row with the medians A and B in bytes/s: the largest in which the smaller one is at least 1.
# If one is 0, the other one counts.
function choose_unit(a, b,    low) {
	low = 8 * (b == 0 || (a > 0 && a < b) ? a : b)
	unit = low >= 1e9 || low == 0 ? "Gbit/s" : low >= 1e6 ? "Mbit/s" : "kbit/s"
	bits = unit == "Gbit/s" ? 1e9 : unit == "Mbit/s" ? 1e6 : 1e3
}

# Return a median, which is S bytes/s, cycles/s or ns, in the unit that name() prints.
function figure(metric, s) {
	if (metric == "bytes")
		return sprintf("%.3f", s * 8 / bits)
	if (metric == "cycles")
		return sprintf("%.0f", s)
	return sprintf("%.3f", s / 1000)
}

# Return the name and unit of a metric: bytes, cycles, or a figure of the latency such as p50.
function name(metric) {
	return metric == "bytes" ? unit : metric == "cycles" ? "cycles/s" : metric " [usec]"
}

# Return the spread S, a percentage, or "-" without one.
function spread(s) {
	return s == "-" ? s : s "%"
}

# Put text into the next cell of the current row.
function put(s) {
	cell[rows, ++column] = s
	if (length(s) > width[column])
		width[column] = length(s)
}

# Put names, separated by commas, into row 0.
function head(names,    n, i, part) {
	n = split(names, part, ",")
	rows = column = 0
	for (i = 1; i <= n; i++)
		put(part[i])
	columns = n
}

BEGIN {
	FS = "\t"
	head((devices ? "device," : "") "test,size,mode,depth,figure,old,spread,new,spread,change,p,n,")
}

# A row of compare.awk: device, test, size, memory mode, depth, metric, old median and its spread, new median
# and its spread, change, p value, numbers of old and new samples, verdict.
$1 == "row" {
	rows++
	column = 0
	if (devices)
		put($2)
	put($3)
	put($4)
	put($5)
	put($6)
	choose_unit($8, $10)
	put(name($7))
	put(figure($7, $8))
	put(spread($9))
	put(figure($7, $10))
	put(spread($11))
	put($16 == "~" ? "~" : sprintf("%+.2f%%", $12))
	put(sprintf("%.3f", $13))
	put($14 "+" $15)
	put($16 == "~" ? "" : $16)
	change[rows] = $12
	verdict[rows] = $16
}

$1 == "only" { notes[++nr] = "only in " $2 ": " $3 }
$1 == "note" { notes[++nr] = $2 }
$1 == "differs" { notes[++nr] = "differs: " $2 }

# Check whether COLUMN has words, which are aligned to the left; figures are aligned to the right.
function words(column) {
	return cell[0, column] ~ /^(device|test|mode|figure|)$/
}

# Print the rows and the notes.
function table(    r, i, line) {
	for (r = 0; r <= rows; r++) {
		line = ""
		for (i = 1; i <= columns; i++)
			line = line (i > 1 ? "  " : "") sprintf("%" (words(i) || cell[0, i] == "depth" ? "-" : "") width[i] "s", cell[r, i])
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
