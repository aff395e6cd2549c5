#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A listener of krdma.h has clients that break the protocol. Messages that came
#   before are received, then the connection ends with an errno, and nothing is logged.
# Requires: one guest
# Duration: 25 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"

port=19700
insmod /lib/modules/extra/krping_krdma.ko scenario=serves "addr=$ADDR" port=$port

waiting() {
	read -r _result </sys/module/krping_krdma/parameters/result
	[ "$_result" = waiting ] || why "krping_krdma is $_result"
}

# said TEXT: check that krping_krdma has logged a line that matches
said() {
	klog_since | grep -q "krping_krdma: $1" || why "the log is: $(klog_since)"
}

# served MESSAGES ERRNO: the module has received so many messages, and then got this errno
served() {
	until_ok 20 said "served: [0-9]* messages" && said "served: $1 messages, -$2\$" || return 1
	eq "$(klog_since | grep -c ' krping: ')" 0 'number of log lines of krping'
}

# meets MESSAGES ERRNO STATUS OPTION...: a client with these options is served
meets() {
	_messages=$1 _errno=$2 _status=$3
	shift 3
	until_ok 20 waiting || return 1
	klog_mark
	peer_client c --test krdma --size 16384 "$@"
	peer_ended c "$_status" && served "$_messages" "$_errno"
}

EPROTO=71 ECONNRESET=104 ETIMEDOUT=110

check "krdma: a client that sends messages and disconnects" meets 5 $ECONNRESET 0 --count 5
check "krdma: a client that sends more than its credits allow" \
	meets 16 $EPROTO 0/1 --count 1 --fault krdma=overrun
for what in head empty short surplus long huge taken credit credit-back; do
	check "krdma: a client with a wrong fragment: $what" \
		meets 2 $EPROTO 0 --count 3 --at 2 --fault krdma=$what
done
for what in gap new; do
	check "krdma: a client with a wrong second fragment: $what" \
		meets 2 $EPROTO 0 --count 3 --at 2 --fault krdma=$what
done
check "krdma: a client that disconnects within a message" \
	meets 2 $ECONNRESET 0 --count 3 --at 2 --fault krdma=part
check "krdma: the listener serves the next client" meets 3 $ECONNRESET 0 --count 3

# These clients never become connections.
ends() {
	until_ok 20 waiting || return 1
	klog_mark
	peer_client c --test krdma --size 16384 --count 3 "$@"
	peer_ended c && waiting && eq "$(klog_since | grep -c 'krping')" 0 'number of log lines'
}
check "krdma: a client with data before its buffer advert" ends --fault early
for what in short twice; do
	check "krdma: a client with a wrong buffer advert: $what" ends --fault advert=$what
done

# The server waits for the timeout of the listener, 3 s, but at least for four signs of life.
silent() {
	until_ok 20 waiting || return 1
	klog_mark
	peer_client c --test krdma --size 16384 --count 3 --at 0 --fault krdma=silent
	peer_ended c && served 0 $ETIMEDOUT
}
check "krdma: a client that is silent" silent
check "krdma: the listener serves a client after all others" meets 3 $ECONNRESET 0 --count 3

unloads() {
	rmmod krping_krdma && kr_clean
}
check "krdma: the user of the listener is unloaded" unloads

t_end
