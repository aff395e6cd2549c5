#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The test fr counts each cycle of fast registration and invalidation once, with
#   several sizes and txdepths, and rejects a size beyond the device's limit.
# Requires: one guest
# Duration: 5 s on rxe, 8 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=figures.inc
. "${0%/*}/figures.inc"

# cycles OPTIONS COUNT: run fr, and check that it counts COUNT cycles
cycles() {
	bench_pair "" "fr,count=$2${1:+,$1}" || return 1
	nsec=$(kr_get nsec)
	kr_returned ok && kr_is test fr && kr_is iterations "$2" &&
		kr_is cycles_per_sec $(($2 * 1000000000 / nsec)) &&
		eq "${KR_OUT##* throughput cycles_per_sec=*}" "" "the line throughput" || return 1
	# fr moves no data
	# shellcheck disable=SC2086
	kr_counters_are counters $no_counters && kr_counters_are peer_counters $no_counters &&
		not grep -q latency "$KR_RESULT" && kr_ended server ok && kr_is test fr &&
		kr_counters_are counters $no_counters
}

check "fr,count=200: 200 cycles are counted" cycles "" 200
for opts in size=1 size=2 size=$PAGE size=$((PAGE + 1)) size=$REG_MAX txdepth=1 txdepth=2 txdepth=7 \
	txdepth=200 poll cq=workqueue warmup=50 size=$REG_MAX,txdepth=7,poll; do
	for count in 1 101; do
		check "fr,$opts,count=$count: $count cycles are counted" cycles "$opts" $count
	done
done
check "fr: a size beyond the limit of the device is EINVAL" kr_fails_with EINVAL \
	"client,addr=$ADDR,fr,size=$((REG_MAX + 1)),count=1" $REG_MAX

fr_lasts() {
	bench_pair "" fr,duration=1,size=65536 && [ "$(kr_get iterations)" -gt 1 ] &&
		[ "$(kr_get nsec)" -ge 300000000 ] && kr_ended server ok
}
check "fr,duration=1 ends by itself" fr_lasts
check "fr leaves no test or object" kr_clean

# The log line "delta sec" has time and iterations in the format of older versions, for awk scripts that read it.
fr_delta() {
	klog_mark
	bench_pair "" fr,count=30,size=100 && eq "$(klog_count delta)" 1 "number of lines with delta" &&
		klog_delta 30 100
}
check "fr: the log has one line for awk" fr_delta

t_end
