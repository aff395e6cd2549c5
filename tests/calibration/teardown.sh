#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Connecting, draining and freeing the QPs of a test never sleep for a fixed time.
# Requires: one guest whose clock advances with instructions (scripts/vm --exact)
# Duration: 6 s on rxe, 1 s on siw
#
# Truth: set-up and teardown have no fixed waits. Two waits are possible faults. The drain of a CQ with
# IB_POLL_DIRECT that no task polls ends only after its limit of 15 s. A normal RCU grace period, instead
# of an expedited one, takes 10 to 30 ms for each CQ.
#
# Tolerance: a test with poll may take up to 1.5 times as long as the same test without poll. Tests of two
# iterations may take up to 10 ms on average. With the waits above, tests take many times longer.

# shellcheck source=wire.inc
. "${0%/*}/wire.inc"

QPS=256

# hundredths: set NOW to the uptime in 1/100 s
hundredths() {
	read -r NOW _ </proc/uptime
	NOW=${NOW%.*}${NOW#*.}
}

# takes OPTIONS: run a client, and set TOOK to the duration of its write(2), in 1/100 s
takes() {
	hundredths
	_from=$NOW
	kr "client,addr=$ADDR,port=$pair_port,timeout=60000,$1" || why "$1: $KR_DETAIL" || return 1
	hundredths
	TOOK=$((NOW - _from))
}

# serve: start a server for any number of clients, on a new port
serve() {
	pair_port=$((pair_port + 1))
	kr_bg server "server,addr=$ADDR,port=$pair_port,clients=0,timeout=60000"
}

# polled: check that a test of QPS QPs takes at most 1.5 times as long with poll as without
polled() {
	_many=bw,count=10,txdepth=4,qps=$QPS
	serve && takes "$_many" && takes "$_many" || return 1
	_without=$TOOK
	takes "$_many,poll" || return 1
	kr_stop
	diag "$QPS QPs: $_without/100 s, with poll $TOOK/100 s"
	[ "$TOOK" -le $((_without * 3 / 2)) ] ||
		why "the test takes $TOOK/100 s with poll, and $_without/100 s without"
}

# short OPTIONS: check that 50 tests of two iterations take at most 10 ms on average
short() {
	_left=50 _sum=0
	serve && takes count=2 || return 1
	while [ $_left -gt 0 ]; do
		takes "count=2$1" || return 1
		_sum=$((_sum + TOOK))
		_left=$((_left - 1))
	done
	kr_stop
	diag "a test of two iterations takes $((_sum * 200)) us"
	[ $_sum -le 50 ] || why "50 tests take $_sum/100 s"
}

_desc="bw,qps=$QPS takes at most 1.5 times as long with poll as without poll"
known_fault rxe 5.10 "$_desc" \
	"the connection manager rejects one of many connections as stale" ||
	check "$_desc" polled
for options in '' ,cq=workqueue ,poll; do
	check "count=2$options: ping tests take at most 10 ms on average, with set-up and teardown" \
		short "$options"
done

# admitted: check that a test whose 80 threads connect takes less than 5 s. At most 16 threads connect at a
# time. A thread makes room for the next one when it has connected, at the latest after 5 s. If threads
# made room only after 5 s, 80 threads would take 20 s.
admitted() {
	serve && takes slat,count=2,threads=80 || return 1
	kr_stop
	diag "80 threads take $TOOK/100 s"
	[ "$TOOK" -lt 500 ] || why "80 threads take $TOOK/100 s"
}
check "80 threads connect without waiting for the timer that makes room for the next 16" admitted
t_end
