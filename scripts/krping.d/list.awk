# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print the output of the module's command list as a table, as CSV if CSV is set, or as its lines if LINES is set;
# all three have the same tests. For krping top, the table has rates instead of sums: BEFORE is a file with the output
# from ELAPSED seconds ago. A terminal has 80 columns, so the table has the column disk only if there is a disk, and shows
# the port of a listening server in the column peer. A wider table has no port of a peer, and if that is not enough, no /dev/
# before the name of a disk. The CSV always has the columns disk and port. Needs value.awk and results.awk.

# Return the bytes that a test has moved by all operations.
function moved(line) {
	return value(line, "send_bytes") + value(line, "recv_bytes") + value(line, "write_bytes") + value(line, "read_bytes")
}

function put(s) {
	# a terminal would execute control characters
	gsub(/[\001-\037\177]/, "?", s)
	if (s == "")
		s = csv ? "" : "-"
	cell[rows, ++column] = s
	if (length(s) > width[column])
		width[column] = length(s)
}

BEGIN {
	numeric["id"] = numeric["size"] = numeric["iterations"] = numeric["seconds"] = 1
	numeric["iter/s"] = numeric["Gbit/s"] = 1
	names = "id test role device state peer size"
	if (before != "") {
		while ((getline line <before) > 0)
			was[value(line, "id")] = line
		names = names " iter/s Gbit/s"
	} else {
		names = names " iterations seconds"
	}
}

/^id=/ {
	test[++tests] = $0
	if (value($0, "disk") != "")
		disks++
}

# Return the test of a line. The module reports a disk as a session. It reports ping for a listening server
# that serves every test; return "" for such a server.
function test_of(line) {
	if (value(line, "disk") != "")
		return "disk"
	if (value(line, "test") == "ping" && listens(line))
		return ""
	return value(line, "test")
}

# Return LINE with the test of test_of(), or without a test.
function line_of(line,    s) {
	s = test_of(line)
	sub(/ test=[^ ]*/, s == "" ? "" : " test=" s, line)
	return line
}

# Return the peer of a line. A listening server has none; the table has its port instead.
function peer_of(line,    peer) {
	if (!csv && value(line, "port") != "")
		return "port " value(line, "port")
	peer = value(line, "remote")
	if (narrow > 0)
		sub(/:[0-9]+$/, "", peer)
	return peer
}

# Return the disk of a line.
function disk_of(line,    disk) {
	disk = value(line, "disk")
	return (disk == "" || narrow > 1 ? "" : "/dev/") disk
}

# Return whether a line is that of a listening server.
function listens(line) {
	return value(line, "role") == "server" && value(line, "remote") == ""
}

# Return the iterations of a line. The server of one-sided operations does not see them, which is no number. A listening
# server has the sum of its clients' iterations, which the table does not show, because the clients have rows of their own.
function iterations_of(line) {
	if (csv)
		return value(line, "iterations")
	if (listens(line))
		return ""
	if (value(line, "role") == "server" && value(line, "iterations") == "0" &&
	    (only_client(value(line, "test")) || value(line, "test") == "session"))
		return ""
	return value(line, "iterations")
}

# Add the row of a test.
function row(line,    i, id) {
	rows++
	column = 0
	for (i = 1; i <= columns; i++) {
		if (name[i] == "peer") {
			put(peer_of(line))
		} else if (name[i] == "iterations") {
			put(iterations_of(line))
		} else if (name[i] == "test") {
			put(test_of(line))
		} else if (name[i] == "disk") {
			put(disk_of(line))
		} else if (name[i] == "iter/s" || name[i] == "Gbit/s") {
			id = value(line, "id")
			if (!(id in was) || elapsed <= 0 || listens(line) || (iterations_of(line) == "" && !moved(line)))
				put("")
			else if (name[i] == "iter/s")
				put(sprintf("%.0f", (value(line, "iterations") - value(was[id], "iterations")) / elapsed))
			else
				put(sprintf("%.3f", (moved(line) - moved(was[id])) * 8 / 1e9 / elapsed))
		} else {
			put(value(line, name[i]))
		}
	}
}

# Fill the cells, also those of the head.
function fill(    i, t) {
	rows = column = 0
	for (i = 1; i <= columns; i++) {
		width[i] = 0
		put(!csv && name[i] in short ? short[name[i]] : name[i])
	}
	for (t = 1; t <= tests; t++)
		row(test[t])
}

# Return the width of the table.
function table_width(    i, sum) {
	for (i = 1; i <= columns; i++)
		sum += width[i]
	return sum + 2 * (columns - 1)
}

END {
	if (lines) {
		for (t = 1; t <= tests; t++)
			print line_of(test[t])
		exit
	}
	if (disks || csv)
		names = names " disk"
	if (csv)
		names = names " port"
	columns = split(names, name, " ")
	short["iterations"] = "iter"
	short["seconds"] = "secs"
	for (narrow = 0; narrow < 3; narrow++) {
		fill()
		if (csv || table_width() <= 80)
			break
	}
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
