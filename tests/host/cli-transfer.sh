#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping put --in divides a file into commands of 4096 bytes, and writes each with one write(2).
#   guest/cli-remote transfers files through the module.
# Requires: no guest; mawk, gawk, busybox
# Duration: 5 s

set -u
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=shells.inc
. tests/host/shells.inc

head -c 100001 /dev/urandom >"$tmp/in"
# a shell that runs the functions of krping with a file in the place of /proc/krping
cat >"$tmp/transfer" <<-'END'
	lib=scripts/krping.d cmd=put addr=::1 raw='' json='' in=$1/in options=offset=3,unchecked,device=rxe0
	. $lib/common.sh
	. $lib/proc.sh
	. $lib/options.sh
	. $lib/output.sh
	. $lib/transfer.sh
	temporary
	proc=$1/proc id=7 region='' offset=3 more=$(options_like "$repeated")
	shift
	"$@"
END

# transfer COMMAND...: run functions of krping
transfer() {
	# shellcheck disable=SC2086 # a shell may be two words
	$shell "$tmp/transfer" "$tmp" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
}

# whole_file: check that the commands have all bytes of the file, as few commands as 4096 bytes allow, and
# their offsets
whole_file() {
	: >"$tmp/proc"
	transfer put_file || why "$(cat "$tmp/err")" || return 1
	grep -q "wrote 100001 bytes at offset 3" "$tmp/err" || why "$(cat "$tmp/err")" || return 1
	eq "$(wc -c <"$tmp/proc")" $((51 * 4096)) "bytes of the commands" &&
		eq "$(awk 'length($0) != 4095' "$tmp/proc" | wc -l)" 0 "commands of another length" &&
		eq "$(grep -c '^put,id=7,offset=[0-9]*,unchecked,hex=[0-9a-f]* *$' "$tmp/proc")" 51 "commands" &&
		eq "$(sed -n '51s/,unchecked.*//p' "$tmp/proc")" "put,id=7,offset=100003" "last command" &&
		eq "$(sed 's/.*hex=//' "$tmp/proc" | tr -d ' \n' | cksum)" "$(od -An -v -tx1 <"$tmp/in" | tr -d ' \n' | cksum)" "checksum"
}

# one_write: check that dd writes each command with one write(2), also if it reads many
one_write() {
	: >"$tmp/proc"
	# shellcheck disable=SC2086 # a shell may be two words
	strace -f -y -qq -e trace=write -o "$tmp/trace" $shell "$tmp/transfer" "$tmp" put_file >"$tmp/out" 2>&1 ||
		why "$(cat "$tmp/out")" || return 1
	eq "$(grep -c "write(1<$tmp/proc>, \"put,.* = 4096\$" "$tmp/trace")" 51 "writes of a command"
}

# options_kept: check that a piece repeats the options of an operation, and the connection has the others
options_kept() {
	transfer options_like "inline|unchecked|region=.*" && eq "$(cat "$tmp/out")" ",unchecked" "options of a piece" &&
		transfer options_but "(offset|len)=.*|unchecked" && eq "$(cat "$tmp/out")" ",device=rxe0" "options of the session"
}

# shows_progress: check the progress on a terminal, and that a pipe has none
shows_progress() {
	transfer eval "began=1.00 shown=0.00 show=yes; progress 500000 2000000" && grep -q "500000 of 2000000 bytes  25%  [0-9.]* MB/s" "$tmp/err" &&
		transfer eval "begin_progress; shown=0.00; progress 1 2" && eq "$(cat "$tmp/err")" "" "standard error" &&
		transfer eval "read -r now _ </proc/uptime; began=\$((\${now%.*} - 10)); took 50000000" && grep -qE " \(1[01]\.[0-9]+ s, 4\.[0-9]+ MB/s\)|\(10.00 s, 5.000 MB/s\)" "$tmp/out"
}

# each_check: make all checks under one pair of a shell and an awk, which $under names
each_check() {
	check "put --in divides a file into as few commands as their length allows: $under" whole_file
	check "each piece of a file has the options of the operation: $under" options_kept
	check "a terminal shows bytes, percent and rate of a transfer: $under" shows_progress
	if strace -o "$tmp/trace" true 2>/dev/null; then
		check "each command of put --in is one write: $under" one_write
	fi
}

PATH=$tmp/awk:$PATH
each_shell each_check

t_end
