#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# In the guest of tests/boot/tracers.sh: the trace-cmd session and the bpftrace program of
# Documentation/troubleshooting.md run as the document has them, and print what the document promises.

# shellcheck source=../../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=../../guest/cli.inc
. "${0%/*}/cli.inc"

PATH=$PATH:$PWD/scripts
shell=dash
lines=$PWD

# session: run the trace-cmd session with the address of this guest, and few iterations
session() {
	eq "$(wc -l <"$lines/trace-cmd.line")" 1 "lines with trace-cmd in the document" || return 1
	sed "s/192\.0\.2\.1/$ADDR port=18100/; s/--count 100/--count 9/" "$lines/trace-cmd.line" >"$T_TMP/session.sh"
	grep -q 'count 9' "$T_TMP/session.sh" || return 1
	(cd "$T_TMP" && sh -e session.sh) >"$OUT" 2>"$ERR"
	eq $? 0 "status of the session" || why "$(tail -n 20 "$OUT" "$ERR")"
}

# completions: check that trace-cmd report has the client's completions of all iterations, with status and index
completions() {
	_id=$(sed -n 's/.*krping_command: *id=\([0-9]*\) role=client test=slat .*count=9$/\1/p' "$OUT")
	[ "$_id" ] || why "no krping_command of the client: $(head -n 20 "$OUT")" || return 1
	_nr=$(grep -c "krping_complete: *id=$_id conn=0 qp=[0-9]* RECV status=0 (success)" "$OUT")
	# nine RECVs of data, the buffer advert and the report
	eq "$_nr" 11 "records of the client's RECVs" && prints "krping_end: id=$_id error=0 \\(ok\\) iterations=9\$"
}

# counted: run the bpftrace program while slat runs, and stop slat, which flushes the posted RECVs
counted() {
	eq "$(wc -l <"$lines/bpftrace.line")" 1 "lines with bpftrace in the document" || return 1
	# exec, so that the signal reaches bpftrace and not a shell
	sed 's/^/exec /' "$lines/bpftrace.line" >"$T_TMP/program.sh"
	: >"$T_TMP/counts"
	sh "$T_TMP/program.sh" >"$T_TMP/counts" 2>&1 &
	_tracer=$!
	until_ok 120 grep -q Attaching "$T_TMP/counts" || why "$(cat "$T_TMP/counts")" || return 1
	# "Attaching" precedes the attachment
	sleep 2
	kr_bg slat "client,addr=$ADDR,port=18100,slat,count=0" || return 1
	until_ok 60 kr_runs slat || return 1
	kr_stop
	sleep 1
	kill -INT $_tracer
	wait $_tracer
	eq $? 0 "status of bpftrace" || why "$(cat "$T_TMP/counts")"
}

# flushed: check that the program has counted flushed completions (status 5, IB_WC_WR_FLUSH_ERR) of
# slat's connection 0, and no completions with another status
flushed() {
	kr_result slat && kr_val id || return 1
	grep -Eq "^@\[$KR_VAL, 0, 5\]: [1-9][0-9]*\$" "$T_TMP/counts" ||
		why "no flushed completions of test $KR_VAL: $(cat "$T_TMP/counts")" || return 1
	not grep -Ev '^@\[[0-9]+, 0, 5\]: [0-9]+$|^Attaching 1 probe|^$' "$T_TMP/counts"
}

if [ ! -d /sys/kernel/tracing/events/krping ]; then
	skip "programs of the document that trace" "the kernel has no tracepoints"
	t_end
	exit
fi
check "krping server starts for the tracers" serve server "$ADDR" --port 18100
check_within 300 "the trace-cmd session of the document runs" session
check "trace-cmd report has the records of each iteration" completions
if [ -e /sys/kernel/btf/vmlinux ]; then
	check_within 600 "the bpftrace program of the document runs" counted
	check "the bpftrace program counts failed completions by test, connection and status" flushed
else
	skip "the bpftrace program of the document" "the kernel has no BTF"
fi
kr_stop

t_end
