#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: For made-up results with round numbers, the medians, units and shares that scripts/plot
#   draws and scripts/report prints are right. tests/host/plot.sh checks pictures and pages.
# Requires: no guest; gnuplot
# Duration: 2 s

set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/lib.sh
need_commands plot gnuplot

# shellcheck source=../lib-host.sh
. tests/lib-host.sh

out=$tmp/out
mkdir "$out" "$tmp/bin" "$tmp/drawn"

# point KIND SIZE DEPTH REP STATUS LINE...: print a block of results.txt, with the result of the test KIND in
# the repetition REP. The LINEs end the result.
point() {
	echo "# kind=$1 size=$2 mode=dma depth=$3 rep=$4"
	echo "result id=$4 test=$1 role=client device=rxe0 status=$5 errno=0 iterations=100 size=$2 mem_mode=dma"
	echo "time nsec=1000000"
	shift 5
	printf '%s\n' "$@"
	echo "# end"
}

# latency P50 P99: print a line of a result; the other figures are always the same
latency() {
	echo "latency_nsec min=1000 p50=$1 p90=20000 p99=$2 p99.9=60000 p99.99=70000 max=80000 mean=12000 stddev=500 of=half_round_trip"
}

# wlat with 64 bytes has two good results, and a failed one, which plot must ignore. The bucket from 3 ns
# to 4 ns is wider than a step of the axis of the histogram's picture.
{
	point wlat 64 - 1 ok "$(latency 10000 30000)" "histogram_nsec 3=50 8192=50"
	point wlat 64 - 2 ok "$(latency 20000 50000)" "histogram_nsec 3=50 8192=50"
	point wlat 64 - 3 failed "$(latency 90000 90000)" "histogram_nsec 8192=1000"
	point wlat 4096 - 1 ok "$(latency 30000 40000)" "histogram_nsec 8192=100"
	point bw 4096 16 1 ok "throughput bytes_per_sec=1250000000 messages_per_sec=305175"
	point bw 65536 16 1 ok "throughput bytes_per_sec=2500000000 messages_per_sec=38146"
} >"$out/results.txt"
printf 'label=round\ncommand=scripts/sweep\nkernel=none\n' >"$out/environment"

# Wrap gnuplot, to keep a copy of its input.
real=$(command -v gnuplot)
cat >"$tmp/bin/gnuplot" <<-END
	#!/bin/sh
	name=\${1##*/}
	mkdir -p "$tmp/drawn/\${name%.gp}"
	cp "\$1" "\${1%/*}"/data.* "$tmp/drawn/\${name%.gp}/"
	exec "$real" "\$@"
END
chmod +x "$tmp/bin/gnuplot"

# drawn: make the tables of the results, and draw the pictures
drawn() {
	scripts/sweep --tables "$out" && PATH=$tmp/bin:$PATH scripts/plot "$out"
}

# curve PICTURE TITLE: print the points of the curve TITLE in a picture
curve() {
	file=$(grep -F "title '$2'" "$tmp/drawn/$1/$1.gp" |
		sed -n "s/.*\(data\.[0-9]*\)' using.*/\1/p" | head -n 1)
	[ "$file" ] || {
		echo "$1 has no curve '$2'"
		return 1
	}
	cat "$tmp/drawn/$1/$file"
}

# has_points PICTURE TITLE POINT...: check that a curve has just these points, each "SIZE VALUE"
has_points() {
	picture=$1 title=$2
	shift 2
	printf '%s\n' "$@" >"$tmp/wanted"
	curve "$picture" "$title" >"$tmp/got" || {
		cat "$tmp/got"
		return 1
	}
	diff -u "$tmp/wanted" "$tmp/got"
}

# shares_are_right: check the shares of the histogram. Of 100 iterations, 50 are in the bucket at 8192 ns,
# and 50 in the bucket from 3 ns to 4 ns, whose share plot divides between steps of the axis.
shares_are_right() {
	curve histogram dma | awk '
		$2 > 1e-6 { sum += $2 }
		$1 > 8 && $1 < 9 { high += $2 }
		END {
			printf "sum %.3f, at 8.192 usec %.3f\n", sum, high
			exit !(sum > 99.99 && sum < 100.01 && high > 49.99 && high < 50.01)
		}'
}

# row CELL...: check that the page has these cells side by side
row() {
	cells=$(printf '<td>%s</td>' "$@")
	grep -qF "$cells" "$tmp/page.html" || {
		echo "the page has no $cells"
		grep '^<tr>' "$tmp/page.html"
		return 1
	}
}

check "plot draws the results" drawn
check "plot: the median of 10 and 20 usec is 15 usec, without the failed result" \
	has_points latency "dma, median" "64 15" "4096 30"
check "plot: the 99th percentile of a point is the median of its results' 99th percentiles" \
	has_points latency "dma, 99 %" "64 40" "4096 40"
check "plot: the 99.9th percentile of a point is the median of its results' 99.9th percentiles" \
	has_points latency "dma, 99.9 %" "64 60" "4096 60"
# shapes: check that the three curves of a mode have different points, also in the key, and that the caption of the
# picture names the points
shapes() {
	for curve in "median:7" "99 %:5" "99.9 %:9"; do
		eq "$(grep -cF " pt ${curve##*:} dt" "$tmp/drawn/latency/latency.gp")" 2 "points of ${curve%:*}" &&
			eq "$(grep -F " pt ${curve##*:} dt" "$tmp/drawn/latency/latency.gp" |
				grep -cF "title 'dma, ${curve%:*}'")" 2 "titles of ${curve%:*}" || return 1
	done
	scripts/report -o "$tmp/shapes.html" "$out" &&
		grep -q 'with circles, is the median.* with squares, .*99 %.* with triangles, 99\.9 %' "$tmp/shapes.html" ||
		return 1
	# of five sweeps, only the medians are drawn
	scripts/report -o "$tmp/shapes.html" "$out" "$out" "$out" "$out" "$out" &&
		grep -q 'The curves are medians' "$tmp/shapes.html" && ! grep 'with circles' "$tmp/shapes.html"
}
check "plot: the percentiles of a latency have different points" shapes
check "plot: 1.25e9 bytes/s are 10 Gbit/s" \
	has_points throughput "dma, txdepth 16" "4096 10" "65536 20"
check "plot: the message rate is in thousands per second" \
	has_points message-rate "dma, txdepth 16" "4096 305.175" "65536 38.146"
check "plot: the shares of a histogram add up to 100 %" shares_are_right

check "report makes the page" scripts/report -o "$tmp/page.html" "$out"

# names: check that report prints the name of its page (the FILE of -o, or the default) on standard output
names() {
	cp -r "$out" "$tmp/other" && eq "$(scripts/report -o "$tmp/named.html" "$out" 2>/dev/null)" "$tmp/named.html" &&
		test -s "$tmp/named.html" && eq "$(scripts/report "$tmp/other" "$out" 2>/dev/null)" "$tmp/other/report.html" &&
		test -s "$tmp/other/report.html" || return 1
	eq "$(scripts/report -o "$tmp/none/page.html" "$out" 2>/dev/null)" "" "output of a report that fails" &&
		scripts/report --help | grep -q 'prints its name$'
}
check "report prints the name of its page" names

# counters COMMAND: print the lines that plot and report must print for four pictures
counters() {
	for n in 1 2 3 4; do
		echo "$1: picture $n of 4"
	done
}

# counted: check that plot and report print a line for each picture, and on a terminal update one line
counted() {
	scripts/plot -o "$tmp/counted" "$out" 2>"$tmp/said" >"$tmp/names" || return 1
	eq "$(cut -f 1 "$tmp/names" | tr '\n' ' ')" "latency histogram throughput message-rate " "pictures" &&
		eq "$(grep -v 'pictures in' "$tmp/said")" "$(counters plot)" "lines of plot" || return 1
	scripts/report -o "$tmp/counted.html" "$out" 2>"$tmp/said" >/dev/null || return 1
	eq "$(cat "$tmp/said")" "$(counters report)" "lines of report" || return 1
	command -v script >/dev/null || return 0
	script -qec "scripts/report -o '$tmp/counted.html' '$out'" /dev/null </dev/null | sed 's/\r$//' >"$tmp/said"
	eq "$(head -n 1 "$tmp/said" | tr '\r' '\n')" "
$(counters report)" "updates of the line on a terminal" && eq "$(sed 1d "$tmp/said")" "$tmp/counted.html"
}
check "plot and report count the pictures" counted

# named: check that the page of two sweeps has their labels as the title, and that of one sweep has none
named() {
	cp -r "$out" "$tmp/second" && sed -i 's/^label=.*/label=a <b>, c/' "$tmp/second/environment"
	scripts/report -o "$tmp/two.html" "$out" "$tmp/second" || return 1
	for tag in title h1; do
		grep -qF "<$tag>krping: round; a &lt;b&gt;, c</$tag>" "$tmp/two.html" &&
			grep -qF "<$tag>krping: a sweep</$tag>" "$tmp/page.html" || why "other $tag" || return 1
	done
}
check "report: the title of a page of two sweeps has their labels" named
check "report: a row has min, median, mean, stddev, p99, p99.9 and max in usec" \
	row 1.000 10.000 12.000 0.500 30.000 60.000 80.000
check "report: 1.25e9 bytes/s are 1192.09 MB/s (of 2^20 bytes) and 10 Gb/s" row 1192.09 10.000000 0.305175

t_end
