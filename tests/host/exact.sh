#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: tests/exact/compare accepts a table of instruction counts that equals the baseline or is
#   a little higher, refuses one that is much higher, and detects a loop that this subject plants in the
#   module. The subject measures one row; make bench-exact measures all.
# Requires: guests that the subject boots with scripts/vm --exact
# Duration: 43 s
#
#   KERNEL   kernel of the guests, see scripts/kernel (default stock)

set -u
cd "$(dirname "$0")/../.." || exit 1
: "${KERNEL:=stock}"
export KERNEL
# shellcheck source=../lib-host.sh
. tests/lib-host.sh

# table FILE ROW...: write a table. Each ROW is "KERNEL VERSION NAME INSTRUCTIONS PEER
# INSTRUCTIONS_OF_PEER", where PEER is the program with which krping is compared. A row without a peer ends
# with "- -".
table() {
	file=$1
	shift
	printf '%s\n' "$@" | tr ' ' '\t' >"$file"
}

# compare: run tests/exact/compare on the baseline and the table "now", and print its output, which stays in
# $tmp/said
compare() {
	tests/exact/compare "$tmp/baseline" "$tmp/now" >"$tmp/said" 2>&1
	status=$?
	cat "$tmp/said"
	return "$status"
}

# accepts ROW...: check that the comparison passes and asks for no update
accepts() {
	table "$tmp/now" "$@"
	compare && ! grep -E 'FAIL|ERROR|LOWER|needs an update' "$tmp/said"
}

# refuses TEXT ROW...: check that the comparison fails, and its only complaint matches TEXT
refuses() {
	text=$1
	shift
	table "$tmp/now" "$@"
	! compare && grep -qE "$text" "$tmp/said" && [ "$(grep -cE '^(FAIL|ERROR)' "$tmp/said")" = 1 ]
}

# asks TEXT ROW...: check that the comparison passes, and prints a line that matches TEXT, a request to update
# the baseline
asks() {
	text=$1
	shift
	table "$tmp/now" "$@"
	compare && grep -qE "$text" "$tmp/said"
}

# baseline ROW...: write the table of the baseline
baseline() {
	{
		echo '# kernel	version	row	krping	program	instructions'
		printf '%s\n' "$@" | tr ' ' '\t'
	} >"$tmp/baseline"
}

ping="stock 6.1.1-1 ping 10000 rping 40000"
bw="stock 6.1.1-1 bw 1000 - -"
baseline "$ping" "$bw" "6.12 6.12.1-1 ping 30000 rping 60000"

check "compare: equal figures pass" accepts "$ping" "$bw"
check "compare: a figure 2 % above the baseline passes" \
	accepts "stock 6.1.1-1 ping 10200 rping 40000" "$bw"
check "compare: a figure and its peer both 2.9 % above pass" \
	accepts "stock 6.1.1-1 ping 10290 rping 41160" "$bw"
check "compare: a figure 4 % above the baseline fails, even if the ratio to its peer is unchanged" \
	refuses '^FAIL stock ping: figure rises .* \+4.00 %' \
	"stock 6.1.1-1 ping 10400 rping 41600" "$bw"
check "compare: a figure 4 % above the baseline fails if the row has no peer" \
	refuses '^FAIL stock bw: figure rises .* \+4.00 %' "$ping" "stock 6.1.1-1 bw 1040 - -"
check "compare: a ratio 4 % above the baseline passes if the figure is unchanged" \
	accepts "stock 6.1.1-1 ping 10000 rping 38462" "$bw"
check "compare: a figure 4 % below the baseline asks for a lower baseline" \
	asks '^LOWER stock bw: figure falls .* -4.00 %' "$ping" "stock 6.1.1-1 bw 960 - -"
check "compare: a row of the baseline that was not measured is an error" \
	refuses '^ERROR stock bw: is in the baseline but was not measured' "$ping"
check "compare: a row that is not in the baseline is an error" \
	refuses '^ERROR stock slat: is not in the baseline' "$ping" "$bw" \
	"stock 6.1.1-1 slat 500 - -"
check "compare: a row that appears twice is an error" \
	refuses '^ERROR stock bw: twice' "$ping" "$bw" "$bw"
check "compare: a row whose peer was not measured is an error" \
	refuses '^ERROR stock ping: is compared with -, in the baseline with rping' "stock 6.1.1-1 ping 10000 - -" "$bw"
check "compare: a line that is not a valid row is an error" \
	refuses '^ERROR .*: not a row' "$ping" "$bw" "stock 6.1.1-1 slat - - -"
check "compare: on another version of the kernel, compare asks for an update and accepts higher figures" \
	asks 'needs an update' "stock 6.1.2-1 ping 12000 rping 48000" "stock 6.1.2-1 bw 1200 - -"
check "compare: with another version of the kernel a ratio 4 % above fails" \
	refuses '^FAIL stock ping: ratio to rping' \
	"stock 6.1.2-1 ping 12000 rping 46153" "stock 6.1.2-1 bw 1200 - -"

# update: check that after an update of the baseline the new figures pass, and that the rows of other
# kernels are unchanged
update() {
	table "$tmp/now" "stock 6.1.2-1 ping 12000 rping 46153" "stock 6.1.2-1 slat 700 - -"
	tests/exact/compare --update "$tmp/baseline" "$tmp/now" || return 1
	compare && grep -q '^6.12	6.12.1-1	ping	30000	rping	60000$' "$tmp/baseline" &&
		grep -q '^# kernel' "$tmp/baseline" && [ "$(wc -l <"$tmp/baseline")" = 4 ]
}
check "compare --update replaces the rows of the measured kernel only" update

# empty: check that compare refuses an empty table
empty() {
	: >"$tmp/now"
	! compare
}
check "compare: an empty table is an error" empty

#
# Measured figures
#

# One row is enough. Its iteration is short, so the planted loop adds 8 %, more than compare
# tolerates.
row=faa

# measure NAME [KO]: write the figure of the row with the module KO (default: the one that is built)
# to $tmp/NAME
measure() {
	KO=${2-} scripts/bench --exact "$row" >"$tmp/$1" 2>"$tmp/log" || {
		cat "$tmp/log"
		return 1
	}
	cat "$tmp/$1"
	[ "$(wc -l <"$tmp/$1")" = 1 ]
}

# planted: build the module with the planted loop, and measure it
planted() {
	tests/copy-built build/exact/planted krping || return 1
	patch -p1 --no-backup-if-mismatch -d build/exact/planted <tests/exact/planted-loop.patch || return 1
	make -C "$(scripts/kernel "$KERNEL" headers)" M="$PWD/build/exact/planted/krping" \
		CONFIG_DEBUG_INFO_BTF_MODULES= modules >"$tmp/compiled" 2>&1 || {
		cat "$tmp/compiled"
		return 1
	}
	measure planted build/exact/planted/krping/rdma_krping.ko
}

# one_compiled: check that the copy of the built module compiles only the file with the planted loop
one_compiled() {
	grep ' CC .*/krping/' "$tmp/compiled" | grep -v '\.mod\.o$' >"$tmp/objects"
	cat "$tmp/objects"
	[ "$(wc -l <"$tmp/objects")" = 1 ]
}

# loop_counted: check that the figure rises by 1000, the 500 * 2 instructions of the loop. Timer ticks and slabs
# change each of the two figures by up to 1 %, for which the check allows 250.
loop_counted() {
	before=$(cut -f 4 "$tmp/whole")
	after=$(cut -f 4 "$tmp/planted")
	echo "$before without the loop, $after with it"
	[ $((after - before)) -ge 750 ] && [ $((after - before)) -le 1250 ]
}

# real_refused: check that compare refuses the figure of the module with the planted loop
real_refused() {
	cp "$tmp/whole" "$tmp/baseline"
	cp "$tmp/planted" "$tmp/now"
	! compare && grep -q "^FAIL $KERNEL $row: figure rises" "$tmp/said"
}

if check "bench --exact measures a row of the unchanged module" measure whole &&
	check "bench --exact measures a row of a module with a planted loop" planted; then
	check "tests/copy-built: make compiles only the file that has changed in the copy" one_compiled
	check "bench --exact counts the 1000 instructions of the planted loop" loop_counted
	check "compare: the module with the planted loop fails" real_refused
fi

t_end
