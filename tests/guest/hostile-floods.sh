#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A server still serves clients after many clients have connected at once, or have vanished
#   before the server accepted them. Other tests that run are not disturbed.
# Requires: one guest
# Duration: 12 s on rxe, 9 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# lib-peer.sh runs krping against krping-peer, a program that breaks the protocol on request
# (--fault). server_meets runs krping as the server, client_meets as the client. Their arguments:
# description; options of krping-peer; options of krping; errno or ok; words of krping's error; and,
# if given, status of the failed completion, and exit status of krping-peer.
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"
# shellcheck source=background.inc
. "${0%/*}/background.inc"

#
# Clients that end after their connection request
#

for i in 1 2 3; do
	server_meets "ECONNRESET or ETIMEDOUT if client $i exits after its request" \
		'--fault exit=request' '' ECONNRESET/ETIMEDOUT ''
	server_meets "ECONNRESET or ETIMEDOUT if client $i is killed after its request" \
		'--fault kill=request' '' ECONNRESET/ETIMEDOUT '' '' 137
done
cases_run

#
# Many connection requests at once while another pair runs
#

beside_begin

# flooded ACCEPTED N: check that the server has accepted ACCEPTED of N clients and rejected the others
# with the reason "busy". siw sometimes loses the reason of a rejection. Then krping-peer does not count this
# rejection as busy, and ends with status 1.
flooded() {
	_busy=$(($2 - $1)) _ends=0
	[ "$TYPE" != siw ] || _busy='*' _ends=0/1
	peer_ended c $_ends && peer_says c "flood=$2 answers=$2 busy=$_busy accepted=$1"
}

# server_lines N: check that the log has N lines about failures of servers, without those of a stop
server_lines() {
	eq "$(($(klog_count 'test [0-9]*, server: ') - $(klog_count ', server: stopped by the command stop')))" "$1" \
		'number of log lines'
}

# flooded_busy: check that the server has rejected all 24 clients, without a log line
flooded_busy() {
	flooded 0 24 && server_lines 0 && undisturbed
}

port=$beside_port
peer_client c --flood 24
check 'server: 24 clients are rejected while one is served' flooded_busy
peer_client c --flood 24 --old
check 'server: 24 old clients are rejected while one is served' flooded_busy

# flood_vanished SERVES: check that the server has lost all its SERVES clients. The log has a line for
# each client, and one more if the server serves several.
flood_vanished() {
	kr_ended many ECONNRESET || return 1
	if [ "$1" = 1 ]; then
		server_lines 1
	else
		kr_is clients "$1" && kr_is failed "$1" && server_lines $(($1 + 1))
	fi && kr_clean && undisturbed
}

# flood OPTIONS SERVES: check that a server accepts SERVES of 24 clients, and notices that they vanish
flood() {
	klog_mark
	next_port
	kr_bg many "server,addr=$ADDR,port=$port,$1$PATIENT"
	peer_client c --flood 24 --accepted "$2"
	check "server: $2 of 24 clients that connect at once are accepted" flooded "$2" 24
	check "server: the $2 accepted clients vanish" flood_vanished "$2"
}
flood '' 1
flood clients=4, 4

all_served() {
	flooded 48 48 && until_ok $PEER_WAIT kr_running 3 && undisturbed
}
klog_mark
next_port
kr_bg many "server,addr=$ADDR,port=$port,clients=0,$PATIENT"
peer_client c --flood 48 --accepted 48
check 'server: with clients=0, 48 clients that connect at once are accepted' all_served
peer_client c --count 3
check 'server: with clients=0, a client is served after 48 others' peer_ended c
kr_result many
kr "stop,id=$(kr_get id)"
stopped_many() {
	kr_wait many && kr_errno && eq "$KR_ERRNO" ECANCELED errno && server_lines 48 && kr_clean
}
check 'server: with clients=0, stop ends a server whose clients vanished' stopped_many

#
# Connections that end before the server accepts them, as the connections of a port scanner do. iWARP
# connections begin as TCP connections.
#

# tcp_vanished: check that a server still serves a client after 100 TCP connections have ended
tcp_vanished() {
	peer_ended c && peer_says c 'tcp=100 connected=100' && kr_running 3 &&
		peer_client d --count 3 && peer_ended d && undisturbed
}
case $TYPE in
siw)
	klog_mark
	next_port
	kr_bg many "server,addr=$ADDR,port=$port,clients=0,$PATIENT"
	peer_start c tcp "$ADDR" "$port" --flood 100
	check 'server: a client is served after 100 reset TCP connections' tcp_vanished
	kr_result many
	kr "stop,id=$(kr_get id)"
	tcp_stopped() {
		kr_wait many && kr_errno && eq "$KR_ERRNO" ECANCELED errno && server_lines 0 &&
			kr_clean
	}
	check 'server: 100 reset TCP connections leave no line in the log' tcp_stopped
	;;
*) skip 'server: a client is served after 100 reset TCP connections' "$TYPE does not use TCP" ;;
esac

beside_end

t_end
