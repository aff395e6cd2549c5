# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print the main figure of a result, which is the input. The variable warmup is that of the option --warmup. Needs
# digits.awk and results.awk.

{ store() }

END {
	if (("latency_nsec", "p50") in v)
		printf "p50 %s, p99 %s usec\n", digits(v["latency_nsec", "p50"] / 1e3), digits(v["latency_nsec", "p99"] / 1e3)
	else if (("throughput", "bytes_per_sec") in v)
		print gbit(v["throughput", "bytes_per_sec"] * 8 / 1e9) " Gbit/s"
	else
		print "nothing measured: the warm-up took the whole time (--warmup " warmup ")"
}
