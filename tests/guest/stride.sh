#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: With stride= successive operations of a throughput test use addresses that differ by
#   the stride, in the buffers of both sides. After txdepth operations the addresses begin again. A
#   trace of the provider's post function shows the addresses. krping rejects a stride that
#   leads beyond a buffer.
# Requires: one guest
# Duration: 9 s on rxe, 14 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=trace.inc
. "${0%/*}/trace.inc"

PROBES=$TRACING/kprobe_events

# walk_open: record the addresses of the first three WRs of a post. The remote address is at
# offset 40, behind struct ib_send_wr, which has num_sge at 24. If a chain has fewer WRs, the record
# has leftover bytes for the missing ones.
walk_open() {
	[ -e "$PROBES" ] || return 1
	# shellcheck disable=SC2016 # the kernel expands $arg1
	_args='qp=$arg1' _wr='$arg2'
	for _i in 0 1 2; do
		_args="$_args next$_i=+0($_wr):x64 sges$_i=+24($_wr):u32 len$_i=+8(+16($_wr)):u32"
		_args="$_args local$_i=+0(+16($_wr)):x64 remote$_i=+40($_wr):x64"
		_wr="+0($_wr)"
	done
	trace_cpus 0 && mkdir $TRACE && echo 8192 >$TRACE/buffer_size_kb &&
		echo "p:krping_test/walk ${TYPE}_post_send $_args" >>"$PROBES" &&
		echo 1 >$TRACE/events/krping_test/walk/enable
}

# walk_close: end the recording, and set all CPUs online
walk_close() {
	if [ -d $TRACE ]; then
		echo 0 >$TRACE/events/enable
		rmdir $TRACE
	fi
	echo "-:krping_test/walk" >>"$PROBES" 2>/dev/null
	trace_cpus 1
}

# walk.awk takes the first `max` WRs of 72 bytes of each QP, and prints the distance of each address from
# the first one. `side`, local or remote, selects the addresses.
cat >"$T_TMP/walk.awk" <<'AWK'
# Return the lower half of an address: awk's numbers are not exact beyond 2^53.
function low(s,    n, i) {
	s = substr(s, 3)
	for (i = length(s) > 8 ? length(s) - 7 : 1; i <= length(s); i++)
		n = 16 * n + index("0123456789abcdef", substr(s, i, 1)) - 1
	return n
}
/ qp=/ {
	split("", v)
	for (i = 5; i <= NF; i++)
		if (split($i, pair, "=") == 2)
			v[pair[1]] = pair[2]
	qp = v["qp"]
	for (i = 0; i < 3 && n[qp] < max && v["sges" i] > 0 && v["len" i] == 72; i++) {
		at = low(v[side i])
		if (!n[qp]++)
			first[qp] = at
		walk[qp] = walk[qp] sprintf("%d ", at - first[qp])
		if (low(v["next" i]) == 0)
			break
	}
}
END {
	for (qp in walk)
		print walk[qp]
}
AWK

# walk_is local|remote DISTANCES QPS: check that QPS QPs have posted operations, and that the
# addresses of each QP have these distances from its first address. The server's QP may have fewer
# operations.
walk_is() {
	_n=0 _all=
	awk -v side="$1" -v max="$(echo "$2" | wc -w)" -f "$T_TMP/walk.awk" "$T_TMP/trace" >"$T_TMP/walks"
	while read -r _l; do
		_n=$((_n + 1))
		[ "$_l" != "$2" ] || _all=yes
		case "$2 " in
		"$_l "*) ;;
		*) why "the distances of the $1 addresses are $_l, not $2" || return 1 ;;
		esac
	done <"$T_TMP/walks"
	eq "$_n" "$3" "number of QPs with operations" && eq "$_all" yes "a QP with all operations"
}

# walks TEST OPTIONS DISTANCES [QPS [SERVER_OPTIONS]]: run a pair, and check the distances of the local
# and the remote addresses of the operations. SEND has no address of the peer.
walks() {
	watch "${5-}" "$1,size=72,$2" && walk_is local "$3" "${4:-1}" || return 1
	case $1 in
	sbw*) ;;
	*) walk_is remote "$3" "${4:-1}" ;;
	esac
}

T_AT_END=walk_close
if walk_open; then
	still="0 0 0 0 0 0"
	walk="0 4096 8192 12288 0 4096"
	for test in bw rbw sbw; do
		check "$test: all operations use one address" walks $test count=6,txdepth=4 "$still"
		check "$test,stride=0: all operations use one address" walks $test count=6,txdepth=4,stride=0 "$still"
		check "$test,stride=4k,txdepth=4: the operations advance through four addresses" \
			walks $test count=6,txdepth=4,stride=4k,batch=1 "$walk"
		check "$test,stride=4k,mem_mode=reg: the operations advance through a registered buffer, too" \
			walks $test count=6,txdepth=4,stride=4k,mem_mode=reg "$walk"
		check "$test,stride=4k,batch=3: a batch begins where the last one ended" \
			walks $test count=13,txdepth=4,stride=4k,batch=3,cqmod=1 "$walk 8192 12288 0 4096 8192 12288 0"
		check "$test,duplex,stride=4k: the server's operations advance, too" \
			walks $test,duplex count=6,txdepth=4,stride=4k,batch=3 "$walk" 2 batch=3
	done
	check "bw,stride=7: a stride may be less than the size" walks bw count=7,txdepth=3,stride=7 "0 7 14 0 7 14 0"
	check "bw,stride=4k,inline: inline data advances, too" walks bw count=6,txdepth=4,stride=4k,inline "$walk"
	check "bw,stride=4k,txdepth=1: there is one address" walks bw count=6,txdepth=1,stride=4k "$still"
	check "bw,stride=4k,warmup=3: the warm-up advances, too" walks bw count=3,warmup=3,txdepth=4,stride=4k "$walk"
	check "bw,stride=4k,qps=2,share: each QP begins at its own buffer" \
		walks bw count=6,txdepth=4,stride=4k,qps=2,share "$walk" 2
else
	skip "trace of the addresses" "the kernel has no kprobe events"
fi
walk_close
T_AT_END=

#
# Batches, sides, limits
#

# counts OPTIONS [SERVER_OPTIONS]: check a test of 203 operations
counts() {
	pair "${2-}" "count=203,$1" && kr_returned ok && kr_is iterations 203 && kr_ended server ok
}
for test in bw rbw sbw; do
	for opts in txdepth=64 txdepth=7,batch=3,cqmod=5 txdepth=7,batch=7 txdepth=64,poll qps=1,rate=100k; do
		check "$test,stride=128,$opts: 203 operations are counted" counts "$test,stride=128,$opts"
	done
	check "$test,stride=128,mem_mode=dma on both sides: 203 operations are counted" \
		counts $test,stride=128,mem_mode=dma mem_mode=dma
	check "$test,stride=128,srq on both sides: 203 operations are counted" counts $test,stride=128,srq srq
done
if [ "$TYPE" != siw ]; then
	check "bw,imm,stride=128: 203 operations are counted" counts bw,imm,stride=128
fi

# both TEST SERVER_OPTIONS: check a pair in which both sides post; the server may have another txdepth
both() {
	pair "$2" "$1,duplex,stride=256,count=203,txdepth=8" && kr_returned ok && kr_ended server ok
}
for test in bw rbw sbw; do
	for depth in 1 8 200; do
		check "$test,duplex,stride=256,txdepth=8: a server with txdepth=$depth" both $test txdepth=$depth
	done
done
shares() {
	pair share "bw,qps=3,threads=2,share,stride=256,count=50" && kr_is iterations 300 && kr_ended server ok
}
check "bw,qps=3,threads=2,share,stride=256: 300 operations are counted" shares

# told STRIDE OPTIONS: check that the results of both sides have the stride STRIDE
told() {
	pair "" "bw,count=3,$2" && kr_has "stride=$1" && kr_ended server ok && kr_has "stride=$1"
}
check "the results of both sides have the stride" told 4096 stride=4k
check "without a stride the results of both sides have stride=0" told 0 qps=1

# with mem_mode=reg each side registers a buffer of REG_MAX bytes
fits() {
	counts "bw,txdepth=2,size=64,stride=$((REG_MAX - 64)),mem_mode=reg"
}
check "the largest stride that fits the buffer works" fits
too_long() {
	kr_fails_with EINVAL "client,addr=$ADDR,bw,txdepth=2,size=64,stride=$((REG_MAX - 63)),mem_mode=reg,count=1" \
		"stride=$((REG_MAX - 63)): with txdepth=2 a buffer has $((REG_MAX + 1)) bytes; with mem_mode=reg the device takes 1 to $REG_MAX" &&
		kr_clean_now
}
check "a stride beyond the buffer is EINVAL, and the log names the limit" too_long
huge() {
	kr_fails_with EINVAL "client,addr=$ADDR,bw,txdepth=1048576,stride=4294967295,count=1" stride && kr_clean_now
}
check "the largest stride and txdepth do not overflow" huge
# mem_mode=reg limits the server's buffer more than mem_mode=dma limits the client's source
server_limit() {
	kr_bg server "server,addr=$ADDR,port=23000,mem_mode=reg" || return 1
	kr_fails ECONNREFUSED "client,addr=$ADDR,port=23000,bw,txdepth=2,size=64,stride=$((REG_MAX - 63)),count=1" &&
		kr_detail_has "(limit $REG_MAX); with stride the buffer has size + stride * (txdepth - 1) bytes"
}
if [ "$REG_MAX" -lt "$DMA_MAX" ]; then
	check "a server rejects a stride beyond its buffer, with the limit" server_limit
fi
kr_stop
# With duplex a server allocates a work request for each of the client's slots, and accepts 16384 slots.
server_slots() {
	kr_bg server "server,addr=$ADDR,port=23001,clients=2" || return 1
	kr_fails ECONNREFUSED "client,addr=$ADDR,port=23001,bw,duplex,size=3,stride=2,txdepth=16385,count=1" &&
		kr_detail_has "(limit 32769); with stride the buffer has size + stride * (txdepth - 1) bytes" &&
		kr "client,addr=$ADDR,port=23001,bw,size=3,stride=2,txdepth=16385,count=1" && kr_returned ok &&
		kr "client,addr=$ADDR,port=23001,bw,duplex,size=3,stride=2,txdepth=16384,count=1" && kr_returned ok
}
check "bw,duplex: a server rejects more than 16384 slots, with the limit" server_slots
kr_stop
check "validate with stride is EINVAL" kr_refused EINVAL "client,addr=$ADDR,bw,validate,stride=64" stride
check "sge with stride is EINVAL" kr_refused EINVAL "client,addr=$ADDR,bw,sge=2,stride=64" stride
check "wlat with stride is EINVAL" kr_refused EINVAL "client,addr=$ADDR,wlat,stride=64" stride
check "a server with stride is EINVAL" kr_refused EINVAL "server,addr=$ADDR,bw,stride=64" stride
check "tests with a stride leave no test or object" kr_clean

t_end
