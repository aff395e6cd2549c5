#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Races with a wide window: tests/kmod/krping_delay.c delays a function, so
#   that a race which a fast device loses once in thousands of tests occurs in each test.
# Requires: one guest, tests/kmod/krping_delay.ko
# Duration: 22 s on rxe, 45 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"

DELAY=/sys/kernel/debug/krping_delay

# delay RULE: see krping_delay.c
delay() {
	echo "$1" >$DELAY/add || why "krping_delay does not accept '$1'"
}

# delay_end: remove all rules; DELAY_HITS is the number of delayed calls
delay_end() {
	while IFS= read -r _l; do
		case $_l in
		total*) DELAY_HITS=${_l##*delays=} ;;
		esac
	done <$DELAY/hits
	echo >$DELAY/clear
}

# delayed N RULE COMMAND...: run COMMAND and check that the rule delays at least N calls
delayed() {
	_hits_min=$1
	[ -z "$2" ] || delay "$2" || return 1
	shift 2
	"$@"
	_delayed_rc=$?
	delay_end
	[ $_delayed_rc = 0 ] || return 1
	[ "$DELAY_HITS" -ge "$_hits_min" ] || why "only $DELAY_HITS calls were delayed"
}

[ -e $DELAY ] || insmod /lib/modules/extra/krping_delay.ko

#
# A completion handler re-arms its CQ after the last completion, which ends the test: the CQ
# must exist until the handler has returned. One server serves all clients, so both sides
# create and destroy CQs.
#

NR=200

# clients N OPTIONS: N tests, one after the other
clients() {
	pair_port=$((pair_port + 1))
	kr_bg crowd "server,addr=$ADDR,port=$pair_port,clients=0,$PATIENT" || return 1
	_left=$1
	while [ "$_left" -gt 0 ]; do
		kr "client,addr=$ADDR,port=$pair_port,$PATIENT,$2" || break
		_left=$((_left - 1))
	done
	kr_stop
	eq "$_left" 0 "number of tests left when '$2' failed: $KR_DETAIL;"
}

rearm="${TYPE}_req_notify_cq usec=3000"
check_within 300 "no CQ is freed while its handler re-arms it, in $NR tests of 2 iterations" \
	delayed $NR "$rearm context=softirq" clients $NR count=2
for options in slat,count=2 bw,count=2,qps=4 sbw,count=2,srq; do
	check "no CQ is freed while its handler re-arms it, in 20 tests of $options" \
		delayed 20 "$rearm context=softirq" clients 20 $options
done
# A polled CQ is never re-armed.
check "no CQ is freed while a workqueue re-arms it, in 20 tests" \
	delayed 20 "$rearm context=process comm=kworker" clients 20 count=2,cq=workqueue

#
# A test that polls memory for arrivals continues while its send completions are delayed, as
# on a device that moderates interrupts. A full send queue is backpressure, not an error.
#

# held OPTIONS SERVER_OPTIONS COUNT: a test with delayed completions ends without an error
held() {
	pair "$2" "$1,count=$3" && kr_returned ok && kr_is iterations "$3" &&
		kr_ended server ok
}

for usec in 1000 10000; do
	ms=$((usec / 1000))
	check "wlat,poll: the test waits for completions that are $ms ms late" \
		delayed 10 "ib_process_cq_direct usec=$usec return=0" held wlat,poll poll 400
	for type in wlat slat; do
		check "$type: the test waits for completions that are $ms ms late" \
			delayed 10 "ib_poll_handler usec=$usec return=arg2" held $type '' 100
	done
done

# A peer sends a wrong message and disconnects. The completion of that message arrives after
# the disconnect event, but the wrong message is the error that the test must report.
wrong_and_gone() {
	peer_server p --fault length=15 --leave || return 1
	kr "client,addr=$ADDR,port=$port,$PATIENT,count=3"
	peer_ended p && failed_for client EPROTO '15 bytes'
}
check "a test reports a wrong message, though its completion comes behind the disconnect" \
	delayed 1 "ib_poll_handler usec=100000 return=arg2" wrong_and_gone

#
# A client may end before the server's thread has returned from rdma_accept().
#

# late_server FUNCTION OPTIONS: FUNCTION delays the server's thread by 20 ms. The server's time
# is the same in its result and in its report.
late_server() {
	_function=$1
	shift
	pair_port=$((pair_port + 1))
	kr_bg server "server,addr=$ADDR,port=$pair_port,$PATIENT" || return 1
	kr_val id
	delay "$_function usec=20000 context=process comm=krping/$KR_VAL" &&
		kr "client,addr=$ADDR,port=$pair_port,$PATIENT,$1" && kr_returned ok ||
		return 1
	_reported=${KR_OUT#*" peer_time nsec="}
	_reported=${_reported%% *}
	kr_ended server ok || return 1
	[ "$_reported" != 0 ] || _reported=
	case $KR_OUT in
	*" time nsec="*) _time=${KR_OUT#*" time nsec="} ;;
	*) _time= ;;
	esac
	eq "${_time%% *}" "$_reported" "the server's time" || return 1
	kr_val messages_per_sec
	rate_fits
}

# rate_fits: messages per second x time = messages, apart from rounding
rate_fits() {
	case $c_rate in
	yes) ;;
	*) return 0 ;;
	esac
	_rate=${KR_VAL:-0}
	kr_val iterations
	# A quick client ends the test before the server's first signaled operation completes.
	if [ "$KR_VAL" = 0 ]; then
		eq "$_time$_rate" 0 "time and rate of a server that has done nothing"
		return
	fi
	_want=$((KR_VAL * 1000000000 / ${_time%% *}))
	if [ "$_rate" -gt $((_want + 1)) ] || [ "$_rate" -lt $((_want - 1)) ]; then
		why "the server has $_rate messages per second instead of $_want"
	fi
}

for options in count=5 slat,count=20 bw,count=50 rbw,count=50 sbw,count=50 bw,imm,count=50 bw,duplex,count=50; do
	case $options in
	*imm*) [ "$TYPE" != siw ] || continue ;;
	esac
	case $options in
	sbw* | *imm* | *duplex*) c_rate=yes ;;
	*) c_rate=no ;;
	esac
	check "$options: a server that is 20 ms late has the time of the whole test" \
		delayed 1 '' late_server krping_thread_loop $options
done
# The server reads the clock's name just before it starts its time.
c_rate=yes
check "sbw,count=50: a server starts its time before it accepts its client" \
	delayed 1 '' late_server krping_clock_read sbw,count=50

#
# stop with id returns only after the test has ended.
#

# stop_waits: the test's thread is delayed at the start of its teardown
stop_waits() {
	pair_port=$((pair_port + 1))
	kr_bg listener "server,addr=$ADDR,port=$pair_port,timeout=0" || return 1
	kr_val id
	delay "krping_thread_teardown usec=100000 context=process comm=krping/$KR_VAL" || return 1
	kr "stop,id=$KR_VAL" && kr_returned ok && kr_none
}
check "stop,id= returns when the test has ended, though its end takes 100 ms" \
	delayed 1 '' stop_waits

#
# The time of a test lasts until all its threads have ended, in whatever order.
#

# first_thread_late: delay the first of two threads by 100 ms. The second thread ends before,
# except on a busy machine.
first_thread_late() {
	for _try in 1 2 3; do
		pair_port=$((pair_port + 1))
		kr_bg server "server,addr=$ADDR,port=$pair_port,clients=1,$PATIENT" || return 1
		kr_val id
		_client=$((KR_VAL + 1))
		delay "krping_thread_loop usec=100000 context=process task=krping/$_client" || return 1
		kr "client,addr=$ADDR,port=$pair_port,$PATIENT,rlat,threads=2,cpu=0:1,count=5" &&
			kr_returned ok && kr_is id $_client || return 1
		echo >$DELAY/clear
		_time=${KR_OUT#*" time nsec="}
		_time=${_time%% *}
		kr_ended server ok || return 1
		[ "$_time" -lt 50000000 ] || return 0
	done
	why "the time is $_time ns, and the first thread alone took 100 ms"
}
if [ "$TYPE" = rxe ]; then
	check "threads=2: the time lasts until the first thread has ended, if that is the last" \
		first_thread_late
else
	skip "threads=2: the time lasts until the first thread has ended, if that is the last" \
		'siw transmits in the context of one thread for both, so that they end together'
fi

#
# stop stops clients before servers, so that a client can end its connection in order.
#

stop_of_both() {
	pair_port=$((pair_port + 1))
	kr_bg server "server,addr=$ADDR,port=$pair_port,$PATIENT" || return 1
	kr_bg client "client,addr=$ADDR,port=$pair_port,$PATIENT" || return 1
	until_ok 20 kr_runs client || return 1
	delay "krping_status_stop usec=100000 context=process" || return 1
	kr stop && kr_returned ok && kr_ended client ECANCELED && kr_all_ended server ok ECANCELED
}
check "stop ends a client before its server, though 100 ms pass between the two" \
	delayed 2 '' stop_of_both

# A SEND fails because the server has no RECV. Its completion is delayed by 100 ms, so that
# stop usually reaches the client before the completion.
stop_and_failure() {
	for _try in 1 2 3 4 5 6 7 8 9 10; do
		peer_server p --posts 0 --rnr-retry 0 || return 1
		kr_bg client "client,addr=$ADDR,port=$port,$PATIENT" || return 1
		kr stop
		kr_wait client && peer_ended p 0/1 || return 1
		kr_errno
		[ "$KR_ERRNO" != ECANCELED ] || return 0
	done
	kr_returned ECANCELED
}
if [ "$TYPE" = rxe ]; then
	check "a client is stopped, though its connection fails before it has ended" \
		delayed 1 "ib_poll_handler usec=100000 return=arg2" stop_and_failure
else
	skip "a client is stopped, though its connection fails before it has ended" \
		'iWARP has no RNR retries'
fi

check "krping_delay can be unloaded" rmmod krping_delay
t_end
