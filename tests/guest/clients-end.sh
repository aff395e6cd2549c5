#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A server for several clients goes on when one client fails, is killed or is stopped, and
#   when the server's test for one client is stopped. A stop, a signal to the writer or the end of
#   duration= ends the server and its clients.
# Requires: one guest
# Duration: 22 s on rxe, 19 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=background.inc
. "${0%/*}/background.inc"
# Functions of background.inc: serve OPTIONS starts a server, once OPTIONS runs a client to its end, endless NAME
# OPTIONS starts a client, goes_on NAME checks that this client runs, stops NAME stops it, and served CLIENTS
# FAILED ERRNO checks the end of the server.

#
# Clients that fail or stop
#

# If a client of ping stops before the negotiated count, the server's test for this client fails.
one_fails() {
	serve clients=3 && endless a slat,count=0 && endless b count=1000000000,validate || return 1
	stops b || return 1
	failed_is() {
		kr_result server
		kr_is status running && kr_is failed 1
	}
	until_ok 60 failed_is || return 1
	goes_on a && once sbw,count=101 && kr_is send_msgs 101 && kr_is send_bytes 6464 || return 1
	goes_on a && stops a || return 1
	n=$(kr_get iterations)
	kr_is send_msgs "$n" && kr_is recv_msgs "$n" || return 1
	served 3 1 ECONNRESET && kr_detail_has 1 && kr_detail_has disconnected
}
check "clients=3: when one client fails, the others continue and the server ends with ECONNRESET" one_fails
kr_stop
check "a failed client leaves no test or object" kr_clean

# A killed client disconnects during its test.
killed() {
	serve clients=2 && endless a slat,count=0 || return 1
	client count=1000000000
	kr_fg b "$CMD"
	pid=$!
	until_ok 60 ping_runs || return 1
	kill -KILL $pid
	wait $pid
	until_ok 60 kr_running 3 && goes_on a && stops a && served 2 1 ECONNRESET
}

# ping_runs: check that a client of ping has done an iteration
ping_runs() {
	kr list && grep -q ' test=ping role=client .* iterations=[1-9]' "$KR_RESULT"
}
check "clients=2: when one client is killed, the other continues" killed
kr_stop

one_stops() {
	serve clients=2 && endless a slat,count=0 && endless b sbw,count=0 || return 1
	stops b && goes_on a && until_ok 60 alive 1 && stops a && served 2 0 ok
}
check "clients=2: when one client is stopped, the other continues and the server ends without an error" one_stops
kr_stop

#
# Stop of the server or of one of its tests
#

stop_server() {
	serve clients=5 && endless a slat,count=0 && endless b count=0 && endless c rlat,count=0 || return 1
	kr "stop,id=$server_id" && kr_is stopped 1 || return 1
	for c in a b c; do
		kr_ended $c ECONNRESET || return 1
	done
	kr_clean && kr_ended server ECANCELED && kr_is failed 0
}
check "stop of the server ends its clients" stop_server
kr_stop

stop_all() {
	serve clients=0 && endless a slat,count=0 && endless b count=0 || return 1
	kr stop && kr_is stopped 5 && kr_clean_now &&
		kr_ended a ECANCELED && kr_ended b ECANCELED && kr_ended server ECANCELED
}
check "stop ends the server, its clients and their tests" stop_all
kr_stop

# newest_child OTHERS: set CHILD to the id of the newest test whose id is not in OTHERS, here the
# server's test for the last client. The thread of a test is named krping/ID.
newest_child() {
	CHILD=0
	for _p in /proc/[0-9]*; do
		read -r _comm 2>/dev/null <"$_p/comm" || continue
		case $_comm in
		krping/*[!0-9]*) continue ;;
		krping/*) _comm=${_comm#krping/} ;;
		*) continue ;;
		esac
		case " $1 " in
		*" $_comm "*) ;;
		*) [ "$_comm" -lt "$CHILD" ] || CHILD=$_comm ;;
		esac
	done
	[ "$CHILD" != 0 ] || why "the server runs no test for a client"
}

stop_child() {
	serve clients=3 && endless a slat,count=0 || return 1
	others="$server_id $ID"
	endless b slat,count=0 || return 1
	newest_child "$others $ID" || return 1
	kr "stop,id=$CHILD" && kr_is stopped 1 && kr_ended b ECONNRESET || return 1
	goes_on a && until_ok 60 alive 1 && once count=5 && stops a && served 3 0 ok
}
check "clients=3: stop of the server's test of one client lets the other client continue" stop_child
kr_stop

signalled() {
	port=$((port + 1))
	kr_spawn server "signal=2:1000000" "write=server,addr=$ADDR,port=$port,clients=3" read
	pid=$!
	kr_soon endless a slat,count=0 && endless b count=0 || return 1
	kill -INT $pid
	kr_ended server EINTR && kr_ended a ECONNRESET && kr_ended b ECONNRESET && kr_clean
}
check "clients=3: a signal to the writer ends the server with EINTR, and the clients with ECONNRESET" signalled
kr_stop

#
# duration=
#

# expires CLIENTS: check that duration= ends a server while its clients run. If a slow machine cannot
# start the clients within 5 s, try again with 20 s and with 60 s.
expires() {
	for _seconds in 5 20 60; do
		serve clients="$1",duration=$_seconds || return 1
		endless "a$_seconds" slat,count=0 && endless "b$_seconds" count=0 && break
		kr_stop
		kr_wait server
	done
	kr_ended server ok 100 && kr_ended "a$_seconds" ECONNRESET &&
		kr_ended "b$_seconds" ECONNRESET && kr_clean
}
check_within 300 "clients=5,duration=5 ends while clients run" expires 5
kr_stop
check_within 300 "clients=0,duration=5 ends while clients run" expires 0
kr_stop

# expires_alone OPTIONS: check that duration= ends a server with OPTIONS that has no client
expires_alone() {
	serve "$1",duration=1 && kr_ended server ok 60 && kr_clean
}
check "clients=5,duration=1 ends without clients" expires_alone clients=5
kr_stop

t_end
