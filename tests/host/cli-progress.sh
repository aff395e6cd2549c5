#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping prints the progress of a running test: a line for each interval, or one line that
#   is updated in place, and remarks about waits and polling. krping top computes rates from two
#   successive lists of tests.
# Requires: no guest; mawk, gawk, busybox
# Duration: 20 s

set -u
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=shells.inc
. tests/host/shells.inc

lib=scripts/krping.d

# The functions below without a comment are checks; each_check has their descriptions.

top() {
	awk -v before=tests/cli/list-before.txt -v elapsed=2 -f "$lib/value.awk" -f "$lib/results.awk" -f "$lib/list.awk" tests/cli/list.txt |
		diff -u tests/cli/list.top.txt -
}

# top_unseen: check that top has no rates of the server of bw, and has those of the server of sbw
top_unseen() {
	for _test in bw:0 sbw:5; do
		_line="id=4 test=${_test%:*} role=server device=rxe0 state=running remote=10.0.0.2:5 size=64"
		echo "$_line iterations=0 recv_bytes=0" >"$tmp/before"
		echo "$_line iterations=${_test#*:} recv_bytes=${_test#*:}000000"
	done >"$tmp/now"
	# not in a pipe: awk reads the file before at its start
	awk -v before="$tmp/before" -v elapsed=1 -f "$lib/value.awk" -f "$lib/results.awk" -f "$lib/list.awk" "$tmp/now" >"$tmp/out"
	{
		grep -q '^ 4  bw .* 64  *-  *-$' "$tmp/out" && grep -q '^ 4  sbw .* 64  *5  *0\.040$' "$tmp/out"
	} || why "$(cat "$tmp/out")"
}

# tick NOW ITERATIONS [FORM] [QUIET] [DURATION]: let tick.awk print the progress of a test with size=4096 that has done
# ITERATIONS at the time NOW and has DURATION (default 0). FORM (lines or line) and QUIET are variables of tick.awk.
tick() {
	printf '%s\n' "result id=1 status=running size=4096 x=y iterations=$2" \
		"config count=0 duration=${5-0}" "throughput bytes_per_sec=1 messages_per_sec=1" |
		awk -v now="$1" -v state="$tmp/tick" -v keep="$tmp/intervals" -v form="${3-lines}" \
			-v quiet="${4-}" -f "$lib/digits.awk" -f "$lib/results.awk" -f "$lib/tick.awk"
}

progress() {
	rm -f "$tmp/intervals"
	echo "100.00 100.00 0 0" >"$tmp/tick"
	tick 101.00 1000 >"$tmp/out"
	tick 103.00 2500 >>"$tmp/out"
	tick 104.00 2500 lines yes >>"$tmp/out"
	cat >"$tmp/want" <<-'END'
		interval [s]       iterations    per second      Gbit/s
		0.00-1.00                1000          1000    0.032768
		1.00-3.00                1500           750    0.024576
	END
	diff -u "$tmp/want" "$tmp/out" || return 1
	cat >"$tmp/want" <<-'END'
		result begin=0.00 end=1.00 iterations=1000 per_sec=1000 bytes_per_sec=4096000
		result begin=1.00 end=3.00 iterations=1500 per_sec=750 bytes_per_sec=3072000
		result begin=3.00 end=4.00 iterations=0 per_sec=0 bytes_per_sec=0
	END
	diff -u "$tmp/want" "$tmp/intervals"
}

# module_lines: check that each "interval" line of the module is printed once, although the result of a
# running test repeats the lines of earlier intervals
module_lines() {
	rm -f "$tmp/intervals"
	echo "100.00 100.00 0 0" >"$tmp/tick"
	set -- "result id=1 test=slat status=running size=64 iterations=700" \
		"latency_nsec p50=9000 p99=9900" \
		"interval begin=0 end=1000000000 iterations=500 bytes=32000 min=1000 p50=2000 p99=3500 max=4000 mean=2100" \
		"interval begin=1000000000 end=3000000000 iterations=200 bytes=12800 min=1000 p50=5000 p99=6000 max=6000 mean=5000" \
		"interval begin=3000000000 end=3500000000 iterations=0 bytes=0"
	for n in 2 3 3 4 5 5; do
		printf '%s\n' "$@" | head -n "$n" |
			awk -v now=105 -v state="$tmp/tick" -v keep="$tmp/intervals" -v form=lines -v asked=yes \
				-f "$lib/digits.awk" -f "$lib/results.awk" -f "$lib/tick.awk"
	done >"$tmp/out"
	cat >"$tmp/want" <<-'END'
		interval [s]       iterations    per second  p50 [usec]  p99 [usec]
		0.00-1.00                 500           500       2.000       3.500
		1.00-3.00                 200           100       5.000       6.000
		3.00-3.50                   0             0           -           -
	END
	diff -u "$tmp/want" "$tmp/out" || return 1
	cat >"$tmp/want" <<-'END'
		result begin=0.00 end=1.00 iterations=500 per_sec=500 min=1000 p50=2000 p99=3500 max=4000 mean=2100
		result begin=1.00 end=3.00 iterations=200 per_sec=100 min=1000 p50=5000 p99=6000 max=6000 mean=5000
		result begin=3.00 end=3.50 iterations=0 per_sec=0
	END
	diff -u "$tmp/want" "$tmp/intervals"
}

updating() {
	printf '\r2 s%s  1000 iterations  500/s  0.016384 Gbit/s\033[K' '' ' of 10 s' >"$tmp/want"
	printf '\r2 s  not connected yet\033[K' >>"$tmp/want"
	for duration in 0 10; do
		echo "100.00 100.00 0 0" >"$tmp/tick"
		tick 102.00 1000 line '' "$duration"
	done >"$tmp/out"
	echo "100.00 100.00 0 0" >"$tmp/tick"
	tick 102.00 0 line '' 10 >>"$tmp/out"
	cmp "$tmp/want" "$tmp/out"
}

# A shell that runs functions of krping with a file in the place of /proc/krping. The test in the file has no connection.
cat >"$tmp/waits" <<-'END'
	set -u
	lib=scripts/krping.d bin=scripts cmd=get json='' csv='' raw='' quiet='' addr=192.0.2.9 options=${options-} region='' id='' show='' asked='' out=''
	. $lib/common.sh
	. $lib/proc.sh
	. $lib/run.sh
	. $lib/remote.sh
	proc=$1/proc
	shift
	temporary
	"$@"
END
# waits COMMAND...: run functions of krping; the output is in $tmp/out
waits() {
	# shellcheck disable=SC2086 # a shell may be two words
	$shell "$tmp/waits" "$tmp" "$@" >"$tmp/out" 2>&1 </dev/null
}

# notices INTERVAL SECONDS PEER: let tick print for SECONDS the progress of a test, whose result has PEER. Without
# PEER it prints longer, up to 20 s, until it has printed the line.
notices() {
	echo "result id=1 test=wlat role=client status=running errno=0 iterations=0 size=64$3" >"$tmp/proc"
	# shellcheck disable=SC2016 # the other shell expands
	waits eval 'exec 4<>"$proc"; interval='"$1"'; tick lines & ticker=$!; sleep '"$2"'
		tries='"$([ "$3" ] || echo 200)"'
		until [ "${tries:-0}" -eq 0 ] || grep -q waiting "'"$tmp"'/out"; do
			sleep 0.1
			tries=$((tries - 1))
		done
		stop_ticker'
}

# no_answer: check that a test that has no connection after 1 s says so once, and that others do not
no_answer() {
	_waits="krping: waiting for 192.0.2.9; a step may take at most 5 s (--timeout)"
	notices 1 2.3 "" && eq "$(grep -cxF "$_waits" "$tmp/out")" 1 "lines with -i 1" &&
		notices 20 1.3 "" && eq "$(cat "$tmp/out")" "$_waits" "output with -i 20" &&
		notices 1 1.3 " local=::1 remote=::1 peer=krping" && ! grep waiting "$tmp/out"
}

# killed: check that the progress ends if SIGKILL ends krping
killed() {
	echo "result id=1 test=wlat role=client status=running errno=0 iterations=0 size=64" >"$tmp/proc"
	# shellcheck disable=SC2016 # the other shell expands
	waits eval 'exec 4<>"$proc"; interval=0.2; tick lines & echo "$! $tmp" >"'"$tmp"'/ticking"
		until [ -e "$tmp/tick" ]; do
			sleep 0.05
		done
		kill -9 $$'
	read -r _ticker _dir <"$tmp/ticking" || return 1
	_tries=100
	while [ "$_tries" -gt 0 ] && kill -0 "$_ticker" 2>/dev/null; do
		sleep 0.1
		_tries=$((_tries - 1))
	done
	rm -rf "$_dir"
	[ "$_tries" -gt 0 ] || why "the process that prints the progress still runs" || {
		kill "$_ticker"
		return 1
	}
}

# run_twice: check that a command can run two tests, one after the other, as conform does with many cases
# shellcheck disable=SC2086 # a shell may be two words
run_twice() {
	: >"$tmp/proc"
	# shellcheck disable=SC2016 # the other shell expands
	timeout 20 $shell "$tmp/waits" "$tmp" eval 'interval=""; run_client client,one; run_client client,two; echo both' >"$tmp/out" 2>&1 </dev/null
	eq "$?: $(cat "$tmp/out")" "0: both" "status and output"
}

# operates SECONDS [COMMAND]: run COMMAND, and an operation that the module ends after SECONDS
operates() {
	waits eval "command_run() { sleep $1; errno=0; }; ${2-:}; operate client,addr=192.0.2.9,get"
}

# no_memory: check that an operation on memory that waits for the server says so on a terminal
no_memory() {
	operates 1.3 'terminal() { :; }' && eq "$(cat "$tmp/out")" "krping: waiting for 192.0.2.9; a step may take at most 5 s (--timeout)" output &&
		operates 1.3 'terminal() { :; }; options=timeout=9000,ack_timeout=14' && grep -q 'at most 9000 ms (--timeout)$' "$tmp/out" &&
		operates 1.3 'terminal() { :; }; options=count=1,timeout=1m,size=64' && grep -q 'at most 1m (--timeout)$' "$tmp/out" &&
		operates 1.3 'terminal() { :; }; options=timeout=0' && grep -q 'for 192.0.2.9, without a limit (--timeout 0)$' "$tmp/out" &&
		operates 0 'terminal() { :; }; trap "sleep 1.2" EXIT' && eq "$(cat "$tmp/out")" "" "output of an operation that ends at once" &&
		operates 1.3 && eq "$(cat "$tmp/out")" "" "output without a terminal"
}

# ended TEST POLL PEER OPTIONS: let krping print the result of a test whose sides have these values of poll
ended() {
	cat >"$tmp/result" <<-END
		result id=1 test=$1 role=client device=rxe0 status=ok errno=0 iterations=9 size=64
		time nsec=1000
		config txdepth=64 poll=$2 validate=${4-0} imm=0
		peer_config mem_mode=reg txdepth=64 poll=$3
	END
	# shellcheck disable=SC2016 # the other shell expands
	waits eval 'cp '"$tmp"'/result "$tmp/result"; errno=0 interrupted='"''"'; '"${5-:}"'; finish client'
}

# far_latencies: check that a test with a latency of more than 100 times the fastest one says so if both sides run on one
# machine
far_latencies() {
	_remark="take CPU time from each other"
	for _case in "::1 [::1]:9999 1000 100001 1" "10.0.0.1 10.0.0.1:9999 1000 100001 1" "10.0.0.1 10.0.0.1:9999 1000 100000 0" \
		"10.0.0.1 10.0.0.2:9999 1000 100001 0" "fd00::1 [fd00::2]:9999 10 100001 0"; do
		# shellcheck disable=SC2086 # words
		set -- $_case
		ended wlat 0 0 "" "sed -i 's/size=64/size=64 local=$1 remote=$2/; \$a latency_nsec min=$3 max=$4' \"\$tmp/result\""
		eq "$(grep -c "$_remark" "$tmp/out")" "$5" "remarks for $_case" || return 1
	done
}

# one_direction: check that krping reports missing figures of the server's direction for a stopped test with duplex only
one_direction() {
	for _case in "stopped 1 0 1" "stopped 1 5 0" "stopped 0 0 0" "ok 1 0 0"; do
		# shellcheck disable=SC2086 # words
		set -- $_case
		_peer="; \$a peer_throughput bytes_per_sec=$3"
		[ "$3" != 0 ] || _peer=
		ended bw 0 0 "" "sed -i 's/status=ok/status=$1/; s/txdepth=64 poll=0 v/duplex=$2 v/$_peer' \"\$tmp/result\""
		eq "$(grep -c "the figures of the server's direction are missing" "$tmp/out")" "$4" "remarks for $_case" || return 1
	done
}

# in_front: check that a process knows whether it is in the foreground of its terminal, and that one without a terminal counts
# as if it were
# shellcheck disable=SC2086 # a shell may be two words
in_front() {
	cat >"$tmp/front" <<-'END'
		set -m
		. scripts/krping.d/common.sh
		foreground && echo front
		{ foreground || echo behind; } &
		wait
	END
	script -qec "$shell $tmp/front" /dev/null </dev/null >"$tmp/out"
	eq "$(tr -d "\r" <"$tmp/out" | grep -x "front\|behind")" "front
behind" "with a terminal" &&
		eq "$(setsid $shell "$tmp/front" 2>/dev/null)" front "without a terminal"
}

# one_polls: check that a test says so if only one side polls, except where the server waits for no completion
one_polls() {
	ended slat 1 0 && grep -q '^krping: this side polls and the server does not, .*krping server --poll$' "$tmp/out" &&
		ended ping 0 1 && grep -q '^krping: the server polls and this side does not, .*add --poll here$' "$tmp/out" &&
		ended wlat 1 0 1 && grep -q 'this side polls' "$tmp/out" || why "$(cat "$tmp/out")" || return 1
	for _same in "slat 1 1" "slat 0 0" "rlat 1 0" "wlat 1 0 0" "slat 1 0 0 raw=yes"; do
		# shellcheck disable=SC2086 # words
		ended $_same && ! grep 'poll.*so their latencies differ' "$tmp/out" || why "$_same" || return 1
	done
}

# each_check: make all checks under the shell and the awk that $under names
each_check() {
	check "a command runs two tests, one after the other: $under" run_twice
	check "a stopped test with duplex reports that the figures of the server are missing: $under" one_direction
	check "top computes rates from two successive lists of tests: $under" top
	check "top has no rates of a server that does not see the operations of its client: $under" top_unseen
	check "a running test's progress has a line for each interval: $under" progress
	check "each interval that the module reports is printed once: $under" module_lines
	check "the line of progress on a terminal is updated in place: $under" updating
	check "a test that waits for its server says so: $under" no_answer
	check "a test of which only one side polls says so: $under" one_polls
	check "a test with far latencies says so if both sides run on one machine: $under" far_latencies
	check "the progress of a test whose krping was killed ends: $under" killed
	check "a test in the background shows no line of progress: $under" in_front
	check "an operation on memory that waits for its server says so on a terminal: $under" no_memory
}

PATH=$tmp/awk:$PATH
each_shell each_check

t_end
