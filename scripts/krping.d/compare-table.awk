# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print the output of compare.awk as a table for people. With html, compare-page.awk prints the cells.

# Return X with three decimals on a page, and with the digits of digits.awk in a table.
function decimals(x) {
	return html ? sprintf("%.3f", x) : digits(x)
}

# Return a median, which is S bytes/s, cycles/s or ns, in the unit that name() prints. A low throughput has the digits that
# all commands print.
function figure(metric, s) {
	if (metric == "bytes")
		return s * 8 < 1e8 ? gbit(s * 8 / 1e9) : decimals(s * 8 / 1e9)
	if (metric == "cycles")
		return sprintf("%.0f", s)
	return decimals(s / 1000)
}

# Return the name and unit of a metric: bytes, cycles, or a figure of the latency such as p50.
function name(metric) {
	return metric == "bytes" ? "Gbit/s" : metric == "cycles" ? "cycles/s" : metric " [usec]"
}

# Return the spread S, a percentage, or "-" without one.
function spread(s) {
	return s == "-" ? s : s "%"
}

# Put text into the next cell of the current row.
function put(s) {
	cell[rows, ++column] = s
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
	if (($3 in depth) && depth[$3] != $6)
		depths = 1
	depth[$3] = $6
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

# Return the text of a cell. A terminal has 80 columns, so a spread has no decimals and a short heading.
function text(r, i) {
	if (cell[0, i] == "spread")
		return r == 0 ? "+-" : cell[r, i] == "-" ? "-" : sprintf("%.0f%%", cell[r, i])
	return cell[r, i]
}

# Leave out the column of the depths if each test has one depth, and that of the numbers of repetitions if they are the
# same in all rows. Set many to these numbers.
function choose_columns(    i, r, w) {
	many = cell[1, columns - 1]
	for (r = 2; r <= rows; r++)
		if (cell[r, columns - 1] != many)
			many = ""
	hidden["depth"] = !depths
	hidden["n"] = many != ""
	for (i = 1; i <= columns; i++)
		for (r = 0; r <= rows; r++) {
			w = length(text(r, i))
			if (w > width[i])
				width[i] = w
		}
}

# Print the meanings of the columns.
function legend() {
	print "old, new: medians" (many == "" ? "" : " of " many " repetitions") "; +-: largest distance from the median"
	print "p: of the Mann-Whitney test; ~: p > " alpha ", no significant change"
}

# Print the rows and the notes.
function table(    r, i, line) {
	choose_columns()
	for (r = 0; r <= rows; r++) {
		line = ""
		for (i = 1; i <= columns; i++)
			if (!hidden[cell[0, i]])
				line = line (i > 1 ? "  " : "") sprintf("%" (words(i) || cell[0, i] == "depth" ? "-" : "") width[i] "s", text(r, i))
		sub(/ +$/, "", line)
		print line
	}
	legend()
	for (i = 1; i <= nr; i++)
		print notes[i]
}

END {
	if (!html)
		table()
}
