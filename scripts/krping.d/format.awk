# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print results for people: the test, and a table of figures with their units.
#
# The input is results of /proc/krping. The keys of a line, and the lines after a line "result", may be
# in any order. For a result that names no test, print only the error. If brief is set, print no errors.
# seen has the names of tests that clients of the server have run. Needs errno.awk, digits.awk and results.awk.

# Return a value for a cell, with ? for control characters, which a terminal would execute.
function get(group, key,    s) {
	s = (group, key) in v ? v[group, key] : ""
	gsub(/[\001-\037\177]/, "?", s)
	return s
}

# Return S ns in microseconds, with four digits. --json and --csv have all.
function usec(s) {
	return s ~ /^[0-9]+$/ ? digits(s / 1000) : "-"
}

# Add a cell with the heading NAME and the text S to the current row.
function cell(name, s) {
	heads[++cells] = name
	values[cells] = s
	if (length(name) > widths[cells])
		widths[cells] = length(name)
	if (length(s) > widths[cells])
		widths[cells] = length(s)
}

# Begin a row, whose first cell is TITLE.
function row(title) {
	rows++
	cells = 0
	titles[rows] = title
	if (length(title) > title_width)
		title_width = length(title)
}

# End a row: store its cells.
function keep(    i) {
	for (i = 1; i <= cells; i++) {
		body[rows, i] = values[i]
		head[rows, i] = heads[i]
	}
	columns[rows] = cells
}

# Print the rows, and forget them. Print a line of headings before each row whose headings differ from
# those of the previous row.
function table(    r, i, line, was) {
	for (r = 1; r <= rows; r++) {
		line = ""
		for (i = 1; i <= columns[r]; i++)
			line = line sprintf("  %" widths[i] "s", head[r, i])
		if (line != was)
			printf "  %-" title_width "s%s\n", "", line
		was = line
		line = ""
		for (i = 1; i <= columns[r]; i++)
			line = line sprintf("  %" widths[i] "s", body[r, i])
		printf "  %-" title_width "s%s\n", titles[r], line
	}
	rows = title_width = 0
	split("", widths)
}

# Add a row with the latencies of GROUP, if the result has them.
function latency(title, group,    n, key, i) {
	if (!((group, "p50") in v))
		return
	row(title)
	n = split("min p50 p90 p99 p99.9 p99.99 max mean stddev", key, " ")
	for (i = 1; i <= n; i++)
		cell(key[i], usec(get(group, key[i])))
	keep()
}

# Add a row with the throughput of GROUP, if the result has it.
function throughput(title, group) {
	if ((group, "bytes_per_sec") in v) {
		row(title)
		cell("Gbit/s", gbit(get(group, "bytes_per_sec") * 8 / 1e9))
		cell("MiB/s", sprintf("%.2f", get(group, "bytes_per_sec") / 1048576))
		cell("messages/s", get(group, "messages_per_sec"))
		keep()
	} else if ((group, "cycles_per_sec") in v) {
		row(title)
		cell("cycles/s", get(group, "cycles_per_sec"))
		keep()
	}
}

function seconds(nsec) {
	return nsec < 1e9 ? sprintf("%.3f ms", nsec / 1e6) : sprintf("%.3f s", nsec / 1e9)
}

# Return the status of a test that is not ok, in words. The words of a stopped test include the error,
# because show() prints no line with the error of a stopped test.
function status(    detail) {
	detail = in_words(get("error", "detail"))
	if (get("result", "status") == "running")
		return "still running"
	if (get("result", "status") != "stopped")
		return get("result", "status")
	if (brief || detail == "")
		return "stopped"
	return detail ~ /^stopped/ ? detail : "stopped: " detail
}

# Return the words for what a latency measures.
function measured(of) {
	return of == "half_round_trip" ? "half of the round trip" : \
		of == "round_trip" ? "round trip" : of == "iteration" ? "a whole iteration" : of
}

# Return the number of iterations N in words. A server counts differently from its client, and in some tests nothing:
# Documentation/results.md.
function iterations(n,    test) {
	test = get("result", "test")
	if (get("result", "role") != "server")
		return counted(n, "iteration")
	if (test == "session")
		return counted(n, "message") " of clients received"
	if (n + 0 == 0 && only_client(test) && get("result", "remote") != "")
		return "0 iterations on this side: only the client posts operations"
	if (get("result", "remote") != "")
		return counted(n, "iteration") " on this side (warm-up included)"
	return counted(n, "iteration") " on this side with all clients (warm-up included" \
		(saw_only_client() ? "; only the client counts those of rlat, bw, rbw and fr)" : ")")
}

# Check whether clients of the server have run a test whose operations only the client counts.
function saw_only_client(    n, i, name) {
	n = split(seen, name, ", ")
	for (i = 1; i <= n; i++)
		if (only_client(name[i]))
			return 1
	return 0
}

# Return a remark about the warm-up of a client. It takes a part of the option duration, and the time of a result does not
# have it.
function warmed_up(    n) {
	n = get("result", "role") == "client" ? get("config", "warmup") + 0 : 0
	return n > 0 ? ", after a warm-up of " n : ""
}

# Return the first lines for a server that has only listened, while other tests served its clients. For a
# server of every test, the module reports the test ping, a size and a memory mode, which mean nothing. A server of
# memory has the test session for each of its clients, and does not know which command a client runs.
function server(    s, memory) {
	s = get("result", "test")
	memory = s == "session"
	s = s == "session" ? "server of memory, " counted(get("result", "size"), "byte") : \
		s == "ping" ? "server" : "server of " s
	s = s "\n" counted(get("result", "clients") + 0, "connection") " of clients"
	if (get("result", "failed") + 0 > 0)
		s = s ", " get("result", "failed") " ended early or failed (krping log)"
	if (memory)
		return s "; each ran a single operation, a session or a disk"
	return s (seen == "" ? "" : "; tests that were seen: " seen)
}

# Return the memory mode of the peer, if it has another one. Each side has its own mem_mode.
function peer_mode(    mode) {
	mode = get("peer_config", "mem_mode")
	return mode == "" || mode == get("result", "mem_mode") ? "" : " (peer: " mode ")"
}

# Return the settings of the test that differ from their defaults and change the figures, each after a comma.
function settings(    key, n, i, s) {
	n = split("qps threads sge", key, " ")
	for (i = 1; i <= n; i++)
		if (get("config", key[i]) + 0 > 1)
			s = s ", " key[i] "=" get("config", key[i])
	n = split("poll inline imm srq duplex validate", key, " ")
	for (i = 1; i <= n; i++)
		if (get("config", key[i]) + 0)
			s = s ", " key[i]
	return s
}

# Print the stored result.
function show(    s, nsec, n) {
	if (get("result", "test") == "") {
		if (("error", "detail") in v && !brief)
			print "error: " in_words(get("error", "detail"))
		return
	}
	if (shown++)
		print ""
	s = get("result", "test") ", " get("result", "role")
	if (s == "session, server")
		s = "server of memory"
	s = s ", " counted(get("result", "size"), "byte")
	if (get("result", "mem_mode") != "")
		s = s ", mem_mode=" get("result", "mem_mode") peer_mode()
	if (get("result", "role") == "server" && get("result", "remote") == "")
		s = server()
	if (get("config", "txdepth") != "" && ("throughput", "bytes_per_sec") in v)
		s = s ", txdepth=" get("config", "txdepth")
	print s (get("result", "role") == "client" ? settings() : "")
	s = get("result", "device")
	if (get("result", "remote") != "")
		s = s (s == "" ? "" : ", ") get("result", "local") " to " get("result", "remote")
	if (get("result", "peer") == "old")
		s = s ", an older peer"
	if (s != "")
		print s
	if (("path", "type") in v)
		print get("path", "type") ", GID index " get("path", "index") ", MTU " get("path", "mtu") \
			(("path", "vlan") in v ? ", VLAN " get("path", "vlan") : "")
	nsec = get("time", "nsec") + 0
	n = get("result", "iterations")
	if (n + 0 > 0 && nsec > 0)
		# round down, as the module does for messages_per_sec
		printf "%s in %s, %.0f per second%s\n", iterations(n), seconds(nsec), int(n * 1e9 / nsec), warmed_up()
	else if (n != "")
		print iterations(n)
	if (get("result", "status") != "ok")
		print status()
	if (("latency_nsec", "p50") in v) {
		s = measured(get("latency_nsec", "of"))
		print "latency in usec" (s == "" ? "" : ": " s)
		latency(get("result", "role"), "latency_nsec")
		latency("peer", "peer_latency_nsec")
		table()
	}
	if (("throughput", "bytes_per_sec") in v || ("throughput", "cycles_per_sec") in v) {
		print "throughput" (get("config", "duplex") + 0 ? " of each direction" : "")
		throughput(get("result", "role"), "throughput")
		throughput("peer", "peer_throughput")
		table()
	}
	if (("disk", "name") in v)
		printf "disk /dev/%s, %s\n", get("disk", "name"), counted(get("disk", "bytes"), "byte")
	if (("warning", "clock") in v)
		print "warning: " get("warning", "clock")
	if (("warning", "port") in v)
		print "warning: " get("warning", "port")
	if (trouble != "")
		print "warning: packets were lost, repeated or late, in this test or those of other users:" trouble
	if (("error", "detail") in v && !brief && get("result", "status") != "stopped")
		print "error: " in_words(get("error", "detail"))
}

# Store the result's line that is the current one.
function keep_line(    i, key) {
	if ($1 == "result") {
		show()
		split("", v)
		trouble = ""
	}
	store()
	if ($1 == "device_counters")
		for (i = 2; i <= NF; i++) {
			key = $i
			sub(/=.*/, "", key)
			# counters of retransmissions, RNR, congestion and losses
			if ((($1, key) in v) && key ~ /retr|rnr|seq|dup|timeout|discard|drop|cnp|ecn|_err|link_down/)
				trouble = trouble " " key "=" v[$1, key]
		}
}

/^[a-z_]+ / { keep_line() }

END { show() }
