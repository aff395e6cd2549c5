#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The command krping hardware-report tests a host that runs hardware-report --server.
#   The command has the right verdicts and exit status, and both sides write their report files.
# Requires: one guest with any device
# Duration: 40 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=cli.inc
. "${0%/*}/cli.inc"
# Functions of cli.inc: ends STATUS ARGUMENT... runs the command krping and checks its exit status, prints REGEX
# checks its output, explains TEXT its standard error. serve starts krping server, and served ends it.

one_shell
PORT=17600
FILE=$T_TMP/client.tar.gz
SERVER=$T_TMP/server.tar.gz

# report_server: start hardware-report --server in the background, and wait until it serves
report_server() {
	: >"$T_TMP/server.err"
	"$SCRIPTS/krping" hardware-report --server "$ADDR" --port $PORT --output "$SERVER" \
		>"$T_TMP/server.out" 2>"$T_TMP/server.err" &
	server=$!
	until_ok 60 grep -q "serving at" "$T_TMP/server.err"
}

# report STATUS OPTION...: run hardware-report as the client, and check its exit status
report() {
	_status=$1
	shift
	rm -f "$FILE"
	ends "$_status" hardware-report "$ADDR" --port $PORT --output "$FILE" "$@"
}

# holds FILE MEMBER REGEX: check that a line of MEMBER in the report FILE matches
holds() {
	tar -xzOf "$1" "krping-report/$2" >"$T_TMP/member" 2>/dev/null || why "$1 has no $2" || return 1
	grep -Eq -- "$3" "$T_TMP/member" ||
		why "no $3 in $2: $(head -n 20 "$T_TMP/member")"
}

# The list of checks at the end of this file states what each case_ function checks.

case_pings() {
	report 0 --only ping && prints '^\[1/42\] ok ping$' && prints '^\[5/42\] ok ping-1m$' || return 1
	if [ "$TYPE" = siw ]; then
		prints '\] ok ping-read-inv$'
	else
		prints '\] n/a ping-read-inv read_inv: only iWARP' && explains "10 ok, 0 failed, 1 not available"
	fi
}

case_files() {
	holds "$FILE" summary.txt '^ok +ping-srq$' && holds "$FILE" tests/ping-odd.txt '^result id=.* size=4095 ' &&
		holds "$FILE" limits.txt '^# rdma -d dev show$' && holds "$FILE" limits.txt "$DEV" || return 1
	# siw has no hardware counters.
	[ "$TYPE" = siw ] || {
		holds "$FILE" counters.txt "^$DEV/ports/1/hw_counters/sent_pkts [1-9]" && not grep ' 0$' "$T_TMP/member"
	}
}

# case_some: run the tests whose names begin with s
case_some() {
	report 0 --only s && prints '\] ok session$' && prints '\] ok slat-srq$' && holds "$FILE" tests/session.txt krping
}

case_disk() {
	report 0 --only disk && prints '\] ok disk$' && not test -e /sys/block/krping0
}

case_conform() {
	report 0 --only conform && prints '\] ok conform( [0-9]+ cases deviate from the specification)?$' &&
		holds "$FILE" tests/conform.txt '^case .* verdict=ok'
}

# A session uses the port after that of --port. Nothing listens there, so the session must fail.
case_fails() {
	kr_bg tests "server,addr=$ADDR,port=17610,clients=0" || return 1
	report 1 --port 17610 --only session && prints '\] fail session .' && explains "0 ok, 1 failed" &&
		holds "$FILE" summary.txt '^fail +session '
}

case_stopped() {
	"$SCRIPTS/krping" hardware-report "$ADDR" --port $PORT --output "$FILE" --only lat >"$OUT" 2>"$ERR" &
	_client=$!
	until_ok 60 grep -q 'ok *wlat$' "$OUT" || return 1
	kill $_client
	wait $_client
	eq $? 143 status && holds "$FILE" summary.txt '^ok +wlat$'
}

case_server() {
	kill "$server"
	wait "$server"
	eq $? 0 "status of the server" || why "$(cat "$T_TMP/server.err")" || return 1
	holds "$SERVER" tests/server.txt '^result id=' && holds "$SERVER" tests/export.txt '^result id=' &&
		holds "$SERVER" doctor.txt "^OK +device +$DEV port 1 is active" && holds "$SERVER" limits.txt "$DEV"
}

case_wrong() {
	ends 2 hardware-report && explains "ADDR or --server is needed" && ends 2 hardware-report "$ADDR" --port 65535 &&
		explains "a number from 1 to 65534" && ends 2 hardware-report "$ADDR" --output x.zip && explains ".tar.gz"
}

check "hardware-report: wrong options" case_wrong
check "hardware-report without a server fails" report 1
check "hardware-report without a server explains why the first connection failed" explains "does not answer"
check_within 300 "hardware-report --server serves" report_server
check_within 300 "hardware-report: each ping is ok, or n/a with the reason" case_pings
check "hardware-report: the file has verdicts, results, limits and counters" case_files
check_within 300 "hardware-report: --only s runs slat-srq, a session and other tests with s" case_some
check_within 300 "hardware-report: the disk keeps its data, and is removed" case_disk
check_within 600 "hardware-report: the test conform runs the cases of krping conform --safe" case_conform
check_within 300 "hardware-report: a test that fails is named, and the status is 1" case_fails
check_within 300 "hardware-report: SIGTERM ends the command, and the file has the results so far" case_stopped
check_within 300 "hardware-report --server writes a file at its end" case_server
kr_stop

t_end
