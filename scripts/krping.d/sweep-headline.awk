# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print the main figure of a result, which is the input. The variable warmup is that of the option --warmup. Needs
# digits.awk.

{
	for (i = 2; i <= NF; i++) {
		eq = index($i, "=")
		value[$1, substr($i, 1, eq - 1)] = substr($i, eq + 1)
	}
}

END {
	if (("latency_nsec", "p50") in value)
		printf "p50 %s, p99 %s usec\n", digits(value["latency_nsec", "p50"] / 1e3), digits(value["latency_nsec", "p99"] / 1e3)
	else if (("throughput", "bytes_per_sec") in value)
		print gbit(value["throughput", "bytes_per_sec"] * 8 / 1e9) " Gbit/s"
	else
		print "nothing measured: the warm-up took the whole time (--warmup " warmup ")"
}
