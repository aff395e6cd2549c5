#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: If both sides of a throughput test post operations (duplex), the results of both sides
#   have the right counters and throughput.
# Requires: one guest
# Duration: 24 s on rxe, 16 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=figures.inc
. "${0%/*}/figures.inc"

# both TEST SERVER_OPTIONS CLIENT_OPTIONS SIZE COUNT WARMUP [QPS]: run a server and a client, each of
# whose QPs does COUNT operations after WARMUP, and check the results. The number of the server's
# operations varies, because the server posts until the client has finished.
both() {
	_qps=${7:-1}
	bench_pair "$2" "$1,duplex,size=$4,count=$5,warmup=$6${3:+,$3}" || return 1
	_ops=$((_qps * ($5 + $6)))
	NSEC=$(kr_get nsec)
	kr_returned ok && kr_is duplex 1 && kr_is iterations $((_qps * $5)) &&
		throughput throughput "$4" $((_qps * $5)) "$NSEC" || return 1
	_reported=${KR_OUT#* peer_counters }
	_reported=${_reported%% }
	_recvs="$(kr_get recv_bytes) $(kr_get recv_msgs)"
	case $1 in
	bw) kr_is write_msgs "$_ops" && kr_is write_bytes $(($4 * _ops)) && kr_is read_msgs 0 ;;
	rbw) kr_is read_msgs "$_ops" && kr_is read_bytes $(($4 * _ops)) && kr_is write_msgs 0 && kr_is recv_msgs 0 ;;
	sbw) kr_is send_msgs "$_ops" && kr_is send_bytes $(($4 * _ops)) && kr_is write_msgs 0 && kr_is read_msgs 0 ;;
	esac || return 1

	kr_ended server ok && kr_is duplex 1 || return 1
	_mine=${KR_OUT#* counters }
	eq "${_mine%% }" "$_reported" "the counters in the client's peer_counters" || return 1
	_sends="$(kr_get send_bytes) $(kr_get send_msgs)"
	_writes=$(kr_get write_msgs)
	kr_is write_bytes $((_writes * $4)) || return 1
	case $1,,$3, in
	rbw,*)
		_done=$(kr_get read_msgs)
		kr_is read_bytes $((_done * $4)) && kr_is recv_msgs 0
		;;
	sbw,*)
		_done=${_sends#* }
		kr_is recv_msgs "$_ops" && kr_is recv_bytes $(($4 * _ops)) &&
			eq "$_sends" "$_recvs" "the server's SENDs and the client's RECVs" &&
			eq "$_sends" "$((_done * $4)) $_done" "the server's SENDs"
		;;
	bw,*,imm,*)
		_done=$_writes
		kr_is recv_msgs "$_ops" && kr_is recv_bytes $(($4 * _ops)) &&
			eq "$_recvs" "$((_done * $4)) $_done" "the client's RECVs"
		;;
	bw,*,validate,*)
		_done=$_writes
		kr_is recv_msgs "$_ops" && kr_is recv_bytes $((16 * _ops)) &&
			eq "$_sends" "$((16 * _done)) $_done" "the server's SENDs" &&
			eq "$_sends" "$_recvs" "the server's SENDs and the client's RECVs"
		;;
	bw,*)
		_done=$_writes
		kr_is recv_msgs 0
		;;
	esac || return 1
	[ "$_done" -gt 0 ] || why "the server has posted no operation"
}

for test in $throughput_tests; do
	for opts in mem_mode=dma mem_mode=reg,poll mem_mode=reg,cq=workqueue; do
		check "$test,duplex,$opts on both sides: right results" both "$test" "$opts" "$opts" 1000 300 5
	done
	check "$test,duplex,size=64k: right results" both "$test" "" "" 65536 50 0
	check "$test,duplex,validate: right results" both "$test" "" validate 5000 100 3
	check "$test,duplex,txdepth=7,batch=3,cqmod=5: right results" both "$test" txdepth=7,batch=3,cqmod=5 \
		txdepth=7,batch=3,cqmod=5 64 301 0
	check "$test,duplex,txdepth=1: right results" both "$test" txdepth=1 txdepth=1 64 200 0
	check "$test,duplex: a server with less txdepth" both "$test" txdepth=2 "" 64 300 0
	check "$test,duplex: a server with more txdepth" both "$test" txdepth=500 txdepth=3 64 300 0
	check "$test,duplex,srq: right results" both "$test" srq srq 64 300 0
	check "$test,duplex,qps=2,threads=2: right results" both "$test" "" qps=2,threads=2 64 201 5 4
done
if [ "$TYPE" = rxe ]; then
	for test in bw sbw; do
		check "$test,duplex,imm: right results" both "$test" "" imm 1000 300 5
	done
fi
check "duplex tests leave no test or object" kr_clean

duplex_reported() {
	bench_pair "" bw,duplex,count=2000 || return 1
	_sum=${KR_OUT#* peer_time nsec=}
	_nsec=${_sum%% *}
	_sum=${_sum#* iterations=}
	throughput peer_throughput 64 "${_sum%% *}" "$_nsec" && kr_ended server ok &&
		kr_is iterations "${_sum%% *}" && kr_is nsec "$_nsec"
}
check "duplex: the client's result has the server's throughput" duplex_reported

one_way_reported() {
	bench_pair "" bw,count=20 && kr_ended server ok && not grep -q throughput "$KR_RESULT"
}
check "bw: the result of a server without duplex has no throughput" one_way_reported

t_end
