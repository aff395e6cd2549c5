#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The p values of krping compare (the Mann-Whitney test) agree with an enumeration, an
#   integral and a published value.
# Requires: no guest; mawk, gawk, busybox, perl
# Duration: 7 s

set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/lib.sh
need_commands check mawk gawk busybox perl

# shellcheck source=../lib-host.sh
. tests/lib-host.sh

lib=scripts/krping.d

# p_value X Y: print the p value that stats.awk computes for two lists of numbers
p_value() {
	# shellcheck disable=SC2086 # an awk may be two words
	$awk -f $lib/stats.awk -f $tmp/p.awk -- "$1" "$2"
}
cat >"$tmp/p.awk" <<'END'
BEGIN {
	n = split(ARGV[1], a, " ")
	m = split(ARGV[2], b, " ")
	for (i = 1; i <= n; i++)
		x[i] = a[i] + 0
	for (i = 1; i <= m; i++)
		y[i] = b[i] + 0
	printf "%.4f\n", mann_whitney(x, n, y, m)
	exit
}
END

# enumerated X Y: print the p value by an independent definition. u() counts the pairs of an x and a
# smaller y; a pair of equal values counts half. Divide all values in all ways into two lists of the lengths
# of X and Y. Take the share of ways whose count is at most u(X, Y), and the share whose count is at least
# u(X, Y). p is twice the smaller share, at most 1.
enumerated() {
	perl -e '
		use strict;
		my ($x, $y) = map { [ split " " ] } @ARGV;
		my @all = (@$x, @$y);
		sub u {
			my ($x, $y) = @_;
			my $u = 0;
			for my $a (@$x) { for my $b (@$y) { $u += $a > $b ? 1 : $a == $b ? 0.5 : 0 } }
			return $u;
		}
		my $seen = u($x, $y);
		my ($low, $high, $every) = (0, 0, 0);
		for my $mask (0 .. 2 ** @all - 1) {
			my (@a, @b);
			push @{ $mask >> $_ & 1 ? \@a : \@b }, $all[$_] for 0 .. $#all;
			next unless @a == @$x;
			my $u = u(\@a, \@b);
			$every++;
			$low++ if $u <= $seen;
			$high++ if $u >= $seen;
		}
		my $p = 2 * ($low < $high ? $low : $high) / $every;
		printf "%.4f\n", $p > 1 ? 1 : $p;' "$1" "$2"
}

# pairs of lists, one pair per line
cat >"$tmp/pairs" <<'END'
1 2 3 4 5;6 7 8 9 10
1 2 3;4 5 6
5 5 5;5 5 5
1 3 5 7;2 4 6 8
1 1 2 2 3;2 2 3 3 4
10 11 12 13 14 15;12 12 12 12 19
7;3 4
1000001 1000002 1000003 1000004;4000000001 4000000002 4000000003 1000002
END

# agrees: check that the p value of each pair is the enumerated one
agrees() {
	while IFS=';' read -r x y; do
		eq "$(p_value "$x" "$y")" "$(enumerated "$x" "$y")" "p of $x and $y" || return 1
	done <"$tmp/pairs"
}

# published: check that p is twice 0.1272, the one-sided p that R's manual has for this example:
#   wilcox.test(c(0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46),
#               c(1.15, 0.88, 0.90, 0.74, 1.21))
published() {
	eq "$(p_value "0.80 0.83 1.89 1.04 1.45 1.38 1.91 1.64 0.73 1.46" "1.15 0.88 0.90 0.74 1.21")" 0.2544 p
}

# many: check the p value of 40 values. For more than 30, stats.awk approximates p by the normal distribution,
# whose density this function integrates.
many() {
	x='' y=''
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		x="$x $((i * 10))"
		y="$y $((i * 10 + 45))"
	done
	want=$(perl -e '
		my @x = map { $_ * 10 } 1 .. 20;
		my @y = map { $_ * 10 + 45 } 1 .. 20;
		my $u = 0;
		for my $a (@x) { for my $b (@y) { $u += $a > $b ? 1 : $a == $b ? 0.5 : 0 } }
		my $z = (abs($u - 200) - 0.5) / sqrt(400 * 41 / 12);
		# the tail by the sum of a fine grid
		my ($p, $h) = (0, 1e-4);
		for (my $t = $z + $h / 2; $t < 9; $t += $h) { $p += exp(-$t * $t / 2) * $h }
		printf "%.4f\n", 2 * $p / sqrt(2 * 3.14159265358979);')
	eq "$(p_value "$x" "$y")" "$want" "p by the approximation"
}

# many_ties: check the p value of 32 values, half of them equal, which makes the variance of u smaller
many_ties() {
	x='' y=''
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
		x="$x $((i % 2 ? 5 : i))"
		y="$y $((i % 2 ? 5 : i + 5))"
	done
	want=$(perl -e '
		my @x = map { $_ % 2 ? 5 : $_ } 1 .. 16;
		my @y = map { $_ % 2 ? 5 : $_ + 5 } 1 .. 16;
		my ($u, %n, $ties) = (0);
		for my $a (@x) { for my $b (@y) { $u += $a > $b ? 1 : $a == $b ? 0.5 : 0 } }
		$n{$_}++ for @x, @y;
		$ties += $_ ** 3 - $_ for values %n;
		my $z = (abs($u - 128) - 0.5) / sqrt(256 / 12 * (33 - $ties / (32 * 31)));
		my ($p, $h) = (0, 1e-4);
		for (my $t = $z + $h / 2; $t < 9; $t += $h) { $p += exp(-$t * $t / 2) * $h }
		printf "%.4f\n", 2 * $p / sqrt(2 * 3.14159265358979);')
	eq "$(p_value "$x" "$y")" "$want" "p with ties"
}

for awk in mawk gawk "gawk --posix" "busybox awk"; do
	check "the exact p value agrees with an enumeration: $awk" agrees
	check "the p value agrees with the example of R's manual: $awk" published
	check "the p value of many samples is the normal approximation: $awk" many
	check "the p value of many samples with ties is the normal approximation for ties: $awk" many_ties
done

t_end
