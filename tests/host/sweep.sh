#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: scripts/sweep makes the right tables of recorded results (see
#   tests/sweep/README.md), and rejects wrong arguments. tests/guest/sweep.sh checks how
#   scripts/sweep measures.
# Requires: no guest
# Duration: 5 s

set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/lib.sh
need_commands check mawk gawk busybox perl

# shellcheck source=../lib-host.sh
. tests/lib-host.sh
# shellcheck source=report.inc
. tests/host/report.inc

#
# Tables
#

# made SHELL RUN: check that scripts/sweep --tables, run by SHELL, makes the stored tables from the
# stored results.txt of RUN
made() {
	rm -rf "$tmp/made"
	mkdir "$tmp/made"
	cp "tests/sweep/$2/results.txt" "tests/sweep/$2/environment" "$tmp/made/"
	# shellcheck disable=SC2086 # a shell may be two words
	PATH=$tmp/bin:$PATH $1 scripts/sweep --tables "$tmp/made" || return 1
	diff -u "tests/sweep/$2/results.tsv" "$tmp/made/results.tsv" &&
		diff -u "tests/sweep/$2/results.json" "$tmp/made/results.json"
}

# numbers RUN: check that each row of results.tsv and each entry of results.json has the numbers of its
# result in results.txt
numbers() {
	perl -MJSON::PP -e '
		use strict;
		my ($dir) = @ARGV;
		sub lines { open my $f, "<", "$dir/$_[0]" or die; my @l = <$f>; chomp @l; @l }
		my $json = decode_json(join "\n", lines("results.json"));
		my @rows = lines("results.tsv");
		my @names = split /\t/, shift @rows;
		my %environment = map { /^(.*?)=(.*)/ ? ($1, $2) : () } lines("environment");
		my (@results, %r);
		for (lines("results.txt")) {
			if (/^# end/) {
				push @results, { %r };
				%r = ();
			} elsif (/^(?:# )?(kind|result|time|latency_nsec|throughput)\b(.*)/) {
				my ($group, $rest) = ($1, $1 eq "kind" ? "kind$2" : $2);
				$r{"$group.$1"} = $2 while $rest =~ /(\S+?)=(\S*)/g;
			}
		}
		@rows == @results && @rows > 5 or die "rows: " . @rows . ", results: " . @results;
		@{$json->{results}} == @results or die "JSON has " . @{$json->{results}};
		(my $label = $environment{label}) =~ s/"/\x27/g;
		$json->{environment}{label} eq $label or die "label is $json->{environment}{label}";
		for my $i (0 .. $#rows) {
			my %row;
			@row{@names} = split /\t/, $rows[$i], -1;
			my %r = %{$results[$i]};
			$row{label} eq $environment{label} or die "row $i: label";
			my %from = (
				(map { $_ => "kind.$_" } qw(kind mode size depth rep)),
				(map { $_ => "result.$_" } qw(role device status errno iterations)),
				nsec => "time.nsec",
				(map { $_ => "latency_nsec.$_" } qw(min p50 p90 p99 p99.9 p99.99 max mean stddev of)),
				(map { $_ => "throughput.$_" } qw(bytes_per_sec messages_per_sec)));
			keys(%from) + 1 == @names or die "columns: @names";
			for my $name (keys %from) {
				my $want = $r{$from{$name}} // "-";
				$row{$name} eq $want or die "row $i: $name is $row{$name}, and was $want";
				my ($group, $key) = split /\./, $from{$name}, 2;
				$group = "point" if $group eq "kind";
				my $in = $json->{results}[$i]{$group}{$key} // "-";
				$in eq $want or die "JSON $i: $name is $in, and was $want";
			}
		}' "tests/sweep/$1"
}

mkdir "$tmp/bin"
for awk in mawk gawk "gawk --posix" "busybox awk"; do
	printf '#!/bin/sh\nexec %s "$@"\n' "$awk" >"$tmp/bin/awk"
	chmod +x "$tmp/bin/awk"
	for run in first second; do
		check "sweep --tables with $awk makes the tables of the $run run" made sh $run
	done
done
check "sweep --tables with busybox sh makes the tables of the second run" made "busybox sh" second
rm "$tmp/bin/awk"
for run in first second; do
	check "sweep --tables: the tables of the $run run have the numbers of its results" numbers $run
done

# odd_label: check a label with characters that printf, awk and JSON interpret
odd_label() {
	cp tests/sweep/first/results.txt "$tmp/made/"
	printf 'label=\\t\\"&'\''%%s\n' >"$tmp/made/environment"
	scripts/sweep --tables "$tmp/made" || return 1
	[ "$(sed -n 2p "$tmp/made/results.tsv" | cut -f 1)" = "\\t\\\"&'%s" ]
}
check "sweep --tables: a label with quotes, backslashes and %s stays the same" odd_label

# inode FILE: print the inode number of a file that sweep has made
inode() {
	stat -c %i "$tmp/made/$1"
}

# replaced: check that sweep replaces its files and does not write into them: a new file has another inode
replaced() {
	made sh second || return 1
	old="$(inode results.tsv) $(inode results.json)"
	# a link keeps the number of the old file from being used again
	ln "$tmp/made/results.tsv" "$tmp/made/results.json" "$tmp/"
	scripts/sweep --tables "$tmp/made" || return 1
	for name in results.tsv results.json; do
		case " $old " in
		*" $(inode "$name") "*) why "$name is written in place" || return 1 ;;
		esac
	done
	[ ! -e "$tmp/made/results.tsv.tmp" ] || why "results.tsv.tmp is left"
}

# disk_full: check that a table stays as it was if the disk is full. Writing to /dev/full fails as on such a
# disk.
disk_full() {
	made sh second || return 1
	echo old >"$tmp/made/results.tsv"
	ln -s /dev/full "$tmp/made/results.tsv.tmp"
	fails_with "cannot write to $tmp/made/results.tsv" scripts/sweep --tables "$tmp/made" || return 1
	eq "$(cat "$tmp/made/results.tsv")" old "the table"
}
check "sweep replaces its files atomically" replaced
check "sweep leaves the old table if the disk is full" disk_full

# remaining DONE LEFT: print the time of LEFT tests if the DONE tests have taken 100 s
remaining() (
	# shellcheck source=../../scripts/krping.d/sweep-progress.sh
	. scripts/krping.d/sweep-progress.sh
	date() { echo 1100; }
	# shellcheck disable=SC2034,SC2030 # for time_left
	began=1000
	time_left "$1" "$2"
)
times_left() {
	eq "$(remaining 4 3)" "75 s left" && eq "$(remaining 10 9)" "90 s left" && eq "$(remaining 1 2)" "3 min left" &&
		eq "$(remaining 2 119)" "99 min left" && eq "$(remaining 1 100)" "2 h 46 min left" && eq "$(remaining 4 0)" "done"
}
check "sweep estimates the time left from the tests that are done" times_left

# shown LINE KIND SIZE MODE DEPTH REP: check that bench-suite prints LINE for a test whose result is in $tmp/result, and
# that LINE fits into a terminal of 80 columns
shown() (
	lib=scripts/krping.d prog=bench-suite repeat=5 warmup=100
	# shellcheck source=../../scripts/krping.d/sweep-progress.sh
	. "$lib/sweep-progress.sh"
	want=$1
	shift
	{
		begin_line "100/210 $(title "$@")"
		end_line "$(headline); 99 min left"
	} 2>"$tmp/line"
	eq "$(cat "$tmp/line")" "$want" && [ ${#want} -le 80 ]
)
lines_fit() {
	echo "latency_nsec min=1 p50=1234567 p99=12345678" >"$tmp/result"
	shown "bench-suite: 100/210 slat 64k dma rep=5: p50 1235, p99 12346 usec; 99 min left" slat 65536 dma - 5 || return 1
	echo "throughput bytes_per_sec=1413000 messages_per_sec=22078" >"$tmp/result"
	shown "bench-suite: 100/210 sbw 100 reg depth=1024 rep=5: 0.011304 Gbit/s; 99 min left" sbw 100 reg 1024 5 &&
		shown "bench-suite: 100/210 bw 4m dma depth=64 rep=5: 0.011304 Gbit/s; 99 min left" bw 4194304 dma 64 5
}
check "sweep prints a line of at most 80 columns for a test" lines_fit

# remedy WARMUP [COMMAND]: print the remark on a test without a figure after a warm-up of WARMUP iterations, of sweep or of the
# COMMAND that runs sweep
remedy() (
	lib=scripts/krping.d out=$tmp prog=sweep warmup=$1
	[ $# = 1 ] || KRPING_COMMAND=$2 prog=$2
	# shellcheck source=../../scripts/krping.d/sweep-tables.sh
	. "$lib/sweep-tables.sh"
	printf '%s\n' "# kind=wlat" "result id=1 status=ok errno=0" "# end" >"$tmp/results.txt"
	nothing_measured 2>&1
)
remedies() {
	begin="1 of them measured nothing: give a longer --duration"
	eq "$(remedy 100)" "sweep: $begin, or a smaller warm-up than 100, such as --warmup 10, and another directory" &&
		eq "$(remedy 10 bench-suite)" "bench-suite: $begin, or a smaller warm-up than 10, such as -- --warmup 1, and another directory" &&
		eq "$(remedy 9)" "sweep: $begin, or a smaller warm-up than 9, such as --warmup 0, and another directory" &&
		eq "$(remedy 0)" "sweep: $begin, and another directory"
}
check "sweep suggests a smaller warm-up than the given one if nothing was measured" remedies

#
# Arguments
#

check "sweep without ADDR is rejected" fails_with "ADDR and OUTDIR are needed" scripts/sweep "$tmp/out"
check "sweep without an OUTDIR is rejected" fails_with "OUTDIR is missing" scripts/sweep --addr ::1
for wrong in "--kinds wlat,lat" "--kinds wlat,wlat" "--sizes 1,,2" "--sizes 0" "--sizes 4q" \
	"--modes fast" "--depths 0" "--count x" "--duration 0" "--warmup -1" "--repeat 0" \
	"--port 0" "--device a;b" "--options a;b" "--server-options poll" "--limit 2" "--bogus 1"; do
	# shellcheck disable=SC2086 # two words
	check "sweep $wrong is rejected" fails_with "${wrong%% *}" \
		scripts/sweep --addr ::1 $wrong "$tmp/out"
done
check "sweep explains that --duration takes whole seconds" fails_with "takes whole seconds, as the module's option duration does, not '1.5'" \
	scripts/sweep --addr ::1 --duration 1.5 "$tmp/out"
for wrong in rxe0 rxe0= rxe0=x rxe0=::1,rxe0=::2 ../x=::1 'rxe0=::1,'; do
	check "sweep --devices $wrong is rejected" fails_with "--devices takes" scripts/sweep --devices "$wrong" "$tmp/out"
done
for wrong in "--addr ::1" "--device rxe0" --tables; do
	# shellcheck disable=SC2086 # two words
	check "sweep --devices with ${wrong%% *} is rejected" fails_with "--devices excludes" \
		scripts/sweep --devices rxe0=::1 $wrong "$tmp/out"
done
for option in inline cqmod=1; do
	check "sweep --$option is rejected, and --options $option is named" \
		fails_with "${option%=*} is an option of the tests: give --options $option" scripts/sweep ::1 "$tmp/out" --$option
done
# rejects WORD REASON: check that sweep rejects WORD behind its directory for REASON
rejects() {
	check "sweep with the word $1: $2" fails_with "$2" scripts/sweep ::1 "$tmp/out" "$1"
}
rejects sizes=64 "give --sizes 64, not sizes=64"
rejects --sizes=0 "--sizes takes sizes, separated by commas, each once, not '0'"
rejects inline=1 "inline is an option of the tests: give --options inline=1"
check "sweep with the words ::1, a=b, and a third one names the third one" \
	fails_with "give one ADDR and one OUTDIR, and not also '$tmp/out'" scripts/sweep ::1 a=b "$tmp/out"
check "a rejected sweep creates no directory" test ! -e "$tmp/out"
for script in sweep sweep-demo; do
	check "$script --help" eval "scripts/$script --help | grep -q '^Usage: scripts/$script '"
done

t_end
