#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping leaves no temporary file and no process, also if a signal ends it.
# Requires: no guest; mawk, gawk, busybox
# Duration: 10 s

set -u
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=shells.inc
. tests/host/shells.inc
# shellcheck source=words.inc
. tests/host/words.inc

# no_leftovers: check that krping removes its temporary directory
no_leftovers() {
	rm -rf "$tmp/t"
	mkdir "$tmp/t"
	TMPDIR=$tmp/t krping show tests/awkit/results.txt
	TMPDIR=$tmp/t krping wlat ::1 --cuont 3
	eq "$(ls "$tmp/t")" "" "temporary files" && rmdir "$tmp/t"
}

# reading: start a krping that reads standard input, and set reader to its process, and directory to its
# temporary directory, which is newer than $tmp/before
reading() {
	# shellcheck disable=SC2086 # a shell may be two words
	TMPDIR=$tmp/t $shell scripts/krping show - <"$tmp/fifo" >"$tmp/out" 2>&1 9<&- &
	reader=$!
	for _ in $(seq 100); do
		find "$tmp/t" -name input -newer "$tmp/before" | sed 's|/input$||' >"$tmp/directory"
		[ ! -s "$tmp/directory" ] || break
		sleep 0.1
	done
	touch "$tmp/before"
	read -r directory <"$tmp/directory"
}

# killed_reader SIGNAL STATUS: send SIGNAL to a krping that reads standard input, and check that it ends with
# STATUS and removes its temporary directory
killed_reader() {
	rm -rf "$tmp/t"
	mkdir "$tmp/t"
	touch -d '1 hour ago' "$tmp/before"
	exec 9<>"$tmp/fifo"
	reading
	kill -s "$1" "$reader"
	exec 9<&-
	wait "$reader"
	eq $? "$2" "status after SIG$1" && eq "$(ls "$tmp/t")" "" "temporary files after SIG$1" && rmdir "$tmp/t"
}

# killed_readers: check the exit status of krping, 128 + the signal's number, for two signals
killed_readers() {
	[ -e "$tmp/fifo" ] || mkfifo "$tmp/fifo"
	killed_reader HUP 129 && killed_reader TERM 143
}

# removed_later: check that krping removes the temporary directory of a process that SIGKILL has ended. It has to keep the
# directory of a running process, a directory that krping has not made, and a symbolic link.
removed_later() {
	rm -rf "$tmp/t"
	mkdir -p "$tmp/t/krping-cmd.1.mine" "$tmp/elsewhere"
	[ -e "$tmp/fifo" ] || mkfifo "$tmp/fifo"
	touch -d '1 hour ago' "$tmp/before"
	exec 9<>"$tmp/fifo"
	reading
	killed=$reader stale=$directory
	reading
	kill -s KILL "$killed"
	wait "$killed"
	[ "$stale" ] && [ -d "$stale" ] && [ -d "$directory" ] && ln -s "$tmp/elsewhere" "${stale%.*}.link" &&
		TMPDIR=$tmp/t krping show tests/awkit/results.txt &&
		eq "$(find "$tmp/t" -mindepth 1 -maxdepth 1 | sort)" "$(printf '%s\n' "$directory" "$tmp/t/krping-cmd.1.mine" "${stale%.*}.link" |
			sort)" "remaining files" && [ -d "$tmp/elsewhere" ]
	kept=$?
	exec 9<&-
	kill "$reader"
	wait "$reader"
	return "$kept"
}

# The process that prints the progress must end even if the test ends at once: a shell may lose a signal that
# arrives just after a fork. The script runs 60 such tests.
cat >"$tmp/ticks.sh" <<-'END'
	lib=scripts/krping.d bin=scripts cmd=ping
	. $lib/common.sh
	. $lib/proc.sh
	. $lib/run.sh
	temporary
	# Replace /proc/krping by a file, so that the result is there at once.
	proc=$tmp/proc results=$tmp/results json='' csv='' raw='' quiet='' asked='' n=0
	while [ $n -lt 60 ]; do
		rm -f "$tmp/tick"
		interval=1
		: >"$proc"
		run_client "result id=0 status=failed errno=101"
		n=$((n + 1))
	done
END
# ends_at_once: check that the processes that print the progress of these tests end
ends_at_once() {
	# shellcheck disable=SC2086
	timeout -s KILL 60 $shell "$tmp/ticks.sh" >"$tmp/out" 2>&1 || why "status $?: the progress does not end: $(cat "$tmp/out")"
}

# each_check: make all checks under the shell and the awk that $under names
each_check() {
	check "no process that prints progress outlives a test that ends at once: $under" ends_at_once
	check "krping removes its temporary files: $under" no_leftovers
	check "krping removes its temporary files when a signal ends it: $under" killed_readers
	check "krping removes the temporary files of a krping that SIGKILL has ended: $under" removed_later
}

PATH=$tmp/awk:$PATH
each_shell each_check

t_end
