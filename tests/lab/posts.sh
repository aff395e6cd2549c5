#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A test, a session and its operations count only the WRs that the device has accepted,
#   also if the device accepts a part of a chain only. krping posts nothing after such a chain.
# Requires: one guest with the lab device
# Duration: 40 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# The lab device is a patched rxe. lab_set and lab_new set its module parameters.
# shellcheck source=lab.inc
. "${0%/*}/lab.inc"

port=8100

# client_posts CHAIN OPTIONS: let the device reject the second WR of chain number CHAIN (from 1; 0:
# none), and check the client's counters. Only the client posts WRITEs to the device.
client_posts() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,mem_mode=dma,$PATIENT" && kr_listening || return 1
	lab_set chain_fails="$1" writes=0
	kr "client,addr=$ADDR,port=$port,$PATIENT,size=1000,$2"
	_writes=$(cat "$lab_params/writes")
	"$KWRITE" write=stop >/dev/null
	lab_limit chain_fails 0 && kr_is write_msgs "$_writes" && kr_is write_bytes $((_writes * 1000))
}

all_count() {
	client_posts 0 bw,batch=8,cqmod=8,txdepth=64,count=1000 && kr_returned ok && eq "$_writes" 1000
}
check "bw counts each WRITE that the device has accepted" all_count
kr_stop

first_fails() {
	client_posts 1 bw,batch=8,cqmod=8,txdepth=64,count=64 && kr_returned EIO && eq "$_writes" 1
}
check "bw posts nothing behind a first chain that the device has rejected" first_fails
kr_stop

# The device accepts two chains of 8 WRITEs, and the first WRITE of the third chain.
third_fails() {
	client_posts 3 bw,batch=8,cqmod=8,txdepth=64,count=64 && kr_returned EIO && eq "$_writes" 17
}
check "bw posts nothing behind a third chain that the device has rejected" third_fails
kr_stop

# siw_post_send() may return an errno although siw has accepted all WRs. Let the sixth post fail, because the
# first ones are SENDs of both sides.
post_unnamed() {
	lab_set post_unnamed=6
	client_posts 0 bw,batch=8,cqmod=8,txdepth=64,count=64 && kr_returned EIO && lab_limit post_unnamed 0 || return 1
	[ "$_writes" -gt 0 ] || why "no WRITE was posted"
}
check "bw counts the WRITEs of a chain whose post fails without naming a rejected WR" post_unnamed
kr_stop

# A SEND follows each WRITE, to announce it. The SEND of the fifth WRITE fails.
notify_fails() {
	client_posts 5 bw,validate,cqmod=1,txdepth=1,count=64 && kr_returned EIO && eq "$_writes" 5
}
check "bw counts a WRITE whose SEND the device has rejected" notify_fails
kr_stop

# On a device of small MRs krping divides exported memory into pieces of 64 KiB. An operation across
# the boundary of two pieces is a chain of two WRs, of which the first moves 4 of 8 bytes.
lab_new mr_entries=16
across=offset=65532

# exporting: run a server that exports memory
exporting() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT,export=128k,shared" && kr_listening
}

# once_posts COUNTER OPTIONS: check that the result of a put or get whose second WR fails counts
# the first WR, and no iteration
once_posts() {
	exporting && lab_set chain_fails=1 &&
		kr_fails EIO "client,addr=$ADDR,port=$port,$PATIENT,$2,$across" &&
		kr_is iterations 0 && kr_is "${1}_msgs" 1 && kr_is "${1}_bytes" 4
}
check "a put counts only the WRITE that the device has accepted" once_posts write put,data=8-bytes.
kr_stop
check "a get counts only the READ that the device has accepted" once_posts read get,len=8
kr_stop

# unposted: check that the result has no status of a completion, because the device has accepted no WR
unposted() {
	kr_is wc_status '""' && not kr_has completion
}

# session_posts COUNTER FAULT COMMAND OPTIONS MSGS BYTES: let the device reject a post of the
# session's operation COMMAND by FAULT, a parameter of the lab device. Check that the operation
# fails, and that the session's result has MSGS and BYTES in COUNTER and no iteration.
session_posts() {
	exporting && kr_bg client "client,addr=$ADDR,port=$port,$PATIENT,session" || return 1
	_id=$(kr_get id)
	lab_set "$2"
	kr_fails EIO "$3,id=$_id,$4" && { [ "$5" != 0 ] || unposted; }
	_rc=$?
	lab_set "${2%=*}=0"
	[ $_rc = 0 ] && kr_ended client EIO && kr_is iterations 0 && kr_is "${1}_msgs" "$5" && kr_is "${1}_bytes" "$6"
}
# Let post_eio reject only WRs of 5 bytes: the operations below, and no keep-alive message of the session.
lab_set post_bytes=5
check "a session counts only the WRITE of a put that the device has accepted" \
	session_posts write chain_fails=1 put data=8-bytes.,$across 1 4
kr_stop
check "a session neither counts nor completes a put that the device has rejected" \
	session_posts write post_eio=1 put data=hello 0 0
kr_stop
check "a session neither counts nor completes a get that the device has rejected" \
	session_posts read post_eio=1 get len=5 0 0
kr_stop
check "a session neither counts nor completes a send that the device has rejected" \
	session_posts send post_eio=1 send data=hello 0 0
kr_stop
lab_new

t_end
