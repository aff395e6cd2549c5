#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The KUnit suites, each in a module of its own, on a kernel that detects
#   faults.
# Requires: one guest with the debug kernel (tests/run --kernel debug)
# Duration: 9 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

kunit_case() {
	cases=$((cases + 1))
	"$@"
}

# suite FILE: load the suite and convert its output to TAP. Lines of its cases are indented,
# after the messages of a case; the line without indentation is the suite's.
suite() {
	module=${1##*/}
	module=${module%.ko}
	name=${module%_kunit}
	insmod "$1" || {
		not_ok "$name: loads"
		return
	}
	results=/sys/kernel/debug/kunit/$name/results
	check "$name: has results" test -e "$results"
	said='' cases=0 plan=''
	while IFS= read -r l; do
		case $l in
		"    1.."*) plan=${l#*1..} ;;
		"    ok "*"# SKIP"*) kunit_case skip "$name: ${l#*ok * }" "the suite says so" ;;
		"    ok "*) kunit_case ok "$name: ${l#*ok * }" ;;
		"    not ok "*) kunit_case not_ok "$name: ${l#*ok * }" "$said" ;;
		"ok "*) ok "$name: all" ;;
		"not ok "*) not_ok "$name: all" ;;
		"    # "*)
			said="$said$l
"
			continue
			;;
		esac
		said=
	done <"$results"
	check "$name: has cases, and as many as it says" eq "$((cases > 0)) $cases" "1 $plan"
	check "$name: can be removed" rmmod "$module"
}

if [ ! -d /sys/kernel/debug/kunit ]; then
	skip "the suites" "this kernel has no KUnit"
	t_end
	exit
fi

found=
for ko in "${0%/*}"/../kunit/*.ko; do
	[ -e "$ko" ] || continue
	found=yes
	suite "$ko"
done
[ "$found" ] || not_ok "there are suites"

t_end
