#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A known rate of the wire appears in the throughput.
# Requires: one guest with any device, whose time counts instructions (scripts/vm --exact)
# Duration: 37 s on rxe, 38 s on siw
#
# Truth: tbf limits one direction to R bit/s of whole Ethernet frames. The throughput is R
# times the share of the payload in a frame, which follows from headers and path MTU. Without duplex
# the other direction, which mainly has acknowledgments, has no limit.
#
#   rxe  1024 bytes of payload per packet. Headers: Ethernet 14, IPv4 20, UDP 8, BTH 12,
#        ICRC 4. The first packet of a WRITE also has a RETH of 16; the first and the last
#        packet of a READ response have an AETH of 4.
#   siw  An FPDU has a header with its length (WRITE and READ response 16, SEND 20), a CRC
#        of 4, and as much payload as fits into a TCP segment of 1448 bytes. Each FPDU is
#        sent in a frame of its own: Ethernet 14, IPv4 20, TCP 20, timestamps 12.
#
# Acknowledgments for the other direction bypass the limit: on siw the TCP packets without
# data; on rxe, with duplex only, the packets of BTH opcode 17. (Without duplex, the acknowledgments of
# rxe share the queue, because they must not overtake the response of a READ.)
#
# Tolerance: 3 %. The time begins and ends with a completion, and a completion stands for a group of 16 of
# the 256 messages. If the groups do not complete at equal distances, the error is up to one group. On iWARP
# a completion may precede the transmission of at most 32 KiB, the size of TCP's buffer: two messages of 16 KiB.

# shellcheck source=wire.inc
. "${0%/*}/wire.inc"

# up BYTES UNIT: print how many units of UNIT bytes hold BYTES
up() {
	echo $((($1 + $2 - 1) / $2))
}

case $TYPE in
rxe) ACK='u8 0x11 0xff at 28' ;;
siw) ACK='u16 0 0xffc0 at 2' ;;
esac

# frames TEST SIZE: set FRAMES to the number of bytes in the Ethernet frames of a message of SIZE
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

# bound IF MBIT [duplex]: limit the rate of packets that leave the interface IF, with a queue that holds all
# packets in flight. On siw, and with duplex, acknowledgments bypass the limit.
bound() {
	if [ "$TYPE,${3-}" = rxe, ]; then
		wire "$1" tbf rate "$2mbit" burst 3000 limit 20000000
		return
	fi
	# shellcheck disable=SC2086 # split into words
	wire "$1" handle 1: prio bands 2 priomap 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 &&
		tc qdisc add dev "$1" parent 1:2 tbf rate "$2mbit" burst 3000 limit 20000000 &&
		tc filter add dev "$1" parent 1: protocol ip prio 1 u32 match $ACK flowid 1:1
}

# truth TEST SIZE MBIT: set TRUTH to the bytes of payload per second at this rate
truth() {
	frames "$1" "$2"
	TRUTH=$(($3 * 125000 * $2 / FRAMES))
}

# measure OPTIONS: run a server and a client that succeed
measure() {
	pair "" "$1,warmup=96,count=256" && kr_returned ok
}

# throughput IF TEST SIZE MBIT: run a test whose data leaves the interface IF at this rate, and check its
# throughput
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
		check "bw,size=$size: the throughput is that of $mbit Mbit/s, within 3 %" throughput v0 bw $size $mbit
		check "sbw,size=$size: the throughput is that of $mbit Mbit/s, within 3 %" throughput v0 sbw $size $mbit
		check "rbw,size=$size: the throughput is that of $mbit Mbit/s, within 3 %" throughput v1 rbw $size $mbit
	done
done

# both TEST SIZE MBIT_TO_SERVER MBIT_TO_CLIENT: run a test with duplex, and check the throughput of both
# directions
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
check "bw,duplex: each throughput is that of 10 Mbit/s to the server and 50 to the client, within 3 %" both bw 16384 10 50
check "bw,duplex: each throughput is that of 50 Mbit/s to the server and 10 to the client, within 3 %" both bw 16384 50 10
# Give both directions the same rate: a SEND needs credits, which the SENDs of the other direction carry,
# so a slower direction would slow down the other one.
check "sbw,duplex: each throughput is that of 10 Mbit/s, within 3 %" both sbw 16384 10 10
t_end
