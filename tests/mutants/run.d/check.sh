# shellcheck shell=bash disable=SC2034,SC2154 # tests/mutants/run and its other parts use the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Check that each patch is well-formed and applies. Part of tests/mutants/run.

# check_patches: print a line for each selected patch, and end
check_patches() {
	tmp=$(mktemp -d) || exit 1
	trap 'rm -rf "$tmp"' EXIT
	for name in "${mutants[@]}"; do
		patch=$MUTANTS/$name.patch
		why=$(malformed "$patch" | head -n 1)
		file=$(patched "$patch" | head -n 1)
		if [ -z "$why" ]; then
			mkdir -p "$tmp/$(dirname "$file")"
			if ! cp "$file" "$tmp/$file" 2>/dev/null; then
				why="there is no $file"
			elif ! plant "$patch" "$tmp" >"$tmp/log" 2>&1; then
				why="does not apply: $(head -n 1 "$tmp/log")"
			elif cmp -s "$file" "$tmp/$file"; then
				why="changes nothing"
			fi
		fi
		if [ "$why" ]; then
			failed=$((failed + 1))
			echo "not ok - $name: $why"
		else
			passed=$((passed + 1))
			echo "ok - $name"
		fi
	done
	finish
}
