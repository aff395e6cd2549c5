#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A result counts completed operations, not posted ones.
# Requires: one guest whose time counts instructions (scripts/vm --exact)
# Duration: 12 s on rxe, 5 s on siw
#
# Truth: a policer passes the client's packets of the first K of N operations and drops all later packets,
# so that exactly K operations complete. The burst of the policer, the bytes that it passes at once, is as
# large as these packets.
#
# Tolerance: none. The burst is larger by a quarter of a packet, and the rate of the policer permits 50 more
# bytes per second. Within the client's timeout of 600 ms, both are together less than one packet.

# shellcheck source=wire.inc
. "${0%/*}/wire.inc"

K=50
N=1000

# cut TEST PACKETS OPTIONS: check that a client times out if the wire passes its first PACKETS packets and
# drops the later ones
cut() {
	packet_of "$1"
	_frame=$((LENGTH + 14))
	# the fewest bands that the kernel accepts
	bands 2 || return 1
	choose 1 1 police rate 400bit burst $((_frame * $2 + _frame / 4)) conform-exceed drop/ok ||
		return 1
	pair_port=$((pair_port + 1))
	kr_bg server "server,addr=$ADDR,port=$pair_port,timeout=3000" || return 1
	kr "client,addr=$ADDR,port=$pair_port,timeout=600,size=64,count=$N,$3"
	_ret=$?
	wire_clear
	[ $_ret != 0 ] || why "the client succeeds" || return 1
	kr_returned ETIMEDOUT
}

# posted OP WANT: check that the counters have WANT posted operations of the kind OP
posted() {
	val counters "$1_msgs" && eq "$VAL" "$2" "number of messages posted"
}

# latency NAME TEST OP: check a test that has one operation in flight, of the kind OP (send or read). ping
# has two SENDs of the client in an iteration.
latency() {
	_packets=$K _ops=$((K + 1))
	[ "$1" != ping ] || {
		_packets=$((2 * K))
		_ops=$((2 * K + 1))
	}
	check "$1: the wire drops packets after $K of $N operations: ETIMEDOUT" cut "$1" $_packets "$2,histogram" || return
	check "$1: the iterations are the $K completed operations" kr_is iterations $K
	check "$1: the counters have all posted operations" posted "$3" $_ops
	between 0 1000000000000
	check "$1: the histogram has the $K completed operations" eq "$BETWEEN" $K "number of latencies"
	check "$1: the time ends with the last completed operation" time_is_theirs
}

# time_is_theirs: check that the time of the completed operations does not include the wait for the timeout
time_is_theirs() {
	val time nsec || return 1
	[ "$VAL" -lt 300000000 ] || why "time nsec=$VAL includes the 600 ms of the timeout"
}

# bytes_are WANT: check that throughput * time is WANT bytes, within 64
bytes_are() {
	val time nsec || return 1
	_nsec=$VAL
	val throughput bytes_per_sec || return 1
	near "bytes_per_sec * time" $((VAL * (_nsec / 1000) / 1000000)) "$1" 64
}

# stream TEST OP CQMOD: check a test with $DEPTH operations of the kind OP in flight. Every CQMODth operation
# is signaled, and its completion also completes the operations before it.
stream() {
	_done=$((K - K % $3))
	check "$1,cqmod=$3: the wire drops packets after $K of $N operations: ETIMEDOUT" \
		cut "$1" $K "$1,txdepth=$DEPTH,batch=1,cqmod=$3" || return
	check "$1,cqmod=$3: the iterations are the $_done completed operations" kr_is iterations $_done
	check "$1,cqmod=$3: the throughput is that of $_done operations" bytes_are $((_done * 64))
	check "$1,cqmod=$3: the counters have all posted operations" posted "$2" $((_done + DEPTH))
	check "$1,cqmod=$3: the time ends with the last completed operation" time_is_theirs
}

latency slat slat send
latency rlat rlat read
latency ping mem_mode=dma send
case $TYPE in
rxe)
	DEPTH=32
	for cqmod in 1 16; do
		stream rbw read $cqmod
		stream bw write $cqmod
		stream sbw send $cqmod
	done
	;;
siw)
	# Use one operation in flight, because TCP may put several requests into a packet. Do not test
	# WRITE or SEND, which complete when TCP has accepted the data, before they cross the wire.
	DEPTH=1
	stream rbw read 1
	;;
esac
t_end
