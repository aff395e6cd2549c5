#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A client with several connections (qps=, threads=) counts as one
#   client of its server.
# Requires: one guest with any device
# Duration: 4 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=background.inc
. "${0%/*}/background.inc"
# Functions of background.inc: serve OPTIONS starts a server, once OPTIONS runs a client to its end, endless NAME
# OPTIONS starts a client, goes_on NAME checks that this client runs, stops NAME stops it, and served CLIENTS
# FAILED ERRNO checks the end of the server.

#
# Clients with several connections
#

# one_many OPTIONS: check that a server with OPTIONS rejects others while a client with four QPs runs
one_many() {
	serve "$1" || return 1
	endless a slat,count=0,qps=4 || return 1
	# Five tests run: the client, the server, and the server's tests for three more connections.
	kr_running 5 && refused_busy count=1 && refused_busy slat,count=1,qps=2 && goes_on a && stops a &&
		kr_ended server ok
}
check "clients=1: a client with qps=4 occupies the server" one_many clients=1
kr_stop

# counted_conns OPTIONS: check the counters of a server with OPTIONS after a client with four QPs
counted_conns() {
	serve "$1" && once sbw,count=101,qps=4 && kr_is iterations 404 && kr_is send_msgs 404 &&
		kr_ended server ok && kr_is recv_msgs 404 && kr_is iterations 404 && kr_is send_msgs 0
}
check "clients=1 and qps=4: the server's result has the sum of all connections" counted_conns clients=1
kr_stop

two_many() {
	serve clients=2 && endless a slat,count=0,qps=2,threads=2 &&
		once sbw,count=11,qps=4 && kr_is iterations 44 && goes_on a && stops a && served 2 0 ok
}
check "clients=2: several connections of one client count as one client" two_many
kr_stop
check "clients with several connections leave no test or object" kr_clean

t_end
