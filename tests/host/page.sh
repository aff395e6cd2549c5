#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The page of scripts/report has the right width, colours and captions in a browser and
#   on paper, and valid HTML. figures.sh checks its figures, plot.sh its content. The page of
#   scripts/conform-matrix has the right width and valid HTML; conform-matrix.sh checks the rest.
# Requires: no guest; gnuplot, perl; scripts/deps page, else its checks are skipped
# Duration: 30 s

set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/lib.sh
need_commands plot gnuplot
need_commands check perl

# shellcheck source=../lib-host.sh
. tests/lib-host.sh

# shellcheck source=page.inc
. tests/host/page.inc

first=tests/sweep/first
second=tests/sweep/second

# pages: make a page of one sweep, one of two sweeps, and one of verdicts
pages() {
	scripts/report -o "$tmp/one.html" "$first" &&
		scripts/report -o "$tmp/both.html" "$first" "$second" &&
		scripts/conform-matrix -o "$tmp/matrix.html"
}

# devices_pages: make up the output of a sweep with --devices, which has a directory for each device. Check
# that the report is one page with a caption and all rows for each device.
devices_pages() {
	mkdir "$tmp/devices"
	for d in rxe0 siw0; do
		cp -r "$second" "$tmp/devices/$d"
		sed -i "s/^label=.*/label=$d, 6.1/; s/^device=.*/device=$d/" "$tmp/devices/$d/environment"
		sed -i "1!s/^[^\t]*/$d, 6.1/" "$tmp/devices/$d/results.tsv"
	done
	printf '%s\n' rxe0 siw0 >"$tmp/devices/devices"
	scripts/report "$tmp/devices" || return 1
	for d in rxe0 siw0; do
		grep -q "^<p>$d, 6.1: device $d, " "$tmp/devices/report.html" || why "no caption of $d" || return 1
		eq "$(grep -c "^<tr><td class=\"words\">$d, 6.1</td>" "$tmp/devices/report.html")" \
			"$(($(wc -l <"$second/results.tsv") - 1))" "rows of $d" || return 1
	done
	[ ! -e "$tmp/devices/rxe0/report.html" ] || why "report has also made a page of one device"
}

#
# The width
#

# too_wide: check that fits() rejects a page that is too wide
too_wide() {
	sed 's|<h1>|<p style="width: 1300px">wide</p><h1>|' "$tmp/one.html" >"$tmp/wide.html"
	! fits "$tmp/wide.html" && [ -s "$tmp/measured" ]
}

# table_scrolls: check that in a window of 360 pixels the table scrolls, and not the page
table_scrolls() {
	measured "$tmp/both.html" && grep -q 'frame=360 .* scrolls=true' "$tmp/measured"
}

#
# Colours and keys
#

# pale: check that readable() rejects a page whose pictures have pale text
pale() {
	sed 's|</style>|svg text { fill: #999 !important }</style>|' "$tmp/both.html" >"$tmp/pale.html"
	! readable "$tmp/pale.html" 50 && [ -s "$tmp/measured" ]
}

# reachable: check that keys can move the focus to each box that scrolls, and open the details of each figure and of the
# repetitions of both tables
reachable() {
	! grep -nE '<(pre|div class="wide")( id="[^"]*")?>' "$tmp/both.html" &&
		[ "$(grep -c '<details><summary>' "$tmp/both.html")" = "$(($(grep -c '<figure>' "$tmp/both.html") + 2))" ]
}

# captions: check that each figure names device, kernels and clock of each run, and the options of bw
captions() {
	figures=$(grep -c '<figure>' "$tmp/both.html")
	for text in 'a &quot;first&quot; &lt;&amp;&gt; it' second; do
		n=$(grep -c "^<p>$text.*: device rxe0, client kernel 6.1.0-56-amd64, server kernel 6.1.0-56-amd64, clock tsc" "$tmp/both.html")
		eq "$n" "$figures" "captions of $text" || return 1
	done
	grep -q '<li>bw, client: <code>txdepth=1|16 poll=0 .*; server: not in the results' "$tmp/both.html"
}

# peer_options: check that captions have the options of the server if the results have these options
peer_options() {
	cp -r "$second" "$tmp/peer"
	sed -i 's/^config \(.*\)/config \1\npeer_config txdepth=8 poll=1/' "$tmp/peer/results.txt"
	scripts/report -o "$tmp/peer.html" "$tmp/peer" || return 1
	grep -q 'server: <code>txdepth=8 poll=1</code>' "$tmp/peer.html"
}

# no_server_kernel: check the page of two sweeps, of which one has no kernel of its server, because its server was
# started by hand, and the page of this sweep alone
no_server_kernel() {
	cp -r "$second" "$tmp/by-hand"
	sed -i '/^server_kernel=/d; s/^label=.*/label=by hand/' "$tmp/by-hand/environment"
	for dirs in "$tmp/by-hand" "$tmp/by-hand $first"; do
		# shellcheck disable=SC2086 # two directories
		scripts/report -o "$tmp/by-hand.html" $dirs || return 1
		eq "$(grep -c '^<p>by hand: .*, server kernel not in the results, clock tsc' "$tmp/by-hand.html")" \
			"$(grep -c '<figure>' "$tmp/by-hand.html")" "captions" || return 1
		grep -q '<th scope="row">server_kernel</th><td class="words">not in the results<' "$tmp/by-hand.html" ||
			why "no row of server_kernel" || return 1
	done
	not grep -E 'kernel *,' "$tmp/by-hand.html"
}

# logarithmic: check that labels and captions of the pictures state which axes are logarithmic
logarithmic() {
	for figure in latency-dma latency-reg histogram; do
		sed -n "/id=\"figure-$figure\"/,/<\/figure>/p" "$tmp/both.html" >"$tmp/figure"
		eq "$(grep -c '<text>.*, logarithmic' "$tmp/figure")" 4 "labels of $figure" || return 1
		grep -q 'Both axes are logarithmic' "$tmp/figure" || return 1
	done
	sed -n '/id="figure-throughput"/,/<\/figure>/p' "$tmp/both.html" | grep 'the other one linear'
}

#
# Paper
#

# paper: check that the PDF has pages of A4, the figures of each row, and the options that the screen hides
paper() {
	browser --no-pdf-header-footer --print-to-pdf="$tmp/page.pdf" "file://$tmp/both.html" &&
		pdftotext -layout "$tmp/page.pdf" "$tmp/page.txt" || return 1
	pdfinfo "$tmp/page.pdf" | grep '^Page size:.*A4' || return 1
	perl -ne 'print join(" ", /<td(?: class="range")?>([^<]*)</g), "\n" if /^<tr( class="median")?><td/' "$tmp/both.html" >"$tmp/rows"
	tr -s ' ' <"$tmp/page.txt" >"$tmp/text"
	eq "$(wc -l <"$tmp/rows")" 54 "number of rows" || return 1
	while read -r row; do
		grep -qF -- "$row" "$tmp/text" || {
			echo "the PDF has no $row"
			cat "$tmp/text"
			return 1
		}
	done <"$tmp/rows"
	grep -q 'server: not in the results' "$tmp/text"
}

check "report and conform-matrix make the pages" pages
check "report makes one page of all devices of a sweep" devices_pages
cp "$tmp/devices/report.html" "$tmp/several.html"
for page in one both several matrix; do
	with tidy "tidy accepts the page ($page)" valid "$tmp/$page.html"
	with chromium "no content is wider than 360, 768 and 1280 pixels ($page)" fits "$tmp/$page.html"
done
with chromium "a page that is too wide is rejected (control)" too_wide
with chromium "on a phone a table scrolls in its own box" table_scrolls
with chromium "the page follows the reader's theme" dark "$tmp/one.html"
for size in 360x6000 768x4000 1280x3000; do
	with_look "the page looks as the stored one of ${size%x*} pixels does" looks "report-${size%x*}" "$tmp/both.html" $size
done
with_look "a page without curves does not look as the stored one (control)" \
	looks_changed report-1280 "$tmp/both.html" 1280x3000 's/<path /<path visibility="hidden" /g'
check "text has a contrast of 4.5 in both themes and on paper" contrast "$tmp/both.html"
with chromium "text, also that of the pictures, has a contrast of 4.5 in the browser" readable "$tmp/both.html" 50
with chromium "pale text of a picture is rejected (control)" pale
check "the keyboard reaches scrolling boxes and details" reachable
check "the table of contents names each heading and each figure" linked "$tmp/both.html"
check "captions name device, kernels and clock of each run" captions
check "captions have the server's options if the results have them" peer_options
check "the page states that the results do not have the server's kernel" no_server_kernel
check "pictures state whether their axes are logarithmic" logarithmic
if command -v pdftotext >/dev/null; then
	with chromium "the printed page has every row of the tables" paper
else
	skip "the printed page has every row of the tables" "pdftotext is not installed: see scripts/deps page"
fi

t_end
