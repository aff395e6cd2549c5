#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The command krping runs tests against krping server, prints results as tables, JSON,
#   CSV and intervals, stops at a signal, and has an exit status for each class of failures. The
#   checks run krping under dash, bash and busybox.
# Requires: one guest with any device
# Duration: 100 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"
# shellcheck source=cli.inc
. "${0%/*}/cli.inc"
# Functions of cli.inc: ends STATUS ARGUMENT... runs the command krping and checks its exit status, prints REGEX
# checks its output, explains TEXT its standard error. serve starts krping server, and served ends it.

# The list of checks at the end of this file states what each case_ function checks.

# The remark that krping prints if a latency is far longer than the fastest one, which depends on the load
SHARED_REMARK="krping: server and client run on this machine and take CPU time from each other, so some latencies are hundreds of times longer"

case_table() {
	ends 0 wlat "$ADDR" --count 200 --size=4k --mem_mode reg --port "$PORT" &&
		prints '^wlat, client, 4096 bytes, mem_mode=reg$' && prints '^200 iterations in ' &&
		prints '^ min p50 p90 p99 p99.9 p99.99 max mean stddev$' &&
		prints '^ client [0-9.]+ [0-9.]+ [0-9.]+ [0-9.]+ [0-9.]+ [0-9.]+ [0-9.]+ [0-9.]+ [0-9.]+$' &&
		eq "$(grep -vxF "$SHARED_REMARK" "$ERR")" "" "standard error"
}

case_raw() {
	ends 0 bw "$ADDR" count=300 port="$PORT" txdepth=8 --raw &&
		eq "$(value_in "$OUT" result iterations) $(value_in "$OUT" config txdepth)" "300 8"
}

case_json() {
	ends 0 rlat "$ADDR" --count 50 --port "$PORT" --json &&
		prints '^\{"schema":1,"results":\[\{"result":\{"id":[0-9]+,.*"iterations":50,' && prints '"command":"client,addr=.*,rlat,count=50,port='
}

case_csv() {
	ends 0 slat "$ADDR" --count 50 --port "$PORT" --csv && eq "$(wc -l <"$OUT")" 2 lines && prints '^[0-9]+,slat,client,[a-z0-9]+,ok,0,50,64,' && prints ',time_nsec,min_nsec,p50_nsec,'
}

case_hist() {
	ends 0 ping "$ADDR" --count 60 --port "$PORT" --raw && _id=$(value_in "$OUT" result id) &&
		ends 0 hist && prints "id=$_id, test=ping, role=client" && ends 0 hist "$_id" &&
		eq "$(awk 'NR > 2 { n += $2 } END { print n }' "$OUT")" 60 "iterations of the histogram" &&
		prints ' 100.000% '
}

case_intervals() {
	ends 0 bw "$ADDR" --duration 3 -i 1 --port "$PORT" &&
		prints '^interval \[s\] iterations per second Gbit/s$' && prints '^[0-9.]+-[0-9.]+ [1-9][0-9]* [1-9][0-9]* [0-9.]+$'
}

case_intervals_json() {
	ends 0 wlat "$ADDR" --duration 3 -i 1 --port "$PORT" --json &&
		prints '"intervals":\[\{"begin":0' && prints '"per_sec":[1-9]' && prints '"interval":\[\{"begin":0,' &&
		ends 0 slat "$ADDR" --duration 2 -i 2 --port "$PORT" --json &&
		prints '"intervals":\[\{"begin":0.00,[^]]*"p50":[1-9]' && ends 0 slat "$ADDR" --duration 2 -i 0.5 --port "$PORT" --json &&
		prints '"intervals":\[\{"begin":0.00,' && not grep -q '"interval":' "$OUT"
}

# SIGTERM reaches only the script krping, which then has to stop its test in the kernel.
case_interrupted() {
	# shellcheck disable=SC2086
	$shell ./scripts/krping slat "$ADDR" --count 0 --port "$PORT" >"$OUT" 2>"$ERR" &
	_pid=$!
	until_ok 60 moving || why "the test does not run" || return 1
	kill $_pid
	wait $_pid
	eq $? 143 status && prints '^ client [0-9.]+ ' && explains "the figures are those of the iterations before"
}
# moving: check that a client of slat has done iterations
moving() {
	kr list && grep -q ' test=slat role=client .* iterations=[1-9]' "$KR_RESULT"
}

# SIGKILL reaches only the script krping, and the shell of this subject reports it.
case_killed() {
	# shellcheck disable=SC2086
	$shell ./scripts/krping slat "$ADDR" --count 0 --port "$PORT" >"$OUT" 2>"$ERR" &
	_pid=$!
	until_ok 60 moving || why "the test does not run" || return 1
	kill -KILL $_pid
	wait $_pid
	until_ok 60 case_gone || why "the test has not ended"
}

# ^C sends SIGINT to all processes of a job. Without set -m a shell starts background jobs with
# SIGINT ignored.
case_ctrl_c() {
	# shellcheck disable=SC2016 # for the other shell
	OUT=$OUT ERR=$ERR bash -c '
		set -m
		$1 ./scripts/krping rlat "$2" --count 0 --port "$3" >"$OUT" 2>"$ERR" &
		pid=$!
		# A second READ shows that the first iteration has ended.
		for i in $(seq 300); do
			! grep -Eq "^[0-9]+-.* ([2-9]|[1-9][0-9]+)\$" /proc/krping || break
			sleep 0.2
		done
		sleep 1
		kill -INT -- -$pid
		wait $pid' bash "$shell" "$ADDR" "$PORT"
	eq $? 130 status && prints '^ client [0-9.]+ ' && explains "the figures are those of the iterations before"
}

# case_gone: check that the interrupted client of slat has ended
case_gone() {
	kr list
	not kr_has "test=slat role=client"
}

#
# Each class of failures has an exit status. Standard error has the errno in words, not its number.
#

# class STATUS TEXT ARGUMENT...: check that krping ARGUMENT... fails with STATUS and prints TEXT on
# standard error, but no number of an errno
class() {
	_class=$1 _text=$2
	shift 2
	ends "$_class" "$@" && explains "$_text" && not grep -q '(-[0-9]*)\|errno [0-9]' "$OUT" "$ERR"
}

case_time_limit() {
	class 6 "krping: next: " server "$ADDR" --port 17151 --wait 1
}

case_lost() {
	serve lost "$ADDR" --port 17152 || return 1
	# shellcheck disable=SC2086
	$shell ./scripts/krping slat "$ADDR" --count 0 --port 17152 >"$OUT" 2>"$ERR" &
	_pid=$!
	until_ok 60 moving || why "the test does not run" || return 1
	kr "stop,id=$(sed -n 's/^krping: test \([0-9]*\) serves .*/\1/p' "$T_TMP/lost.err")"
	wait $_pid
	eq $? 7 status && explains "krping: next: krping log on the peer" && wait "$server"
	eq $? 12 "status of the server" && ends 0 log && prints 'test [0-9]+, server: stopped by the command stop$'
}

case_data() {
	peer_server wrong --fault corrupt=first@1 &&
		class 8 "krping: next: krping log" ping "$ADDR" --port "$port" --validate --count 3 --size 4k
}

case_device() {
	class 9 "krping: next: krping doctor" ping "$ADDR" --port "$PORT" --count 1 --device nothing0
}

case_unsupported() {
	case $TYPE in
	siw) class 10 "atomic" rlat "$ADDR" --port "$PORT" --count 1 --mem_mode reg --atomic faa ;;
	*) class 10 "READ_WITH_INV" ping "$ADDR" --port "$PORT" --count 1 --read_inv ;;
	esac
}

case_protocol() {
	next_port
	serve odd "$ADDR" --port "$port" --clients 1 && peer_client odd --count 3 --fault length=17 || return 1
	wait "$server"
	eq $? 11 status && cp "$T_TMP/odd.err" "$ERR" && explains "a message of 17 bytes instead of 16" &&
		explains "krping: next: krping version on both sides"
}

case_no_server() {
	ends 5 ping "$ADDR" --count 1 --port 1 &&
		explains "krping: error: no krping server listens at $ADDR port 1" &&
		explains "krping: next: start one on $ADDR: krping server --port 1" && eq "$(cat "$OUT")" "" output &&
		ends 5 ping "$ADDR" --count 1 &&
		explains "krping: next: start one on $ADDR: krping server; if it listens at another port, add --port N" &&
		ends 5 ping "$ADDR6" --count 1 --port 1 &&
		explains "krping: next: start one on $ADDR6: krping server :: --port 1" &&
		ends 5 conform "$ADDR" --port 1 && explains "no krping server listens at $ADDR port 1" &&
		eq "$(cat "$OUT")" "" "output of conform"
}

case_unknown_option() {
	ends 2 ping "$ADDR" --cuont 3 && explains "did you mean count?"
}

case_refused() {
	ends 2 bw "$ADDR" --count 5 --port "$PORT" --rate 5 --cq softirq && explains "cq" &&
		eq "$(cat "$OUT")" "" output
}

case_server() {
	served server 143 || return 1
	cp "$T_TMP/server.err" "$ERR"
	cp "$T_TMP/server.out" "$OUT"
	explains "on $DEV: connected, test " && prints '^server$' &&
		prints '^[0-9]+ connections of clients.*; tests that were seen: .*bw' && prints '^stopped$' &&
		not grep -qi 'errno\|error' "$OUT" "$ERR"
}

# case_other_server: check that the server on $PORT, which is older, prints no client of another server
case_other_server() {
	serve younger "$ADDR" --port 17153 || return 1
	kr_bg client "client,addr=$ADDR,port=17153,slat,rate=10" &&
		until_ok 60 grep -q "slat on $DEV: connected" "$T_TMP/younger.err" || return 1
	kr_result client
	kr "stop,id=$(kr_get id)"
	kr_ended client ECANCELED && served younger 143
	_rc=$?
	_client=$(sed -n 's/.*slat on .*: connected, test //p' "$T_TMP/younger.err")
	[ $_rc = 0 ] && not grep "connected, test $_client\$" "$T_TMP/server.err"
}

# case_quiet_server: a server with --quiet, which runs in the background, prints its ID, and nothing about its clients
case_quiet_server() {
	serve quiet "$ADDR" --port 17154 --quiet || return 1
	_id=$(sed -n 's/^krping: test \([0-9]*\) serves at .* port 17154; krping stop \1 ends it$/\1/p' "$T_TMP/quiet.err")
	ends 0 list "$_id" && prints '^ ?[0-9]+ - server - listening ' && ends 0 slat "$ADDR" --port 17154 --count 5 &&
		ends 0 stop "$_id" || return 1
	wait "$server"
	eq $? 12 "status of the server" && eq "$(grep -c connected "$T_TMP/quiet.err")" 0 "lines about clients"
}

case_server_stopped() {
	serve other "$ADDR" --port 17150 || return 1
	_id=$(sed -n 's/^krping: test \([0-9]*\) serves .*/\1/p' "$T_TMP/other.err")
	ends 0 stop "$_id" || return 1
	wait "$server"
	eq $? 12 "status of the server" || return 1
	cp "$T_TMP/other.err" "$ERR"
	explains "krping: stopped by the command stop" && not grep -qi 'errno\|error' "$T_TMP/other.out" "$ERR"
}

PORT=17100
# checks: make all checks with the shell $shell
checks() {
	PORT=$((PORT + 1))
	check "krping server listens: $shell" serve server "$ADDR" --port "$PORT"
	check "wlat: a table of the latencies: $shell" case_table
	check "bw --raw: the kernel's lines: $shell" case_raw
	check "rlat --json: one document: $shell" case_json
	check "hist draws the last result, and that of an id: $shell" case_hist
	check "bw -i: a line for each interval: $shell" case_intervals
	check "an interrupted slat prints what was measured: $shell" case_interrupted
	check "an interrupted test has ended: $shell" case_gone
	check "SIGKILL of krping ends its test: $shell" case_killed
	check "^C stops a test and prints what was measured, status 130: $shell" case_ctrl_c
	check "no server: status 5, and what to do: $shell" case_no_server
	check "an unknown option: status 2, and the nearest: $shell" case_unknown_option
	# One shell is enough for failures and formats that do not depend on the shell.
	if [ "$first" ]; then
		check "a server without a client in time: status 6" case_time_limit
		check "wrong data: status 8" case_data
		check "no such device: status 9" case_device
		check "an option that the device does not support: status 10" case_unsupported
		check "slat --csv: two lines" case_csv
		check "wlat -i --json: the intervals" case_intervals_json
		check "a refused command: status 2, and the reason" case_refused
		check "a server prints no client of another server" case_other_server
	fi
	check "krping server prints its clients, and its result at the end: $shell" case_server
}
under_shells checks
shell=dash
check "a client that loses its server: status 7, and krping log on the server has the reason" case_lost
check "a wrong message: status 11" case_protocol
check "a server with --quiet prints its ID when it listens, and no clients" case_quiet_server
check "a server that krping stop ends says so in words: status 12" case_server_stopped
check "krping leaves no temporary directory" eq "$(ls -d "${TMPDIR:-/tmp}"/krping-cmd.* 2>/dev/null)" ""

t_end
