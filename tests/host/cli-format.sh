#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping prints recorded results and lists of tests as tables, histograms, CSV and JSON, and
#   errors in words. Documentation/results.md describes each value of the JSON.
# Requires: no guest; mawk, gawk, busybox, perl
# Duration: 7 s

set -u
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=shells.inc
. tests/host/shells.inc
need_commands check perl

lib=scripts/krping.d

# shows FILE FORM [OPTION]: check that krping show FILE OPTION prints the content of tests/cli/NAME.FORM.txt,
# where NAME is the name of FILE
shows() {
	file=$1 form=$2
	shift 2
	name=${file##*/}
	$shell scripts/krping show "$file" "$@" >"$tmp/out" 2>"$tmp/err" || return 1
	diff -a -u "tests/cli/${name%.txt}.$form.txt" "$tmp/out" && eq "$(cat "$tmp/err")" ""
}

# The functions below without a comment are checks; each_check has their descriptions.

raw() {
	$shell scripts/krping show --raw <tests/awkit/results.txt >"$tmp/out"
	cmp "$tmp/out" tests/awkit/results.txt
}

# one_direction: check the heading of the figures of a test with duplex, of which the result may lack one side
one_direction() {
	for _duplex in 0 1; do
		printf '%s\n' "result test=bw role=client status=stopped size=64 mem_mode=dma" "config duplex=$_duplex" \
			"throughput bytes_per_sec=1000 messages_per_sec=1" | $shell scripts/krping show | grep '^throughput'
	done >"$tmp/out"
	eq "$(cat "$tmp/out")" "throughput
throughput of each direction"
}

# suite: check that show prints the medians of a directory, and counts the results without a figure
suite() {
	mkdir -p "$tmp/suite"
	for n in 9000 3000 4000; do
		printf '%s\n' "# kind=wlat size=64 mode=dma depth=-" "result test=wlat status=ok size=64 mem_mode=dma" "latency_nsec p50=$n p99=${n}0" \
			"# kind=bw size=64 mode=dma depth=16" "result test=bw status=ok size=64 mem_mode=dma" "config txdepth=16" \
			"throughput bytes_per_sec=${n}00000 messages_per_sec=$n"
	done >"$tmp/suite/results.txt"
	printf '%s\n' "# kind=bw size=64 mode=dma depth=16" "result test=bw status=error size=64 mem_mode=dma" \
		"# kind=fr size=64 mode=reg depth=4" "result test=fr status=ok size=64 mem_mode=reg" "config txdepth=4" \
		"throughput cycles_per_sec=77" "# kind=rlat size=8 mode=reg depth=-" "result test=rlat status=ok size=8 mem_mode=reg" \
		>>"$tmp/suite/results.txt"
	cat >"$tmp/want" <<-END
		test  size  mode  depth  p50 [usec]  p99 [usec]  Gbit/s  per second    +-  n
		wlat    64  dma       -       4.000       40.00       -           -  125%  3
		bw      64  dma      16           -           -   3.200        4000  125%  3
		fr      64  reg       4           -           -       -          77     -  1
		rlat     8  reg       -           -           -       -           -     -  0
		medians of n repetitions; +-: largest distance of p50 or throughput from the median
		1 result has failed
		1 result has measured nothing
		krping show $tmp/suite/results.txt prints each result
	END
	$shell scripts/krping show "$tmp/suite" | diff -u "$tmp/want" - &&
		$shell scripts/krping show --raw "$tmp/suite" | cmp - "$tmp/suite/results.txt" &&
		$shell scripts/krping show "$tmp/suite/results.txt" | grep -q "^wlat, , 64 bytes"
}

# warm_up: check that the line of a client names its warm-up
warm_up() {
	printf '%s\n' 'result test=bw role=client status=ok size=64 iterations=90' 'time nsec=2000000000' 'config warmup=7' >"$tmp/warm"
	$shell scripts/krping show "$tmp/warm" | grep -qx "90 iterations in 2.000 s, 45 per second, after a warm-up of 7" &&
		sed 's/client/server/; s/warmup=7/warmup=0/' "$tmp/warm" | $shell scripts/krping show >"$tmp/out" && ! grep "after" "$tmp/out"
}

hist() {
	$shell scripts/krping hist tests/awkit/results.txt | diff -u tests/cli/results.hist.txt -
}

# hist_extremes: check that hist prints the start of the test, and counts latencies of 0 ns, and more than 2^32 iterations in one range
hist_extremes() {
	printf '%s\n' 'result id=1 test=wlat' 'when start=2026-11-24T20:00:00Z kernel=6.1' 'histogram_nsec 0=1000 1000=5000000000 4000000=3' |
		awk -f "$lib/hist.awk" >"$tmp/out"
	{
		[ "$(head -n 1 "$tmp/out")" = "id=1, test=wlat, start=2026-11-24T20:00:00Z" ] &&
			grep -q '^ *0.001  *1000 ' "$tmp/out" && grep -q ' 5000000000 ' "$tmp/out" && grep -q ' 3  *100.000%' "$tmp/out"
	} || why "$(cat "$tmp/out")"
}

# hist_of_many: check that hist draws 40 ranges with many iterations in at most 20 lines with exact edges and shares,
# that --all draws each, and that few ranges are not merged
hist_of_many() {
	for _n in 20 21 40 41 120; do
		awk -v n="$_n" 'BEGIN {
			print "result id=1 test=wlat"
			printf "histogram_nsec"
			for (i = 0; i < n; i++) {
				low = 1024
				for (k = int(i / 4); k > 0; k--)
					low *= 2
				printf " %.0f=100", low + low * (i % 4) / 4
			}
			print ""
		}' >"$tmp/many"
		$shell scripts/krping hist "$tmp/many" >"$tmp/out" && $shell scripts/krping hist --all "$tmp/many" >"$tmp/all" &&
			eq "$(sed 1,2d "$tmp/all" | grep -c '^ *[0-9.]* *100 ')" "$_n" "lines of $_n with --all" || return 1
		_lines=$(sed 1,2d "$tmp/out" | grep -c .)
		case $_n in
		20) eq "$_lines" 20 "lines of 20" && cmp "$tmp/out" "$tmp/all" ;;
		21) eq "$_lines" 11 "lines of 21" ;;
		40) eq "$_lines" 20 "lines of 40" ;;
		41) eq "$_lines" 11 "lines of 41" ;;
		120) eq "$_lines" 15 "lines of 120" ;;
		esac || return 1
		# each line of the merged ranges that does not begin between two ranges has the edge of one of --all, and the share
		# at its end is that of the last of these
		sed 1,2d "$tmp/out" | awk '{ print $3 }' >"$tmp/shares"
		sed 1,2d "$tmp/all" | awk '{ print $3 }' | grep -vxFf - "$tmp/shares" && why "shares of $_n that --all lacks" && return 1
		sed 1,2d "$tmp/all" | awk '{ print $1 }' >"$tmp/edges"
		sed 1,2d "$tmp/out" | awk '{ print $1 }' | grep -vxFf "$tmp/edges" && why "edges of $_n that --all lacks" && return 1
	done
	grep -q 'ranges logarithmic (8 in one; --all draws each), bars linear$' "$tmp/out" || why "$(cat "$tmp/out")"
}

# hist_tail: check that only --all draws each range of a long tail
hist_tail() {
	$shell scripts/krping hist --all tests/awkit/results.txt >"$tmp/out" || return 1
	eq "$(grep -c . "$tmp/out")" 13 "lines with --all" && ! grep 'ranges$' "$tmp/out"
}

hist_of_nothing() {
	$shell scripts/krping hist tests/cli/newer.txt >"$tmp/out" 2>&1
	eq $? 13 status && grep -q 'option histogram' "$tmp/out"
}

# from_json: check that show and hist print results in JSON as they print the same results of --raw
from_json() {
	$shell scripts/krping show --json tests/awkit/results.txt >"$tmp/json" || return 1
	$shell scripts/krping hist "$tmp/json" | diff -u tests/cli/results.hist.txt - &&
		$shell scripts/krping show "$tmp/json" | diff -u tests/cli/results.table.txt - &&
		$shell scripts/krping show --json <"$tmp/json" >"$tmp/again" && cmp "$tmp/json" "$tmp/again"
}

# not_from_csv: check that show and hist name the forms that they read
not_from_csv() {
	for _c in show hist; do
		$shell scripts/krping "$_c" tests/cli/results.csv.txt >"$tmp/out" 2>&1
		eq $? 2 status || return 1
		grep -q 'no result of krping with --raw or --json' "$tmp/out" || why "$(cat "$tmp/out")" || return 1
	done
}

# hist_of_head: check that hist reports no error if its reader ends before all lines are read. The reader's end
# sends SIGPIPE, which some shells ignore; then awk cannot write.
hist_of_head() {
	yes tests/awkit/results.txt | head -n 80 | xargs cat >"$tmp/long"
	$shell scripts/krping hist "$tmp/long" 2>"$tmp/err" | :
	! grep 'has no histogram' "$tmp/err"
}

# json_of_head: check that show --json prints no error if its reader ends before the document is printed
json_of_head() {
	$shell scripts/krping show --json tests/awkit/results.txt 2>"$tmp/err" | :
	eq "$(cat "$tmp/err")" "" "standard error"
}

# long_data: check that JSON of the longest data of a get takes less than 10 s, also in busybox's awk, in which
# reading a string byte by byte takes quadratic time
long_data() {
	awk 'BEGIN {
		for (s = "00"; length(s) < 131072; s = s s)
			;
		print "result id=1 test=session role=client status=ok errno=0"
		print "data offset=0 hex=" s
	}' >"$tmp/long"
	timeout 10 awk -f awkit/json "$tmp/long" >"$tmp/out"
	eq $? 0 status && eq "$(wc -c <"$tmp/out" | tr -d ' ')" 131178 bytes
}

# list_table ARGUMENT...: let list.awk print the output of the command list
list_table() {
	awk -f "$lib/value.awk" -f "$lib/results.awk" -f "$lib/list.awk" "$@"
}

list() {
	list_table tests/cli/list.txt | diff -u tests/cli/list.table.txt - &&
		list_table -v csv=yes tests/cli/list.txt | diff -u tests/cli/list.csv.txt - &&
		list_table -v lines=yes tests/cli/list.txt >"$tmp/lines" &&
		eq "$(sed 's/ role=.*//' "$tmp/lines")" "id=2
id=13 test=bw
id=3 test=wlat
id=20 test=disk" "tests of the lines" &&
		eq "$(sed 's/.* role=//' "$tmp/lines")" "$(sed 's/.* role=//' tests/cli/list.txt)" "the rest of the lines" &&
		list_table tests/cli/list-before.txt >"$tmp/out" && ! grep disk "$tmp/out" &&
		eq "$(list_table /dev/null)" "no test is running"
}

# errors: check that krping replaces errnos, and the number of a test, in a message by words
errors() {
	printf '%s\n' "cannot bind to ::1:9999 (-98)" "cannot do this (-250)" "the server runs another test (limit 3)" \
		"the server runs another test (limit 8)" "the server does not take this size (limit 64)" \
		"connection refused: invalid service ID (8); is a server listening there?" \
		"connecting failed (-111); is a server listening there?" "connecting failed (-104); is a server listening there?" |
		awk -v errnos="$lib/errnos" -f "$lib/errno.awk" -f "$lib/errno-line.awk" >"$tmp/out"
	cat >"$tmp/want" <<-'END'
		cannot bind to ::1:9999: the address is in use (EADDRINUSE)
		cannot do this: errno 250
		the server runs another test: slat
		the server runs another test: session
		the server does not take this size (limit 64)
		no server listens there
		no server listens there
		connecting failed (-104); is a server listening there?
	END
	diff -u "$tmp/want" "$tmp/out"
}

# narrow: check that the table of latencies up to 9999 s, with a peer, has at most 80 columns, and four digits of
# each latency
narrow() {
	printf '%s\n' 'result id=1 test=wlat role=client status=ok' \
		'latency_nsec min=1234 p50=12345 p90=123456 p99=999949 p99.9=999950 p99.99=12345678 max=999949999 mean=99994 stddev=0' \
		'peer_latency_nsec min=1 p50=9999 p90=10000 p99=99999 p99.9=100000 p99.99=1000000 max=1000001 mean=1000499 stddev=1000501' \
		>"$tmp/wide"
	$shell scripts/krping show "$tmp/wide" >"$tmp/out" || return 1
	! grep '.\{81\}' "$tmp/out" && eq "$(tail -n 2 "$tmp/out" | tr -s ' ')" "\
 client 1.234 12.35 123.5 999.9 1000 12346 999950 99.99 0.000
 peer 0.001 9.999 10.00 100.0 100.0 1000 1000 1000 1001" latencies
}

# peer_mode: check that the first line of a result names the memory mode of the peer if it has another one
peer_mode() {
	for _peer in "dma" "reg (peer: reg)"; do
		printf '%s\n' 'result id=1 test=wlat role=client status=ok size=8 mem_mode=dma' "peer_config mem_mode=${_peer%% *}" >"$tmp/modes"
		$shell scripts/krping show "$tmp/modes" >"$tmp/out" || return 1
		case $_peer in
		*' '*) eq "$(head -n 1 "$tmp/out")" "wlat, client, 8 bytes, mem_mode=dma ${_peer#* }" ;;
		*) eq "$(head -n 1 "$tmp/out")" "wlat, client, 8 bytes, mem_mode=dma" ;;
		esac || return 1
	done
}

# memory_text: let memory.awk print the result of an operation on remote memory, which is the input
memory_text() {
	awk -f "$lib/value.awk" -f "$lib/memory.awk"
}

memory() {
	printf '%s\n' 'result id=2 status=ok errno=0' 'completion wc_status="success" offset=7 len=1 kept=0' |
		memory_text >"$tmp/out"
	eq "$(cat "$tmp/out")" "wrote 1 byte at offset 7" put || return 1
	printf '%s\n' 'result id=2 status=ok errno=0' 'completion wc_status="success"' | memory_text >"$tmp/out"
	eq "$(cat "$tmp/out")" "completion: success" send || return 1
	printf '%s\n' 'completion wc_status="success"' 'data offset=0 len=1 hex=41 text="A"' | memory_text >"$tmp/out"
	eq "$(tr -s ' ' <"$tmp/out")" " 0 41 A" get || return 1
	printf '%s\n' 'result id=2 status=ok errno=0' 'completion wc_status="success" vendor_err=0x0 qp_state=RTS' \
		'data offset=16 len=18 hex=000102030405060708090a0b0c0d0e0f6869 text="................hi"' |
		memory_text >"$tmp/out"
	cat >"$tmp/want" <<-'END'
		completion: success, QP state RTS
		        16  00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f  ................
		        32  68 69                                            hi
	END
	diff -u "$tmp/want" "$tmp/out"
}

cases() {
	printf '%s\n' 'result id=2 status=failed errno=52' \
		'case name=one source="IBTA C9-222.1.1" verdict=ok expect="a b" requester="a b"' \
		'case name=two source="x" verdict=deviates differs=event:bytes expect="error" requester="success" responder="none" event="none"' \
		'case name=three source="x" verdict=failed error=110' 'case name=four source="x" verdict=failed error=250' \
		'conform ok=1 deviates=1' |
		awk -v errnos="$lib/errnos" -f "$lib/errno.awk" -f "$lib/value.awk" -f "$lib/conform.awk" >"$tmp/out"
	cat >"$tmp/want" <<-'END'
		ok           one (IBTA C9-222.1.1)
		deviates     two: wrong event and bytes: expected error; got requester success, responder none, event none (x)
		failed       three: timed out (ETIMEDOUT) (x)
		failed       four: errno 250 (x)
		ok=1 deviates=1
	END
	diff -u "$tmp/want" "$tmp/out"
}

# described FILE: check that results.md describes each value of the JSON document FILE with the right type
described() {
	perl -MJSON::PP -MB -e '
		use strict;
		open my $doc, "<", "Documentation/results.md" or die;
		my (%type, $on);
		while (<$doc>) {
			$on = 1 if /^<!-- json: begin/;
			$on = 0 if /^<!-- json: end/;
			$type{$1} = $2 if $on && /^\| `(\S+)` \| (\w+) /;
		}
		%type > 8 or die "no description";
		open my $f, "<", $ARGV[0] or die;
		my $json = decode_json(do { local $/; <$f> });
		my %seen;
		sub walk {
			my ($path, $v) = @_;
			my $is = ref $v eq "HASH" ? "object" : ref $v eq "ARRAY" ? "array" :
				B::svref_2object(\$v)->FLAGS & (B::SVf_IOK | B::SVf_NOK) ? "number" : "string";
			my @want = grep { (my $re = quotemeta) =~ s/\\\*/[^.\\[]+/g; $path =~ /^$re$/ } sort { $b =~ tr/*// <=> $a =~ tr/*// } keys %type;
			if ($path ne "") {
				@want or die "$path is not described";
				my $want = $type{$want[-1]};
				$want eq $is or $want eq "any" and $is =~ /number|string/ or die "$path is $is, and described as $want";
				$seen{$want[-1]}++;
			}
			if ($is eq "object") {
				for my $k (keys %$v) {
					# a key such as p99.9
					(my $name = $k) =~ tr/./_/;
					walk($path eq "" ? $name : "$path.$name", $v->{$k});
				}
			}
			if ($is eq "array") { walk("$path\[]", $_) for @$v }
		}
		walk("", $json);
		$json->{schema} == 1 or die "schema";
		$seen{schema} or die "no schema";' "$1"
}

document() {
	$shell scripts/krping show --json "$1" >"$tmp/doc.json" && described "$tmp/doc.json"
}

# run_document: check that the JSON document of a run has the run's command and intervals
run_document() {
	printf 'result begin=0.00 end=1.00 iterations=10 per_sec=10 bytes_per_sec=40\n' >"$tmp/intervals"
	# shellcheck disable=SC2086
	$shell -c "tmp=$tmp; lib=scripts/krping.d; . $tmp/run.sh" >"$tmp/doc.json" || return 1
	described "$tmp/doc.json" && grep -q '"command":"client,addr=::1,data=.x\\\\n","intervals":\[{"begin":0.00,' "$tmp/doc.json"
}
cat >"$tmp/run.sh" <<-'END'
	bin=scripts json=yes csv='' raw=''
	keep=$tmp
	. scripts/krping.d/common.sh
	. scripts/krping.d/output.sh
	tmp=$keep
	print_result tests/cli/newer.txt 'client,addr=::1,data="x\n'
END

# cases_document: check the JSON document of a conformance run
cases_document() {
	printf '%s\n' 'result id=2 status=failed errno=52' 'case name=one source="IBTA C9-88" verdict=ok' \
		'case name=two source="x" verdict=failed error=110' 'conform ok=1 failed=1' >"$tmp/cases.txt"
	document "$tmp/cases.txt" && grep -q '"cases":\[' "$tmp/doc.json"
}

list_document() {
	sed "s/print_result.*/json_lines tests <tests\/cli\/list.txt/" "$tmp/run.sh" >"$tmp/list.sh"
	# shellcheck disable=SC2086
	$shell -c "tmp=$tmp; lib=scripts/krping.d; . $tmp/list.sh" >"$tmp/doc.json" || return 1
	described "$tmp/doc.json" && grep -q '"tests":\[{"id":2,' "$tmp/doc.json"
}

# each_check: make all checks under the shell and the awk that $under names
each_check() {
	check "show prints that the throughput of a test with duplex is that of each direction: $under" one_direction
	for file in tests/awkit/results.txt tests/cli/newer.txt; do
		check "show ${file##*/}: $under" shows "$file" table
		check "show --csv ${file##*/}: $under" shows "$file" csv --csv
		check "show --json ${file##*/}: $under" shows "$file" json --json
		check "show --json ${file##*/} is as described: $under" document "$file"
	done
	check "show --json of a sweep's results is as described: $under" document tests/sweep/first/results.txt
	check "the JSON of a run, with intervals, is as described: $under" run_document
	check "the JSON of list is as described: $under" list_document
	check "the JSON of a conformance run is as described: $under" cases_document
	check "show --raw prints what it reads: $under" raw
	check "the time of a client is that after the warm-up, and says so: $under" warm_up
	check "show prints medians for the directory of a sweep: $under" suite
	check "hist draws the recorded histogram: $under" hist
	check "hist counts 0 ns, and more than 2^32 iterations: $under" hist_extremes
	check "hist merges ranges into at most 20 lines, except with --all: $under" hist_of_many
	check "hist --all draws each range of a tail: $under" hist_tail
	check "hist of a result without histogram gives status 13: $under" hist_of_nothing
	check "show and hist read JSON: $under" from_json
	check "show and hist of CSV name the forms that they read: $under" not_from_csv
	check "hist | head is no error: $under" hist_of_head
	check "show --json prints no error if its reader ends: $under" json_of_head
	check "JSON of 64 KiB of data takes less than 10 s: $under" long_data
	check "list prints the same tests as a table, as CSV and as lines for JSON, or that no test is running: $under" list
	check "errnos and numbers of tests in an error become words: $under" errors
	check "a table of latencies has at most 80 columns, and four digits of each latency: $under" narrow
	check "a result names the memory mode of the peer if it is another one: $under" peer_mode
	check "remote memory is printed as a hex dump: $under" memory
	check "the cases of a conformance run are printed in words: $under" cases
}

PATH=$tmp/awk:$PATH
each_shell each_check

t_end
