#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Options change the WRs that krping posts. A trace of the provider's post
#   function proves the effect, because a result might repeat an option that has no effect.
# Requires: one guest
# Duration: 31 s on rxe, 19 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=trace.inc
. "${0%/*}/trace.inc"
# Functions of trace.inc: `watch` runs and traces a server and a client, `server` and `client` select a side, `seen`
# and `seen_in` check sums of this side's records. `has` does these three steps. trace-sum.inc describes the sums.

# enum ib_wr_opcode
WRITE=op0 WRITE_IMM=op1 SEND=op2 SEND_IMM=op3 READ=op4 CAS=op5 FAA=op6 INV=op7
REG_MR=op32

# Data is longer than any control message, so the length of a SEND shows whether it has data.
SIZE=1000
WATCH_SIZE=$SIZE

case $TYPE in
# A READ of iWARP has one SGE.
siw) READ_SGE=1 ;;
*) READ_SGE=4 ;;
esac

T_AT_END=trace_close
if ! trace_open; then
	trace_close
	skip "trace of the posted WRs" "$T_WHY"
	t_end
	exit
fi

# run OPTIONS [SERVER_OPTIONS]: trace a pair with WATCH_SIZE bytes
run() {
	watch "${2-}" "size=$WATCH_SIZE,$1"
}

#
# Operations and bytes of each test
#

# both_post OPTIONS OPCODE N: check that each side posts N WRs with OPCODE, 10 of them data
both_post() {
	run "$1,count=10" && client && seen wrs 10 "$2" "$3" && server && seen wrs 10 "$2" "$3"
}

# one_posts OPTIONS OPCODE N: check that the client posts N WRs with OPCODE, 10 of them data, and
# that the server posts no data
one_posts() {
	run "$1,count=10" && client && seen wrs 10 "$2" "$3" && server && seen wrs 0
}

# Of 12 SENDs, 10 are data, which their length identifies, and 2 are control messages.
check "wlat: both sides post WRITEs" both_post wlat $WRITE 10
check "slat: both sides post SENDs" both_post slat $SEND 12
check "bw: the client posts WRITEs" one_posts bw,batch=1 $WRITE 10
check "rbw: the client posts READs" one_posts rbw,batch=1 $READ 10
check "sbw: the client posts SENDs" one_posts sbw,batch=1 $SEND 12

check "rlat: the client posts READs" one_posts rlat $READ 10

ping() {
	watch "" count=10,size=64 && server && seen $READ 10 $WRITE 10 && client && seen $READ "" $WRITE ""
}
check "ping: the server posts a READ and a WRITE for each iteration" ping

registers() {
	watch "" fr,count=90,txdepth=8,size=60000 && client &&
		seen $REG_MR 90 $INV 90 mrs 8 wrs 0 && server && seen wrs 0
}
check "fr,txdepth=8: the client registers and invalidates 8 memory regions, and moves no data" registers

# The probability that all of 90 random sizes from 1 to 60000 are above 15000, or all below
# 45000, is 1 in 10^11.
sizes_vary() {
	client && seen maps 90 && seen_in map_min 1 15000 && seen_in map_max 45000 60000
}
check "fr: the sizes are spread over 1 to size" sizes_vary

# counted TEST COUNT WARMUP: check that the client posts COUNT + WARMUP data WRs and counts COUNT
# iterations
counted() {
	run "$1,count=$2,warmup=$3" && client && seen wrs $(($2 + $3)) || return 1
	grep -q " iterations=$2 " "$T_TMP/client.result" || why "$(cat "$T_TMP/client.result")"
}
check "count=23: 23 operations are posted" counted slat 23 0
check "count=23,warmup=9: 32 operations are posted, and 23 measured" counted slat 23 9
check "bw,count=23,warmup=9: 32 operations are posted, and 23 measured" counted bw,batch=1 23 9

# in_buckets N: check that the histogram has N iterations
in_buckets() {
	awk '$1 == "histogram_nsec" { for (i = 2; i <= NF; i++) { sub(/.*=/, "", $i); n += $i } }
		END { print n + 0 }' "$T_TMP/client.result" >"$T_TMP/buckets"
	eq "$(cat "$T_TMP/buckets")" "$1" "number of iterations in the histogram"
}
ping_histogram() {
	watch "" count=37,warmup=5,histogram && in_buckets 37 && watch "" count=37 && in_buckets 0
}
check "ping,histogram: the buckets have each measured iteration once" ping_histogram

# moves TEST SIZE BYTES SIDE: check that the data WRs of SIDE have BYTES in all
moves() {
	WATCH_SIZE=$2
	run "$1" && "$4" && seen bytes "$3"
	_rc=$?
	WATCH_SIZE=$SIZE
	return $_rc
}
for size in 333 70000; do
	check "bw,size=$size: 3 WRITEs of $size bytes" moves bw,batch=1,count=3 $size $((3 * size)) client
	check "rlat,size=$size: 3 READs of $size bytes" moves rlat,count=3 $size $((3 * size)) client
	check "slat,size=$size: the server answers with 3 SENDs of $size bytes" moves slat,count=3 $size $((3 * size)) server
	check "ping,size=$size: READs and WRITEs of $size bytes" moves count=3 $size $((6 * size)) server
done

default_size() {
	watch "" rlat,count=3 && client && seen bytes 192
}
check "rlat without size=: READs of 64 bytes" default_size

# notify_sends TEST: check that with validate a SEND follows each WRITE. Other SENDs are the advert,
# the finish message, and keep-alive messages of bw every half second.
notify_sends() {
	run "$1,count=10,validate" && client && seen $WRITE 10 && seen_in $SEND 12 21 &&
		run "$1,count=10" && client && seen $WRITE 10 && seen_in $SEND 2 11
}
check "wlat,validate: a SEND is posted after each WRITE" notify_sends wlat
check "bw,validate: a SEND is posted after each WRITE" notify_sends bw,batch=1

#
# Flags and SGEs of a WR
#

if [ "$TYPE" = rxe ]; then
	imm() {
		both_post wlat,imm $WRITE_IMM 10 && seen $WRITE "" &&
			both_post slat,imm $SEND_IMM 10 && one_posts bw,imm,batch=1 $WRITE_IMM 10 &&
			one_posts sbw,imm,batch=1 $SEND_IMM 10
	}
	check "imm: the WRITEs and SENDs have immediate data" imm
	# an atomic has 8 bytes
	atomic() {
		watch "" "rlat,atomic=$1,count=10" && client && seen "$2" 10 "$3" "" $READ "" bytes 80
	}
	check "atomic=cas: compare-and-swaps of 8 bytes are posted" atomic cas $CAS $FAA
	check "atomic=faa: fetch-and-adds of 8 bytes are posted" atomic faa $FAA $CAS
else
	skip "imm: the WRITEs and SENDs have immediate data" "iWARP has no immediate data"
	skip "atomic=cas: compare-and-swaps of 8 bytes are posted" "siw has no atomics"
	skip "atomic=faa: fetch-and-adds of 8 bytes are posted" "siw has no atomics"
fi

# inlined TEST client|both: check that with the option inline the data of the client, or of both sides,
# is inline, and that without the option no data is
inlined() {
	WATCH_SIZE=64
	watch inline "$1,size=64,count=10,inline" && client && seen wrs 10 inline 10 || return 1
	[ "$2" = client ] || { server && seen wrs 10 inline 10; } || return 1
	watch "" "$1,size=64,count=10" && client && seen wrs 10 inline 0 && server && seen inline 0
}
check "wlat,inline: the data of both sides is inline" inlined wlat both
check "slat,inline: the data of both sides is inline" inlined slat both
check "bw,inline: the client's data is inline" inlined bw,batch=1 client

puts_inline() {
	WATCH_SIZE=0
	watch export=4k "put,data=hello,inline" && client && seen inline 1 op0 1 || return 1
	watch export=4k "put,data=hello" && client && seen inline 0 op0 1
}
check "put,inline: the data is in the WR" puts_inline
check "sbw,inline: the client's data is inline" inlined sbw,batch=1 client
WATCH_SIZE=$SIZE

# entries TEST N SIDE: check that each data WR of SIDE has N SGEs at N different addresses, and that the
# WRs have all bytes
entries() {
	run "$1,count=5,sge=$2" "sge=$2" && "$3" && seen wrs 5 sge_min "$2" sge_max "$2" places "$2" \
		bytes $((5 * SIZE))
}
check "wlat,sge=4: the client's WRITEs gather from four addresses" entries wlat 4 client
check "wlat,sge=4: the server's WRITEs gather from four addresses" entries wlat 4 server
check "slat,sge=3: the server's SENDs gather from three addresses" entries slat 3 server
check "bw,sge=4: the WRITEs gather from four addresses" entries bw,batch=1 4 client
check "sbw,sge=4: the SENDs gather from four addresses" entries sbw,batch=1 4 client
check "rbw,sge=$READ_SGE: the READs scatter to $READ_SGE addresses" entries rbw,batch=1 $READ_SGE client
check "rlat,sge=$READ_SGE: the READs scatter to $READ_SGE addresses" entries rlat $READ_SGE client
# scattered: check that there are gaps between the SGEs. Without gaps, validate would accept a device
# that reads all bytes from the first SGE.
scattered() {
	run bw,batch=1,count=5,sge=4 && client && seen places 4 adjoining 0
}
check "bw,sge=4: no SGE begins at the end of the previous SGE" scattered
check "wlat,sge=1: the WRITEs gather from one address" entries wlat 1 client

t_end
