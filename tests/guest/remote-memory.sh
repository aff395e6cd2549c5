#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A server that exports memory, and the commands put, get and send of its
#   clients: one at a time, and on sessions.
# Requires: one guest
# Duration: 20 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

port=18000

# export_bg OPTIONS: start a server that exports memory, at the next port
export_bg() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,$1"
}

# once OPTIONS: connect, do one operation, disconnect
once() {
	kr "client,addr=$ADDR,port=$port,$1"
}

# session NAME: connect and stay connected; sets ID
session() {
	kr_bg "$1" "client,addr=$ADDR,port=$port,session" || return 1
	ID=$(kr_get id)
}

#
# One operation per connection.
#

puts_once() {
	export_bg "export=4k" && once "put,offset=16,data=hello" &&
		kr_has 'completion wc_status="success"' &&
		kr_counters_are counters 0 0 0 0 5 1 0 0 && kr_is size 4096 && kr_ended server ok
}
check "put: a client WRITEs once and disconnects" puts_once
kr_stop

gets_once() {
	export_bg "export=4k" && once "get,len=8" &&
		kr_has 'data offset=0 len=8 hex=0000000000000000 text="........"' &&
		kr_counters_are counters 0 0 0 0 0 0 8 1 && kr_ended server ok
}
check "get: exported memory is zeroed" gets_once
kr_stop

sends_once() {
	klog_mark
	export_bg "export=4k" && once "send,data=good morning" && kr_ended server ok &&
		kr_has 'message len=12 hex=676f6f64206d6f726e696e67 text="good morning"' &&
		kr_counters_are counters 0 0 12 1 0 0 0 0 &&
		klog_has "message of 12 bytes from .*good morning"
}
check "send: the server's result and log have the message" sends_once
kr_stop

sends_hex() {
	export_bg "export=4k" && once "send,hex=00ff2241" && kr_ended server ok &&
		kr_has "message len=4 hex=00ff2241 text=\"..'A\""
}
check "send,hex: any byte; the result is still text" sends_hex
kr_stop

#
# Sessions.
#

keeps_data() {
	export_bg "export=4k" && session client && kr_is size 4096 || return 1
	kr "put,id=$ID,offset=4090,data=abcdef" && kr_returned ok &&
		kr "get,id=$ID,offset=4088,len=8" &&
		kr_has 'data offset=4088 len=8 hex=0000616263646566 text="..abcdef"' &&
		kr_has 'completion wc_status="success"' &&
		kr "stop,id=$ID" && kr_ended server ok && kr_ended client ECANCELED
}
check "session: get reads what an earlier put wrote" keeps_data
kr_stop

# The largest MR of rxe has 2 MiB, that of siw 1 MiB.
crosses_pieces() {
	export_bg "export=9m" && session client || return 1
	for _mib in 1 2 4 8; do
		_at=$((_mib * 1048576 - 3))
		kr "put,id=$ID,offset=$_at,data=mib-$_mib" &&
			kr "get,id=$ID,offset=$((_at - 1)),len=7" &&
			kr_has "text=\".mib-$_mib.\"" || return 1
	done
	kr "get,id=$ID,offset=$((9 * 1048576 - 65536)),len=64k" && kr_has "len=65536"
}
check "session: an operation crosses the border of two MRs" crosses_pieces
kr_stop

# The SQ has fewer WRs than the region has MRs: the server waits for room again and again.
many_pieces() {
	export_bg "export=64m" && session client || return 1
	for _mib in 0 17 63; do
		kr "put,id=$ID,offset=${_mib}m,data=mib-$_mib" || return 1
	done
	kr "get,id=$ID,offset=17m,len=6" && kr_has 'text="mib-17"' &&
		kr "get,id=$ID,offset=63m,len=6" && kr_has 'text="mib-63"'
}
check "session: a region of 64 MiB has dozens of MRs" many_pieces
kr_stop

refuses_beyond() {
	export_bg "export=1000" && session client || return 1
	kr_fails EINVAL "put,id=$ID,offset=996,data=hello" && kr_detail_has "1000 bytes" &&
		kr_fails EINVAL "get,id=$ID,offset=1000,len=1" &&
		kr_fails EINVAL "get,id=$ID,offset=18446744073709551615,len=2" &&
		kr_fails EINVAL "get,id=$ID,len=1001" &&
		kr "get,id=$ID,offset=999,len=1" && kr_returned ok
}
check "session: an operation beyond the region is EINVAL, and the session goes on" refuses_beyond
kr_stop

read_only() {
	export_bg "export=4k,ro" && session client || return 1
	kr_fails EINVAL "put,id=$ID,data=x" && kr_detail_has "read-only" &&
		kr "get,id=$ID,len=4" && kr_returned ok
}
check "export,ro: put is EINVAL, and get works" read_only
kr_stop

#
# The device enforces the rights: unchecked posts what krping would refuse.
#

device_refuses() {
	export_bg "$1" && session client || return 1
	kr "$2,id=$ID,unchecked"
	case $KR_ERRNO in
	EIO | ECONNRESET) ;;
	*) why "errno is '$KR_ERRNO'" || return 1 ;;
	esac
	until_ok 10 not kr "get,id=$ID,len=1" && kr_ended server ok
}
check "unchecked: the device refuses a WRITE to a read-only region" \
	device_refuses "export=4k,ro" "put,data=x"
kr_stop
check "unchecked: the device refuses a READ beyond the region" \
	device_refuses "export=4k" "get,offset=64k,len=16"
kr_stop
check "unchecked: the device refuses a WRITE beyond the region" \
	device_refuses "export=4k" "put,offset=4094,data=hello"
kr_stop

#
# Several clients and several writers.
#

separate_regions() {
	export_bg "export=4k,clients=2" && session one || return 1
	_one=$ID
	session two && kr "put,id=$_one,data=secret" && kr "get,id=$ID,len=6" &&
		kr_has "hex=000000000000" && kr "put,id=$ID,data=public" &&
		kr "get,id=$_one,len=6" && kr_has 'text="secret"' &&
		kr stop && kr_ended one ECANCELED && kr_ended two ECANCELED
}
check "export,clients=2: each client has a region of its own" separate_regions
kr_stop

several_writers() {
	export_bg "export=64k" && session client || return 1
	for _n in 1 2 3 4; do
		kr_spawn "writer$_n" "write=put,id=$ID,offset=$((_n * 8)),data=writer-$_n" read
	done
	for _n in 1 2 3 4; do
		kr_wait "writer$_n" 20 && kr_returned ok || return 1
	done
	kr "get,id=$ID,offset=8,len=32" && kr_has 'text="writer-1writer-2writer-3writer-4"'
}
check "session: four processes use one session at a time" several_writers
kr_stop

#
# What goes wrong.
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

# Eight writers keep the session busy, so that operations wait for it when it is stopped.
busy_stop() {
	export_bg "export=64k" && session client || return 1
	for _n in 1 2 3 4 5 6 7 8; do
		kr_spawn "busy$_n" "run=i=0; while [ \$i -lt 400 ]; do i=\$((i + 1));
			echo get,id=$ID,len=64k >/proc/krping || break; done"
	done
	sleep 1
	kr "stop,id=$ID" || return 1
	for _n in 1 2 3 4 5 6 7 8; do
		kr_wait "busy$_n" 20 || return 1
	done
	kr_ended client ECANCELED && kr_ended server ok
}
check "a stop of a busy session ends all its writers" busy_stop
kr_stop

idle_longer_than_timeout() {
	export_bg "export=4k,timeout=2000" || return 1
	kr_bg client "client,addr=$ADDR,port=$port,session,timeout=2000" || return 1
	ID=$(kr_get id)
	sleep 5
	kr "get,id=$ID,len=1" && kr_returned ok
}
check "an idle session outlives its timeout" idle_longer_than_timeout
kr_stop

no_memory() {
	export_bg "export=64g" && kr_fails ECONNREFUSED "client,addr=$ADDR,port=$port,session" &&
		kr_ended server ENOMEM && kr_detail_has "bytes of memory are available"
}
check "an export that exceeds the machine's memory is ENOMEM" no_memory
kr_stop

# Together the regions are larger than the guest's memory.
frees_regions() {
	export_bg "export=100m,clients=15" || return 1
	for _n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
		once "put,offset=99m,data=x,timeout=20000" || return 1
	done
	kr_ended server ok
}
check_within 120 "regions of 100 MiB are freed with their clients" frees_regions
kr_stop

#
# The command list.
#

lists() {
	export_bg "export=4k" && session client || return 1
	kr "put,id=$ID,data=hello" && kr "list,id=$ID" && kr_returned ok &&
		kr_has "id=$ID test=session role=client device=$DEV state=running" &&
		kr_has "size=4096 iterations=1 send_bytes=0" && kr_is write_bytes 5 &&
		case $(kr_get seconds) in
		'' | *[!0-9]*) why "seconds is '$(kr_get seconds)'" ;;
		esac && not kr_has role=server && kr list && kr_has role=server &&
		kr_has role=client
}
check "list: a line of key=value for each test" lists
kr_stop
check "list,id: no such test is ESRCH" kr_fails ESRCH "list,id=4000000"
check "sessions and exports leave no test or object" kr_clean

t_end
