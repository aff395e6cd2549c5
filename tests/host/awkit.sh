#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Under each common awk, the scripts of awkit/ print the expected outputs that
#   tests/awkit/README.md describes.
# Requires: no guest; mawk, gawk, busybox
# Duration: 2 s

set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/lib.sh
need_commands check mawk gawk busybox perl

# shellcheck source=../lib-host.sh
. tests/lib-host.sh

# prints WANTED SCRIPT FILE...: check that SCRIPT of awkit/, run by $awk on these files, prints the content of
# the file WANTED
prints() {
	wanted=$1
	script=$2
	shift 2
	# shellcheck disable=SC2086 # an awk may be several words
	$awk -f "awkit/$script" "$@" >"$tmp/out" 2>"$tmp/err" || {
		echo "status $?"
		cat "$tmp/err"
		return 1
	}
	diff -a -u "$wanted" "$tmp/out"
}

# from_stdin WANTED SCRIPT FILE: as prints, but SCRIPT reads FILE as its standard input
from_stdin() {
	prints "$1" "$2" <"$3"
}

# valid FILE N: check that each line is a JSON object in valid UTF-8 with a result, and that there
# are at least N lines
valid() {
	perl -MJSON::PP -MEncode -ne '
		chomp;
		my $text = decode("UTF-8", $_, Encode::FB_CROAK | Encode::LEAVE_SRC);
		my $object = JSON::PP->new->decode($text);
		ref $object eq "HASH" && $object->{result} or die "no object with a result";
		$n++;
		END { die "only $n lines" if $n < '"$2"' }' "$1"
}

# hostile: print results with every byte that a line can have, and with each kind of invalid
# UTF-8: truncated, overlong, surrogates, beyond U+10FFFF
hostile() {
	echo "result id=1"
	perl -e '
		binmode STDOUT;
		for my $c (grep { $_ != 10 } 1 .. 255) {
			printf "g%d k%s=%s q=\"%s x\"\n", $c, (chr $c) x 3;
		}
		my @bad = ("\xc3", "\xc3(", "\xe2\x82", "\xe2\x82x", "\xf0\x9f\x98", "\xc0\xaf",
			"\xe0\x80\x80", "\xf0\x80\x80\x80", "\xed\xa0\x80", "\xed\xbf\xbf",
			"\xf4\x90\x80\x80", "\xf7\xbf\xbf\xbf", "\xf8\x88\x80\x80\x80",
			"\xfc\x84\x80\x80\x80\x80", "\x80", "\xff\xfe");
		my @good = ("\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xed\x9f\xbf",
			"\xee\x80\x80", "\xef\xbf\xbc", "\xf4\x8f\xbf\xbd");
		for my $i (0 .. $#bad) {
			print "result id=$i x=$bad[$i] y=\"$bad[$i]\" $bad[$i]=1\n";
			print "error detail=\"$bad[$i]$_$bad[$i]\"\n" for @good;
		}
		print "result id=99";
		print " g$_=\"$good[$_]\"" for 0 .. $#good;
		print "\n";'
}

# crlf FILE: print FILE with a CR at the end of each line
crlf() {
	perl -pe 's/\n/\r\n/' "$1"
}

hostile >"$tmp/hostile.txt"
for file in tests/awkit/*.log tests/awkit/*.txt; do
	crlf "$file" >"$tmp/crlf-${file##*/}"
done
cat tests/awkit/results.json.txt tests/awkit/results.json.txt >"$tmp/twice.json"

for awk in mawk gawk "gawk --posix" "gawk --traditional" "busybox awk"; do
	for LC_ALL in C C.UTF-8; do
		export LC_ALL
		under="$awk, $LC_ALL"
		for wanted in tests/awkit/*.*.txt; do
			name=${wanted##*/}
			name=${name%.txt}
			script=${name##*.}
			input=${name%.*}
			file=tests/awkit/$input.log
			[ -e "$file" ] || file=tests/awkit/$input.txt
			check "$script prints the expected output for $input: $under" prints "$wanted" "$script" "$file"
			check "$script prints the expected output for $input with CRs: $under" \
				prints "$wanted" "$script" "$tmp/crlf-${file##*/}"
		done
		check "json prints the objects of two files: $under" prints "$tmp/twice.json" json \
			tests/awkit/results.txt tests/awkit/results.txt
		check "json reads standard input: $under" \
			from_stdin tests/awkit/results.json.txt json tests/awkit/results.txt
		# ignore gawk's warnings of invalid characters
		# shellcheck disable=SC2086
		$awk -f awkit/json "$tmp/hostile.txt" >"$tmp/hostile.json" 2>"$tmp/err"
		check "json makes valid JSON from hostile text: $under" valid "$tmp/hostile.json" 18
		[ -e "$tmp/first.json" ] || cp "$tmp/hostile.json" "$tmp/first.json"
		check "hostile text gives the same JSON as with the first awk: $under" \
			cmp "$tmp/first.json" "$tmp/hostile.json"
		# shellcheck disable=SC2086
		$awk -f awkit/results "$tmp/hostile.txt" >"$tmp/hostile.table" 2>"$tmp/err"
		[ -e "$tmp/first.table" ] || cp "$tmp/hostile.table" "$tmp/first.table"
		check "hostile text gives the same tables as with the first awk: $under" \
			cmp "$tmp/first.table" "$tmp/hostile.table"
	done
done
unset LC_ALL

for file in results odd; do
	check "the expected output of json for $file is valid JSON" \
		valid "tests/awkit/$file.json.txt" 3
done
for script in klat kbw results json; do
	check "$script can be executed" test -x "awkit/$script"
done

t_end
