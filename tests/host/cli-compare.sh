#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping compare prints a row for each test that both sides have, or makes an HTML page of
#   these rows. It ends with the right status, and refuses wrong files and options.
#   cli-statistics.sh checks the p values, cli-compare-failures.sh what compare says of failed results.
#   cli-compare-match.sh checks what compare says of results of OLD and NEW that do not match.
# Requires: no guest; mawk, gawk, busybox
# Duration: 15 s

set -u
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=shells.inc
. tests/host/shells.inc
# shellcheck source=compare.inc
. tests/host/compare.inc

results bwnew bw "" 2000000000 2010000000 2020000000 1990000000
mkdir "$tmp/sweep" "$tmp/files"
cp "$tmp/slow" "$tmp/sweep/results.txt"
echo "kernel=6.9.9 #1 SMP" >"$tmp/sweep/environment"
cp "$tmp/old" "$tmp/files/a"
cp "$tmp/old" "$tmp/files/b"

# devices DIR RXE SIW: make DIR look like the output of a sweep with --devices, with the file RXE as the
# results of rxe0 and the file SIW as the results of siw0
devices() {
	mkdir -p "$tmp/$1/rxe0" "$tmp/$1/siw0"
	cp "$tmp/$2" "$tmp/$1/rxe0/results.txt"
	sed 's/device=rxe0/device=siw0/' "$tmp/$3" >"$tmp/$1/siw0/results.txt"
	printf 'kernel=6.1.0 #1 SMP\ndevice=%s\n' rxe0 >"$tmp/$1/rxe0/environment"
	printf 'kernel=6.1.0 #1 SMP\ndevice=%s\n' siw0 >"$tmp/$1/siw0/environment"
	printf '%s\n' rxe0 siw0 >"$tmp/$1/devices"
}
devices both old bwold
devices slower slow bwold

# The functions below without a comment are checks; each_check has their descriptions.

worse() {
	compare 1 "$tmp/old" "$tmp/slow" &&
		row 'wlat 64 dma p50 \[usec\] 4\.050 1% 4\.450 1% \+9\.88% 0\.008 worse' && repetitions 5+5
}
below() {
	compare 0 "$tmp/old" "$tmp/slow" --fail-above 10 && row '.* \+9\.88% .* worse'
}
above() {
	compare 1 "$tmp/old" "$tmp/slow" --fail-above=9.8%
}
better() {
	compare 0 "$tmp/slow" "$tmp/old" && row '.* -8\.99% 0\.008 better'
}
more_is_better() {
	compare 0 "$tmp/bwold" "$tmp/bwnew" && row 'bw 64 dma Gbit/s 8\.040 2% 16\.04 1% \+99\.50% 0\.029 better' &&
		compare 1 "$tmp/bwnew" "$tmp/bwold"
}
# low: check that the table and the page have a throughput in Gbit/s, and more digits of a low one
low() {
	for _u in "12300 100000 0.000098 0.000800" "1300 0 0.000010 0.000000" "12499999 12500000 0.100000 0.100" \
		"200000000 1600000000 1.600 12.80"; do
		# shellcheck disable=SC2086 # words
		set -- $_u
		results left bw "" "$1" && results right bw "" "$2"
		compare 0 "$tmp/left" "$tmp/right" && row "bw 64 dma Gbit/s $3 - $4 - ~ .*" &&
			compare 0 "$tmp/left" "$tmp/right" --html && grep -qF ">Gbit/s<" "$tmp/out" && grep -qF ">$3" "$tmp/out" &&
			grep -qF ">$4" "$tmp/out" || return 1
	done
}
insignificant() {
	compare 0 "$tmp/old" "$tmp/same" && row '.* ~ [01]\.[0-9]*' && repetitions 5+5 && ! row '.*(better|worse)'
}
percentile() {
	compare 1 "$tmp/old" "$tmp/slow" --metric p99 && row 'wlat 64 dma p99 \[usec\] 8\.100 .*'
}
# noisy: check the remark about repetitions that differ so much that they hide a change, with one such row and with two,
# and that a significant change has no remark
noisy() {
	results wide wlat "" 4000 6100 2100 3900 4200
	results wider bw "" 1000000000 1010000000 250000000 990000000
	cat "$tmp/wider" >>"$tmp/wide"
	compare 0 "$tmp/wide" "$tmp/old" --force && eq "$(tail -n 1 "$tmp/out")" "of the rows with ~, repetitions differ by up to 52 % (wlat 64 dma), which hides smaller changes: repeat more often (krping bench-suite -n 10), on a machine that does nothing else" remark &&
		compare 0 "$tmp/wide" "$tmp/wide" && grep -qF 'by up to 75 % (bw 64 dma txdepth=64), and by more than 20 % in 2 rows, which hides' "$tmp/out" &&
		compare 0 "$tmp/old" "$tmp/same" && ! grep repeat "$tmp/out"
}
# page_file: check that -o writes the page into a file, and prints the name, with and without --html
page_file() {
	for _html in "" --html; do
		rm -f "$tmp/page.html"
		# shellcheck disable=SC2086 # none or one word
		compare 1 "$tmp/old" "$tmp/slow" $_html -o "$tmp/page.html" && eq "$(cat "$tmp/out")" "$tmp/page.html" output &&
			grep -q '^<!DOCTYPE html>' "$tmp/page.html" && grep -q '^</html>' "$tmp/page.html" || return 1
	done
	compare 2 "$tmp/old" "$tmp/slow" --html -o "$tmp/no/page.html" && said "cannot write $tmp/no/page.html"
}
json() {
	$shell scripts/krping show --json "$tmp/slow" >"$tmp/slow.json" || return 1
	compare 1 "$tmp/old" "$tmp/slow.json" && row '.* \+9\.88% 0\.008 worse'
}
# escapes: check that \\n in JSON becomes a backslash and an n, and that other escapes (\n, \u0041) become a
# question mark
escapes() {
	printf '%s\n' '{"error": {"detail": "a\\nb\nc\\u0041\u0041"}}' >"$tmp/escapes"
	eq "$(awk -f scripts/krping.d/json-lines.awk "$tmp/escapes")" 'error detail=a\nb?c\u0041?' "the line"
}
missing() {
	compare 2 "$tmp/sweep" "$tmp/sweep/../sweep2" && said "there is no file or directory"
}
# directory: compare OLD, a directory with two result files, and NEW, a sweep with another kernel in its
# environment
directory() {
	compare 1 "$tmp/files" "$tmp/sweep" --force && row '.* \+9\.88% 0\.00[0-9] worse' && repetitions 10+5
}
# by_device: compare each device of a sweep with itself: rxe0 became slower, siw0 did not
by_device() {
	compare 1 "$tmp/both" "$tmp/slower" && row 'device test size mode figure .*' &&
		row 'rxe0 wlat 64 dma p50 \[usec\] 4\.050 1% 4\.450 1% \+9\.88% 0\.008 5\+5 worse' &&
		row 'siw0 bw 64 dma Gbit/s .* ~ 1\.000 4\+4' &&
		eq "$(grep -c . "$tmp/out")" 5 "number of lines, two of which explain the columns"
}
same_test_of_devices() {
	devices fast old same && devices swapped same old
	compare 0 "$tmp/fast" "$tmp/swapped" && eq "$(grep -c '^...0 ' "$tmp/out")" 2 "number of rows" && repetitions 5+5
}
# one_device: compare a sweep of several devices with a sweep of one of these devices
one_device() {
	compare 1 "$tmp/both" "$tmp/slower/rxe0" &&
		row 'rxe0 wlat .* worse' && row 'only in OLD: siw0 bw 64 dma txdepth=64' &&
		compare 1 "$tmp/both/rxe0" "$tmp/slower/rxe0" && row 'test size .*'
}
device_settings() {
	devices moved slow bwold
	echo kernel=6.9.9 >"$tmp/moved/siw0/environment"
	sed -i 's/kernel=6.1.0/kernel=6.9.9/' "$tmp/moved/siw0/results.txt"
	compare 2 "$tmp/both" "$tmp/moved" && said "kernel: 6.1.0 in OLD, 6.9.9 in NEW" || return 1
	cp "$tmp/both/siw0/environment" "$tmp/moved/siw0/" && cp "$tmp/both/siw0/results.txt" "$tmp/moved/siw0/"
	# Swap the server kernels of the two devices.
	echo server_kernel=6.9.9 >>"$tmp/moved/rxe0/environment"
	echo server_kernel=6.1.0 >>"$tmp/moved/siw0/environment"
	devices moved2 slow bwold
	echo server_kernel=6.1.0 >>"$tmp/moved2/rxe0/environment"
	echo server_kernel=6.9.9 >>"$tmp/moved2/siw0/environment"
	compare 2 "$tmp/moved2" "$tmp/moved" && said "server_kernel: 6.1.0 in OLD, 6.9.9 in NEW" || return 1
	# In OLD, only rxe0 was measured with a second host.
	sed -i '/^server_kernel/d' "$tmp/moved2/siw0/environment"
	devices moved3 slow bwold
	echo server_kernel=6.1.0 | tee -a "$tmp/moved3/rxe0/environment" >>"$tmp/moved3/siw0/environment"
	compare 2 "$tmp/moved2" "$tmp/moved3" && said "server_kernel: absent in OLD, 6.1.0 in NEW"
}
lost_device() {
	devices lost old old && rm "$tmp/lost/siw0/results.txt" || return 1
	compare 2 "$tmp/lost" "$tmp/both" && said "there is no file $tmp/lost/siw0/results.txt" || return 1
	: >"$tmp/lost/devices"
	compare 2 "$tmp/both" "$tmp/lost" && said "$tmp/lost has no results"
}
device_page() {
	compare 1 "$tmp/both" "$tmp/slower" --html && grep -q '<td class="words">siw0</td>' "$tmp/out" &&
		grep -q '<th scope="col" class="words">device</th>' "$tmp/out" &&
		grep -q '<th scope="col" class="words">verdict</th>' "$tmp/out"
}
sweeps() {
	compare 0 tests/sweep/first tests/sweep/second/results.json &&
		row 'rlat 4096 dma - p50 \[usec\] 101\.4 - 102\.4 1% ~ 1\.000' &&
		row 'only in NEW: slat 64 dma'
}
nothing() {
	compare 13 "$tmp/old" "$tmp/bwold" && said "no successful test in common"
}
broken() {
	echo '{"results":[' >"$tmp/broken"
	compare 2 "$tmp/broken" "$tmp/old" && said "is not a whole JSON document"
}
page() {
	compare 1 "$tmp/old" "$tmp/slow" --html && grep -q '^<!DOCTYPE html>' "$tmp/out" &&
		grep -q '<td>+9.88%</td>' "$tmp/out" && grep -q 'class="words worse">worse<' "$tmp/out" &&
		! grep -qE '<script|<link|src=|https?:' "$tmp/out" &&
		eq "$(grep -c '^<tr><td' "$tmp/out")" 1 "number of rows" &&
		grep -q '<td class="words">tsc</td>' "$tmp/out"
}
words() {
	compare 2 "$tmp/old" "$tmp/slow" --fail-abov 3 && said "did you mean --fail-above?" &&
		compare 2 "$tmp/old" && compare 2 "$tmp/old" "$tmp/slow" --metric p95 &&
		compare 2 "$tmp/old" "$tmp/slow" --alpha x && compare 2 "$tmp/old" "$tmp/slow" "$tmp/same"
}

# each_check: make all checks under one pair of a shell and an awk, which $under names
each_check() {
	check "a latency that has grown gives status 1 and the verdict worse: $under" worse
	check "a latency that has grown by less than --fail-above gives status 0: $under" below
	check "a latency that has grown by more than --fail-above gives status 1: $under" above
	check "a latency that has fallen gives status 0: $under" better
	check "more throughput is better: $under" more_is_better
	check "a throughput is in Gbit/s, and a low one has more digits: $under" low
	check "an insignificant change has a ~: $under" insignificant
	check "--metric compares another percentile: $under" percentile
	check "compare names repetitions that differ too much for a conclusion: $under" noisy
	check "compare -o writes the page into a file, and prints the name: $under" page_file
	check "a JSON document gives the same row as the result file it was made from: $under" json
	check "escapes of a JSON document are replaced, but not those behind an escaped backslash: $under" escapes
	check "the error names a directory that does not exist: $under" missing
	check "a directory of result files is compared with the directory of a sweep: $under" directory
	check "each device of a sweep is compared with itself: $under" by_device
	check "the same test of two devices has two rows: $under" same_test_of_devices
	check "a sweep of several devices is compared with a sweep of one of them: $under" one_device
	check "the kernels of each device are compared: $under" device_settings
	check "the error names a device without results: $under" lost_device
	check "--html: the page of a sweep of several devices has a column with the device: $under" device_page
	check "a recorded sweep is compared with one in JSON: $under" sweeps
	check "runs without a common test give status 13: $under" nothing
	check "an incomplete JSON document is refused: $under" broken
	check "--html: the page has the row of the text output, and no scripts or links: $under" page
	check "wrong options and operands of compare are refused: $under" words
}

PATH=$tmp/awk:$PATH
each_shell each_check

t_end
