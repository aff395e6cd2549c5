#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The other machine is reset while tests wait for their peer at each stage of
#   the protocol, and while tests run. The tests end. Only stop ends a test with timeout=0.
# Requires: two guests on one wire; tests/run runs this file only if the user names it
# Duration: not measured
#
#   FAULT_ROUNDS   number of rounds (default 1)

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# lib-peer.sh runs krping against krping-peer, a program that breaks the protocol on request (--fault).
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"
# shellcheck source=other.inc
. "${0%/*}/other.inc"

FAULT_ROUNDS=${FAULT_ROUNDS:-1}

# timeout= of the tests that wait at a stage, in seconds. All tests must reach their stage
# within this time.
BOUND=40

# stand: for each stage of lib-peer/stages.inc start a test that waits there; also start the tests of
# crowd_begins, which have no end
stand() {
	stage_begin timeout=${BOUND}000
	other "stage_peer_servers $PEER 21000" || return 1
	stage_clients_begin "$PEER" 21000
	stage_servers_begin "$ADDR" 22000 || return 1
	other "stage_peer_clients $ADDR 22000" || return 1
	other stage_peers_stand || return 1
	crowd_begins 5000
}

# endless: start a test with timeout=0, which only stop ends
endless() {
	server_there endless timeout=0
	kr_bg endless "client,addr=$PEER,port=$port,timeout=0" && until_ok 60 moves endless
}

# dies: reset the other machine, and check that the tests of crowd_begins end with an error
dies() {
	peer-reset
	crowd_ended ETIMEDOUT ECONNRESET
}

# stops: stop the test with timeout=0, whose peer does not answer a disconnect
stops() {
	kr "stop,id=$id" && kr_ended endless ECANCELED 60
}

round=0
while [ $round -lt "$FAULT_ROUNDS" ]; do
	round=$((round + 1))
	check "reset: a test waits at each stage, and other tests run" stand
	check "reset: a test with timeout=0 runs" endless
	id=$(kr_get id)
	check "reset of the other machine ends running tests" dies
	check "reset: stop ends the test with timeout=0" stops
	# ECONNREFUSED is valid: if the machine boots quickly, it rejects a repeated connection request
	check "reset of the other machine ends the tests that wait at each stage" stage_ended ETIMEDOUT ECONNRESET ECONNREFUSED ok
	check "reset: no test or RDMA object is left" kr_clean
	check "the other machine boots after its reset" other_boots
	check "new tests work after the reset of the other machine" works
done
check "reset: the other guest has no test or RDMA object left" other_clean
t_end
