# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print the clients of the test SERVER that have connected or left since the last call. The input is
# the output of the module's command list. The file SEEN has the clients of the last call, and the
# file RESULT is the server's result, which counts the clients that have left. For clients that came
# and left between two calls, print only their number, at most once in 10 s. CLOCK is in seconds.

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

BEGIN {
	while ((getline line <seen) > 0) {
		if (line ~ /^gone /)
			split(line, count, " ")
		else
			was[value(line, "id")] = line
	}
	close(seen)
	while ((getline line <result) > 0)
		if (line ~ /^result /) {
			now_gone = value(line, "clients") + value(line, "failed")
			failed = value(line, "failed")
		}
}

/^id=/ && value($0, "role") == "server" && value($0, "remote") != "" && value($0, "id") + 0 >= server + 0 {
	id = value($0, "id")
	now[id] = $0
	if (!(id in was))
		print "krping: client " who($0) ": connected, test " id
}

END {
	printf "" >seen
	for (id in was)
		if (!(id in now)) {
			left++
			# the seconds are those of the last call, because list has no line for an ended test
			printf "krping: client %s: gone after about %d s\n", who(was[id]), value(was[id], "seconds")
		}
	gone = count[2] + left
	# missed: clients for whom no line was printed yet; said: when their number was last printed
	if (now_gone < gone)
		now_gone = gone
	missed = count[3] + now_gone - gone
	said = count[4]
	if (missed > 0 && (said == "" || clock - said >= 10)) {
		print "krping: " missed " more " (missed == 1 ? "client has" : "clients have") " come and gone"
		missed = 0
		said = clock
	}
	for (id in now)
		print now[id] >seen
	print "gone", now_gone + 0, missed + 0, said >seen
}
