#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The other machine is reset while tests wait at each stage, while tests run,
#   and while tests are stopped.
# Requires: two guests on one wire; tests/run runs the subject only by name
# Duration: not measured
#
#   FAULT_ROUNDS   number of rounds (default 1)

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"
# shellcheck source=other.inc
. "${0%/*}/other.inc"

FAULT_ROUNDS=${FAULT_ROUNDS:-1}

# Bound for reaching the stages, and for the end; in seconds
BOUND=20

stand() {
	stage_begin timeout=${BOUND}000
	other "stage_peer_servers $PEER 21000" || return 1
	stage_clients_begin "$PEER" 21000
	stage_servers_begin "$ADDR" 22000 || return 1
	other "stage_peer_clients $ADDR 22000" || return 1
	other stage_peers_stand || return 1
	crowd_begins 5000
}

# endless: a test that only stop ends
endless() {
	server_there endless timeout=0
	kr_bg endless "client,addr=$PEER,port=$port,timeout=0" && until_ok 60 moves endless
}

dies() {
	peer-reset
	crowd_ended ETIMEDOUT ECONNRESET
}

# Errors of a test whose peer is gone and does not answer a disconnect
stops() {
	kr "stop,id=$id" && kr_ended endless ECANCELED 20
}

round=0
while [ $round -lt "$FAULT_ROUNDS" ]; do
	round=$((round + 1))
	check "reset: a test waits at each stage, and others run" stand
	check "reset: a test without timeout= runs" endless
	id=$(kr_get id)
	check "reset of the other machine ends the tests that run" dies
	check "reset: stop ends the test without timeout=" stops
	# a machine that boots quickly rejects a repeated request
	check "reset of the other machine ends the tests that wait at each stage" stage_ended ETIMEDOUT ECONNRESET ECONNREFUSED ok
	check "reset: no test or object is left" kr_clean
	check "the other machine boots after its reset" other_boots
	check "new tests work after the reset of the other machine" works
done
check "reset: the other guest has no test or object left" other_clean
t_end
