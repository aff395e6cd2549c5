#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping put --in divides a file into commands of 4096 bytes, and writes each with one write(2).
#   cli-get.sh checks get --out, guest/cli-remote both through the module.
# Requires: no guest; mawk, gawk, busybox
# Duration: 8 s
# shellcheck disable=SC2016 # the shell of transfer() expands

set -u
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=shells.inc
. tests/host/shells.inc
# shellcheck source=transfer.inc
. tests/host/transfer.inc

# shell code before put_file, which lets dd end as if the module rejected a command after some others: ulimit -f
# limits the size of the file (its unit depends on the shell), so a write fails
rejecting='dd() { (trap "" XFSZ; ulimit -f 80; command dd "$@"); }'

# whole_file: check that the commands have all bytes of the file, as few commands as 4096 bytes allow, and
# their offsets
whole_file() {
	: >"$tmp/proc"
	transfer put_file && grep -q "wrote 100001 bytes at offset 3" "$tmp/err" || why "$(cat "$tmp/err")" || return 1
	eq "$(wc -c <"$tmp/proc")" $((51 * 4096)) "bytes of the commands" &&
		eq "$(awk 'length($0) != 4095' "$tmp/proc" | wc -l)" 0 "commands of another length" &&
		eq "$(grep -c '^put,id=7,offset=[0-9]*,unchecked,hex=[0-9a-f]* *$' "$tmp/proc")" 51 "commands" &&
		eq "$(sed -n '51s/,unchecked.*//p' "$tmp/proc")" "put,id=7,offset=100003" "last command" &&
		eq "$(sed 's/.*hex=//' "$tmp/proc" | tr -d ' \n' | cksum)" "$(od -An -v -tx1 <"$tmp/in" | tr -d ' \n' | cksum)" "checksum"
}

# one_write: check that dd writes each command with one write(2), although the input of dd has many commands
one_write() {
	: >"$tmp/proc"
	# shellcheck disable=SC2086 # a shell may be two words
	strace -f -y -qq -e trace=write -o "$tmp/trace" $shell "$tmp/transfer" "$tmp" put_file >"$tmp/out" 2>&1 ||
		why "$(cat "$tmp/out")" || return 1
	eq "$(grep -c "write(1<$tmp/proc>, \"put,.* = 4096\$" "$tmp/trace")" 51 "writes of a command"
}

# no_input: check that put fails, and writes nothing, if it cannot open or read all of its input
no_input() {
	: >"$tmp/proc"
	ends_with 14 "cannot read all bytes of $tmp/none" "in=$tmp/none; put_file" &&
		ends_with 14 "cannot read all bytes of /dev/stdin" 'od() { head -c 3000 "$tmp/../in" | command od "$@"; return 1; }
			in=/dev/stdin; put_file' &&
		eq "$(wc -c <"$tmp/proc")" 0 "bytes of the commands"
}

# no_file_of_puts: check that put fails if it cannot write the file of its commands
no_file_of_puts() {
	: >"$tmp/proc"
	ends_with 14 "has no room for the hex digits" 'mkdir "$tmp/pieces"; put_file' &&
		ends_with 14 "has no room for the hex digits" 'awk() { command awk "$@" | head -c 10000; }; put_file' &&
		eq "$(wc -c <"$tmp/proc")" 0 "bytes of the commands"
}

# empty_file: check that put of an empty file writes no command
empty_file() {
	: >"$tmp/proc"
	transfer eval 'in=/dev/null; put_file' && grep -q "wrote 0 bytes at offset 3" "$tmp/err" &&
		eq "$(wc -c <"$tmp/proc")" 0 "bytes of the commands"
}

# rejected: check that put fails and prints how much it has written if a write fails, and if dd is killed after a
# command that succeeded
rejected() {
	: >"$tmp/proc"
	ends_with 9 "put has failed" "$rejecting; put_file" || return 1
	_blocks=$(($(wc -c <"$tmp/proc") / 4096))
	[ "$_blocks" -gt 0 ] && [ "$_blocks" -lt 51 ] || why "$_blocks commands" || return 1
	grep -qF "wrote $((_blocks * 2000)) of 100001 bytes at offset 3" "$tmp/err" || why "$(cat "$tmp/err")" || return 1
	echo 'result id=7 status=ok errno=0' >"$tmp/proc"
	ends_with 14 "ended with status 137" 'dd() { return 137; }; put_file' && grep -q "wrote 0 of 100001 bytes" "$tmp/err"
}

# large_numbers: check that an offset and a length with which a shell cannot compute are refused
large_numbers() {
	ends_with 2 "exceeds every region" 'options=id=7,offset=9999999999g; pieces put_file' &&
		ends_with 2 "exceeds every region" 'options=id=7,len=9999999999g out=$tmp/got; remote_get'
}

# less_inline: check that put --in divides the file again if the device rejects the first command, which has more
# inline data than the device supports, and that a later rejection ends it
less_inline() {
	cat >"$tmp/rejects" <<-'END'
		more=,inline
		dd() {
			[ ! -e "$tmp/was" ] || { command dd "$@"; return; }
			: >"$tmp/was"
			printf '%s\n' 'result id=7 status=failed errno=95' 'error wc_status="" detail="inline: 2000 bytes; the device supports 99 in a session"' >"$proc"
			return 1
		}
		put_file
	END
	: >"$tmp/proc"
	transfer eval ". $tmp/rejects" && grep -q "^krping: wrote 100001 bytes at offset 3" "$tmp/err" || why "$(cat "$tmp/err")" || return 1
	eq "$(grep -c '^put,id=7,offset=[0-9]*,inline,hex=[0-9a-f]* *$' "$tmp/proc")" 1011 "commands" &&
		eq "$(sed -n '$s/,inline.*//p' "$tmp/proc")" "put,id=7,offset=99993" "last command" &&
		eq "$(sed -n 's/^put.*hex=//p' "$tmp/proc" | tr -d ' \n' | cksum)" "$(od -An -v -tx1 <"$tmp/in" | tr -d ' \n' | cksum)" "checksum" || return 1
	: >"$tmp/proc"
	sed 's/supports 99/supports 0/' "$tmp/rejects" >"$tmp/rejects0"
	ends_with 10 "the device supports 0 in a session" ". $tmp/rejects0"
}

# forms: check that put --in and get --out print the last operation with --json and --raw, and the whole transfer in
# the JSON
forms() {
	# a module whose result follows the commands of one dd
	cat >"$tmp/module" <<-'END'
		end='result id=7 status=ok errno=0\ncompletion wc_status="success"\n'
		exec 5<>"$proc"
		dd() { command dd "$@" && printf "$end" >"$tmp/answer"; }
		cat() { [ -e "$tmp/answer" ] && [ $# = 0 ] && command cat "$tmp/answer" || command cat "$@"; }
		operate() { printf "${end}data offset=0 hex=00112233\n" >"$tmp/short"; }
	END
	: >"$tmp/proc"
	transfer eval ". $tmp/module; json=yes; put_file" || why "$(cat "$tmp/err")" || return 1
	tr -d '\n' <"$tmp/out" | grep -q '^{"schema":1,"results":\[{"result":{"id":7,"status":"ok","errno":0},"completion":{"wc_status":"success"}}\],"command":"put,id=7,offset=100003,unchecked","transfer":{"offset":3,"bytes":100001,"seconds":[0-9.]*}}$' ||
		why "$(cat "$tmp/out" "$tmp/err")" || return 1
	transfer eval ". $tmp/module; raw=yes; put_file" &&
		eq "$(cat "$tmp/out")" "$(printf 'result id=7 status=ok errno=0\ncompletion wc_status="success"')" raw &&
		transfer eval ". $tmp/module; json=yes in=/dev/null; put_file" &&
		grep -q '^{"schema":1,"results":\[\],.*"bytes":0,' "$tmp/out" || why "$(cat "$tmp/out" "$tmp/err")" || return 1
	transfer eval ". $tmp/module; json=yes out=$tmp/got _len=4; get_file" || why "$(cat "$tmp/err")" || return 1
	tr -d '\n' <"$tmp/out" | grep -q '"completion":{"wc_status":"success"}}\],"command":"get,id=7,offset=3,len=4,unchecked","transfer":{"offset":3,"bytes":4,"seconds":' ||
		why "$(cat "$tmp/out" "$tmp/err")"
}

# ended: check that a signal removes the progress from the terminal before the message, with a session of this
# command and another one. The signal is not that of ^C, which a shell in the background ignores.
ended() {
	cat >"$tmp/stops" <<-'END'
		begin_progress() { uptime; began=$now shown=$now show=yes; }
		command_run() { echo 'id=7 size=1000000' >"$tmp/short"; }
		read_result() { echo "result id=7 status=ok errno=0 size=1000000" >"$1"; }
		operate() { printf '\r12 bytes' >&2; kill -TERM $$; sleep 0; }
		out=/dev/null
		pieces get_rest
	END
	for _options in id=7 device=rxe0; do
		transfer eval "options=$_options; . $tmp/stops"
		eq $? 143 "status with $_options" || return 1
		sed 's/krping: interrupted: the first 0 of .*//' "$tmp/err" | tr -d '\n' | tail -c 4 >"$tmp/end"
		eq "$(od -An -tx1 <"$tmp/end" | tr -d ' ')" 0d1b5b4b "end of the progress" || return 1
	done
}

# interrupted: check that put prints how much it has written if a signal ends it after the second process dd. The signal
# is not that of ^C, as in ended().
interrupted() {
	head -c 300000 /dev/zero >"$tmp/many"
	: >"$tmp/proc"
	many=$tmp/many ends_with 143 "krping: interrupted: wrote at least 256000 of 300000 bytes at offset 3" \
		'progress() { [ "$1" != 256000 ] || kill -TERM $$; sleep 0; }; in=$many; put_file' &&
		! grep error "$tmp/err"
}

# options_kept: check that a piece repeats the options of an operation, and the connection has the others
options_kept() {
	transfer options_like "inline|unchecked|region=.*" && eq "$(cat "$tmp/out")" ",unchecked" "options of a piece" &&
		transfer options_but "(offset|len)=.*|unchecked" && eq "$(cat "$tmp/out")" ",device=rxe0" "options of the session"
}

# shows_time: check the time of a transfer, that a shorter time than the clock can measure is not printed, and that there is
# no rate, which would be that of the shell
shows_time() {
	transfer eval 'uptime() { now=11.00; }; began=1.00; took' && eq "$(cat "$tmp/out")" " (10.00 s)" "time" &&
		transfer eval 'uptime() { now=1.04; }; began=1.00; took' && eq "$(cat "$tmp/out")" "" "time of 0.04 s" &&
		transfer put_file && ! grep 'B/s' "$tmp/err"
}

# shows_progress: check the progress on a terminal, and that a pipe has none
shows_progress() {
	transfer eval "uptime() { now=11.00; }; began=1.00 shown=0.00 show=yes; progress 500 2000" &&
		grep -q "500 of 2000 bytes  25%  30 s left" "$tmp/err" &&
		transfer eval "begin_progress; shown=0.00; progress 1 2" && eq "$(cat "$tmp/err")" "" "standard error"
}

# exceeding: check that put and get of a file that exceeds the region end before the first operation, with the numbers of
# the user, and that the option unchecked allows them
exceeding() {
	: >"$tmp/proc"
	ends_with 2 "100001 bytes at offset 3 exceed the region, which has 100003" "more= region=100003; put_file" &&
		ends_with 2 "choose --offset N and --len L so that their sum is at most 100003 bytes" \
			"more= region=100003 _len=100001 out=$tmp/beyond; get_file" &&
		eq "$(wc -c <"$tmp/proc")" 0 "bytes of the commands" && [ ! -e "$tmp/beyond" ] &&
		transfer eval 'region=100003; put_file' && eq "$(grep -c ,unchecked, "$tmp/proc")" 51 "commands of unchecked"
}

# each_check: make all checks under one pair of a shell and an awk, which $under names
each_check() {
	check "put --in divides a file into as few commands as their length allows: $under" whole_file
	check "put --in of an empty file writes no command: $under" empty_file
	check "put --in fails if its input cannot be read: $under" no_input
	check "put --in fails if it cannot write the file of its commands: $under" no_file_of_puts
	check "put --in that fails prints how many bytes it has written: $under" rejected
	check "put and get of a file refuse numbers with which a shell cannot compute: $under" large_numbers
	check "put --in divides a file again if the device supports less inline data: $under" less_inline
	check "put --in and get --out print JSON and the kernel's lines: $under" forms
	check "a signal removes the progress of a transfer from the terminal: $under" ended
	check "each piece of a file has the options of the operation: $under" options_kept
	check "a terminal shows bytes, percent and remaining time of a transfer: $under" shows_progress
	check "a transfer prints its time, and no rate: $under" shows_time
	check "put and get of a file that exceeds the region run no operation: $under" exceeding
	check "put --in that a signal ends prints how many bytes it has written: $under" interrupted
	traced "each command of put --in is one write: $under" one_write
}

PATH=$tmp/awk:$PATH
each_shell each_check

t_end
