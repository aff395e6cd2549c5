# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print the results of a sweep or bench-suite as a table for people, a row for each test, size, memory mode and depth
# with the medians of its repetitions. Needs stats.awk, digits.awk and results.awk. file is the name of the input, for a remark.

# End a result: store its figures under its row, a key that all repetitions of a test share.
function finish(    test, depth, row, figure) {
	test = v["result", "test"]
	if (test == "")
		return
	depth = test !~ /^(r|s)?bw$|^fr$/ ? "" : ("config", "txdepth") in v ? v["config", "txdepth"] : swept_depth
	row = test "\t" v["result", "size"] "\t" v["result", "mem_mode"] "\t" (depth == "" ? "-" : depth)
	if (!(row in runs))
		order[++rows] = row
	runs[row]++
	if (v["result", "status"] != "ok") {
		failed++
		return
	}
	figure = ("latency_nsec", "p50") in v ? v["latency_nsec", "p50"] : \
		("throughput", "bytes_per_sec") in v ? v["throughput", "bytes_per_sec"] : v["throughput", "cycles_per_sec"]
	if (figure == "") {
		empty++
		return
	}
	n[row]++
	main[row, n[row]] = figure
	p99[row, n[row]] = v["latency_nsec", "p99"]
	messages[row, n[row]] = v["throughput", "messages_per_sec"]
	latency[row] = ("latency_nsec", "p50") in v
	cycles[row] = ("throughput", "cycles_per_sec") in v
}

# Return the median of the figures of ROW, and sort them into sorted[].
function median_of(figures, row,    i) {
	for (i = 1; i <= n[row]; i++)
		sorted[i] = figures[row, i] + 0
	sort(sorted, n[row])
	return median(sorted, n[row])
}

# Put text into the next cell of the row R.
function put(r, s) {
	cell[r, ++column] = s
	if (length(s) > width[column])
		width[column] = length(s)
}

# Fill the row R of the table with the figures of ROW.
function fill(r, row,    part, i, mid, range, streams) {
	split(row, part, "\t")
	column = 0
	for (i = 1; i <= 4; i++)
		put(r, part[i] == "" ? "-" : part[i])
	range = "-"
	if (n[row])
		mid = median_of(main, row)
	if (n[row] > 1 && mid != 0)
		range = sprintf("%.0f%%", spread(sorted, n[row], mid))
	streams = n[row] && !latency[row] && !cycles[row]
	put(r, latency[row] ? digits(mid / 1000) : "-")
	put(r, latency[row] ? digits(median_of(p99, row) / 1000) : "-")
	put(r, streams ? gbit(mid * 8 / 1e9) : "-")
	put(r, cycles[row] ? sprintf("%.0f", mid) : streams ? sprintf("%.0f", median_of(messages, row)) : "-")
	put(r, range)
	put(r, n[row] + 0)
}

/^# kind=/ {
	finish()
	split("", v)
	swept_depth = swept($0)
}

/^(result|config|latency_nsec|throughput) / {
	if ($1 == "result") {
		finish()
		split("", v)
	}
	store()
}

END {
	finish()
	columns = split("test,size,mode,depth,p50 [usec],p99 [usec],Gbit/s,per second,+-,n", name, ",")
	for (i = 1; i <= columns; i++)
		put(0, name[i])
	for (r = 1; r <= rows; r++)
		fill(r, order[r])
	for (r = 0; r <= rows; r++) {
		line = ""
		for (i = 1; i <= columns; i++)
			line = line (i > 1 ? "  " : "") sprintf("%" (name[i] ~ /^(test|mode)$/ ? "-" : "") width[i] "s", cell[r, i])
		sub(/ +$/, "", line)
		print line
	}
	print "medians of n repetitions; +-: largest distance of p50 or throughput from the median"
	if (failed)
		print counted(failed, "result") (failed == 1 ? " has" : " have") " failed"
	if (empty)
		print counted(empty, "result") (empty == 1 ? " has" : " have") " measured nothing"
	print "krping show " file " prints each result"
}
