#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: In the test ping, the sides exchange a report if they have negotiated one, and an
#   unexpected control message is a protocol error.
# Requires: one guest with any device
# Duration: 16 s on rxe, 11 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# lib-peer.sh runs krping against krping-peer, a program that breaks the protocol on request
# (--fault). server_meets runs krping as the server, client_meets as the client. Their arguments:
# description; options of krping-peer; options of krping; errno or ok; words of krping's error; and,
# if given, status of the failed completion, and exit status of krping-peer.
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"

#
# In the test ping, two control messages are valid, after the last iteration, if both sides have
# negotiated a report: the client's finish and the server's report. Without a negotiated report,
# krping takes a control message for an advert or a go-ahead, which have 16 bytes.
#

# reported: check that the client has received a report of 3 iterations of 64 bytes
reported() {
	peer_says "$CASE" 'report iterations=3 nsec=given latencies=2' &&
		peer_says "$CASE" 'report send=96/6 recv=96/6 write=192/3 read=192/3'
}
server_meets 'a client that requests a report: no error' '--count 3 --report' '' ok
also 'client: the report has the figures of 3 iterations' reported
server_meets 'a client that requests a report, polling: no error' '--count 3 --report' poll ok
also 'client: the report has the figures of 3 iterations, polling' reported
server_meets 'a client that requests no report: no error' '--count 3' '' ok
server_meets 'a ping client vanishes instead of sending finish: no error' \
	'--count 3 --report --fault exit=report' '' ok

for what in finish credit report advert; do
	server_meets "control message $what instead of the first source advert: EPROTO" \
		"--count 3 --report --fault ctl=$what" '' \
		EPROTO 'an unexpected message in iteration 0'
	server_meets "control message $what between iterations: EPROTO" \
		"--count 3 --report --at 2 --fault ctl=$what" '' \
		EPROTO 'an unexpected message in iteration 2'
	server_meets "control message $what in the middle of an iteration: EPROTO" \
		"--count 3 --report --at 1 --fault ctl-second=$what" '' \
		EPROTO 'an unexpected message in iteration 1'
	server_meets "control message $what after the report: EPROTO" \
		"--count 3 --report --at 3 --fault ctl=$what" '' \
		EPROTO 'an unexpected message in iteration 3'
done
server_meets 'a control message of an unknown type: EPROTO' '--count 3 --report --at 1 --fault ctl=garbage' \
	'' EPROTO 'at 0x6b727067ee000000'
server_meets 'finish, too short: EPROTO' '--count 3 --report --at 1 --fault ctl=short' '' \
	EPROTO 'a message of 15 bytes instead of 16'
server_meets 'finish, too long: EPROTO' '--count 3 --report --at 1 --fault ctl=long' '' \
	EPROTO 'a message of 17 bytes instead of 16'
server_meets 'a report that is cut off: EPROTO' '--count 3 --report --at 1 --fault ctl=stump' '' \
	EPROTO 'a message of 167 bytes instead of 16'
server_meets 'finish without a negotiated report: EPROTO' '--count 3 --at 1 --fault ctl=finish' '' \
	EPROTO 'a source of 0 bytes at 0x6b72706701000000'
server_meets 'buffer advert without a negotiated report: EPROTO' '--count 3 --at 1 --fault ctl=advert' '' \
	EPROTO 'a message of 32 bytes instead of 16'
server_meets 'report without a negotiated report: EPROTO' '--count 3 --at 1 --fault ctl=report' '' \
	EPROTO 'a message of 168 bytes instead of 16'

# peer_time_is TEXT: check that the result has the line "peer_time nsec=TEXT", or, if TEXT is empty,
# that the result has no line peer_time
peer_time_is() {
	eq "$(sed -n 's/^peer_time nsec=//p' "$KR_RESULT")" "$1" peer_time
}
client_meets 'a server that reports: no error' '--count 3 --report' '' ok
also "client: the result has the report of the server" peer_time_is '4711 iterations=3'
client_meets 'a server that reports, polling: no error' '--count 3 --report' poll ok
also "client: the result has the report of the server, polling" peer_time_is '4711 iterations=3'
client_meets 'a server that does not report: no error' '--count 3' '' ok
also "client: the result has no report of the server" peer_time_is ''
for end in silent disconnect exit; do
	client_meets "no error if the server does not send the negotiated report (fault $end)" \
		"--count 3 --report --fault $end=report" '' ok
	also "client: the result has no report if the server sends none (fault $end)" peer_time_is ''
done
for what in finish credit report advert; do
	client_meets "control message $what instead of the first go-ahead: EPROTO" \
		"--count 3 --report --at 1 --fault ctl=$what" '' \
		EPROTO 'an unexpected message in iteration 1'
	client_meets "control message $what instead of the second go-ahead: EPROTO" \
		"--count 3 --report --at 1 --fault ctl-second=$what" '' \
		EPROTO 'an unexpected message in iteration 1'
done
for what in finish credit advert garbage; do
	client_meets "control message $what instead of the report: EPROTO" \
		"--count 3 --report --at 3 --fault ctl=$what" '' \
		EPROTO 'an unexpected message in iteration 3'
done
client_meets 'a report that is cut off: EPROTO' '--count 3 --report --at 3 --fault ctl=stump' '' \
	EPROTO 'a message of 167 bytes instead of 16'
client_meets 'buffer advert without a negotiated report: EPROTO' '--count 3 --at 1 --fault ctl=advert' '' \
	EPROTO 'a message of 32 bytes instead of 16'

t_end
