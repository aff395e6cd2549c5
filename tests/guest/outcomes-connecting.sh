#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: If a test's connection cannot be established, write(2), result and kernel log
#   give the reason, and nothing is left.
# Requires: one guest
# Duration: 24 s on rxe, 33 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# lib-peer.sh runs krping against krping-peer, a program that breaks the protocol on request
# (--fault). server_meets runs krping as the server, client_meets as the client. Their arguments:
# description; options of krping-peer; options of krping; errno or ok; words of krping's error; and,
# if given, status of the failed completion, and exit status of krping-peer.
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"

# Limit in seconds for the end of a test that need not wait for its peer.
PROMPT=60

#
# No connection
#

# reason WORDS: print WORDS, or nothing on siw, which sometimes loses the reason of a rejection
reason() {
	[ "$TYPE" = siw ] || printf %s "$1"
}

client_meets 'the server rejects without a reason: ECONNREFUSED' '--fault reject=0' '' \
	ECONNREFUSED "$(reason 'connection refused')"
client_meets 'the server rejects with a reason: ECONNREFUSED' '--fault reject=5' '' \
	ECONNREFUSED "$(reason 'the server does not take this size (limit 4711)')"
client_meets 'the server rejects with an unknown reason: ECONNREFUSED' '--fault reject=200' '' \
	ECONNREFUSED "$(reason 'the server gives a reason that is not known here (limit 4711)')"
client_meets 'the server rejects with garbage: ECONNREFUSED' '--fault rej=garbage' '' ECONNREFUSED ''
client_meets 'the server rejects with truncated garbage: ECONNREFUSED' '--fault rej=truncated' '' \
	ECONNREFUSED ''
cases_run

# kr_alone DESC ERRNO CMD WORDS: make the check DESC: CMD fails with ERRNO and WORDS, and leaves nothing
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
kr_alone 'client: no server listens on the port' ECONNREFUSED \
	"client,addr=$ADDR,port=$port,timeout=20000" 'is a server listening there'

# unanswered: check the end of a session without a timeout whose server does not answer. siw waits 10 s for the
# answer.
unanswered() {
	peer_server unanswered --fault silent=request
	kr_fails ETIMEDOUT "client,addr=$ADDR,port=$port,session,timeout=0"
	_failed=$?
	# shellcheck disable=SC2154 # peer_server sets it
	kill -KILL "$peer_pid_unanswered" 2>/dev/null
	return $_failed
}
# listens: check that a process listens on the TCP port $port
listens() {
	cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -q ":$(printf %04X "$port") 0*:0000 0A " ||
		why "nothing listens on port $port"
}

# echoed: check a client of siw whose server sends the connect request back, which is no valid answer
echoed() {
	next_port
	nc -l -p "$port" -e cat 2>/dev/null &
	_nc=$!
	until_ok 60 listens && kr_fails_with ECONNRESET "client,addr=$ADDR,port=$port,timeout=20000" \
		"the peer closed the connection, or its answer to the connect request is malformed"
	_failed=$?
	kill $_nc 2>/dev/null
	return $_failed
}
if [ "$TYPE" = siw ]; then
	check "session,timeout=0: ETIMEDOUT if the server does not answer" unanswered
	check "client: ECONNRESET if the server's answer is malformed" echoed
else
	skip "client: ECONNRESET if the server's answer is malformed" "$TYPE uses no TCP"
	skip "session,timeout=0: ETIMEDOUT if the server does not answer" "the CM of RoCE and InfiniBand waits for a minute"
fi

# krping logs at most ten rejected clients in five seconds, and an earlier subject may have used up
# these lines.
sleep 5
next_port
klog_mark
kr_bg server "server,addr=$ADDR,port=$port,size=64"
kr_told kr "client,addr=$ADDR,port=$port,size=128,count=1"
rejected() {
	kr_returned ECONNREFUSED &&
		kr_detail_has 'the server does not take this size (limit 64)' &&
		one_line client && klog_has 'rejected.*size .limit 64'
}
check "client: the result has the reason of krping's server for the rejection" rejected
kr "client,addr=$ADDR,port=$port,size=64,count=1"
check 'server: the next client is served after a rejected one' kr_returned ok
check 'server: a rejected client does not count as the served client' kr_ended server ok

kr_alone 'client: network unreachable' ENETUNREACH \
	"client,addr=10.99.0.1,timeout=20000" 'cannot resolve'
kr_alone 'client: a source address of no interface' EADDRNOTAVAIL \
	"client,addr=$ADDR,source=10.0.0.200,timeout=20000" ''
kr_alone 'client: device= names no device' ENODEV \
	"client,addr=$ADDR,device=none0,timeout=20000" 'none0'
kr_alone 'server: an address of no interface' EADDRNOTAVAIL \
	"server,addr=10.0.0.200" 'cannot bind'
kr_alone 'server: device= names no device' ENODEV \
	"server,addr=$ADDR,device=none0" 'none0'
kr_alone 'server: device= names no device, wildcard address' ENODEV \
	"server,addr=0.0.0.0,device=none0" 'none0'

ip link add nordma type dummy
ip addr add 10.9.0.1/24 dev nordma
ip link set nordma up
kr_alone 'server: the interface of the address has no RDMA device' ENODEV \
	'server,addr=10.9.0.1' ''
kr_alone 'client: the interface of the route has no RDMA device' ENODEV \
	'client,addr=10.9.0.2,timeout=20000' ''
ip link delete nordma

next_port
kr_bg server "server,addr=$ADDR,port=$port"
klog_mark
kr "server,addr=$ADDR,port=$port,background"
in_use() {
	kr_returned EADDRINUSE && one_line server && kr_running 1
}
check 'server: the port is in use, with background' in_use
kr stop
check 'server: stop ends a listening server' kr_ended server ECANCELED

#
# No answer
#

# The silent krping-peer ends when krping disconnects. At the stage `request` there is no connection yet, so
# krping-peer may get no event of its end, and the case ends krping-peer by SIGTERM (status 143).
for stage in request connect first second; do
	words="the peer was silent for timeout=$PATIENCE"
	status=0
	if [ $stage = request ]; then
		words="connecting took longer than timeout=$PATIENCE"
		status=143
	fi
	client_meets "ETIMEDOUT if the server is silent from stage $stage on" \
		"--fault silent=$stage" '' ETIMEDOUT "$words" \
		'' $status
done
client_meets 'silent server, polling: ETIMEDOUT' '--fault silent=second --at 1' poll \
	ETIMEDOUT "the peer was silent for timeout=$PATIENCE ms in iteration 1"
for stage in connect first second; do
	server_meets "ETIMEDOUT if the client is silent from stage $stage on" \
		"--count 3 --fault silent=$stage" '' \
		ETIMEDOUT "the peer was silent for timeout=$PATIENCE"
done
server_meets 'silent client, polling: ETIMEDOUT' '--count 3 --fault silent=first --at 1' poll \
	ETIMEDOUT "the peer was silent for timeout=$PATIENCE ms in iteration 1"
server_meets 'silent old client between iterations: ETIMEDOUT' \
	'--count 3 --old --fault silent=second' '' \
	ETIMEDOUT "the peer was silent for timeout=$PATIENCE ms in iteration 1"
cases_run

# nobody_answers: check that the client has failed with the errno of a host that does not answer
nobody_answers() {
	kr_returned ETIMEDOUT || kr_returned EHOSTUNREACH || return 1
	one_line client && kr_clean
}

# A dummy interface without ARP resolves any address, and drops the REQ or SYN.
klog_mark
kr "client,addr=10.0.0.77,timeout=$PATIENCE"
check 'client: no host has the address' nobody_answers
klog_mark
kr_fg client 'client,addr=10.0.0.77,timeout=600000'
until_ok $PEER_WAIT kr_running 1
sleep 1
kr_fg stopper stop
stopped() {
	kr_ended stopper ok $PROMPT && kr_ended client ECANCELED $PROMPT &&
		one_line client && kr_clean
}
check 'client: stop ends a connect' stopped
klog_mark
kr_spawn client signal=15:1000 'write=client,addr=10.0.0.77,timeout=600000' read
interrupted() {
	kr_ended client EINTR $PROMPT && one_line client && kr_clean
}
check 'client: a signal ends a connect' interrupted

ip link set "$IF" arp on
klog_mark
kr "client,addr=10.0.0.78,timeout=$PATIENCE"
check 'client: a host does not answer ARP' nobody_answers
klog_mark
kr_fg client 'client,addr=10.0.0.79,timeout=600000'
until_ok $PEER_WAIT kr_running 1
kr_fg stopper stop
stopped_resolving() {
	# The kernel may have given up resolving the neighbour before the stop.
	kr_ended stopper ok $PROMPT && kr_wait client $PROMPT &&
		{ kr_returned ECANCELED || kr_returned EHOSTUNREACH ||
			kr_returned ETIMEDOUT; } && kr_clean
}
check 'client: stop ends the resolution of an address' stopped_resolving
ip link set "$IF" arp off

next_port
kr_spawn server signal=2:1000 "write=server,addr=$ADDR,port=$port" read
interrupted_server() {
	kr_ended server EINTR $PROMPT && kr_clean
}
check 'server: a signal ends a listening server' interrupted_server

t_end
