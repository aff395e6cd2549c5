#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A known delay of the wire appears in the latencies.
# Requires: one guest whose time counts instructions (scripts/vm --exact)
# Duration: 28 s
#
# Truth: netem delays each packet of one direction by D. A round trip has one packet in each
# direction, so the latency of rlat rises by D; slat and wlat, which report half a round trip, rise by
# D/2. An iteration of ping crosses the wire three times in each direction: with 4 SENDs, the READ request
# and the READ response. (The WRITE crosses together with the SEND after the WRITE.) So the latency of
# ping rises by 3 D.
#
# Tolerance: 5 % of the rise. A delayed packet leaves in a timer interrupt, for which an idle CPU
# has to wake up. The wake-up takes 15 to 25 us in the guest, at most 2.5 % of the smallest delay (1 ms). A
# percentile is the middle of its bucket and has an error of at most 1/256 (0.4 %). Other work of the
# guest may delay one of the 25 operations, so a check takes up to four rounds. In each further round the
# latency without delay is measured again. A wrong figure of krping is wrong in all rounds.

# shellcheck source=wire.inc
. "${0%/*}/wire.inc"

# measure OPTIONS: run a server and a client; KR_OUT is the client's result
measure() {
	pair "" "$1,count=20,warmup=5" && kr_returned ok
}

# base OPTIONS: measure without delay, and set base_* to the latencies
base() {
	wire_clear
	measure "$1" || return 1
	for _key in min p50 p99 max mean; do
		val latency_nsec $_key || return 1
		eval "base_$_key=\$VAL"
	done
	val peer_latency_nsec mean 2>/dev/null || VAL=
	base_peer=$VAL
}

# rises_once IF MS OPTIONS QUARTERS: check that a delay of MS at the interface IF raises each figure of the
# latency by QUARTERS / 4 of the delay
rises_once() {
	_truth=$(($2 * 250000 * $4))
	wire_bytes "$1"
	_bytes=$WIRE_BYTES
	wire "$1" netem delay "$2ms" limit 1000 || return 1
	measure "$3" || return 1
	wire_bytes "$1"
	_tx=$((WIRE_BYTES - _bytes))
	wire_clear
	# packets of 25 operations of 64 bytes, or 25 READ requests, have at least 1000 bytes
	[ $_tx -ge 1000 ] || why "only $_tx bytes have crossed the wire" || return 1
	for _key in min p50 p99 max mean; do
		val latency_nsec $_key || return 1
		eval "_base=\$base_$_key"
		near_percent "rise of $_key" $((VAL - _base)) $_truth 5 || return 1
	done
	# The server also measures a round trip, from one reply to the next.
	[ -n "$base_peer" ] || return 0
	val peer_latency_nsec mean &&
		near_percent "rise of the server's mean" $((VAL - base_peer)) $_truth 5
}

# rises IF MS OPTIONS QUARTERS: repeat the check of rises_once in up to four rounds until it succeeds
rises() {
	rises_once "$@" && return 0
	for _round in 2 3 4; do
		diag "round $_round: $T_WHY"
		base "$3" && rises_once "$@" && return 0
	done
	return 1
}

# calibrate NAME OPTIONS QUARTERS WORDS: check several delays in both directions. WORDS is QUARTERS / 4 of a
# delay in words.
calibrate() {
	check "$1 without delay succeeds" base "$2" || return
	for ms in 1 5 20; do
		check "$1: a delay of $ms ms to the server raises the latency by $4, within 5 %" \
			rises v0 $ms "$2" "$3"
		check "$1: a delay of $ms ms to the client raises the latency by $4, within 5 %" \
			rises v1 $ms "$2" "$3"
	done
}

calibrate slat slat 2 "half the delay"
calibrate "$WLAT" "$WLAT" 2 "half the delay"
calibrate rlat rlat 4 "the delay"
calibrate ping mem_mode=dma 12 "three times the delay"

# server_minimum: check that the shortest latency of ping's server is that of a whole iteration. The server
# measures from one WRITE to the next. If it also measured the time before the first WRITE, its minimum
# would be half an iteration. The factor 0.8 allows for jitter.
server_minimum() {
	wire_clear
	wire v0 netem delay 5ms limit 1000 &&
		pair histogram "mem_mode=dma,count=20,warmup=5" && kr_returned ok &&
		val latency_nsec min && _min=$VAL && val peer_latency_nsec min || return 1
	[ "$VAL" -ge $((_min * 8 / 10)) ] ||
		why "the server's minimum is $VAL ns, and the client's is $_min ns"
}
# server_number: check that the histogram of ping's server has one latency less than iterations
server_number() {
	kr_ended server ok && kr_is iterations 25 && between 0 1000000000000 &&
		eq "$BETWEEN" 24 "number of the server's latencies"
}
check "ping: the server's minimum latency is that of a whole iteration" server_minimum
check "ping: the server's histogram has one latency less than iterations" server_number

# spins: check wlat without imm or validate, which polls memory and spins. On one CPU the peer runs only at
# the next timer tick (4 ms), twice per round trip. So half a round trip has a tolerance of one tick, 4 ms.
# A delay of 20 ms raises half a round trip by 10 ms, and would raise a latency that is not halved by 20 ms.
spins() {
	wire_clear
	measure wlat && val latency_nsec mean || return 1
	_base=$VAL
	wire v0 netem delay 20ms limit 1000 &&
		measure wlat && val latency_nsec mean || return 1
	diag "$_base ns without delay, $VAL ns with 20 ms"
	near "rise of the mean" $((VAL - _base)) 10000000 4000000
}
check "wlat polling memory: a delay of 20 ms raises the latency by half the delay, within a tick" spins
wire_clear

# no_tick OPTIONS: check that no operation waits for the timer tick, 4 ms. With poll, krping's thread lets
# softirqs run, which rxe needs. Otherwise some operations would wait for the tick; other operations take
# 20 to 120 us, so the mean would be more than twice the median. siw's threads wait for the tick in any
# case.
no_tick() {
	measure "$1" && val latency_nsec p50 || return 1
	_p50=$VAL
	val latency_nsec mean || return 1
	[ "$VAL" -lt $((_p50 * 3 / 2)) ] || why "the mean is $VAL ns, and the median is $_p50 ns"
}
if [ "$TYPE" = rxe ]; then
	for test in slat mem_mode=dma; do
		check "$test,poll: the mean is below 1.5 medians: no operation waits for the timer tick" \
			no_tick "$test,poll"
	done
fi

# time_outside OPTIONS: check that a client spends at most 300 ms outside its iterations. kwrite compares
# the time in the result with the duration of the write(2). The difference is the time for resolving,
# connecting and disconnecting, whose packets are delayed by 20 ms each. The 100 operations take at
# least 2 s.
time_outside() {
	_broken=$KR_BROKEN
	wire v0 netem delay 20ms limit 1000 || return 1
	KWRITE_SETUP_MS=300
	pair "" "$1,count=100" && kr_returned ok
	_ret=$?
	KWRITE_SETUP_MS=500
	wire_clear
	[ $_ret = 0 ] && eq "$KR_BROKEN" "$_broken" "number of identities broken"
}

for test in mem_mode=dma slat rlat; do
	check "$test: the write takes the time in its result and less than 300 ms of set-up" \
		time_outside $test
done
t_end
