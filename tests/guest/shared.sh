#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: With export=SIZE,shared all clients of a server use the same memory, which the server
#   keeps until its end.
# Requires: one guest
# Duration: 10 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

port=18700

# export_bg OPTIONS: start a server that exports memory, at the next port
export_bg() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT,$1"
}

# once OPTIONS: run a client that connects, does the operation in OPTIONS, and disconnects
once() {
	kr "client,addr=$ADDR,port=$port,$PATIENT,$1"
}

# session NAME: start a client that stays connected, and set ID to its id
session() {
	kr_bg "$1" "client,addr=$ADDR,port=$port,session,$PATIENT" || return 1
	ID=$(kr_get id)
}

# reads HEX: check that a new client reads these 6 bytes at offset 9 MiB
reads() {
	once get,offset=9m,len=6 && kr_has "data offset=9437184 len=6 hex=$1"
}

two_clients() {
	export_bg export=10m,shared,clients=2 && session a && a=$ID && session b && b=$ID || return 1
	kr "put,id=$a,offset=9m,data=shared" && kr_has 'offset=9437184 len=6 kept=1' && kr "get,id=$b,offset=9m,len=6" &&
		kr_has 'text="shared"' && kr "put,id=$b,offset=9m,data=again!" &&
		kr "get,id=$a,offset=9m,len=6" && kr_has 'text="again!"' &&
		kr "stop,id=$a" && kr "get,id=$b,offset=9m,len=6" && kr_has 'text="again!"' &&
		kr "stop,id=$b" && kr_ended server ok && kr_clean
}
check "shared: two clients read each other's data, also after one has disconnected" two_clients
kr_stop

stays() {
	export_bg export=10m,shared,clients=0 && reads 000000000000 &&
		once put,offset=9m,data=stays! && reads 737461797321 && kr stop && kr_clean || return 1
	export_bg export=10m,shared,clients=0 && reads 000000000000 && kr stop && kr_clean
}
check "shared: the data lives as long as the server, and the next server begins with zeros" stays
kr_stop

separate() {
	export_bg export=10m,clients=0 && once put,offset=9m,data=mine && reads 000000000000
}
check "export without shared: each client has its own memory" separate
kr_stop

read_only() {
	export_bg export=64k,shared,ro,clients=0 && once get,len=4 && kr_has 'hex=00000000' &&
		kr_fails EINVAL "client,addr=$ADDR,port=$port,$PATIENT,put,data=x" &&
		kr_detail_has 'read-only' || return 1
	# The device rejects a WRITE that krping does not check; the errno depends on the provider.
	! once put,data=x,unchecked && once get,len=4 && kr_has 'hex=00000000'
}
check "shared: with ro no client can write" read_only
kr_stop

two_disks() {
	export_bg export=4m,shared,clients=2 || return 1
	kr_bg one "client,addr=$ADDR,port=$port,disk,$PATIENT" && one=$(kr_get id) &&
		kr_bg two "client,addr=$ADDR,port=$port,disk,$PATIENT" && two=$(kr_get id) || return 1
	dd if=/dev/urandom of="$T_TMP/data" bs=4k count=256 2>/dev/null
	dd if="$T_TMP/data" of=/dev/krping0 bs=64k oflag=direct 2>/dev/null &&
		dd if=/dev/krping1 of="$T_TMP/read" bs=64k count=16 iflag=direct 2>/dev/null &&
		cmp "$T_TMP/data" "$T_TMP/read" || return 1
	[ "$(cat /sys/block/krping0/serial)" = "$(cat /sys/block/krping1/serial)" ] ||
		why "the serial numbers of two disks on one memory differ"
	kr "stop,id=$one" && kr "stop,id=$two" && kr_ended server ok && kr_clean
}
check "shared: two disks have the same data and serial number" two_disks
kr_stop

stops() {
	export_bg export=4m,shared,clients=0 && session a && session b && kr stop && kr_clean
}
check "shared: stop ends the server and its clients" stops
kr_stop

at_once() {
	export_bg export=8m,shared,clients=8 || return 1
	pids=
	for i in 1 2 3 4 5 6 7 8; do
		kr_fg "at$i" "client,addr=$ADDR,port=$port,$PATIENT,put,offset=${i}m,data=client$i"
		pids="$pids $!"
	done
	# offset=8m is beyond the memory
	for i in 1 2 3 4 5 6 7; do
		kr_ended "at$i" ok || return 1
	done
	kr_ended at8 EINVAL && kr_clean
}
check "shared: eight clients connect at once" at_once
kr_stop

too_large() {
	export_bg export=1000g,shared,clients=0 && ! once get,len=4 && kr_listening && kr stop && kr_clean
}
check "shared: an export beyond the available memory rejects clients, and the server keeps running" too_large
kr_stop

replugged() {
	export_bg export=6m,shared,clients=0 || return 1
	kr stop && port=$((port + 1)) &&
		kr_bg server "server,addr=0.0.0.0,port=$port,$PATIENT,export=6m,shared,clients=0" &&
		once put,offset=5m,data=before && session a && rdma link delete "$DEV" &&
		kr_ended a ENODEV || return 1
	device_again && kr_soon once get,offset=5m,len=6 && kr_has 'text="before"' && kr stop && kr_clean
}
check "shared: the data survives the removal of the device" replugged
kr_stop

t_end
