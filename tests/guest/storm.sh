#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: kstorm writes random commands from many threads. Each write and each result
#   follows the contract of /proc/krping, and no test, object or thread is left.
# Requires: one guest with any device, build/hostile/kstorm
# Duration: 22 s on rxe, 23 s on siw
#
#   STORM_LINES   number of lines (default 4000)
#   STORM_SEED    seed of the random lines

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

KSTORM=${KSTORM:-kstorm}
lines=${STORM_LINES:-4000}

# storm: let kstorm write all lines, and check that it finds no violation of the contract
storm() {
	"$KSTORM" --lines "$lines" ${STORM_SEED:+--seed "$STORM_SEED"} \
		--seconds $((500 + lines / 20)) \
		"$ADDR" "$ADDR6" "$DEV" "$IF" >"$KR_RESULT" 2>&1
	_rc=$?
	diag "$(cat "$KR_RESULT")"
	kr_take
	eq $_rc 0 'exit status'
}

# some_of KEY...: check that each count KEY in kstorm's output is above 0
some_of() {
	for _k; do
		[ "$(kr_get "$_k")" -gt 0 ] 2>/dev/null || {
			why "no $_k"
			return 1
		}
	done
}

# no_thread: check that no thread of krping is left
no_thread() {
	not kr_thread '*' || why "there is a thread, process $KR_PID"
}

reloaded() {
	kr_reload || why 'the module cannot be unloaded and loaded again'
}

check_within $((600 + lines / 20)) "$lines random lines: each write and result follows the contract" storm
check 'the storm has run, rejected, stopped and interrupted tests' \
	some_of tests_ok killed EINVAL E2BIG EFAULT ESRCH EINTR ECONNREFUSED EADDRINUSE
check 'the storm leaves no test or object of the device' kr_clean
check 'the storm leaves no thread' until_ok 60 no_thread
check 'the module can be unloaded and loaded after the storm' reloaded
check 'a pair runs after the storm' pair '' count=3,validate

t_end
