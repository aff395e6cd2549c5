#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A test's memory and threads are on the NUMA node of its device.
# Requires: one guest with the lab device, and two NUMA nodes with a CPU each
# Duration: 10 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# The lab device is a patched rxe. lab_set and lab_new set its module parameters.
# shellcheck source=lab.inc
. "${0%/*}/lab.inc"

port=7900
nodes=/sys/devices/system/node

# cpus_of NODE: print the CPUs of a node
cpus_of() {
	cat "$nodes/node$1/cpulist"
}

# running SERVER_OPTIONS CLIENT_OPTIONS: start a server and a client, which run until stopped
running() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port${1:+,$1}" && kr_listening server &&
		kr_bg client "client,addr=$ADDR,port=$port,duration=600${2:+,$2}" &&
		until_ok 60 kr_runs client
}

# end: stop server and client
end() {
	kr_stop
	until_ok 60 kr_none
}

# free_on_node1: set FREE to the free memory of node 1, in KiB
free_on_node1() {
	FREE=$(awk '/MemFree/ { print $4 }' "$nodes/node1/meminfo")
}

# memory_on_node1 KIB OPTIONS: check that a test whose threads run on node 0 uses at least KIB KiB
# of node 1's memory
memory_on_node1() {
	_kib=$1
	free_on_node1
	_before=$FREE
	running "cpu=$(cpus_of 0)" "cpu=$(cpus_of 0),$2" || return 1
	free_on_node1
	end
	[ $((_before - FREE)) -ge "$_kib" ] ||
		why "the test has taken $((_before - FREE)) KiB of node 1, not $_kib"
}

# threads_of: print each list of CPUs that one of krping's threads may use, without duplicates
threads_of() {
	for _task in /proc/[0-9]*; do
		case $(cat "$_task/comm" 2>/dev/null) in
		krping/*) sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "$_task/status" ;;
		esac
	done | sort -u
}

# threads_on CPUS SERVER_OPTIONS CLIENT_OPTIONS: check that all threads may use these CPUs
threads_on() {
	running "$2" "$3" || return 1
	_cpus=$(threads_of)
	end
	eq "$_cpus" "$1" "CPUs of the threads"
}

place_has_node() {
	pair "" "count=10" || return 1
	grep -q '^place .* node=1$' "$KR_RESULT" || why "the result has no line place with node=1"
}

# messages_on_node1: check that each allocation for messages requests node 1, though the threads
# run on node 0
messages_on_node1() {
	trace_enable 1 "$kmalloc/enable" || return 1
	echo >/sys/kernel/tracing/trace
	running "cpu=$(cpus_of 0)" "cpu=$(cpus_of 0)"
	_status=$?
	trace_enable 0 "$kmalloc/enable"
	end
	grep -o 'call_site=krping_dma_alloc+.* node=[-0-9]*' /sys/kernel/tracing/trace |
		sed 's/.* //' | sort | uniq -c >"$T_TMP/nodes"
	[ $_status = 0 ] || why "the test has not run" || return 1
	eq "$(awk '{ print $2 }' "$T_TMP/nodes")" node=1 "nodes of allocations"
}
# Kernels before 6.1 have another event for allocations that request a node.
kmalloc=/sys/kernel/tracing/events/kmem/kmalloc
[ ! -e "${kmalloc}_node" ] || kmalloc=${kmalloc}_node

if ! lab_new node=1; then
	echo "Bail out! no device on node 1"
	exit 1
fi

check "the line place of the result has the node of the device" place_has_node
# Client and server have 16 buffers of 1 MiB each, in sum 32768 KiB.
check "buffers of bw are on the node of the device" memory_on_node1 30000 bw,qps=16,size=1m,txdepth=1
check "messages are on the node of the device" messages_on_node1
check "the threads of a test run on the node of the device" threads_on "$(cpus_of 1)" "" bw,threads=2
check "cpu= overrides the node of the device" \
	threads_on "$(cpus_of 0)" "cpu=$(cpus_of 0)" "bw,cpu=$(cpus_of 0)"

lab_new
check "a device without a node leaves its threads on all CPUs" \
	threads_on "$(cat /sys/devices/system/cpu/online)" "" bw

t_end
