# shellcheck shell=bash disable=SC2034,SC2154 # tests/mutants/run and its other parts use the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Run the subjects (test files) of mutants without a mutant: --control and --learn. Part of tests/mutants/run.

# run_control: run the subjects of the selected mutants without a mutant, and end
run_control() {
	every=$(for name in "${mutants[@]}"; do
		patch=$MUTANTS/$name.patch
		[ "$(field "$patch" Equivalent)" ] || subjects_of "$patch"
	done | xargs -n 1 printf '"%s"\n' | awk -v type="$device" '
		$0 == "\"--device\"" { getline; gsub(/"/, ""); type = $0; next }
		!seen[type, $0]++ { print "--device " type " " $0 }')
	while read -r word; do
		test_in "$out/tree.1" "$out/logs/control.log" "$word"
		if [ "$verdict" = survived ]; then
			passed=$((passed + 1))
			echo "ok - without a mutant: $word"
		else
			failed=$((failed + 1))
			echo "not ok - without a mutant: $word: $killer"
		fi
	done <<<"$every"
	finish
}

# check_of KILLER: set check to the SUBJECT:NAME of the check that has killed a mutant, and
# type to its device. Fail if the killer is no check of a subject, such as a dead guest.
check_of() {
	local subject=${1%%: *} desc=${1#*: }
	case $1 in
	*/*": the guest had no trouble" | *"scripts/vm ended"* | *": ended without a plan"* | \
		*": was not run" | *"the time limit of"* | *": printed "*" tests, and "* | \
		*"no test or RDMA object is left at the end" | *"the kernel log has no trouble" | *'"'*)
		return 1
		;;
	esac
	type=$device
	case $subject in
	*/rxe | */siw)
		type=${subject##*/}
		subject=${subject%/*}
		;;
	esac
	check=$subject:$desc
}

# learn_checks: put the check that has killed a mutant first in the patch's Tests:, and end
learn_checks() {
	for name in "${mutants[@]}"; do
		patch=$MUTANTS/$name.patch
		row=$(known "$name") || continue
		[[ $row == killed$'\t'* ]] || continue
		row=${row#*$'\t'}
		check_of "${row%$'\t'*}" || continue
		tests="\"$check\""
		[ "$type" = "$device" ] || tests="--device $type $tests --device $device"
		old=$(subjects_of "$patch")
		case $old in
		"$tests"*) continue ;;
		esac
		test_in "$out/tree.1" "$out/logs/control.log" "$tests"
		if [ "$verdict" != survived ]; then
			skipped=$((skipped + 1))
			echo "ok - $name: $check # SKIP alone it fails without the mutant: $killer"
			continue
		fi
		passed=$((passed + 1))
		echo "ok - $name: $check"
		awk -v tests="$tests $old" '
			/^Tests: / && !n++ { print "Tests: " tests; next }
			/^--- / && !n++ { print "Tests: " tests }
			{ print }' "$patch" >"$out/patch" && cp "$out/patch" "$patch"
	done
	finish
}
