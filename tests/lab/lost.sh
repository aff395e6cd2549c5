#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: If a message of the connection manager is lost once, krping still connects within the
#   default timeout, and the peer still learns that a connection has ended. A test that waits for the
#   answer to its disconnect keeps neither its port nor its server busy.
# Requires: one guest with the lab device
# Duration: 90 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# The lab device is a patched rxe. lab_set and lab_new set its module parameters.
# shellcheck source=lab.inc
. "${0%/*}/lab.inc"

port=8000

# The attribute ids of the connection manager's messages.
REQ=16 REP=19 RTU=20 DREQ=21 DREP=22

# serve OPTIONS: start a server in the background on a new port
serve() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,$1" && kr_listening server
}

# lost: check that the lab device has dropped the message
lost() {
	lab_limit lose 0
}

# connects_without ID: check that a test succeeds though the first message with this id is lost
connects_without() {
	serve timeout=20000 || return 1
	lab_set "lose=$1"
	kr "client,addr=$ADDR,port=$port,count=5" && kr_ended server ok && lost
}
check "the default timeout allows for a lost connect request" connects_without $REQ
check "the default timeout allows for a lost reply to a connect request" connects_without $REP
check "a server serves a client whose ready-to-use message is lost" connects_without $RTU

# short_ends ID: check that a client with timeout=3000 fails if the first message with this id is lost. The
# connection manager repeats a request after 4.6 s, and a reply after 4.1 s.
short_ends() {
	serve timeout=20000 || return 1
	lab_set "lose=$1"
	kr_fails_with ETIMEDOUT "client,addr=$ADDR,port=$port,timeout=3000,count=5" \
		"connecting took longer than timeout=3000 ms"
	_status=$?
	kr_stop
	lost && return $_status
}
check "timeout=3000 does not allow for a lost connect request" short_ends $REQ
check "timeout=3000 does not allow for a lost reply to a connect request" short_ends $REP

# server_ends ID: stop the client while the message ID is lost, and check that client and server end. With
# timeout=0, a server that does not learn of the end of its client waits without limit.
server_ends() {
	serve timeout=0 && kr_bg client "client,addr=$ADDR,port=$port,timeout=20000" &&
		until_ok 60 kr_runs client || return 1
	kr_result client
	kr_val id
	lab_set "lose=$1" && kr "stop,id=$KR_VAL"
	kr_ended client ECANCELED || return 1
	until_ok 30 kr_none || why "the server or the client has not ended after 30 s"
	_status=$?
	kr_stop
	lost && return $_status
}
check "a server learns that its client has stopped though the request to disconnect is lost" \
	server_ends $DREQ
check "a client ends though the answer to its request to disconnect is lost" server_ends $DREP

# many_end: check that a test of 16 connections ends. All wait for their disconnects at the same time.
many_end() {
	serve timeout=0 || return 1
	lab_set lose=$DREQ
	kr "client,addr=$ADDR,port=$port,bw,qps=16,count=16" && until_ok 30 kr_none && lost
}
check "16 connections end though the request to disconnect one of them is lost" many_end

# runs ID: check that this test runs
runs() {
	kr "list,id=$1" && kr_has test=session
}

# connected [,OPTION]...: start a server with these further options, and a session, which posts
# nothing; set SERVER and CLIENT to their ids
connected() {
	serve "export=4k,timeout=0$1" && kr_result server || return 1
	SERVER=$(kr_get id)
	kr_bg client "client,addr=$ADDR,port=$port,session,$PATIENT" || return 1
	CLIENT=$(kr_get id)
}

# parts ID: stop the server's test ID, and let the lab device lose the test's request to disconnect
parts() {
	lab_set lose=$DREQ
	kr_fg stop "stop,id=$1"
	until_ok 60 lost
}

port_is_free() {
	connected && parts "$SERVER" && kr_bg other "server,addr=$ADDR,port=$port" && runs "$SERVER"
}
check "the port of a server that waits for its client's answer is free" port_is_free
kr_stop

others_are_served() {
	connected ,clients=0 && kr list || return 1
	_child=$(sed -n '/role=server/{/state=listening/d;s/^.*\bid=\([0-9]*\) .*/\1/p}' "$KR_RESULT")
	parts "$_child" && kr "client,addr=$ADDR,port=$port,$PATIENT,put,data=hello" && runs "$_child"
}
# The new QP has the number of the QP that the server has just destroyed, and the connection manager still has
# the connection of that number.
known_fault rxe 5.10 "a server serves a client while another client's test waits for an answer" \
	"rxe of 5.10 gives the number of a destroyed QP to the next QP" ||
	check "a server serves a client while another client's test waits for an answer" others_are_served
kr_stop

# client_unaware ERRNO: check that the server ends with ERRNO, and does not repeat its request to
# disconnect, which would end the client
client_unaware() {
	kr_ended server "$1" || return 1
	sleep 2
	runs "$CLIENT"
}

second_stop() {
	connected && parts "$SERVER" && kr "stop,id=$SERVER" && client_unaware ECANCELED
}
check "a second stop ends the wait for the peer's answer" second_stop
kr_stop

killed() {
	port=$((port + 1))
	kr_fg server "server,addr=$ADDR,port=$port,export=4k,timeout=0"
	_pid=$!
	until_ok 60 kr_listening && kr_bg client "client,addr=$ADDR,port=$port,session,$PATIENT" || return 1
	CLIENT=$(kr_get id)
	lab_set lose=$DREQ
	kill -KILL $_pid
	wait $_pid
	lost && sleep 2 && kr_running 1 && runs "$CLIENT"
}
check "a killed server does not wait for its client's answer" killed
kr_stop

t_end
