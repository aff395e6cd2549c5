#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Options change what krping posts. The provider's post function is traced: a
#   result that only repeats the option is no evidence.
# Requires: one guest
# Duration: 22 s on rxe, 20 s on siw

# shellcheck source=../lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source=../lib-trace.sh
. "${0%/*}/../lib-trace.sh"

# enum ib_wr_opcode
WRITE=op0 WRITE_IMM=op1 SEND=op2 SEND_IMM=op3 READ=op4 CAS=op5 FAA=op6 INV=op7
SEND_INV=op9 READ_INV=op11 REG_MR=op32

# Longer than any control message, so that a SEND of data is told from those.
SIZE=1000
WATCH_SIZE=$SIZE

case $TYPE in
# iWARP READs into one entry, which is registered.
siw) READ_SGE=1 READ_SINKS=1 ;;
*) READ_SGE=4 READ_SINKS=0 ;;
esac

T_AT_END=trace_close
if ! trace_open; then
	trace_close
	skip "what options post" "$T_WHY"
	t_end
	exit
fi

# run OPTIONS [SERVER_OPTIONS]: a client with WATCH_SIZE bytes
run() {
	watch "${2-}" "size=$WATCH_SIZE,$1"
}

#
# Which test, how often, how many bytes
#

# both_post OPTIONS OPCODE: 10 of each side
both_post() {
	run "$1,count=10" && client && seen wrs 10 "$2" "$3" && server && seen wrs 10 "$2" "$3"
}

# one_posts OPTIONS OPCODE N: 10 of the client, and no data of the server
one_posts() {
	run "$1,count=10" && client && seen wrs 10 "$2" "$3" && server && seen wrs 0
}

# What is a SEND of data is told by its length; 2 or 3 control messages are there, too.
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
	watch "" fr,count=30,txdepth=8,size=60000 && client &&
		seen $REG_MR 30 $INV 30 mrs 8 wrs 0 && server && seen wrs 0
}
check "fr,txdepth=8: the client registers and invalidates 8 memory regions, and moves no data" registers

# 30 sizes of 1 to 60000 bytes: all above 15000, or all below 45000, is a matter of 1 to 5000.
sizes_vary() {
	client && seen maps 30 && seen_in map_min 1 15000 && seen_in map_max 45000 60000
}
check "fr: the sizes are spread over 1 to size" sizes_vary

# counted TEST COUNT WARMUP ITERATIONS
counted() {
	run "$1,count=$2,warmup=$3" && client && seen wrs $(($2 + $3)) || return 1
	grep -q " iterations=$2 " "$T_TMP/client.result" || why "$(cat "$T_TMP/client.result")"
}
check "count=23: 23 operations are posted" counted slat 23 0
check "count=23,warmup=9: 32 operations are posted, and 23 measured" counted slat 23 9
check "bw,count=23,warmup=9: 32 operations are posted, and 23 measured" counted bw,batch=1 23 9

# in_buckets N: the histogram has N iterations
in_buckets() {
	awk '$1 == "histogram_nsec" { for (i = 2; i <= NF; i++) { sub(/.*=/, "", $i); n += $i } }
		END { print n + 0 }' "$T_TMP/client.result" >"$T_TMP/buckets"
	eq "$(cat "$T_TMP/buckets")" "$1" "number of iterations in the histogram"
}
ping_histogram() {
	watch "" count=37,warmup=5,histogram && in_buckets 37 && watch "" count=37 && in_buckets 0
}
check "ping,histogram: its buckets have each measured iteration, and else there is none" ping_histogram

# moves TEST SIZE BYTES SIDE
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
	check "slat,size=$size: the server answers with as much" moves slat,count=3 $size $((3 * size)) server
	check "ping,size=$size: READs and WRITEs of $size bytes" moves count=3 $size $((6 * size)) server
done

default_size() {
	watch "" rlat,count=3 && client && seen bytes 192
}
check "no size: READs of 64 bytes" default_size

# A SEND follows each WRITE. The others are a hello and the end.
tokens() {
	run "$1,count=10,validate" && client && seen $WRITE 10 $SEND 12 &&
		run "$1,count=10" && client && seen $WRITE 10 $SEND 2
}
check "wlat,validate: a SEND is posted behind each WRITE" tokens wlat
check "bw,validate: a SEND is posted behind each WRITE" tokens bw,batch=1

#
# What a WR is like
#

if [ "$TYPE" = rxe ]; then
	imm() {
		both_post wlat,imm $WRITE_IMM 10 && seen $WRITE "" &&
			both_post slat,imm $SEND_IMM 10 && one_posts bw,imm,batch=1 $WRITE_IMM 10 &&
			one_posts sbw,imm,batch=1 $SEND_IMM 10
	}
	check "imm: the WRITEs and SENDs have immediate data" imm
	# 8 bytes are all that an atomic has
	atomic() {
		watch "" "rlat,atomic=$1,count=10" && client && seen "$2" 10 "$3" "" $READ "" bytes 80
	}
	check "atomic=cas: compare-and-swap is posted, of 8 bytes" atomic cas $CAS $FAA
	check "atomic=faa: fetch-and-add is posted, of 8 bytes" atomic faa $FAA $CAS
else
	skip "imm: the WRITEs and SENDs have immediate data" "iWARP has none"
	skip "atomic=cas: compare-and-swap is posted, of 8 bytes" "siw has none"
	skip "atomic=faa: fetch-and-add is posted, of 8 bytes" "siw has none"
fi

inlined() {
	WATCH_SIZE=64
	watch inline "$1,size=64,count=10,inline" && client && seen wrs 10 inline 10 || return 1
	[ "$2" = client ] || { server && seen wrs 10 inline 10; } || return 1
	watch "" "$1,size=64,count=10" && client && seen wrs 10 inline 0 && server && seen inline 0
}
check "wlat,inline: the data of both sides is inline" inlined wlat both
check "slat,inline: the data of both sides is inline" inlined slat both
check "bw,inline: the client's data is inline" inlined bw,batch=1 client
check "sbw,inline: the client's data is inline" inlined sbw,batch=1 client
WATCH_SIZE=$SIZE

# entries TEST N SIDE: each WR has N, with N addresses and all bytes
entries() {
	run "$1,count=5,sge=$2" "sge=$2" && "$3" && seen wrs 5 sge_min "$2" sge_max "$2" places "$2" \
		bytes $((5 * SIZE))
}
check "wlat,sge=4: the client's WRITEs come from four places" entries wlat 4 client
check "wlat,sge=4: the server's WRITEs come from four places" entries wlat 4 server
check "slat,sge=3: the server's SENDs come from three places" entries slat 3 server
check "bw,sge=4: the WRITEs come from four places" entries bw,batch=1 4 client
check "sbw,sge=4: the SENDs come from four places" entries sbw,batch=1 4 client
check "rbw,sge=$READ_SGE: the READs go to $READ_SGE places" entries rbw,batch=1 $READ_SGE client
check "rlat,sge=$READ_SGE: the READs go to $READ_SGE places" entries rlat $READ_SGE client
# A device that took all bytes from the first entry would else pass with validate.
scattered() {
	run bw,batch=1,count=5,sge=4 && client && seen places 4 adjoining 0
}
check "bw,sge=4: the entries are scattered, and none begins where another ends" scattered
check "wlat,sge=1: the WRITEs come from one place" entries wlat 1 client

#
# How many at a time. batch and cqmod differ from the quarter of txdepth that is taken
# without them.
#

batches() {
	run "$1,txdepth=12,batch=5,cqmod=5,count=60" && client && seen wrs 60 chain_max 5 &&
		seen_in posts 12 30 &&
		run "$1,txdepth=12,batch=1,count=60" && client && seen wrs 60 posts 60 chain_max 1
}
signals() {
	run "$1,txdepth=12,batch=1,cqmod=5,count=62" && client &&
		seen wrs 62 signaled 13 gap_min 5 gap_max 5 &&
		run "$1,txdepth=12,batch=1,cqmod=1,count=62" && client && seen wrs 62 signaled 62
}
# depth TEST TXDEPTH UNDER
depth() {
	run "$1=$2,batch=1,cqmod=1,count=60" && client && seen wrs 60 under "$3"
}
for test in bw rbw sbw; do
	check "$test,batch=5: ib_post_send() gets up to 5 WRs; batch=1: one" batches $test
	check "$test,cqmod=5: every 5th WR is signaled, and the last one; cqmod=1: each" signals $test
	check "$test,txdepth=6: 6 operations are under way at most, and once" depth $test,txdepth 6 6
	check "$test,txdepth=1: one operation is under way" depth $test,txdepth 1 1
done
# Each completion makes room for one: a whole batch has to be waited for.
held_back() {
	run bw,txdepth=12,batch=5,cqmod=1,count=60 && client &&
		seen wrs 60 posts 12 chain_min 5 chain_max 5
}
check "bw,batch=5,cqmod=1: a post waits until it has 5 WRs" held_back
check "bw,tx-depth=9: 9 operations are under way at most, and once" depth bw,tx-depth 9 9

# The server does as much as it can meanwhile.
both_ways() {
	run "$1,duplex,txdepth=6,batch=1,cqmod=1,count=200" txdepth=4,batch=2,cqmod=2 &&
		client && seen wrs 200 under 6 chain_max 1 &&
		server && seen_in wrs 10 100000 && seen under 4 chain_max 2 gap_min 2 gap_max 2 "$2" ""
}
check "bw,duplex: the server posts WRITEs, with its own txdepth, batch and cqmod" both_ways bw $READ
check "rbw,duplex: the server posts READs, with its own txdepth, batch and cqmod" both_ways rbw $WRITE

#
# Registration. Ping's client has two memory regions, its server two for its local buffers.
#

# mode SERVER_OPTIONS CLIENT_OPTIONS SIDE KEY VALUE...: of five iterations
mode() {
	_s=$1 _c=$2 _side=$3
	shift 3
	watch "$_s" "count=5${_c:+,$_c}" && "$_side" && seen "$@"
}
check "ping,mem_mode=dma: the client registers nothing" mode "" mem_mode=dma client mrs 0 $REG_MR ""
check "ping,mem_mode=reg: the client registers two buffers in each iteration" \
	mode "" mem_mode=reg client mrs 2 $REG_MR 10
check "ping: a server with mem_mode=reg registers its buffers" \
	mode mem_mode=reg "" server mrs 2 $REG_MR 10
check "ping: a server without mem_mode registers only READ sinks that need it" \
	mode "" "" server mrs $READ_SINKS
check "ping,local_dma_lkey: a server with mem_mode=reg registers only READ sinks that need it" \
	mode mem_mode=reg,local_dma_lkey "" server mrs $READ_SINKS
# What follows a READ is fenced: the go-ahead, so that the client does not reuse the source too
# early, and each LOCAL_INV, so that the sink is registered until the data has come. The
# WRITE's region of the last iteration is not invalidated.
check "ping: each of the server's go-aheads behind a READ is fenced" mode "" "" server fenced2 5
check "ping: each LOCAL_INV of a server with mem_mode=reg is fenced" \
	mode mem_mode=reg "" server $INV 9 fenced7 9
check "server_inv: the server posts SEND_WITH_INV, and the client no LOCAL_INV" \
	mode "" server_inv server $SEND_INV 10
check "server_inv: the client registers, and posts no LOCAL_INV" \
	mode "" server_inv client $REG_MR 10 $INV ""
check "mem_mode=reg without server_inv: the client posts LOCAL_INV, and the server no SEND_WITH_INV" \
	mode "" mem_mode=reg client $REG_MR 10 $INV 9
check "mem_mode=reg without server_inv: the server posts plain SENDs" \
	mode "" mem_mode=reg server $SEND_INV ""
if [ "$TYPE" = siw ]; then
	check "read_inv: the server posts READ_WITH_INV" mode "" read_inv server $READ_INV 5 $READ ""
else
	skip "read_inv: the server posts READ_WITH_INV" "only iWARP has it"
fi

# Of the others, whoever posts registers its local buffer, and whoever is read from or written
# to the buffer that it advertises.
for test in slat sbw; do
	check "$test,mem_mode=reg: the client registers its buffer" mode "" $test,mem_mode=reg client mrs 1 $REG_MR 1
	check "$test,mem_mode=reg,local_dma_lkey: the client registers nothing" \
		mode "" $test,mem_mode=reg,local_dma_lkey client mrs 0 $REG_MR ""
	check "$test,mem_mode=dma: the client registers nothing" mode "" $test,mem_mode=dma client mrs 0 $REG_MR ""
done
check "bw: a server with mem_mode=reg registers what it advertises" mode mem_mode=reg bw server mrs 1 $REG_MR 1
check "bw: a server with mem_mode=dma registers nothing" mode mem_mode=dma bw server mrs 0 $REG_MR ""
check "wlat: a server with mem_mode=reg registers both buffers" mode mem_mode=reg wlat server mrs 2 $REG_MR 2
check "wlat: a server with mem_mode=reg,local_dma_lkey registers one" \
	mode mem_mode=reg,local_dma_lkey wlat server mrs 1 $REG_MR 1
check "rlat,mem_mode=reg,local_dma_lkey: the client registers only READ sinks that need it" \
	mode "" rlat,mem_mode=reg,local_dma_lkey client mrs $READ_SINKS

# krping's own tracepoint has as many WRs as a chain.
EVENT=$TRACING/events/krping/krping_post
traced_chain() {
	echo >$TRACING/trace
	echo 1 >$EVENT/enable
	pair "" "bw,count=80,txdepth=64,batch=$1"
	_ret=$?
	echo 0 >$EVENT/enable
	_most=$(awk '/krping_post: / && match($0, /wrs=[0-9]+/) {
		n = substr($0, RSTART + 4, RLENGTH - 4) + 0
		if (n > most)
			most = n
	} END { print most + 0 }' $TRACING/trace)
	[ $_ret = 0 ] && eq "$_most" "$1" "highest number of WRs"
}
for batch in 2 8; do
	check "batch=$batch: the tracepoint krping_post says $batch WRs" traced_chain $batch
done

t_end
