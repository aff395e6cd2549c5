#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A running test takes its data buffers and at most 32 KiB of the module's
#   own memory, histogram included.
# Requires: one guest with one CPU, which tests/boot boots
# Duration: 7 s on rxe, 8 s on siw
#
# A tracepoint shows each kmalloc() and its variants that code of the module calls during the
# start of a test, with the allocated size. The data buffers are whole pages and are not
# counted, and neither is what the provider and the core allocate for the PD, CQ, QP and MRs.
# For a large kvmalloc() the tracepoint does not show the caller: those of the test's thread
# count.

# shellcheck source=../../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

LIMIT=32768
# each side of a ping has one, of 15400 bytes
HISTOGRAM=16384
trace=/sys/kernel/tracing/instances/krping.$$

trace_on() {
	mkdir $trace && echo 4096 >$trace/buffer_size_kb || return 1
	# kvmalloc() of older kernels has an event of its own
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

# taken ID: bytes by the test's thread, and by the write that has started it; the
# writers' are told apart by their order
taken() {
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

# small WHO BYTES: within the limit, and large enough to prove that the trace works
small() {
	diag "$1: $2 bytes"
	if [ "$2" -le $HISTOGRAM ] || [ "$2" -gt $LIMIT ]; then
		why "$1 takes $2 bytes"
	fi
}

# case_memory PORT OPTIONS
case_memory() {
	trace_on || return 1
	kr_bg s "server,addr=$ADDR,port=$1" || return 1
	server=$(kr_get id)
	kr_bg c "client,addr=$ADDR,port=$1,$2" || return 1
	client=$(kr_get id)
	kr_stop
	trace_off
	small "server for $2" "$(taken "$server" 1)" &&
		small "client with $2" "$(taken "$client" 2)"
}

klog_mark
check "memory of a test: 64 bytes, mem_mode=dma" case_memory 9101 size=64
check "memory of a test: largest size, mem_mode=dma" case_memory 9102 "size=$DMA_MAX"
check "memory of a test: largest size, mem_mode=reg" case_memory 9103 "size=$REG_MAX,mem_mode=reg,validate"
check "memory of a test: poll" case_memory 9104 "poll,mem_mode=reg"
t_end
