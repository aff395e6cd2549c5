# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Run tests one after the other, and count the checks of all. A script sources this file in the project's
# directory, calls counted for each run, and at its end counted_end. The file $tmp/failed records that a run has failed.

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# counted COMMAND...: run COMMAND, pass on its output, and keep its totals
counted() {
	{ "$@" || : >"$tmp/failed"; } | tee "$tmp/tap"
	awk -f tests/last-total.awk "$tmp/tap" >>"$tmp/totals"
}

# begin_counted NAME COMMAND...: run COMMAND in the background. end_counted NAME PID passes on its output.
begin_counted() {
	_name=$1
	shift
	{ "$@" || : >"$tmp/failed"; } >"$tmp/$_name.out" 2>&1 &
}

# end_counted NAME PID: wait for the COMMAND of begin_counted, pass on its output, and keep its totals
end_counted() {
	wait "$2"
	counted cat "$tmp/$1.out"
}

# counted_end: print the sum of the totals, and exit with 1 if a COMMAND has failed
counted_end() {
	awk -f tests/totals.awk "$tmp/totals"
	[ ! -e "$tmp/failed" ]
	exit
}
