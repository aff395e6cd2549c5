#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Many tests run at the same time. A server rejects clients while it is busy. At most 16
#   clients connect at a time.
# Requires: one guest with any device
# Duration: 9 s on rxe, 11 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# lib-peer.sh runs krping against krping-peer, a program that breaks the protocol on request (--fault).
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"

# 64 clients at once delay each other. Let kwrite, which writes the commands and checks the results, accept the
# result of a client that spends ten minutes outside its iterations.
export KWRITE_SETUP_MS=600000

PAIRS=64
COUNT=20

# each COMMAND...: run COMMAND with each number from 1 to PAIRS as its last argument
each() {
	i=0
	while [ $i -lt $PAIRS ]; do
		i=$((i + 1))
		"$@" $i || return 1
	done
}

# options N: set size, which differs for each pair, and mode, one of four
options() {
	case $(($1 % 4)) in
	0) mode=mem_mode=dma ;;
	1) mode=mem_mode=reg ;;
	2) mode=server_inv ;;
	3) mode=mem_mode=dma,cq=workqueue ;;
	esac
	size=$((100 * $1))
}

# start_server N: start server N
start_server() {
	kr_bg "s$1" "server,addr=$ADDR,port=$((16000 + $1)),timeout=60000"
}

# start_client N: start the client of server N
start_client() {
	options "$1"
	kr_spawn "c$1" limit=600 \
		"write=client,addr=$ADDR,port=$((16000 + $1)),count=$COUNT,size=$size,validate,timeout=60000,$mode" read
}

# client_ended N: check the result of client N
client_ended() {
	options "$1"
	kr_ended "c$1" ok 600 &&
		kr_is iterations $COUNT &&
		kr_is size $size &&
		kr_is send_msgs $((2 * COUNT)) &&
		kr_is recv_bytes $((32 * COUNT))
}

# server_ended N: check the result of server N
server_ended() {
	options "$1"
	kr_ended "s$1" ok 60 &&
		kr_is iterations $COUNT &&
		kr_is send_msgs $((2 * COUNT)) &&
		kr_is read_bytes $((size * COUNT)) &&
		kr_is write_bytes $((size * COUNT))
}

check_within 300 "$PAIRS servers start in the background" each start_server
check "the list has all $PAIRS servers" kr_running $PAIRS

numbered() {
	want=
	i=0
	while [ $i -lt $PAIRS ]; do
		i=$((i + 1))
		want="$want${want:+
}$i listen"
	done
	kr_list
	eq "$KR_LIST" "$want" "the list"
}
check "the list numbers $PAIRS servers from 1" numbered
each start_client
check_within 900 "$PAIRS clients at once: each has the right result" each client_ended
check_within 300 "$PAIRS servers: each has the right result" each server_ended
check "$PAIRS pairs leave no test or object" kr_clean

# A stop without an id ends all tests.

# was_stopped N: check that server N has been stopped
was_stopped() {
	kr_ended "s$1" ECANCELED
}
each start_server
kr stop
check "stop ends $PAIRS tests" kr_returned ok
check "stop with many tests returns their number" kr_is stopped $PAIRS
check "after stop with many tests the list is empty" kr_none
check_within 300 "each of many stopped tests ends with ECANCELED" each was_stopped
check "many stopped tests leave no test or object" kr_clean

# A server rejects further clients while the server serves a client.

kr_bg server "server,addr=$ADDR,port=16500"
kr_bg first "client,addr=$ADDR,port=16500,count=0,validate"
check "the first of three clients runs" until_ok 60 kr_runs first
check "a second client is rejected as busy" \
	kr_fails_with ECONNREFUSED "client,addr=$ADDR,port=16500,count=1" busy
check "a third client is rejected as busy" \
	kr_fails_with ECONNREFUSED "client,addr=$ADDR,port=16500,count=1,mem_mode=reg" busy
kr_result first
check "the first client runs while others are rejected" kr_is status running
check "the first client does more iterations while others are rejected" until_ok 60 kr_runs first "$(kr_get iterations)"
kr_result server
check "the server of the first client runs while others are rejected" kr_is status running
kr_stop
check "the first client ends with ECANCELED only at its stop" kr_ended first ECANCELED
kr_wait server

# Each pair on the port has a new server.
again() {
	i=0
	while [ $i -lt 10 ]; do
		i=$((i + 1))
		kr_bg server "server,addr=$ADDR,port=16501" &&
			kr "client,addr=$ADDR,port=16501,count=2,validate" &&
			kr_ended server ok || return 1
	done
}
check "ten pairs run one after the other on one port" again

#
# krping has 16 connect slots. A client holds a slot while it connects, and loses the slot after
# 5 s if other clients wait for one.
#

SLOT_SECONDS=5

# start_unanswered N: start N clients of a server that answers no connect request. On return all
# of them run, and most have requested a connect slot.
start_unanswered() {
	peer_server silent --fault silent=request || return 1
	seconds
	_since=$NOW
	hung='' _clients=$1
	while [ "$1" -gt 0 ]; do
		hung="$hung hung$1"
		kr_fg "hung$1" "client,addr=$ADDR,port=$port,$PATIENT"
		set -- $(($1 - 1))
	done
	until_ok 60 kr_running "$_clients" || return 1
	sleep 1
}

# stop_unanswered: stop the clients of start_unanswered, and kill the server (status 137)
stop_unanswered() {
	kr_stop
	# shellcheck disable=SC2154 # peer_server sets it
	kill -KILL "$peer_pid_silent"
	kr_all_ended "$hung" ECANCELED && peer_ended silent 137
}

# server_has_slots: check that, while 16 clients without an answer hold all slots, a server serves a
# client before the first slot expires. A busy guest may be slow, so there are three attempts. If the
# start of the 16 clients takes most of the 5 s, the check proves nothing, and passes.
server_has_slots() {
	for _try in 1 2 3; do
		start_unanswered 16 || return 1
		seconds
		_start=$((NOW - _since))
		next_port
		kr_bg server "server,addr=$ADDR,port=$port,$PATIENT" || return 1
		peer_client p --count 3
		peer_ended p && kr_ended server ok
		_ok=$?
		seconds
		_took=$((NOW - _since))
		stop_unanswered && [ $_ok = 0 ] || return 1
		[ $_took -ge $SLOT_SECONDS ] || return 0
	done
	if [ "$_start" -ge $((SLOT_SECONDS - 2)) ]; then
		diag "not checked: the start of 16 clients took $_start s"
		return 0
	fi
	why "the client of the server was served $_took s after the start of the 16 clients"
}
check_within 300 "clients that wait for an answer do not keep a server from accepting" server_has_slots

# The 17th client waits for a slot, so the timer that revokes slots runs. If rmmod did not stop
# the timer, its function would run during the sleep, and crash the guest.
unloads_with_timer() {
	start_unanswered 17 && stop_unanswered && until_ok 60 kr_unheld &&
		rmmod rdma_krping || return 1
	sleep $((SLOT_SECONDS + 1))
	insmod "$KR_KO"
}
check_within 300 "rmmod stops the timer of the connect slots" unloads_with_timer

t_end
