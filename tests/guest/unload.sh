#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: rmmod fails while krping is in use and succeeds as soon as the last write has
#   returned. A newly loaded module numbers its tests from 1.
# Requires: one guest
# Duration: 5 s on rxe, 7 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=background.inc
. "${0%/*}/background.inc"

loaded() {
	[ -d /sys/module/rdma_krping ]
}

refused() {
	kr_bg server "server,addr=$ADDR,port=17520" || return 1
	# An rmmod that waited for the server would hang until the stop.
	if timeout 60 rmmod rdma_krping 2>/dev/null; then
		why "rmmod was not refused"
		return 1
	fi
	loaded || return 1
	kr "client,addr=$ADDR,port=17520,count=3,validate" && kr_ended server ok
}
check "rmmod fails while a server listens, and the server goes on" refused
kr_stop

refused_open() {
	until_ok 60 kr_unheld
	if timeout 60 rmmod rdma_krping 2>/dev/null 3<>$KR; then
		why "rmmod was not refused"
		return 1
	fi
	loaded
}
check "rmmod fails while a descriptor is open" refused_open

refused_running() {
	endless_pair a || return 1
	if timeout 60 rmmod rdma_krping 2>/dev/null; then
		why "rmmod was not refused"
		return 1
	fi
	loaded && kr_runs a && kr_is status running
}
check "rmmod fails while a pair runs, and the pair goes on" refused_running
kr_stop
kr_wait a 60
kr_wait a_s 60

# removed CMD: check that rmmod succeeds immediately after one process has written CMD and closed its
# descriptor
removed() {
	until_ok 60 kr_unheld
	kr_steps "write=$1" read close "run=rmmod rdma_krping"
	kr_is run 0 && ! loaded && insmod "$KR_KO"
}

check "rmmod works when a failed client has returned" \
	removed "client,addr=$ADDR,port=17521"

removed_after_signal() {
	kr_steps signal=2:1500 "write=server,addr=$ADDR" close "run=rmmod rdma_krping"
	eq "$KR_ERRNO" EINTR && kr_is run 0 && insmod "$KR_KO"
}
check "rmmod works when a server has been interrupted" removed_after_signal
check "rmmod works when a command was rejected" removed "client,bogus"

# Run rmmod immediately after the second of two writes has returned.
removed_after_pair() {
	kr_fg server "server,addr=$ADDR,port=17522"
	pid=$!
	kr_soon kr "client,addr=$ADDR,port=17522,count=20,mem_mode=reg" || return 1
	wait $pid
	rmmod rdma_krping || {
		why "rmmod failed"
		return 1
	}
	insmod "$KR_KO" && kr_ended server ok
}
for round in 1 2 3 4 5; do
	check "rmmod works when both writes of a pair have returned (round $round)" removed_after_pair
done

check "a pair runs after the module was loaded anew" pair "" count=3,validate
kr_wait server
check "a module that was loaded anew numbers its tests from 1" [ "$(kr_get id)" -le 2 ]

t_end
