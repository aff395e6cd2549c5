# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The progress of a test since the previous call: reads its result, and the previous numbers from
# the file STATE: "BEGIN NOW ITERATIONS LINES", times in seconds. FORM is lines (one for each interval, as iperf3 prints them) or line (one that is
# updated). The file KEEP collects the intervals for JSON; QUIET prints nothing on standard output.

/^(result|throughput|latency_nsec) / {
	for (i = 2; i <= NF; i++) {
		eq = index($i, "=")
		v[$1, substr($i, 1, eq - 1)] = substr($i, eq + 1)
	}
}

END {
	getline line <state
	close(state)
	split(line, was, " ")
	begin = was[1]
	at = was[2]
	before = was[3]
	lines = was[4]
	iterations = v["result", "iterations"] + 0
	if (now <= at || v["result", "status"] != "running")
		exit
	rate = (iterations - before) / (now - at)
	bytes = ("throughput", "bytes_per_sec") in v ? rate * v["result", "size"] : -1
	p50 = ("latency_nsec", "p50") in v ? sprintf("%.3f", v["latency_nsec", "p50"] / 1000) : "-"
	p99 = ("latency_nsec", "p99") in v ? sprintf("%.3f", v["latency_nsec", "p99"] / 1000) : "-"
	figure = bytes < 0 ? sprintf("%10s  %10s", p50, p99) : sprintf("%10.3f", bytes * 8 / 1e9)
	span = sprintf("%.2f-%.2f", at - begin, now - begin)
	if (form == "line") {
		printf "\r%.0f s  %.0f iterations  %.0f/s  %s\033[K", now - begin, iterations, rate,
			bytes < 0 ? "p50 " p50 " usec  p99 " p99 " usec" : sprintf("%.3f Gbit/s", bytes * 8 / 1e9)
	} else if (quiet == "") {
		if (!lines)
			printf "%-15s  %12s  %12s  %s\n", "interval [s]", "iterations", "per second",
				bytes < 0 ? "p50 [usec]  p99 [usec], since the beginning" : "    Gbit/s"
		printf "%-15s  %12.0f  %12.0f  %s\n", span, iterations - before, rate, figure
	}
	printf "result begin=%.2f end=%.2f iterations=%.0f per_sec=%.0f%s\n", at - begin, now - begin,
		iterations - before, rate, bytes < 0 ? "" : sprintf(" bytes_per_sec=%.0f", bytes) >>keep
	print begin, now, sprintf("%.0f", iterations), lines + 1 >state
}
