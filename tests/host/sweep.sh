#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: scripts/sweep, scripts/plot and scripts/report on recorded results (see
#   tests/sweep/README.md). tests/guest/sweep.sh checks how such results are measured.
# Requires: no guest; gnuplot
# Duration: 10 s

set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/lib.sh
need_commands check mawk gawk busybox perl
need_commands plot gnuplot

# shellcheck source=../lib-host.sh
. tests/lib-host.sh

# fails_with TEXT COMMAND...: the command fails and prints TEXT
fails_with() {
	text=$1
	shift
	if "$@" >"$tmp/said" 2>&1; then
		echo "success"
		return 1
	fi
	grep -qF -- "$text" "$tmp/said" || {
		cat "$tmp/said"
		return 1
	}
}

#
# Tables
#

# made SHELL RUN: the tables follow from results.txt and environment alone
made() {
	rm -rf "$tmp/made"
	mkdir "$tmp/made"
	cp "tests/sweep/$2/results.txt" "tests/sweep/$2/environment" "$tmp/made/"
	# shellcheck disable=SC2086 # a shell may be two words
	PATH=$tmp/bin:$PATH $1 scripts/sweep --tables "$tmp/made" || return 1
	diff -u "tests/sweep/$2/results.tsv" "$tmp/made/results.tsv" &&
		diff -u "tests/sweep/$2/results.json" "$tmp/made/results.json"
}

# numbers RUN: each row of the table and of the JSON has the numbers of its result
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
		check "tables of $run: $awk" made sh $run
	done
done
check "tables of second: busybox sh" made "busybox sh" second
rm "$tmp/bin/awk"
for run in first second; do
	check "the numbers of $run are those of its results" numbers $run
done

# a label that looks like something else to a program
odd_label() {
	cp tests/sweep/first/results.txt "$tmp/made/"
	printf 'label=\\t\\"&'\''%%s\n' >"$tmp/made/environment"
	scripts/sweep --tables "$tmp/made" || return 1
	[ "$(sed -n 2p "$tmp/made/results.tsv" | cut -f 1)" = "\\t\\\"&'%s" ]
}
check "a strange label" odd_label

#
# Pictures
#

# well_formed FILE: every tag is closed, every attribute is quoted and unique, every entity is
# one of five, and every id is unique
well_formed() {
	perl -0777 -ne '
		my (@open, %id);
		s/^\s*(<\?xml[^>]*\?>)?\s*(<!DOCTYPE[^>]*>)?//;
		while (/\G(?:([^<]+)|<!--.*?-->|<(\/?)([A-Za-z][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|\x27[^\x27<]*\x27))*)\s*(\/?)>)/gcs) {
			my ($text, $end, $name, $attributes, $empty) = ($1, $2, $3, $4, $5);
			($text // $attributes // "") =~ /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-f]+);)/i
				and die "bare & near: " . substr($text // $attributes, 0, 60);
			next unless defined $name;
			if ($end) {
				my $last = pop @open // "nothing";
				$last eq $name or die "</$name> closes <$last>";
				next;
			}
			my %seen;
			while ($attributes =~ /([\w:.-]+)\s*=\s*(["\x27])(.*?)\2/gs) {
				$seen{$1}++ and die "<$name> has $1 twice";
				$1 eq "id" && $id{$3}++ and die "id $3 comes twice";
			}
			push @open, $name unless $empty;
		}
		(pos // 0) == length or die "not understood: " . substr($_, pos // 0, 80);
		die "not closed: @open" if @open;
		die "empty" unless length;' "$1" || return 1
	! command -v xmllint >/dev/null || xmllint --noout "$1"
}

svg() {
	well_formed "$1" && grep -q '<svg' "$1" && grep -qF "<title>$2" "$1" &&
		! grep -q "$tmp" "$1"
}

png() {
	[ "$(head -c 8 "$1" | od -An -tx1 | tr -d ' ')" = 89504e470d0a1a0a ] &&
		[ "$(wc -c <"$1")" -gt 5000 ]
}

# draws NAMES RUN...: plot makes these pictures and no others
draws() {
	names=$1
	shift
	rm -rf "$tmp/pictures"
	scripts/plot -o "$tmp/pictures" "$@" >"$tmp/names" 2>"$tmp/said" || {
		cat "$tmp/said"
		return 1
	}
	grep -i warning "$tmp/said"
	[ "$(cut -f 1 "$tmp/names" | tr '\n' ' ')" = "$names " ] || {
		cat "$tmp/names"
		return 1
	}
	for name in $names; do
		echo "$name"
		svg "$tmp/pictures/$name.svg" "$(sed -n "s/^$name	//p" "$tmp/names")" || return 1
		png "$tmp/pictures/$name.png" || return 1
	done
	[ "$(find "$tmp/pictures" -type f | wc -l)" = $(($(printf '%s\n' "$names" | wc -w) * 2)) ]
}

first=tests/sweep/first
second=tests/sweep/second
check "pictures of one run" draws "latency histogram throughput message-rate" $first
check "pictures of another" draws "latency histogram throughput message-rate" $second
check "pictures of both: those with too many curves are divided" draws \
	"latency-dma latency-reg histogram throughput message-rate" $first $second
check "three runs" draws \
	"latency-dma latency-reg histogram throughput-dma throughput-reg message-rate-dma message-rate-reg" \
	$first $second $first
check "labels are in the picture" grep -qF "<text>a \"first\" &lt;&amp;> it's_1, dma, txdepth 16</text>" \
	"$tmp/pictures/throughput-dma.svg"

# the SVG has a circle or the like for each point: as many as there are medians
points() {
	draws "latency histogram throughput message-rate" "$second" || return 1
	# bw, dma and reg, depth 1 and 16, two sizes; and the four keys
	n=$(grep -c "<use xlink:href='#gpPt[0-9]*' transform='translate" "$tmp/pictures/throughput.svg")
	[ "$n" = $((2 * 2 * 2 + 4)) ] || {
		echo "$n points"
		return 1
	}
}
check "every median is a point" points

check "another size for the histogram" scripts/plot --size 4096 -o "$tmp/pictures" $second
check "its title says so" grep -q 'Histogram of latencies, 4096 bytes' "$tmp/pictures/histogram.svg"

#
# The page
#

page() {
	well_formed "$1" || return 1
	# no external resource and no script
	if grep -nE '(src|href)=.?[^#"'\'' ]*//|@import|url\([^#]|<script|<link' "$1"; then
		return 1
	fi
	[ "$(wc -c <"$1")" -lt 1500000 ]
}

check "a page of one run" scripts/report -o "$tmp/first.html" $first
check "it is well-formed and whole" page "$tmp/first.html"
check "a page of both" scripts/report -o "$tmp/both.html" --title 'a <b> & "c"' $first $second
check "it is well-formed and whole, too" page "$tmp/both.html"
check "its title is as it was given" grep -qF '<h1>a &lt;b&gt; &amp; &quot;c&quot;</h1>' "$tmp/both.html"
check "it has four pictures and one more" test "$(grep -c "<figure>" "$tmp/both.html")" = 5
check "it has the label" grep -qF '<td class="words">a &quot;first&quot; &lt;&amp;&gt; it' "$tmp/both.html"
check "it has the command" grep -qF '<pre>scripts/sweep --addr 10.0.0.1 ' "$tmp/both.html"

failed_points() {
	wanted=$(grep -c '^result .* status=failed ' "$first"/results.txt)
	[ "$wanted" -gt 0 ] && [ "$(grep -c '^<li>.*: errno 22, size=8388608: ' "$tmp/first.html")" = "$wanted" ]
}
check "it says what failed" failed_points

# every result in a row of its own, with microseconds of three digits
rows() {
	awk -F '\t' 'NR > 1 && $14 != "-" { printf "<td>%d.%03d</td>\n", int($14 / 1000), $14 % 1000 }' \
		"$second"/results.tsv >"$tmp/wanted"
	while read -r cell; do
		grep -qF "$cell" "$tmp/both.html" || {
			echo "$cell is missing"
			return 1
		}
	done <"$tmp/wanted"
	ok=$(cat "$first"/results.tsv "$second"/results.tsv | awk -F '\t' '$9 == "ok"' | wc -l)
	[ "$(grep -c '^<tr><td' "$tmp/both.html")" = "$ok" ]
}
check "every result is in a table" rows

#
# Missing programs, results and arguments
#

mkdir "$tmp/busybox"
for name in $(busybox --list); do
	ln -s "$(command -v busybox)" "$tmp/busybox/$name"
done
check "plot without gnuplot says how to get it" fails_with "scripts/deps plot" \
	env PATH="$tmp/busybox" "$(command -v sh)" scripts/plot -o "$tmp/none" $second
check "report without gnuplot makes a page without pictures" \
	env PATH="$tmp/busybox" "$(command -v sh)" scripts/report -o "$tmp/none.html" $second
check "which is a page" page "$tmp/none.html"
check "plot without results" fails_with "is $tmp an OUTDIR of scripts/sweep?" scripts/plot "$tmp"
check "report without results" fails_with "is $tmp an OUTDIR of scripts/sweep?" scripts/report "$tmp"
check "plot without anything" fails_with "OUTDIR is missing" scripts/plot
check "sweep without a server's address" fails_with "--addr is missing" scripts/sweep "$tmp/out"
check "sweep without a directory" fails_with "OUTDIR is missing" scripts/sweep --addr ::1
for wrong in "--kinds wlat,lat" "--kinds wlat,wlat" "--sizes 1,,2" "--sizes 0" "--sizes 4q" \
	"--modes fast" "--depths 0" "--count x" "--duration 0" "--warmup -1" "--repeat 0" \
	"--port 0" "--options a;b" "--server-options poll" "--timeout 2" "--bogus 1"; do
	# shellcheck disable=SC2086 # two words
	check "sweep $wrong is refused" fails_with "${wrong%% *}" \
		scripts/sweep --addr ::1 $wrong "$tmp/out"
done
check "and nothing was made" test ! -e "$tmp/out"
for script in sweep plot report sweep-demo; do
	check "$script --help" eval "scripts/$script --help | grep -q '^Usage: scripts/$script '"
done

t_end
