#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The KUnit suites of krping pass on the debug kernel. Each suite is a module,
#   and each of its cases counts as a check.
# Requires: one guest with the debug kernel (tests/run --kernel debug)
# Duration: 9 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

# kunit_case COMMAND...: count a case, and run COMMAND, which reports the case as a check
kunit_case() {
	cases=$((cases + 1))
	"$@"
}

# suite FILE: load the module FILE, which runs its suite, and convert the results to TAP. In debugfs the
# result of a case is indented and follows the messages of the case; the result of the suite is not indented.
suite() {
	module=${1##*/}
	module=${module%.ko}
	name=${module%_kunit}
	insmod "$1" || {
		not_ok "$name: the module can be loaded"
		return
	}
	results=/sys/kernel/debug/kunit/$name/results
	check "$name: debugfs has the results" test -e "$results"
	said='' cases=0 plan=''
	while IFS= read -r l; do
		case $l in
		"    1.."*) plan=${l#*1..} ;;
		"    ok "*"# SKIP"*) kunit_case skip "$name: ${l#*ok * }" "the suite skips it" ;;
		"    ok "*) kunit_case ok "$name: ${l#*ok * }" ;;
		"    not ok "*) kunit_case not_ok "$name: ${l#*ok * }" "$said" ;;
		"ok "*) ok "$name: the suite passes" ;;
		"not ok "*) not_ok "$name: the suite passes" ;;
		"    # "*)
			said="$said$l
"
			continue
			;;
		esac
		said=
	done <"$results"
	check "$name: the results have as many cases as the plan, at least one" eq "$((cases > 0)) $cases" "1 $plan"
	check "$name: the module can be unloaded" rmmod "$module"
}

if [ ! -d /sys/kernel/debug/kunit ]; then
	skip "the KUnit suites pass" "this kernel has no KUnit"
	t_end
	exit
fi

found=
for ko in "${0%/*}"/../kunit/*.ko; do
	[ -e "$ko" ] || continue
	found=yes
	suite "$ko"
done
[ "$found" ] || not_ok "the guest has KUnit suites"

t_end
