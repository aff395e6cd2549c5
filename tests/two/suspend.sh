#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The other machine pauses for seconds. Tests survive a pause shorter than
#   timeout=. A longer pause ends the tests of both machines. The tests of the paused machine end
#   when it continues.
# Requires: two guests on one wire; tests/run runs the subject only by name
# Duration: not measured

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=other.inc
. "${0%/*}/other.inc"

# goes_on: pause the other guest while tests run, and check that all tests succeed
goes_on() {
	crowd_begins 60000 duration=$((12 + 3 * T_SLOW)) || return 1
	peer-stop 3
	crowd_ended ok
}
check "a pause of 3 s, shorter than the timeout, ends no test" goes_on
# pause_measured: check that at least one test has a latency of 1 s or more. Some tests may have ended
# before the pause.
pause_measured() {
	for name in $crowd; do
		kr_wait "$name" 1 && [ "$(kr_get max)" -ge 1000000000 ] && return 0
	done
	why "no iteration took 1 s or more"
}
check "a pause of 3 s appears in a latency" pause_measured
check "a pause of 3 s ends no test of the other guest" other_crowd_ended ok

# ends: pause the other guest for longer than the timeout, and check that all tests end
ends() {
	crowd_begins 5000 || return 1
	peer-stop 12
	crowd_ended ETIMEDOUT
}
check "a pause of 12 s, longer than the timeout, ends all tests" ends
# no_connection: check that a client fails. The errno is ECONNREFUSED if the other guest continues soon
# enough to reject the client.
no_connection() {
	kr "client,addr=$PEER,timeout=500,port=$((port + 500))"
	kr_returned ETIMEDOUT || kr_returned ECONNREFUSED
}
check "a client that connects during a pause fails" no_connection
check "the tests of a paused guest end when it continues" other_crowd_ended ETIMEDOUT ECONNRESET
check "new tests work after a pause" works
check "suspend: the other guest has no test or RDMA object left" other_clean
t_end
