#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping names the cause when a device reports the failure of a QP only by an
#   asynchronous event, or rejects posts. The lab device is a changed rxe that can fail like this.
# Requires: one guest with the lab device
# Duration: 60 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=lab.inc
. "${0%/*}/lab.inc"

port=7700

# serve [OPTIONS]: start a server in the background on a new port
serve() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,timeout=0${1:+,$1}" && kr_listening server
}

# ended_by WORDS: check that server and client have failed, and that the result of the side whose QP has failed
# has EIO and WORDS. Either side may post the 20th WR; the other side sees a disconnect.
ended_by() {
	_by=
	for _side in client server; do
		kr_wait "$_side" || return 1
		[ "$KR_DETAIL" ] || why "the $_side has not failed" || return 1
		not kr_detail_has "the device reports: $1" || _by=$_side
	done
	[ "$_by" ] || why "no result has '$1', but that of the server has '$KR_DETAIL'" || return 1
	kr_ended "$_by" EIO
}

# ends_by TYPE WORDS [OPTIONS]: check that the event TYPE, which the device raises at the 20th WR, ends a test
# with timeout=0, and that the result and the log have WORDS, the name of the event
ends_by() {
	serve "${3-}" || return 1
	klog_mark
	lab_set "event=$1" event_after=20
	kr_fg client "client,addr=$ADDR,port=$port,timeout=0,count=1000${3:+,$3}"
	ended_by "$2"
	_status=$?
	kr_stop
	[ $_status = 0 ] && until_ok 60 klog_has "the device reports: $2"
}

# The numbers are those of enum ib_event_type.
check "a fatal error of the QP without a completion ends a test" ends_by 1 "QP fatal error"
check "a request error of the QP ends a test" ends_by 2 "QP request error"
check "an access error of the QP ends a test" ends_by 3 "QP access error"
check "an error of the CQ ends a test" ends_by 0 "CQ error"
check "an error of the SRQ ends a test" ends_by 14 "SRQ error" slat,srq
check "a fatal error of a QP with an SRQ ends a test" ends_by 1 "QP fatal error" slat,srq
check "a fatal error of the device ends a test" ends_by 8 "device fatal error"

# running OPTIONS: start a server and a client, which run until they fail or are stopped
running() {
	serve && kr_bg client "client,addr=$ADDR,port=$port,timeout=20000${1:+,$1}" &&
		until_ok 60 kr_runs client
}

# A driver may remove its device only seconds after it has reported the fatal error.
slow_removal() {
	running || return 1
	lab_set event=8 event_after=20 && sleep 3 && rdma link delete "$DEV" || return 1
	kr_ended client ENODEV
	_status=$?
	kr_stop
	device_again && return $_status
}

# in_three COMMAND...: run COMMAND up to three times, until it succeeds. Server and client use the same device.
# The server learns of the removal first, and the client may learn of the server's disconnect before it learns of
# the removal.
in_three() {
	"$@" || "$@" || "$@"
}
check "a fatal error of the device and a removal after 3 s: ENODEV" in_three slow_removal

# Either side may post first. Its post fails, and the other side sees only a disconnect.
rejects() {
	running "$1" || return 1
	klog_mark
	lab_set post_eio=1 && kr_wait client 60 && until_ok 60 klog_has "cannot post"
	_status=$?
	lab_set post_eio=0
	kr_stop
	return $_status
}

# removal_after_eio OPTIONS: let the device reject posts, remove the device, and check that the client ends with
# ENODEV
removal_after_eio() {
	running "$1" || return 1
	lab_set post_eio=1 && rdma link delete "$DEV" || return 1
	kr_ended client ENODEV
	_status=$?
	lab_set post_eio=0
	kr_stop
	device_again && return $_status
}
for test in ping bw; do
	check "$test: a test ends when the device rejects posts with EIO" rejects $test
done
check "EIO at post and the removal of the device: ENODEV" in_three removal_after_eio bw

# The client creates its QPs before the server, so the second oldest QP belongs to the client.
second_qp() {
	running bw,qps=4 || return 1
	_qp=$(rdma resource show qp link "$DEV/1" 2>/dev/null | grep "type RC" |
		sed -n 's/.* lqpn \([0-9]*\) .*/\1/p' | sort -n | sed -n 2p)
	[ "$_qp" ] || why "rdma resource show lists no second QP" || return 1
	lab_set event=1 event_qp="$_qp" event_after=5 && kr_ended client EIO &&
		grep -q '^qp event="QP fatal error"' "$KR_RESULT"
	_status=$?
	lab_set event_qp=0
	kr_stop
	return $_status
}
check "the result has the event of a QP that is not the first one" second_qp

# A put of 5 bytes exceeds the region by 3, so the server's device rejects the WRITE.
vendor_code() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT,export=4k" &&
		kr_bg client "client,addr=$ADDR,port=$port,$PATIENT,session" || return 1
	_id=$(kr_get id)
	lab_set vendor_err=77
	not kr "put,id=$_id,offset=4094,data=hello,unchecked" && kr_is vendor_err 0x4d
	_status=$?
	lab_set vendor_err=0
	return $_status
}
known_fault rxe 5.10 "the result has the vendor's code of a failed completion" \
	"rxe of 5.10 sends no NAK for a WRITE, so the WRITE has no code" ||
	check "the result has the vendor's code of a failed completion" vendor_code
kr_stop

# port_event TYPE: raise an event of the port, and wait until it has been raised
port_event() {
	lab_set event="$1" event_after=20 && until_ok 60 lab_limit event_after 0
}
# port_stays_failed: raise a port error (10), and then raise that the port is active (9)
port_stays_failed() {
	running || return 1
	port_event 10 && port_event 9 && kr_runs client || return 1
	kr_stop
	kr_ended client ECANCELED && grep -q '^warning port="the device reports: port error"' \
		"$KR_RESULT"
}
check "the result has the failure of a port that is active again" port_stays_failed

t_end
