#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping fr, rbw, sbw, show, sweep, plot, report and softrdma list work in a guest. plot and report
#   name gnuplot where gnuplot is not installed. The checks run krping under dash, bash and busybox.
# Requires: one guest with any device
# Duration: 10 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=cli.inc
. "${0%/*}/cli.inc"
# Functions of cli.inc: ends STATUS ARGUMENT... runs the command krping and checks its exit status, prints REGEX
# checks its output, explains TEXT its standard error. serve starts krping server, and served ends it.

PORT=17800
RESULT=$T_TMP/result
SWEEP=$T_TMP/sweep

# The list of checks at the end of this file states what each case_ function checks.

case_fr() {
	ends 0 fr "$ADDR" --count 50 --size 4k --port $PORT && prints '^fr, client, 4096 bytes' &&
		prints '^50 iterations in .*, [1-9][0-9]* per second$'
}

case_rbw() {
	ends 0 rbw "$ADDR" --count 50 --size 4k --port $PORT && prints '^rbw, client, 4096 bytes' &&
		prints '^50 iterations in ' && prints '^ Gbit/s MiB/s messages/s$' && prints '^ client [0-9.]+ [0-9.]+ [1-9][0-9]*$'
}

case_sbw() {
	ends 0 sbw "$ADDR" --count 50 --size 4k --port $PORT --raw && cp "$OUT" "$RESULT" &&
		eq "$(value_in "$OUT" result test) $(value_in "$OUT" result iterations)" "sbw 50"
}

# case_show: show prints the result that case_sbw has kept, in each form, from a file and from standard input
case_show() {
	ends 0 show "$RESULT" && prints '^sbw, client, 4096 bytes' && prints '^50 iterations in ' || return 1
	cp "$OUT" "$T_TMP/table"
	ends 0 show --raw "$RESULT" && cmp "$OUT" "$RESULT" && ends 0 show --csv "$RESULT" &&
		prints '^[0-9]+,sbw,client,[a-z0-9]+,ok,0,50,4096,' && ends 0 show --json "$RESULT" &&
		prints '^\{"schema":1,"results":\[\{"result":\{"id":[0-9]+,.*"iterations":50,' || return 1
	cp "$OUT" "$T_TMP/json"
	krping show <"$T_TMP/json"
	eq "$status" 0 status && cmp "$OUT" "$T_TMP/table"
}

case_sweep() {
	rm -rf "$SWEEP"
	ends 0 sweep "$ADDR" "$SWEEP" --port $PORT --kinds wlat,bw --sizes 64 --modes dma --depths 4 --count 20 --warmup 2 &&
		explains "$SWEEP has all results, 2" && eq "$(cut -f 2 "$SWEEP/results.tsv" | tr '\n' ' ')" "kind wlat bw "
}

# case_plot: plot draws the pictures of the sweep, or names gnuplot
case_plot() {
	if command -v gnuplot >/dev/null; then
		ends 0 plot -o "$T_TMP/pictures" "$SWEEP" && prints '^latency' && test -s "$T_TMP/pictures/latency.svg"
	else
		ends 1 plot -o "$T_TMP/pictures" "$SWEEP" && explains "gnuplot is not installed: " && explains "install gnuplot"
	fi
}

# case_report: report makes the page of the sweep. A page without pictures is no failure.
case_report() {
	ends 0 report -o "$T_TMP/page.html" "$SWEEP" && prints "^$T_TMP/page.html\$" || return 1
	command -v gnuplot >/dev/null || explains "gnuplot is not installed, so the page gets no pictures" || return 1
	eq "$(grep -c '^<tr><td' "$T_TMP/page.html")" 2 "rows of results" && rm "$T_TMP/page.html"
}

case_softrdma() {
	ends 0 softrdma list && prints "^$DEV netdev [^ ]+ .*$ADDR/"
}

# checks: make all checks with the shell $shell
checks() {
	copy_scripts "$T_TMP/${shell%% *}"
	check "fr: a table: $shell" case_fr
	check "rbw: a table with the throughput: $shell" case_rbw
	check "sbw --raw: the kernel's lines: $shell" case_sbw
	check "show: a kept result as a table, lines, CSV and JSON: $shell" case_show
	check_within 300 "sweep: a table with a row for each point: $shell" case_sweep
	check "plot: pictures, or what to install: $shell" case_plot
	check "report: a page with a row for each point: $shell" case_report
	check "softrdma list: the device with its address: $shell" case_softrdma
}
check "krping server listens for the tests of all shells" eval "shell=dash && serve tests '$ADDR' --port $PORT"
under_shells checks
check "krping server ends at SIGTERM" served tests 143

t_end
