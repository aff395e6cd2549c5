#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A test allocates at most 38 KiB. This includes its histogram, but not its data
#   buffers.
# Requires: one guest with one CPU, which tests/boot boots
# Duration: 7 s on rxe, 8 s on siw
#
# A tracepoint records the size of each kmalloc() during the start of a test. The subject adds up the
# sizes of krping's own calls. The data buffers are pages, which kmalloc() does not allocate. Allocations
# by the provider and the RDMA core for PD, CQ, QP and MRs do not count. The event of a kvmalloc() does not
# name the caller, so each kvmalloc() of krping's threads and of the writer of the command counts. The
# histogram comes from vmalloc(), which has no tracepoint: /proc/vmallocinfo shows its pages.

# shellcheck source=../../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

LIMIT=38912
# bytes that each side allocates at least, beside its histogram
LEAST=4096
trace=/sys/kernel/tracing/instances/krping.$$

# trace_on: start to record the allocations of krping's threads and of writers of commands
trace_on() {
	mkdir $trace && echo 4096 >$trace/buffer_size_kb || return 1
	# on older kernels kvmalloc() raises the event kmalloc_node
	for _event in $trace/events/kmem/kmalloc $trace/events/kmem/kmalloc_node; do
		[ -e "$_event" ] || continue
		echo 'comm ~ "krping/*" || comm ~ "kwrite*"' >"$_event"/filter &&
			echo 1 >"$_event"/enable || return 1
	done
}

# trace_off: end the record, and copy it to $T_TMP/trace
trace_off() {
	echo 0 >$trace/events/kmem/enable
	cat $trace/trace >"$T_TMP/trace"
	rmdir $trace
}

# allocated ID N: print the bytes that the test ID has allocated in its thread krping/ID, and in the
# write() of its command, whose process is the Nth writer in the trace (counted from 1)
allocated() {
	awk -v thread="krping/$1-" -v nth="$2" '
		# newer kernels record a kvmalloc() again, with the caller: skip the second record
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

# histograms: print the number of krping's vmalloc() areas, and the bytes of the largest one
histograms() {
	awk -v page="$(getconf PAGESIZE 2>/dev/null || echo 4096)" '
		/\[rdma_krping\].* pages=/ {
			areas++
			sub(/.* pages=/, "")
			if ($1 * page > most)
				most = $1 * page
		}
		END { print areas + 0, most + 0 }' /proc/vmallocinfo
}

# small WHO BYTES: check that BYTES and the histogram are within the limit. If BYTES is smaller than LEAST, the
# trace is incomplete.
small() {
	diag "$1: $2 bytes and a histogram of $histogram"
	if [ "$2" -le $LEAST ] || [ $(($2 + histogram)) -gt $LIMIT ]; then
		why "$1: $2 bytes and a histogram of $histogram instead of $LEAST to $LIMIT"
	fi
}

# case_memory PORT OPTIONS: start a server and a client, and check the memory of both
case_memory() {
	trace_on || return 1
	kr_bg s "server,addr=$ADDR,port=$1" || return 1
	server=$(kr_get id)
	kr_bg c "client,addr=$ADDR,port=$1,$2" || return 1
	client=$(kr_get id)
	areas=$(histograms)
	histogram=${areas#* }
	kr_stop
	trace_off
	eq "${areas% *}" 2 "number of histograms" || return 1
	small "server for $2" "$(allocated "$server" 1)" &&
		small "client with $2" "$(allocated "$client" 2)"
}

klog_mark
check "size=64,mem_mode=dma: each side allocates at most 38 KiB" case_memory 9101 size=64
check "largest size, mem_mode=dma: each side allocates at most 38 KiB" case_memory 9102 "size=$DMA_MAX"
check "largest size, mem_mode=reg: each side allocates at most 38 KiB" case_memory 9103 "size=$REG_MAX,mem_mode=reg,validate"
check "poll,mem_mode=reg: each side allocates at most 38 KiB" case_memory 9104 "poll,mem_mode=reg"
t_end
