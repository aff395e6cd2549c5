#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The page of scripts/conform-matrix, a table of verdicts, has the right columns, rows, notes
#   and sums, and needs neither script nor colour. tests/host/page.sh checks its width and its HTML.
# Requires: no guest; perl
# Duration: 2 s

set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/lib.sh
need_commands check perl

# shellcheck source=../lib-host.sh
. tests/lib-host.sh

dir=$tmp/verdicts
mkdir "$dir"
tab=$(printf '\t')
cat >"$dir/rxe-6.12.tsv" <<END
# case${tab}verdict${tab}differs${tab}reason
one${tab}ok${tab}-
two${tab}deviates${tab}event:bytes${tab}a.c f(): 1 < 2 & "x"
three${tab}unsupported${tab}-
END
cat >"$dir/rxe-6.1.tsv" <<END
one${tab}deviates${tab}event${tab}a.c f(): 1 < 2 & "x"
two${tab}deviates${tab}event${tab}another
END
cp "$dir/rxe-6.12.tsv" "$dir/siw-6.1.tsv"
cat >"$tmp/list" <<'END'
result status=ok errno=0
case name=one group=keys source="IBTA C9-222.1.1" needs=nothing expect="y"
case name=two group=bounds source="RFC 5040 7.2" needs=nothing expect="y"
END

# page ARGUMENT...: make the page
page() {
	scripts/conform-matrix -o "$tmp/page.html" "$@" 2>"$tmp/err"
}

# has TEXT: check that a line of the page has TEXT
has() {
	grep -qF -- "$1" "$tmp/page.html" || why "the page has no '$1'"
}

# columns: check that kernels are in the order of their versions: 6.1 precedes 6.12
columns() {
	page --list /dev/null "$dir"/*.tsv && has '<th scope="col">rxe<br>6.1</th><th scope="col">rxe<br>6.12</th><th scope="col">siw<br>6.1</th>'
}

# rows: check that each case has a row, and that a case without a verdict in a file has a dash in the column
# of this file
rows() {
	has '<tr><th scope="row">one</th><td class="deviates"><strong>deviates</strong> event <a href="#note-1">[1]</a></td><td class="ok">ok</td><td class="ok">ok</td></tr>' &&
		has '<tr><th scope="row">three</th><td>-</td><td class="unsupported">unsupported</td><td class="unsupported">unsupported</td></tr>' &&
		has '<strong>deviates</strong> event, bytes <a href="#note-1">[1]</a>'
}

# notes: check that equal reasons have one note, in which special characters are escaped
notes() {
	has '<li id="note-1">a.c f(): 1 &lt; 2 &amp; &quot;x&quot;</li>' && has '<li id="note-2">another</li>' &&
		eq "$(grep -c '<li id="note-' "$tmp/page.html")" 2 "number of notes"
}

# sums: check the rows with the sums of the verdicts
sums() {
	has '<tr><th scope="row">ok</th><td>0</td><td>1</td><td>1</td></tr>' &&
		has '<tr><th scope="row">deviates</th><td>2</td><td>1</td><td>1</td></tr>'
}

# listed: check that --list adds a heading for each group and the clause of each case, and that each clause
# links to the document of --docs
listed() {
	page --list "$tmp/list" --docs 'https://example.org/c.md?a&b' "$dir/siw-6.1.tsv" || return 1
	has '<tr class="group"><th scope="rowgroup" colspan="3">keys</th></tr>' &&
		has '<tr><th scope="row">one</th><td><a href="https://example.org/c.md?a&amp;b#one">IBTA C9-222.1.1</a></td><td class="ok">ok</td></tr>' &&
		has '#two">RFC 5040 7.2</a></td>' && has 'colspan="3">not in the list</th>' &&
		has '<tr><th scope="row">three</th><td></td><td class="unsupported">unsupported</td></tr>'
}

# linked: check that each case of the expected verdicts has a link to its row in Documentation/conformance.md
linked() {
	page || return 1
	sed -n 's/^<tr><th scope="row">\([a-z_0-9]*\)<\/th><td><a href="\([^#"]*\)#\([a-z_0-9]*\)">[^<]*[0-9a-z]<\/a>.*/\1 \2 \3/p' \
		"$tmp/page.html" >"$tmp/links"
	awk '$1 != $3' "$tmp/links" >"$tmp/wrong"
	eq "$(cat "$tmp/wrong")" "" "links to another case" || return 1
	eq "$(cut -d ' ' -f 1 "$tmp/links" | sort)" "$(sed '/^#/d' tests/conform/expected/*.tsv | cut -f 1 | sort -u)" \
		"cases with a link" || return 1
	while read -r name path _; do
		grep -q "^| <a id=\"$name\"></a>" "$tmp/$path" || why "$path has no row for $name" || return 1
	done <"$tmp/links"
}

# expected: check that the page of the project's own files has all deviations, and that each note belongs to
# a deviation
expected() {
	page || return 1
	eq "$(grep -o 'class="deviates"' "$tmp/page.html" | wc -l)" \
		"$(cat tests/conform/expected/*.tsv | awk -F '\t' '!/^#/ && $2 == "deviates"' | wc -l)" deviations &&
		eq "$(grep -o '#note-[0-9]*' "$tmp/page.html" | sort -u | wc -l)" \
			"$(grep -c '<li id="note-' "$tmp/page.html")" notes
}

# plain: check that the page loads no file and runs no script, and that no verdict depends on a colour
plain() {
	! grep -niE '<script|<link|<img|@import|url\(|src=' "$tmp/page.html" &&
		! grep -nE '\.(ok|deviates|unsupported|failed)[^}]*(color|background)' "$tmp/page.html"
}

# contrast: check that text and links have the contrast that WCAG 2 requires, 4.5, in each theme
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
		for my $text (qw(text link)) {
			for my $back (qw(back stripe)) {
				my ($low, $high) = sort { $a <=> $b } map { luminance($_) } @colour{$text, $back};
				$bad++ if ($high + 0.05) / ($low + 0.05) < 4.5;
			}
		}
		END { exit !($themes == 3 && !$bad) }' "$tmp/page.html"
}

# refused: check that a file without DEVICE-KERNEL in its name, and one that does not exist, are refused
refused() {
	cp "$dir/rxe-6.1.tsv" "$dir/nameless.tsv"
	! page "$dir/nameless.tsv" && grep -q 'is not named DEVICE-KERNEL.tsv' "$tmp/err" || return 1
	! page "$dir/none-1.tsv" && grep -q 'cannot read' "$tmp/err"
}

check "conform-matrix: a column for each device and kernel, in the order of the versions" columns
check "conform-matrix: a row for each case" rows
check "conform-matrix: equal reasons have one note" notes
check "conform-matrix: sums of the verdicts of each column" sums
check "conform-matrix --list and --docs set groups, clauses and their links" listed
check "conform-matrix: the clause of each case links to the row of the case in conformance.md" linked
check "conform-matrix: each deviation of the expected verdicts has its reason" expected
check "conform-matrix: the page has no script and needs no colour" plain
check "conform-matrix: text has a contrast of 4.5 in both themes and on paper" contrast
check "conform-matrix refuses a file that is not named DEVICE-KERNEL.tsv, and a missing file" refused

t_end
