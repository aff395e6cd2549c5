#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: scripts/sweep starts its server, measures and writes its files; an interrupted
#   sweep continues where it ended.
# Requires: one guest with any device
# Duration: 50 s on rxe, 50 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

PORT=17000
OUT=$T_TMP/out
LOG=$T_TMP/log

# sweep OUTDIR OPTION...: run a sweep of four tests; each OPTION may replace an option below
sweep() {
	_dir=$1
	shift
	./scripts/sweep --addr "$ADDR" --port $PORT --kinds rlat,bw --sizes 1,4k --modes dma \
		--depths 4 --duration 1 --warmup 5 "$@" "$_dir" >"$LOG" 2>&1
}

# ends STATUS DIR OPTION...: run a sweep, and check its exit status
ends() {
	_want=$1
	shift
	sweep "$@"
	_status=$?
	[ $_status = "$_want" ] || why "status $_status instead of $_want: $(cat "$LOG")"
}

# says TEXT: check that the sweep has printed TEXT
says() {
	grep -qF -- "$1" "$LOG" || why "'$1' was not said: $(cat "$LOG")"
}

# have N [DIR]: check that the directory has N results
have() {
	eq "$(grep -c '^# end$' "${2-$OUT}/results.txt")" "$1" "number of results"
}

# some: check that the sweep has at least one result
some() {
	grep -q '^# end$' "$OUT/results.txt" 2>/dev/null
}

check "sweep without a server fails" ends 1 "$OUT"
check "sweep without a server prints the command of a server" says "echo server,addr=$ADDR,port=$PORT,clients=0,background >&3"
check "sweep without a server writes no settings" not test -e "$OUT/settings"

check_within 300 "sweep succeeds if the warm-up takes the whole time" \
	ends 0 "$T_TMP/warm" --local --kinds rlat --sizes 1 --warmup 999999999
check "sweep says how many tests have measured nothing" says "1 of them measured nothing: give a longer --duration"
check "sweep says that it writes the tables" says "writing results.tsv and results.json"
check "sweep says that the warm-up took the whole time" says "nothing measured: the warm-up took the whole time (--warmup 999999999)"

# An interrupted sweep

# Do not call sweep() in the background: the signal would end the shell that runs sweep(), not the
# script.
./scripts/sweep --addr "$ADDR" --port $PORT --kinds rlat,bw --sizes 1,4k --modes dma \
	--depths 4 --duration 1 --warmup 5 --local "$OUT" >"$LOG" 2>&1 &
pid=$!
check_within 300 "sweep writes its first result while it runs" until_ok 250 some
kill $pid
wait $pid
status=$?
check "SIGTERM ends a sweep with the status 143" eq $status 143
check "an interrupted sweep leaves no test" kr_none
done_before=$(grep -c '^# end$' "$OUT/results.txt")
check "an interrupted sweep has some of the results" test "$done_before" -lt 4
check "an interrupted sweep prints the number of its results" says "$done_before of 4 results are in $OUT"
check "the table of an interrupted sweep has its results" eq "$(wc -l <"$OUT/results.tsv")" $((done_before + 1))
cp "$OUT/results.txt" "$T_TMP/before"
# Add an incomplete result, like that of a sweep which SIGKILL has ended.
printf '# kind=bw size=4096 mode=dma depth=4 rep=1\nresult id=1 test=b' >>"$OUT/results.txt"

# The continuation of the interrupted sweep

check_within 300 "the same command continues an interrupted sweep" ends 0 "$OUT" --local
check "a continued sweep prints where it begins" says "$done_before of 4 results exist already"
check "a continued sweep has all results" have 4
# times_left: check that each result but the last is followed by the time left. A test takes a second at least.
times_left() {
	awk -v left=$((4 - done_before)) '
		!/^sweep: [1-4]\/4 / { next }
		{ n++; left-- }
		left && (!match($0, /; [0-9]+ (s|min) left$/) || substr($0, RSTART + 2) ~ / s / && substr($0, RSTART + 2) + 0 < left) { bad = 1 }
		!left && !/; done$/ { bad = 1 }
		END { exit bad || left || !n }' "$LOG" || why "$(cat "$LOG")"
}
check "sweep prints the time left after each result, and done after the last" times_left
head -n "$(wc -l <"$T_TMP/before")" "$OUT/results.txt" >"$T_TMP/now"
check "a continued sweep keeps the earlier results" cmp "$T_TMP/before" "$T_TMP/now"

points="rlat 1 -
rlat 4096 -
bw 1 4
bw 4096 4"
check "the table of a sweep has each point once" \
	eq "$(awk -F '\t' 'NR > 1 { print $2, $6, $7 }' "$OUT/results.tsv")" "$points"
# depths: print the values of txdepth in the results of bw
depths() {
	awk '/^# kind=/ { bw = / kind=bw / } bw && match($0, /^config txdepth=[0-9]+/) {
		print substr($0, 16, RLENGTH - 15)
	}' "$OUT/results.txt" | sort -u
}
check "a sweep of bw uses the given txdepth" eq "$(depths)" 4
check "the table of a sweep names the device $DEV" \
	eq "$(awk -F '\t' 'NR > 1 { print $3, $4, $5, $9, $10 }' "$OUT/results.tsv" | sort -u)" \
	"client $DEV dma ok 0"
check "each line of a sweep's table has 24 fields" \
	eq "$(awk -F '\t' '{ print NF }' "$OUT/results.tsv" | sort -u)" 24

# numbers: print the numbers of results.txt, in the table's order
numbers() {
	awk '
		{ for (i = 2; i <= NF; i++) { eq = index($i, "="); v[$1, substr($i, 1, eq - 1)] = substr($i, eq + 1) } }
		function get(group, key) { return (group, key) in v ? v[group, key] : "-" }
		/^# kind=/ { split("", v) }
		/^# end$/ {
			print get("result", "iterations"), get("time", "nsec"), get("latency_nsec", "min"),
				get("latency_nsec", "p99.9"), get("latency_nsec", "of"),
				get("throughput", "bytes_per_sec"), get("throughput", "messages_per_sec")
		}' "$OUT/results.txt"
}
check "the numbers of a sweep's table are those of the results" \
	eq "$(awk -F '\t' 'NR > 1 { print $11, $12, $13, $17, $22, $23, $24 }' "$OUT/results.tsv")" \
	"$(numbers)"

# figures: print the figures that the last sweep should have printed for the points it measured
figures() {
	awk '
		{ for (i = 2; i <= NF; i++) { eq = index($i, "="); v[$1, substr($i, 1, eq - 1)] = substr($i, eq + 1) } }
		function four(x) { return sprintf(x < 9.9995 ? "%.3f" : x < 99.995 ? "%.2f" : x < 999.95 ? "%.1f" : "%.0f", x) }
		/^# kind=/ { split("", v) }
		/^# end$/ && (("latency_nsec", "p50") in v) {
			print ": p50 " four(v["latency_nsec", "p50"] / 1000) ", p99 " four(v["latency_nsec", "p99"] / 1000) " usec; "
			next
		}
		/^# end$/ {
			gbit = v["throughput", "bytes_per_sec"] / 125e6
			printf gbit < 0.1 ? ": %.6f Gbit/s; \n" : ": %.3f Gbit/s; \n", gbit
		}' "$OUT/results.txt" |
		tail -n $((4 - done_before))
}
has_figures() {
	figures >"$T_TMP/figures"
	while IFS= read -r _l; do
		says "$_l" || return 1
	done <"$T_TMP/figures"
}
check "sweep prints the figures of each point in microseconds or Gbit/s" has_figures

check "the JSON of a sweep has each result" \
	eq "$(grep -c '^{"result":{.*"status":"ok".*"point":{"kind":' "$OUT/results.json")" 4
check "the JSON of a sweep begins with the environment" \
	eq "$(head -n 1 "$OUT/results.json" | cut -c 1-24)" '{"environment":{"date":"'
check "the JSON of a sweep is complete" eq "$(tail -n 1 "$OUT/results.json")" ']}'
check "a sweep has a histogram for each latency" eq "$(grep -c '^histogram_nsec ' "$OUT/results.txt")" 2
check "the environment of a sweep has the device" grep -qx "device=$DEV" "$OUT/environment"
check "the environment of a sweep has the module" grep -qx \
	"module_srcversion=$(cat /sys/module/rdma_krping/srcversion)" "$OUT/environment"

# ^C sends SIGINT to all processes of a job. Without set -m a shell starts background jobs with SIGINT ignored. A link
# to results.txt shows whether the sweep replaces this file: the link keeps the first result only.
ctrl_c() {
	# shellcheck disable=SC2016 # for the other shell
	bash -c '
		set -m
		has() { [ "$(grep -cs "^# end\$" "$out/results.txt")" -ge "$1" ] 2>/dev/null; }
		out=$3
		./scripts/sweep --addr "$1" --port "$2" --kinds rlat,bw --sizes 1,64,4k --modes dma --depths 4 --duration 1 \
			--warmup 5 --local "$out" >"$4" 2>&1 &
		pid=$!
		for i in $(seq 1200); do ! has 1 || break; sleep 0.2; done
		ln "$out/results.txt" "$5" && cp "$5" "$5.copy"
		for i in $(seq 1200); do ! has 2 || break; sleep 0.2; done
		kill -INT -- -$pid
		wait $pid' bash "$ADDR" $PORT "$T_TMP/ctrl-c" "$LOG" "$T_TMP/link"
	eq $? 130 status && kr_none && [ "$(grep -c '^# end$' "$T_TMP/ctrl-c/results.txt")" -lt 6 ] && says " of 6 results are in $T_TMP/ctrl-c; the same command continues there"
}
check_within 300 "^C ends a sweep with the status 130, and leaves no test" ctrl_c
check "sweep replaces results.txt, and does not write into the file" cmp "$T_TMP/link" "$T_TMP/link.copy"

# A sweep that is complete

check "sweep succeeds if all results exist" ends 0 "$OUT" --local
check "a complete sweep says that all results exist" says "4 of 4 results exist already"
check "sweep rejects other settings for the same directory" ends 1 "$OUT" --local --sizes 1,8k
check "sweep names the settings that differ" says 'sizes was "1,4k", and is "1,8k"'
check "rejected settings leave the results unchanged" have 4

# Points (combinations of settings) that fail

# --limit limits a test with --count, too.
too_long() {
	./scripts/sweep --addr "$ADDR" --port $PORT --local --kinds rlat --sizes 1 --modes dma \
		--count 100000000 --limit 2 "$T_TMP/long" >"$LOG" 2>&1
	eq $? 1 status
}

check_within 300 "a sweep with a point that fails has the status 1" ends 1 "$T_TMP/fails" --local --kinds rlat --sizes 8m,1
check "sweep names the point that fails" says "kind=rlat size=8388608 mode=dma depth=- rep=1: "
check "a point that fails does not end the sweep" have 2 "$T_TMP/fails"

# point SIZE: print the lines of results.txt for the point with this size
point() {
	sed -n "/^# .* size=$1 /,/^# end\$/p" "$T_TMP/fails/results.txt"
}
first=$(point 1)
check "sweep --again ends with status 1 if a point fails once more" \
	ends 1 "$T_TMP/fails" --local --kinds rlat --sizes 8m,1 --again
check "sweep --again keeps the result of a point that did not fail" eq "$(point 1)" "$first"

polls() {
	ends 0 "$T_TMP/polls" --local --poll --kinds bw --sizes 64 || return 1
	grep -q '^config .* poll=1 ' "$T_TMP/polls/results.txt" || why "the client does not poll"
}
check "sweep --poll: the client polls" polls
check "sweep rejects an unknown option" ends 1 "$T_TMP/unknown" --local --options cuont=1
check "sweep names the unknown option" says "cuont=1: unknown option"
check "a point that takes too long fails" too_long
check "sweep reports the point that takes too long" says "FAILED: stopped after 2 s"

# A server that runs already, and the shell of busybox

kr_bg server "server,addr=$ADDR,port=$PORT,clients=0"
check_within 300 "sweep runs under the shell of busybox, with a server that runs already" \
	busybox ash ./scripts/sweep --addr "$ADDR" --port $PORT --kinds slat,sbw --sizes 64 \
	--modes reg --depths 2 --count 20 --repeat 2 "$T_TMP/there"
check "a sweep with a server that runs already has all results" have 4 "$T_TMP/there"
# sends: print how many SENDs each client of slat has posted
sends() {
	awk '/^# kind=/ { slat = / kind=slat / } slat && /^counters / { sub(/.* send_msgs=/, ""); print $1 }' "$T_TMP/there/results.txt"
}
warmed_up() {
	for _n in $(sends); do
		[ "$_n" -ge 120 ] || why "$_n SENDs" || return 1
	done
	[ -n "$(sends)" ] || why "no result of slat"
}
check "a client of slat posts 20 SENDs, and 100 before that to warm up" warmed_up
check "sweep --local fails if its port is in use" ends 1 "$T_TMP/none" --local
check "sweep reports the port in use" says "the server does not start: "
check "sweep --server-cmd fails if the command fails" ends 1 "$T_TMP/none" --server-cmd false
check "sweep reports the failed command of its server" says "the server does not start: false has ended"
check "a sweep without its server measures nothing" not test -e "$T_TMP/none/results.txt"
kr_stop
check "a sweep does not stop a server that it has not started" kr_ended server ECANCELED
check "sweep leaves no temporary directory" eq "$(ls -d "${TMPDIR:-/tmp}"/krping-sweep.* 2>/dev/null)" ""

t_end
