#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: scripts/plot and scripts/report make well-formed pictures and a page of recorded
#   results (see tests/sweep/README.md).
# Requires: no guest; gnuplot
# Duration: 7 s

set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/lib.sh
need_commands check perl busybox
need_commands plot gnuplot

# shellcheck source=../lib-host.sh
. tests/lib-host.sh
# shellcheck source=report.inc
. tests/host/report.inc

#
# Pictures
#

# well_formed FILE: check that each tag is closed, each attribute is quoted and unique, each entity is
# numeric or has one of five names, and each id is unique
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
				$1 eq "id" && $id{$3}++ and die "id $3 is not unique";
			}
			push @open, $name unless $empty;
		}
		(pos // 0) == length or die "cannot parse: " . substr($_, pos // 0, 80);
		die "not closed: @open" if @open;
		die "empty" unless length;' "$1" || return 1
	! command -v xmllint >/dev/null || xmllint --noout "$1"
}

# svg FILE TITLE: check an SVG picture, which must not contain the path of a temporary file
svg() {
	well_formed "$1" && grep -q '<svg' "$1" && grep -qF "<title>$2" "$1" &&
		! grep -q "$tmp" "$1"
}

# png FILE: check that a file is a PNG picture
png() {
	[ "$(head -c 8 "$1" | od -An -tx1 | tr -d ' ')" = 89504e470d0a1a0a ] &&
		[ "$(wc -c <"$1")" -gt 5000 ]
}

# draws NAMES RUN...: check that plot draws exactly the pictures NAMES of the sweeps RUN
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
check "plot draws the four pictures of one run" draws "latency histogram throughput message-rate" $first
check "plot draws the four pictures of another run" draws "latency histogram throughput message-rate" $second
check "plot: of two runs, pictures with too many curves are divided by mode" draws \
	"latency-dma latency-reg histogram throughput message-rate" $first $second
check "plot: of three runs, most pictures are divided by mode" draws \
	"latency-dma latency-reg histogram throughput-dma throughput-reg message-rate-dma message-rate-reg" \
	$first $second $first
check "plot: a picture has the labels of its runs" grep -qF "<text>a \"first\" &lt;&amp;> it's_1, dma, txdepth 16</text>" \
	"$tmp/pictures/throughput-dma.svg"

# points: check that the SVG has one symbol for each median
points() {
	draws "latency histogram throughput message-rate" "$second" || return 1
	# bw with dma and reg, depth 1 and 16, two sizes; and a symbol for each of the four curves in the key
	n=$(grep -c "<use xlink:href='#gpPt[0-9]*' transform='translate" "$tmp/pictures/throughput.svg")
	[ "$n" = $((2 * 2 * 2 + 4)) ] || {
		echo "$n points"
		return 1
	}
}
check "plot: each median is a point" points

# scales PICTURE: print the axis labels of each panel of an SVG picture, on a line for each panel. In the SVG, the title
# of a panel follows the labels of its axes.
scales() {
	perl -ne '
		next unless m{<text>(.*?)</text>};
		if ($1 =~ /^(wlat|rlat|slat|ping|bw|rbw|sbw):/) {
			print "@labels\n";
			@labels = ();
		} else {
			push @labels, $1 unless $1 =~ /^(Latency|Histogram|Throughput|Message rate) /;
		}' "$tmp/pictures/$1.svg"
}

# one_scale: draw a run whose rbw is ten times as fast as its bw, and whose slat is slower than its rlat. Check that the
# panels of each picture have the same axes.
one_scale() {
	mkdir "$tmp/two" && cp "$second/results.txt" "$second/environment" "$tmp/two/" || return 1
	awk -F '\t' -v OFS='\t' '
		{ print }
		$2 == "bw" { $2 = "rbw"; $23 *= 10; $24 *= 10; print }
		$2 == "slat" { $2 = "ping"; $14 *= 100; $15 *= 100; $17 *= 100; print }' "$second/results.tsv" >"$tmp/two/results.tsv"
	draws "latency histogram throughput message-rate" "$tmp/two" || return 1
	for name in $names; do
		scales "$name" >"$tmp/scales"
		echo "$name:"
		cat "$tmp/scales"
		[ "$(wc -l <"$tmp/scales")" -ge 2 ] && [ "$(sort -u "$tmp/scales" | wc -l)" = 1 ] || return 1
		# a panel has the labels of both axes
		[ "$(head -n 1 "$tmp/scales" | wc -w)" -ge 6 ] || return 1
	done
}
check "plot: the panels of a picture have the same axes" one_scale

check "plot --size 4096 succeeds" scripts/plot --size 4096 -o "$tmp/pictures" $second
check "plot --size 4096: the title of the histogram has the size" grep -q 'Histogram of latencies, 4096 bytes' "$tmp/pictures/histogram.svg"

#
# The page
#

# page FILE: check that a page is well-formed, needs no other file and no script, and is not too large
page() {
	well_formed "$1" || return 1
	# no external resource and no script
	if grep -nE '(src|href)=.?[^#"'\'' ]*//|@import|url\([^#]|<script|<link' "$1"; then
		return 1
	fi
	[ "$(wc -c <"$1")" -lt 1500000 ]
}

check "report makes a page of one run" scripts/report -o "$tmp/first.html" $first
check "report: the page of one run is well-formed HTML without external resources" page "$tmp/first.html"
check "report makes a page of two runs" scripts/report -o "$tmp/both.html" --title 'a <b> & "c"' $first $second
check "report: the page of two runs is well-formed HTML without external resources" page "$tmp/both.html"
check "report --title: the page has this title, escaped" grep -qF '<h1>a &lt;b&gt; &amp; &quot;c&quot;</h1>' "$tmp/both.html"
check "report: the page of two runs has five pictures" test "$(grep -c "<figure>" "$tmp/both.html")" = 5
check "report: the page has the label of a run, escaped" grep -qF '<td class="words">a &quot;first&quot; &lt;&amp;&gt; it' "$tmp/both.html"
check "report: the page has the command of a run" grep -qF '<pre tabindex="0">scripts/sweep --addr 10.0.0.1 ' "$tmp/both.html"

# failed_points: check that the page has a line for each failed result
failed_points() {
	wanted=$(grep -c '^result .* status=failed ' "$first"/results.txt)
	[ "$wanted" -gt 0 ] && [ "$(grep -c '^<li>.*: size=8388608: ' "$tmp/first.html")" = "$wanted" ]
}
check "report: the page lists the failed points" failed_points

# rows: check that each result has a row, with microseconds of three decimals
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
check "report: each result has a row in a table" rows

# cells ROW: print the texts of the cells of standard input's rows that begin with ROW, with blanks between them
cells() {
	grep "^$1" | sed 's/<\/td>/ /g; s/<[^>]*>//g'
}

# medians: check that a point with two repetitions has one row with the medians and the range, and two rows in details; a
# point with one repetition has no row in details
medians() {
	sed -n '/id="latency"/,/id="throughput"/p' "$tmp/both.html" | sed '/<details>/,/<\/details>/d' >"$tmp/points"
	sed -n '/id="latency"/,/id="throughput"/p' "$tmp/both.html" | sed -n '/<details>/,/<\/details>/p' >"$tmp/each"
	eq "$(cells '<tr class="median">' <"$tmp/points" | grep 'slat dma 64 ')" \
		"second slat dma 64 2 200 50.044 53.504 38.400 to 68.608 81.490 171.593 1019.904 1813.610 1813.729 " "row of medians" || return 1
	eq "$(grep -c '^<tr class="median">' "$tmp/points") $(grep -c '^<tr><td' "$tmp/points")" "8 2" "rows of points" || return 1
	eq "$(cells '<tr>' <"$tmp/each" | grep 'slat dma 64 ' | cut -d ' ' -f 5,8)" "1 38.400
2 68.608" "rows of repetitions" || return 1
	eq "$(grep -c '^<tr><td' "$tmp/each") $(grep -c first "$tmp/each")" "16 0" "number of repetitions" || return 1
	grep '<summary>Each of 16 repetitions</summary>' "$tmp/each"
}
check "report: a point with repetitions has a row of medians, and details with each repetition" medians
check "report: without repetitions there are no rows of medians" eval "! grep -E 'class=.median|repetition|range of' $tmp/first.html"

#
# Missing programs and results
#

mkdir "$tmp/busybox"
for name in $(busybox --list); do
	ln -s "$(command -v busybox)" "$tmp/busybox/$name"
done
mkdir "$tmp/apt"
printf '#!/bin/sh\n' >"$tmp/apt/apt-get"
chmod +x "$tmp/apt/apt-get"
check "plot without gnuplot fails and names the command that installs gnuplot" fails_with "scripts/deps plot" \
	env PATH="$tmp/busybox:$tmp/apt" "$(command -v sh)" scripts/plot -o "$tmp/none" $second
check "plot without gnuplot, on a machine without apt, advises another machine" \
	fails_with "copy OUTDIR to another machine" env PATH="$tmp/busybox" "$(command -v sh)" scripts/plot -o "$tmp/none" $second
mkdir "$tmp/small"
printf '#!/bin/sh\nexec busybox awk "$@"\n' >"$tmp/small/awk"
chmod +x "$tmp/small/awk"
if busybox awk 'BEGIN { print log(8) }' >/dev/null 2>&1; then
	skip "plot fails with an awk without log(), and names other awks" "this busybox has log()"
else
	check "plot fails with an awk without log(), and names other awks" fails_with "install mawk or gawk" \
		env PATH="$tmp/small:$PATH" scripts/plot -o "$tmp/none" $second
fi
check "report without gnuplot makes a page without pictures" \
	env PATH="$tmp/busybox" "$(command -v sh)" scripts/report -o "$tmp/none.html" $second
check "report without gnuplot: the page is well-formed HTML" page "$tmp/none.html"
check "plot: a directory without results is rejected" fails_with "is $tmp an OUTDIR of scripts/sweep?" scripts/plot "$tmp"
check "report: a directory without results is rejected" fails_with "is $tmp an OUTDIR of scripts/sweep?" scripts/report "$tmp"
check "plot without arguments is rejected" fails_with "OUTDIR is missing" scripts/plot
check "report --help names the command that has the changes" \
	eval "scripts/report --help | grep -q 'krping compare --html has the changes'"
for script in plot report; do
	check "$script --help" eval "scripts/$script --help | grep -q '^Usage: scripts/$script '"
done

t_end
