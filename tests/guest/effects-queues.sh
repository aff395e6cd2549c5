#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: batch= sets how many WRs krping posts at once, cqmod= which of them it signals, txdepth=
#   how many are in flight. A trace of the provider's post function proves the effect, because
#   a result might repeat an option that has no effect.
# Requires: one guest with any device
# Duration: 32 s on rxe, 24 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=trace.inc
. "${0%/*}/trace.inc"
# Functions of trace.inc: `watch` runs and traces a server and a client, `server` and `client` select a side, `seen`
# and `seen_in` check sums of this side's records. `has` does these three steps. trace-sum.inc describes the sums.

# enum ib_wr_opcode
WRITE=op0 READ=op4

T_AT_END=trace_close
if ! trace_open; then
	trace_close
	skip "trace of the number of posted WRs" "$T_WHY"
	t_end
	exit
fi

# Data is longer than any control message, so the length of a SEND shows whether it has data.
WATCH_SIZE=1000

# run OPTIONS [SERVER_OPTIONS]: trace a pair with WATCH_SIZE bytes
run() {
	watch "${2-}" "size=$WATCH_SIZE,$1"
}

# batches TEST: check the number of WRs in a post with batch=5 and with batch=1. Use 5, because the default of
# batch and cqmod is another number: a quarter of txdepth, 3.
batches() {
	run "$1,txdepth=12,batch=5,cqmod=5,count=60" && client && seen wrs 60 chain_max 5 &&
		seen_in posts 12 30 &&
		run "$1,txdepth=12,batch=1,count=60" && client && seen wrs 60 posts 60 chain_max 1
}

# signals TEST: check that with cqmod=5 every 5th WR and the last one are signaled, with cqmod=1 each
signals() {
	run "$1,txdepth=12,batch=1,cqmod=5,count=62" && client &&
		seen wrs 62 signaled 13 gap_min 5 gap_max 5 &&
		run "$1,txdepth=12,batch=1,cqmod=1,count=62" && client && seen wrs 62 signaled 62
}

# depth TEST,OPTION VALUE UNDER: check that with OPTION=VALUE (txdepth or tx-depth) the maximum
# number of operations in flight is UNDER. Try three times, because the number is smaller if each
# operation completes before the next is posted.
depth() {
	for _try in 1 2 3; do
		run "$1=$2,batch=1,cqmod=1,count=60" && client && seen wrs 60 || return 1
		sum_val under
		[ "$SUM_VAL" -lt "$3" ] || break
	done
	seen under "$3"
}
for test in bw rbw sbw; do
	check "$test,batch=5: ib_post_send() gets up to 5 WRs; batch=1: one" batches $test
	check "$test,cqmod=5: every 5th WR is signaled, and the last one; cqmod=1: each" signals $test
	check "$test,txdepth=6: the maximum number of operations in flight is 6" depth $test,txdepth 6 6
	check "$test,txdepth=1: the maximum number of operations in flight is 1" depth $test,txdepth 1 1
done
# echoes TEST N [OPTION]: check that both sides of a latency test signal every Nth WR. Control
# messages are WRs as well, so the first gap may be shorter.
echoes() {
	run "$1,count=62${3:+,$3}" "$3" || return 1
	for _side in client server; do
		$_side && seen wrs 62 gap_max "$2" &&
			seen_in signaled $((62 / $2)) $((62 / $2 + 1)) || return 1
	done
	[ -z "$3" ] || grep -q "^config .* $3 " "$T_TMP/client.result" ||
		why "$(grep '^config' "$T_TMP/client.result")"
}
for test in wlat slat; do
	check "$test: every 8th WR is signaled" echoes $test 8
	check "$test,cqmod=1: each WR is signaled" echoes $test 1 cqmod=1
	check "$test,cqmod=5: every 5th WR is signaled" echoes $test 5 cqmod=5
done
# A server whose command names no test accepts cqmod=20, which bw allows. wlat uses at most 8.
bounded() {
	run wlat,count=62 cqmod=20 && server && seen wrs 62 gap_max 8 || return 1
	grep -q '^peer_config .* cqmod=8 ' "$T_TMP/client.result" || why "$(grep '^peer_config' "$T_TMP/client.result")"
}
check "server,cqmod=20: wlat signals every 8th WR, as the result says" bounded

# Each completion makes room for one WR, but krping must not post before there is room for a batch.
held_back() {
	run bw,txdepth=12,batch=5,cqmod=1,count=60 && client &&
		seen wrs 60 posts 12 chain_min 5 chain_max 5
}
check "bw,batch=5,cqmod=1: a post waits until it has 5 WRs" held_back
check "bw,tx-depth=9: the maximum number of operations in flight is 9" depth bw,tx-depth 9 9

# The number of the server's operations varies, because the server posts until the client has finished.
both_ways() {
	run "$1,duplex,txdepth=6,batch=1,cqmod=1,count=200" txdepth=4,batch=2,cqmod=2 &&
		client && seen wrs 200 under 6 chain_max 1 &&
		server && seen_in wrs 10 100000 && seen under 4 chain_max 2 gap_min 2 gap_max 2 "$2" ""
}
check "bw,duplex: the server posts WRITEs, with its own txdepth, batch and cqmod" both_ways bw $READ
check "rbw,duplex: the server posts READs, with its own txdepth, batch and cqmod" both_ways rbw $WRITE

# The tracepoint krping_post has the number of WRs in a chain.
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
	check "batch=$batch: the tracepoint krping_post reports $batch WRs" traced_chain $batch
done

t_end
