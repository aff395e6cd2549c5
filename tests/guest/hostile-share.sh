#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: With share, all connections of a client have one PD and one MR on the server. So the
#   server rejects a further connection that differs from the client's first one in size, test or
#   access rights. The first connection stays.
# Requires: one guest
# Duration: 14 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# lib-peer.sh runs krping against krping-peer, a program that breaks the protocol on request (--fault).
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"
# shellcheck source=delay.inc
. "${0%/*}/delay.inc"

# Reason of a rejection: enum krping_rej_reason of krping/wire.h
FAILED=8
DIFFER="share: the client's connections differ, or are too many"

# timeout= of the server that first() starts, in ms; 0: no bound
patience=0

# first SERVER_OPTIONS TEST [OPTION...]: start a server with share, and the first of three
# connections of a client, which then is silent
first() {
	_options=$1 _test=$2
	shift 2
	next_port
	klog_mark
	kr_bg server "server,addr=$ADDR,port=$port,timeout=$patience,share$_options" &&
		peer_client first --test "$_test" --count 3 --conns-total 3 --session 77 --fault silent=first "$@" &&
		until_ok "$PEER_WAIT" peer_says first 'fault at stage first *'
}

# further TEST [OPTION...]: let the peer c connect as the second connection of the same client
further() {
	_test=$1
	shift
	peer_client c --test "$_test" --count 3 --conns-total 3 --conn-idx 1 --session 77 "$@"
}

# over: stop the server, and check that no side leaves an object
over() {
	kr_stop
	peer_ended first && kr_ended server ECANCELED && kr_clean_now
}

# refused TEST [OPTION...]: let c connect, and check that the server rejects c and that the first
# connection still runs. c ends with status 1, because its request has no fault. siw sometimes loses the
# reason of a rejection, see Documentation/known-issues.md.
refused() {
	further "$@" && peer_ended c 1 && until_ok 60 klog_has "$DIFFER" || return 1
	peer_says c "rejected version=1 reason=$FAILED limit=0" ||
		{ [ "$TYPE" = siw ] && peer_says c 'rejected without a reason'; } || return 1
	kr list && case $KR_OUT in
	*" role=server "*" state=running "*) ;;
	*) why "the first connection has ended: $KR_OUT" ;;
	esac
}

# rejects "TEST [OPTION...]" "TEST [OPTION...]": check that the server rejects the second connection.
# The arguments are for the first and for the second connection.
rejects() {
	# shellcheck disable=SC2086 # words
	first "" $1 && refused $2
	_ret=$?
	_why=$T_WHY
	over || return 1
	T_WHY=$_why
	return $_ret
}

# accepts SERVER_OPTIONS "TEST..." "TEST...": check that the server serves the second connection
accepts() {
	# shellcheck disable=SC2086 # words
	first "$1" $2 && further $3 && peer_ended c
	_ret=$?
	over && return $_ret
}

check "share: a further connection that equals the first one is served" accepts "" bw bw
check "share: a further connection of a larger size is rejected" rejects bw "bw --size 8192"
check "share: a further connection of a smaller size is rejected" rejects "bw --size 8192" bw
check "share: a further connection of one byte more is rejected" rejects sbw "sbw --size 65"
check "share: sbw beside wlat is rejected, because sbw needs no MR" rejects wlat sbw
check "share: wlat beside sbw is rejected, because there is no MR" rejects sbw wlat
check "share: rbw beside bw is rejected, because the MR permits no READ" rejects bw rbw
check "share: bw beside rbw is rejected, because the MR permits no WRITE" rejects rbw bw
check "share: fr beside bw is rejected" rejects bw fr
check "share,mem_mode=dma: rbw beside bw is served, because there is no MR" accepts ,mem_mode=dma bw rbw
check "share: ping beside bw is served with buffers of its own" accepts "" bw ping

# A server without share does not compare connections, because each has a PD and MRs of its own.
without() {
	next_port
	kr_bg server "server,addr=$ADDR,port=$port,timeout=0" &&
		peer_client first --test bw --count 3 --conns-total 3 --session 77 --fault silent=first &&
		until_ok "$PEER_WAIT" peer_says first 'fault at stage first *' &&
		further rbw --size 8192 && peer_ended c
	_ret=$?
	over && return $_ret
}
check "a server without share serves connections that differ" without

# waiting NR: check that NR of the server's tests serve a client
waiting() {
	kr list || return 1
	eq "$(grep -c ' test=bw role=server ' "$KR_RESULT")" "$1" "tests of clients"
}

# in_time COMMAND...: check that COMMAND succeeds within 30 s, half of the server's timeout
in_time() {
	seconds
	_from=$NOW
	"$@" || return 1
	seconds
	[ $((NOW - _from)) -le 30 ] || why "$1 took $((NOW - _from)) s"
}

# unregistered COMMAND...: run COMMAND while the second connection waits for the MR. krping_delay lets
# the first connection post no REG_MR.
unregistered() {
	patience=60000
	delay "krping_share_register usec=100000 return=0" && first "" bw && further bw &&
		until_ok 60 waiting 2 && sleep 0.3 && in_time "$@"
	_ret=$?
	_why=$T_WHY
	patience=0
	delay_end
	over || return 1
	T_WHY=$_why
	[ $_ret = 0 ] && peer_ended c 1/137
}

# stops: stop the second connection's test, which is the newest
stops() {
	_id=$(sed -n 's/^id=\([0-9]*\) test=bw role=server .*/\1/p' "$KR_RESULT" | sort -n | tail -n 1)
	kr "stop,id=$_id" && waiting 1
}

# leaves: end the client's second connection
leaves() {
	# shellcheck disable=SC2154 # peer_client sets peer_pid_c
	kill -9 "$peer_pid_c" && until_ok 60 waiting 1
}

# krping_delay replaces functions on x86-64 only.
case $(uname -m) in
x86_64)
	check "share: stop,id= ends a connection that waits for the MR at once" unregistered stops
	# siw reports no disconnect before the server has accepted the client.
	[ "$TYPE" = siw ] ||
		check "share: a connection that waits for the MR ends when its client does" unregistered leaves
	;;
esac

# mixed SERVER_OPTIONS CLIENT_OPTIONS: run a pair in which one side has share
mixed() {
	next_port
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT$1" &&
		kr "client,addr=$ADDR,port=$port,$PATIENT,bw,qps=3,count=20,mem_mode=reg$2" &&
		kr_ended server ok && kr_clean_now
}
check "a pair with share on the client only succeeds" mixed "" ,share
check "a pair with share on the server only succeeds" mixed ,share ""

t_end
