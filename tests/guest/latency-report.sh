#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The client's result of a latency test has the server's figures. Results name the context
#   of completions. The kernel log has a line for awk scripts.
# Requires: one guest with any device
# Duration: 9 s on rxe, 13 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=figures.inc
. "${0%/*}/figures.inc"

# peer_figures_match TEST: check that the client's result has the time and the latencies of the
# server's result
peer_figures_match() {
	pair "" "$1,count=30" && latencies peer_latency_nsec half_round_trip || return 1
	# shellcheck disable=SC2086
	set -- ${KR_OUT#* peer_time }
	time="$1 $2"
	latency=${KR_OUT#* peer_latency_nsec }
	latency=${latency%% peer_counters*}
	kr_ended server ok &&
		eq "$time" "nsec=$(kr_get nsec) iterations=$(kr_get iterations)" "time and iterations in peer_time" || return 1
	case $KR_OUT in
	*" latency_nsec $latency "*) ;;
	*) why "peer_latency_nsec is $latency" ;;
	esac
}
check "wlat: the client's result has the server's time and latencies" peer_figures_match wlat
check "slat: the client's result has the server's time and latencies" peer_figures_match slat

# context WANT OPTIONS SERVER: check cq=WANT in the client's result, cq=SERVER in the server's
context() {
	pair "" "wlat,count=3,$2" && kr_is cq "$1" && kr_ended server ok && kr_is cq "$3"
}
check "wlat,cq=softirq: both results name softirq" context softirq cq=softirq softirq
check "wlat,cq=workqueue: the client's result names workqueue" context workqueue cq=workqueue softirq
check "wlat,validate: both results name workqueue" context workqueue validate workqueue

# A server measures from its first answer to its last, so with one answer its time is 0.
told_once() {
	pair "" "$1,count=1" && kr_is iterations 1 && grep -q '^peer_time nsec=0 ' "$KR_RESULT"
}
check "wlat,count=1: the time of a server with one answer is 0" told_once wlat
check "slat,count=1: the time of a server with one answer is 0" told_once slat

told_nothing() {
	pair "" rlat,count=10 && kr_ended server ok || return 1
	not grep -q latency "$KR_RESULT"
}
check "rlat: the results have no latencies of the server" told_nothing

# delta_once COMMAND...: check that COMMAND leaves one line "delta sec" in the kernel log. The line has time and
# iterations in the format of older versions, for awk scripts that read it.
delta_once() {
	klog_mark
	"$@" || return 1
	eq "$(klog_count delta)" 1 "number of lines with delta" &&
		klog_has 'delta sec [0-9]+ delta usec [0-9]+ iter 30 size 100$'
}
for test in $latency_tests; do
	check "$test: one line in the log for awk" delta_once latency_pair "$test" "" "" 100 30 5
done

# A client of rlat sends two keep-alive messages per second. Its server waits at least 2 s for a message,
# even with timeout=100. This timeout also limits the set-up, which takes longer on a busy machine, so
# try ten times.
short_server() {
	pair_port=$((pair_port + 1))
	kr_bg server "server,addr=$ADDR,port=$pair_port,timeout=100" &&
		kr_bg client "client,addr=$ADDR,port=$pair_port,$PATIENT,rlat,duration=2" &&
		kr_ended client ok && kr_ended server ok
}
check "rlat: a server with timeout=100 accepts half a second between two keep-alive messages" attempts 10 short_server

# delta_has_time TEST: check that the line for awk has the time of the client's result
delta_has_time() {
	klog_mark
	pair "" "$1,count=300,size=100" && klog_delta 300 100
}
for test in $latency_tests; do
	check "$test: the line for awk has the time of the result" delta_has_time "$test"
done

t_end
