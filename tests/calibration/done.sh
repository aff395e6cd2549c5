#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A result counts operations that are done, and not those that were only
#   posted.
# Requires: one guest whose time counts instructions (scripts/vm --exact)
# Duration: 12 s on rxe, 5 s on siw
#
# Truth: after K of N operations no more of the client's get through, and so no more are
# done. A policer lets as many bytes pass as K of their packets have.
#
# Tolerance: none. The policer begins with a quarter of a packet to spare and earns 50 bytes a
# second: less than one more packet, before the client's timeout of 600 ms is over.

# shellcheck source=wire.inc
. "${0%/*}/wire.inc"

K=50
N=1000

# cut TEST PACKETS OPTIONS: run a client of which so many packets pass the wire
cut() {
	packet_of "$1"
	_frame=$((LENGTH + 14))
	bands 1 2>/dev/null || bands 2 || return 1
	choose 1 1 police rate 400bit burst $((_frame * $2 + _frame / 4)) conform-exceed drop/ok ||
		return 1
	pair_port=$((pair_port + 1))
	kr_bg server "server,addr=$ADDR,port=$pair_port,timeout=3000" || return 1
	kr "client,addr=$ADDR,port=$pair_port,timeout=600,size=64,count=$N,$3"
	_ret=$?
	wire_clear
	[ $_ret != 0 ] || why "the client has not noticed" || return 1
	kr_returned ETIMEDOUT
}

# posted OP WANT
posted() {
	val counters "$1_msgs" && eq "$VAL" "$2" "number of messages posted"
}

# latency NAME TEST OP: a test with one operation in flight
latency() {
	_packets=$K _ops=$((K + 1))
	[ "$1" != ping ] || {
		_packets=$((2 * K))
		_ops=$((2 * K + 1))
	}
	check "$1: nothing gets through after $K of $N operations" cut "$1" $_packets "$2,histogram" || return
	check "$1: $K are done, and not one that was posted" kr_is iterations $K
	check "$1: what was posted is in the counters" posted "$3" $_ops
	between 0 1000000000000
	check "$1: $K are in the histogram" eq "$BETWEEN" $K "number of latencies"
	check "$1: the time ends with the last one done" time_is_theirs
}

# the silence is not in the time
time_is_theirs() {
	val time nsec || return 1
	[ "$VAL" -lt 300000000 ] || why "time nsec=$VAL has the 600 ms in which nothing was done"
}

# bytes_are WANT: throughput x time
bytes_are() {
	val time nsec || return 1
	_nsec=$VAL
	val throughput bytes_per_sec || return 1
	near "bytes_per_sec x time" $((VAL * (_nsec / 1000) / 1000000)) "$1" 64
}

# stream TEST OP CQMOD: a test with txdepth operations in flight, every CQMODth signaled
stream() {
	_done=$((K - K % $3))
	check "$1,cqmod=$3: nothing gets through after $K of $N operations" \
		cut "$1" $K "$1,txdepth=$DEPTH,batch=1,cqmod=$3" || return
	check "$1,cqmod=$3: $_done are done, and none of those that were only posted" kr_is iterations $_done
	check "$1,cqmod=$3: the throughput is that of $_done" bytes_are $((_done * 64))
	check "$1,cqmod=$3: what was posted is in the counters" posted "$2" $((_done + DEPTH))
	check "$1,cqmod=$3: the time ends with the last one done" time_is_theirs
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
	# TCP may put several requests into a packet if more than one is in flight. A WRITE or
	# SEND completes when TCP has accepted it, which proves nothing about the peer.
	DEPTH=1
	stream rbw read 1
	;;
esac
t_end
