#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The operations of the warm-up appear in no figure but the counters.
# Requires: one guest whose time counts instructions (scripts/vm --exact)
# Duration: 16 s on rxe, 12 s on siw
#
# Truth: the wire is slow when a test begins (20 ms of delay, or 1 Mbit/s), and becomes fast
# half a second later, before the 50 operations of the warm-up are done. All that is
# measured comes afterwards.
#
# Tolerance: an operation that was fast takes less than 1 ms, one that was slow at least
# 10 ms, so any bound in between will do. A throughput has that of tests/calibration/rate.sh,
# 3 %.

# shellcheck source=wire.inc
. "${0%/*}/wire.inc"

WARMUP=50
COUNT=100

# slow_then_fast OPTIONS CHANGE...: run a pair whose wire CHANGE makes fast
slow_then_fast() {
	_opts=$1
	shift
	pair_port=$((pair_port + 1))
	kr_bg server "server,addr=$ADDR,port=$pair_port,$PATIENT" &&
		kr_bg client "client,addr=$ADDR,port=$pair_port,$PATIENT,warmup=$WARMUP,$_opts" || return 1
	sleep 0.5
	kr_result client && kr_is status running && kr_is iterations 0 || return 1
	"$@" && kr_ended client ok 60
}

# latency OPTIONS
latency() {
	wire_clear
	wire v0 netem delay 20ms limit 1000 &&
		slow_then_fast "$1,count=$COUNT,histogram" tc qdisc change dev v0 root netem delay 0ms limit 1000
	_ret=$?
	# drain packets of a failed test before the next one
	[ $_ret = 0 ] || kr_stop
	wire_clear
	return $_ret
}

# below LINE KEY NSEC
below() {
	val "$1" "$2" || return 1
	[ "$VAL" -lt "$3" ] || why "$1 $2=$VAL is not below $3"
}

server_saw_it() {
	val peer_time nsec || return 1
	[ "$VAL" -ge 400000000 ] || why "the server's time is $VAL ns, without the warm-up"
}

not_in_latency() {
	check "$1: the first half second is slow, and warm-up" latency "$1" || return
	check "$1: the warm-up is not in the number of iterations" kr_is iterations $COUNT
	check "$1: the warm-up is not in the time" below time nsec $((COUNT * 1000000))
	check "$1: the warm-up is not in the maximum" below latency_nsec max 1000000
	check "$1: the warm-up is not in the mean" below latency_nsec mean 1000000
	between 0 1000000
	check "$1: the warm-up is not in the histogram" eq "$BETWEEN" $COUNT "number of latencies below 1 ms"
	[ "$2" = one ] ||
		check "$1: the warm-up is in the server's time" server_saw_it
}
not_in_latency slat
not_in_latency "$WLAT"
not_in_latency rlat one
not_in_latency mem_mode=dma

# stream IF TEST: each message of 1000 bytes is a packet
stream() {
	wire_clear
	wire "$1" tbf rate 1mbit burst 3000 limit 20000000 &&
		slow_then_fast "$2,size=1000,count=1000,cqmod=1,batch=1,txdepth=8" \
			tc qdisc change dev "$1" root tbf rate 10mbit burst 3000 limit 20000000
	_ret=$?
	# drain packets of a failed test before the next one
	[ $_ret = 0 ] || kr_stop
	wire_clear
	return $_ret
}

# stream_rate: the payload's share of a packet is at least 1000 of 1100 bytes, and not all
stream_rate() {
	val throughput bytes_per_sec || return 1
	if [ "$VAL" -lt 1100000 ] || [ "$VAL" -gt 1250000 ]; then
		why "bytes_per_sec is $VAL and not that of 10 Mbit/s"
	fi
}

not_in_throughput() {
	check "$2: the first half second is slow, and warm-up" stream "$1" "$2" || return
	check "$2: the warm-up is not in the number of messages" kr_is iterations 1000
	check "$2: the warm-up is not in the throughput" stream_rate
}
WARMUP=200
not_in_throughput v0 bw
not_in_throughput v0 sbw
not_in_throughput v1 rbw

# A warm-up that ends between two signaled operations, of which one in cqmod=16 is. Truth:
# the wire is slow all the time, 1 Mbit/s. A message of 1000 bytes is a frame (see
# tests/calibration/rate.sh), and the measured part takes as many frames as it has messages.
# Tolerance: 3 %, and 100 us for the acknowledgment of a single message. With the warm-up's
# part in it the time would be 16 frames instead of 1, and 110 instead of 100.
#
# A SEND or WRITE of siw completes when TCP's buffer has it, which holds all of the warm-up.

# between_signals IF TEST WARMUP COUNT FRAME
between_signals() {
	_truth=$(($4 * $5 * 8000))
	wire_clear
	wire "$1" tbf rate 1mbit burst 1500 limit 20000000 &&
		pair "" "$2,size=1000,txdepth=64,cqmod=16,warmup=$3,count=$4" && kr_returned ok &&
		kr_is iterations "$4" && val time nsec &&
		near "time nsec" "$VAL" $_truth $((_truth * 3 / 100 + 100000))
	_ret=$?
	[ $_ret = 0 ] || kr_stop
	wire_clear
	return $_ret
}

case $TYPE in
rxe) frames='v0,bw,1074 v0,sbw,1058 v1,rbw,1062' ;;
siw) frames='v1,rbw,1086' ;;
esac
for frame in $frames; do
	end=${frame%%,*}
	test=${frame#*,}
	test=${test%,*}
	for count in 15,1 10,100; do
		check "$test,warmup=${count%,*},count=${count#*,}: the time is that of the measured messages, within 3 %" \
			between_signals "$end" "$test" "${count%,*}" "${count#*,}" "${frame##*,}"
	done
done
t_end
