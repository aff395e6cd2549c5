#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Throughput tests count each operation once with inline data, with several SGEs and with
#   a shared receive queue (SRQ). krping rejects a size and a number of SGEs beyond the device's limits.
# Requires: one guest
# Duration: 4 s on rxe, 9 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=figures.inc
. "${0%/*}/figures.inc"
# throughput_pair TEST SERVER_OPTIONS CLIENT_OPTIONS SIZE COUNT WARMUP [QPS] of figures.inc runs a server and a
# client, and checks the results of both.

#
# Inline data, SGEs, SRQ
#

for test in bw sbw; do
	check "$test,inline: both sides count each operation once" throughput_pair "$test" "" inline 64 101 0
	check "$test,inline,validate: right results" throughput_pair "$test" "" inline,validate 64 50 0
	check "$test,inline,sge=2,txdepth=7: right results" \
		throughput_pair "$test" "" inline,sge=2,txdepth=7 63 101 0
	check "$test,inline: a size beyond the limit of the device is EOPNOTSUPP" \
		unsupported "client,addr=$ADDR,$test,inline,size=100000,count=1" inline
done
# A server whose command names no test accepts inline, and posts READs without inline data.
inline_reads() {
	bench_pair inline rbw,duplex,count=50 && kr_returned ok && kr_ended server ok
}
check "rbw,duplex: a server with inline posts READs without inline data" inline_reads

case $TYPE in
siw) SGE_MAX=6 READ_SGE_MAX=1 ;;
*) SGE_MAX=32 READ_SGE_MAX=32 ;;
esac

# too_many SGE TEST LIMIT: check that TEST with sge=SGE fails with EINVAL, and that the log has the
# device's LIMIT
too_many() {
	kr_fails_with EINVAL "client,addr=$ADDR,$2,size=1000,count=1,sge=$1" " to $3" &&
		kr_detail_has "sge=$1" && kr_clean_now
}

for test in $throughput_tests; do
	max=$SGE_MAX
	[ "$test" != rbw ] || max=$READ_SGE_MAX
	check "$test,sge=$max: right results" throughput_pair "$test" "" sge=$max,txdepth=7 1000 50 0
	check "$test,sge=$max,validate,mem_mode=reg: right results" \
		throughput_pair "$test" mem_mode=reg sge=$max,validate,mem_mode=reg 10001 20 0
	check "$test,sge=$((max + 1)) is EINVAL, and the log names the limit" \
		too_many $((max + 1)) "$test" "$max"
	check "$test,srq on both sides: right results" throughput_pair "$test" srq srq 64 300 0
	check "$test,srq,validate on both sides: right results" \
		throughput_pair "$test" srq srq,validate 5000 50 0
	check "$test,srq,poll on both sides: right results" throughput_pair "$test" srq,poll srq,poll 64 300 0
	check "$test,srq on the server,txdepth=500: right results" \
		throughput_pair "$test" srq,txdepth=500 txdepth=500 64 1001 0
done

# In newer kernels, such as 6.12, ib_drain_qp() waits a minute for an event if the QP has an SRQ.
# krping avoids this wait.
srq_ends() {
	kr_bg server "server,addr=$ADDR,port=12444,srq" &&
		kr_fg client "client,addr=$ADDR,port=12444,sbw,srq,count=1" &&
		kr_ended client ok 50 && kr_ended server ok 50
}
check "sbw,srq on both sides: teardown takes less than 50 s" srq_ends
check "throughput tests with inline, sge= and srq leave no test or object" kr_clean

t_end
