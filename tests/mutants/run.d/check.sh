# shellcheck shell=bash disable=SC2034,SC2154 # tests/mutants/run and its other parts use the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Check that each patch is well-formed and applies. Part of tests/mutants/run.

# check_patches: print a line for each selected patch, and end
check_patches() {
	local log name file why
	log=$(mktemp) || exit 1
	# shellcheck disable=SC2064 # the value of now
	trap "rm -f '$log'" EXIT
	while IFS='|' read -r name _ file why _; do
		if [ -z "$why" ]; then
			if [ ! -e "$file" ]; then
				why="there is no $file"
			elif ! plant "$MUTANTS/$name.patch" . --dry-run >"$log" 2>&1; then
				why="does not apply: $(head -n 1 "$log")"
			fi
		fi
		if [ "$why" ]; then
			failed=$((failed + 1))
			echo "not ok - $name: $why"
		else
			passed=$((passed + 1))
			echo "ok - $name"
		fi
	done < <(headers "${mutants[@]}")
	finish
}
