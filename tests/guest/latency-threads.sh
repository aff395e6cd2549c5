#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The result of a latency test with several QPs (qps=) or threads (threads=)
#   has the sums of the iterations and counters of all QPs.
# Requires: one guest with any device
# Duration: 3 s on rxe, 2 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=figures.inc
. "${0%/*}/figures.inc"

#
# wlat runs with validate, so that its threads sleep and do not poll memory.
#

# many TEST OPTIONS QPS COUNT: run COUNT operations on each of QPS QPs, and check the sums of both sides.
# expected of figures.inc sets C_WANT and S_WANT, the counters of both sides, and latency_of sets OF, the
# value of of= in the result.
many() {
	pair "" "$1,size=64,count=$4,warmup=2,$2" || {
		kr_stop
		kr_returned ok
		return 1
	}
	expected "$1" 64 $(($3 * ($4 + 2))) ",$2"
	latency_of "$1"
	kr_returned ok && kr_is iterations $(($3 * $4)) && latencies latency_nsec $OF || return 1
	# shellcheck disable=SC2086
	kr_counters_are counters $C_WANT && kr_counters_are peer_counters $S_WANT &&
		kr_ended server ok && kr_counters_are counters $S_WANT
}

for opts in qps=3 threads=2 qps=2,threads=2; do
	case $opts in
	qps=3) conns=3 ;;
	threads=2) conns=2 ;;
	*) conns=4 ;;
	esac
	for test in wlat,validate slat rlat; do
		check "$test,$opts: right results" many ${test%,*} "$opts${test#????}" $conns 20
	done
done
check "latency tests with several QPs and threads leave no test or object" kr_clean

t_end
