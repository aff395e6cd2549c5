#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: While a throughput test runs, its counters in /proc/krping and its iterations
#   increase. At the end of the test, krping logs one line for awk scripts.
# Requires: one guest with any device
# Duration: 4 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=figures.inc
. "${0%/*}/figures.inc"
# throughput_pair TEST SERVER_OPTIONS CLIENT_OPTIONS SIZE COUNT WARMUP [QPS] of figures.inc runs a server and a
# client, and checks the results of both.

# sum N: set SUM to the sum of the counters in line N of the list of tests in /proc/krping
sum() {
	SUM=0
	# shellcheck disable=SC2046
	set -- $(sed -n "$1p" $KR)
	shift
	for _n; do
		SUM=$((SUM + _n))
	done
}

# moved N: check that the counters in line N sum up to more than $before
moved() {
	sum "$1"
	[ $SUM -gt "$before" ] || why "the counters did not increase from $before"
}

# move TEST PORT LINES: check that the counters in LINES of the list and the client's iterations
# increase
move() {
	endless_bench "$1,size=1000" "$2" || return 1
	for line in $3; do
		sum "$line"
		before=$SUM
		until_ok 60 moved "$line" || return 1
	done
	kr_result client
	kr_is status running || return 1
	before=$(kr_get iterations)
	until_ok 60 further
}

# further: check that the client has more than $before iterations
further() {
	kr_result client
	[ "$(kr_get iterations)" -gt "$before" ]
}

check "bw: the client's counters increase during the test" move bw 12030 2
kr_stop
check "rbw: the client's counters increase during the test" move rbw 12031 2
kr_stop
check "sbw: the counters of both sides increase during the test" move sbw 12032 '1 2'
kr_stop
check "bw,duplex: the counters of both sides increase during the test" move bw,duplex 12033 '1 2'
kr_stop

# delta_once TEST OPTIONS [QPS]: check that a test of 30 operations on each QP logs one line "delta sec". The line
# has time and iterations in the format of older versions, for awk scripts that read it.
delta_once() {
	klog_mark
	throughput_pair "$1" "" "$2" 100 30 5 "${3:-1}" &&
		eq "$(klog_count delta)" 1 "number of lines with delta" &&
		klog_has "delta sec [0-9]+ delta usec [0-9]+ iter $((30 * ${3:-1})) size 100\$"
}
for test in $throughput_tests; do
	check "$test: the log has one line for awk" delta_once "$test" ""
done
check "bw,qps=2,threads=2: the log has one line for awk" delta_once bw qps=2,threads=2 4

no_delta() {
	klog_mark
	bench_pair "" count=30,size=100 && eq "$(klog_count delta)" 0 "number of lines with delta"
}
check "ping: the log has no line for awk" no_delta

t_end
