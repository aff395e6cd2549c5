#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The time that a test takes beside its iterations: connecting its QPs,
#   draining them and freeing them.
# Requires: one guest whose time counts instructions (scripts/vm --exact)
# Duration: 6 s on rxe, 1 s on siw
#
# Truth: nothing of it waits for a fixed time. ib_drain_qp() on a CQ that is polled waits
# 0.2 s for each QP unless somebody polls meanwhile, and a normal RCU grace period takes 10
# to 30 ms for each CQ.
#
# Tolerance: with poll half as much again as without, and 10 ms for a test of two
# iterations. The wait that must not be there is many times that.

# shellcheck source=wire.inc
. "${0%/*}/wire.inc"

QPS=256

# hundredths: NOW is the uptime in 1/100 s
hundredths() {
	read -r NOW _ </proc/uptime
	NOW=${NOW%.*}${NOW#*.}
}

# takes OPTIONS: TOOK is the duration of a client's write
takes() {
	hundredths
	_from=$NOW
	kr "client,addr=$ADDR,port=$pair_port,timeout=60000,$1" || why "$1: $KR_DETAIL" || return 1
	hundredths
	TOOK=$((NOW - _from))
}

serve() {
	pair_port=$((pair_port + 1))
	kr_bg server "server,addr=$ADDR,port=$pair_port,clients=0,timeout=60000"
}

polled() {
	_many=bw,count=10,txdepth=4,qps=$QPS
	serve && takes "$_many" && takes "$_many" || return 1
	_without=$TOOK
	takes "$_many,poll" || return 1
	kr_stop
	diag "$QPS QPs: $_without/100 s, with poll $TOOK/100 s"
	[ "$TOOK" -le $((_without * 3 / 2)) ] ||
		why "it takes $TOOK/100 s with poll, and $_without/100 s without"
}

# short OPTIONS
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

_desc="$QPS QPs end with poll in 1.5 times the time without"
known_fault rxe 5.10 "$_desc" \
	"the connection manager rejects one of many connections as a stale one" ||
	check "$_desc" polled
for options in '' ,cq=workqueue ,poll; do
	check "count=2$options: a test of two iterations takes less than 10 ms, teardown included" \
		short "$options"
done

# There are 16 connect slots, and each thread that is connected releases its slot. If only the
# timer released slots, after 5 s, 80 threads would take 20 s.
admitted() {
	serve && takes slat,count=2,threads=80 || return 1
	kr_stop
	diag "80 threads take $TOOK/100 s"
	[ "$TOOK" -lt 500 ] || why "80 threads take $TOOK/100 s"
}
check "80 threads connect without waiting for a turn of 5 s to end" admitted
t_end
