# shellcheck shell=sh disable=SC2154,SC2034 # scripts/sweep uses and sets the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# For scripts/sweep: the line of a test, whose first half is printed before the test. The line fits into 80 columns unless
# the test fails. POSIX sh.

# title KIND SIZE MODE DEPTH REP: print the words for a test. DEPTH - is none.
title() {
	_title="$1 $(short_size "$2") $3"
	[ "$4" = - ] || _title="$_title depth=$4"
	[ "$repeat" = 1 ] || _title="$_title rep=$5"
	echo "$_title"
}

# short_size BYTES: print BYTES in Ki or Mi, if it is a multiple
short_size() {
	if [ $(($1 % 1048576)) = 0 ]; then
		echo "$(($1 / 1048576))m"
	elif [ $(($1 % 1024)) = 0 ]; then
		echo "$(($1 / 1024))k"
	else
		echo "$1"
	fi
}

# headline: print the main figure of a result
headline() {
	awk -v warmup="$warmup" -f "$lib/digits.awk" -f "$lib/results.awk" -f "$lib/sweep-headline.awk" "$tmp/result"
}

# time_left DONE LEFT: print the time of LEFT tests in words, estimated from the DONE tests of this call
time_left() {
	left=$((($(date +%s) - began) * $2 / $1))
	if [ "$2" = 0 ]; then
		echo "done"
	elif [ $left -lt 100 ]; then
		echo "$left s left"
	elif [ $left -lt 6000 ]; then
		echo "$(((left + 30) / 60)) min left"
	else
		echo "$((left / 3600)) h $((left % 3600 / 60)) min left"
	fi
}

# begin_line TEXT and end_line TEXT: print the two halves of a line
begin_line() {
	printf '%s: %s: ' "$prog" "$1" >&2
	line_open=yes
}

end_line() {
	printf '%s\n' "$1" >&2
	line_open=
}
