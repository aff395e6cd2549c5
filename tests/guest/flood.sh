#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A test ends with the right error when a peer without RECVs floods krping with messages,
#   and stop ends a test with a silent peer. A peer without RECVs blocks krping's SQ, because with
#   rnr_retry=7 the device retries each SEND without end, while the peer's messages still arrive.
# Requires: one guest
# Duration: 18 s on rxe, 5 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"
# server_meets and client_meets DESC PEER_ARGS OPTIONS ERRNO WORDS of lib-peer.sh add a case to a queue: krping with
# OPTIONS, as the server or the client, against krping-peer PEER_ARGS. also adds a check, and cases_run runs the queue.
# case_add client is client_meets without the option count=3.

# The provider defines what happens to an iWARP SEND without a RECV. siw ends the connection.
case $TYPE in
siw) early=EPROTO/ECONNRESET/EIO ping_words='' words='' ;;
*) early=EPROTO ping_words='an unexpected message' words=unexpected ;;
esac

#
# The peer does not wait for answers, and sends so many messages that krping's answers fill the SQ. If a
# WR already waits for room on the SQ, krping must not queue this WR again.
#

for n in 40 80 255; do
	server_meets "$n adverts from a client without RECVs" \
		"--count 1000 --posts 0 --fault burst=$n" '' $early "$ping_words"
	server_meets "$n SENDs from a client of slat without RECVs" \
		"--test slat --count 1000 --posts 1 --fault burst=$n" '' $early "$words"
	case_add client "$n SENDs from a server of slat without RECVs" \
		"--posts 1 --fault burst=$n" slat,count=1000 $early "$words" '' 0
done
for how in poll cq=workqueue; do
	server_meets "80 adverts from a client without RECVs, $how" \
		"--count 1000 --posts 0 --fault burst=80" $how $early "$ping_words"
	server_meets "80 SENDs from a client of slat without RECVs, $how" \
		"--test slat --count 1000 --posts 1 --fault burst=80" $how $early "$words"
done
# With mem_mode=reg krping registers the sink of each READ, always with the same MR. If the third
# advert arrives while the READ for the first is in flight, krping maps this MR again. rxe checks
# the response against the new mapping, and may fail the READ with EIO.
server_meets "80 adverts from a client without RECVs, mem_mode=reg" \
	"--count 1000 --posts 0 --fault burst=80" mem_mode=reg "$early/EIO" ''
case $TYPE in
rxe)
	for n in 40 80 255; do
		server_meets "$n WRITEs with immediate data from a client of wlat without RECVs" \
			"--test wlat --flags 0x20 --count 1000 --posts 1 --fault burst=$n" \
			'' $early "$words"
	done
	;;
*) skip 'server: 80 WRITEs with immediate data from a client of wlat without RECVs' \
	'iWARP has no immediate data' ;;
esac

#
# RNR retries are exhausted. The peer's REQ or REP sets their number. krping-peer, which has no fault here,
# ends with status 1 if its connection ends during an iteration. A server ends with status 0 if its
# connection ends before the first iteration.
#

for n in 0 1; do
	case $TYPE in
	rxe)
		client_meets "a server without RECVs, which permits $n RNR retries" \
			"--posts 0 --rnr-retry $n" '' ECONNRESET 'SEND failed' \
			'RNR retry counter exceeded' 0/1
		server_meets "a client without RECVs, which permits $n RNR retries: ECONNRESET" \
			"--posts 0 --rnr-retry $n" '' ECONNRESET 'SEND failed' \
			'RNR retry counter exceeded' 1
		;;
	*) skip "client: a server without RECVs, which permits $n RNR retries" \
		'iWARP has no RNR retries' ;;
	esac
done
cases_run

#
# stop gives a silent peer half a second to answer; the limit of 30 s allows for a slow machine.
#

STOP_SECONDS=30

# stops_soon NAME: check that stop ends the test NAME within STOP_SECONDS
stops_soon() {
	seconds
	_began=$NOW
	kr stop && kr_ended "$1" ECANCELED || return 1
	seconds
	[ $((NOW - _began)) -le $((STOP_SECONDS * T_SLOW)) ] ||
		why "stop took $((NOW - _began)) s"
}

# client_of_silence OPTIONS STAGE PEER_ARG...: stop a client whose server is silent from STAGE on
client_of_silence() {
	_opts=$1 _stage=$2
	shift 2
	peer_server p --fault "silent=$_stage" "$@" &&
		kr_bg client "client,addr=$ADDR,port=$port,$PATIENT,count=100${_opts:+,$_opts}" &&
		until_ok $PEER_WAIT peer_says p "fault at stage $_stage *" &&
		stops_soon client && peer_ended p && kr_clean
}
for stage in first second; do
	check "stop returns within $STOP_SECONDS s: a server of ping is silent at the $stage go-ahead" \
		client_of_silence '' $stage --at 1
done
check "stop returns within $STOP_SECONDS s: a server of sbw is silent" \
	client_of_silence sbw second --recvs 2

# server_of_silence PEER_ARG...: stop a server whose client is silent
server_of_silence() {
	next_port
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT" || return 1
	until_ok $PEER_WAIT kr_listening
	peer_client p --count 3 "$@" &&
		until_ok $PEER_WAIT peer_says p 'fault*' && stops_soon server
	_ret=$?
	[ $_ret = 0 ] || kr_stop
	peer_ended p && kr_clean && return $_ret
}
check "stop returns within $STOP_SECONDS s: a client of ping is silent in the middle of an iteration" \
	server_of_silence --at 1 --fault silent=first

# The client sends fewer messages than krping's SQ holds. Each message is valid, but no SEND of krping
# completes.
if [ "$TYPE" = rxe ]; then
	check "stop returns within $STOP_SECONDS s: a client of ping without RECVs waits" \
		server_of_silence --posts 0 --fault burst=2
	check "stop returns within $STOP_SECONDS s: a client of slat without RECVs waits" \
		server_of_silence --test slat --posts 1 --fault burst=2
else
	skip "stop returns within $STOP_SECONDS s: a client of ping without RECVs waits" \
		'siw ends the connection of a peer without RECVs'
fi

check "rmmod and insmod work after peers without RECVs" kr_reload
t_end
