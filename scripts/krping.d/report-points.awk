# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# For scripts/report, together with stats.awk: copy rows of results, and put in front of the repetitions of a point a row
# with the medians.
#
# A row has these fields, with tabs between them: 1 to 7 name the point, 8 is the repetition, 10 to 19 are figures. FIGURE is
# the number of a figure; rows without it are left out. Three fields are added: "median", "repetition" or "single"; the
# least and the largest FIGURE of the repetitions. Field 8 of a row of medians is their number.

BEGIN { FS = OFS = "\t" }

$figure == "-" { next }

{
	point = $1
	for (i = 2; i <= 7; i++)
		point = point "\t" $i
	if (!(point in count))
		order[++points] = point
	row[point, ++count[point]] = $0
}

# Set a[1..N] to the sorted numbers in field C of the N rows of POINT, and return how many there are.
function column(point, c,    n, i, field) {
	n = 0
	for (i = 1; i <= count[point]; i++) {
		split(row[point, i], field, "\t")
		if (field[c] != "-")
			a[++n] = field[c] + 0
	}
	sort(a, n)
	return n
}

END {
	for (p = 1; p <= points; p++) {
		point = order[p]
		if (count[point] == 1) {
			print row[point, 1], "single", "-", "-"
			continue
		}
		line = point "\t" count[point] "\tok"
		for (c = 10; c <= 19; c++) {
			n = column(point, c)
			line = line "\t" (n ? sprintf("%.0f", median(a, n)) : "-")
		}
		n = column(point, figure)
		print line, "median", sprintf("%.0f", a[1]), sprintf("%.0f", a[n])
		for (i = 1; i <= count[point]; i++)
			print row[point, i], "repetition", "-", "-"
	}
}
