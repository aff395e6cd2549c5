#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: tests/check-conform applies patches to drivers. Each patch makes a driver break one rule,
#   which cases of the conformance test must notice. The patches are well-formed, apply, and name cases
#   that exist; each group of cases has a patch; Documentation/conformance.md lists the patches;
#   control.awk judges runs correctly.
# Requires: the source of a kernel; no guest
# Duration: 5 s

set -u
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=../lib-host.sh
. tests/lib-host.sh

patches=tests/conform/patches

# names: print each case that any patch names, once
names() {
	sed -n 's/^Cases: *//p' "$patches"/*.patch | tr ' ' '\n' | sed 's/=.*//' | sort -u
}

# headers: check that each patch begins with the lines Breaks:, Cases: and perhaps Groups:, and that its diff
# follows
headers() {
	for file in "$patches"/*.patch; do
		awk '
			NR == 1 && !/^Breaks: [a-z]/ ||
				NR == 2 && !/^Cases: [a-z_0-9]+(=[a-z_:]+)?( [a-z_0-9]+(=[a-z_:]+)?)*$/ { exit 1 }
			NR == 3 && /^Groups: [a-z:]+$/ { groups = 1; next }
			NR == 3 + groups && !/^--- a\/drivers\/infiniband\/sw\// { exit 1 }' "$file" ||
			why "the first lines of $file are wrong" || return 1
	done
}

# drivers: check that the name of each patch begins with the driver that it patches
drivers() {
	for file in "$patches"/*.patch; do
		name=${file##*/}
		case $name in
		rxe-* | siw-*) ;;
		*) why "$name names no driver" || return 1 ;;
		esac
		! grep '^+++ ' "$file" | grep -v "/sw/${name%%-*}/" || why "$name patches another driver" || return 1
	done
}

# apply: check that each patch applies without fuzz to the driver of the stock kernel
apply() {
	sources=$(scripts/kernel stock drivers) || return 1
	for file in "$patches"/*.patch; do
		name=${file##*/}
		driver=${name%%-*}
		rm -rf "${tmp:?}/tree"
		cp -r "$sources/$driver" "$tmp/tree"
		patch -s -F 0 -p5 -d "$tmp/tree" <"$file" || why "$name does not apply" || return 1
	done
}

# group_files: print the names of the files that have cases; each file has those of one group
group_files() {
	grep -l '^const struct conform_group conform_' krping/conform/*.c
}

# known_cases: check that each case that a patch names exists
known_cases() {
	for name in $(names); do
		group_files | xargs grep -q "^static int $name(" || why "there is no case $name" || return 1
	done
}

# each_group: check that each group that tests/check-conform runs has a case which a patch names
each_group() {
	names >"$tmp/names"
	for group in $(grep -v '^#' tests/conform/control-groups | tr : ' '); do
		file=krping/conform/$group.c
		sed -n 's/^static int \([a-z_0-9]*\)(struct conform_client \*c)$/\1/p' "$file" |
			grep -qxF -f "$tmp/names" || why "no patch names a case of $file" || return 1
	done
}

# table: check that conformance.md has the table that tests/check-conform prints
table() {
	sed '1,/^<!-- controls: begin/d; /^<!-- controls: end/,$d' Documentation/conformance.md >"$tmp/has"
	tests/check-conform --table | diff "$tmp/has" -
}

# cases: check that tests/conform/cases lists the same cases as each file of expected verdicts, and that
# conformance.md has the table of these cases
cases() {
	sed -n 's/^case name=\([^ ]*\) .*/\1/p' tests/conform/cases >"$tmp/listed"
	for file in tests/conform/expected/*.tsv; do
		sed '/^#/d' "$file" | cut -f 1 | diff "$tmp/listed" - || why "$file has other cases" || return 1
	done
	sed '1,/^<!-- cases: begin/d; /^<!-- cases: end/,$d' Documentation/conformance.md >"$tmp/has"
	awk -f tests/conform/cases.awk tests/conform/cases | diff "$tmp/has" -
}

# parts: check that the parts 1/3 to 3/3 have each patch once
parts() {
	tests/check-conform --list | sort >"$tmp/all"
	for n in 1 2 3; do
		tests/check-conform --list --part "$n/3"
	done | sort | diff "$tmp/all" -
}

# named: check that --named runs the groups of the cases that a patch names, and no other group
named() {
	for file in $(group_files); do
		sed -n "s/^static int \\([a-z_0-9]*\\)(struct conform_client \\*c)\$/\\1 $(basename "$file" .c)/p" "$file"
	done >"$tmp/cases"
	for file in "$patches"/*.patch; do
		name=${file##*/}
		sed -n 's/^Cases: *//p' "$file" | tr ' ' '\n' | sed 's/=.*//' |
			awk -v name="${name%.patch}" 'NR == FNR { group[$1] = $2; next }
				!seen[group[$1]]++ { print name, group[$1] }' "$tmp/cases" -
	done | sort >"$tmp/wanted"
	tests/check-conform --list --named | awk '{ n = split($2, group, ":")
		for (i = 1; i <= n; i++) print $1, group[i] }' | sort | diff "$tmp/wanted" -
}

#
# How control.awk judges a run
#

# Each line has a case, its verdict without a patch, and the fields that deviate without a patch.
printf '%s\t%s\t%s\n' one ok - two deviates event three ok - >"$tmp/expected.tsv"

# judge NAMES LINE...: let control.awk judge a run in which the cases have the results LINE, with a patch
# whose line Cases: has NAMES; print each complaint
judge() {
	_names=$1
	shift
	printf 'case name=%s\n' "$@" >"$tmp/run"
	echo "conform ok=1" >>"$tmp/run"
	awk -v names="$_names" -f tests/conform/control.awk "$tmp/expected.tsv" "$tmp/run" | sed '/^changed:/d'
}

# The functions below without a comment are checks, which the end of this file describes.

caught() {
	eq "$(judge "one=bytes two" "one verdict=deviates differs=requester:bytes" \
		"two verdict=deviates differs=event:qp" "three verdict=ok")" ""
}

# unnoticed: check that a deviation which also occurs without the patch does not count, because it does not
# prove that the case notices the fault
unnoticed() {
	eq "$(judge two "one verdict=ok" "two verdict=deviates differs=event" "three verdict=ok")" \
		"two has its expected verdict, so the case does not notice the fault"
}

other_case() {
	eq "$(judge one "one verdict=deviates differs=qp" "two verdict=deviates differs=event" \
		"three verdict=deviates differs=qp")" \
		"three deviates in qp, but the patch does not name it"
}

other_field() {
	eq "$(judge one=bytes "one verdict=deviates differs=requester" "two verdict=deviates differs=event" \
		"three verdict=ok")" "one does not differ in bytes"
}

not_run() {
	eq "$(judge one "one verdict=failed error=110" "two verdict=deviates differs=event" "three verdict=ok")" \
		"one is failed, but a patch must make it deviate" &&
		eq "$(judge one "one verdict=deviates differs=qp" "two verdict=deviates differs=event")" \
			"three has no result"
}

check "each patch begins with its fault and its cases" headers
check "each patch belongs to one driver" drivers
check "each patch applies to the stock kernel's driver" apply
check "each patch names cases that exist" known_cases
check "each group of tests/conform/control-groups has a patch" each_group
check "Documentation/conformance.md has the table of the patches (make conform-table)" table
check "Documentation/conformance.md has the table of the cases (make conform-table)" cases
check "the parts 1/3 to 3/3 together have each patch once" parts
check "--named runs the groups of the cases that a patch names" named
check "a run in which the named cases deviate passes" caught
check "a case that does not notice the fault fails" unnoticed
check "a case that deviates without being named fails" other_case
check "a case that does not differ in the named field fails" other_field
check "a case that could not be run, or has no result, fails" not_run

t_end
