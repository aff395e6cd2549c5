#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Each request of a disk ends, even if the server's keys are wrong or become invalid, the
#   server's memory is smaller than announced, or the server disconnects and rejects the disk's
#   reconnects. A request that no connection carries out ends with an error.
# Requires: one guest
# Duration: 20 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# lib-peer.sh runs krping against krping-peer, a program that breaks the protocol on request (--fault).
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"
# shellcheck source=disk.inc
. "${0%/*}/disk.inc"

if provider_is rxe 5.10; then
	skip "hostile server: disks" 'rxe of 5.10 sends no NAK for a READ or WRITE with an invalid rkey'
	t_end
fi

# no_disk: check that no disk of krping exists
no_disk() {
	for _d in /sys/block/krping*; do
		[ ! -e "$_d" ] || why "$_d still exists" || return 1
	done
}

# serves NAME WHAT: start krping-peer as a server of a disk on $port, for one connection. The fault
# disk=WHAT begins when the file $T_TMP/go exists. Close descriptor 7, because krping-peer must not hold
# the disk open.
serves() {
	peer_start "$1" server "$ADDR" "$port" --test session --fault "disk=$2" --pause "$T_TMP/go" 7<&- &&
		until_ok "$PEER_WAIT" peer_says "$1" listening
}

# begins WHAT [OPTIONS]: make a disk on a server with the fault WHAT, and open the disk as descriptor 7
begins() {
	next_port
	rm -f "$T_TMP/go"
	serves first "$1" && disk client "qps=1${2:+,$2}" && exec 7<>"/dev/$DISK"
}

# goes_bad: let the server begin the fault that begins() has selected
goes_bad() {
	: >"$T_TMP/go"
	until_ok "$PEER_WAIT" peer_says first "done"
}

# writes N [AT]: start N writers. Writer i, counted from 0, writes the block of 4 KiB with the number
# AT + i. AT is 0 by default.
writes() {
	_writers=
	_n=0
	while [ $_n -lt "$1" ]; do
		dd if=/dev/zero of=/proc/self/fd/7 bs=4k count=1 seek=$((_n + ${2-0})) oflag=direct conv=notrunc \
			2>"$T_TMP/writer$_n" &
		_writers="$_writers $!"
		_n=$((_n + 1))
	done
}

# written ok|failed: wait for the writers, and check that each has succeeded, or failed
written() {
	for _writer in $_writers; do
		_ended=ok
		wait "$_writer" || _ended=failed
		eq "$_ended" "$1" "end of a writer" || return 1
	done
}

# unusable WHAT [OPTIONS]: check that the client's command fails if the server has the fault WHAT from
# the start. The kernel then fails to read the partition table of the new disk.
unusable() {
	next_port
	: >"$T_TMP/go"
	serves first "$1" || return 1
	kr "client,addr=$ADDR,port=$port,disk,qps=1,$PATIENT${2:+,$2}"
	failed_for client EIO/ECONNRESET '' && peer_ended first && no_disk && kr_clean
}
check "hostile server: a disk is not created if the key of its memory does not work" unusable key
check "hostile server: a disk with reconnect= is not created if the key does not work" \
	unusable key reconnect=60
kr_stop

# serves_two NAME WHAT: start krping-peer as a server of a disk for two connections. The second
# connection has the fault WHAT.
serves_two() {
	peer_start "$1" server "$ADDR" "$port" --test session --fault "disk=$2" --conns 2 --conn-idx 1 7<&- &&
		until_ok "$PEER_WAIT" peer_says "$1" listening
}

# alike: check that krping accepts two equal regions. This is the positive control of unlike.
alike() {
	next_port
	serves_two first good && disk client qps=2 && copy /dev/zero "/dev/$DISK" 4k count=8 oflag=direct conv=notrunc &&
		kr "stop,id=$ID" && kr_ended client ECANCELED && peer_ended first && no_disk
}
check "hostile server: a disk of two connections is created if both have the same region" alike
kr_stop

# unlike WHAT: check that krping rejects the regions of two connections if the fault WHAT makes them
# differ
unlike() {
	next_port
	serves_two first "$1" && kr_fails EPROTO "client,addr=$ADDR,port=$port,disk,qps=2,$PATIENT" &&
		kr_detail_has "not the same on each connection" && peer_ended first && no_disk && kr_clean
}
check "hostile server: a disk is not created if its connections have servers of different identity" \
	unlike identity
check "hostile server: a disk is not created if its connections have regions of different size" unlike size
check "hostile server: a disk is not created if the last piece of the region has another size on one connection" unlike tail
check "hostile server: a disk is not created if its connections have different rights" unlike ro
kr_stop

# ends WHAT [AT]: check that eight requests, from block AT on, fail because of the fault WHAT, and that
# the disk disappears after its close
ends() {
	begins "$1" && goes_bad || return 1
	writes 8 ${2:+"$2"}
	written failed
	_status=$?
	exec 7<&-
	[ $_status = 0 ] && kr_all_ended client EIO ECONNRESET && peer_ended first && no_disk
}
check "hostile server: requests beyond the MR of the server fail" ends size 120
kr_stop
check "hostile server: eight requests fail after the server has deregistered its memory" ends revoke
kr_stop
check "hostile server: eight requests fail after the server has disconnected" ends leave
kr_stop

# live: check that the disk is connected
live() {
	eq "$(cat "/sys/block/$DISK/state")" live state
}

# again: start a server with the same identity and without a fault, and wait until the disk has
# connected to this server
again() {
	serves good good && until_ok "$PEER_WAIT" live
}

# storm: check that the disk repeats its requests until a server carries them out
storm() {
	begins leave reconnect=600 && goes_bad && peer_ended first || return 1
	writes 8
	for _i in 1 2; do
		peer_start drop server "$ADDR" "$port" --fault disconnect=connect && peer_ended drop || return 1
	done
	peer_start reject server "$ADDR" "$port" --fault reject=1 && peer_ended reject &&
		again && written ok && kr "list,id=$ID" && kr_is state running
	_status=$?
	exec 7<&-
	[ $_status = 0 ] && kr "stop,id=$ID" && kr_ended client ECANCELED && peer_ended good && no_disk
}
check_within 600 "hostile server: requests survive three disconnects and a reject" storm
kr_stop

# bad_keys: give each new connection a wrong key, which ends the connection. A request that has lost six
# connections must fail. A connection that ends fails several requests, so eight writers end within 20 connections.
bad_keys() {
	begins leave reconnect=600 && goes_bad && peer_ended first || return 1
	writes 8
	_round=0
	for _writer in $_writers; do
		while kill -0 "$_writer" 2>/dev/null; do
			_round=$((_round + 1))
			[ $_round -le 20 ] || why "the writers have not ended" || return 1
			serves key key && peer_ended key || return 1
		done
	done
	written failed && again && copy /dev/zero /proc/self/fd/7 4k count=8 oflag=direct conv=notrunc
	_status=$?
	exec 7<&-
	[ $_status = 0 ] && kr "stop,id=$ID" && kr_ended client ECANCELED && peer_ended good && no_disk
}
check_within 600 "hostile server: requests fail after six connections with wrong keys, and the disk stays" bad_keys
kr_stop

check "disks of hostile servers leave no test, RDMA object or log line" kr_clean
t_end
