#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Stop, signals to the writers and the removal of the device end tests at each stage, from
#   a server that listens to a test that waits for its peer's report.
# Requires: one guest
# Duration: 14 s on rxe, 25 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# lib-peer.sh runs krping against krping-peer, a program that breaks the protocol on request (--fault).
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"

base=21000

# running NAME PORT OPTIONS: start an endless pair, s_NAME and c_NAME
running() {
	kr_bg "s_$1" "server,addr=$ADDR,port=$2,timeout=0" &&
		kr_bg "c_$1" "client,addr=$ADDR,port=$2,timeout=0,validate,$3" || return 1
	bg_names="$bg_names s_$1 c_$1"
}

# start_all: for each stage, start a test that waits at this stage; also start two more listeners and two
# endless pairs
start_all() {
	base=$((base + 100))
	stage_begin timeout=0
	stage_peer_servers "$ADDR" $base || return 1
	stage_clients_begin "$ADDR" $base
	stage_servers_begin "$ADDR" $((base + 50)) || return 1
	stage_peer_clients "$ADDR" $((base + 50))
	stage_peers_stand || return 1

	bg_names=bound
	kr_bg bound "server,addr=$ADDR,port=$((base + 90))" &&
		kr_bg any "server,addr=0.0.0.0,port=$((base + 91))" &&
		running ping $((base + 92)) mem_mode=reg &&
		running sbw $((base + 93)) sbw &&
		until_ok 60 kr_runs c_ping
}

# rmmod fails while a test exists, at any stage.
pinned() {
	if timeout 60 rmmod rdma_krping 2>/dev/null; then
		why "rmmod was not refused"
		return 1
	fi
	[ -d /sys/module/rdma_krping ]
}

# removed: check that the module can be unloaded, and load it again
removed() {
	kr_reload
}

# after EVENT: make the checks that follow an event
after() {
	check "$1 at each stage: the peers end" stage_peers_end
	check "$1 at each stage: no test or object is left" kr_clean
	check "$1 at each stage: the module can be unloaded" removed
}

# stops: stop all tests by six commands at once, and check that each returns ok or ESRCH
stops() {
	for _n in 1 2 3 4 5 6; do
		kr_fg stop$_n stop
	done
	kr_all_ended "stop1 stop2 stop3 stop4 stop5 stop6" ok ESRCH
}

check_within 300 "a test waits at each stage, for signals" start_all
check "rmmod fails while a test waits at each stage" pinned
# signals: kill every second writer and interrupt the others
signals() {
	notified=''
	# shellcheck disable=SC2086 # words
	set -- $stage_names
	for pid in $stage_pids; do
		if [ $(($# % 2)) = 0 ]; then
			kill -KILL "$pid"
		else
			kill -TERM "$pid"
			notified="$notified $1"
		fi
		shift
	done
	stages_ended "$notified" EINTR
}
check "signals: the tests in the foreground end with EINTR" signals
check "signals: the six tests in the background go on" until_ok 60 kr_running 6
check "six stops at once return after signals" stops
check "six stops at once end the tests in the background" kr_all_ended "$bg_names any" ECANCELED
after "signals"

check_within 300 "a test waits at each stage, for stop" start_all
check "six stops at once return with a test at each stage" stops
check "stop ends the test at each stage: ECANCELED" stage_ended ECANCELED
check "stop ends the tests in the background, too: ECANCELED" kr_all_ended "$bg_names any" ECANCELED
after "stop"

check_within 300 "a test waits at each stage, for the removal of the device" start_all
# Some tests see the end of their peer first. The test that waits only for the report ends with ok.
deleted() {
	rdma link delete "$DEV"
	stage_ended ENODEV ECONNRESET ECONNREFUSED ok
}
check "removal of the device ends the test at each stage" deleted
kr_seen
seen=$KR_SEEN
check "removal of the device ends the tests in the background, too" kr_all_ended "$bg_names" ENODEV ECONNRESET
kr_seen
seen=$seen$KR_SEEN
check "removal of the device: some tests end with ENODEV" [ "${seen#*ENODEV}" != "$seen" ]
check "removal of the device: a wildcard server still listens" kr_running 1

device_again
kr "client,addr=$ADDR,port=$((base + 91)),count=3,validate"
check "a wildcard server that survived a removal serves the new device" kr_returned ok
check "a wildcard server that survived a removal ends after its client" kr_ended any ok
after "removal of the device"

t_end
