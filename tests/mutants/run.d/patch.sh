# shellcheck shell=bash disable=SC2034,SC2154 # tests/mutants/run and its other parts use the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Read, check and select patches. Part of tests/mutants/run.

# directory of the patches; tests/host/mutants.sh sets another one
: "${MUTANTS:=$top/tests/mutants}"

# field PATCH KEY: print the value of KEY in the header
field() {
	sed -n "/^--- /q; s/^$2: //p" "$1"
}

# patched PATCH: print the name of the patched file
patched() {
	sed -n 's,^+++ b/,,p' "$1"
}

# subjects_of PATCH: print the arguments of tests/run for the mutant
subjects_of() {
	local tests
	tests=$(field "$1" Tests)
	if [ -z "$tests" ] && [ -e "$MUTANTS/subjects" ]; then
		tests=$(awk -v file="$(patched "$1")" '
			!/^#/ && $1 == file { sub(/^[^ \t]*[ \t]*/, ""); print; exit }' "$MUTANTS/subjects")
	fi
	printf '%s\n' "$tests"
}

# headers NAME...: print "NAME|CLASS|FILE|FAULT|WRONG" for each mutant, see headers.awk
headers() {
	local subjects=$MUTANTS/subjects
	[ -e "$subjects" ] || subjects=/dev/null
	set -- "${@/#/$MUTANTS/}"
	awk -v classes="$classes" -f "$top/tests/mutants/run.d/headers.awk" "$subjects" "${@/%/.patch}"
}

# plant PATCH DIR [OPTION]: apply the patch, with an OPTION of patch. The outermost line of context may differ (-F1).
plant() {
	patch -d "$2" -p1 -s -F1 --no-backup-if-mismatch -r - "${@:3}" <"$1"
}

# choose: print the names of the mutants that the command line and its shard K/N select
choose() {
	local patch name short seen=' ' i=0 matched
	for name in "${names[@]}"; do
		matched=
		for patch in "$MUTANTS"/*.patch; do
			short=${patch##*/}
			short=${short%.patch}
			case ${name##*/} in
			"$short" | "$short.patch" | "${short%%-*}") matched=yes ;;
			esac
		done
		[ "$matched" ] || die "there is no mutant $name: see $prog --list"
	done
	for patch in "$MUTANTS"/*.patch; do
		[ -e "$patch" ] || die "there is no patch in $MUTANTS"
		short=${patch##*/}
		short=${short%.patch}
		case $seen in
		*" ${short%%-*} "*) die "two mutants have the number ${short%%-*}" ;;
		esac
		seen="$seen${short%%-*} "
		if ((${#names[@]})); then
			matched=
			for name in "${names[@]}"; do
				case ${name##*/} in
				"$short" | "$short.patch" | "${short%%-*}") matched=yes ;;
				esac
			done
			[ "$matched" ] || continue
		fi
		i=$((i + 1))
		(((i - 1) % ${shard#*/} == ${shard%/*} - 1)) || continue
		printf '%s\n' "$short"
	done
}
