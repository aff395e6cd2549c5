#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Throughput tests keep to rate= and duration=. A test of bw or rbw may last longer than
#   the server's timeout=, although the server gets no completions of the client's operations.
# Requires: one guest with any device
# Duration: 21 s on rxe, 22 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=figures.inc
. "${0%/*}/figures.inc"
# throughput_pair TEST SERVER_OPTIONS CLIENT_OPTIONS SIZE COUNT WARMUP [QPS] of figures.inc runs a server and a
# client, and checks the results of both.

# With rate=500 the 50th operation begins 98 ms after the first, and never earlier. The upper
# bound allows for a busy machine.
rate_is_kept() {
	throughput_pair "$1" "" "rate=500${2:+,$2}" 64 50 0 || return 1
	if [ "$NSEC" -lt 98000000 ] || [ "$NSEC" -gt 10000000000 ]; then
		why "50 operations at 500 per second took nsec=$NSEC"
	fi
}
for test in $throughput_tests; do
	check "$test,rate=500: 50 operations take at least 98 ms" rate_is_kept "$test"
	check "$test,rate=500,txdepth=1: 50 operations take at least 98 ms" rate_is_kept "$test" txdepth=1
	check "$test,rate=500,validate: 50 operations take at least 98 ms" rate_is_kept "$test" validate
done

# lasts TEST [OPTIONS]: check a test with duration=1. The counters include the operations in flight at
# the end, at most 64 (the default of txdepth); iterations and time do not. In bw with validate, a SEND
# follows each WRITE.
lasts() {
	bench_pair "" "$1,duration=1${2:+,$2}" || return 1
	n=$(kr_get iterations)
	nsec=$(kr_get nsec)
	sum=$(($(kr_get send_msgs) + $(kr_get write_msgs) + $(kr_get read_msgs)))
	case $1,$2 in
	bw,validate) sum=$((sum / 2)) ;;
	esac
	if [ "$n" -le 1 ] || [ "$nsec" -lt 300000000 ]; then
		why "iterations=$n nsec=$nsec"
		return 1
	fi
	if [ $sum -lt "$n" ] || [ $sum -gt $((n + 64)) ]; then
		why "$sum operations, and iterations=$n"
		return 1
	fi
	expected "$1" 64 $sum ",$2"
	# shellcheck disable=SC2086
	kr_returned ok && throughput throughput 64 "$n" "$nsec" &&
		kr_counters_are counters $C_WANT && kr_ended server ok &&
		kr_counters_are counters $S_WANT && kr_is iterations "$S_NR"
}
for test in $throughput_tests; do
	check "$test,duration=1: the test ends by itself" lasts "$test"
	check "$test,duration=1,validate: the test ends by itself" lasts "$test" validate
	check "$test: count= ends the test before duration=" throughput_pair "$test" "" duration=3600 64 101 5
done
check "sbw,duration=1,rate=500: the test ends by itself" lasts sbw rate=500
kr_stop

# The server of bw or rbw gets no completion of an operation, so the client has to send
# keep-alive messages within the server's timeout. This timeout also limits the set-up, which a busy machine
# may delay, so one success in three attempts is enough (thrice).
patient_server() {
	kr_bg server "server,addr=$ADDR,port=12020,timeout=500" &&
		kr_bg client "client,addr=$ADDR,port=12020,$1,duration=4" && kr_ended client ok && kr_ended server ok
}
check "bw: a test may take longer than the server's timeout" thrice patient_server bw
check "rbw,rate=1: a test may take longer than the server's timeout" thrice patient_server rbw,rate=1
kr_stop

t_end
