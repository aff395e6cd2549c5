#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A test allocates at most 32 KiB beside its data buffers, histogram included.
# Requires: one guest with one CPU, which tests/boot boots
# Duration: 7 s on rxe, 8 s on siw
#
# A tracepoint shows each kmalloc() of the module's code during the start of a test, with the
# allocated size. The data buffers are pages and are not counted. The memory that the provider
# and the core allocate for PD, CQ, QP and MRs is not counted either. The event of a large
# kvmalloc() does not show its caller; those of the test's thread count.

# shellcheck source=../../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

LIMIT=32768
# size of the allocation of a histogram; each side of a ping has one
HISTOGRAM=16384
trace=/sys/kernel/tracing/instances/krping.$$

trace_on() {
	mkdir $trace && echo 4096 >$trace/buffer_size_kb || return 1
	# kvmalloc() of older kernels has the event kmalloc_node
	for _event in $trace/events/kmem/kmalloc $trace/events/kmem/kmalloc_node; do
		[ -e "$_event" ] || continue
		echo 'comm ~ "krping/*" || comm ~ "kwrite*"' >"$_event"/filter &&
			echo 1 >"$_event"/enable || return 1
	done
}

trace_off() {
	echo 0 >$trace/events/kmem/enable
	cat $trace/trace >"$T_TMP/trace"
	rmdir $trace
}

# allocated ID N: print the bytes that the test's thread has allocated, and the bytes that the
# write that started the test has allocated. N is the number of the write in the trace.
allocated() {
	awk -v thread="krping/$1-" -v nth="$2" '
		# newer kernels trace a kvmalloc() twice, the second time with the caller
		{ who = $1; what = $0; sub(/.*bytes_req=/, "", what); sub(/ .*/, "", what) }
		/call_site=_*kvmalloc_node/ { large = who " " what }
		/\[rdma_krping\]/ && large == who " " what { large = ""; next }
		!/kmalloc(_node)?: .*(\[rdma_krping\]|call_site=_*kvmalloc_node)/ { next }
		/krping_(test|run)_/ && /^ *kwrite/ && !($1 in writer) {
			writer[$1] = ++writers
		}
		index($1, thread) == 1 ||
		(/krping_(test|run)_/ && $1 in writer && writer[$1] == nth) {
			for (i = 1; i <= NF; i++)
				if ($i ~ /^bytes_alloc=/)
					sum += substr($i, 13)
		}
		END { print sum + 0 }' "$T_TMP/trace"
}

# small WHO BYTES: check that BYTES is within the limit, and large enough to prove that the
# trace is complete
small() {
	diag "$1: $2 bytes"
	if [ "$2" -le $HISTOGRAM ] || [ "$2" -gt $LIMIT ]; then
		why "$1: $2 bytes instead of $HISTOGRAM to $LIMIT"
	fi
}

# case_memory PORT OPTIONS: start a server and a client, and check the memory of both
case_memory() {
	trace_on || return 1
	kr_bg s "server,addr=$ADDR,port=$1" || return 1
	server=$(kr_get id)
	kr_bg c "client,addr=$ADDR,port=$1,$2" || return 1
	client=$(kr_get id)
	kr_stop
	trace_off
	small "server for $2" "$(allocated "$server" 1)" &&
		small "client with $2" "$(allocated "$client" 2)"
}

klog_mark
check "size=64,mem_mode=dma: each side allocates at most 32 KiB" case_memory 9101 size=64
check "largest size, mem_mode=dma: each side allocates at most 32 KiB" case_memory 9102 "size=$DMA_MAX"
check "largest size, mem_mode=reg: each side allocates at most 32 KiB" case_memory 9103 "size=$REG_MAX,mem_mode=reg,validate"
check "poll,mem_mode=reg: each side allocates at most 32 KiB" case_memory 9104 "poll,mem_mode=reg"
t_end
