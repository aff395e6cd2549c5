#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Options change which buffers krping registers and invalidates, and which WRs
#   krping fences. A trace of the provider's post function proves the effect, because a result
#   might repeat an option that has no effect. With mem_mode=reg, a client of ping has two MRs for its
#   advertised buffers, and the server two for its local buffers.
# Requires: one guest
# Duration: 13 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=trace.inc
. "${0%/*}/trace.inc"
# Functions of trace.inc: `watch` runs and traces a server and a client, `server` and `client` select a side, `seen`
# and `seen_in` check sums of this side's records. `has` does these three steps. trace-sum.inc describes the sums.

# enum ib_wr_opcode
READ=op4 INV=op7 SEND_INV=op9 READ_INV=op11 REG_MR=op32

# Data is longer than any control message, so the length of a SEND shows whether it has data.
WATCH_SIZE=1000

# Number of MRs for READ sinks (buffers that a READ fills), which only iWARP has to register
READ_SINKS=0
[ "$TYPE" != siw ] || READ_SINKS=1

T_AT_END=trace_close
if ! trace_open; then
	trace_close
	skip "trace of the registrations" "$T_WHY"
	t_end
	exit
fi

# mode SERVER_OPTIONS CLIENT_OPTIONS SIDE KEY VALUE...: run five iterations, and check numbers of WRs and
# MRs of SIDE (trace-sum.inc describes the keys)
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
# krping fences WRs that depend on a READ. Without the fence of the go-ahead (the server's SEND after
# the READ), the client would reuse the source too early. Without the fence of a LOCAL_INV, the sink
# would be invalid before the data arrives. There are 9 LOCAL_INVs, because the MR of the last WRITE is
# not invalidated.
check "ping: each of the server's go-aheads after a READ is fenced" mode "" "" server fenced2 5
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
	skip "read_inv: the server posts READ_WITH_INV" "only iWARP has READ_WITH_INV"
fi

# In tests other than ping, the side that posts registers its local buffer, and the other side registers
# the buffer that it advertises.
for test in slat sbw; do
	check "$test,mem_mode=reg: the client registers its buffer" mode "" $test,mem_mode=reg client mrs 1 $REG_MR 1
	check "$test,mem_mode=reg,local_dma_lkey: the client registers nothing" \
		mode "" $test,mem_mode=reg,local_dma_lkey client mrs 0 $REG_MR ""
	check "$test,mem_mode=dma: the client registers nothing" mode "" $test,mem_mode=dma client mrs 0 $REG_MR ""
done
check "bw: a server with mem_mode=reg registers its advertised buffer" mode mem_mode=reg bw server mrs 1 $REG_MR 1
check "bw: a server without mem_mode registers its advertised buffer" mode "" bw server mrs 1 $REG_MR 1
check "bw: a server with mem_mode=dma registers nothing" mode mem_mode=dma bw server mrs 0 $REG_MR ""
check "wlat: a server with mem_mode=reg registers both buffers" mode mem_mode=reg wlat server mrs 2 $REG_MR 2
check "wlat: a server with mem_mode=reg,local_dma_lkey registers one buffer" \
	mode mem_mode=reg,local_dma_lkey wlat server mrs 1 $REG_MR 1
check "rlat,mem_mode=reg,local_dma_lkey: the client registers only READ sinks that need it" \
	mode "" rlat,mem_mode=reg,local_dma_lkey client mrs $READ_SINKS

t_end
