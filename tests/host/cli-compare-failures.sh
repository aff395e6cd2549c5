#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping compare leaves out results that have failed or measured nothing, and names each
#   with its file and the reason. It explains that a table is no result.
# Requires: no guest; mawk, gawk, busybox
# Duration: 10 s

set -u
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=shells.inc
. tests/host/shells.inc
# shellcheck source=compare.inc
. tests/host/compare.inc

{
	result wlat 4000 "" failed
	cat "$tmp/old"
} >"$tmp/failed"
mkdir "$tmp/files"
cp "$tmp/old" "$tmp/files/b"

# The functions below without a comment are checks; each_check has their descriptions.

failures() {
	compare 1 "$tmp/failed" "$tmp/slow" && row '.* worse' && repetitions 5+5 && grep -q '^1 result of OLD has failed and does not count$' "$tmp/out"
}
# unmeasured: compare with results of which two have no latencies, as after a warm-up that took the whole time
unmeasured() {
	awk '/^result / { n++ } n > 2 || !/^latency_nsec /' "$tmp/old" >"$tmp/some" && compare 0 "$tmp/some" "$tmp/same" &&
		row '.* ~ [01]\.[0-9]*' && repetitions 3+5 && grep -q '^2 results of OLD have measured nothing and do not count$' "$tmp/out"
}
# unmeasured_named: check that compare names each repetition without a figure, its file and the reason
unmeasured_named() {
	awk '/^result / { n++; if (n == 2) sub(/iterations=100/, "iterations=0") } n == 2 && /^latency_nsec / { next }
		n == 2 && /^config / { $0 = $0 " warmup=5000" } { print }' "$tmp/old" >"$tmp/files/a"
	result wlat 4000 "" failed | sed '1s/errno=0/errno=110/' >>"$tmp/files/a"
	echo 'error wc_status="" detail="no answer: 5000 ms"' >>"$tmp/files/a"
	compare 1 "$tmp/files" "$tmp/slow" &&
		row "repetition 2 of wlat 64 dma in $tmp/files/a has measured nothing: the warm-up of 5000 iterations took the whole time" &&
		row "repetition 6 of wlat 64 dma in $tmp/files/a has failed: no answer: 5000 ms"
}
# repetitions_of_depth: check that the repetitions of a depth are counted, and named with the depth, also if a sweep's
# result has failed before the module knew its options
repetitions_of_depth() {
	for _depth in 16 64; do
		sed "s/txdepth=64/txdepth=$_depth/" "$tmp/bwold"
		echo "# kind=bw size=64 mode=dma depth=$_depth rep=5"
		result bw 0 "" failed | sed '/^throughput /d; /^config /d'
	done >"$tmp/deep"
	compare 0 "$tmp/deep" "$tmp/bwold" && row "repetition 5 of bw 64 dma txdepth=16 in $tmp/deep has failed: errno 0" &&
		row "repetition 5 of bw 64 dma txdepth=64 in $tmp/deep has failed: errno 0" || return 1
	# Without a sweep nothing names the depth of such a result, and a latency test has no depth.
	for _kind in wlat bw; do
		[ "$_kind" = bw ] && _good=$tmp/bwold || _good=$tmp/old
		{
			sed '/^config /!b; /txdepth=/b; s/$/ txdepth=64/' "$_good"
			result "$_kind" 0 "" failed | sed '/^throughput /d; /^latency_nsec /d; /^config /d'
		} >"$tmp/plain"
		_nr=$(grep -c '^result ' "$tmp/plain")
		compare 0 "$tmp/plain" "$_good" && row "repetition $_nr of $_kind 64 dma.* in $tmp/plain has failed: errno 0" || return 1
	done
}
# unmeasured_test: check that a test without any figure on one side is not called absent there
unmeasured_test() {
	sed 's/iterations=100/iterations=0/; /^latency_nsec /d' "$tmp/old" >"$tmp/none"
	cat "$tmp/none" "$tmp/bwold" >"$tmp/mixed" && cat "$tmp/old" "$tmp/bwold" >"$tmp/whole" &&
		compare 0 "$tmp/mixed" "$tmp/whole" && row "only in NEW: wlat 64 dma: no repetition of OLD has a figure" &&
		row "repetition 1 of wlat 64 dma in $tmp/mixed has measured nothing: no iteration ended in its time" || return 1
	compare 13 "$tmp/none" "$tmp/old" && said "no test in common whose figures were measured" &&
		said "repetition 5 of wlat 64 dma in $tmp/none has measured nothing" &&
		said "next: measure longer (--duration)"
}
# unmeasured_depth: check that a failure at one depth does not count for another depth, which has not run
unmeasured_depth() {
	{
		cat "$tmp/bwold"
		result bw 0 "" failed | sed '/^throughput /d'
	} >"$tmp/depths"
	{
		cat "$tmp/bwold"
		sed 's/txdepth=64/txdepth=16/' "$tmp/bwold"
	} >"$tmp/whole"
	compare 0 "$tmp/depths" "$tmp/whole" && row 'only in NEW: bw 64 dma txdepth=16$' || return 1
	awk '/^result .*failed/ { bad = 1 } bad { sub(/txdepth=64/, "txdepth=16") } { print }' "$tmp/depths" >"$tmp/some"
	compare 0 "$tmp/some" "$tmp/whole" && row 'only in NEW: bw 64 dma txdepth=16: no repetition of OLD has a figure$'
}
# no_figures: check that compare explains that a table is no result, and prints how to write a result
no_figures() {
	$shell scripts/krping show tests/awkit/results.txt >"$tmp/table"
	compare 2 "$tmp/table" "$tmp/old" && said "$tmp/table has no results: compare reads those of --json and --raw, no tables" &&
		said "next: krping wlat ADDR --json >FILE" || return 1
	: >"$tmp/blank"
	compare 2 "$tmp/blank" "$tmp/old" && said "$tmp/blank has no results" && ! said "no tables"
}

# each_check: make all checks under one pair of a shell and an awk, which $under names
each_check() {
	check "compare leaves failed results out, and prints their number: $under" failures
	check "compare leaves out results that have measured nothing, and prints their number: $under" unmeasured
	check "compare names each repetition without a figure, its file and the reason: $under" unmeasured_named
	check "compare counts the repetitions of each depth: $under" repetitions_of_depth
	check "compare does not call a test absent that has measured nothing: $under" unmeasured_test
	check "compare does not confuse the depths of results without a figure: $under" unmeasured_depth
	check "compare explains that a table is no result: $under" no_figures
}

PATH=$tmp/awk:$PATH
each_shell each_check

t_end
