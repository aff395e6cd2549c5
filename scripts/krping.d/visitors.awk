# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print the clients of the test SERVER that have connected or left since the last call. The input is
# the output of the module's command list. The file SEEN has the clients of the last call, and the
# file RESULT is the server's result, which counts the clients that have left. CLOCK is in seconds.
#
# A sweep is a series of hundreds of clients. Print lines for the first CLIENTS of a series and for
# those that stay for STAYS seconds; of the others print only the number, at most once in PERIOD
# seconds, and so of clients that came and left between two calls. A series ends when no client has
# come for PERIOD seconds.
#
# Lines of SEEN: a client's line of list, behind "hidden " if nothing was printed about the client;
# "gone", clients that have left, clients whose number was not printed yet, when the last number was
# printed; "series", clients of the series, when the last one came; "tests" and the names of all tests
# that were seen.

function value(line, key) {
	if (!match(line, "(^| )" key "=[^ ]*"))
		return ""
	line = substr(line, RSTART, RLENGTH)
	sub(/^[^=]*=/, "", line)
	return line
}

function who(line) {
	return value(line, "remote") ", " value(line, "test") " on " value(line, "device")
}

function connected(line) {
	print "krping: client " who(line) ": connected, test " value(line, "id")
}

BEGIN {
	CLIENTS = 3
	STAYS = 10
	PERIOD = 60
	while ((getline line <seen) > 0) {
		if (line ~ /^gone /) {
			split(line, count, " ")
		} else if (line ~ /^series /) {
			split(line, series, " ")
		} else if (line ~ /^tests/) {
			tests = substr(line, 7)
		} else {
			hide = sub(/^hidden /, "", line)
			was[value(line, "id")] = line
			if (hide)
				hidden[value(line, "id")] = 1
		}
	}
	close(seen)
	if (clock - series[3] >= PERIOD)
		series[2] = 0
	while ((getline line <result) > 0)
		if (line ~ /^result /)
			now_gone = value(line, "clients") + value(line, "failed")
}

# A server that serves one client has no other test for this client.
/^id=/ && value($0, "remote") != "" && (value($0, "server") == server || value($0, "id") == server) {
	id = value($0, "id")
	now[id] = $0
	if (index(" " tests " ", " " value($0, "test") " ") == 0)
		tests = tests (tests == "" ? "" : " ") value($0, "test")
	if (!(id in was)) {
		series[2]++
		series[3] = clock
		if (series[2] <= CLIENTS)
			connected($0)
		else
			hidden[id] = 1
	} else if (id in hidden && value($0, "seconds") + 0 >= STAYS) {
		delete hidden[id]
		connected($0)
	}
}

END {
	printf "" >seen
	for (id in was)
		if (!(id in now)) {
			left++
			if (id in hidden) {
				unsaid++
				continue
			}
			# the seconds are those of the last call, because list has no line for an ended test
			printf "krping: client %s: gone after about %d s\n", who(was[id]), value(was[id], "seconds")
		}
	gone = count[2] + left
	if (now_gone < gone)
		now_gone = gone
	unsaid += count[3] + now_gone - gone
	said = count[4]
	if (unsaid > 0 && (said == "" || clock - said >= PERIOD)) {
		print "krping: " unsaid " more " (unsaid == 1 ? "client has" : "clients have") " come and gone"
		unsaid = 0
		said = clock
	}
	for (id in now)
		print (id in hidden ? "hidden " : "") now[id] >seen
	print "gone", now_gone + 0, unsaid + 0, said >seen
	print "series", series[2] + 0, series[3] + 0 >seen
	print "tests " tests >seen
}
