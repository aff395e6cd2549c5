# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print remarks about the result of a client, which is the input. Needs results.awk.

/^(result|config|peer_config|latency_nsec|peer_throughput) / { store() }

# Return whether both sides of the test wait for completions. In rlat, rbw, bw and fr the server waits for none; wlat polls
# memory, unless validate or imm makes completions report the data.
function both_wait(test) {
	if (test == "wlat")
		return v["config", "validate"] + v["config", "imm"] > 0
	return test == "ping" || test == "slat" || test == "sbw"
}

# Say if only one side polls, and both sides wait for completions.
function remark_poll(    polls) {
	if (!both_wait(v["result", "test"]))
		return
	polls = v["config", "poll"] "," v["peer_config", "poll"]
	if (polls == "1,0")
		print "krping: this side polls and the server does not, so their latencies differ; to poll on both: krping server --poll"
	else if (polls == "0,1")
		print "krping: the server polls and this side does not, so their latencies differ; to poll on both, add --poll here"
}

# If the slowest operation took more than 100 times as long as the fastest one, and both sides run on this machine, say why.
function remark_shared(    remote) {
	remote = v["result", "remote"]
	sub(/:[0-9]*$/, "", remote)
	gsub(/[][]/, "", remote)
	if (remote != "" && remote == v["result", "local"] && v["latency_nsec", "max"] + 0 > v["latency_nsec", "min"] * 100)
		print "krping: server and client run on this machine and take CPU time from each other, so some latencies are hundreds of times longer"
}

# Say why a stopped test with duplex has the figures of one direction only.
function remark_direction() {
	if (v["config", "duplex"] + 0 && v["result", "status"] == "stopped" && !(("peer_throughput", "bytes_per_sec") in v))
		print "krping: the figures of the server's direction are missing: its report did not arrive within half a second of the stop"
}

END {
	remark_direction()
	remark_poll()
	remark_shared()
}
