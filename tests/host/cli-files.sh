#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping gives the reason why it cannot read a file: there is no such file, the file is a
#   directory, or the user lacks the permission.
# Requires: no guest; mawk, gawk, busybox
# Duration: 2 s

set -u
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=shells.inc
. tests/host/shells.inc
# shellcheck source=words.inc
. tests/host/words.inc

# as_nobody ARGUMENT...: as krping, for a user without privileges, who can read the copy in $tmp
as_nobody() {
	nobody='setpriv --reuid 65534 --regid 65534 --clear-groups'
	[ "$(id -u)" = 0 ] || nobody=
	# shellcheck disable=SC2086 # words
	$nobody $shell "$tmp/copy/scripts/krping" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
}

# unreadable FILE ARGUMENT...: check that krping ends with status 3, because FILE cannot be read, and does
# not deny that FILE exists
unreadable() {
	file=$1
	shift
	as_nobody "$@"
	eq "$status" 3 "status of krping $*" || return 1
	{
		grep -qF "error: cannot read $file: permission denied" "$tmp/err" &&
			grep -q "^krping: next: sudo krping $1 " "$tmp/err"
	} || why "krping $*: $(cat "$tmp/err")"
}

# unreadable_files: make the check above for each command that reads a file, with a file without read
# permission and with a file in a directory without permissions
unreadable_files() {
	for c in "show %" "hist %" "compare $tmp/copy/old %" "conform ::1 --expect %"; do
		for f in "$tmp/copy/secret" "$tmp/copy/closed/file"; do
			# shellcheck disable=SC2046 # words
			unreadable "$f" $(echo "$c" | sed "s|%|$f|g") || return 1
		done
	done
	as_nobody report "$tmp/copy/sweep"
	eq "$status" 1 "status of report" || return 1
	grep -qF "cannot read $tmp/copy/sweep/results.txt: permission denied" "$tmp/err" || why "report: $(cat "$tmp/err")"
}

# sweep_directory: check that show and hist read the results in the directory of a sweep, and name the next step if it has
# none yet, or if it is that of a sweep of several devices
sweep_directory() {
	mkdir -p "$tmp/sweep" "$tmp/both/siw0" && cp tests/awkit/results.txt "$tmp/sweep" && echo siw0 >"$tmp/both/devices" || return 1
	for c in show hist; do
		# show prints a table of medians for a directory: tests/host/cli-format.sh
		form=
		[ "$c" = hist ] || form=--csv
		$shell scripts/krping "$c" ${form:+"$form"} tests/awkit/results.txt >"$tmp/want" 2>/dev/null &&
			$shell scripts/krping "$c" ${form:+"$form"} "$tmp/sweep/" 2>/dev/null | diff "$tmp/want" - &&
			ends 2 "next: krping $c $tmp/both/DEVICE" "$c" "$tmp/both" &&
			ends 2 "the sweep or bench-suite of $tmp/copy/sweep has no result yet" "$c" "$tmp/copy/sweep" || return 1
	done
}

# missing_files: check the messages for files that do not exist, and for directories in their place
missing_files() {
	ends 2 "there is no file $tmp/none" show "$tmp/none" && ends 2 "there is no file or directory $tmp/none" compare "$tmp/none" "$tmp" &&
		ends 2 "$tmp is a directory" show "$tmp" && ends 2 "$tmp is a directory" hist "$tmp" &&
		ends 1 "there is no $tmp/none/results.txt: is $tmp/none an OUTDIR of krping sweep?" report "$tmp/none"
}

mkdir "$tmp/copy" "$tmp/copy/closed" "$tmp/copy/sweep"
cp -r scripts awkit "$tmp/copy"
cp tests/awkit/results.txt "$tmp/copy/old"
: >"$tmp/copy/secret"
: >"$tmp/copy/sweep/results.txt"
: >"$tmp/copy/closed/file"
chmod -R a+rX "$tmp/copy"
chmod 711 "$tmp"
chmod 0 "$tmp/copy/secret" "$tmp/copy/closed" "$tmp/copy/sweep/results.txt"

# each_check: make all checks under one pair of a shell and an awk, which $under names
each_check() {
	check "show and hist read the directory of a sweep: $under" sweep_directory
	check "a file that does not exist, and a directory in its place, are refused: $under" missing_files
	check "krping does not report an unreadable file as missing: $under" unreadable_files
}

PATH=$tmp/awk:$PATH
each_shell each_check
chmod 700 "$tmp/copy/closed"

t_end
