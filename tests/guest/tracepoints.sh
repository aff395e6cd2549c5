#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Each record of a tracepoint has the id of its test; a record about a connection also has
#   the connection's index. States and statuses are words. Lines of the kernel log have the id of their
#   test.
# Requires: one guest with any device
# Duration: 5 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

tracing=/sys/kernel/tracing/instances/krping_events
records=$T_TMP/records

trace_instance $tracing 4096 "records of the tracepoints"

# traced SERVER_OPTIONS CLIENT_OPTIONS: record a server and a client as Documentation/troubleshooting.md
# describes
traced() {
	echo >$tracing/trace
	trace_enable 1 $tracing/events/krping/enable || return 1
	pair "$@"
	_ret=$?
	kr_val id
	CLIENT=$KR_VAL
	cp "$KR_RESULT" "$T_TMP/client.result"
	kr_ended server ok
	trace_enable 0 $tracing/events/krping/enable
	kr_val id
	SERVER=$KR_VAL
	sed -n 's/.* \(krping_[a-z_]*: .*\)/\1/p' $tracing/trace >"$records"
	return $_ret
}
check "events/krping/enable records a test" traced "" slat,count=9,qps=2,size=100

# recorded REGEX [NUMBER]: check that a record matches, or that exactly NUMBER do
recorded() {
	_nr=$(grep -Ec "^krping_$1\$" "$records")
	if [ "${2-}" ]; then
		eq "$_nr" "$2" "number of records krping_$1"
	else
		[ "$_nr" -gt 0 ] || why "no record krping_$1"
	fi
}
check "krping_command has role, test and size of the command" \
	recorded "command: id=$CLIENT role=client test=slat size=100 count=9" 1

states() {
	for _conn in 0 1; do
		recorded "conn_state: id=$CLIENT conn=$_conn from=route_resolved to=connected" 1 || return 1
	done
}
check "krping_conn_state names the states of both connections in words" states

events() {
	for _conn in 0 1; do
		recorded "cm_event: id=$CLIENT conn=$_conn established \(9\) status=0 \(ok\)" 1 || return 1
	done
}
check "krping_cm_event has the events of both connections" events

waits() {
	recorded "wait_begin: id=$CLIENT timeout=60000" && recorded "wait_end: id=$CLIENT ret=0 \(ok\)"
}
check "krping_wait_begin and krping_wait_end record the client's waits" waits

# 11 SENDs: nine of data, the buffer advert, and the message finish, which is the last one
check "krping_post records the SENDs of one connection" \
	recorded "post: id=$CLIENT conn=1 qp=[0-9]+ SEND wrs=1( signaled)?" 11
# 11 RECVs: nine of data, the buffer advert and the report
check "krping_complete records the RECVs of one connection, with their status in words" \
	recorded "complete: id=$CLIENT conn=1 qp=[0-9]+ RECV status=0 \(success\) vendor_err=0x0 bytes=[0-9]+" 11
check "krping_end has error and iterations" recorded "end: id=$CLIENT error=0 \(ok\) iterations=18" 1

other_id() {
	[ "$SERVER" != "$CLIENT" ] && recorded "conn_state: id=$SERVER conn=0 from=requested to=accepted"
}
check "the records of the server's test have another id" other_id
check "each record has the id of a test" \
	eq "$(grep -Ev '^krping_[a-z_]*: id=[1-9][0-9]* ' "$records")" ""
check "no record has a pointer" eq "$(grep -E 'ptrval|[0-9a-f]{16}' "$records")" ""

fails() {
	kr_bg server "server,addr=$ADDR,port=15400,size=64" || return 1
	echo >$tracing/trace
	trace_enable 1 $tracing/events/krping/enable || return 1
	kr "client,addr=$ADDR,port=15400,size=65,count=1"
	trace_enable 0 $tracing/events/krping/enable
	kr_returned ECONNREFUSED && kr_val id || return 1
	sed -n 's/.* \(krping_[a-z_]*: .*\)/\1/p' $tracing/trace >"$records"
	recorded "error: id=$KR_VAL error=-111 \(ECONNREFUSED\) the server does not take this size .limit 64." 1 &&
		recorded "end: id=$KR_VAL error=-111 \(ECONNREFUSED\) iterations=0" 1
}
check "krping_error has the error that the write returned, its name, and its detail" fails

# rdma_cm's reason for the rejection is positive on RoCE and InfiniBand, and an errno on iWARP.
reason() {
	case $TYPE in
	siw) _reason="status=-104 \\(ECONNRESET\\)" ;;
	*) _reason="status=28 \(consumer defined\)" ;;
	esac
	recorded "cm_event: id=$KR_VAL conn=0 rejected \(8\) $_reason" 1
}
check "krping_cm_event names the status of a rejection" reason

# rejected_once: check that the log has a line about a rejected client. krping limits the rate of this
# line, and other subjects may have used the limit up, so the caller repeats the check.
rejected_once() {
	klog_mark
	kr "client,addr=$ADDR,port=15400,size=65,count=1"
	klog_has "test $_server: a client was rejected: .*limit 64"
}
rejected() {
	kr_result server && kr_val id && _server=$KR_VAL && until_ok 60 rejected_once
}
check "the kernel log has the id of the server that rejects a client" rejected
kr_stop

stopped() {
	echo >$tracing/trace
	trace_enable 1 $tracing/events/krping/enable || return 1
	kr_bg stopped "server,addr=$ADDR,port=15401" && kr_listening && kr_stop
	trace_enable 0 $tracing/events/krping/enable
	kr_result stopped && kr_val id || return 1
	sed -n 's/.* \(krping_[a-z_]*: .*\)/\1/p' $tracing/trace >"$records"
	recorded "wait_end: id=$KR_VAL ret=-125 \(ECANCELED\)" || why "$(cat "$records")"
}
check "krping_wait_end names the error that ended the wait" stopped

# The bpftrace program of Documentation/troubleshooting.md, which tests/boot/tracers.sh runs, reads these fields.
fields() {
	for _field in 'u32 id' 'u32 conn' 'u32 qp_num' 'int status' 'u32 bytes'; do
		grep -q "field:$_field;" $tracing/events/krping/krping_complete/format || why "no field $_field" || return 1
	done
}
check "krping_complete has the fields that programs read" fields

verbose() {
	klog_mark
	pair verbose verbose,count=2 && kr_val id && _id=$KR_VAL && klog_has "test $_id: ping data" &&
		kr_ended server ok && kr_val id && klog_has "test $KR_VAL: server ping data"
}
check "the lines of verbose have the id of their test" verbose

t_end
