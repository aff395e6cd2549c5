#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The commands krping put, get, send, session and disk operate on a server's memory.
#   The checks run krping under dash, bash and busybox.
# Requires: one guest with any device
# Duration: 100 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=cli.inc
. "${0%/*}/cli.inc"
# Functions of cli.inc: ends STATUS ARGUMENT... runs the command krping and checks its exit status, prints REGEX
# checks its output, explains TEXT its standard error. serve starts krping server, and served ends it.

# The list of checks at the end of this file states what each case_ function checks.

case_put_get() {
	ends 0 put "$ADDR" --port "$PORT" --offset 16 --data "a, b" && prints '^wrote 4 bytes at offset 16$' && not grep completion "$OUT" &&
		ends 0 get "$ADDR" --port "$PORT" --offset 14 --len 8 &&
		prints '^ 14 00 00 61 2c 20 62 00 00 \.\.a, b\.\.$' &&
		ends 0 put "$ADDR" --port "$PORT" --offset 16 --data 'a\nb' --json && prints ',data=a\\\\nb"'
}

# put writes 3000 bytes in several commands. The bytes are random, so most values of a byte occur.
case_file() {
	head -c 3000 /dev/urandom >"$T_TMP/in"
	ends 0 put "$ADDR" --port "$PORT" --offset 100 --in "$T_TMP/in" && explains "wrote 3000 bytes at offset 100" &&
		ends 0 get "$ADDR" --port "$PORT" --offset 100 --len 3000 --out "$T_TMP/got" &&
		explains "read 3000 bytes into $T_TMP/got" && cmp "$T_TMP/in" "$T_TMP/got"
}

# case_forms: put --in and get --out print the last operation as JSON; with inline, put divides the file by the limit
# of the device
case_forms() {
	ends 0 put "$ADDR" --port "$PORT" --offset 100 --in "$T_TMP/in" --inline --json && prints '"wc_status":"success"' &&
		prints '"transfer":.*"offset":100,"bytes":3000,"seconds":' &&
		ends 0 get "$ADDR" --port "$PORT" --offset 100 --len 3000 --out "$T_TMP/got" --json && cmp "$T_TMP/in" "$T_TMP/got" &&
		prints '"transfer":.*"offset":100,"bytes":3000}' && not grep '"data"' "$OUT"
}

# case_pieces: put to a session takes a command for each 2000 bytes, and uses the region of the option region=
case_pieces() {
	[ -e "$T_TMP/in" ] || head -c 3000 /dev/urandom >"$T_TMP/in"
	serve pieces "$ADDR" --port $((PORT + 70)) --export 8k || return 1
	kr "client,addr=$ADDR,port=$((PORT + 70)),session" && _own=$(kr_get id) &&
		kr "client,addr=$ADDR,port=$((PORT + 70)),session" && _other=$(kr_get id) &&
		kr "open,id=$_other,rw" && kr "regions,id=$_own" && _region=$(printf '%s\n' "$KR_OUT" | sed -n 's/.* region id=\([0-9]*\) .*/\1/p') &&
		ends 0 put "id=$_own" "region=$_region" --in "$T_TMP/in" --offset 5 && explains "wrote 3000 bytes at offset 5" &&
		kr "list,id=$_own" && kr_has write_bytes=3000 && kr_has write_msgs=2 &&
		ends 0 get "id=$_other" --out "$T_TMP/got" && eq "$(wc -c <"$T_TMP/got")" 8192 bytes && has_file_at 5
}

# case_rest: get without len reads the rest of a region, also of another client; case_pieces has opened the sessions
case_rest() {
	ends 0 get "id=$_own" "region=$_region" --out "$T_TMP/got" --offset 5 && has_file_at 0 &&
		ends 0 get "id=$_own" --offset 8190 && prints '^ 8190 00 00 \.\.$'
}

# case_exceeds: put refuses a file that exceeds the region of a session, and a session that does not exist
case_exceeds() {
	ends 2 put "id=$_own" --in "$T_TMP/in" --offset 6k && explains "3000 bytes at offset 6144 exceed the region, which has 8192" &&
		ends 13 put id=4000000 --in "$T_TMP/in" && explains "no running test has the id 4000000"
}

# has_file_at OFFSET: check that the output of get has, at OFFSET, the file that case_file put
has_file_at() {
	tail -c "+$(($1 + 1))" "$T_TMP/got" | head -c 3000 | cmp "$T_TMP/in" -
}

# One get reads at most 64 KiB, so krping reads the file at 65000 with two gets.
case_large() {
	ends 0 put "$ADDR" --port "$PORT" --offset 65000 --in "$T_TMP/in" &&
		ends 0 get "$ADDR" --port "$PORT" --offset 0 --len 100k --out "$T_TMP/got" &&
		eq "$(wc -c <"$T_TMP/got")" 102400 bytes && has_file_at 100 && has_file_at 65000 &&
		ends 2 get "$ADDR" --port "$PORT" --len 100k && explains "need --out FILE" &&
		ends 2 get "$ADDR" --port "$PORT" --json && explains "262144 bytes at offset 0, more than the 65536 that can be printed" &&
		explains "next: add --out FILE, or --len L" &&
		ends 0 get "$ADDR" --port "$PORT" && explains "the first 256 of 262144 bytes from offset 0 on: --len L" && eq "$(grep -c . "$OUT")" 16 lines &&
		ends 0 get "$ADDR" --port "$PORT" --out "$T_TMP/got" && eq "$(wc -c <"$T_TMP/got")" 262144 bytes && has_file_at 65000 &&
		explains "without --len, get reads the memory from offset 0 to its end: 262144 bytes" &&
		ends 2 put "$ADDR" --port "$PORT" --offset 260k --in "$T_TMP/in" && explains "exceed the region, which has 262144"
}

# case_full: put and get of a file fail if a file system, of 64 KiB, is full
case_full() {
	mkdir -p "$T_TMP/full" && mount -t tmpfs -o size=64k none "$T_TMP/full" || return 1
	ends 14 get "$ADDR" --port "$PORT" --offset 0 --len 80000 --out "$T_TMP/full/got" &&
		explains "cannot write 80000 bytes to $T_TMP/full/got, only " && not test -e "$T_TMP/full/got" &&
		head -c 30000 /dev/zero >"$T_TMP/zero" &&
		TMPDIR=$T_TMP/full ends 14 put "$ADDR" --port "$PORT" --offset 0 --in "$T_TMP/zero" &&
		explains "the directory $T_TMP/full has no room for the hex digits of $T_TMP/zero"
	_rc=$?
	umount "$T_TMP/full"
	return $_rc
}

# case_ctrl_c: ^C, which sends SIGINT to all processes of a job, ends put of a file. put prints how much it has written.
# Without set -m a shell starts background jobs with SIGINT ignored.
case_ctrl_c() {
	head -c 1000000 /dev/zero >"$T_TMP/zero"
	serve many "$ADDR" --port $((PORT + 80)) --export 4m --shared || return 1
	# shellcheck disable=SC2016 # for the other shell
	OUT=$OUT ERR=$ERR bash -c '
		set -m
		$1 ./scripts/krping put "$2" --port "$3" --in "$4" >"$OUT" 2>"$ERR" &
		pid=$!
		for i in $(seq 600); do
			! grep -Eq "^[0-9]+-.* [1-9][0-9]* [1-9][0-9]* 0 0\$" /proc/krping || break
			sleep 0.1
		done
		kill -INT -- -$pid
		wait $pid' bash "$shell" "$ADDR" $((PORT + 80)) "$T_TMP/zero"
	eq $? 130 status && grep -Eq '^krping: interrupted: wrote at least [0-9]+ of 1000000 bytes at offset 0$' "$ERR" ||
		why "$(cat "$ERR")" || return 1
	served many 143 && until_ok 60 no_session
}

# case_pipes: put reads a pipe, and get writes to a device
case_pipes() {
	printf 'piped' >"$T_TMP/piped"
	ends 0 put "$ADDR" --port "$PORT" --offset 7 --in /dev/stdin <"$T_TMP/piped" && explains "wrote 5 bytes at offset 7" &&
		ends 0 get "$ADDR" --port "$PORT" --offset 7 --len 5 && prints 'piped$' &&
		ends 0 get "$ADDR" --port "$PORT" --offset 7 --len 5 --out /dev/null && explains "read 5 bytes into /dev/null" &&
		ends 0 put "$ADDR" --port "$PORT" --offset 200000 --in - <"$T_TMP/piped" &&
		ends 0 get "$ADDR" --port "$PORT" --offset 200000 --len 5 --out - && cmp "$T_TMP/piped" "$OUT"
}

# case_kept: a get that does not connect keeps the file, and so does a get that exceeds the region. The error has the numbers
# of the user.
case_kept() {
	echo kept >"$T_TMP/kept"
	ends 5 get "$ADDR" --port 17390 --len 100k --out "$T_TMP/kept" && eq "$(cat "$T_TMP/kept")" kept &&
		ends 2 get "$ADDR" --port "$PORT" --offset 150k --len 120k --out "$T_TMP/kept" && eq "$(cat "$T_TMP/kept"*)" kept &&
		explains "122880 bytes at offset 153600 exceed the region, which has 262144" &&
		explains "next: choose --offset N and --len L so that their sum is at most 262144 bytes"
}

# case_hangup: SIGHUP, as of a lost terminal, ends a server and its test
case_hangup() {
	serve hangup "$ADDR" --port $((PORT + 60)) --export 4k || return 1
	kill -HUP "$server"
	wait "$server"
	eq $? 129 status && ends 5 get "$ADDR" --port $((PORT + 60)) --len 4
}

case_send() {
	ends 0 send "$ADDR" --port "$PORT" --data "good morning" && prints '^completion: success$' &&
		explains "krping log on the server shows the message" && until_ok 60 has_message
}
# The client's SEND may complete before the server has logged the message.
has_message() {
	ends 0 log && prints 'good morning'
}

case_beyond() {
	ends 2 put "$ADDR" --port "$PORT" && explains "put needs --data TEXT, --hex DIGITS or --in FILE" &&
		ends 2 send "$ADDR" --port "$PORT" && explains "send needs --data TEXT or --hex DIGITS" &&
		ends 2 put "$ADDR" --port "$PORT" --offset 1g --data x && explains "1 byte at offset=1073741824 exceeds the region" &&
		explains "next: choose --offset N and a length so that their sum is at most "
}

case_no_server() {
	ends 5 get "$ADDR" --port 17390 --len 4 && explains "no krping server listens at $ADDR port 17390" &&
		explains "krping: next: start one on $ADDR: krping server --export SIZE --port 17390"
}

case_no_export() {
	serve plain --port 17391 || return 1
	ends 5 put "$ADDR" --port 17391 --data x && explains "the server at $ADDR port 17391 exports no memory" &&
		explains "krping: next: start it with krping server --export SIZE --port 17391, or"
	_status=$?
	served plain 143 && return $_status
}

case_session() {
	printf '%s\n' 'put offset=3 data=two words' 'get offset=0 len=16' 'put 20 three = 3' 'send to data=you' 'get 20 9' '# nothing' 'quit' 'nonsense' >"$T_TMP/script"
	# shellcheck disable=SC2086
	$shell ./scripts/krping session "$ADDR" port="$PORT" <"$T_TMP/script" >"$OUT" 2>"$ERR"
	eq $? 0 status && prints '^ 0 00 00 00 74 77 6f 20 77 6f 72 64 73 00 ' && prints '^ 20 74 68 72 65 65 20 3d 20 33 three = 3$' && explains "bytes; help shows the commands" &&
		until_ok 60 no_session
}
no_session() {
	kr list
	! kr_has "test=session role=client"
}

case_session_errors() {
	printf '%s\n' 'gett offset=0' 'get offset=0 len=zero' 'put 5' open close >"$T_TMP/script"
	# shellcheck disable=SC2086
	$shell ./scripts/krping session "$ADDR" port="$PORT" <"$T_TMP/script" >"$OUT" 2>"$ERR"
	eq $? 14 status && explains "did you mean get? help shows the commands" && explains "error: len=zero" &&
		explains "'5' is no option; the form is: put OFFSET TEXT, or put offset=O data=TEXT" &&
		explains "error: a server with 'shared' has one region for all clients" &&
		explains "error: the region is not open"
}

# case_session_words: run each command of a session but put and get. A server without --shared can open regions.
case_session_words() {
	serve words "$ADDR" --port $((PORT + 50)) --export 4k || return 1
	printf '%s\n' help regions 'open rw' regions 'send data=good evening' close regions 'put offset=1 hex=4142' open quit >"$T_TMP/script"
	# shellcheck disable=SC2086
	$shell ./scripts/krping session "$ADDR" port=$((PORT + 50)) <"$T_TMP/script" >"$OUT" 2>"$ERR"
	eq $? 0 status && prints '^regions the regions that are open$' && prints '^quit disconnect$' && prints 'not on a server with --shared' &&
		explains "no region is open; all clients of a server with --shared use one region anyway" &&
		eq "$(grep -c '^completion: success' "$OUT")" 1 "completions, of the SEND" && prints '^wrote 2 bytes at offset 1$' &&
		eq "$(grep -c 'size=4096 rights=rw' "$OUT")" 2 "regions that are open for writing" &&
		eq "$(grep -c 'size=4096 rights=ro' "$OUT")" 1 "regions that are open for reading" &&
		until_ok 60 has_evening
	_rc=$?
	served words 143 || _rc=1
	return $_rc
}
has_evening() {
	ends 0 log && prints 'message of 12 bytes .*good evening'
}

# krping stop of an open disk fails, and advises krping stop --force instead of the module's option.
stop_of_open() {
	exec 9</dev/krpingcli
	ends 13 stop "$_id" && explains "a disk is open; unmount it" && explains "krping: next: krping stop $_id --force" &&
		not grep "add force" "$ERR" && ends 13 stop --all && explains "krping: next: krping stop --all --force"
	_rc=$?
	exec 9<&-
	return $_rc
}

case_id() {
	ends 0 disk "$ADDR" --port "$PORT" --name krpingcli && prints '^/dev/krpingcli: 262144 bytes, test [0-9]+$' &&
		_id=$(sed 's/.* //' "$OUT") && test -b /dev/krpingcli &&
		ends 0 list "$_id" && prints "^ ?$_id disk client $DEV running .* /dev/krpingcli$" && stop_of_open && ends 0 stop "$_id" && not test -e /dev/krpingcli
}

PORT=17300
# checks: make all checks with the shell $shell
checks() {
	PORT=$((PORT + 1))
	check "krping server --export: $shell" serve server "$ADDR" --port "$PORT" --export 256k --shared
	check "put and get: $shell" case_put_get
	check "put --in and get --out keep each byte: $shell" case_file
	check "put --in --inline obeys the device's limit, and prints JSON: $shell" case_forms
	check "put --in to the region of another client of the server: $shell" case_pieces
	[ -z "$first" ] || check "get without --len reads the rest of a region" case_rest
	[ -z "$first" ] || check "put --in refuses a file that exceeds the region of a session" case_exceeds
	check "the server of the sessions ends: $shell" served pieces 143
	[ -z "$first" ] || check "get of more bytes than one command can read" case_large
	check "put and get of a file fail if a file system is full: $shell" case_full
	[ -z "$first" ] || check "a get that fails keeps the file" case_kept
	check "^C ends put --in, which prints how much it has written: $shell" case_ctrl_c
	[ -z "$first" ] || check "put --in reads a pipe, and get --out writes to a device" case_pipes
	check "SIGHUP ends a server and its test: $shell" case_hangup
	check "send: $shell" case_send
	check "no bytes, and beyond the region: status 2, and the reason: $shell" case_beyond
	[ -z "$first" ] || check "get without a server names the server's command with --export" case_no_server
	[ -z "$first" ] || check "put to a server without --export names the server's command with --export" case_no_export
	check "session reads commands: $shell" case_session
	check "session has help, open, regions, send and close: $shell" case_session_words
	[ -z "$first" ] || check "session explains errors" case_session_errors
	check "disk names the device, and stop removes it: $shell" case_id
	check "the server of memory ends: $shell" served server 143
}
under_shells checks

t_end
