#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Latency tests keep to rate= and duration=. A test may last longer than the timeout of
#   its server.
# Requires: one guest with any device
# Duration: 20 s on rxe, 21 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=figures.inc
. "${0%/*}/figures.inc"

# one_timed TEST SERVER_OPTIONS CLIENT_OPTIONS SIZE COUNT WARMUP: run a pair with rate=500;
# set _nsec to the time in the client's result, and check both results with latency_results
one_timed() {
	_nsec=
	pair "$2" "$1,size=$4,count=$5,warmup=$6,$3" || {
		kr_stop
		kr_returned ok
		return 1
	}
	_nsec=$(kr_get nsec)
	kr_is rate 500 && latency_results "$1" "$4" "$5" "$6" "$3"
}

# rate_is_kept TEST [OPTIONS]: check the time of 50 operations that begin every 2 ms. They never begin
# earlier, so the lower bound is exact. The upper bound allows for a busy machine.
rate_is_kept() {
	one_timed "$1" "" "rate=500${2:+,$2}" 64 50 0 || return 1
	if [ "$_nsec" -lt 98000000 ] || [ "$_nsec" -gt 10000000000 ]; then
		why "50 iterations at 500 per second took nsec=$_nsec"
	fi
}

for test in $latency_tests; do
	check "$test,rate=500: 50 operations take at least 98 ms" rate_is_kept "$test"
done
check "wlat,validate,rate=500: 50 operations take at least 98 ms" rate_is_kept wlat validate
check "slat,srq,rate=500: 50 operations take at least 98 ms" rate_is_kept slat srq

# lasts TEST [OPTIONS]: run a pair with duration=1. The measured time may be less than 1 s, because this
# time begins with the first operation, which a busy machine may delay.
lasts() {
	pair "" "$1,duration=1${2:+,$2}" || {
		kr_returned ok
		return 1
	}
	n=$(kr_get iterations)
	nsec=$(kr_get nsec)
	if [ "$n" -le 1 ] || [ "$nsec" -lt 300000000 ]; then
		why "iterations=$n nsec=$nsec"
		return 1
	fi
	expected "$1" 64 "$n" ",$2"
	# shellcheck disable=SC2086
	kr_returned ok && kr_counters_are counters $C_WANT &&
		kr_ended server ok && kr_counters_are counters $S_WANT
}

for test in $latency_tests; do
	check "$test,duration=1: the test ends by itself" lasts "$test"
	check "$test,duration=1,validate: the test ends by itself" lasts "$test" validate
	check "$test,duration=1,poll: the test ends by itself" lasts "$test" poll
	check "$test: count= ends the test before duration=" latency_pair "$test" "" duration=3600 64 10 2
done
check "slat,duration=1,rate=500: the test ends by itself" lasts slat rate=500
kr_stop

# A server cannot observe READs. The client sends keep-alive messages, so that the server's
# timeout, shorter than the test, does not expire. This timeout also limits the set-up, which a busy machine
# may delay, so one success in three attempts is enough (thrice).
patient_server() {
	kr_bg server "server,addr=$ADDR,port=12000,timeout=500" &&
		kr_bg client "client,addr=$ADDR,port=12000,rlat,duration=4" && kr_ended client ok && kr_ended server ok
}
check "rlat: a test may take longer than the server's timeout" thrice patient_server
kr_stop

t_end
