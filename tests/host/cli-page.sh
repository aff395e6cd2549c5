#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The page of krping compare --html is right in a browser and on paper. page.sh checks
#   the page of scripts/report, cli-compare.sh the figures.
# Requires: no guest; perl; scripts/deps page, else its checks are skipped
# Duration: 30 s

set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/lib.sh
need_commands check perl

# shellcheck source=../lib-host.sh
. tests/lib-host.sh
# shellcheck source=page.inc
. tests/host/page.inc

page=$tmp/compare.html

# side NAME PERCENT WIDTH: write a file of results with this PERCENT of the usual latencies, and an option
# whose value has WIDTH characters
side() {
	for test in wlat rlat slat; do
		for size in 64 4096 65536; do
			for value in 4000 4100 4050 4020; do
				cat <<-END
					result id=1 new=1 test=$test role=client device=rxe0 status=ok errno=0 iterations=9 size=$size mem_mode=dma
					path local_gid=fd00:1234:5678:9abc:def0:1234:5678:9abc mtu=1024
					latency_nsec min=1 p50=$((value * $2 / 100)) p90=9000 p99=9000 mean=5000 of=iteration
					config txdepth=64 note=$(printf "%$3s" "" | tr ' ' x)
					peer_config poll=1
					when kernel=6.1.0 started=2026-01-01
				END
			done
		done
	done >"$tmp/$1"
}

# made WANTED OLD NEW [OPTION]...: write the page, and check that krping compare ends with the status
# WANTED
made() {
	want=$1
	shift
	scripts/krping compare "$@" --html >"$page"
	eq $? "$want" status
}

# has REGEX: check that a line of the page matches
has() {
	grep -Eq -- "$1" "$page" || why "the page has no $1"
}

# same_style: check that the page has the style sheet of the page of scripts/report
same_style() {
	scripts/report -o "$tmp/report.html" tests/sweep/first || return 1
	for f in report.html compare.html; do
		sed -n '/<style>/,/<\/style>/p' "$tmp/$f" | sed 's/^[[:space:]]*//' >"$tmp/$f.style"
	done
	[ "$(wc -l <"$tmp/compare.html.style")" -gt 30 ] && diff "$tmp/report.html.style" "$tmp/compare.html.style"
}

# long_names: check a page with a row that would be wider than 1280 pixels
long_names() {
	side long 100 400
	made 0 "$tmp/long" "$tmp/long" && fits "$page"
}

# table_scrolls: check that in a window of 360 pixels the table scrolls, and not the page
table_scrolls() {
	measured "$page" && grep -q 'frame=360 .* scrolls=true' "$tmp/measured"
}

# table_fits: check that in a window of 1280 pixels the table with the usual names, figures of six digits before
# the point and a column of devices fits in its box, with the bars
table_fits() {
	mkdir "$tmp/wide" && echo rxe_eth0 >"$tmp/wide/devices" && mkdir "$tmp/wide/rxe_eth0" || return 1
	sed 's/mem_mode=dma/mem_mode=reg/; s/p50=\([0-9]*\)/p50=\1000999/' "$tmp/old" >"$tmp/wide/rxe_eth0/results.txt"
	made 0 "$tmp/wide" "$tmp/wide" && has '<th scope="col" class="words">device</th>' &&
		has '4035000\.999' || return 1
	measured "$page" && grep -q 'frame=1280 .* scrolls=false' "$tmp/measured" || return 1
	made 1 "$tmp/old" "$tmp/new" --force && measured "$page" &&
		grep -q 'frame=1280 .* scrolls=false' "$tmp/measured"
}

# settings: check that the page has the settings of both sides, and names what differs
settings() {
	has '<th scope="row">kernel</th><td class="words">6\.1\.0</td><td class="words">6\.2\.0</td>' &&
		has '<th scope="row">peer_config poll</th><td class="words">1</td><td class="words">1</td>' &&
		has '<th scope="row">path mtu</th>' && has '<li>differs: kernel: 6\.1\.0 in OLD, 6\.2\.0 in NEW</li>'
}

# visible_rows: print the rows of the table of settings that the reader sees before the details are open
visible_rows() {
	sed -n '/<h2 id="settings">/,/<details>/p' "$page" | grep '<th scope="row">'
}

# differing_on_top: check that the first row of the visible settings is the option that differs, with a mark, that
# the rows of other options are hidden, and that equal settings have no mark and no column of marks
differing_on_top() {
	sed 's/^config .*/& inline=0 local=dma/' "$tmp/old" >"$tmp/buffer"
	sed 's/^config .*/& inline=1/' "$tmp/slow" >"$tmp/inline"
	made 1 "$tmp/buffer" "$tmp/inline" --force || return 1
	row='<th scope="row">config inline</th><td class="words">0</td><td class="words">1</td>'
	row="$row<td class=\"words failed\">differs</td>"
	eq "$(visible_rows | head -n 1)" "<tr>$row</tr>" "first row" &&
		eq "$(visible_rows | grep -c 'config')" 1 "visible options" &&
		eq "$(grep -c '>differs<' "$page")" 2 "marks" && has '<th scope="row">config local</th>' &&
		not grep 'differs: config local' "$page" && valid "$page" || return 1
	made 1 "$tmp/old" "$tmp/slow" && not grep -E '>(differs|difference)<' "$page" || return 1
	# one side lacks all options
	grep -v '^config ' "$tmp/slow" >"$tmp/bare"
	made 1 "$tmp/old" "$tmp/bare" --force &&
		visible_rows | grep -q '<th scope="row">config</th>.*>in the results<.*>absent<'
}

# no_settings: check the page of results without lines that have settings
no_settings() {
	grep -E '^(result|latency_nsec) ' "$tmp/old" >"$tmp/bare"
	made 0 "$tmp/bare" "$tmp/bare" && has '<p>The results of OLD and NEW record no settings\.</p>' && valid "$page"
}

# escaped: check the page of a file whose name is HTML
escaped() {
	cp "$tmp/old" "$tmp/<b>&\"it\""
	made 0 "$tmp/<b>&\"it\"" "$tmp/old" && has 'OLD is [^<]*/&lt;b&gt;&amp;&quot;it&quot;,' && valid "$page"
}

# paper: check that the printed page has the size A4, every row, and the settings that the screen hides
paper() {
	browser --no-pdf-header-footer --print-to-pdf="$tmp/page.pdf" "file://$page" &&
		pdftotext -layout "$tmp/page.pdf" - | tr -s ' ' >"$tmp/text" || return 1
	pdfinfo "$tmp/page.pdf" | grep '^Page size:.*A4' || return 1
	for test in wlat rlat slat; do
		for size in 64 4096 65536; do
			grep -q "$test $size dma - .*4\.035 1\.6% 4\.439 1\.6% +10\.00% 0\.029 4+4 worse" "$tmp/text" ||
				why "the PDF has no row of $test $size: $(cat "$tmp/text")" || return 1
		done
	done
	# the row of this setting is hidden on the screen
	grep -q 'peer_config poll 1 1' "$tmp/text"
}

side old 100 40
side slow 110 40
sed 's/kernel=6\.1\.0/kernel=6.2.0/' "$tmp/slow" >"$tmp/new"

check "compare --html writes the page, and ends with status 1 if a test became worse" made 1 "$tmp/old" "$tmp/new" --force
check "the page of compare has the style of scripts/report" same_style
check "the page of compare needs no other file and no script" not grep -E '<script|<link|src=|https?:|@import' "$page"
with tidy "tidy accepts the page of compare" valid "$page"
with chromium "no content of the page of compare is wider than 360, 768 and 1280 pixels" fits "$page"
with chromium "on a phone the table of compare scrolls in its own box" table_scrolls
with chromium "the page of compare follows the reader's theme" dark "$page"
with chromium "in a window of 1280 pixels the table of compare fits with its bars" table_fits
for size in 360x1500 768x1500 1280x1500; do
	with_look "the page of compare looks as the stored one of ${size%x*} pixels does" looks "compare-${size%x*}" "$page" $size
done
with_look "a page of compare without colours does not look as the stored one (control)" \
	looks_changed compare-1280 "$page" 1280x1500 's/ class="bad"//; s/--stripe: #f[0-9a-f]*/--stripe: #ffffff/'
check "the page of compare has a contrast of 4.5 in each theme" contrast "$page"
with chromium "the page of compare has a contrast of 4.5 in the browser" readable "$page" 0
check "the keyboard reaches each scrolling box of the page of compare" not grep -nE '<div class="wide"( id="[^"]*")?>' "$page"
check "the table of contents of the page of compare names each heading" linked "$page"
check "the page of compare has the settings of both sides and names what differs" settings
if command -v pdftotext >/dev/null; then
	with chromium "the printed page of compare has every row and all settings" paper
else
	skip "the printed page of compare has every row and all settings" "pdftotext is not installed: see scripts/deps page"
fi
with chromium "a long value makes the page of compare no wider" long_names
with tidy "names of files are text in the page of compare" escaped
with tidy "the page of compare has the settings that differ on top, marked" differing_on_top
with tidy "the page of compare states that the results record no settings" no_settings

t_end
