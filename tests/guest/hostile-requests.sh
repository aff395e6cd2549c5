#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A server rejects connection requests whose private data is invalid, and second and later
#   connections of a client that the client's first request has not announced. The server still
#   serves the next client.
# Requires: one guest
# Duration: 4 s on rxe, 5 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# lib-peer.sh runs krping against krping-peer, a program that breaks the protocol on request (--fault).
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"

# Reasons of a rejection: enum krping_rej_reason of krping/wire.h
BUSY=1 VERSION=2 MALFORMED=3 SIZE=5 UNSUPPORTED=6

# few_log_lines N: check that the log has at most N rejections; rate limiting may leave some out
few_log_lines() {
	[ "$(klog_count 'a client was rejected')" -le "$1" ] ||
		why "there are more log lines than $1"
}

# The krping-peer c sends the requests, one after the other.

# c_rejected STATUS TEXT: check that c has ended with this exit status, and that krping has rejected c with
# the private data TEXT. STATUS is 0 if c expects the rejection, as with the fault req=, and else 1.
c_rejected() {
	peer_ended c "$1" && peer_says c "rejected version=1 $2"
}

# rejected STATUS TEXT COMMAND...: check as c_rejected does. But siw sometimes loses the private data of a
# rejection (see Documentation/known-issues.md). Then let COMMAND send the request again, at most three
# times.
rejected() {
	_status=$1 _text=$2
	shift 2
	for _ in 1 2 3; do
		c_rejected "$_status" "$_text" && return
		[ "$TYPE" = siw ] && peer_says c 'rejected without a reason' || return 1
		diag "siw has lost the reason of a rejection"
		"$@"
	done
	c_rejected "$_status" "$_text"
}

# request ARG...: let c send a connection request with these options of krping-peer
request() {
	nr_requests=$((nr_requests + 1))
	peer_client c --count 3 "$@"
}

# data_rejected WHAT REASON [LIMIT]: check that the server has rejected a request with the fault req=WHAT,
# and that the server still listens. The rejection must have the number REASON, and LIMIT (default 0): the
# highest version or size that the server supports.
data_rejected() {
	rejected 0 "reason=$2 limit=${3-0}" request --fault "req=$1" && until_ok 60 kr_listening
}

# request_data WHAT REASON [LIMIT]: send a request with the fault req=WHAT, and make a check with
# data_rejected
request_data() {
	request --fault "req=$1"
	check "server: a request with invalid private data is rejected: $1" data_rejected "$@"
}

# refused REASON ARG...: check that the server has rejected a request with the options ARG of krping-peer,
# for the reason with the number REASON, and that the server still listens
refused() {
	_reason=$1
	shift
	rejected 1 "reason=$_reason limit=0" request "$@" && until_ok 60 kr_listening
}

# request_with REASON ARG...: send a request with the options ARG of krping-peer, and make a check with
# refused. WHEN, if set, is part of the check's name.
WHEN=
request_with() {
	_reason=$1
	shift
	request "$@"
	check "server: ${WHEN:+$WHEN, }a request with $* is rejected" refused "$_reason" "$@"
}

nr_requests=0
klog_mark

# One server rejects all these requests, and then serves a valid client.
next_port
kr_bg server "server,addr=$ADDR,port=$port,size=64,$PATIENT"
request_data version $VERSION 1
request_data garbage $VERSION 1
for what in options-flag options-zero options-many; do
	request_data $what $MALFORMED
done
for what in truncated test flags zero huge; do
	request_data $what $MALFORMED
done
request_data size $SIZE 64
request_data large $SIZE 64
case $TYPE in
# The private data is only the magic number. RoCE appends zeros, so the server sees version 0.
rxe) request_data magic $VERSION 1 ;;
# iWARP appends nothing, so the server sees that the private data is too short.
siw)
	request_data magic $MALFORMED
	request_data short $MALFORMED
	;;
esac
request_with $MALFORMED --conn-idx 1
request_with $MALFORMED --conn-idx 1 --conns-total 1
request_with $MALFORMED --conn-idx 65535 --conns-total 1024
request_with $MALFORMED --conns-total 1025
request_with $MALFORMED --conn-idx 65534 --conns-total 65535
request_with $MALFORMED --flags 0x80
# A request for ping may not have a stride.
request_with $MALFORMED --stride 64 --options options
# A stride needs the block of options, which has the number of addresses (txdepth).
request_with $MALFORMED --stride 64 --test bw
# With validate (flag 1) the size determines the stride, and 64 is not this stride.
request_with $MALFORMED --stride 64 --test bw --flags 1 --options options
# A stride with a txdepth beyond the maximum is invalid.
request_with $MALFORMED --stride 1 --test bw --options options-deep
# A client requests a second connection without a first one.
request_with $BUSY --conn-idx 1 --conns-total 2
request_with $BUSY --conn-idx 1023 --conns-total 1024 --session 77 --test sbw
case $TYPE in
siw)
	# iWARP has no immediate data and no atomics
	request_with $UNSUPPORTED --test slat --flags 0x20
	request_with $UNSUPPORTED --test rlat --flags 0x40 --size 8
	unsupported='imm: iWARP has no immediate data'
	;;
# On iWARP a request without limits of READs means that the device reports no limits.
rxe)
	request_with $UNSUPPORTED --reads 0
	request_with $UNSUPPORTED --test rbw --reads 0
	unsupported="the peer's device [a-z]* no READs and atomics"
	;;
esac
check "server: the log names the feature that the server or the client lacks" \
	klog_has "a client was rejected: the server does not support the request: $unsupported"
peer_client c --count 3
check 'server: a client with valid private data is served after all rejected ones' peer_ended c
check 'server: a server that has rejected requests ends without an error' kr_ended server ok

# The client's device has no READs, and a write latency test needs none.
case $TYPE in
rxe)
	next_port
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT"
	peer_client c --test wlat --count 3 --reads 0
	without_reads() {
		peer_ended c && kr_ended server ok &&
			case $KR_OUT in
			*" reads_out=0 reads_in=0 "*) ;;
			*) why "READs may be in flight" ;;
			esac
	}
	check 'server: a client without READs is served if the test has none' without_reads
	;;
esac

# With this stride and the txdepth of --options options, the client's addresses would exceed the largest
# buffer of the server.
next_port
kr_bg server "server,addr=$ADDR,port=$port,mem_mode=reg,$PATIENT"
far() {
	request --stride 4294967295 --test bw --options options
	rejected 1 "reason=$SIZE limit=$REG_MAX" request --stride 4294967295 --test bw --options options &&
		until_ok 60 kr_listening
}
check "server: a request whose stride leads beyond the largest buffer is rejected, with this size" far
peer_client c --test bw --count 3 --stride 64 --options options
check 'server: a client that requests a stride, but WRITEs to only one address, is served' peer_ended c
check 'server: a server that has rejected a stride ends without an error' kr_ended server ok

# A server with clients=2 accepts a client's first connection, but no second connection of a client whose
# first connection it does not know.
next_port
kr_bg server "server,addr=$ADDR,port=$port,clients=2,$PATIENT"
WHEN='before the first of two clients'
request_with $BUSY --conn-idx 1 --conns-total 2
request_with $MALFORMED --conn-idx 2 --conns-total 2
peer_client c --count 3
check 'server: with clients=2, the first client is served' peer_ended c
WHEN='before the second of two clients'
request_with $BUSY --conn-idx 1 --conns-total 2
peer_client c --test slat --count 3
check 'server: with clients=2, the second client is served' peer_ended c
both_served() {
	kr_ended server ok && kr_is clients 2 && kr_is failed 0
}
check 'server: with clients=2, the server ends after two clients' both_served
check 'server: the log has at most one line for each rejected request' few_log_lines $nr_requests

# A client may make only as many connections as its first request has announced.
next_port
kr_bg server "server,addr=$ADDR,port=$port,timeout=0"
peer_client first --test sbw --count 3 --conns-total 3 --session 77 --fault silent=first
until_ok $PEER_WAIT peer_says first 'fault at stage first *'

# is_busy COMMAND...: check that c is rejected because the server is busy. COMMAND: see rejected.
is_busy() {
	rejected 1 "reason=$BUSY limit=0" "$@"
}

# further_conn NAME SESSION: let NAME connect as a further connection of the client with SESSION
further_conn() {
	peer_client "$1" --test sbw --count 3 --conn-idx 1 --conns-total 3 --session "$2"
}
further_conn c 78
check 'server: a second connection with another session is rejected' is_busy further_conn c 78
further_conn c 77
check 'server: a second connection of the same session is accepted' peer_ended c
further_conn c 77
check 'server: a third connection of the same session is accepted' peer_ended c
further_conn c 77
check 'server: a fourth connection of a client that announced three is rejected' is_busy further_conn c 77
peer_client c --count 3
check 'server: another client is rejected as busy' is_busy peer_client c --count 3
kr stop
check 'server: stop ends a server with three connections of a client' kr_ended server ECANCELED
check 'client: the first of three connections ends when the server is stopped' peer_ended first

# A server without size= and mem_mode= accepts the larger of the device's limits for both modes, because it
# registers a buffer that is too large to be contiguous.
SIZE_MAX=$DMA_MAX
[ "$SIZE_MAX" -ge "$REG_MAX" ] || SIZE_MAX=$REG_MAX
next_port
kr_bg server "server,addr=$ADDR,port=$port"
klog_mark
peer_client c --fault req=large
too_large() {
	rejected 0 "reason=$SIZE limit=$SIZE_MAX" peer_client c --fault req=large &&
		until_ok 60 kr_listening
}
check "server: a request beyond the device's size limit is rejected" too_large
kr stop
kr_wait server

t_end
