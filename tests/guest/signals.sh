#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A signal ends the test of the process that waits in write(2). A background
#   test outlives its writer.
# Requires: one guest with any device
# Duration: 4 s on rxe, 3 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=background.inc
. "${0%/*}/background.inc"

# kwrite, the program that writes the command, receives SIGINT (2) after 1500 ms.
interrupted() {
	kr_steps signal=2:1500 "write=server,addr=$ADDR,port=17504" read
	kr_returned EINTR && kr_clean_now
}
check "a signal to a server's writer: EINTR, and nothing is left" interrupted

interrupted_client() {
	kr_bg server "server,addr=$ADDR,port=17505" || return 1
	# signal=15:1000000 installs a handler of SIGTERM; kwrite itself would send SIGTERM only after 1000 s
	kr_spawn victim signal=15:1000000 "write=client,addr=$ADDR,port=17505,count=0" read
	pid=$!
	until_ok 60 kr_runs server || return 1
	kill -TERM $pid
	kr_ended victim EINTR || return 1
	[ "$(kr_get iterations)" -gt 0 ] || {
		why "no iterations"
		return 1
	}
	kr_wait server 60 && kr_clean
}
check "a signal to the writer of a running client: EINTR" interrupted_client
kr_stop

killed() {
	kr_fg victim "server,addr=$ADDR,port=17506"
	pid=$!
	until_ok 60 kr_running 1 || return 1
	kill -KILL $pid
	wait $pid
	kr_clean
}
check "SIGKILL to a server's writer ends the server" killed

killed_client() {
	kr_bg server "server,addr=$ADDR,port=17507" || return 1
	kr_fg victim "client,addr=$ADDR,port=17507,count=0"
	pid=$!
	until_ok 60 kr_runs server || return 1
	kill -KILL $pid
	wait $pid
	kr_wait server 60 && kr_clean
}
check "SIGKILL to a client's writer ends the client" killed_client
kr_stop

# A background test does not depend on its writer.
outlives() {
	"$KWRITE" "write=server,addr=$ADDR,port=17508,background" >"$KR_RESULT"
	kr_take
	eq "$KR_ERRNO" 0 && kr_running 1 &&
		kr "client,addr=$ADDR,port=17508,count=2" && kr_clean
}
check "a background test outlives its writer and its descriptor" outlives
kr_stop

# Two processes stop all tests at the same time.
stop_twice() {
	endless_pair a || return 1
	kr_fg s1 stop
	kr_fg s2 stop
	kr_wait s1 60 && kr_wait s2 60 && kr_ended a ECANCELED && kr_wait a_s 60 && kr_clean
}
check "two concurrent stops both return" stop_twice
kr_stop

t_end
