#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: count= and duration= end a ping test. The result does not count the iterations of
#   warmup=. The thread of a test is named krping/ID.
# Requires: one guest with any device
# Duration: 6 s on rxe, 5 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

duration() {
	pair "" duration=2,validate || return 1
	kr_returned ok || return 1
	# the time begins with the first iteration, which a busy machine may delay
	[ "$(kr_get nsec)" -ge 1000000000 ] || {
		why "nsec=$(kr_get nsec)"
		return 1
	}
	n=$(kr_get iterations)
	[ "$n" -gt 1 ] && kr_ended server ok && kr_is iterations "$n"
}
check "ping,duration=2: both sides end without an error" duration
kr_stop

count_first() {
	pair "" duration=3600,count=3 && kr_is iterations 3 && kr_ended server ok
}
check "ping: count= ends the test before duration=" count_first
kr_stop

duration_first() {
	pair "" duration=1,count=1000000000 && kr_returned ok &&
		[ "$(kr_get iterations)" -lt 1000000000 ] && kr_ended server ok
}
check "ping: duration= ends the test before count=" duration_first
kr_stop

warmup() {
	pair "" warmup=30,count=10 && kr_is iterations 10 && kr_is send_msgs 80 &&
		kr_ended server ok && kr_is iterations 40
}
check "ping,warmup=: the iterations of the warm-up are run and not measured" warmup
kr_stop

#
# The thread of a test
#

kr_bg server "server,addr=$ADDR,port=17510"
id=$(kr_get id)
check "the thread of test $id is krping/$id" kr_thread "$id"
check "the thread of a test is a kernel thread" eq "$(cat "/proc/$KR_PID/cmdline")" ""
kr_stop
kr_wait server 60
check "the thread of a test ends with the test" until_ok 60 not kr_thread "$id"

t_end
