#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A server rejects flags that are invalid for the requested test, and serves an old client
#   whose number of iterations differs from the server's count=. A test ends at its count= or after its
#   duration=, whichever comes first. stop ends a test between two operations of a slow rate.
# Requires: one guest
# Duration: 15 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# lib-peer.sh runs krping against krping-peer, a program that breaks the protocol on request (--fault).
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"

# The flags of a request: 0x01 validate, 0x02 server_inv, 0x04 read_inv, 0x08 duplex,
# 0x10 report, 0x20 imm, 0x40 atomic. Reason 3 is an invalid request.

# rejected TEST FLAGS SIZE [PEER_ARGS...]: check that the server rejects the request, and keeps listening.
# krping-peer ends with status 1, because it does not expect a rejection.
rejected() {
	_test=$1 _flags=$2 _size=$3
	shift 3
	peer_client c --test "$_test" --flags "$_flags" --size "$_size" --count 3 "$@"
	peer_ended c 1 || return 1
	# siw sometimes loses the reason of a rejection.
	peer_says c 'rejected version=1 reason=3 limit=0' ||
		{ [ "$TYPE" = siw ] && peer_says c 'rejected without a reason'; } || return 1
	until_ok 60 kr_listening
}

next_port
kr_bg server "server,addr=$ADDR,port=$port,$PATIENT"
for case in ping,0x08 ping,0x20 wlat,0x02 wlat,0x08 wlat,0x40 rlat,0x20 rlat,0x04 slat,0x08 slat,0x40 \
	bw,0x02 bw,0x40 rbw,0x20 rbw,0x40 sbw,0x04 sbw,0x40 fr,0x08 fr,0x20; do
	check "server: a request for ${case%,*} with the flags ${case#*,} is rejected" \
		rejected "${case%,*}" "${case#*,}" 64
done
for size in 1 7 9 64; do
	check "server: a request for an atomic of $size bytes is rejected" rejected rlat 0x40 $size
done
# With validate the stride is the size, rounded up to a multiple of 256.
for stride in 1 256 513 768 65536; do
	check "server: a request for bw with validate, size 300 and stride $stride is rejected" \
		rejected bw 0x01 300 --stride $stride --options options
done
check "server: a request for bw with validate, a stride and no block of options is rejected" \
	rejected bw 0x01 300 --stride 512
peer_client c --count 3
check "server: after rejected flags, a client with valid flags is served" peer_ended c
check "server: a server that has rejected flags ends without an error" kr_ended server ok

# An old client has no private data and so negotiates no count. It may run fewer or more iterations
# than the server's count=.
old_client() {
	next_port
	kr_bg server "server,addr=$ADDR,port=$port,count=$1,$PATIENT" || return 1
	peer_client c --old --count 3
	peer_ended c && kr_ended server ok && kr_is iterations 3 && kr_is peer old
}
for count in 1 3 100; do
	check "an old client ends after 3 iterations, and a server with count=$count ends without an error" \
		old_client $count
done

# ends_by_time [TEST,]: check that duration= ends a test before its count=, without an error on
# either side. The server must not expect the count, because a client with duration= negotiates none.
ends_by_time() {
	pair "" "$1count=1000000000,duration=1" || return 1
	_n=$(kr_get iterations)
	if [ "${_n:-0}" -lt 1 ] || [ "$_n" -ge 1000000000 ]; then
		why "iterations=$_n"
		return 1
	fi
	kr_ended server ok
}
check "ping: duration= ends a test before its negotiated count" ends_by_time ""
for test in wlat rlat slat bw rbw sbw fr; do
	check "$test: duration= ends a test before its count=" ends_by_time $test,
done

# ends_by_count [TEST,]: check that the duration= of a server does not change its client's count
ends_by_count() {
	pair duration=600 "$1count=3" && kr_is iterations 3 && kr_ended server ok
}
for test in '' 'slat,' 'bw,'; do
	check "${test:-ping,}count=3: the count ends the test, also with duration=600 on the server" ends_by_count $test
done

# At one operation per second, a stopped test has nothing in flight. It must not wait for the
# next operation, which would come after the grace period of stop, half a second.
slow_stop() {
	kr_bg server "server,addr=$ADDR,port=$1,$PATIENT" &&
		kr_bg client "client,addr=$ADDR,port=$1,$2,rate=1,$PATIENT" && until_ok 60 kr_runs client || return 1
	kr "stop,id=$(kr_get id)" && kr_ended client ECANCELED && kr_ended server ok
}
port=15100
for test in wlat rlat slat bw,txdepth=1 rbw,txdepth=1 sbw,txdepth=1; do
	port=$((port + 1))
	check "$test,rate=1: stop between two operations ends the server without an error" slow_stop $port $test
	kr_stop
done

# config KEY VALUE...: check these values in the client's result
config() {
	while [ $# -gt 0 ]; do
		kr_is "$1" "$2" || return 1
		shift 2
	done
}

all_keys() {
	pair "" "bw,count=50,txdepth=32,cqmod=5,batch=3,qps=2,threads=3,sge=4,srq" &&
		config txdepth 32 cqmod 5 batch 3 qps 2 threads 3 sge 4 srq 1 inline 0 duplex 0 poll 0
}
check "config line: several options have the right values" all_keys

local_buffers() {
	pair "" slat,count=3 && kr_is local dma && pair "" slat,count=3,mem_mode=reg && kr_is local reg &&
		pair "" slat,count=3,mem_mode=reg,local_dma_lkey && kr_is local dma || return 1
	for _none in count=3 slat,inline,count=3; do
		pair "" $_none || return 1
		! grep -Eq '^config .* local=' "$KR_RESULT" || why "$_none has local=" || return 1
	done
	pair "" rbw,count=3 || return 1
	if [ "$TYPE" = siw ]; then kr_is local reg; else kr_is local dma; fi
}
check "config line: how this side's own buffers were registered" local_buffers

t_end
