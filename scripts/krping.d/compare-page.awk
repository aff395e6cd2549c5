# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print the cells of compare-table.awk as an HTML page that needs no script and no other file:
#
#   awk -v html=yes -v css=page.css -f digits.awk -f compare-table.awk -f compare-page.awk ROWS

function escape(s) {
	gsub(/&/, "\\&amp;", s)
	gsub(/</, "\\&lt;", s)
	gsub(/>/, "\\&gt;", s)
	gsub(/"/, "\\&quot;", s)
	return s
}

# Store a setting: its name, its values in OLD, those in NEW, and "differs" or nothing. The settings that differ
# have the indexes differing[1..different], the other ones of the kernel and the path where[1..places].
$1 == "setting" {
	settings++
	for (i = 1; i <= 3; i++)
		setting[settings, i] = $(i + 1) == "" ? "-" : $(i + 1)
	setting[settings, 4] = $5
	split($2, group, " ")
	if ($5 != "")
		differing[++different] = settings
	else if (group[1] != "config" && group[1] != "peer_config")
		where[++places] = settings
}

# Print a bar from the middle to the left or right: 1 px for each percent, at most 50 px.
function bar(r,    w) {
	w = change[r] < 0 ? -change[r] : change[r]
	if (w > 50)
		w = 50
	printf "<svg class=\"change\" width=\"102\" height=\"12\" viewBox=\"0 0 102 12\" role=\"img\" aria-label=\"%+.2f %%\"><path d=\"M51 0v12\"/>", change[r]
	printf "<rect x=\"%.1f\" y=\"2\" width=\"%.1f\" height=\"8\"/></svg>", change[r] < 0 ? 51 - w : 51, w
}

# Begin a table; with DENSE, its cells have less padding.
function open_table(label, dense) {
	printf "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table%s>\n", label, \
		dense ? " class=\"dense\"" : ""
}

function close_table() {
	print "</tbody>\n</table></div>"
}

# Return the attribute of a cell in COLUMN that aligns words to the left.
function class(column) {
	return words(column) ? " class=\"words\"" : ""
}

function results_table(    r, i) {
	open_table("results", 1)
	printf "<thead><tr>"
	for (i = 1; i <= columns; i++)
		printf "<th scope=\"col\"%s>%s</th>", class(i), i == columns ? "verdict" : escape(cell[0, i])
	print "<th scope=\"col\">-50 % ... +50 %</th></tr></thead>\n<tbody>"
	for (r = 1; r <= rows; r++) {
		printf "<tr>"
		for (i = 1; i < columns; i++)
			printf "<td%s>%s</td>", class(i), escape(cell[r, i])
		printf "<td class=\"words %s\">%s</td><td class=\"%s\">", verdict[r] == "~" ? "same" : verdict[r], \
			verdict[r] == "~" ? "no significant difference" : verdict[r], verdict[r] == "~" ? "same" : verdict[r]
		bar(r)
		print "</td></tr>"
	}
	close_table()
}

function setting_row(nr) {
	printf "<tr><th scope=\"row\">%s</th><td class=\"words\">%s</td><td class=\"words\">%s</td>", \
		escape(setting[nr, 1]), escape(setting[nr, 2]), escape(setting[nr, 3])
	# the column of the marks is there if a setting differs
	if (different)
		printf "<td class=\"words failed\">%s</td>", setting[nr, 4]
	print "</tr>"
}

function settings_head(label) {
	open_table(label)
	printf "<thead><tr><th scope=\"col\" class=\"words\">setting</th><th scope=\"col\" class=\"words\">OLD</th>"
	printf "<th scope=\"col\" class=\"words\">NEW</th>%s", \
		different ? "<th scope=\"col\" class=\"words\">difference</th>" : ""
	print "</tr></thead>\n<tbody>"
}

# Print a table of the settings that differ, the kernel and the path, and a table of all settings, which the reader
# can open.
function settings_tables(    i) {
	print "<h2 id=\"settings\">Settings</h2>"
	if (!settings) {
		print "<p>The results of OLD and NEW record no settings.</p>"
		return
	}
	if (different + places) {
		settings_head((different ? "settings that differ, " : "") "kernel and path")
		for (i = 1; i <= different; i++)
			setting_row(differing[i])
		for (i = 1; i <= places; i++)
			setting_row(where[i])
		close_table()
	}
	print "<details><summary>All settings, with the options of both sides</summary>"
	settings_head("all settings")
	for (i = 1; i <= settings; i++)
		setting_row(i)
	close_table()
	print "</details>"
}

function page(    i, line) {
	print "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>"
	print "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>"
	print "<title>krping compare</title>\n<style>"
	while ((getline line <css) > 0)
		print line
	print "</style>\n</head>\n<body class=\"full\">\n<h1>krping compare</h1>"
	print "<nav aria-label=\"contents\"><ul>"
	print "<li><a href=\"#results\">Results</a></li>"
	if (nr)
		print "<li><a href=\"#notes\">Notes</a></li>"
	print "<li><a href=\"#settings\">Settings</a></li>\n</ul></nav>"
	print "<h2 id=\"results\">Results</h2>"
	printf "<p>OLD is %s, NEW is %s. The figures are medians; the spread is the largest distance of a repetition. ", escape(old), escape(new)
	printf "p is that of the Mann-Whitney test; ~ is no significant difference (p above %s). ", escape(alpha)
	print "A bar ends at 50 %; its scale is linear.</p>"
	results_table()
	if (nr) {
		print "<h2 id=\"notes\">Notes</h2>\n<ul>"
		for (i = 1; i <= nr; i++)
			print "<li>" escape(notes[i]) "</li>"
		print "</ul>"
	}
	settings_tables()
	print "</body>\n</html>"
}

END { page() }
