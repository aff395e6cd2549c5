#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Options change on which CPU threads run, and where completions are handled. A trace and
#   /proc/PID prove the effect, because a result might repeat an option that has no effect.
# Requires: one guest with any device
# Duration: 13 s on rxe, 12 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=trace.inc
. "${0%/*}/trace.inc"
# Functions of trace.inc: `watch` runs and traces a server and a client, `server` and `client` select a side, `seen`
# and `seen_in` check sums of this side's records. `has` does these three steps. trace-sum.inc describes the sums.
# `stopping` runs a command, then stops all tests that still run.

T_AT_END=trace_close
if ! trace_open; then
	trace_close
	skip "trace of where threads and completions run" "$T_WHY"
	t_end
	exit
fi

#
# Where completions are handled
#

# reaped WHERE_SERVER WHERE_CLIENT SERVER_OPTIONS CLIENT_OPTIONS: check where server and client reap
# completions. WHERE_... is softirq, worker or thread.
reaped() {
	watch "$3" "$4" && server && seen reaped "$1" && client && seen reaped "$2"
}
for test in count=20 slat,count=20 bw,count=50,txdepth=5; do
	what=${test%%,*}
	[ "$test" != count=20 ] || what=ping
	check "$what: softirqs reap completions" reaped softirq softirq "" $test
	check "$what: a server with poll reaps completions in its thread" reaped thread softirq poll $test
	check "$what: a client with poll reaps completions in its thread" reaped softirq thread "" $test,poll
	check "$what: a server with cq=workqueue reaps completions in a worker" \
		reaped worker softirq cq=workqueue $test
	check "$what: a client with cq=workqueue reaps completions in a worker" \
		reaped softirq worker cq=softirq $test,cq=workqueue
done
check "slat,validate,cq=softirq: workers reap completions" \
	reaped worker worker cq=softirq slat,count=20,validate,cq=softirq
check "slat,rate=1000: the client reaps completions in its thread" \
	reaped softirq thread "" slat,count=20,rate=1000

# states NAME: sample the state of the test's thread 20 times, and set STATES to the number of samples
# with a runnable thread. The client posts an operation every 200 ms, so a thread that does not poll
# sleeps nearly always.
states() {
	kr_result "$1"
	kr_val id
	kr_thread "$KR_VAL" || return 1
	STATES=0
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		read -r _ _ _state _ <"/proc/$KR_PID/stat"
		[ "$_state" != R ] || STATES=$((STATES + 1))
		sleep 0.03
	done
}
# runs_for SERVER_OPTIONS MIN MAX: check that STATES of the server is MIN to MAX
runs_for() {
	kr_bg server "server,addr=$ADDR,port=19012${1:+,$1}" &&
		kr_bg client "client,addr=$ADDR,port=19012,rlat,rate=5" &&
		until_ok 60 kr_runs client && states server || return 1
	if [ "$STATES" -lt "$2" ] || [ "$STATES" -gt "$3" ]; then
		why "the thread was runnable in $STATES of 20 samples"
	fi
}
check "a server with poll: its thread does not sleep" stopping runs_for poll 20 20
check "a server without poll: its thread sleeps" stopping runs_for "" 0 10

#
# The checks of CPUs come last. They need all CPUs online, while trace_open and trace_close need one CPU
# online: see lib-krping/trace-cpus.inc.
#

trace_cpus 1
if ! [ -d /sys/devices/system/cpu/cpu1 ]; then
	skip "trace of the CPUs of threads" "there is one CPU"
	t_end
	exit
fi

# allowed ID CPU: check that krping/ID may run on CPU only
allowed() {
	kr_thread "$1" && eq "$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "/proc/$KR_PID/status")" "$2" \
		"CPUs of krping/$1"
}
four() {
	kr_bg server "server,addr=$ADDR,port=19030,cpu=1" && kr_val id && _server=$KR_VAL &&
		kr_bg client "client,addr=$ADDR,port=19030,slat,threads=4,cpu=1:0-1" &&
		until_ok 60 kr_runs client && kr_val id && _client=$KR_VAL || return 1
	allowed "$_server" 1 && allowed "$_client" 1 && allowed "$_client:1" 0 &&
		allowed "$_client:2" 1 && allowed "$_client:3" 1
}
check "threads=4,cpu=1:0-1: the threads run on CPUs 1, 0, 1 and 1" stopping four

# children CPU...: check the CPUs of the server's threads, in the order of its clients. Each client's
# test and the server's test for this client take the next two ids.
children() {
	_cpus=
	_id=$_server
	for _; do
		_id=$((_id + 2))
		kr_thread $_id || return 1
		_cpus="$_cpus$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "/proc/$KR_PID/status") "
	done
	eq "$_cpus" "$* " "CPUs of the server's threads"
}
successive() {
	kr_bg server "server,addr=$ADDR,port=19031,clients=3,cpu=1:0" && kr_val id && _server=$KR_VAL ||
		return 1
	for _c in 1 2 3; do
		kr_bg client$_c "client,addr=$ADDR,port=19031,slat" && until_ok 60 kr_runs client$_c ||
			return 1
	done
	children 1 0 1
}
check "a server with clients=3,cpu=1:0 serves on CPUs 1, 0 and 1" stopping successive

# If cpu= had no effect, the RDMA core would assign vectors round robin, and some CQs below would have
# another vector than the expected one.
vectors() {
	has client "" slat,count=5,threads=4,cpu=1 cqs 4 vector1 4 &&
		has client "" slat,count=5,threads=4,cpu=0 cqs 4 vector0 4 &&
		has client "" slat,count=5,threads=4,cpu=0:1 cqs 4 vector0 2 vector1 2
}
check "threads=4 with cpu=1, cpu=0 and cpu=0:1: each CQ has the completion vector of its thread's CPU" vectors
server_vectors() {
	for _cpu in 1 1 0 0; do
		has server cpu=$_cpu slat,count=5,cpu=0 cqs 1 vector$_cpu 1 || return 1
	done
}
check "a server with cpu=1, and with cpu=0: the CQ has the completion vector of this CPU" server_vectors
given_vector() {
	has client "" slat,count=5,threads=2,vector=1 cqs 2 vector1 2 &&
		has client "" slat,count=5,threads=2,cpu=1,vector=0 cqs 2 vector0 2 &&
		has client "" slat,count=5,cpu=0,vector=1 vector1 1 &&
		has server cpu=0,vector=1 slat,count=5 cqs 1 vector1 1
}
check "vector=N: the CQs have that completion vector, whatever cpu is" given_vector
trace_cpus 0

t_end
