#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The command krping bench-suite measures a set of tests. krping compare finds no
#   difference between two measurements, but finds a planted delay and changed options of the server.
# Requires: one guest with any device
# Duration: 110 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=cli.inc
. "${0%/*}/cli.inc"
# Functions of cli.inc: ends STATUS ARGUMENT... runs the command krping and checks its exit status, prints REGEX
# checks its output, explains TEXT its standard error. serve starts krping server, and served ends it.
# shellcheck source=delay.inc
. "${0%/*}/delay.inc"

one_shell
PORT=17500
WHOLE=$T_TMP/whole
BEFORE=$T_TMP/before
AFTER=$T_TMP/after

# A part of the tests that has each kind of figure: half round trips, whole round trips, throughput.
PART='--kinds wlat,slat,rlat,bw --sizes 64'

# suite STATUS DIR N [SWEEP-OPTION]...: run bench-suite with N repetitions of few iterations into
# DIR, and check its exit status
suite() {
	_status=$1 _dir=$2 _n=$3
	shift 3
	ends "$_status" bench-suite "$ADDR" -n "$_n" --duration 5 "$_dir" -- --port "$PORT" --count 10 --warmup 2 "$@"
}

# has_set DIR N POINTS POINT: check that DIR has results of POINTS points (a test with its size and
# memory mode), among them POINT, and that each point has succeeded N times
has_set() {
	awk -F '\t' 'NR > 1 && $9 == "ok" { print $2, $6, $5 }' "$1/results.tsv" | sort | uniq -c >"$T_TMP/set"
	eq "$(awk -v n="$2" '$1 == n' "$T_TMP/set" | wc -l)" "$3" "points with $2 results" &&
		eq "$(wc -l <"$T_TMP/set")" "$3" points && grep -q " $2 $4\$" "$T_TMP/set"
}

# The list of checks at the end of this file states what each case_ function checks.

# rows: print the number of rows of a comparison
rows() {
	grep -c '^[a-z]*  *64  ' "$OUT"
}

case_same() {
	ends 0 compare "$BEFORE" "$AFTER" || return 1
	cp "$OUT" "$T_TMP/table"
	eq "$(rows)" 8 rows && prints '^wlat 64 dma p50 \[usec\] [0-9.]+ [0-9]+% [0-9.]+ [0-9]+% ~ ' &&
		prints '^bw 64 reg [GMk]bit/s [0-9.]+ ' && prints ' medians of 3\+3 repetitions;' && prints 'no difference can be significant with 3 repetitions of ' &&
		not grep -q '^differs\|^only in' "$OUT"
}

case_whole() {
	ends 0 compare "$WHOLE" "$AFTER" && eq "$(rows)" 8 rows && prints ' medians of 1\+3 repetitions;' &&
		not grep -q '^only in NEW' "$OUT" && eq "$(grep -c '^only in OLD' "$OUT")" 34 "rows without a partner"
}

# compare prints the same table from the sweeps' JSON documents, which a remark names by other paths.
case_json() {
	ends 0 compare "$BEFORE/results.json" "$AFTER/results.json" || return 1
	sed 's:/results\.json)::g; s:)::g' "$OUT" >"$T_TMP/json"
	sed 's:)::g' "$T_TMP/table" | cmp "$T_TMP/json" -
}

case_html() {
	ends 0 compare "$BEFORE" "$AFTER" --html && prints '^<!DOCTYPE html>' &&
		eq "$(grep -c '^<tr><td.*<td>3+3</td>' "$OUT")" 8 rows &&
		prints '<th scope="row">kernel</th><td class="words">'"$(uname -r)"'</td><td class="words">'"$(uname -r)"'</td>'
}

# Measure rlat and slat while the module krping_delay delays each of krping's completion handlers by 10 ms. krping reads the
# clock after the handler of a completion has begun.
case_slow() {
	delayed 100 "rdma_krping:krping_sent,rdma_krping:krping_recv_done usec=10000" \
		suite 0 "$T_TMP/slow" 3 --kinds rlat,slat --sizes 64 --modes dma
}

case_worse() {
	ends 1 compare "$BEFORE" "$T_TMP/slow" --alpha 0.1 --fail-above 50 && explains "significantly worse" || return 1
	for _kind in rlat slat; do
		prints "^$_kind 64 dma p50 \[usec\] .* \+[0-9.]+% 0\.100 worse\$" || return 1
	done
	prints '^only in OLD: wlat 64 dma$'
}

case_polls_alone() {
	suite 0 "$T_TMP/alone" 1 --kinds slat --sizes 64 --modes dma --poll &&
		explains "this side polls and the server does not; to poll on both, end it, and start krping server --port $PORT --poll"
}

case_polls_both() {
	suite 0 "$T_TMP/both" 1 --kinds slat --sizes 64 --modes dma --poll && not grep "poll" "$ERR"
}

case_options() {
	suite 0 "$T_TMP/poll" 3 --kinds slat --sizes 64 --modes dma &&
		explains "the server polls and this side does not; to poll on both, add --poll here" || return 1
	ends 2 compare "$BEFORE" "$T_TMP/poll" && explains "differs: peer_config poll: 0 in OLD, 1 in NEW"
}

# The file environment, which report reads, has the directory as label, and the command of the user.
case_environment() {
	grep -qx "label=${WHOLE##*/}" "$WHOLE/environment" && grep -q "^command=krping bench-suite $ADDR -n 1 " "$WHOLE/environment"
}

# without a server bench-suite leaves no empty directory, in which compare and report would find nothing
case_no_server() {
	suite 1 "$T_TMP/none" 1 && explains "no krping server listens at $ADDR port $PORT" &&
		explains "bench-suite: next: on the host of $ADDR: krping server --port $PORT" && not test -e "$T_TMP/none"
}

check "bench-suite without a server names the server's command, and makes no directory" case_no_server
check "krping server for bench-suite" serve server "$ADDR" --port "$PORT"
check_within 900 "bench-suite measures its set" suite 0 "$WHOLE" 1
# seven tests, three sizes and two memory modes make 42 points
check "bench-suite has each test, size and memory mode" has_set "$WHOLE" 1 42 "sbw 65536 reg"
check "bench-suite stores its directory as label, and its own command" case_environment
check "bench-suite names the next step" explains "next: krping compare OLD NEW, with $WHOLE and the DIR of another run (--force if a setting differs); krping report $WHOLE"
check "each line of bench-suite begins with bench-suite" not grep -v '^bench-suite: ' "$ERR"
# shellcheck disable=SC2086 # words
check_within 900 "bench-suite measures a part of its set" suite 0 "$BEFORE" 3 $PART
check "bench-suite -n 3 has each point three times" has_set "$BEFORE" 3 8 "bw 64 reg"
# shellcheck disable=SC2086 # words
check_within 900 "bench-suite measures the part once more" suite 0 "$AFTER" 3 $PART
check "compare of two suites has a row for each point, and no difference" case_same
check "compare of a suite with a part of it has a row for each common point" case_whole
check "compare of two suites as JSON has the same rows" case_json
check "compare --html of two suites has the same rows" case_html
check_within 300 "bench-suite with delayed completions" case_slow
check "compare finds the delay" case_worse
check "bench-suite --poll names a server that does not poll" case_polls_alone
kr_stop
until_ok 60 kr_none
PORT=17501
check "krping server that polls" serve server "$ADDR" --port "$PORT" --poll
check "bench-suite --poll says nothing if the server polls, too" case_polls_both
check_within 300 "compare refuses a suite with other options of the server, and names them" case_options
kr_stop

t_end
