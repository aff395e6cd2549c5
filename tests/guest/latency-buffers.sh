#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Latency tests work with inline data, several SGEs and a shared receive
#   queue.
# Requires: one guest
# Duration: 10 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=figures.inc
. "${0%/*}/figures.inc"

for test in wlat slat; do
	for size in 1 2 64; do
		check "$test,inline,size=$size: right results" latency_pair "$test" "" inline "$size" 10 2
		check "$test,inline on both sides, validate, size=$size" \
			latency_pair "$test" inline inline,validate "$size" 10 2
	done
	check "$test,inline,mem_mode=reg: right results" \
		latency_pair "$test" inline,mem_mode=reg inline,mem_mode=reg 64 10 0
	check "$test,inline beyond the limit of the device: EOPNOTSUPP" \
		unsupported "client,addr=$ADDR,$test,inline,size=100000,count=1" inline
done

for test in $latency_tests; do
	if [ "$test,$TYPE" = rlat,siw ]; then
		sge=1
		# An iWARP READ has only one SGE.
		refused_read_sge() {
			kr_fails_with EINVAL "client,addr=$ADDR,rlat,sge=2,count=1" sge=2 && kr_clean_now
		}
		check "rlat,sge=2: EINVAL" refused_read_sge
	else
		sge=2
	fi
	for size in 2 3 64 $((PAGE + 1)); do
		check "$test,sge=$sge,size=$size: right results" \
			latency_pair "$test" sge=$sge "sge=$sge,validate" "$size" 10 0
	done
	check "$test,sge=$sge,mem_mode=reg: right results" \
		latency_pair "$test" sge=$sge,mem_mode=reg "sge=$sge,mem_mode=reg,validate" 10000 10 0
	check "$test,srq on both sides: right results" latency_pair "$test" srq srq 64 50 0
	check "$test,srq,validate on both sides: right results" latency_pair "$test" srq srq,validate 5000 20 5
	check "$test,srq,poll on the client: right results" latency_pair "$test" "" srq,poll 64 20 0
	check "$test,srq on the server: right results" latency_pair "$test" srq "" 64 20 0
done
check "wlat,inline,sge=2: right results" latency_pair wlat inline,sge=2 inline,sge=2,validate 64 10 0
check "latency tests with inline, sge= and srq leave no test or object" kr_clean

t_end
