# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print the progress of a test since the previous call. The input is the test's result. The file
# STATE has numbers of the previous call: "BEGIN NOW ITERATIONS LINES". BEGIN is the time of the test's
# begin and NOW that of the call, in seconds. ITERATIONS and LINES are the numbers of iterations and of
# printed intervals until then. FORM is lines (one for each interval, as in iperf3) or line (a single
# line that is updated). The file KEEP collects the intervals for JSON. With QUIET, no lines are printed.
#
# With ASKED the command has requested intervals from the module: print those in the result.
# Otherwise print the throughput since the last call, and the latencies since the test's start. Needs digits.awk and
# results.awk.

function usec(s) {
	return s == "" ? "-" : sprintf("%.3f", s / 1000)
}

# Print an interval, and append it to KEEP, with the key=value pairs of MORE.
function show(begin, end, iterations, p50, p99, more,    rate, bytes, of, all) {
	rate = end > begin ? iterations / (end - begin) : 0
	bytes = ("throughput", "bytes_per_sec") in v || v["result", "test"] ~ /bw$/ ? rate * v["result", "size"] : -1
	if (form == "line" && !total && v["result", "peer"] == "") {
		printf "\r%.0f s  not connected yet\033[K", end
	} else if (form == "line") {
		of = v["config", "duration"] + 0 > 0 ? " of " v["config", "duration"] " s" : ""
		all = of == "" && v["config", "count"] + 0 > 0 ? " of " v["config", "count"] : ""
		printf "\r%.0f s%s  %.0f%s iteration%s  %.0f/s  %s\033[K", end, of, total, all, total == 1 && all == "" ? "" : "s", rate,
			bytes < 0 ? "p50 " p50 " usec  p99 " p99 " usec" : gbit(bytes * 8 / 1e9) " Gbit/s"
	} else if (quiet == "") {
		if (!lines)
			printf "%-15s  %12s  %12s  %s\n", "interval [s]", "iterations", "per second",
				bytes < 0 ? "p50 [usec]  p99 [usec]" (nr ? "" : ", since the beginning") : "    Gbit/s"
		printf "%-15s  %12.0f  %12.0f  %s\n", sprintf("%.2f-%.2f", begin, end), iterations, rate,
			bytes < 0 ? sprintf("%10s  %10s", p50, p99) : sprintf("%10s", gbit(bytes * 8 / 1e9))
	}
	printf "result begin=%.2f end=%.2f iterations=%.0f per_sec=%.0f%s%s\n", begin, end,
		iterations, rate, bytes < 0 ? "" : sprintf(" bytes_per_sec=%.0f", bytes), more >>keep
	lines++
}

/^(result|config|throughput|latency_nsec) / { store() }

/^interval / {
	nr++
	for (i = 2; i <= NF; i++) {
		eq = index($i, "=")
		name = substr($i, 1, eq - 1)
		interval[nr, name] = substr($i, eq + 1)
		if (name ~ /^(min|max|mean|stddev|p[0-9.]+)$/)
			latencies[nr] = latencies[nr] " " $i
	}
}

END {
	getline line <state
	close(state)
	split(line, was, " ")
	at = was[2]
	lines = was[4] + 0
	total = v["result", "iterations"] + 0
	if (nr || asked) {
		for (i = lines + 1; i <= nr; i++)
			show(interval[i, "begin"] / 1e9, interval[i, "end"] / 1e9, interval[i, "iterations"],
				usec(interval[i, "p50"]), usec(interval[i, "p99"]), latencies[i])
	} else if (now > at && v["result", "status"] == "running") {
		show(at - was[1], now - was[1], total - was[3],
			usec(v["latency_nsec", "p50"]), usec(v["latency_nsec", "p99"]), "")
		at = now
	} else {
		exit
	}
	print was[1], at, sprintf("%.0f", total), lines >state
}
