#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The time and the outcome of a test are right even if a thread is delayed: a server's
#   thread, one of a client's two threads, or a thread that is stopped or fails.
# Requires: one guest, tests/kmod/krping_delay.ko
# Duration: 10 s on rxe, 15 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# lib-peer.sh runs krping against krping-peer, a program that breaks the protocol on request (--fault).
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"
# shellcheck source=delay.inc
. "${0%/*}/delay.inc"

#
# A client may end before the server's thread has returned from rdma_accept().
#

# late_server FUNCTION OPTIONS: delay the server's thread by 20 ms at FUNCTION. The server's result
# and the server's report to the client must have the same time.
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
	# a server whose time is 0 has no line "time"
	[ "$_reported" != 0 ] || _reported=
	case $KR_OUT in
	*" time nsec="*) _time=${KR_OUT#*" time nsec="} ;;
	*) _time= ;;
	esac
	eq "${_time%% *}" "$_reported" "the server's time" || return 1
	kr_val messages_per_sec
	rate_fits
}

# rate_fits: if c_rate=yes, check that the server's messages_per_sec is the number of its iterations
# divided by its time, except for rounding
rate_fits() {
	case $c_rate in
	yes) ;;
	*) return 0 ;;
	esac
	_rate=${KR_VAL:-0}
	kr_val iterations
	# A quick client ends the test before the server's first signaled operation completes.
	if [ "$KR_VAL" = 0 ]; then
		eq "$_time$_rate" 0 "time and rate of a server without operations"
		return
	fi
	_want=$((KR_VAL * 1000000000 / ${_time%% *}))
	if [ "$_rate" -gt $((_want + 1)) ] || [ "$_rate" -lt $((_want - 1)) ]; then
		why "messages_per_sec of the server is $_rate instead of $_want"
	fi
}

for options in count=5 slat,count=20 bw,count=50 rbw,count=50 sbw,count=50 bw,imm,count=50 bw,duplex,count=50; do
	case $options in
	*imm*) [ "$TYPE" != siw ] || continue ;;
	esac
	# In these tests the server's result has a throughput.
	case $options in
	sbw* | *imm* | *duplex*) c_rate=yes ;;
	*) c_rate=no ;;
	esac
	check "$options: the time of a server that is delayed by 20 ms covers the whole test" \
		delayed 1 '' late_server krping_thread_loop $options
done
# krping_clock_read() reads the clock's name immediately before the server records its start time.
c_rate=yes
check "sbw,count=50: a server records its start time before it accepts its client" \
	delayed 1 '' late_server krping_clock_read sbw,count=50

#
# A stop with id= returns only after the test has ended.
#

# stop_waits: stop a server whose thread is delayed at the start of its teardown, and check that no test
# is left when the write of the stop returns
stop_waits() {
	pair_port=$((pair_port + 1))
	kr_bg listener "server,addr=$ADDR,port=$pair_port,timeout=0" || return 1
	kr_val id
	delay "krping_thread_teardown usec=100000 context=process comm=krping/$KR_VAL" || return 1
	kr "stop,id=$KR_VAL" && kr_returned ok && kr_none
}
check "stop,id= returns when the test has ended, even if teardown takes 100 ms" \
	delayed 1 '' stop_waits

#
# The time of a test lasts until all its threads have ended, whichever ends last.
#

# first_thread_late: delay the first of a client's two threads by 100 ms, and check that the time of the
# test is longer than 50 ms. There are three attempts, because the second thread may end later on a
# busy machine.
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
	until_ok 60 kr_runs client || return 1
	delay "krping_status_stop usec=100000 context=process" || return 1
	kr stop && kr_returned ok && kr_ended client ECANCELED && kr_all_ended server ok ECANCELED
}
check "stop ends a client before its server, even 100 ms apart" \
	delayed 2 '' stop_of_both

# stop_and_failure: stop a client whose SEND fails, because the server has no RECV. The SEND's completion is
# delayed by a second, so that stop usually reaches the client first, also on a busy machine. The exit status of
# the server does not matter.
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
	check "stop is the outcome of a client whose connection fails during the stop" \
		delayed 1 "ib_poll_handler usec=1000000 return=arg2" stop_and_failure
else
	skip "stop is the outcome of a client whose connection fails during the stop" \
		'iWARP has no RNR retries'
fi

check "krping_delay can be unloaded" rmmod krping_delay
t_end
