#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A server serves as many clients as clients= states, one after the
#   other, each with a test of its own. A rejected client does not count.
# Requires: one guest with any device
# Duration: 5 s on rxe, 3 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=background.inc
. "${0%/*}/background.inc"
# Functions of background.inc: serve OPTIONS starts a server, once OPTIONS runs a client to its end, endless NAME
# OPTIONS starts a client, goes_on NAME checks that this client runs, stops NAME stops it, and served CLIENTS
# FAILED ERRNO checks the end of the server.

#
# One client after the other
#

successive() {
	serve clients=3 || return 1
	once count=10,validate && kr_is iterations 10 && until_ok 60 alive 1 || return 1
	kr_running 1 && eq "$KR_LIST" "1 listen" "the list" || return 1
	once slat,count=20,size=100 && kr_is iterations 20 && until_ok 60 alive 2 || return 1
	once sbw,count=30,size=1000 && kr_is iterations 30 || return 1
	served 3 0 ok || return 1
	# The counters are the sum of all clients.
	kr_is send_msgs 40 && kr_is send_bytes $((20 * 16 + 20 * 100)) &&
		kr_is recv_msgs 70 && kr_is recv_bytes $((20 * 16 + 20 * 100 + 30 * 1000)) &&
		kr_is write_msgs 10 && kr_is write_bytes 640 &&
		kr_is read_msgs 10 && kr_is read_bytes 640
}
check "clients=3: a server runs different tests for three successive clients" successive
kr_stop
check "three successive clients leave no test or object" kr_clean

gone() {
	client count=1
	kr_fails ECONNREFUSED "$CMD"
}
check "clients=3: the server stops listening after the third client" gone

#
# clients=
#

no_end() {
	serve clients=0 || return 1
	for opts in count=3 slat,count=3 bw,count=3 fr,count=3 rlat,count=3; do
		once $opts || return 1
	done
	until_ok 60 alive 5 && kr "stop,id=$server_id" && kr_is stopped 1 && kr_none &&
		served 5 0 ECANCELED
}
check "clients=0 serves until it is stopped" no_end
kr_stop

idle() {
	serve clients=5 && kr "stop,id=$server_id" && kr_is stopped 1 && kr_clean_now &&
		kr_ended server ECANCELED
}
check "stop ends a server with clients=5 that had no client" idle

too_large() {
	serve clients=2,size=1000 || return 1
	client count=1,size=1001
	bad=$CMD
	kr_fails_with ECONNREFUSED "$bad" 1000 && kr_detail_has size &&
		once count=2,size=1000 && until_ok 60 alive 1 || return 1
	kr_fails ECONNREFUSED "$bad" && once slat,count=2,size=999 && served 2 0 ok
}
check "clients=2: a rejected client does not count" too_large
kr_stop

wrong_test() {
	serve slat,clients=2 || return 1
	client count=1
	bad=$CMD
	kr_fails_with ECONNREFUSED "$bad" "another test" && once slat,count=3 &&
		kr_fails ECONNREFUSED "$bad" && once slat,count=4 && served 2 0 ok
}
check "clients=2 and slat: a client with another test is rejected" wrong_test
kr_stop

# A rejected client must not count as one of the two clients that run.
room_again() {
	serve clients=2,size=1000 && endless a slat,count=0 || return 1
	client count=1,size=1001
	bad=$CMD
	client rlat,count=1000000000
	set --
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		set -- "$@" "write=$bad"
	done
	kr_steps "$@" "write=$CMD,background" read
	eq "$(grep -c ECONNREFUSED "$KR_RESULT")" 10 "number of rejected clients" &&
		kr_is status running || return 1
	goes_on a && refused_busy count=1
}
check "clients=2: the place of a rejected client is free at once" room_again
kr_stop
kr_wait server
kr_wait a

t_end
