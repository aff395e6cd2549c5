#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A client repeats the query for its route until its timeout=, and reports a refused
#   query as EHOSTUNREACH. krping_route.ko lets queries fail, as a subnet manager would.
#   RoCE has no second query, because rdma_cm resolves its route only once.
# Requires: one guest
# Duration: 15 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

route=/sys/module/krping_route/parameters
PROBES=/sys/kernel/tracing/kprobe_events
EVENT=/sys/kernel/tracing/events/krping_test/route

# shellcheck disable=SC2016 # the kernel expands $arg2
if ! insmod /lib/modules/extra/krping_route.ko ||
	! echo 'p:krping_test/route rdma_resolve_route ms=$arg2:s32' >>$PROBES; then
	skip "the resolution of routes" "the kernel has no kprobe of rdma_resolve_route()"
	t_end
	exit
fi

port=19303

# fails_times N STATUS: let the next N queries fail with the errno -STATUS
fails_times() {
	echo "$2" >$route/status && echo "$1" >$route/errors
}

# queries CLIENT_OPTIONS: run a pair, and set QUERIES to the timeouts of the client's queries
queries() {
	echo >/sys/kernel/tracing/trace
	trace_enable 1 $EVENT/enable || return 1
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT" &&
		kr "client,addr=$ADDR,port=$port,count=1,$1"
	_rc=$?
	trace_enable 0 $EVENT/enable
	QUERIES=$(sed -n 's/.* route: .* ms=\(-*[0-9]*\)$/\1/p' /sys/kernel/tracing/trace | tr '\n' ' ')
	return $_rc
}

# asks TIMEOUTS OPTIONS: check that a client's queries have these timeouts, and that the client succeeds
asks() {
	queries "$2" && kr_ended server ok && eq "$QUERIES" "$1" "timeouts of the queries"
}

check "timeout=0: a query for the route has a timeout of 2 s" asks "2000 " timeout=0
check "timeout=30000: a query for the route has a timeout of 2 s" asks "2000 " timeout=30000
check "timeout=1500: a query for the route has that timeout" asks "1500 " timeout=1500

# answered_late OPTIONS: check that the fourth query succeeds after three without an answer (ETIMEDOUT, 110)
answered_late() {
	fails_times 3 110 && asks "2000 2000 2000 2000 " "$1"
}

# ends_with ERRNO STATUS OPTIONS WORDS: check that a client whose queries all fail with STATUS ends with
# ERRNO and WORDS
ends_with() {
	fails_times 1000000000 "$2"
	kr_fails_with "$1" "client,addr=$ADDR,port=19301,count=1,$3" "$4"
	_status=$?
	fails_times 0 "$2"
	return $_status
}
check "a route that does not exist is EHOSTUNREACH, not EINVAL" \
	ends_with EHOSTUNREACH 22 timeout=30000 "route resolution failed (-22)"

if [ "$TYPE" = rxe ]; then
	check "RoCE: a query for a route without an answer is not repeated" \
		ends_with ETIMEDOUT 110 timeout=30000 "route resolution failed (-110)"
else
	check "a client asks for its route until there is an answer" answered_late timeout=30000
	check "timeout=0: a client asks for its route until there is an answer" answered_late timeout=0
	check "no answer about the route: ETIMEDOUT after the timeout" \
		ends_with ETIMEDOUT 110 timeout=1000 "route resolution took longer than timeout=1000 ms"
fi

echo '-:krping_test/route' >>$PROBES
rmmod krping_route
t_end
