#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Stop of the client or of the server of a latency test. The server of a
#   stopped client ends without an error.
# Requires: one guest
# Duration: 12 s on rxe, 8 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=figures.inc
. "${0%/*}/figures.inc"

# stopped TEST OPTIONS PORT: stop ends the client. The server does not know that the client had
# more to do, so the server ends with ok and sends its report.
stopped() {
	endless_bench "$1,count=0${2:+,$2}" "$3" && id=$(kr_get id) && stop_begins &&
		kr "stop,id=$id" && kr_is stopped 1 &&
		kr_ended client ECANCELED && kr_detail_has stop || return 1
	n=$(kr_get iterations)
	if [ "${n:-0}" -lt 1 ]; then
		why "iterations=$n"
		return 1
	fi
	expected "$1" 64 "$n" ",$2"
	# shellcheck disable=SC2086
	kr_counters_are counters $C_WANT && kr_ended server ok && kr_counters_are counters $S_WANT && kr_clean
}

port=12100
for test in $latency_tests; do
	for how in '' poll validate cq=workqueue rate=500; do
		port=$((port + 1))
		check "$test${how:+,$how}: stop of the client: its server's end is ok" \
			in_grace stopped "$test" "$how" $port
		kr_stop
	done
	port=$((port + 1))
	check "$test: stop of the server: its client's end is ECONNRESET" \
		stopped_server "$test,count=0" $port
	kr_stop
done

t_end
