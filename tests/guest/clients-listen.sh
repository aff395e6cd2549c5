#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A server for several clients works in the foreground and in the background, and on
#   wildcard addresses with device=.
# Requires: one guest with any device
# Duration: 3 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=background.inc
. "${0%/*}/background.inc"
# Functions of background.inc: serve OPTIONS starts a server, once OPTIONS runs a client to its end, endless NAME
# OPTIONS starts a client, goes_on NAME checks that this client runs, stops NAME stops it, and served CLIENTS
# FAILED ERRNO checks the end of the server.

#
# Foreground and background
#

foreground() {
	port=$((port + 1))
	kr_fg server "server,addr=$ADDR,port=$port,clients=2"
	kr_soon once count=3 && once slat,count=3 && served 2 0 ok
}
check "a server with clients=2 in the foreground returns after two clients" foreground
kr_stop

polls() {
	port=$((port + 1))
	kr_spawn poller "write=server,addr=$ADDR,port=$port,clients=2,background" poll=0 read \
		"run=: >$T_TMP/polled; until [ -e $T_TMP/once ]; do sleep 0.1; done" poll=0 \
		"run=: >$T_TMP/again" poll=60000 read
	until_ok 60 test -e "$T_TMP/polled"
	kr_soon once count=3 || return 1
	touch "$T_TMP/once"
	until_ok 60 test -e "$T_TMP/again"
	once slat,count=3 && kr_wait poller 100 || return 1
	eq "$(grep -E -o '^poll=[a-z]*| status=[a-z]*| clients=[0-9]*' "$KR_RESULT" | tr -d '\n')" \
		"poll=timeout status=runningpoll=timeoutpoll=ready status=ok clients=2" "the sequence of poll(2), status and clients"
}
check "poll(2) on a server with clients=2 waits for the last client" polls
kr_stop

#
# Wildcard addresses and device=
#

# wildcard SERVER_ADDR CLIENT_ADDR: check that a server with device= serves three clients
wildcard() {
	port=$((port + 1))
	kr_bg server "server,addr=$1,port=$port,clients=3,device=$DEV" &&
		kr "client,addr=$2,port=$port,count=3,validate" &&
		kr "client,addr=$2,port=$port,slat,count=3" &&
		kr "client,addr=$2,port=$port,rlat,count=3" && served 3 0 ok
}
check "clients=3,device= on 0.0.0.0 serves three clients" wildcard 0.0.0.0 "$ADDR"
kr_stop
check "clients=3,device= on :: serves three clients" wildcard :: "$ADDR6"
kr_stop

# A second device for servers with device=
OTHER=${TYPE}9
ip link add krping9 type dummy && ip link set krping9 up &&
	rdma link add "$OTHER" type "$TYPE" netdev krping9

wrong_device() {
	port=$((port + 1))
	kr_bg server "server,addr=0.0.0.0,port=$port,device=$OTHER,clients=2" || return 1
	client count=1
	for _ in 1 2 3; do
		kr_fails_with ECONNREFUSED "$CMD" device || return 1
	done
	until_ok 60 kr_running 1 && kr stop && kr_ended server ECANCELED
}
check "a server with device= rejects a client that reaches the server on another device" wrong_device
kr_stop
rdma link delete "$OTHER"
ip link delete krping9

t_end
