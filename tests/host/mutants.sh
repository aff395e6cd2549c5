#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Each patch of tests/mutants (a mutant: a bug that tests must find) applies to the tree
#   and has a valid header. tests/mutants/run --check rejects invalid patches. --shard and --sample select
#   and order the mutants. Only a failed check or a guest that crashes or hangs kills a mutant. This subject
#   builds no mutant; make mutants does.
# Requires: no guest
# Duration: 12 s

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

# faults_apply: check that the patch of debug-boot/dma applies. This subject runs on the debug kernel only.
faults_apply() {
	patch -f -s -p1 --dry-run <tests/debug-boot/dma-faults.patch
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

# verdict KIND [KILLER]: check that the output $tmp/tap of tests/run means the verdict KIND, for the reason KILLER
verdict() {
	got=$(bash -c '. tests/mutants/run.d/outcome.sh && outcome "$1"' sh "$tmp/tap")
	[ "$got" = "${1:+$1$(printf '\t')$2}" ] && return
	printf 'the verdict is: %s\n' "$got"
	cat "$tmp/tap"
	return 1
}

# no_guest: check the verdict of a run whose guest cannot boot, because there is no module
no_guest() {
	tests/run --no-build --krping "$tmp/missing.ko" --device rxe modes >"$tmp/tap" 2>/dev/null
	verdict error "guest/rxe: scripts/vm ended with status 127"
}

# guest_ends STATUS VERDICT REASON: check the verdict of a run whose guest does not begin its only subject, and
# ends with STATUS
guest_ends() {
	printf 'not ok 1 - modes/rxe: was not run\n' >"$tmp/tap"
	if [ "$1" = 0 ]; then
		echo 'ok 2 - guest/rxe: the guest had no trouble'
	else
		echo "not ok 2 - guest/rxe: scripts/vm ended with status $1"
	fi >>"$tmp/tap"
	verdict "$2" "$3"
}

# subject_prints ONLY STATUS VERDICT REASON [LINE...]: check the verdict of a run with the check ONLY of the
# subject x, which prints the lines LINE and ends with STATUS
subject_prints() {
	# shellcheck disable=SC2016 # the inner shell expands them
	bash -c '. tests/run.d/tap.sh
		progress="" only=$1 status=$2
		shift 4
		begin x
		for text; do
			line "$text"
		done
		end "$status"' sh "$@" >"$tmp/tap"
	verdict "$3" "$4"
}

# ends_with_126 VERDICT TEXT: check the verdict of a run whose subject x prints TEXT on standard error, and ends with
# status 126 before its first check
ends_with_126() {
	printf '%s\n' "$2" 'not ok 1 - x: ended without a plan, with status 126' >"$tmp/tap"
	verdict "$1" 'x: ended without a plan, with status 126'
}

check "every mutant applies and has a valid header" all_apply
check "the planted DMA faults of the debug kernel's tests apply" faults_apply
check "mutants/run --check accepts a valid patch" accepted
check "mutants/run --check rejects a patch that does not apply" refused 's,2e3,4e3,' 'does not apply'
check "mutants/run --check rejects a patch that changes nothing" refused 's/1e3/2e3/' 'changes nothing'
check "mutants/run --check rejects a patch for a missing file" refused 's,/klat,/gone,' 'there is no awkit/gone'
check "mutants/run --check rejects a patch whose header has no line 'Wrong:'" refused '/^Wrong: /d' 'Wrong'
check "mutants/run --check rejects an unknown class" refused 's/^Class: .*/Class: odd/' 'odd'
check "mutants/run --check rejects two patches with the same number" two_of_a_number
check "mutants/run --shard: each mutant is in exactly one shard" shards
check "mutants/run --sample: the order depends on the seed only" samples
check "mutants/run: a guest that cannot boot is an error" no_guest
check "mutants/run: a guest that crashes before the subject kills the mutant" \
	guest_ends 126 killed "guest/rxe: scripts/vm ended with status 126"
check "mutants/run: a guest that hangs before the subject kills the mutant" \
	guest_ends 124 killed "guest/rxe: scripts/vm ended with status 124"
check "mutants/run: a subject that the guest does not begin is an error" \
	guest_ends 0 error "modes/rxe: was not run"
check "mutants/run: a failed check kills the mutant" subject_prints '' 1 killed 'x: two' \
	'ok 1 - one' 'not ok 2 - two' 1..2
check "mutants/run: subjects that pass leave the mutant without a killer" subject_prints '' 0 '' '' 'ok 1 - one' 1..1
check "mutants/run: a name that no check has is an error" subject_prints three 0 error \
	"no check of x matches 'three'" 'ok 1 - one' 1..1
check "mutants/run: a name that two checks have is an error" subject_prints one 0 error \
	"2 checks of x match 'one'" 'ok 1 - one a' 'ok 2 - one b' 1..2
check "mutants/run: a subject that ends before its first check, as after a failed build, is an error" \
	subject_prints '' 2 error 'x: ended without a plan, with status 2' '# cc: error'
check "mutants/run: a subject that ends after a check kills the mutant" \
	subject_prints '' 2 killed 'x: ended without a plan, with status 2, after "one"' 'ok 1 - one'
check "mutants/run: a subject that hangs kills the mutant" \
	subject_prints '' 124 killed 'x: ended without a plan, with status 124'
check "mutants/run: a subject whose guest crashes before its first check kills the mutant" \
	ends_with_126 killed 'vm: guest: the kernel had trouble (see above)'
check "mutants/run: a subject whose program cannot be run is an error" \
	ends_with_126 error 'sh: scripts/vm: Permission denied'

t_end
