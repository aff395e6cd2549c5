#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: With interval=SECONDS the result has a line for each interval. The lines'
#   iterations and bytes add up to those of the test.
# Requires: one guest with any device
# Duration: 10 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

# lines SIZE: set LINES to the number of interval lines in the last result, and _sum to the sum
# of their iterations. Check that each line begins where the previous line ends, ends later,
# and has SIZE bytes for each iteration
lines() {
	SIZE=$1
	LINES=0 _sum=0 _end=0
	while read -r _group _pairs; do
		[ "$_group" = interval ] || continue
		LINES=$((LINES + 1))
		_begin='' _new='' _iterations='' _bytes=0
		for _pair in $_pairs; do
			case $_pair in
			begin=*) _begin=${_pair#*=} ;;
			end=*) _new=${_pair#*=} ;;
			iterations=*) _iterations=${_pair#*=} ;;
			bytes=*) _bytes=${_pair#*=} ;;
			esac
		done
		eq "$_begin" "$_end" "begin of line $LINES" &&
			eq "$_bytes" $((_iterations * SIZE)) "bytes of line $LINES" || return 1
		[ "$_new" -gt "$_begin" ] || why "line $LINES ends at $_new" || return 1
		_end=$_new _sum=$((_sum + _iterations))
	done <"$KR_RESULT"
}

# adds_up SIZE: check the lines of a final result, and that the sum of their iterations is right
adds_up() {
	lines "$1" && kr_val iterations && eq "$_sum" "$KR_VAL" "sum of the iterations"
}

# mean_of GROUP: print the mean latency in the line GROUP of the result
mean_of() {
	sed -n "s/^$1 .* mean=\([0-9]*\).*/\1/p" "$KR_RESULT"
}

# single OPTIONS SIZE BYTES: check that the one interval has all iterations, each with BYTES bytes, and
# the mean latency of the whole test. OPTIONS is empty (ping), or a test and options, with a comma at its end.
single() {
	pair "" "$1duration=1,interval=1,size=$2" && adds_up "$3" && eq $LINES 1 "number of lines" || return 1
	eq "$(mean_of interval)" "$(mean_of latency_nsec)" "mean of the interval"
}
check "ping: one interval has all iterations, their bytes and their mean latency" single "" 100 100
check "slat with two threads: one interval has all iterations of both" single slat,threads=2, 8 8
check "bw: one interval has all bytes and no latencies" single bw, 4096 4096
check "fr: one interval has all iterations and no bytes" single fr, 64 0

warm() {
	pair "" slat,warmup=50,count=30,interval=1 && adds_up 64 && eq "$_sum" 30 iterations
}
check "iterations of the warm-up are in no interval" warm

# Before the test begins, krping allocates room for as many lines as duration has intervals.
bounded() {
	pair "" slat,duration=2,interval=1 && adds_up 64 || return 1
	case $LINES in
	1 | 2) ;;
	*) why "$LINES lines" ;;
	esac
}
check "duration=2,interval=1: at most two lines, the last one covers the rest" bounded

# grows: check that the running client has at least two lines
grows() {
	kr_result client
	lines 64
	[ $LINES -ge 2 ]
}
while_running() {
	kr_bg server "server,addr=$ADDR,port=15300,$PATIENT" &&
		kr_bg client "client,addr=$ADDR,port=15300,slat,interval=1,$PATIENT" &&
		until_ok 60 grows && kr_is status running || return 1
	kr "stop,id=$(kr_get id)" && kr_ended client ECANCELED && adds_up 64
}
check "a running test has the lines of the intervals that have ended" while_running
kr_stop

none() {
	pair "" slat,count=5 && lines 64 && eq $LINES 0 "number of lines"
}
check "without interval there are no lines" none
check "a server has no interval" kr_refused EINVAL "server,addr=$ADDR,interval=1" "only for a client"
check "interval=0 is refused" kr_refused EINVAL "client,addr=$ADDR,interval=0" "interval=0"

t_end
