# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print the clients of the test SERVER that have connected or left since the last call. The input is
# the output of the module's command list. The file SEEN has the clients of the last call, and the
# file RESULT is the server's result, which counts the clients that have left. CLOCK is in seconds.
# Needs value.awk.
#
# A server has a test for each connection, and a client may have several connections: a disk has one for
# each CPU, other tests have the options qps and threads. The module does not list which connections belong
# together. So the connections of one host with the same test that come between two calls are one client here.
# Its leader is the first of their ids.
#
# A sweep is a series of hundreds of clients. Print lines for the first CLIENTS of a series and for
# those that stay for STAYS seconds. Of the others, and of clients that came and left between two calls,
# print only the number, at most once in PERIOD seconds. A series ends when no client has come for
# PERIOD seconds. The next client then has lines again, because a user may have started this client by hand.
#
# Lines of SEEN:
#   [hidden] LEADER BEGUN LINE
#                          a connection: the leader of its client, the time at which the client's test began,
#                          and the connection's line of list; hidden if nothing was printed about the client
#   gone N UNSAID WHEN     N clients have left; the number of UNSAID of them was not printed yet; the last
#                          number was printed at WHEN
#   series N WHEN          the series has N clients; the last of them came at WHEN
#   tests NAME...          all tests that were seen

# Return the test and the device of a connection. The module reports the test session for each command that uses the
# memory of a server, such as put.
function use(line,    test) {
	test = value(line, "test")
	return (test == "session" ? "a single operation, session or disk" : test) " on " value(line, "device")
}

# Return host, test and device of a connection.
function party(line,    remote) {
	remote = value(line, "remote")
	sub(/:[0-9]+$/, "", remote)
	return remote ", " use(line)
}

# Return how to print a client with N connections, one of which has LINE.
function who(line, n) {
	return n > 1 ? party(line) : value(line, "remote") ", " use(line)
}

function print_connected(leader) {
	print "krping: client " who(now[leader], members[leader]) ": connected, " \
		(members[leader] > 1 ? members[leader] " connections, tests " : "test ") ids[leader]
}

# The client has left after the last call, so the time is too long by the distance of two calls at most.
function print_gone(leader,    n) {
	n = was_members[leader]
	printf "krping: client %s: %sgone after about %.0f s\n", who(was[leader], n),
		(n > 1 ? n " connections " : ""), clock - begun[leader]
}

# Read a connection of the last call.
function read_connection(line,    hide, leader, word) {
	hide = sub(/^hidden /, "", line)
	split(line, word, " ")
	leader = word[1]
	begun[leader] = word[2]
	sub(/^[^ ]+ [^ ]+ /, "", line)
	leader_of[value(line, "id")] = leader
	if (!was_members[leader]++) {
		old[++olds] = leader
		was[leader] = line
	}
	if (hide)
		hidden[leader] = 1
}

BEGIN {
	CLIENTS = 3
	STAYS = 3
	PERIOD = 10
	while ((getline line <seen) > 0) {
		if (line ~ /^gone /)
			split(line, count, " ")
		else if (line ~ /^series /)
			split(line, series, " ")
		else if (line ~ /^tests/)
			tests = substr(line, 7)
		else
			read_connection(line)
	}
	close(seen)
	if (clock - series[3] >= PERIOD)
		series[2] = 0
	while ((getline line <result) > 0)
		if (line ~ /^result /)
			now_gone = value(line, "clients")
}

# A server for one client serves this client in its own test, so accept the server's id, too.
/^id=/ && value($0, "remote") != "" && (value($0, "server") == server || value($0, "id") == server) {
	id = value($0, "id")
	if (index(" " tests " ", " " value($0, "test") " ") == 0)
		tests = tests (tests == "" ? "" : " ") value($0, "test")
	if (!(id in leader_of)) {
		if (!(party($0) in come)) {
			come[party($0)] = id
			series[2]++
			series[3] = clock
			if (series[2] > CLIENTS)
				hidden[id] = 1
			else
				show[++shows] = id
		}
		leader_of[id] = come[party($0)]
		if (!(leader_of[id] in begun))
			begun[leader_of[id]] = clock - value($0, "seconds")
	}
	leader = leader_of[id]
	if (leader in hidden && value($0, "seconds") + 0 >= STAYS) {
		delete hidden[leader]
		show[++shows] = leader
	}
	if (!members[leader]++)
		now[leader] = $0
	ids[leader] = ids[leader] (members[leader] > 1 ? ", " : "") id
	connection[++connections] = leader " " begun[leader] " " $0
}

END {
	printf "" >seen
	for (i = 1; i <= olds; i++) {
		if (old[i] in now)
			continue
		left++
		if (old[i] in hidden)
			unsaid++
		else
			go[++goes] = old[i]
	}
	gone = count[2] + left
	if (now_gone < gone)
		now_gone = gone
	unsaid += count[3] + now_gone - gone
	said = count[4]
	# before the other lines, because these clients came earlier
	if (unsaid > 0 && (said == "" || clock - said >= PERIOD)) {
		print "krping: " unsaid " more " (unsaid == 1 ? "client has" : "clients have") " come and gone"
		unsaid = 0
		said = clock
	}
	for (i = 1; i <= shows; i++)
		print_connected(show[i])
	for (i = 1; i <= goes; i++)
		print_gone(go[i])
	for (i = 1; i <= connections; i++) {
		split(connection[i], word, " ")
		print (word[1] in hidden ? "hidden " : "") connection[i] >seen
	}
	print "gone", now_gone + 0, unsaid + 0, said >seen
	print "series", series[2] + 0, series[3] + 0 >seen
	print "tests " tests >seen
}
