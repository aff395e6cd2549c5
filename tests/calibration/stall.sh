#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: With rate=, a stall of two seconds appears in the latency of each operation
#   that was due during the stall, not only in the latency of the first one.
# Requires: one guest with any device, whose time counts instructions (scripts/vm --exact)
# Duration: 6 s on rxe, 7 s on siw
#
# Truth: one operation is due every 10 ms. The wire delays the packet of one operation by
# H = 2 s. The latency of this operation is H + b, where b is the latency of an undisturbed operation.
# The next operations follow without pause, and each takes b. A latency counts from the time at which
# the operation was due. So the j-th of these operations has a latency of H + b - j (10 ms - b). After
# about 200 operations the latency is b again. These latencies have a sum of about 201 s. If latencies
# counted from the post, the sum would be 2 s.
#
# Tolerance: one operation for numbers of operations, and 1 % for sum and maximum. Client and server
# share the only CPU, so an operation may take some 10 us more or less than b. Over 200 operations
# this adds up to 2 ms, 0.1 %. Mean, count and maximum are exact, unlike percentiles and buckets,
# which have an error of 1/256.

# shellcheck source=wire.inc
. "${0%/*}/wire.inc"

COUNT=250
PERIOD=10000000
HOLD=2000000000
# Number of the delayed operation, an early one, because the stall must end before rxe's retransmission
# timer expires, 2.1 s after the start.
NTH=5

# stall TEST: run a test with a stall, and set base to the latency without a stall
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
	# the packet of the operation NTH waits now; do not delay any other packet
	sleep 1
	tc filter delete dev v0 parent 1: || return 1
	kr_ended client ok 60
	_ret=$?
	# end a failed test, whose packets would disturb the next test
	[ $_ret = 0 ] || kr_stop
	wire_clear
	return $_ret
}

# demand DIVISOR: compute the expected figures of a test that reports 1/DIVISOR of a round trip. Set b to
# the latency of an undisturbed round trip, SUM to the sum of the reported latencies, and SLOW to the
# number of round trips of more than a second.
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

# sum_demanded: check that the sum of the latencies is SUM, within 1 %
sum_demanded() {
	val latency_nsec mean || return 1
	diag "the sum is $((VAL * COUNT)) ns instead of $SUM"
	near_percent "mean * count" $((VAL * COUNT)) "$SUM" 1
}

# max_demanded NSEC: check that the longest latency is NSEC, within 1 %
max_demanded() {
	val latency_nsec max && near_percent max "$VAL" "$1" 1
}

# slow_demanded NSEC: check that SLOW latencies, within one, are above NSEC
slow_demanded() {
	between "$1" 1000000000000
	near "number of latencies above $1 ns" "$BETWEEN" "$SLOW" 1
}

# omission TEST DIVISOR: check a test that reports 1/DIVISOR of a round trip
omission() {
	check "$1,rate=100 with a stall of 2 s succeeds" stall "$1" || return
	demand "$2"
	check "$1,rate=100 with a stall: no iteration is missing" eval "kr_is iterations $COUNT"
	check "$1,rate=100 with a stall: the sum of the latencies follows from the schedule, within 1 %" sum_demanded
	check "$1,rate=100 with a stall: the maximum is the stall, within 1 %" max_demanded $(((HOLD + b) / $2))
	check "$1,rate=100 with a stall: the number of operations that take at least half of the stall follows from the schedule, within one" \
		slow_demanded $((1000000000 / $2))
}
omission rlat 1
omission slat 2
t_end
