#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The operations of the warm-up count in the result's line "counters", but not in
#   iterations, time, latencies or throughput.
# Requires: one guest with any device, whose time counts instructions (scripts/vm --exact)
# Duration: 16 s on rxe, 12 s on siw
#
# Truth: when a test starts, the wire is slow: 20 ms of delay, or 1 Mbit/s. Half a second later,
# while the warm-up still runs, the wire becomes fast. So all measured operations are fast, and
# a slow one in the result belongs to the warm-up.
#
# Tolerance: a fast operation takes 0.1 ms, seldom 1.2 ms, and a slow one at least 10 ms, so any limit
# between 2 and 10 ms separates them. The throughput of the slow wire is a tenth of the fast one's.

# shellcheck source=wire.inc
. "${0%/*}/wire.inc"

WARMUP=50
COUNT=100

# slow_then_fast OPTIONS COMMAND...: run a test on the slow wire, and run COMMAND, which makes the
# wire fast, during the warm-up
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

# latency OPTIONS: run a latency test that starts with a delay of 20 ms
latency() {
	wire_clear
	wire v0 netem delay 20ms limit 1000 &&
		slow_then_fast "$1,count=$COUNT,histogram" tc qdisc change dev v0 root netem delay 0ms limit 1000
	_ret=$?
	# end a failed test, whose packets would disturb the next one
	[ $_ret = 0 ] || kr_stop
	wire_clear
	return $_ret
}

# below LINE KEY NSEC: check that KEY in the line of the result that begins with LINE is below NSEC
below() {
	val "$1" "$2" || return 1
	[ "$VAL" -lt "$3" ] || why "$1 $2=$VAL is not below $3"
}

# server_saw_it: check that the server's time includes the slow warm-up. The server does not know which
# operations are the warm-up.
server_saw_it() {
	val peer_time nsec || return 1
	[ "$VAL" -ge 400000000 ] || why "the server's time is $VAL ns, without the warm-up"
}

# not_in_latency TEST [one]: make the checks of a latency test. With "one", do not check the server, which
# measures no time in this test.
not_in_latency() {
	check "$1 with a slow wire during the warm-up succeeds" latency "$1" || return
	check "$1: the warm-up is not in the number of iterations" kr_is iterations $COUNT
	check "$1: the warm-up is not in the time" below time nsec $((COUNT * 1000000))
	check "$1: the warm-up is not in the maximum" below latency_nsec max 5000000
	check "$1: the warm-up is not in the mean" below latency_nsec mean 1000000
	between 0 5000000
	check "$1: the warm-up is not in the histogram" eq "$BETWEEN" $COUNT "number of latencies below 5 ms"
	[ "$2" = one ] ||
		check "$1: the warm-up is in the server's time" server_saw_it
}
not_in_latency slat
not_in_latency "$WLAT"
not_in_latency rlat one
not_in_latency mem_mode=dma

# stream IF TEST: run a throughput test. The interface IF, which sends the data, has a rate of 1 Mbit/s
# until a part of the warm-up is over, then 10 Mbit/s. Each message is one packet.
stream() {
	wire_clear
	wire "$1" tbf rate 1mbit burst 3000 limit 20000000 &&
		slow_then_fast "$2,size=1000,count=1000,cqmod=1,batch=1,txdepth=8" \
			tc qdisc change dev "$1" root tbf rate 10mbit burst 3000 limit 20000000
	_ret=$?
	# end a failed test, whose packets would disturb the next one
	[ $_ret = 0 ] || kr_stop
	wire_clear
	return $_ret
}

# stream_rate: check that the throughput is that of 10 Mbit/s. A packet has 1000 bytes of
# payload and up to 100 bytes of headers.
stream_rate() {
	val throughput bytes_per_sec || return 1
	if [ "$VAL" -lt 1100000 ] || [ "$VAL" -gt 1250000 ]; then
		why "bytes_per_sec is $VAL instead of 1100000 to 1250000"
	fi
}

# not_in_throughput IF TEST: check a throughput test whose data the interface IF sends
not_in_throughput() {
	check "$2 with a slow wire during the warm-up succeeds" stream "$1" "$2" || return
	check "$2: the warm-up is not in the number of messages" kr_is iterations 1000
	check "$2: the warm-up is not in the throughput" stream_rate
}
WARMUP=200
not_in_throughput v0 bw
not_in_throughput v0 sbw
not_in_throughput v1 rbw

# With cqmod=16 only every 16th operation is signaled, so a warm-up may end between two signaled
# operations. Also in this case the time must start with the first measured operation.
#
# Truth: the wire has 1 Mbit/s during the whole test. A message of 1000 bytes is one frame (see
# tests/calibration/rate.sh). So the true time is the number of measured messages, multiplied by
# the time of a frame.
#
# Tolerance: 3 %, and 100 us for the acknowledgment of a single message. If the warm-up were
# measured, the time would be that of 16 frames instead of 1, or of 110 instead of 100.
#
# On siw only rbw is checked, because siw completes a SEND or WRITE when TCP has buffered the data, and
# TCP's buffer holds all data of the warm-up.

# between_signals IF TEST WARMUP COUNT FRAME: check the time of a test with these numbers of operations.
# The interface IF sends each message as a frame of FRAME bytes.
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

# words IF,TEST,FRAME for between_signals
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
