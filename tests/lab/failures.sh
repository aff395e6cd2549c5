#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping names the cause when a device fails as hardware does: by an asynchronous
#   event without a completion, by a post that fails, in the middle of a chain or for good.
# Requires: one guest with the lab device
# Duration: 40 s

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

# ends_by TYPE WORDS [OPTIONS]: the event ends a test without a timeout, on the side of the QP
# that fails; its log line has the event's name
ends_by() {
	serve "${3-}" || return 1
	klog_mark
	lab_set "event=$1" event_after=20
	kr "client,addr=$ADDR,port=$port,timeout=0,count=1000${3:+,$3}"
	kr_stop
	[ "$KR_RET" = -1 ] || why "the client succeeded" || return 1
	until_ok 20 klog_has "the device reports: $2"
}

# The events by their numbers in enum ib_event_type.
check "a fatal error of the QP without a completion ends a test" ends_by 1 "QP fatal error"
check "a request error of the QP ends a test" ends_by 2 "QP request error"
check "an access error of the QP ends a test" ends_by 3 "QP access error"
check "an error of the CQ ends a test" ends_by 0 "CQ error"
check "a fatal error of the device ends a test" ends_by 8 "device fatal error"
check "an error of the SRQ ends a test" ends_by 15 "SRQ error" "slat,srq"

# eio: posts that fail with EIO, and no cause follows
eio() {
	serve || return 1
	klog_mark
	lab_set post_eio=20
	kr "client,addr=$ADDR,port=$port,timeout=0,count=1000"
	_ret=$KR_RET
	lab_set post_eio=0
	kr_stop
	eq "$_ret" -1 "write(2)" && until_ok 20 klog_has "cannot post a WR"
}
check "an EIO at post that nothing explains is reported" eio

# removed: posts fail with EIO while the device is removed
removed() {
	serve || return 1
	lab_set post_eio=20
	kr_bg client "client,addr=$ADDR,port=$port,timeout=0,count=1000000,slat" || return 1
	until_ok 10 lab_limit post_eio 1 || return 1
	rdma link delete "$DEV"
	kr_ended client ENODEV
	_status=$?
	kr_stop
	lab_set post_eio=0
	device_again && return $_status
}
check "a removal explains an EIO at post" removed

# half: the second WR of a chain fails; the counters have what was posted
half() {
	serve || return 1
	lab_set chain_fails=1
	kr_fails_with EIO "client,addr=$ADDR,port=$port,count=5,bw,batch=4,txdepth=8" \
		"cannot post" && kr_is write_msgs 1
	_status=$?
	lab_set chain_fails=0
	kr_stop
	return $_status
}
check "counters have only the accepted WRs of a chain" half

inline() {
	lab_set inline_first=1
	lab_runs "slat,inline,sge=4,size=100,count=20,validate"
	_status=$?
	lab_set inline_first=0
	return $_status
}
check "inline data is whole on a device that copies the first SGE" inline

t_end
