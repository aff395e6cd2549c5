#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: No test of `krping hardware-report` fails on the lab device, without and with limits.
#   The report of a test that a limit excludes is n/a. guest/cli-report has the other checks.
# Requires: one guest with the lab device
# Duration: 200 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# The lab device is a patched rxe. lab_set and lab_new set its module parameters.
# shellcheck source=lab.inc
. "${0%/*}/lab.inc"

OUT=$T_TMP/out

# report_server: start the server side of the report, and wait until it serves
report_server() {
	: >"$T_TMP/server.err"
	./scripts/krping hardware-report --server "$ADDR" --output "$T_TMP/server.tar.gz" 2>"$T_TMP/server.err" &
	server=$!
	until_ok 60 grep -q "serving at" "$T_TMP/server.err"
}

# report_with PARAMETER...: run all tests on a device with these parameters
report_with() {
	lab_new "$@" && report_server || return 1
	./scripts/krping hardware-report "$ADDR" --quick --output "$T_TMP/client.tar.gz" >"$OUT" 2>&1
	_status=$?
	diag "$(cat "$OUT")"
	kill "$server"
	wait "$server"
	return $_status
}

has_all() {
	eq "$(grep -cE '\] (ok|n/a) ' "$OUT")" 42 tests
}

check_within 1200 "hardware-report: nothing fails on the lab device" report_with
check "hardware-report: each test has a verdict" has_all
check_within 1200 "hardware-report: nothing fails on a device without atomics, and with two SGEs" \
	report_with no_atomics=1 max_sge=2
check "hardware-report: atomics are n/a" grep -Eq '\] n/a +rlat-faa .*atomic' "$OUT"
check "hardware-report: four SGEs are n/a" grep -Eq '\] n/a +rbw-sge .*sge' "$OUT"

t_end
