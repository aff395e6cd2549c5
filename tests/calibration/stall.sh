#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: With rate=, a pause of the server for two seconds appears in the latency of
#   each operation that was due in the meantime, and not only in that of the first one.
# Requires: one guest whose time counts instructions (scripts/vm --exact)
# Duration: 6 s on rxe, 7 s on siw
#
# Truth: one operation is due each 10 ms. The packet of one of them is held for H = 2 s. Its
# latency is H and the latency b of an undisturbed operation; those behind it follow one
# after the other, each after b, and are counted from when they were due. So the j-th behind
# it has H + b - j (10 ms - b), until that is b again: some 200 operations, whose sum is
# about 201 s. If a latency were counted from the post the sum would be 2 s.
#
# Tolerance: one operation for numbers. 1 % for sum and maximum: the thread that polls shares
# the one CPU with its peer, so an operation may take some 10 us more or less than b, and
# that of the 200th adds up to 2 ms, 0.1 %; a percentile or a bucket is off by 1/64, but
# mean, count and maximum are exact.

# shellcheck source=wire.inc
. "${0%/*}/wire.inc"

COUNT=250
PERIOD=10000000
HOLD=2000000000
# The stall is over before rxe's timer for acknowledgments expires, 2.1 s after the beginning.
NTH=5

# stall TEST: run a pair with a stall; base is the latency without one
stall() {
	wire_clear
	pair "" "$1,rate=100,count=10,warmup=2" && val latency_nsec p50 || return 1
	base=$VAL
	packet_of "$1"
	bands 2 && tc qdisc add dev v0 parent 1:2 netem delay 2s &&
		choose 1 2 gact continue random determ pass $NTH || return 1
	pair_port=$((pair_port + 1))
	kr_bg server "server,addr=$ADDR,port=$pair_port,$PATIENT" &&
		kr_bg client "client,addr=$ADDR,port=$pair_port,$PATIENT,$1,rate=100,count=$COUNT,histogram" || return 1
	# the packet is delayed by now; those that follow must not be
	sleep 1
	tc filter delete dev v0 parent 1: || return 1
	kr_ended client ok 60
	_ret=$?
	# drain packets of a failed test before the next one
	[ $_ret = 0 ] || kr_stop
	wire_clear
	return $_ret
}

# demand DIVISOR: what the schedule demands; b is the whole latency. SUM is that of all
# latencies as they are reported, SLOW the number of those above a second
demand() {
	b=$((base * $1))
	_j=0 SUM=0 SLOW=0
	while [ $_j -lt $COUNT ]; do
		_nsec=$b
		if [ $_j -ge $((NTH - 1)) ]; then
			_late=$((HOLD + b - (_j - NTH + 1) * (PERIOD - b)))
			[ $_late -le $b ] || _nsec=$_late
		fi
		SUM=$((SUM + _nsec / $1))
		[ $_nsec -le 1000000000 ] || SLOW=$((SLOW + 1))
		_j=$((_j + 1))
	done
}

sum_demanded() {
	val latency_nsec mean || return 1
	diag "the sum is $((VAL * COUNT)) ns instead of $SUM"
	near_percent "mean x count" $((VAL * COUNT)) "$SUM" 1
}

max_demanded() {
	val latency_nsec max && near_percent max "$VAL" "$1" 1
}

slow_demanded() {
	between "$1" 1000000000000
	near "number of latencies above $1 ns" "$BETWEEN" "$SLOW" 1
}

# omission TEST DIVISOR
omission() {
	check "$1,rate=100: a server that stands still for 2 s" stall "$1" || return
	demand "$2"
	check "$1,rate=100: no operation is left out" eval "kr_is iterations $COUNT"
	check "$1,rate=100: the sum of the latencies is what the schedule demands, within 1 %" sum_demanded
	check "$1,rate=100: the maximum is the stall, within 1 %" max_demanded $(((HOLD + b) / $2))
	check "$1,rate=100: as many operations see at least half of it as the schedule demands, give or take one" \
		slow_demanded $((1000000000 / $2))
}
omission rlat 1
omission slat 2
t_end
