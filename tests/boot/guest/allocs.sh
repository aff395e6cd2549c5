#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A test frees all memory that the module has allocated for it.
# Requires: one guest with one CPU, which tests/boot boots
# Duration: 29 s on rxe, 30 s on siw
#
# Tracepoints of the kernel show each kmalloc() and kfree(). Each kmalloc() of the module's code
# must have a kfree(). The event of a kvmalloc() does not show its caller, so a kvmalloc() counts as
# the module's if a thread of krping calls it. Data buffers are pages, which kmalloc() does not allocate.

# shellcheck source=../../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

trace=/sys/kernel/tracing/instances/krping.$$

# trace_on: record each kmalloc() and kfree() of the kernel
trace_on() {
	mkdir $trace && echo 16384 >$trace/buffer_size_kb && echo 0 >$trace/options/hash-ptr || return 1
	# on older kernels kvmalloc() raises the event kmalloc_node
	for _event in $trace/events/kmem/kmalloc $trace/events/kmem/kmalloc_node; do
		[ -e "$_event" ] || continue
		echo 1 >"$_event"/enable || return 1
	done
	echo 1 >$trace/events/kmem/kfree/enable
}

# trace_off: end the record, and copy it to $T_TMP/trace
trace_off() {
	echo 0 >$trace/events/kmem/enable
	cat $trace/trace >"$T_TMP/trace"
	rmdir $trace
}

# balanced: check that the trace has at least 10 allocations of the module, and that each was freed
balanced() {
	awk '
		match($0, /call_site=[^ ]+/) {
			site = substr($0, RSTART + 10, RLENGTH - 10)
			match($0, /ptr=[^ ]+/)
			ptr = substr($0, RSTART, RLENGTH)
		}
		/ (kmalloc|kmalloc_node): / &&
		(/\[rdma_krping\]/ || (/call_site=_*kvmalloc_node/ && /^ *krping\//)) {
			# newer kernels trace a kvmalloc() twice
			if (!(ptr in owner))
				n++
			owner[ptr] = site
		}
		/ kfree: / { delete owner[ptr] }
		END {
			if (n < 10)
				print "only " n + 0 " allocations were traced"
			for (ptr in owner)
				print "still allocated: " owner[ptr]
		}' "$T_TMP/trace" >"$T_TMP/left"
	eq "$(sort "$T_TMP/left" | uniq -c)" "" "list of allocations"
}

# all_freed COMMAND...: run COMMAND, and check that the module has freed all memory of COMMAND
all_freed() {
	trace_on || return 1
	"$@"
	_rc=$?
	until_ok 60 kr_unheld || return 1
	# some memory is freed after an RCU grace period
	sleep 1
	trace_off
	[ $_rc = 0 ] && balanced
}

# ends SERVER_OPTIONS CLIENT_OPTIONS: run a server and a client that succeed
ends() {
	pair "$@" && kr_ended server ok
}

# The trace needs plain pointers: until the kernel has random numbers, all hashed pointers look
# the same.
if [ ! -e /sys/kernel/tracing/options/hash-ptr ]; then
	echo '1..1'
	echo 'ok 1 - all memory is freed # SKIP this kernel prints no pointers in a trace'
	exit
fi

klog_mark
for opts in size=64 size=64,mem_mode=reg size=20000,mem_mode=reg,validate; do
	check "ping,$opts: all memory is freed" all_freed ends "" "count=3,$opts"
done
check "ping,server_inv with mem_mode=reg of the server: all memory is freed" \
	all_freed ends mem_mode=reg count=3,server_inv,size=5000
for test in wlat rlat slat bw rbw sbw fr; do
	check "$test: all memory is freed" all_freed ends "" "$test,count=20"
done
for test in wlat rlat slat bw rbw sbw; do
	check "$test,mem_mode=reg,validate,srq: all memory is freed" \
		all_freed ends srq,mem_mode=reg "$test,count=5,mem_mode=reg,validate,srq"
done
check "bw,qps=2,threads=2: all memory is freed" all_freed ends "" bw,count=20,qps=2,threads=2

# rejected: run a client without a server and clients that a server rejects, and stop this server
rejected() {
	kr_fails ECONNREFUSED "client,addr=$ADDR,port=9301,count=1"
	kr_bg server "server,addr=$ADDR,port=9302,size=10" || return 1
	for _n in 1 2 3 4 5 6; do
		kr_fails ECONNREFUSED "client,addr=$ADDR,port=9302,size=11,count=1" || return 1
	done
	kr_stop
	kr_ended server ECANCELED
}
check "rejected clients and a stopped server: all memory is freed" all_freed rejected
t_end
