#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: While ping, bw, a disk and a session run, an attacker, a client on the same device, WRITEs
#   to the tests' memory with the tests' keys. The device rejects each WRITE, and the tests go on. If
#   the device lets the attacker invalidate a key, only the test that uses the key fails.
# Requires: one guest
# Duration: 90 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# lib-peer.sh runs krping against krping-peer, a program that breaks the protocol on request (--fault).
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"
# shellcheck source=background.inc
. "${0%/*}/background.inc"
# shellcheck source=disk.inc
. "${0%/*}/disk.inc"
# shellcheck source=trace.inc
. "${0%/*}/trace.inc"

# rxe of 5.10 sends no NAK, so each attempt waits for the end of its retries.
if provider_is rxe 5.10; then
	skip "conform: a hostile client attacks running tests" 'rxe sends no NAK for a READ or WRITE'
	t_end
fi

PLACES=$TRACING/instances/krping_places

# places_open: record remote address and key of each WR that a test posts. Offsets in bytes: opcode 28
# in struct ib_send_wr; remote_addr 40 and rkey 48 in struct ib_rdma_wr. Recording pauses while the records
# are read: a reader slower than the test would never reach the last record.
# shellcheck disable=SC2016 # the kernel expands $arg2
places_open() {
	mkdir -p "$PLACES" && echo 1 >"$PLACES/options/pause-on-trace" || return 1
	TRACE=$PLACES trace_probe p:place "${TYPE}_post_send" \
		'op=+28($arg2):u32 addr=+40($arg2):x64 key=+48($arg2):x32'
}

# places_close: end the recording
places_close() {
	trace_enable 0 "$PLACES/events/krping_test/place/enable"
	rmdir "$PLACES"
	echo '-:krping_test/place' >>"$TRACING/kprobe_events"
}

# spied: set ADDRESS and KEY to the remote address and key of the last WRITE (opcode 0) or READ (4);
# fail if there is no WRITE or READ
spied() {
	_place=$(sed -n 's/.* op=[04] addr=0x\([0-9a-f]*\) key=0x\([0-9a-f]*\)$/\1 \2/p' "$PLACES/trace" |
		tail -n 1)
	ADDRESS=${_place% *}
	KEY=${_place#* }
	[ "$_place" ]
}

# spy [COMMAND...]: run COMMAND, wait until the running test posts a WRITE or READ, and set ADDRESS and
# KEY to its remote address and key
spy() {
	: >"$PLACES/trace"
	trace_enable 1 "$PLACES/events/krping_test/place/enable" || return 1
	if [ $# = 0 ] || "$@"; then
		until_ok 60 spied || why "the test has posted no WRITE or READ"
	fi
	_spied=$?
	trace_enable 0 "$PLACES/events/krping_test/place/enable"
	return $_spied
}

# attackers: start the server to which the attackers connect
attackers() {
	next_port
	attack_port=$port
	attempts=0
	kr_bg attacked "server,addr=$ADDR,port=$port,clients=0,timeout=600000,export=4k"
}

# attempt ADDR KEY: WRITE 64 bytes to ADDR as a new client, and check that the device rejects the WRITE;
# the client then ends with status 0
attempt() {
	port=$attack_port
	attempts=$((attempts + 1))
	peer_client attacker --test session --fault "place=$1:$2" && peer_ended attacker && return
	why "place $1, key $2 of $ADDRESS:$KEY"
}

# hex EXPRESSION: print the value of the arithmetic EXPRESSION as a hexadecimal number
hex() {
	printf %x $(($1))
}

# attack: WRITE with the running test's key, with neighbouring keys, and to other addresses; the device
# must reject each WRITE
attack() {
	_key=0x$KEY
	for _k in "$KEY" "$(hex "($_key & 0xffffff00) | (($_key + 1) & 255)")" "$(hex "$_key + 256")"; do
		attempt "$ADDRESS" "$_k" || return 1
	done
	attempt "$(hex "0x$ADDRESS + 64")" "$KEY" && attempt ffffffffffffffc0 "$KEY"
}

# counted: check that the attackers' server has counted a client for each attempt
counted() {
	kr_result attacked
	kr_is status running && kr_is clients "$attempts"
}

# recorded: wait until the attackers' server has counted all clients, the last of which may still be ending;
# stop the server
recorded() {
	port=$attack_port
	until_ok 60 counted && kr "stop,id=$(kr_get id)" && kr_is stopped 1 && kr_wait attacked
}

#
# WRITEs during running tests. ping and bw compare each byte (`validate`).
#

# pair SERVER_OPTIONS CLIENT_OPTIONS: start the victims, a server and its client
pair() {
	next_port
	kr_bg victim_s "server,addr=$ADDR,port=$port,$PATIENT$1" &&
		kr_bg victim "client,addr=$ADDR,port=$port,$PATIENT,validate,$2" &&
		until_ok 60 kr_runs victim
}

# pair_ends: check that the victims do more iterations after the attack, and stop them
pair_ends() {
	goes_on victim && kr "stop,id=$(kr_get id)" && kr_ended victim ECANCELED && kr_ended victim_s ok
}

# attacked_pair SERVER_OPTIONS CLIENT_OPTIONS: attack a pair's memory, and check that the pair goes on
attacked_pair() {
	attackers && pair "$1" "$2" && spy && attack && pair_ends && recorded && kr_clean
}

places_open || diag "cannot trace ${TYPE}_post_send"
# With mem_mode=dma the key stays valid during the test. With mem_mode=reg each advert would have a
# new key.
check "hostile: WRITEs to the memory of ping are rejected, and ping goes on" attacked_pair '' mem_mode=dma
kr_stop
check "hostile: WRITEs to the memory of bw are rejected, and bw goes on" attacked_pair '' bw,size=4096
kr_stop

# The session reads its region after the attack.
text=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
attacked_session() {
	attackers && next_port && kr_bg victim_s "server,addr=$ADDR,port=$port,$PATIENT,export=64k" &&
		kr_bg victim "client,addr=$ADDR,port=$port,session,$PATIENT" || return 1
	ID=$(kr_get id)
	spy kr "put,id=$ID,data=$text" && attack && kr "get,id=$ID,len=64" &&
		kr_has "text=\"$text\"" && kr "stop,id=$ID" && kr_ended victim ECANCELED &&
		kr_ended victim_s ok && recorded && kr_clean
}
check "hostile: WRITEs to the region of a session are rejected, and the region is unchanged" attacked_session
kr_stop

attacked_disk() {
	attackers && next_port && export_bg export=1m && disk victim || return 1
	dd if=/dev/urandom of="$T_TMP/data" bs=64k count=16 2>/dev/null
	spy copy "$T_TMP/data" "/dev/$DISK" 64k oflag=direct && attack &&
		copy "/dev/$DISK" "$T_TMP/read" 64k iflag=direct && cmp "$T_TMP/data" "$T_TMP/read" &&
		kr "stop,id=$ID" && kr_ended victim ECANCELED && kr_ended server ok && recorded && kr_clean
}
check "hostile: WRITEs to the memory of a disk are rejected, and the disk has its data" attacked_disk
kr_stop

# refused_by_device: check that KR_ERRNO is that of a WR which a device has rejected (EIO), or of a lost
# connection (ECONNRESET). With any other errno, the client has posted nothing.
refused_by_device() {
	case $KR_ERRNO in
	EIO | ECONNRESET) ;;
	*) why "errno is $KR_ERRNO" ;;
	esac
}

# The attacker uses its own key beyond the end of its region.
beyond_own() {
	attackers && port=$attack_port || return 1
	for _offset in 4095 4096 1g; do
		kr "client,addr=$ADDR,port=$port,put,offset=$_offset,data=xx,unchecked"
		refused_by_device || return 1
		attempts=$((attempts + 1))
	done
	recorded && kr_clean
}
check "hostile: WRITEs beyond the attacker's own region are rejected" beyond_own
kr_stop

#
# Invalidations
#

# invalidate: let another connection send an invalidation of the running test's key. The client that sends
# it ends with 0 if the device rejects the invalidation, and with 1 if the device accepts it.
invalidate() {
	next_port
	kr_bg attacked "server,addr=$ADDR,port=$port,$PATIENT" &&
		peer_client attacker --count 3 --fault "inv=0x$KEY" && peer_ended attacker 0/1
}

# ends_as_lost: check that the victim has ended because its key was invalidated
ends_as_lost() {
	diag "$TYPE lets a peer invalidate the key of another connection"
	kr_wait victim && kr_errno && refused_by_device
}

# attacked_key SERVER_OPTIONS CLIENT_OPTIONS: check that the running test goes on, or that only this
# test fails. krping cannot prevent the failure on a device that ignores the PD and invalidates the key.
attacked_key() {
	pair "$1" "$2" && spy && invalidate || return 1
	sleep 1
	kr_result victim
	if [ "$(kr_get status)" = running ]; then
		pair_ends || return 1
	else
		ends_as_lost || return 1
	fi
	kr_stop && kr_clean
}
check "hostile: an invalidation of ping's key by another client harms no test but ping" attacked_key '' mem_mode=dma
kr_stop
check "hostile: an invalidation of bw's key by another client harms no test but bw" attacked_key ',mem_mode=reg' bw,mem_mode=reg
kr_stop
places_close

t_end
