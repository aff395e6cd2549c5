#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Tests succeed with completions in each context (poll, softirq, workqueue) and with
#   threads on the first and the last CPU. verbose logs the data. Some warnings appear once per load
#   of the module.
# Requires: one guest
# Duration: 3 s on rxe, 16 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

# works SERVER_OPTIONS CLIENT_OPTIONS [SIZE]: check that a pair succeeds
works() {
	pair "$1" "count=20,size=${3:-1000},validate${2:+,$2}" || {
		kr_returned ok
		return 1
	}
	kr_is iterations 20 && kr_ended server ok && kr_is iterations 20
}

for server in "" poll cq=softirq cq=workqueue; do
	for client in "" poll cq=softirq cq=workqueue; do
		check "a pair with ${server:-the default} on the server and ${client:-the default} on the client succeeds" works "$server" "$client"
	done
done
check "tests in each context leave no test or object" kr_clean

for ctx in poll cq=softirq cq=workqueue; do
	check "$ctx: a pair with mem_mode=reg succeeds" works "$ctx,mem_mode=reg" "$ctx,mem_mode=reg"
	check "$ctx: a pair with server_inv succeeds" works "$ctx" "$ctx,server_inv"
	check "$ctx: a pair with size=20000 succeeds" works "$ctx" "$ctx" 20000
done

last=$(($(nproc) - 1))
check "cpu=0 on both sides: a pair succeeds" works cpu=0 cpu=0
check "cpu=: a pair with cpu=0 on the server and cpu=$last on the client succeeds" works cpu=0 cpu=$last
check "cpu=$last,poll: a pair succeeds" works cpu=$last,poll cpu=0,poll
check "cpu=$last,cq=workqueue: a pair succeeds" works cpu=$last,cq=workqueue cpu=0,cq=workqueue
check "cpu=: a CPU that does not exist is EINVAL" kr_refused EINVAL "client,addr=$ADDR,cpu=$((last + 1))" "cpu=$((last + 1))"

# pinned NAME CPU: check that the test's thread may run on CPU only
pinned() {
	kr_result "$1"
	kr_thread "$(kr_get id)" &&
		eq "$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "/proc/$KR_PID/status")" "$2" Cpus_allowed
}

kr_bg a "server,addr=$ADDR,port=15000,cpu=0"
kr_bg b "server,addr=$ADDR,port=15001,cpu=$last"
kr_bg c "server,addr=$ADDR,port=15002"
check "ping,cpu=0 binds the thread to CPU 0" pinned a 0
check "ping,cpu=$last binds the thread to CPU $last" pinned b $last
check "without cpu= the thread may run on each CPU" pinned c "$(cat /sys/devices/system/cpu/online)"
kr_stop
for name in a b c; do
	kr_wait $name
done

# verbose: the letters in the data of iteration 0 begin with A, those of iteration 1 with B

letters=ABCDEFGHIJKLMNOPQRSTUVWXYZ

# logs server|client|neither COUNT SIZE: run a pair in which this side has verbose; set
# KR_LOG to the log
logs() {
	on_server='' on_client=''
	case $1 in
	server) on_server=,verbose ;;
	client) on_client=,verbose ;;
	esac
	kr_bg server "server,addr=$ADDR,port=15003,$PATIENT$on_server" || return 1
	kr_logged "client,addr=$ADDR,port=15003,$PATIENT,count=$2,size=$3$on_client" || return 1
	log=$KR_LOG
	kr_ended server ok && KR_LOG=$log
}

# lines N: check that KR_LOG has N lines with ping data
lines() {
	eq "$(printf '%s' "$KR_LOG" | grep -c 'ping data')" "$1" "number of lines"
}

client_logs() {
	logs client 3 64 && lines 3 &&
		kr_log_has "ping data (64B max): |rdma-ping-0: $letters" &&
		kr_log_has "ping data (64B max): |rdma-ping-1: BCDEFGHIJK" &&
		kr_log_has "ping data (64B max): |rdma-ping-2: CDEFGHIJKL"
}
check "verbose on the client logs the data" client_logs

server_logs() {
	logs server 2 64 && lines 2 &&
		kr_log_has "server ping data (64B max): |rdma-ping-0: $letters" &&
		kr_log_has "server ping data (64B max): |rdma-ping-1: BCDEFGHIJK"
}
check "verbose on the server logs the data" server_logs

short() {
	logs client 1 5 && kr_log_has "ping data (64B max): |rdma|"
}
check "verbose with size=5 logs four letters and no NUL byte" short

at_most_64() {
	logs client 1 100000 && lines 1 || return 1
	text=${KR_LOG#*|}
	text=${text%|*}
	[ ${#text} -le 80 ] || why "64 bytes with their escapes have at most 80 characters: $text"
}
check "verbose logs 64 bytes at most" at_most_64

quiet() {
	logs neither 3 64 && lines 0
}
check "without verbose the data is not logged" quiet

verbose_poll() {
	works verbose,poll verbose,poll && works verbose,cq=workqueue verbose
}
check "verbose: a pair succeeds in each context" verbose_poll

# Log lines that krping prints once per load of the module

kr_stop
kr_wait server 1
check "context: the module can be reloaded" kr_reload

klog_mark
check "local_dma_lkey: a first pair succeeds" works local_dma_lkey local_dma_lkey,mem_mode=reg
check "local_dma_lkey: a second pair succeeds" works local_dma_lkey local_dma_lkey,mem_mode=reg
# On iWARP krping registers the sinks of READs nevertheless, and explains so once in the kernel log.
case $TYPE in
siw) want=1 ;;
*) want=0 ;;
esac
check "local_dma_lkey: the number of log lines that explain registered sinks is $want per load" \
	eq "$(klog_count 'test [1-9][0-9]*: local_dma_lkey: ')" $want
check "mem_mode=reg: the log has no warning" eq "$(klog_count 'mem_mode=dma:')" 0
check "mem_mode=dma: a first pair succeeds" works "" ""
check "mem_mode=dma: a second pair succeeds" works "" ""
check "mem_mode=dma: the log has one warning per load, with the id of the test" \
	eq "$(klog_count 'mem_mode=dma:') $(klog_count 'test [1-9][0-9]*: mem_mode=dma: ')" "1 1"

t_end
