#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A drained server rejects new clients, and ends after its last client.
# Requires: one guest
# Duration: 5 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=background.inc
. "${0%/*}/background.inc"
# Functions of background.inc: serve OPTIONS starts a server, once OPTIONS runs a client to its end, endless NAME
# OPTIONS starts a client, goes_on NAME checks that this client runs, stops NAME stops it, and served CLIENTS
# FAILED ERRNO checks the end of the server.

# drains: drain the server, and check that the command does not wait for the end of the server
drains() {
	kr "drain,id=$server_id" && kr_is id "$server_id" && kr_is status ok
}

# refused: check that the server rejects a new client. siw may lose the reason of the rejection.
refused() {
	client count=1
	kr_fails ECONNREFUSED "$CMD" || return 1
	[ "$TYPE" = siw ] || kr_detail_has 'is being stopped'
}

# idle OPTIONS: check that drain ends a server with OPTIONS that has no client
idle() {
	serve "$1" && drains && kr_ended server ok && kr_clean
}
check "drain: an idle server for one client ends at once" idle clients=1
check "drain: an idle server for any number of clients ends at once" idle clients=0

# busy OPTIONS: check that a drained server with OPTIONS runs until its client's end
busy() {
	serve "$1" && endless a slat,count=0 && drains && refused && goes_on a || return 1
	kr_result server
	kr_is status running && stops a && kr_ended server ok && kr_clean
}
check "drain: a server for one client ends after its client" busy clients=1
check "drain: a server for any number of clients ends after its client" busy clients=0

several() {
	serve clients=5 && endless a slat,count=0 && endless b rlat,count=0 && drains &&
		stops a && goes_on b && refused && stops b && served 2 0 ok && kr_clean
}
check "drain: a server ends after the last of two clients" several

stop_after_drain() {
	serve clients=0 && endless a slat,count=0 && drains && drains &&
		kr "stop,id=$server_id" && kr_ended server ECANCELED && kr_ended a ECONNRESET && kr_clean
}
check "drain: stop ends a drained server and its client" stop_after_drain

exported() {
	serve export=64k,clients=0 || return 1
	kr_bg session "client,addr=$ADDR,port=$port,session,$PATIENT" && id=$(kr_get id) && drains &&
		refused && kr "put,id=$id,data=late" && kr "stop,id=$id" && kr_ended server ok && kr_clean
}
check "drain: a session goes on while its server is drained" exported

no_server() {
	serve clients=0 && endless a slat,count=0 || return 1
	kr_fails EINVAL "drain,id=$ID" && kr_detail_has 'not a server' &&
		kr_fails ESRCH "drain,id=4000000" && kr_fails EINVAL drain && kr_detail_has 'needs the id' &&
		goes_on a
}
check "drain: the id of a client is EINVAL, an unknown id is ESRCH, and no test ends" no_server
kr_stop
check "drain: no test or object is left" kr_clean

t_end
