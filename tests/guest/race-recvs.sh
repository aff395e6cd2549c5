#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: While a connection goes down, a device may reject a RECV with ENOTCONN although earlier
#   RECVs have completed. The test handles the messages of these RECVs: no message is lost, and none is
#   compared with the data of another one.
# Requires: one guest, tests/kmod/krping_delay.ko
# Duration: 5 s on rxe, 11 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# lib-peer.sh runs krping against krping-peer, a program that breaks the protocol on request (--fault).
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"
# shellcheck source=delay.inc
. "${0%/*}/delay.inc"

case $(uname -m) in
x86_64) ;;
*) skip_all "krping_delay supports return= on x86 only" ;;
esac

# The function of the driver that posts a RECV. The RECVs of krping-peer, a user-space program, are not
# posted by this function, but those of the connection manager are. So a rule selects the calls of one test
# by $CALLER: the context of the CQ or, with poll, the test's thread.
POST=${TYPE}_post_recv
[ "$TYPE" != siw ] || POST=siw_post_receive

# serve PEER_ARGS OPTIONS: run a server with OPTIONS, whose client is krping-peer
serve() {
	next_port
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT$2" || return 1
	# shellcheck disable=SC2086 # words
	peer_client p $1
	kr_wait server && kr_errno
}

# ask PEER_ARGS OPTIONS: run a client with OPTIONS, whose server is krping-peer
ask() {
	# shellcheck disable=SC2086 # words
	peer_server p $1 || return 1
	kr "client,addr=$ADDR,port=$port,$PATIENT,count=3$2"
}

# posted COMMAND...: run COMMAND, whose test succeeds, and set POSTS to the number of RECVs that a rule
# selects. The last RECVs are those that the test posts again, one for each message.
posted() {
	delay "$POST $CALLER usec=1 every=1000000 return=-107" || return 1
	"$@" && kr_returned ok && peer_ended p
	_ret=$?
	delay_end
	POSTS=$DELAY_CALLS
	return $_ret
}

# rejected N COMMAND...: run COMMAND. The device rejects the Nth RECV that a rule selects, with ENOTCONN,
# and no other, because the rule ends after 1 us.
rejected() {
	_rule="$POST $CALLER usec=1 every=$1 return=-107"
	shift
	delayed 1 "$_rule" "$@" && eq "$DELAY_HITS" 1 "number of rejected RECVs"
}

# complete LATER ROLE PEER_ARGS OPTIONS: check that a test succeeds if the device rejects the RECV after
# which the test posts LATER others. ROLE is serve or ask.
complete() {
	posted "$2" "$3" "$4" && rejected $((POSTS - $1)) "$2" "$3" "$4" &&
		kr_returned ok && kr_is iterations 3 && kr_is recv_msgs "$RECEIVED" && peer_ended p
}

# lost OPTIONS: as complete, but the client disconnects after 3 of 5 messages
lost() {
	posted serve "$SBW --count 5" "$1" && rejected $((POSTS - 4)) \
		serve "$SBW --count 5 --at 3 --fault disconnect=first --leave" "$1" &&
		kr_returned ECONNRESET && kr_is iterations 3 && kr_is recv_msgs 3 && peer_ended p
}

for options in '' ,poll; do
	# With --flags 1, the test has the option validate. The CQ is then in the context of a workqueue or, with
	# poll, of the test's thread. A stride, and options (such as txdepth) in the client's private data, give
	# the client several slots, so that messages arrive without waiting for credits.
	case $options in
	'') CALLER=context=softirq SBW='--test sbw --recvs 8' ;;
	,poll) CALLER=comm=krping/ SBW='--test sbw --recvs 8 --flags 1 --stride 256 --options options' ;;
	esac
	RECEIVED=3
	check "sbw$options: the server handles a message and the next ones if the device rejects a RECV" \
		complete 3 serve "$SBW --count 3" "$options"
	check "sbw$options: the server handles the finish message if the device rejects a RECV" \
		complete 0 serve "$SBW --count 3" "$options"
	check "sbw$options: ECONNRESET if the device rejects a RECV and the client disconnects" \
		lost "$options"
	RECEIVED=0
	check "rlat$options: the client handles the report if the device rejects a RECV" \
		complete 0 ask '' ",rlat$options"
	RECEIVED=6
	check "ping$options: the client handles a go-ahead if the device rejects a RECV" \
		complete 1 ask '' ",validate$options"
done

rmmod krping_delay
t_end
