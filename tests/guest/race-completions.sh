#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Completions are delayed. No CQ is freed while its handler re-arms the CQ. A full send
#   queue is no error. A test handles a message although the disconnect event comes first.
# Requires: one guest, tests/kmod/krping_delay.ko
# Duration: 12 s on rxe, 30 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# lib-peer.sh runs krping against krping-peer, a program that breaks the protocol on request (--fault).
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"
# shellcheck source=delay.inc
. "${0%/*}/delay.inc"

#
# The last completion ends the test, and its handler then re-arms the CQ. The CQ must exist
# until the handler has returned. Both sides create and destroy a CQ per client.
#

NR=200

# clients N OPTIONS: run N tests, one after the other, with one server
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
check_within 900 "no CQ is freed while its handler re-arms it, in $NR tests of 2 iterations" \
	delayed $NR "$rearm context=softirq" clients $NR count=2
for options in slat,count=2 bw,count=2,qps=4 sbw,count=2,srq; do
	check_within 300 "no CQ is freed while its handler re-arms it, in 20 tests of $options" \
		delayed 20 "$rearm context=softirq" clients 20 $options
done
# With poll there is nothing to check: a polled CQ is never re-armed.
check_within 300 "no CQ is freed while a workqueue re-arms it, in 20 tests" \
	delayed 20 "$rearm context=process comm=kworker" clients 20 count=2,cq=workqueue

#
# A test that polls memory for arrivals continues while its send completions are delayed, as
# on a device that moderates interrupts. A full send queue is backpressure, not an error. With
# return=VALUE krping_delay does not spin: for usec, the function does nothing and returns VALUE.
# arg2 is the second argument of ib_poll_handler(), the budget. If ib_poll_handler() returns its budget,
# the kernel polls the CQ again later.
#

# late_completions OPTIONS SERVER_OPTIONS COUNT: check that a test with delayed completions succeeds
late_completions() {
	pair "$2" "$1,count=$3" && kr_returned ok && kr_is iterations "$3" &&
		kr_ended server ok
}

for usec in 1000 10000; do
	ms=$((usec / 1000))
	check "wlat,poll: the test waits for completions that are $ms ms late" \
		delayed 10 "ib_process_cq_direct usec=$usec return=0" late_completions wlat,poll poll 400
	for type in wlat slat; do
		check "$type: the test waits for completions that are $ms ms late" \
			delayed 10 "ib_poll_handler usec=$usec return=arg2" late_completions $type '' 100
	done
done

# A peer sends an invalid message and disconnects. The completion of the message arrives after
# the disconnect event, but the test must report the invalid message.
invalid_and_gone() {
	peer_server p --fault length=15 --leave || return 1
	kr "client,addr=$ADDR,port=$port,$PATIENT,count=3"
	peer_ended p && failed_for client EPROTO '15 bytes'
}
check "a test reports an invalid message whose completion comes after the disconnect" \
	delayed 1 "ib_poll_handler usec=100000 return=arg2" invalid_and_gone

rmmod krping_delay
t_end
