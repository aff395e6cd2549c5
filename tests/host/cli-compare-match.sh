#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping compare explains why results of OLD and NEW do not match, and names the side with too few
#   repetitions. With --force it compares results of different sizes.
# Requires: no guest; mawk, gawk, busybox
# Duration: 10 s

set -u
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=shells.inc
. tests/host/shells.inc
# shellcheck source=compare.inc
. tests/host/compare.inc

results few wlat "" 4400 4450 4500
results one wlat "" 4000
sed 's/size=64/size=4096/' "$tmp/slow" >"$tmp/large"

# The functions below without a comment are checks; each_check has their descriptions.

sizes_named() {
	compare 13 "$tmp/old" "$tmp/large" && said "krping: size: 64 in OLD, 4096 in NEW" &&
		said "a row needs the same test, size and memory mode" &&
		said "next: measure NEW again with the size of OLD: --size 64; or compare the two sizes: krping compare $tmp/old $tmp/large --force"
}
several_sizes() {
	sed 's/size=64/size=1/' "$tmp/old" | cat "$tmp/old" - >"$tmp/two"
	compare 13 "$tmp/two" "$tmp/large" && said "size: 64, 1 in OLD, 4096 in NEW" && said "--sizes 64,1" && ! said "--force" &&
		compare 13 "$tmp/two" "$tmp/large" --force && said "size: 64, 1 in OLD, 4096 in NEW"
}
# other_parts: check that compare names other parts of a row than the size, and the test of OLD as the next step
other_parts() {
	sed 's/mem_mode=dma/mem_mode=reg/' "$tmp/old" >"$tmp/reg"
	compare 13 "$tmp/old" "$tmp/reg" && said "memory mode: dma in OLD, reg in NEW" && ! said "--size" &&
		said "next: compare the two memory modes: krping compare $tmp/old $tmp/reg --force" || return 1
	compare 13 "$tmp/old" "$tmp/bwold" && said "test: wlat in OLD, bw in NEW" && ! said "txdepth:" &&
		said "next: measure NEW again with the test of OLD: krping wlat ADDR" || return 1
	sed 's/size=64/size=8/' "$tmp/bwold" >"$tmp/small"
	compare 13 "$tmp/old" "$tmp/small" && said "next: measure NEW again with the test of OLD: krping wlat ADDR --size 64" &&
		cat "$tmp/old" "$tmp/bwold" >"$tmp/both" && sed 's/mem_mode=dma/mem_mode=reg/; s/test=wlat/test=slat/' "$tmp/old" >"$tmp/slat" &&
		compare 13 "$tmp/both" "$tmp/slat" && said "next: measure NEW again as OLD: krping sweep ADDR DIR --kinds wlat,bw" || return 1
	sed 's/txdepth=64/txdepth=16/' "$tmp/bwold" >"$tmp/shallow"
	compare 13 "$tmp/shallow" "$tmp/bwold" && said "txdepth: 16 in OLD, 64 in NEW" && said "for throughput the same txdepth" &&
		said "; or compare the two depths: krping compare $tmp/shallow $tmp/bwold --force"
}
# forced_depths: check the row of two depths, and the remark about them beside another row
forced_depths() {
	sed 's/txdepth=64/txdepth=16/' "$tmp/bwold" >"$tmp/shallow"
	compare 0 "$tmp/shallow" "$tmp/bwold" --force && row 'bw 64 dma .* ~ .*' && row 'differs: txdepth of bw 64 dma: 16 in OLD, 64 in NEW' &&
		! grep 'only in' "$tmp/out" && cat "$tmp/old" "$tmp/shallow" >"$tmp/first" && cat "$tmp/old" "$tmp/bwold" >"$tmp/second" &&
		compare 0 "$tmp/first" "$tmp/second" && grep -q 'txdepth of bw 64 dma: 16 in OLD, 64 in NEW; --force compares them' "$tmp/out" &&
		row 'only in OLD: bw 64 dma txdepth=16' || return 1
	compare 0 "$tmp/first" "$tmp/second" --force && eq "$(grep -c '^bw\|^wlat' "$tmp/out")" 2 rows
}
# forced_modes: check the row of two memory modes, and that compare matches no modes of a test that has both
forced_modes() {
	sed 's/mem_mode=dma/mem_mode=reg/' "$tmp/old" >"$tmp/reg"
	compare 0 "$tmp/old" "$tmp/reg" --force && row 'wlat 64 dma/reg .* ~ .*' && row 'differs: memory mode of wlat 64: dma in OLD, reg in NEW' &&
		! grep 'only in' "$tmp/out" && cat "$tmp/old" "$tmp/reg" >"$tmp/modes" &&
		compare 0 "$tmp/modes" "$tmp/reg" --force && row 'wlat 64 reg .* ~ .*' && row 'only in OLD: wlat 64 dma'
}
# forced_sizes: check the row of two sizes, and that another difference is named, too
forced_sizes() {
	sed 's/clocksource=tsc/clocksource=hpet/' "$tmp/large" >"$tmp/other"
	compare 1 "$tmp/old" "$tmp/other" --force && row 'wlat 64/4096 dma p50 \[usec\] 4\.050 1% 4\.450 1% \+9\.88% 0\.008 worse' &&
		row 'differs: size of wlat dma: 64 in OLD, 4096 in NEW' && row 'differs: config clocksource: tsc in OLD, hpet in NEW' &&
		! grep 'only in' "$tmp/out"
}
# forced_beside: check that --force matches no sizes of a test that has several, whose results it names
forced_beside() {
	cat "$tmp/large" "$tmp/old" >"$tmp/two"
	compare 0 "$tmp/old" "$tmp/two" --force && row 'wlat 64 dma .*' && row 'only in NEW: wlat 4096 dma' && ! row 'wlat .*/.*'
}
too_few() {
	mkdir -p "$tmp/back\\slash" && cp "$tmp/few" "$tmp/back\\slash/few" || return 1
	compare 0 "$tmp/few" "$tmp/back\\slash/few" && grep -qF "no difference can be significant with 3 repetitions of wlat 64 dma in OLD ($tmp/few) and 3 in NEW ($tmp/back\\slash/few): measure OLD and NEW at least 4 times (krping bench-suite -n 4)" "$tmp/out" &&
		eq "$(grep -c 'repeat\|measure' "$tmp/out")" 1 "number of remarks" || return 1
	compare 0 "$tmp/one" "$tmp/old" && grep -qF "with 1 repetition of wlat 64 dma in OLD ($tmp/one) and 5 in NEW ($tmp/old): measure OLD at least 4 times" "$tmp/out" &&
		compare 0 "$tmp/old" "$tmp/one" && grep -qF ": measure NEW at least 4 times" "$tmp/out" &&
		compare 0 "$tmp/few" "$tmp/few" --alpha 0.01 && grep -qF ": measure OLD and NEW at least 5 times (krping bench-suite -n 5)" "$tmp/out"
}
# weak_rows: check that the remark has the number of the other rows with too few repetitions
weak_rows() {
	sed 's/test=wlat/test=slat/' "$tmp/few" | cat "$tmp/few" - >"$tmp/two"
	compare 0 "$tmp/two" "$tmp/two" && grep -q "; 1 other row has too few, too$" "$tmp/out" || return 1
	sed 's/test=wlat/test=rlat/' "$tmp/few" >>"$tmp/two"
	compare 0 "$tmp/two" "$tmp/two" && grep -q "; 2 other rows have too few, too$" "$tmp/out" &&
		compare 0 "$tmp/few" "$tmp/few" && ! grep "other row" "$tmp/out"
}
no_spread() {
	compare 0 "$tmp/one" "$tmp/old" && row 'wlat 64 dma p50 \[usec\] 4\.000 - 4\.050 1% ~ [0-9.]*' && repetitions 1+5 &&
		compare 0 "$tmp/old" "$tmp/one" --html && grep -q '<td>-</td>' "$tmp/out"
}

# each_check: make all checks under one pair of a shell and an awk, which $under names
each_check() {
	check "compare names the sizes of OLD and NEW that have no size in common: $under" sizes_named
	check "compare names several sizes, and the command that measures them: $under" several_sizes
	check "compare names the tests, memory modes and depths of results that do not match: $under" other_parts
	check "--force compares one size in OLD with another in NEW, and says so: $under" forced_sizes
	check "--force compares one txdepth in OLD with another in NEW, and a remark says so: $under" forced_depths
	check "--force compares one memory mode in OLD with another in NEW, and says so: $under" forced_modes
	check "--force matches no sizes of a test with several: $under" forced_beside
	check "compare names the side with too few repetitions, and their number: $under" too_few
	check "compare prints how many rows have too few repetitions: $under" weak_rows
	check "compare prints no spread of a single repetition: $under" no_spread
}

PATH=$tmp/awk:$PATH
each_shell each_check

t_end
