# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print a CSV row for each result. The names of columns with times end with _nsec; a cell without a value is empty.
# Needs results.awk.

# Return S as a field of CSV, in double quotes if it has special characters.
function field(s) {
	if (s !~ /[",\r]/)
		return s
	gsub(/"/, "\"\"", s)
	return "\"" s "\""
}

# Print the row of the stored result, if there is one, and forget the result.
function show(    i, line, dot) {
	if (seen) {
		for (i = 1; i <= columns; i++) {
			dot = index(name[i], ".")
			line = line (i > 1 ? "," : "") field(v[substr(name[i], 1, dot - 1), substr(name[i], dot + 1)])
		}
		print line
	}
	split("", v)
}

BEGIN {
	columns = split("result.id result.test result.role result.device result.status result.errno " \
		"result.iterations result.size result.mem_mode result.local result.remote time.nsec " \
		"latency_nsec.min latency_nsec.p50 latency_nsec.p90 latency_nsec.p99 latency_nsec.p99.9 " \
		"latency_nsec.p99.99 latency_nsec.max latency_nsec.mean latency_nsec.stddev latency_nsec.of " \
		"throughput.bytes_per_sec throughput.messages_per_sec throughput.cycles_per_sec " \
		"error.detail", name, " ")
	for (i = 1; i <= columns; i++) {
		short = name[i]
		if (short == "latency_nsec.of")
			short = "latency_of"
		else if (short ~ /^latency_nsec\./)
			short = short "_nsec"
		sub(/^time\./, "time_", short)
		sub(/^[a-z_]*\./, "", short)
		line = line (i > 1 ? "," : "") short
	}
	print line
}

/^result / { show(); seen = 1 }

/^(result|time|latency_nsec|throughput|error) / { store() }

END { show() }
