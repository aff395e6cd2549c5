#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Throughput tests succeed with various values of txdepth=, batch= and cqmod=. The result
#   has the maximum number of READs in flight. krping rejects a txdepth beyond the device's limits.
# Requires: one guest with any device
# Duration: 17 s on rxe, 18 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=figures.inc
. "${0%/*}/figures.inc"
# throughput_pair TEST SERVER_OPTIONS CLIENT_OPTIONS SIZE COUNT WARMUP [QPS] of figures.inc runs a server and a
# client, and checks the results of both.

#
# txdepth, batch and cqmod
#

# depths TEST SERVER_OPTIONS CLIENT_OPTIONS: run a pair with 1 operation and a pair with 101. Neither
# number is a multiple of a batch or cqmod above 1, so the last batch is incomplete.
depths() {
	for count in 1 101; do
		throughput_pair "$1" "$2" "$3" 100 $count 0 || {
			why "count=$count: $T_WHY"
			return 1
		}
	done
}

for test in $throughput_tests; do
	for opts in txdepth=1 txdepth=2 txdepth=2,cqmod=2,batch=1 txdepth=7,batch=3,cqmod=5 \
		txdepth=7,batch=7,cqmod=1 txdepth=7,batch=1,cqmod=7 txdepth=64,batch=3,cqmod=64 \
		txdepth=64,batch=64,cqmod=5 txdepth=500 txdepth=500,batch=3,cqmod=1 \
		txdepth=500,batch=500,cqmod=500; do
		check "$test,$opts: right results" depths "$test" "" "$opts"
	done
	check "$test,txdepth=7,batch=3,cqmod=5: 1001 operations" throughput_pair "$test" "" txdepth=7,batch=3,cqmod=5 64 1001 0
	check "$test: a server with less txdepth" throughput_pair "$test" txdepth=1 txdepth=64 64 200 0
	check "$test: a server with more txdepth" throughput_pair "$test" txdepth=500 txdepth=2 64 200 0
	check "$test: tx-depth is another name of txdepth" throughput_pair "$test" tx-depth=3 tx-depth=3 64 20 0
done
if [ "$TYPE" != siw ]; then
	for test in bw sbw; do
		check "$test,imm,txdepth=7,batch=3,cqmod=5: right results" \
			depths "$test" "" imm,txdepth=7,batch=3,cqmod=5
	done
fi
check "tests with each depth of the send queue leave no test or object" kr_clean

#
# READs in flight
#

# reads OPTIONS N: check that the client's result has N as the maximum number of READs in flight
reads() {
	bench_pair "" "$1,count=20" && kr_is reads "$2" && kr_ended server ok
}
check "rbw: up to 128 READs in flight, the limit of rxe and of siw" reads rbw 128
for test in bw sbw rlat; do
	check "$test: at most one READ in flight" reads "$test" 1
done
check "ping: at most one READ in flight" reads validate 1

#
# Beyond the limits of the device
#

case $TYPE in
siw) WR_MAX=32767 ;;
*)
	WR_MAX=1048575
	case $(uname -r) in
	5.10.*) WR_MAX=16383 ;;
	esac
	;;
esac

# too_deep TEST: check that a txdepth beyond the limit is EINVAL, and that log and result name the limit
too_deep() {
	kr_fails_with EINVAL "client,addr=$ADDR,$1,txdepth=1048576,count=1" "at most $WR_MAX" &&
		kr_detail_has txdepth=1048576 && kr_clean_now
}
for test in $throughput_tests fr; do
	check "$test,txdepth=1048576: EINVAL, and the log names the limit" too_deep "$test"
done
too_wide() {
	kr_fails_with EINVAL "client,addr=$ADDR,bw,qps=256,txdepth=14000,count=1" "needs a CQ of" &&
		kr_detail_has qps=256 && kr_clean_now
}
check "bw,qps=256,txdepth=14000: EINVAL, no CQ is that large" too_wide

# The server of sbw posts two RECVs for each of its txdepth operations, here more than an RQ can have.
too_deep_server() {
	kr_bg server "server,addr=$ADDR,port=12010,txdepth=1048576" || return 1
	kr_fails ECONNREFUSED "client,addr=$ADDR,port=12010,sbw,count=1" &&
		kr_ended server EINVAL && kr_detail_has "at most $WR_MAX" && kr_clean
}
check "a server with txdepth beyond the limit: EINVAL, and the client is rejected" too_deep_server
kr_stop
check "bw: a server that posts nothing ignores a txdepth beyond the limit" throughput_pair bw txdepth=1048576 "" 64 20 0

t_end
