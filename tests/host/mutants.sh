#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Each patch of tests/mutants (a mutant: a bug that tests must find) applies to the tree
#   and has a valid header. tests/mutants/run --check rejects invalid patches. --shard and --sample select
#   and order the mutants. This subject builds no mutant; make mutants does.
# Requires: no guest
# Duration: 11 s

set -u
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=../lib-host.sh
. tests/lib-host.sh

# all_apply: check that tests/mutants/run --check accepts all patches
all_apply() {
	tests/mutants/run --check >"$tmp/check" || {
		grep '^not ok' "$tmp/check"
		return 1
	}
	tail -n 1 "$tmp/check" | grep -q '^[1-9][0-9][0-9]* passed, 0 failed, 0 skipped$'
}

# A valid patch. The checks make invalid patches from it.
good=tests/mutants/222-klat-whole-round-trip.patch

# alone FILTER: make a directory with one patch: the valid one, changed by the sed script FILTER
alone() {
	rm -rf "$tmp/mutants"
	mkdir "$tmp/mutants"
	sed "$1" "$good" >"$tmp/mutants/001-bad.patch"
}

# refused FILTER TEXT: check that --check fails and names the patch and the reason
refused() {
	alone "$1"
	if MUTANTS=$tmp/mutants tests/mutants/run --check >"$tmp/said" 2>&1; then
		echo "tests/mutants/run accepts the patch"
		return 1
	fi
	grep -q "^not ok - 001-bad: .*$2" "$tmp/said" &&
		grep -q '^0 passed, 1 failed, 0 skipped$' "$tmp/said" && return
	cat "$tmp/said"
	return 1
}

# accepted: check that --check accepts the valid patch
accepted() {
	alone ''
	MUTANTS=$tmp/mutants tests/mutants/run --check >"$tmp/said" 2>&1 || {
		cat "$tmp/said"
		return 1
	}
}

# two_of_a_number: check that --check rejects two patches with the same number
two_of_a_number() {
	alone ''
	cp "$tmp/mutants/001-bad.patch" "$tmp/mutants/001-too.patch"
	if MUTANTS=$tmp/mutants tests/mutants/run --check >"$tmp/said" 2>&1; then
		echo "tests/mutants/run accepts both patches"
		return 1
	fi
	grep -q 'two mutants have the number 001' "$tmp/said"
}

# shards: check that each mutant is in exactly one of three shards
shards() {
	tests/mutants/run --list >"$tmp/whole" || return 1
	for k in 1 2 3; do
		tests/mutants/run --shard "$k/3" --list || return 1
	done | sort >"$tmp/parts"
	sort "$tmp/whole" | diff - "$tmp/parts"
}

# samples: check that the same seed gives the same order of the mutants, that another seed gives another
# order, and that both orders have the same mutants. With --list, the 60 seconds of --sample do not matter.
samples() {
	for seed in 1 1 2; do
		tests/mutants/run --sample 60 --seed "$seed" --list >>"$tmp/sample.$seed" || return 1
	done
	n=$(wc -l <"$tmp/sample.2")
	head -n "$n" "$tmp/sample.1" >"$tmp/first"
	tail -n "$n" "$tmp/sample.1" | cmp - "$tmp/first" || return 1
	if cmp -s "$tmp/first" "$tmp/sample.2"; then
		echo "seeds 1 and 2 give the same order"
		return 1
	fi
	sort "$tmp/first" >"$tmp/sorted"
	sort "$tmp/sample.2" | diff - "$tmp/sorted"
}

check "every mutant applies and has a valid header" all_apply
check "mutants/run --check accepts a valid patch" accepted
check "mutants/run --check rejects a patch that does not apply" refused 's,2e3,4e3,' 'does not apply'
check "mutants/run --check rejects a patch for a missing file" refused 's,/klat,/gone,' 'there is no awkit/gone'
check "mutants/run --check rejects a patch whose header has no line 'Wrong:'" refused '/^Wrong: /d' 'Wrong'
check "mutants/run --check rejects an unknown class" refused 's/^Class: .*/Class: odd/' 'odd'
check "mutants/run --check rejects two patches with the same number" two_of_a_number
check "mutants/run --shard: each mutant is in exactly one shard" shards
check "mutants/run --sample: the order depends on the seed only" samples

t_end
