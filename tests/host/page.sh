#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The page of scripts/report in a browser and on paper: its width, its colours, its
#   captions, valid HTML. tests/host/figures.sh checks its figures, tests/host/sweep.sh its content.
# Requires: no guest; gnuplot, perl; scripts/deps page, else its checks are skipped
# Duration: 20 s

set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/lib.sh
need_commands plot gnuplot
need_commands check perl

# shellcheck source=../lib-host.sh
. tests/lib-host.sh

first=tests/sweep/first
second=tests/sweep/second

# with PROGRAM DESC COMMAND...: check, or skip if the program is missing
with() {
	if command -v "$1" >/dev/null; then
		shift
		check "$@"
	else
		skip "$2" "$1 is not installed: see scripts/deps page"
	fi
}

# browser OPTION...: the browser must not reach the network, and keeps nothing
browser() {
	rm -rf "$tmp/profile"
	timeout 600 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
		--disable-background-networking --disable-component-update --disable-sync \
		--user-data-dir="$tmp/profile" "$@" 2>"$tmp/browser" || {
		tail -n 5 "$tmp/browser"
		return 1
	}
}

pages() {
	scripts/report -o "$tmp/one.html" "$first" && scripts/report -o "$tmp/both.html" "$first" "$second"
}

#
# The width
#

# measure FILE: write $tmp/measure.html, which shows FILE in frames of three widths, and in its own
# text the width of the content, of each box that scrolls, and the background
measure() {
	{
		echo '<!DOCTYPE html><title>measure</title><body>'
		for width in 360 768 1280; do
			printf '<iframe width="%s" height="900" srcdoc="' "$width"
			sed 's/&/\&amp;/g; s/"/\&quot;/g' "$1"
			echo '"></iframe>'
		done
		cat <<-'END'
			<script>
			onload = () => {
				const all = [...document.querySelectorAll("iframe")].map(f => {
					const d = f.contentDocument, box = d.querySelector(".wide table");
					return "frame=" + f.width + " content=" + d.documentElement.scrollWidth +
						" scrolls=" + (box ? box.scrollWidth > box.parentNode.clientWidth : "-") +
						" back=" + getComputedStyle(d.body).backgroundColor.replace(/ /g, "");
				});
				document.body.innerHTML = "<pre>" + all.join("\n") + "</pre>";
			};
			</script>
		END
	} >"$tmp/measure.html"
}

# measured FILE [OPTION]...: print what the browser measures
measured() {
	measure "$1"
	shift
	browser "$@" --window-size=1400,1000 --virtual-time-budget=10000 --dump-dom \
		"file://$tmp/measure.html" | grep -o 'frame=.*' | sed 's/<.*//' >"$tmp/measured"
	cat "$tmp/measured"
	[ "$(wc -l <"$tmp/measured")" = 3 ]
}

# fits FILE: nothing is wider than the page
fits() {
	measured "$1" && awk '{
			split($1, frame, "=")
			split($2, content, "=")
			n += content[2] <= frame[2]
		}
		END { exit n != 3 }' "$tmp/measured"
}

# A page that is too wide is found: else the checks of widths prove nothing.
too_wide() {
	sed 's|<h1>|<p style="width: 1300px">wide</p><h1>|' "$tmp/one.html" >"$tmp/wide.html"
	! fits "$tmp/wide.html" && [ -s "$tmp/measured" ]
}

table_scrolls() {
	measured "$tmp/both.html" && grep -q 'frame=360 .* scrolls=true' "$tmp/measured"
}

dark() {
	measured "$tmp/one.html" --blink-settings=preferredColorScheme=0 || return 1
	[ "$(grep -c 'back=rgb(23,25,28)' "$tmp/measured")" = 3 ] || return 1
	measured "$tmp/one.html" --blink-settings=preferredColorScheme=1 || return 1
	[ "$(grep -c 'back=rgb(255,255,255)' "$tmp/measured")" = 3 ]
}

#
# Colours and keys
#

# The contrast of WCAG 2 between each colour of text and each colour behind text, in each theme.
contrast() {
	perl -ne '
		sub luminance {
			my @c = map { hex($_) / 255 } $_[0] =~ /^#(..)(..)(..)$/ or die "not a colour: $_[0]";
			@c = map { $_ <= 0.04045 ? $_ / 12.92 : (($_ + 0.055) / 1.055) ** 2.4 } @c;
			0.2126 * $c[0] + 0.7152 * $c[1] + 0.0722 * $c[2];
		}
		next unless /^\s*:root \{(.*)\}/;
		$themes++;
		my %colour = $1 =~ /--(\w+): (#\w+);/g;
		for my $text (qw(text dim bad link)) {
			for my $back (qw(back stripe)) {
				my ($low, $high) = sort { $a <=> $b } map { luminance($_) } @colour{$text, $back};
				my $ratio = ($high + 0.05) / ($low + 0.05);
				printf "theme %d: %s on %s: %.1f\n", $themes, $text, $back, $ratio;
				$bad++ if $ratio < 4.5;
			}
		}
		END { exit !($themes == 3 && !$bad) }' "$1"
}

# every box that scrolls takes the focus; each figure has details that a key opens
reachable() {
	! grep -nE '<(pre|div class="wide")( id="[^"]*")?>' "$tmp/both.html" &&
		[ "$(grep -c '<details><summary>' "$tmp/both.html")" = "$(grep -c '<figure>' "$tmp/both.html")" ]
}

# every link of the contents has a target, and every heading and figure a link
linked() {
	grep -o 'href="#[^"]*"' "$tmp/both.html" | grep -v xlink | sed 's/href="#//; s/"//' |
		sort >"$tmp/links"
	grep -oE '<(h2|div)[^>]* id="[^"]*"' "$tmp/both.html" | sed 's/.* id="//; s/"//' |
		sort >"$tmp/targets"
	[ -s "$tmp/links" ] && diff "$tmp/links" "$tmp/targets"
}

captions() {
	figures=$(grep -c '<figure>' "$tmp/both.html")
	for text in 'a &quot;first&quot; &lt;&amp;&gt; it' second; do
		n=$(grep -c "^<p>$text.*: device rxe0, client kernel 6.1.0-56-amd64, server kernel 6.1.0-56-amd64, clock tsc" "$tmp/both.html")
		eq "$n" "$figures" "captions of $text" || return 1
	done
	grep -q '<li>bw, client: <code>txdepth=1|16 poll=0 .*; server: not in the results' "$tmp/both.html"
}

# what a server reports about itself is beside what the client had
peer_options() {
	cp -r "$second" "$tmp/peer"
	sed -i 's/^config \(.*\)/config \1\npeer_config txdepth=8 poll=1/' "$tmp/peer/results.txt"
	scripts/report -o "$tmp/peer.html" "$tmp/peer" || return 1
	grep -q 'server: <code>txdepth=8 poll=1</code>' "$tmp/peer.html"
}

# every picture states the kind of its axes in its labels and in its caption
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

# Each row has its figures in the text of the PDF, on paper of the right size, and the options that
# are hidden on the screen.
paper() {
	browser --no-pdf-header-footer --print-to-pdf="$tmp/page.pdf" "file://$tmp/both.html" &&
		pdftotext -layout "$tmp/page.pdf" "$tmp/page.txt" || return 1
	pdfinfo "$tmp/page.pdf" | grep '^Page size:.*A4' || return 1
	perl -ne 'print join(" ", /<td>([^<]*)</g), "\n" if /^<tr><td/' "$tmp/both.html" >"$tmp/rows"
	tr -s ' ' <"$tmp/page.txt" >"$tmp/text"
	[ "$(wc -l <"$tmp/rows")" -gt 30 ] || return 1
	while read -r row; do
		grep -qF -- "$row" "$tmp/text" || {
			echo "the PDF has no $row"
			cat "$tmp/text"
			return 1
		}
	done <"$tmp/rows"
	grep -q 'server: not in the results' "$tmp/text"
}

valid() {
	tidy -q -e --show-info no "$1"
}

check "report makes the pages" pages
for page in one both; do
	with tidy "tidy accepts the page ($page)" valid "$tmp/$page.html"
	with chromium "no content is wider than 360, 768 and 1280 pixels ($page)" fits "$tmp/$page.html"
done
with chromium "a page that is too wide is found" too_wide
with chromium "on a phone a table scrolls in its own box" table_scrolls
with chromium "the page follows the reader's theme" dark
check "text has a contrast of 4.5 in both themes and on paper" contrast "$tmp/both.html"
check "keys reach scrolling boxes and details" reachable
check "the contents name each heading and each figure" linked
check "captions name device, kernels and clock of each run" captions
check "captions have the server's options if the results have them" peer_options
check "pictures state whether their axes are logarithmic" logarithmic
if command -v pdftotext >/dev/null; then
	with chromium "the printed page has every row of the tables" paper
else
	skip "the printed page has every row of the tables" "pdftotext is not installed: see scripts/deps page"
fi

t_end
