# shellcheck shell=sh disable=SC2154 # scripts/sweep sets the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# For scripts/sweep: make results.tsv and results.json in OUTDIR, from results.txt and the file
# environment there, and count the results without a figure. POSIX sh.

# table: print a row for each result, with tabs between the cells
table() {
	# pass the label as an environment variable, because -v interprets backslashes
	LABEL=$(sed -n 's/^label=//p' "$out/environment") awk '
		function get(group, key) {
			return (group, key) in v && v[group, key] != "" ? v[group, key] : "-"
		}
		BEGIN {
			OFS = "\t"
			label = ENVIRON["LABEL"]
			print "label", "kind", "role", "device", "mode", "size", "depth", "rep", "status",
				"errno", "iterations", "nsec", "min", "p50", "p90", "p99", "p99.9", "p99.99",
				"max", "mean", "stddev", "of", "bytes_per_sec", "messages_per_sec"
			latencies = split("min p50 p90 p99 p99.9 p99.99 max mean stddev of", latency, " ")
		}
		/^# kind=/ { split("", v); sub(/^# /, "point ") }
		/^(point|result|time|latency_nsec|throughput) / {
			for (i = 2; i <= NF; i++) {
				eq = index($i, "=")
				v[$1, substr($i, 1, eq - 1)] = substr($i, eq + 1)
			}
		}
		/^# end$/ {
			row = label OFS get("point", "kind") OFS get("result", "role") OFS \
				get("result", "device") OFS get("point", "mode") OFS get("point", "size") OFS \
				get("point", "depth") OFS get("point", "rep") OFS get("result", "status") OFS \
				get("result", "errno") OFS get("result", "iterations") OFS get("time", "nsec")
			for (i = 1; i <= latencies; i++)
				row = row OFS get("latency_nsec", latency[i])
			print row, get("throughput", "bytes_per_sec"), get("throughput", "messages_per_sec")
		}' "$out/results.txt"
}

# json: print a document with the file environment and the results, which awkit/json converts. The
# group "point" of a result has the parameters of its line "# kind=...".
json() {
	printf '{"environment":'
	awk '
		BEGIN { printf "result" }
		{
			eq = index($0, "=")
			key = substr($0, 1, eq - 1)
			value = substr($0, eq + 1)
			gsub(/"/, "\047", value)
			printf (key ~ /^(cpus|mtu)$/ ? " %s=%s" : " %s=\"%s\""), key, value
		}
		END { print "" }' "$out/environment" |
		awk -f "$awkit/json" | sed 's/^{"result"://; s/}$//'
	printf ',"results":[\n'
	awk '
		/^# kind=/ { sub(/^#/, "point"); point = $0; next }
		{ print }
		/^result / { print point }' "$out/results.txt" |
		awk -f "$awkit/json" | sed '$!s/$/,/'
	printf ']}\n'
}

make_tables() {
	table >"$tmp/results.tsv"
	json >"$tmp/results.json"
	publish results.tsv <"$tmp/results.tsv"
	publish results.json <"$tmp/results.json"
}

# nothing_measured: if tests have succeeded without a figure, say how many, and how to measure them
nothing_measured() {
	_empty=$(awk '
		/^# kind=/ { ok = measured = 0 }
		/^result .* status=ok / { ok = 1 }
		/^(latency_nsec|throughput) / { measured = 1 }
		/^# end$/ && ok && !measured { n++ }
		END { print n + 0 }' "$out/results.txt")
	[ "$_empty" != 0 ] || return 0
	_less=
	[ "$warmup" = 0 ] || _less=", or a smaller warm-up than $warmup, such as ${KRPING_COMMAND:+-- }--warmup $((warmup / 10))"
	say "$_empty of them measured nothing: give a longer --duration$_less, and another directory"
}
