#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping names the cause when a device reports the end of a QP by nothing but an
#   asynchronous event.
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
	until_ok 60 klog_has "the device reports: $2"
}

# The events by their numbers in enum ib_event_type.
check "a fatal error of the QP without a completion ends a test" ends_by 1 "QP fatal error"
check "a request error of the QP ends a test" ends_by 2 "QP request error"
check "an access error of the QP ends a test" ends_by 3 "QP access error"
check "an error of the CQ ends a test" ends_by 0 "CQ error"
check "a fatal error of the device ends a test" ends_by 8 "device fatal error"

t_end
