#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The commands krping list, top, stop, drain, conform, log, load, unload and help work,
#   and explain a missing module and missing privileges. A test says if only one side polls. The checks
#   run krping under dash, bash and busybox.
# Requires: one guest with any device
# Duration: 40 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=cli.inc
. "${0%/*}/cli.inc"
# Functions of cli.inc: ends STATUS ARGUMENT... runs the command krping and checks its exit status, prints REGEX
# checks its output, explains TEXT its standard error. serve starts krping server, and served ends it.

# The list of checks at the end of this file states what each case_ function checks.

case_list() {
	kr list && _id=$(kr_get id) && kr_bg one "server,addr=$ADDR,port=17201" && kr_bg two "server,addr=$ADDR,port=17202,export=4k" &&
		ends 0 list && prints '^ ?id test role device state peer size iter secs$' &&
		eq "$(wc -l <"$OUT")" 3 "number of lines" && prints '^ ?[0-9]+ session server - listening port 17202 4096 - [0-9]+$'
}

case_list_json() {
	ends 0 list --json && prints '^\{"schema":1,"tests":\[\{"id":[0-9]+,"role":"server",' &&
		ends 0 list --csv && prints '^[0-9]+,session,server,,listening,,4096,0,[0-9]+,,17202$' &&
		prints '^[0-9]+,,server,,listening,,[0-9]*,0,[0-9]+,,17201$' &&
		ends 0 list --raw && prints '^id=[0-9]+ test=ping role=server '
}

case_top() {
	ends 0 top --once -i 0.2 && prints '^2 tests, ' && prints ' size iter/s Gbit/s$' && prints '^ ?[0-9]+ - server - listening port 17201 (64|-) - -$'
}

# The rates of a running test exceed 0.
case_top_rates() {
	kr_bg client "client,addr=$ADDR,port=17201,slat" || return 1
	ends 0 top -n 2 -i 1 && prints ' slat client [a-z0-9]+ running [^ ]+ 64 [1-9][0-9]* 0\.[0-9]+$' &&
		eq "$(grep -c '^[0-9]* tests, ' "$OUT")" 2 "number of tables"
}

case_stop() {
	ends 0 list --raw || return 1
	_id=$(sed -n 's/^id=\([0-9]*\) .*role=client.*/\1/p' "$OUT")
	ends 0 stop "$_id" && explains "stopped test $_id" && ends 13 stop "$_id" && explains "no running test has the id $_id" &&
		ends 2 stop && ends 2 stop x
}

case_drain() {
	ends 0 list --raw || return 1
	_id=$(sed -n 's/^id=\([0-9]*\) test=session role=server.*/\1/p' "$OUT")
	ends 0 drain "$_id" && until_ok 60 gone "$_id"
}

# gone ID: check that no test has ID
gone() {
	kr "list,id=$1"
	[ "$KR_ERRNO" = ESRCH ] || [ "$KR_RET" = -1 ]
}

# case_drain_connection: drain of a client, or of a connection of a server, names the server that drain takes
case_drain_connection() {
	kr_bg many "server,addr=$ADDR,port=17204,clients=0" && kr_bg drained "client,addr=$ADDR,port=17204,slat,rate=10" &&
		until_ok 60 connected || return 1
	_id=$(sed -n 's/^id=\([0-9]*\) .* server=.*/\1/p' "$OUT")
	_server=$(sed -n 's/^id=.* server=\([0-9]*\) .*/\1/p' "$OUT")
	_client=$(sed -n 's/^id=\([0-9]*\) .*role=client.*/\1/p' "$OUT")
	ends 2 drain "$_id" && explains "test $_id is a connection of the server $_server" && explains "next: krping drain $_server" &&
		ends 2 drain "$_client" && explains "test $_client is no server that listens"
}
connected() {
	ends 0 list --raw && grep -q ' server=[1-9]' "$OUT"
}

case_stop_all() {
	ends 0 stop --all && ends 0 stop --all && explains "stopped 0 tests" && ends 0 list && prints '^no test is running$'
}

case_log() {
	kr_fails EINVAL "client,nonsense=$1"
	ends 0 log && prints "krping: nonsense=$1: "
}

case_help() {
	ends 0 help mem_mode && prints '^operand: dma or reg$' && ends 0 help options && prints '^txdepth ' &&
		ends 2 help txdept && explains "did you mean txdepth?" && ends 0 version && prints '^rdma_krping [0-9.]+, loaded$'
}

case_unprivileged() {
	# shellcheck disable=SC2086
	setpriv --reuid 1000 --clear-groups $shell ./scripts/krping ping "$ADDR" --count 1 >"$OUT" 2>"$ERR"
	eq $? 3 status && explains "sudo krping ping $ADDR --count 1"
}

# fake NAME SCRIPT: put a program NAME, which runs SCRIPT, into the directory $T_TMP/bin
fake() {
	mkdir -p "$T_TMP/bin" && printf '#!/bin/sh\n%s\n' "$2" >"$T_TMP/bin/$1" && chmod +x "$T_TMP/bin/$1"
}

# The first rmmod fails, as if a program still read /proc/krping.
case_unloaded() {
	until_ok 60 kr_unheld
	rm -f "$T_TMP/in-use"
	fake rmmod "[ -e $T_TMP/in-use ] || { : >$T_TMP/in-use; exit 1; }
		exec $(command -v rmmod) \"\$@\"" || return 1
	PATH=$T_TMP/bin:$PATH ends 0 unload && test -e "$T_TMP/in-use" &&
		ends 4 ping "$ADDR" --count 1 && explains "next: krping load" && ends 0 version && prints 'is not loaded'
}

# no_load MESSAGE TEXT: check that krping load explains TEXT if modprobe fails with MESSAGE and there is no module in
# krping/
no_load() {
	fake modprobe "echo 'modprobe: $1' >&2; exit 1" || return 1
	mv krping/rdma_krping.ko "$T_TMP/hidden"
	PATH=$T_TMP/bin:$PATH ends 4 load && explains "$2"
	_rc=$?
	mv "$T_TMP/hidden" krping/rdma_krping.ko
	return $_rc
}

# krping load finds the module in krping/, where the build of a checkout leaves it.
case_load() {
	no_load "FATAL: Module rdma_krping not found in directory" "is not installed for the kernel" &&
		no_load "ERROR: could not insert: Key was rejected by service" "mokutil --import" &&
		no_load "ERROR: could not insert: Invalid argument" "dmesg | tail shows the reason" || return 1
	mkdir -p /usr/src/krping-0
	no_load "FATAL: Module rdma_krping not found in directory" "dkms has not built the module"
	_rc=$?
	rmdir /usr/src/krping-0
	[ $_rc = 0 ] && ends 0 load && test -e /proc/krping && ends 0 load && explains "loaded already"
}

# case_follow: log -f prints each line that arrives later once
case_follow() {
	: >"$T_TMP/followed"
	# shellcheck disable=SC2086
	$shell ./scripts/krping log -f >"$T_TMP/followed" 2>&1 &
	_follower=$!
	until_ok 60 test -s "$T_TMP/followed" && echo "krping: first line $n" >/dev/kmsg &&
		echo "krping: second line $n" >/dev/kmsg && until_ok 60 grep -q "second line $n" "$T_TMP/followed"
	_rc=$?
	kill $_follower
	wait $_follower
	[ $_rc = 0 ] || why "$(tail -n 5 "$T_TMP/followed")" || return 1
	eq "$(grep -c "first line $n" "$T_TMP/followed")" 1 "number of first lines"
}

mkdir -p krping
ln -sf "$KR_KO" krping/rdma_krping.ko
n=0
case_conform() {
	kr_bg cases "server,addr=$ADDR,port=17203" &&
		ends 0 conform "$ADDR" --port 17203 case=zero_write_bad_key &&
		prints '^ok zero_write_bad_key \(IBTA ' &&
		prints '^ok=1 deviates=0 unsupported=0 failed=0$' && kr_ended cases ok &&
		ends 0 conform --list && prints '^keys write_after_local_inv IBTA C9-222.1.1$'
}

# case_poll: a client says if only one side polls. The server of the first test does not poll, that of the second does.
case_poll() {
	kr_bg sleeps "server,addr=$ADDR,port=17205" && ends 0 slat "$ADDR" -p 17205 -n 20 -s 8 --poll && prints '^slat, client, 8 bytes' &&
		prints '^20 iterations ' && explains "this side polls and the server does not" && kr_ended sleeps ok &&
		kr_bg polls "server,addr=$ADDR,port=17205,poll" && ends 0 ping "$ADDR" -p 17205 -n 20 &&
		explains "the server polls and this side does not" && kr_ended polls ok &&
		kr_bg sleeps "server,addr=$ADDR,port=17205" && ends 0 slat "$ADDR" -p 17205 -n 20 &&
		not grep 'latencies differ' "$ERR" && kr_ended sleeps ok
}

# checks: make all checks with the shell $shell
checks() {
	n=$((n + 1))
	check "list: a table of the tests: $shell" case_list
	check "list --json, --csv, --raw: $shell" case_list_json
	check "top --once: a table with rates: $shell" case_top
	check "top: the rates of a running test, a table for each interval: $shell" case_top_rates
	check "stop ID, and an id that no test has: $shell" case_stop
	check "drain ID ends a server without clients: $shell" case_drain
	check "conform: the verdict of a case: $shell" case_conform
	[ $n != 1 ] || check "a client says if only one side polls" case_poll
	[ $n != 1 ] || check "drain of a connection names its server" case_drain_connection
	check "stop --all stops all, and is no error without tests: $shell" case_stop_all
	kr_reap 2>/dev/null
	check "log prints the module's lines: $shell" case_log "$n"
	check "log -f prints each later line once: $shell" case_follow
	check "help and version: $shell" case_help
	check "without privileges: status 3, and the command with sudo: $shell" case_unprivileged
	check "unload tries again if the module is in use; a command without the module: $shell" case_unloaded
	check "load, and the reasons for which modprobe fails: $shell" case_load
}
under_shells checks

t_end
