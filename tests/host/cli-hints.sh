#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping answers habits of users of other programs with the next step to take, and its help and its
#   remarks leave no doubt: the words after put, the examples of bench-suite and sweep, and the rows of hist.
# Requires: no guest; mawk, gawk, busybox
# Duration: 4 s

set -u
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=shells.inc
. tests/host/shells.inc
# shellcheck source=words.inc
. tests/host/words.inc
# shellcheck source=transfer.inc
. tests/host/transfer.inc

# advises NEXT TEXT ARGUMENT...: check that krping refuses the arguments with the error TEXT and the next step NEXT
advises() {
	step=$1
	shift
	ends 2 "$@" || return 1
	grep -qxF -- "krping: next: $step" "$tmp/err" || why "no next step '$step': $(cat "$tmp/err")"
}

# no_output_file: check that a test and a server, which have no option for a file, name the redirection of their result
no_output_file() {
	for word in -o --output --output=b --out; do
		advises "krping wlat ... --json >FILE" "krping wlat prints its result" wlat ::1 --json "$word" b.json || return 1
	done
	advises "krping server ... --json >FILE" "krping server prints its result" server -o b.json &&
		ends 2 "did you mean out?" get ::1 --outp b
}

# file_words: check that a file behind the address of put or get, and --file, get the option for a file, that another word
# does not, and that get accepts -o
file_words() {
	echo text >"$tmp/f.txt"
	ends 2 "'$tmp/f.txt' is not an address: did you mean --in $tmp/f.txt?" put 198.18.0.1 "$tmp/f.txt" &&
		ends 2 "two addresses: ::1 and README.md: did you mean --in README.md?" put ::1 README.md &&
		ends 2 "is ::1 already: did you mean --in COPYING?" put ::1 COPYING && ends 2 "did you mean in?" put ::1 --file f.txt &&
		ends 2 "did you mean --out g.txt?" get 198.18.0.1 g.txt && ends 2 "did you mean out?" get ::1 -f g.txt || return 1
	ends 2 "two addresses: ::1 and ::2" get ::1 ::2 && ! grep "did you mean" "$tmp/err" &&
		ends 2 "two addresses: ::1 and none.txt" put ::1 none.txt && ! grep "did you mean" "$tmp/err" &&
		ends 2 "'out' takes an operand" get ::1 -o
}

# few_repetitions: check that bench-suite says at its start that compare needs more repetitions. A wrong kind ends the suite
# also where the module is loaded.
few_repetitions() {
	krping bench-suite ::1 -n 3 "$tmp/suite" -- --kinds x
	grep -qx "bench-suite: krping compare finds no significant difference between two suites with -n 3: give -n 4 or more" "$tmp/err" ||
		why "$(cat "$tmp/err")" || return 1
	krping bench-suite ::1 -n 4 "$tmp/suite" -- --kinds x
	! grep "significant" "$tmp/err"
}

# compare_forms: check that compare needs no option for the form of its files, and that its help says where they come from
compare_forms() {
	for form in --json --raw; do
		advises "krping compare OLD NEW" "there is no option '$form': compare reads files of --raw and --json without an option" \
			compare "$form" a b || return 1
	done
	prints "files that another" compare --help
}

# perftest: check the next steps for -q N, -F, --events and --rdma_cm of perftest, and that -q without a number is accepted
perftest() {
	advises "krping bw ... --qps 4" "-q is --quiet, which takes no operand" bw ::1 -q 4 &&
		advises "krping bw ... --qps 16" "-q is --quiet" bw -q 16 ::1 &&
		advises "the same command without -F" "the clock of krping does not depend on the CPU frequency" bw ::1 -F &&
		advises "the same command without --events" "waits for completion events, except with --poll" bw ::1 --events &&
		advises "krping wlat ADDR" "there is no option 'rdma_cm': krping always connects with rdma_cm" wlat ::1 --rdma_cm &&
		ends 2 "did you mean count?" bw -q ::1 --cuont 4
}

# path_mtu: check that -m of perftest, for a test and for help, gets the place where the MTU is set
path_mtu() {
	for words in "bw ::1 -m 4096" "bw ::1 --mtu=4096" "help mtu" "help --mtu" "help -m"; do
		# shellcheck disable=SC2086 # words
		advises "krping doctor names the interface, and the MTU to set on both hosts (ip link set IF mtu N)" \
			"determines the path MTU" $words || return 1
	done
}

# iperf3: check the next steps for -c ADDR, -R, -O and -j of iperf3, perftest and ip
iperf3() {
	advises "krping bw ADDR" "there is no option '-c': the address stands alone" bw -c ::1 &&
		ends 2 "did you mean count?" ping -c 5 ::1 &&
		advises "krping rbw ADDR" "krping always connects with rdma_cm" bw ::1 -R &&
		advises "krping bw ... --json" "--json, --csv and --raw" bw ::1 -O json &&
		ends 2 "did you mean json?" bw ::1 -j && ends 2 "did you mean --json?" list -j && ends 2 "did you mean --json?" show -J &&
		ends 4 "--csv has the figures of the whole test only" bw ::1 -i 1 --csv
}

# put_remark: check what put says after it has written to memory that ends with its connection, and that it says nothing
# with the id of a session, and of memory that the server keeps
put_remark() {
	# shellcheck disable=SC2016 # the other shell expands
	_done='single() { echo "completion wc_status=\"success\" offset=0 len=5 kept=$kept" >"$tmp/short"; }; in=""'
	transfer eval "kept=0; $_done; remote_put" &&
		grep -q "the server was started without --shared, so the bytes are gone now, and get reads zeros$" "$tmp/err" &&
		transfer eval "kept=0; $_done addr=''; remote_put" && eq "$(cat "$tmp/err")" "" "remark with an id" &&
		transfer eval "kept=1; $_done; remote_put" && eq "$(cat "$tmp/err")" "" "remark about a server with --shared"
}

# no_histogram: check the next step of hist if no test has left a histogram
no_histogram() {
	# shellcheck disable=SC2016 # for the other shell
	! transfer eval '. "$lib/show.sh"; results=/nonexistent cmd=hist; hist' &&
		grep -q "^krping: next: krping wlat ADDR; of a sweep or bench-suite: krping hist DIR$" "$tmp/err"
}

# helps: check that the help of bench-suite has an example of two settings, that of sweep an example of --options, and
# that of a test the forms of the output that other commands read
helps() {
	prints "krping bench-suite 192.0.2.1 inline -- --kinds wlat --options inline" bench-suite --help &&
		help_has "--options inline, or --options qps=4,validate" sweep &&
		prints "read --json and --raw only, not --csv" wlat --help
}

# long_tail: check that hist joins consecutive ranges with less than 0.05 % of the iterations each, and no others: the
# results have 10000 iterations, of which the ranges above the first have 1, 5, 4, 4, 0 and 5
long_tail() {
	printf '%s\n' 'result id=1 test=wlat' 'histogram_nsec 1024=9981 1280=1 1536=5 1792=4 2048=4 3072=5' >"$tmp/tail"
	prints "id=1, test=wlat" hist "$tmp/tail" && eq "$(awk 'NR > 2 { $3 = ""; print }' "$tmp/out" | tr -s ' ' | tr '\n' ,)" \
		"1.024 9981 ########################################,1.280 1 .,1.536 5 .,1.792 8 . to 3.072: 3 ranges,3.072 5 .," rows
}

# several: check that hist draws all histograms of a file, says so, and draws one of them alone
several() {
	printf '%s\n' 'result id=1 test=wlat' 'histogram_nsec 1024=10' 'result id=2 test=bw' 'result id=3 test=slat' \
		'histogram_nsec 2048=10' >"$tmp/two"
	prints "1 of 2: id=1, test=wlat" hist "$tmp/two" && grep -q "^2 of 2: id=3, test=slat$" "$tmp/out" &&
		eq "$(cat "$tmp/err")" "krping: all 2 histograms of $tmp/two: krping hist $tmp/two N draws only number N" remark &&
		prints "2 of 2: id=3, test=slat" hist "$tmp/two" 2 && ! grep "id=1" "$tmp/out" && eq "$(cat "$tmp/err")" "" remark &&
		ends 13 "there is no histogram 3 in $tmp/two, which has 2" hist "$tmp/two" 3 &&
		ends 2 "'x' is no number of a histogram" hist "$tmp/two" x
}

# each_check: make all checks under one pair of a shell and an awk, which $under names
each_check() {
	check "an option for an output file gets the redirection as the next step: $under" no_output_file
	check "put and get of a file without --in and --out get these options: $under" file_words
	check "bench-suite says that compare needs more repetitions: $under" few_repetitions
	check "compare says that it reads --raw and --json without an option: $under" compare_forms
	check "-q with a number, -F, --events and --rdma_cm get the next step for a user of perftest: $under" perftest
	check "-m of perftest gets the place where the MTU is set: $under" path_mtu
	check "-c, -R, -O and -j of other programs get the next step: $under" iperf3
	check "put says if the server does not keep the bytes: $under" put_remark
	check "hist without a histogram names the file of a suite: $under" no_histogram
	check "the help has examples of settings, and names the forms that other commands read: $under" helps
	check "hist joins the ranges of a long tail: $under" long_tail
	check "hist of several results says how to choose one: $under" several
}

PATH=$tmp/awk:$PATH
each_shell each_check

t_end
