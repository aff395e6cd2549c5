#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The command krping finds its installed files, and its messages name commands and
#   packages that a user without a checkout has.
# Requires: no guest; mawk, gawk, busybox
# Duration: 10 s

set -u
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=shells.inc
. tests/host/shells.inc
# shellcheck source=words.inc
. tests/host/words.inc

lib=scripts/krping.d

# installed: check that a copy of krping finds its files in ../lib/krping, also through a symbolic link to
# the copy
installed() {
	rm -rf "${tmp:?}/usr" "$tmp/link"
	mkdir -p "$tmp/usr/bin" "$tmp/usr/lib/krping/awkit" "$tmp/link"
	cp scripts/krping "$tmp/usr/bin/"
	cp "$lib"/* scripts/lib.sh scripts/sweep scripts/plot scripts/report scripts/softrdma "$tmp/usr/lib/krping/"
	cp awkit/* "$tmp/usr/lib/krping/awkit/"
	ln -s "$tmp/usr/bin/krping" "$tmp/link/krping"
	for k in "$tmp/usr/bin/krping" "$tmp/link/krping"; do
		# shellcheck disable=SC2086
		$shell "$k" show --json tests/awkit/results.txt >"$tmp/out" || return 1
		cmp tests/cli/results.json.txt "$tmp/out" || return 1
		# shellcheck disable=SC2086
		$shell "$k" sweep --help | grep -q '^Usage: krping sweep ' || return 1
	done
	cp tests/sweep/first/results.txt tests/sweep/first/environment "$tmp/link/"
	$shell "$k" sweep --tables "$tmp/link" && cmp tests/sweep/first/results.json "$tmp/link/results.json"
}

# without_gnuplot: check that without gnuplot, plot and report name the packages to install. They must not
# name scripts/deps, which an installed krping lacks.
without_gnuplot() {
	installed || return 1
	mkdir -p "$tmp/bare"
	for name in $(busybox --list); do
		ln -sf "$(command -v busybox)" "$tmp/bare/$name"
	done
	cp -R tests/sweep/first "$tmp/bare/results"
	# call the shell by its path, because PATH has no other programs than those of busybox
	for c in plot report; do
		# shellcheck disable=SC2086
		PATH=$tmp/bare $(command -v ${shell%% *}) ${shell#"${shell%% *}"} "$tmp/usr/bin/krping" $c "$tmp/bare/results" >"$tmp/out" 2>&1
		grep -q "gnuplot is not installed.*apt install gnuplot-nox, or dnf install gnuplot" "$tmp/out" &&
			! grep -q scripts/ "$tmp/out" || why "$c: $(cat "$tmp/out")" || return 1
	done
}

# sweep_words: check that krping sweep takes ADDR without --addr, and that its messages name
# commands of krping
sweep_words() {
	ends 1 "ADDR and OUTDIR are needed" sweep &&
		ends 1 "ADDR and OUTDIR are needed, but only OUTDIR (out) was given: see krping sweep --help" sweep out &&
		ends 1 "not also 'out'" sweep --addr ::1 ::2 out && ends 1 "not also 'c'" sweep ::1 b c &&
		ends 1 "'no.such.host' is neither an address nor the name of a host" sweep no.such.host out &&
		[ ! -e out ] && [ ! -e "$tmp/out.d" ] || return 1
	[ -e /proc/krping ] || ! [ "$(id -u)" = 0 ] || ends 1 "krping load" sweep ::1 "$tmp/out.d"
}

# in_environment: check that a krping without its files names the variable KRPING_LIB, and finds its files in
# the directory of this variable
in_environment() {
	rm -rf "$tmp/alone"
	mkdir "$tmp/alone"
	cp scripts/krping "$tmp/alone/"
	# shellcheck disable=SC2086
	! $shell "$tmp/alone/krping" version >"$tmp/out" 2>&1 && grep -q 'set KRPING_LIB' "$tmp/out" &&
		KRPING_LIB=$PWD/$lib $shell "$tmp/alone/krping" version | grep -q '^krping [0-9]'
}

# each_check: make all checks under one pair of a shell and an awk, which $under names
each_check() {
	check "an installed krping finds its files: $under" installed
	check "without gnuplot, plot and report name packages to install: $under" without_gnuplot
	check "sweep takes ADDR without --addr, and its messages name commands of krping: $under" \
		sweep_words
	check "krping without its files names KRPING_LIB, and finds the files there: $under" in_environment
}

PATH=$tmp/awk:$PATH
each_shell each_check

t_end
