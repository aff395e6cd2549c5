# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Skip subjects (test files) that would begin after the time of tests/run --until. Part of tests/run and of
# tests/run-guest. POSIX sh.
#
#   T_UNTIL   the time, in seconds since 1970; empty: none

too_late="the time of tests/run --until has come before this subject began"

# late: check whether the time of --until has come
late() {
	[ "${T_UNTIL-}" ] && [ "$(date +%s)" -ge "$T_UNTIL" ]
}

# skip_late SUBJECT...: print the output of subjects that are skipped
skip_late() {
	for _late; do
		printf '%s\n' "%begin $_late" "ok 1 - all # SKIP $too_late" "1..1" "%end 0 0"
	done
}
