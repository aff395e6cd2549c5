# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print the output of the module's command list as a table, or as CSV if CSV is set. For krping top,
# the table also has rates: BEFORE is a file with the output from ELAPSED seconds ago.

function value(line, key) {
	if (!match(" " line, " " key "=[^ ]*"))
		return ""
	line = substr(" " line, RSTART, RLENGTH)
	sub(/^[^=]*=/, "", line)
	gsub(/[\001-\037\177]/, "?", line)
	return line
}

# Return the bytes that a test has moved by all operations.
function moved(line) {
	return value(line, "send_bytes") + value(line, "recv_bytes") + value(line, "write_bytes") + value(line, "read_bytes")
}

function put(s) {
	if (s == "")
		s = csv ? "" : "-"
	cell[rows, ++column] = s
	if (length(s) > width[column])
		width[column] = length(s)
}

BEGIN {
	rows = 0
	names = "id test role device state peer size iterations seconds"
	if (before != "") {
		while ((getline line <before) > 0)
			was[value(line, "id")] = line
		names = names " iter/s Gbit/s"
	}
	columns = split(names, name, " ")
	for (i = 1; i <= columns; i++)
		put(name[i])
	numeric["id"] = numeric["size"] = numeric["iterations"] = numeric["seconds"] = 1
	numeric["iter/s"] = numeric["Gbit/s"] = 1
}

/^id=/ {
	rows++
	column = 0
	for (i = 1; i <= columns; i++) {
		if (name[i] == "peer") {
			put(value($0, "remote"))
		} else if (name[i] == "iter/s" || name[i] == "Gbit/s") {
			id = value($0, "id")
			if (!(id in was) || elapsed <= 0)
				put("")
			else if (name[i] == "iter/s")
				put(sprintf("%.0f", (value($0, "iterations") - value(was[id], "iterations")) / elapsed))
			else
				put(sprintf("%.3f", (moved($0) - moved(was[id])) * 8 / 1e9 / elapsed))
		} else {
			put(value($0, name[i]))
		}
	}
}

END {
	if (!rows && !csv && before == "") {
		print "no test is running"
		exit
	}
	for (r = 0; r <= rows; r++) {
		line = ""
		for (i = 1; i <= columns; i++) {
			s = cell[r, i]
			if (csv)
				line = line (i > 1 ? "," : "") s
			else
				line = line (i > 1 ? "  " : "") sprintf("%" (name[i] in numeric ? "" : "-") width[i] "s", s)
		}
		sub(/ +$/, "", line)
		print line
	}
}
