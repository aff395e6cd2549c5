#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Many tests at the same time, and more clients than a server serves.
# Requires: one guest
# Duration: 9 s on rxe, 11 s on siw

# shellcheck source=../lib.sh
. "${0%/*}/../lib.sh"

PAIRS=64
COUNT=20

each() {
	i=0
	while [ $i -lt $PAIRS ]; do
		i=$((i + 1))
		"$@" $i || return 1
	done
}

# each pair with a size and a mode of its own
options() {
	case $(($1 % 4)) in
	0) mode=mem_mode=dma ;;
	1) mode=mem_mode=reg ;;
	2) mode=server_inv ;;
	3) mode=mem_mode=dma,cq=workqueue ;;
	esac
	size=$((100 * $1))
}

start_server() {
	kr_bg "s$1" "server,addr=$ADDR,port=$((16000 + $1)),timeout=60000"
}

start_client() {
	options "$1"
	kr_fg "c$1" "client,addr=$ADDR,port=$((16000 + $1)),count=$COUNT,size=$size,validate,timeout=60000,$mode"
}

client_ended() {
	options "$1"
	kr_ended "c$1" ok 110 &&
		kr_is iterations $COUNT &&
		kr_is size $size &&
		kr_is send_msgs $((2 * COUNT)) &&
		kr_is recv_bytes $((32 * COUNT))
}

server_ended() {
	options "$1"
	kr_ended "s$1" ok 60 &&
		kr_is iterations $COUNT &&
		kr_is send_msgs $((2 * COUNT)) &&
		kr_is read_bytes $((size * COUNT)) &&
		kr_is write_bytes $((size * COUNT))
}

check "$PAIRS servers in the background" each start_server
check "the list has them all" kr_running $PAIRS

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
check "numbered from 1 to $PAIRS" numbered
each start_client
check "$PAIRS clients at once: each has the right result" each client_ended
check "$PAIRS servers: each has the right result" each server_ended
check "nothing is left" kr_clean

# one stop ends them all

was_stopped() {
	kr_ended "s$1" ECANCELED
}
each start_server
kr stop
check "stop with $PAIRS tests" kr_returned ok
check "it says how many" kr_is stopped $PAIRS
check "none of them is listed any more" kr_none
check "each was stopped" each was_stopped
check "and nothing is left" kr_clean

# a busy server

kr_bg server "server,addr=$ADDR,port=16500"
kr_bg first "client,addr=$ADDR,port=16500,count=0,validate"
check "a first client runs" until_ok 20 kr_runs first
check "a second one is refused, since the server is busy" \
	kr_fails_with ECONNREFUSED "client,addr=$ADDR,port=16500,count=1" busy
check "a third one, too" \
	kr_fails_with ECONNREFUSED "client,addr=$ADDR,port=16500,count=1,mem_mode=reg" busy
kr_result first
check "the first one runs on" kr_is status running
check "and gets further" until_ok 20 kr_runs first "$(kr_get iterations)"
kr_result server
check "the server runs on" kr_is status running
kr_stop
check "the first one was stopped, and nothing else" kr_ended first ECANCELED
kr_wait server

# One client after the other at one server that is started again and again.
again() {
	i=0
	while [ $i -lt 10 ]; do
		i=$((i + 1))
		kr_bg server "server,addr=$ADDR,port=16501" &&
			kr "client,addr=$ADDR,port=16501,count=2,validate" &&
			kr_ended server ok || return 1
	done
}
check "ten pairs after each other on one port" again

t_end
