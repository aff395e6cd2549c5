#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A known mixture of latencies appears in the percentiles.
# Requires: one guest whose time counts instructions (scripts/vm --exact)
# Duration: 5 s
#
# Truth: of the packets with the client's operations, the wire delays every 100th by 50 ms,
# every 11th of the others (9 of 99) by 10 ms, and the rest by 2 ms. So 450 of 500 operations have a
# delay of 2 ms, 45 have 10 ms, and 5 have 50 ms, whichever packet is the first. p50 and p90 (the
# 450th latency in order) have the delay of 2 ms, p99 (the 495th) has 10 ms, and p99.9 has 50 ms. slat
# and wlat report half of each delay, rlat the whole delay.
#
# Tolerance: none for the numbers of operations; 5 % of the delay for latencies. A percentile is the
# middle of its bucket and has an error of at most 1/256 (0.4 %). The wake-up for a delayed packet
# takes 15 to 25 us (2.5 % of 1 ms).

# shellcheck source=wire.inc
. "${0%/*}/wire.inc"

# Number of operations. They take less than 2 s. After 2.1 s rxe's retransmission timer expires, which
# acknowledgments do not stop, and rxe would repeat the operations in flight.
MIX=500

# mixture TEST: let the wire delay the packets of the client's operations by the three delays
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

# mixed TEST: run a test with the mixture, and set base to the latency without delay
mixed() {
	wire_clear
	pair "" "$1,count=20,warmup=5" && val latency_nsec p50 || return 1
	base=$VAL
	mixture "$1" && pair "" "$1,count=$MIX,warmup=7,histogram" && kr_returned ok
	_ret=$?
	wire_clear
	return $_ret
}

# steady TEST NSEC: run mixed in up to four rounds, until p50 and p90 have the delay NSEC, because other
# work of the guest may change both. A wrong figure of krping is wrong in all rounds. The checks use the
# last round.
steady() {
	for _round in 1 2 3 4; do
		mixed "$1" || return 1
		at p50 "$2" && at p90 "$2" && break
		diag "round $_round: $T_WHY"
	done
	return 0
}

# at KEY NSEC: check that the latency KEY is NSEC above base, within 5 % of NSEC
at() {
	val latency_nsec "$1" && near_percent "$1 less $base" $((VAL - base)) "$2" 5
}

# number LOW HIGH WANT: check that the histogram has WANT latencies from LOW to HIGH ns
number() {
	between "$1" "$2"
	eq "$BETWEEN" "$3" "number of latencies from $1 to $2 ns"
}

# spread TEST DIVISOR: check a test whose latencies rise by 1/DIVISOR of each delay
spread() {
	ms=$((1000000 / $2))
	check "$1 with delays of 2 ms (90 %), 10 ms (9 %) and 50 ms (1 %) succeeds" steady "$1" $((2 * ms)) || return
	check "$1: p50 and p90 have the delay of 2 ms" eval "at p50 $((2 * ms)) && at p90 $((2 * ms))"
	check "$1: p99 has the delay of 10 ms" at p99 $((10 * ms))
	check "$1: p99.9 and the maximum have the delay of 50 ms" eval "at p99.9 $((50 * ms)) && at max $((50 * ms))"
	check "$1: the mean has the mean delay, 3.2 ms" at mean $((32 * ms / 10))
	check "$1: the histogram has 450 latencies with the delay of 2 ms" number $((2 * ms)) $((5 * ms)) $((MIX * 90 / 100))
	check "$1: the histogram has 45 latencies with the delay of 10 ms" number $((5 * ms)) $((25 * ms)) $((MIX * 9 / 100))
	check "$1: the histogram has 5 latencies with the delay of 50 ms" number $((25 * ms)) $((100 * ms)) $((MIX / 100))
}
spread slat 2
# rxe runs wlat instead of rlat: a client of rlat sends a keep-alive message every half second, which
# would overtake a delayed READ and cause a sequence error.
case $TYPE in
rxe) spread wlat,imm 2 ;;
siw) spread rlat 1 ;;
esac
t_end
