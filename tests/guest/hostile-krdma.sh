#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: When a client breaks the protocol of krdma.h, the listener still receives the messages
#   before the fault. The connection then ends with an errno and without a log line.
# Requires: one guest with any device
# Duration: 25 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# lib-peer.sh runs krping against krping-peer, a program that breaks the protocol on request (--fault).
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"

port=19700
# This module, a user of krdma.h, accepts one client after the other and receives the client's messages.
insmod /lib/modules/extra/krping_krdma.ko scenario=serves "addr=$ADDR" port=$port

# waiting: check that the module waits for the next client
waiting() {
	read -r _result </sys/module/krping_krdma/parameters/result
	[ "$_result" = waiting ] || why "krping_krdma is $_result"
}

# logged TEXT: check that krping_krdma has logged a line that matches
logged() {
	klog_since | grep -q "krping_krdma: $1" || why "the log is: $(klog_since)"
}

# served MESSAGES ERRNO: check that the module has received MESSAGES messages and then the errno ERRNO,
# and that krping has logged nothing
served() {
	until_ok 60 logged "served: [0-9]* messages" && logged "served: $1 messages, -$2\$" || return 1
	eq "$(klog_since | grep -c ' krping: ')" 0 'number of log lines of krping'
}

# meets MESSAGES ERRNO STATUS OPTION...: run krping-peer, and check that it ends with STATUS; then call
# served
meets() {
	_messages=$1 _errno=$2 _status=$3
	shift 3
	until_ok 60 waiting || return 1
	klog_mark
	peer_client c --test krdma --size 16384 "$@"
	peer_ended c "$_status" && served "$_messages" "$_errno"
}

EPROTO=71 ECONNRESET=104 ETIMEDOUT=110

check "krdma: the messages of a client that disconnects are received before ECONNRESET" meets 5 $ECONNRESET 0 --count 5
# The module begins to receive half a second after the accept. If the client has not used up its credits
# by then, the client gets more credits and does not overrun them. Therefore try six times. In a
# failed try, krping-peer may end with status 1.
overruns() {
	for _try in 1 2 3 4 5 6; do
		meets 16 $EPROTO 0/1 --count 1 --fault krdma=overrun && return 0
	done
	return 1
}
check_within 600 "krdma: a client that sends more than its credits allow is EPROTO" overruns
# krping-peer --help (tests/hostile/peer-usage.c) describes these faults (krdma=).
while IFS=: read -r fault wrong; do
	check "krdma: $wrong is EPROTO" meets 2 $EPROTO 0 --count 3 --at 2 --fault "krdma=$fault" </dev/null
done <<-END
	head:a fragment that has a header but no data
	empty:a first fragment that announces 0 bytes
	short:a first fragment with less data than it announces
	surplus:a first fragment with more data than it announces
	long:a first fragment that announces 1 MiB and 1 byte
	huge:a first fragment that announces 4 GiB
	gap:a message without its second fragment
	new:a new message after one fragment of another
	taken:a fragment that grants a credit for a fragment which nobody has sent
	credit:a message of credits that grants a credit for a fragment which nobody has sent
	credit-back:a message of credits that withdraws credits
END
# krping's SENDs of credits share one buffer, so a queued SEND carries the newest count of credits. A
# fragment that krping has posted behind this SEND may have an older count, which is no error.
check "krdma: a fragment with an older count of credits is received" \
	meets 3 $ECONNRESET 0 --count 3 --at 2 --fault krdma=stale
check "krdma: a disconnect within a message is ECONNRESET" \
	meets 2 $ECONNRESET 0 --count 3 --at 2 --fault krdma=part
check "krdma: the listener serves a client after invalid fragments" meets 3 $ECONNRESET 0 --count 3

# ends OPTION...: check that krdma_accept() does not return the connection of a client with these
# options of krping-peer
ends() {
	until_ok 60 waiting || return 1
	klog_mark
	peer_client c --test krdma --size 16384 --count 3 "$@"
	peer_ended c && waiting && eq "$(klog_since | grep -c 'krping')" 0 'number of log lines'
}
check "krdma: data before the buffer advert ends the connection" ends --fault early
check "krdma: an invalid buffer advert ends the connection: short" ends --fault advert=short

# The first advert is valid. If krdma_accept() runs before the second advert arrives, krdma_accept()
# returns the connection, and the module then receives EPROTO.
twice() {
	ends --fault advert=twice || served 0 $EPROTO
}
check "krdma: an invalid buffer advert ends the connection: twice" twice

# A client may be silent for the listener's timeout, here 8 s. (A shorter timeout would be raised to four
# intervals of the keep-alive messages.)
silent() {
	until_ok 60 waiting || return 1
	klog_mark
	peer_client c --test krdma --size 16384 --count 3 --at 0 --fault krdma=silent
	peer_ended c && served 0 $ETIMEDOUT
}
check "krdma: a silent client ends with ETIMEDOUT" silent
check "krdma: the listener serves a client after all clients that broke the protocol" meets 3 $ECONNRESET 0 --count 3

unloads() {
	rmmod krping_krdma && kr_clean
}
check "krdma: the module with the listener can be unloaded" unloads

t_end
