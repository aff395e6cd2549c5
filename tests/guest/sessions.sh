#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: In sessions, several clients and processes read and write the memory of a server. A
#   server without export rejects sessions, a server with export rejects tests. An export beyond the
#   available memory fails. An idle or busy session stays connected, stop ends sessions, and the command
#   "list" lists them.
# Requires: one guest
# Duration: 20 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=session.inc
. "${0%/*}/session.inc"

port=18200

#
# Several clients and several processes
#

separate_regions() {
	export_bg "export=4k,clients=2" && session one || return 1
	_one=$ID
	session two && kr "put,id=$_one,data=secret" && kr "get,id=$ID,len=6" &&
		kr_has "hex=000000000000" && kr "put,id=$ID,data=public" &&
		kr "get,id=$_one,len=6" && kr_has 'text="secret"' &&
		kr stop && kr_ended one ECANCELED && kr_ended two ECANCELED
}
check "export,clients=2: each client has its own region" separate_regions
kr_stop

several_writers() {
	export_bg "export=64k" && session client || return 1
	for _n in 1 2 3 4; do
		kr_spawn "writer$_n" "write=put,id=$ID,offset=$((_n * 8)),data=writer-$_n" read
	done
	for _n in 1 2 3 4; do
		kr_wait "writer$_n" 60 && kr_returned ok || return 1
	done
	kr "get,id=$ID,offset=8,len=32" && kr_has 'text="writer-1writer-2writer-3writer-4"'
}
check "session: four processes can use one session" several_writers
kr_stop

#
# Rejected clients, the end of a session, memory limits
#

no_export() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port" &&
		kr_fails ECONNREFUSED "client,addr=$ADDR,port=$port,session" &&
		kr_detail_has "exports no memory"
}
check "a server without export rejects a session" no_export
kr_stop

only_sessions() {
	export_bg export=4k &&
		kr_fails ECONNREFUSED "client,addr=$ADDR,port=$port,count=1"
}
check "a server with export rejects a test" only_sessions
kr_stop

no_session() {
	export_bg export=4k && kr_fails EINVAL "get,id=$(kr_get id),len=1"
}
check "an operation on a server is EINVAL" no_session
kr_stop
check "an operation on an id that does not exist is ESRCH" kr_fails ESRCH "get,id=4000000,len=1"

server_stops() {
	export_bg "export=4k" && session client && kr_result server &&
		kr "stop,id=$(kr_get id)" && kr_ended server ECANCELED &&
		kr_ended client ECONNRESET && kr_fails ESRCH "get,id=$ID,len=1"
}
check "a session ends when its server is stopped" server_stops
kr_stop

# Eight processes keep operations queued while the session is stopped.
busy_stop() {
	export_bg "export=64k" && session client || return 1
	for _n in 1 2 3 4 5 6 7 8; do
		kr_spawn "busy$_n" "run=i=0; while [ \$i -lt 400 ]; do i=\$((i + 1));
			echo get,id=$ID,len=64k >/proc/krping || break; done"
	done
	sleep 1
	kr "stop,id=$ID" || return 1
	for _n in 1 2 3 4 5 6 7 8; do
		kr_wait "busy$_n" 60 || return 1
	done
	kr_ended client ECANCELED && kr_ended server ok
}
check "a stop of a busy session ends all its writers" busy_stop
kr_stop

idle_longer_than_timeout() {
	export_bg "export=4k,timeout=5000" || return 1
	kr_bg client "client,addr=$ADDR,port=$port,session,timeout=5000" || return 1
	ID=$(kr_get id)
	sleep 9
	kr "get,id=$ID,len=1" && kr_returned ok
}
check "an idle session outlives its timeout" idle_longer_than_timeout
kr_stop

# A get runs no code on the server, so only keep-alive messages reset the server's timeout.
busy_longer_than_timeout() {
	export_bg "export=4k,timeout=3000" && session client || return 1
	seconds
	_end=$((NOW + 6))
	while [ "$NOW" -le $_end ]; do
		echo "get,id=$ID,len=1" >/proc/krping || why "a get has failed" || return 1
		sleep 0.1
		seconds
	done
}
check "a session with one get after the other outlives the server's timeout" busy_longer_than_timeout
kr_stop

no_memory() {
	export_bg "export=64g" && kr_fails ECONNREFUSED "client,addr=$ADDR,port=$port,session" &&
		kr_ended server ENOMEM && kr_detail_has "bytes of memory are available"
}
check "an export that exceeds the machine's memory is ENOMEM" no_memory
kr_stop

# All 15 regions would exceed the guest's memory if they existed at once.
frees_regions() {
	export_bg "export=100m,clients=15" || return 1
	for _n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
		once "put,offset=99m,data=x,timeout=60000" || return 1
	done
	kr_ended server ok
}
check_within 600 "regions of 100 MiB are freed with their clients" frees_regions
kr_stop

#
# The command "list"
#

lists() {
	export_bg "export=4k,clients=2" || return 1
	_server=$(kr_get id)
	session client || return 1
	kr "put,id=$ID,data=hello" && kr "list,id=$ID" && kr_returned ok &&
		kr_has "id=$ID test=session role=client device=$DEV state=running" &&
		kr_has "size=4096 iterations=1 send_bytes=0" && kr_is write_bytes 5 &&
		case $(kr_get seconds) in
		'' | *[!0-9]*) why "seconds is '$(kr_get seconds)'" ;;
		esac && not kr_has role=server && kr list && kr_has role=client &&
		kr_has "role=server device=$DEV state=running server=$_server" && kr_has "role=server state=listening port=$port size=4096"
}
check "list: the result has a line of key=value for each test" lists
kr_stop
check "list,id: an id that does not exist is ESRCH" kr_fails ESRCH "list,id=4000000"
check "sessions and exports leave no test or object" kr_clean

t_end
