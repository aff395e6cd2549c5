#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A known rate of the wire appears in the throughput.
# Requires: one guest whose time counts instructions (scripts/vm --exact)
# Duration: 37 s on rxe, 38 s on siw
#
# Truth: tbf lets R bit/s of whole Ethernet frames pass in one direction. The throughput is
# the share of a frame that is payload, which packet headers and the path MTU determine.
# What flows the other way, acknowledgments above all, is not bounded.
#
#   rxe  1024 bytes of payload a packet. Each has Ethernet 14, IPv4 20, UDP 8, BTH 12,
#        ICRC 4. A WRITE's first packet also has a RETH of 16, a READ response's first and
#        last an AETH of 4.
#   siw  An FPDU has a header with its length (WRITE and READ response 16, SEND 20), a CRC
#        of 4, and at most as much payload as makes it a segment of TCP of 1448 bytes. Each
#        is sent in a frame of its own: Ethernet 14, IPv4 20, TCP 20, timestamps 12.
#
# Acknowledgments of what flows the other way pass by the bound: on siw the packets of TCP
# without data; on rxe, with duplex only, those of BTH opcode 17. (An acknowledgment of rxe
# must not overtake the response of a READ.)
#
# Tolerance: 3 %. An end of the measurement may be off by one signaled group, 16 messages of
# 256, if completions do not come in groups of equal distance; on iWARP, by the 32 KiB of
# TCP's buffer, two messages of 16 KiB.

# shellcheck source=wire.inc
. "${0%/*}/wire.inc"

up() {
	echo $((($1 + $2 - 1) / $2))
}

case $TYPE in
rxe) ACK='u8 0x11 0xff at 28' ;;
siw) ACK='u16 0 0xffc0 at 2' ;;
esac

# frames TEST SIZE: FRAMES is the number of bytes that a message of SIZE has on the wire
frames() {
	_n=$(up "$2" 1024)
	case $TYPE,$1 in
	rxe,bw) FRAMES=$(($2 + _n * 58 + 16)) ;;
	rxe,sbw) FRAMES=$(($2 + _n * 58)) ;;
	rxe,rbw)
		FRAMES=$(($2 + _n * 58 + 8))
		[ "$_n" != 1 ] || FRAMES=$((FRAMES - 4))
		;;
	siw,sbw) FRAMES=$(($2 + $(up "$2" 1424) * 90)) ;;
	siw,*) FRAMES=$(($2 + $(up "$2" 1428) * 86)) ;;
	esac
}

# bound IF MBIT [duplex]: limit the rate, with a queue for all packets in flight
bound() {
	if [ "$TYPE,${3-}" = rxe, ]; then
		wire "$1" tbf rate "$2mbit" burst 3000 limit 20000000
		return
	fi
	# shellcheck disable=SC2086 # the words of a match
	wire "$1" handle 1: prio bands 2 priomap 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 &&
		tc qdisc add dev "$1" parent 1:2 tbf rate "$2mbit" burst 3000 limit 20000000 &&
		tc filter add dev "$1" parent 1: protocol ip prio 1 u32 match $ACK flowid 1:1
}

# truth TEST SIZE MBIT: TRUTH is the payload's bytes per second
truth() {
	frames "$1" "$2"
	TRUTH=$(($3 * 125000 * $2 / FRAMES))
}

measure() {
	pair "" "$1,warmup=96,count=256" && kr_returned ok
}

# throughput IF TEST SIZE MBIT
throughput() {
	wire_clear
	bound "$1" "$4" && measure "$2,size=$3" && val throughput bytes_per_sec || return 1
	wire_clear
	truth "$2" "$3" "$4"
	diag "$VAL bytes/s instead of $TRUTH"
	near_percent bytes_per_sec "$VAL" $TRUTH 3 || return 1
	_bytes=$VAL
	val throughput messages_per_sec &&
		near_percent messages_per_sec "$VAL" $((TRUTH / $3)) 3
}

for mbit in 10 50; do
	for size in 256 16384; do
		check "bw: $mbit Mbit/s and messages of $size bytes, within 3 %" throughput v0 bw $size $mbit
		check "sbw: $mbit Mbit/s and messages of $size bytes, within 3 %" throughput v0 sbw $size $mbit
		check "rbw: $mbit Mbit/s and messages of $size bytes, within 3 %" throughput v1 rbw $size $mbit
	done
done

# both TEST SIZE MBIT MBIT: to the server and to the client
both() {
	wire_clear
	bound v0 "$3" duplex && bound v1 "$4" duplex && measure "$1,duplex,size=$2" || return 1
	wire_clear
	truth "$1" "$2" "$3"
	val throughput bytes_per_sec || return 1
	_own=$VAL
	diag "$_own bytes/s to the server instead of $TRUTH"
	_truth=$TRUTH
	truth "$1" "$2" "$4"
	val peer_throughput bytes_per_sec || return 1
	_peer=$VAL
	diag "$_peer bytes/s to the client instead of $TRUTH"
	near_percent "rate to the server" "$_own" $_truth 3 &&
		near_percent "rate to the client" "$_peer" $TRUTH 3
}
check "bw,duplex: 10 Mbit/s to the server and 50 to the client, each within 3 %" both bw 16384 10 50
check "bw,duplex: 50 Mbit/s to the server and 10 to the client, each within 3 %" both bw 16384 50 10
# A SEND waits for credit, which the peer's own SENDs carry: the slower direction limits both.
check "sbw,duplex: 10 Mbit/s each way, within 3 %" both sbw 16384 10 10
t_end
