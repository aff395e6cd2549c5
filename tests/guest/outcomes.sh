#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# How a test ends: what write(2) returns, what the result and the log say, and
# that nothing is left, for all that can go wrong within one machine.

# shellcheck source=../lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"

# Seconds in which something that does not wait for its peer has ended.
PROMPT=20

#
# Nothing goes wrong
#

client_meets 'all iterations are done' '--count 3' validate ok ''
client_meets 'all iterations are done, old server' '--old --count 3' validate ok ''
client_meets 'the server disconnects after the last iteration' \
	'--fault disconnect=end --at 2' '' ok ''
server_meets 'the client disconnects after the agreed count' '--count 3' '' ok ''
server_meets 'an old client disconnects after any number' '--count 2 --old' '' ok ''
server_meets 'an old client ends without a word between iterations' \
	'--count 5 --old --fault exit=second --at 2' '' ok ''
server_meets 'a client without a count disconnects' \
	'--count 0' '' ok ''

#
# No connection
#

client_meets 'the server rejects without a reason' '--fault reject=0' '' \
	ECONNREFUSED 'connection refused'
client_meets 'the server rejects with a reason' '--fault reject=5' '' \
	ECONNREFUSED 'the server does not take this size (limit 4711)'
client_meets 'the server rejects with a reason of the future' '--fault reject=200' '' \
	ECONNREFUSED 'the server gives a reason that is not known here (limit 4711)'
client_meets 'the server rejects with garbage' '--fault rej=garbage' '' ECONNREFUSED ''
client_meets 'the server rejects with garbage that is cut off' '--fault rej=truncated' '' \
	ECONNREFUSED ''
cases_run

# kr_alone DESC ERRNO CMD WORDS
kr_alone() {
	klog_mark
	kr "$3"
	case $3 in
	server*) _role=server ;;
	*) _role=client ;;
	esac
	check "$1" failed_so $_role "$2" "$4"
}

next_port
kr_alone 'client: nobody listens' ECONNREFUSED \
	"client,addr=$ADDR,port=$port,timeout=20000" 'is a server listening there'

next_port
klog_mark
kr_bg server "server,addr=$ADDR,port=$port,size=64"
kr "client,addr=$ADDR,port=$port,size=128,count=1"
rejected() {
	kr_returned ECONNREFUSED &&
		kr_detail_has 'the server does not take this size (limit 64)' &&
		one_line client && klog_has 'turned away.*size .limit 64'
}
check 'client: krping as the server says why it rejects' rejected
kr "client,addr=$ADDR,port=$port,size=64,count=1"
check 'server: it takes the next client' kr_returned ok
check 'server: and that one only' kr_ended server ok

kr_alone 'client: network unreachable' ENETUNREACH \
	"client,addr=10.99.0.1,timeout=20000" 'cannot resolve'
kr_alone 'client: a source address that is not ours' EADDRNOTAVAIL \
	"client,addr=$ADDR,source=10.0.0.200,timeout=20000" ''
kr_alone 'client: not the named device' ENODEV \
	"client,addr=$ADDR,device=none0,timeout=20000" 'none0'
kr_alone 'server: an address that is not ours' EADDRNOTAVAIL \
	"server,addr=10.0.0.200" 'cannot bind'
kr_alone 'server: not the named device' ENODEV \
	"server,addr=$ADDR,device=none0" 'none0'
kr_alone 'server: not the named device, any address' ENODEV \
	"server,addr=0.0.0.0,device=none0" 'none0'

ip link add nordma type dummy
ip addr add 10.9.0.1/24 dev nordma
ip link set nordma up
kr_alone 'server: no RDMA device behind the address' ENODEV \
	'server,addr=10.9.0.1' ''
kr_alone 'client: no RDMA device behind the route' ENODEV \
	'client,addr=10.9.0.2,timeout=20000' ''
ip link delete nordma

next_port
kr_bg server "server,addr=$ADDR,port=$port"
klog_mark
kr "server,addr=$ADDR,port=$port,background"
in_use() {
	kr_returned EADDRINUSE && one_line server && kr_running 1
}
check 'server: the address is in use, also in the background' in_use
kr stop
check 'server: stopped while it listens' kr_ended server ECANCELED

#
# Nobody answers
#

for stage in request connect first second; do
	words="the peer was silent for timeout=$PATIENCE"
	status=0
	if [ $stage = request ]; then
		words="connecting took longer than timeout=$PATIENCE"
		status=143
	fi
	client_meets "silent server: $stage" "--fault silent=$stage" '' ETIMEDOUT "$words" \
		'' $status
done
client_meets 'silent server, polling' '--fault silent=second --at 1' poll \
	ETIMEDOUT "the peer was silent for timeout=$PATIENCE ms in iteration 1"
for stage in connect first second; do
	server_meets "silent client: $stage" "--count 3 --fault silent=$stage" '' \
		ETIMEDOUT "the peer was silent for timeout=$PATIENCE"
done
server_meets 'silent client, polling' '--count 3 --fault silent=first --at 1' poll \
	ETIMEDOUT "the peer was silent for timeout=$PATIENCE ms in iteration 1"
server_meets 'silent old client between iterations' \
	'--count 3 --old --fault silent=second' '' \
	ETIMEDOUT "the peer was silent for timeout=$PATIENCE ms in iteration 1"
cases_run

# nobody_answers ADDR: an address of our network behind which nobody is
nobody_answers() {
	kr_returned ETIMEDOUT || kr_returned EHOSTUNREACH || return 1
	one_line client && kr_clean
}

# A dummy interface has no ARP: the address resolves, and REQ or SYN get lost.
klog_mark
kr "client,addr=10.0.0.77,timeout=$PATIENCE"
check 'client: nobody has the address' nobody_answers
klog_mark
kr_fg client 'client,addr=10.0.0.77,timeout=600000'
until_ok $PEER_WAIT kr_running 1
sleep 1
kr_fg stopper stop
stopped() {
	kr_ended stopper ok $PROMPT && kr_ended client ECANCELED $PROMPT &&
		no_line client && kr_clean
}
check 'client: stopped while it connects' stopped
klog_mark
kr_spawn client signal=15:1000 'write=client,addr=10.0.0.77,timeout=600000' read
interrupted() {
	kr_ended client EINTR $PROMPT && no_line client && kr_clean
}
check 'client: a signal while it connects' interrupted

ip link set "$IF" arp on
klog_mark
kr "client,addr=10.0.0.78,timeout=$PATIENCE"
check 'client: ARP has no answer' nobody_answers
klog_mark
kr_fg client 'client,addr=10.0.0.79,timeout=600000'
until_ok $PEER_WAIT kr_running 1
kr_fg stopper stop
stopped_resolving() {
	# the neighbour may have been given up meanwhile
	kr_ended stopper ok $PROMPT && kr_wait client $PROMPT &&
		{ kr_returned ECANCELED || kr_returned EHOSTUNREACH ||
			kr_returned ETIMEDOUT; } && kr_clean
}
check 'client: stopped while it resolves the address' stopped_resolving
ip link set "$IF" arp off

next_port
kr_spawn server signal=2:1000 "write=server,addr=$ADDR,port=$port" read
interrupted_server() {
	kr_ended server EINTR $PROMPT && kr_clean
}
check 'server: a signal while it listens' interrupted_server

#
# The peer ends
#

for end in kill exit disconnect; do
	status=0
	[ $end != kill ] || status=137
	for stage in connect first second end; do
		client_meets "the server ends by $end: $stage" "--fault $end=$stage" '' \
			ECONNRESET 'the peer disconnected in iteration' '' $status
	done
	for stage in connect first second; do
		server_meets "the client ends by $end: $stage" \
			"--count 3 --fault $end=$stage" '' \
			ECONNRESET 'the peer disconnected in iteration' '' $status
	done
	server_meets "an old client ends by $end in the middle" \
		"--count 3 --old --fault $end=first --at 1" '' \
		ECONNRESET 'the peer disconnected in iteration 1' '' $status
done

#
# The peer does not keep to the protocol
#

for length in 0 8 17 24 64; do
	client_meets "go-ahead of $length bytes" "--fault length=$length" '' \
		EPROTO "a message of $length bytes instead of 16"
done
client_meets 'go-ahead of 200 bytes' '--fault length=200' '' EPROTO ''
for what in garbage truncated version size test count flags no-flags; do
	client_meets "REP with private data: $what" "--fault rep=$what" validate EPROTO 'the server'
done
client_meets 'two go-aheads' '--fault twice --at 1' validate \
	EBADMSG 'iteration 1: data differs at offset 0'
# It is taken for the one that is waited for, if it does not come even before that.
client_meets 'a go-ahead before it has asked' '--fault early' validate \
	EBADMSG/EPROTO '' '' 0/1
known_fault rxe 5.10 'client: many go-aheads' \
	'rxe posts a SEND without end if the other QP is in error: soft lockup' ||
	client_meets 'many go-aheads' '--fault burst=15' validate \
		EBADMSG/EPROTO/EIO/ECONNRESET ''
# 5.10 has another name for a remote invalid request error, with the same end
known_fault rxe 5.10 'client: the server invalidates a key that does not exist' \
	'rxe completes nothing then' ||
	client_meets 'the server invalidates a key that does not exist' '--fault inv=none' server_inv \
		EIO 'invalid request error'

for off in 0 17 63; do
	client_meets "wrong byte at offset $off" "--fault corrupt=$off --at 1" validate \
		EBADMSG "iteration 1: data differs at offset $off:"
done
client_meets 'wrong byte at the end of a large buffer' '--fault corrupt=65535' \
	'validate,size=64k,poll' EBADMSG 'iteration 0: data differs at offset 65535:'
client_meets 'wrong byte at the end of a buffer in pieces' '--fault corrupt=1048575' \
	'validate,size=1m,mem_mode=reg' EBADMSG 'iteration 0: data differs at offset 1048575:'
client_meets 'wrong byte in a large buffer, sleeping' '--fault corrupt=4096' \
	'validate,size=8k' EBADMSG 'iteration 0: data differs at offset 4096:'
client_meets 'wrong byte, and it is logged' '--fault corrupt=1' \
	'validate,verbose' EBADMSG 'iteration 0: data differs at offset 1:'
client_meets 'wrong byte, and nobody looks' '--fault corrupt=17 --count 3' '' ok ''

case $TYPE in
siw)
	# which says no more than that the connection is terminated
	server_meets 'wrong key of the source' '--count 3 --fault rkey=first' '' ECONNRESET ''
	server_meets 'wrong key of the sink' '--count 3 --fault rkey=second' '' ECONNRESET ''
	;;
*)
	no_nak='rxe sends no NAK for a READ or WRITE'
	known_fault rxe 5.10 'server: wrong key of the source' "$no_nak" ||
		server_meets 'wrong key of the source' '--fault rkey=first' '' \
			EIO 'RDMA READ failed: remote access error' 'remote access error'
	known_fault rxe 5.10 'server: wrong key of the sink' "$no_nak" ||
		server_meets 'wrong key of the sink' '--fault rkey=second' '' \
			EIO 'RDMA WRITE failed: remote access error' 'remote access error'
	;;
esac
cases_run

#
# The device is removed. Who is told first disconnects the other.
#

lost_device() {
	kr_ended "$1" ENODEV $PROMPT && kr_detail_has 'removed' && return 0
	[ "$2" = peers ] && kr_returned ECONNRESET || return 1
	told=$((told - 1))
}

removed() {
	told=2
	lost_device bound alone && lost_device client peers &&
		lost_device server peers || return 1
	[ $told -gt 0 ] || why 'neither client nor server ended with ENODEV'
}

next_port
running=$port
kr_bg server "server,addr=$ADDR,port=$running"
kr_bg client "client,addr=$ADDR,port=$running"
next_port
kr_bg bound "server,addr=$ADDR,port=$port"
next_port
kr_bg any "server,addr=0.0.0.0,port=$port"
until_ok $PEER_WAIT kr_runs client
klog_mark
rdma link delete "$DEV"
check 'the device is removed under a client, its server, and a listener' removed
wildcard_listens() {
	kr_result any && kr_is status running && kr_running 1 && kr_listening
}
check 'a listener on any address goes on' wildcard_listens
kr "client,addr=$ADDR,port=$port,count=3"
check 'client: without a device' kr_returned ENODEV

device_again
kr "client,addr=$ADDR,port=$port,count=3,validate"
check 'the listener on any address serves the new device' kr_returned ok
check 'and ends' kr_ended any ok

t_end
