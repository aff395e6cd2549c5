#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A test frees all memory that the module has allocated for it.
# Requires: one guest with one CPU, which tests/boot boots
# Duration: 29 s on rxe, 30 s on siw
#
# Tracepoints of the kernel show each kmalloc() of the module's code, which needs its kfree().
# A kvmalloc() hides its caller: those of the test's threads count. The data buffers are
# pages that other functions allocate; they are not counted.

# shellcheck source=../../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

trace=/sys/kernel/tracing/instances/krping.$$

trace_on() {
	mkdir $trace && echo 16384 >$trace/buffer_size_kb && echo 0 >$trace/options/hash-ptr || return 1
	# kvmalloc() of older kernels has an event of its own
	for _event in $trace/events/kmem/kmalloc $trace/events/kmem/kmalloc_node; do
		[ -e "$_event" ] || continue
		echo 1 >"$_event"/enable || return 1
	done
	echo 1 >$trace/events/kmem/kfree/enable
}

trace_off() {
	echo 0 >$trace/events/kmem/enable
	cat $trace/trace >"$T_TMP/trace"
	rmdir $trace
}

# balanced: there are allocations, and each has been freed
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
				print "no more than " n + 0 " allocations were seen"
			for (ptr in owner)
				print "still allocated: " owner[ptr]
		}' "$T_TMP/trace" >"$T_TMP/left"
	eq "$(sort "$T_TMP/left" | uniq -c)" "" "what is left"
}

# all_freed COMMAND...
all_freed() {
	trace_on || return 1
	"$@"
	_rc=$?
	until_ok 20 kr_unheld || return 1
	# memory that waits for an RCU grace period
	sleep 1
	trace_off
	[ $_rc = 0 ] && balanced
}

# ends SERVER_OPTIONS CLIENT_OPTIONS
ends() {
	pair "$@" && kr_ended server ok
}

# Without random numbers early after boot, a kernel prints all hashed pointers alike.
if [ ! -e /sys/kernel/tracing/options/hash-ptr ]; then
	echo '1..1'
	echo 'ok 1 - all memory is freed # SKIP this kernel prints no pointers in a trace'
	exit
fi

klog_mark
for opts in size=64 size=64,mem_mode=reg size=20000,mem_mode=reg,validate; do
	check "ping,$opts: all memory is freed" all_freed ends "" "count=3,$opts"
done
check "ping,server_inv, a server that registers: all memory is freed" \
	all_freed ends mem_mode=reg count=3,server_inv,size=5000
for test in wlat rlat slat bw rbw sbw fr; do
	check "$test: all memory is freed" all_freed ends "" "$test,count=20"
done
for test in wlat rlat slat bw rbw sbw; do
	check "$test,mem_mode=reg,validate,srq: all memory is freed" \
		all_freed ends srq,mem_mode=reg "$test,count=5,mem_mode=reg,validate,srq"
done
check "bw,qps=2,threads=2: all memory is freed" all_freed ends "" bw,count=20,qps=2,threads=2

# A server without clients, and rejected clients
refused() {
	kr_fails ECONNREFUSED "client,addr=$ADDR,port=9301,count=1"
	kr_bg server "server,addr=$ADDR,port=9302,size=10" || return 1
	for _n in 1 2 3 4 5 6; do
		kr_fails ECONNREFUSED "client,addr=$ADDR,port=9302,size=11,count=1" || return 1
	done
	kr_stop
	kr_ended server ECANCELED
}
check "refused clients and a stopped server: all memory is freed" all_freed refused
t_end
