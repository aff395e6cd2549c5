#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A known mixture of latencies appears in the percentiles.
# Requires: one guest whose time counts instructions (scripts/vm --exact)
# Duration: 5 s
#
# Truth: of the packets that carry the client's operations each 100th waits for 50 ms, of
# the others each 11th (9 of 99) for 10 ms, and all others for 2 ms. So in 500 operations 450
# take 2 ms, 45 take 10 ms, and 5 take 50 ms more than without, wherever the mixture begins.
# p50 and p90 (the 450th) are of the first kind, p99 (the 495th) of the second, p99.9 of the
# third. slat and wlat report the half of each, rlat the whole.
#
# Tolerance: none for the numbers of operations. For latencies 5 % of what is added: a
# percentile is the middle of its bucket, off by at most 1/64 (1.6 %), and a packet that has
# waited takes 15 to 25 us longer (2.5 % of 1 ms).

# shellcheck source=wire.inc
. "${0%/*}/wire.inc"

# 500 operations end within 2 seconds. The last acknowledgment does not stop rxe's timer of
# 2.1 s, which retransmits all operations in flight when it expires.
MIX=500

mixture() {
	packet_of "$1"
	bands 4 &&
		tc qdisc add dev v0 parent 1:2 netem delay 2ms &&
		tc qdisc add dev v0 parent 1:3 netem delay 10ms &&
		tc qdisc add dev v0 parent 1:4 netem delay 50ms &&
		choose 1 4 gact continue random determ pass 100 &&
		choose 2 3 gact continue random determ pass 11 &&
		choose 3 2 gact pass
}

# mixed TEST: run a pair with the mixture; base is the latency without delay
mixed() {
	wire_clear
	pair "" "$1,count=20,warmup=5" && val latency_nsec p50 || return 1
	base=$VAL
	mixture "$1" && pair "" "$1,count=$MIX,warmup=7,histogram" && kr_returned ok
	_ret=$?
	wire_clear
	return $_ret
}

# steady TEST NSEC: up to four rounds, until what else the guest does is not among the 90 %;
# a wrong figure is wrong in all of them, and the checks are of the last one
steady() {
	for _round in 1 2 3 4; do
		mixed "$1" || return 1
		at p50 "$2" && at p90 "$2" && break
		diag "round $_round: $T_WHY"
	done
	return 0
}

# at KEY NSEC
at() {
	val latency_nsec "$1" && near_percent "$1 less $base" $((VAL - base)) "$2" 5
}

# number LOW HIGH WANT
number() {
	between "$1" "$2"
	eq "$BETWEEN" "$3" "number of latencies from $1 to $2 ns"
}

# spread TEST DIVISOR
spread() {
	ms=$((1000000 / $2))
	check "$1: a mixture of 2, 10 and 50 ms ends" steady "$1" $((2 * ms)) || return
	check "$1: p50 and p90 are those of 90 % of the operations, 2 ms" eval "at p50 $((2 * ms)) && at p90 $((2 * ms))"
	check "$1: p99 is that of the next 9 %, 10 ms" at p99 $((10 * ms))
	check "$1: p99.9 and the maximum are those of the last 1 %, 50 ms" eval "at p99.9 $((50 * ms)) && at max $((50 * ms))"
	check "$1: the mean is that of the mixture, 3.2 ms" at mean $((32 * ms / 10))
	check "$1: the histogram has 450 of 2 ms" number $((2 * ms)) $((5 * ms)) $((MIX * 90 / 100))
	check "$1: the histogram has 45 of 10 ms" number $((5 * ms)) $((25 * ms)) $((MIX * 9 / 100))
	check "$1: the histogram has 5 of 50 ms" number $((25 * ms)) $((100 * ms)) $((MIX / 100))
}
spread slat 2
# On rxe a client of rlat also sends a keepalive each half second, which would overtake a
# delayed READ and cause a sequence error.
case $TYPE in
rxe) spread wlat,imm 2 ;;
siw) spread rlat 1 ;;
esac
t_end
