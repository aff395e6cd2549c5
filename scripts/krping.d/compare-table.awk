# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The output of compare.awk as a table for people, or with HTML as a page without scripts.

function escape(s) {
	gsub(/&/, "\\&amp;", s)
	gsub(/</, "\\&lt;", s)
	gsub(/>/, "\\&gt;", s)
	gsub(/"/, "\\&quot;", s)
	return s
}

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

# A bar from the middle: 2 px for each percent, at most 100 px.
function bar(r,    w) {
	w = change[r] < 0 ? -change[r] * 2 : change[r] * 2
	if (w > 100)
		w = 100
	printf "<svg width=\"202\" height=\"12\" role=\"img\" aria-label=\"%+.2f %%\"><path d=\"M101 0v12\" class=\"axis\"/>", change[r]
	printf "<rect x=\"%.1f\" y=\"2\" width=\"%.1f\" height=\"8\" class=\"%s\"/></svg>", change[r] < 0 ? 101 - w : 101, w, verdict[r] == "~" ? "same" : verdict[r]
}

function page(    r, i) {
	print "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">"
	print "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
	print "<title>krping compare</title>\n<style>"
	print ":root { color-scheme: light dark; }"
	print "body { font: 16px/1.5 system-ui, sans-serif; margin: 1em; }"
	print ".box { overflow-x: auto; }"
	print "table { border-collapse: collapse; font-variant-numeric: tabular-nums; }"
	print "th, td { padding: 0.2em 0.7em; text-align: right; white-space: nowrap; border-bottom: 1px solid #8886; }"
	print ".axis { stroke: #888; } .same { fill: #888; } .better { fill: #2a8a4a; } .worse { fill: #c0392b; }"
	print "</style>\n</head>\n<body>\n<h1>krping compare</h1>"
	printf "<p>OLD is %s, NEW is %s. The figures are medians; the spread is the largest distance of a repetition. ", escape(old), escape(new)
	printf "p is that of the Mann-Whitney test; ~ is no significant difference (p above %s).</p>\n", escape(alpha)
	print "<div class=\"box\"><table>\n<tr>"
	for (i = 1; i < columns; i++)
		printf "<th scope=\"col\">%s</th>", escape(cell[0, i])
	print "<th scope=\"col\">verdict</th><th scope=\"col\">-50 % ... +50 %</th></tr>"
	for (r = 1; r <= rows; r++) {
		printf "<tr>"
		for (i = 1; i <= columns; i++)
			printf "<td>%s</td>", escape(cell[r, i])
		printf "<td>"
		bar(r)
		print "</td></tr>"
	}
	print "</table></div>"
	if (nr) {
		print "<ul>"
		for (i = 1; i <= nr; i++)
			print "<li>" escape(notes[i]) "</li>"
		print "</ul>"
	}
	print "</body>\n</html>"
}

END {
	if (html)
		page()
	else
		table()
}
