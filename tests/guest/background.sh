#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A command with the option background returns while its test runs, poll(2) on its
#   descriptor reports the end of the test, and stop ends tests.
# Requires: one guest with any device
# Duration: 4 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=background.inc
. "${0%/*}/background.inc"

# id_of NAME: print the id of a background test
id_of() {
	kr_result "$1"
	kr_get id
}

background_server() {
	kr_bg server "server,addr=$ADDR,port=17500" || return 1
	kr_is status running && kr_is errno 0 && kr_is iterations 0 && kr_running 1 || return 1
	# No sleep is needed: the server listens when the write has returned.
	kr "client,addr=$ADDR,port=17500,count=2" && kr_ended server ok && kr_is iterations 2
}
check "a server in the background listens when the write returns" background_server
kr_stop

background_client() {
	kr_bg server "server,addr=$ADDR,port=17501" || return 1
	kr_bg client "client,addr=$ADDR,port=17501,count=50,validate" || return 1
	kr_ended client ok && kr_is iterations 50 && kr_ended server ok
}
check "background: the write of a client returns when the test runs" background_client
kr_stop

# If a test cannot start, the write itself fails.
background_fails() {
	kr_fails ECONNREFUSED "client,addr=$ADDR,port=17999,background" &&
		kr_fails EADDRNOTAVAIL "server,addr=203.0.113.1,background" &&
		kr_clean_now
}
check "a background command that cannot start returns its errno at once" background_fails

polls() {
	kr_spawn poller "write=server,addr=$ADDR,port=17502,background" poll=0 read \
		"run=: >$T_TMP/polled" poll=60000 read poll=0
	until_ok 60 test -e "$T_TMP/polled"
	kr_soon kr "client,addr=$ADDR,port=17502,count=2" || return 1
	kr_wait poller 100 || return 1
	eq "$(grep -E -o '^poll=[a-z]*| status=[a-z]*' "$KR_RESULT" | tr -d '\n')" \
		"poll=timeout status=runningpoll=ready status=okpoll=ready" "the sequence of poll(2) and status"
}
check "poll(2) reports the end of a background test" polls
kr_stop

polls_list() {
	kr_steps poll=0 "write=client,bogus" poll=0
	eq "$(grep -c poll=ready "$KR_RESULT")" 2 "number of poll=ready"
}
check "poll(2) returns at once on a descriptor without a running test" polls_list

stops_one() {
	endless_pair a && endless_pair b || return 1
	kr "stop,id=$(id_of a)" && kr_returned ok && kr_is stopped 1 || return 1
	kr_ended a ECANCELED || return 1
	kr_detail_has stop || return 1
	kr_wait a_s 60 || return 1
	kr_runs b && kr_is status running
}
check "stop,id= stops one test" stops_one
check "stop,id= leaves the other tests running" until_ok 60 kr_running 2
check "stop without id stops all tests" kr stop
check "stop waits until tests have ended" kr_none
check "a stopped client ends with ECANCELED" kr_ended b ECANCELED
kr_wait b_s 60
stops_none() {
	kr stop && kr_returned ok && kr_is stopped 0
}
check "stop without a running test succeeds, with stopped=0" stops_none
check "stop: a test that has ended is ESRCH" kr_fails ESRCH stop,id=1
check "stopped tests leave no test or object" kr_clean

stops_foreground() {
	kr_fg server "server,addr=$ADDR,port=17503"
	until_ok 60 kr_running 1 && kr stop && kr_ended server ECANCELED
}
check "stop ends a server in the foreground with ECANCELED" stops_foreground

stops_both() {
	endless_pair a || return 1
	kr stop && kr_is stopped 2 && kr_clean_now || return 1
	kr_ended a ECANCELED && [ "$(kr_get iterations)" -gt 0 ] &&
		kr_ended a_s ECANCELED
}
check "a client with count=0 runs until stop" stops_both
kr_stop

t_end
