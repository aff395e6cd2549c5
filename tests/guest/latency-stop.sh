#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The command stop ends the client or the server of a latency test. The server
#   of a stopped client ends without an error.
# Requires: one guest
# Duration: 12 s on rxe, 8 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=figures.inc
. "${0%/*}/figures.inc"

# Functions of figures.inc: endless_bench runs a server and a client, stop_begins notes the time, in_grace repeats a
# check that has failed because a busy machine has delayed the stop, stopped_server checks a stop of the server.

# stopped_client TEST OPTIONS PORT: stop an endless client, and check that the client ends with
# ECANCELED, and the server with ok. A stopped client finishes the test in order, so the counters of
# both sides have all operations.
stopped_client() {
	endless_bench "$1,count=0${2:+,$2}" "$3" && id=$(kr_get id) && stop_begins &&
		kr "stop,id=$id" && kr_is stopped 1 &&
		kr_ended client ECANCELED && kr_detail_has stop || return 1
	n=$(kr_get iterations)
	if [ "${n:-0}" -lt 1 ]; then
		why "iterations=$n"
		return 1
	fi
	# set C_WANT and S_WANT to the expected counters of the client and of the server
	expected "$1" 64 "$n" ",$2"
	# shellcheck disable=SC2086
	kr_counters_are counters $C_WANT && kr_ended server ok && kr_counters_are counters $S_WANT && kr_clean
}

port=12100
for test in $latency_tests; do
	for how in '' poll validate cq=workqueue rate=500; do
		port=$((port + 1))
		check "$test${how:+,$how}: after a stop of the client, the server ends with ok" \
			in_grace stopped_client "$test" "$how" $port
		kr_stop
	done
	port=$((port + 1))
	check "$test: after a stop of the server, the client ends with ECONNRESET" \
		stopped_server "$test,count=0" $port
	kr_stop
done

t_end
