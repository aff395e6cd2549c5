#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: If a client of a throughput test or of fr is stopped, its server ends without an error.
#   If the server is stopped, the client ends with ECONNRESET.
# Requires: one guest
# Duration: 17 s on rxe, 12 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=figures.inc
. "${0%/*}/figures.inc"

# Functions of figures.inc: endless_bench runs a server and a client, stop_begins notes the time, in_grace repeats a
# check that has failed because a busy machine has delayed the stop, stopped_server checks a stop of the server.

# stopped OPTIONS PORT: stop a client, and check the results of both sides. A stopped client ends its
# connection as after the last iteration, so the server ends without an error. OPTIONS have to limit
# the number of operations in flight, because the client has to complete them within the grace period
# of a stop, half a second.
stopped() {
	endless_bench "$1" "$2" && id=$(kr_get id) && stop_begins &&
		kr "stop,id=$id" && kr_is stopped 1 &&
		kr_ended client ECANCELED && kr_detail_has stop || return 1
	n=$(kr_get iterations)
	if [ "${n:-0}" -lt 1 ]; then
		why "iterations=$n"
		return 1
	fi
	sent="$(kr_get send_bytes) $(kr_get send_msgs)"
	kr_ended server ok || return 1
	case $1 in
	# The operations in flight at the stop have arrived, too.
	sbw*) eq "$(kr_get recv_bytes) $(kr_get recv_msgs)" "$sent" "the server's RECVs" ;;
	esac && kr_clean
}

port=12100
for test in $throughput_tests fr; do
	for opts in "$test" $test,poll $test,validate $test,rate=500 \
		$test,qps=2,threads=2 $test,duplex $test,count=1000000000; do
		case "$opts" in
		fr,validate | fr,rate* | fr,qps* | fr,duplex) continue ;;
		esac
		port=$((port + 1))
		check "$opts: the server of a stopped client ends without an error" in_grace stopped "$opts,txdepth=8" $port
		kr_stop
	done
	port=$((port + 1))
	check "$test: the client of a stopped server ends with ECONNRESET" stopped_server "$test" $port
	kr_stop
done

t_end
