# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print TAP. lib-krping.sh and lib-host.sh source this file and define check(). POSIX sh.
#
#   T_ONLY   description of the only check to run, or a part of it; if unset, all run

t_nr=0
t_failed=0
t_skipped=0
# Reason of the last failure; why() sets it.
T_WHY=

# t_wanted DESC: check whether T_ONLY selects this check
t_wanted() {
	case $1 in
	*"${T_ONLY-}"*) return 0 ;;
	esac
	return 1
}

# diag TEXT: print the lines of TEXT as TAP comments
diag() {
	while IFS= read -r _l; do
		printf '# %s\n' "$_l"
	done <<-END
		$*
	END
}

# ok DESC: print a success
ok() {
	t_wanted "$1" || return 0
	t_nr=$((t_nr + 1))
	printf 'ok %d - %s\n' $t_nr "$1"
}

# not_ok DESC [DIAG]: print a failure
not_ok() {
	! t_wanted "$1" || t_fail "$@"
}

# t_fail DESC [DIAG]: print a failure even if T_ONLY does not select DESC
t_fail() {
	t_nr=$((t_nr + 1))
	t_failed=$((t_failed + 1))
	printf 'not ok %d - %s\n' $t_nr "$1"
	[ -z "${2-}" ] || diag "$2"
}

# skip DESC REASON: print that the check DESC is skipped
skip() {
	t_wanted "$1" || return 0
	t_nr=$((t_nr + 1)) t_skipped=$((t_skipped + 1))
	printf 'ok %d - %s # SKIP %s\n' $t_nr "$1" "$2"
}

# skip_all REASON: print that all checks are skipped, and end the subject
skip_all() {
	echo "1..1"
	echo "ok 1 - all # SKIP $1"
	exit 0
}

# why TEXT: set T_WHY to TEXT, the reason of a failure, and fail
# shellcheck disable=SC2034 # for check() of the library that sources this one
why() {
	T_WHY=$*
	return 1
}

# eq GOT WANT [WHAT]: check that GOT is WANT; WHAT names the value in T_WHY
eq() {
	[ "$1" = "$2" ] || why "${3-value} is '$1' instead of '$2'"
}

# t_plan: print the plan; fail if a check has failed
t_plan() {
	printf '1..%d\n' $t_nr
	[ $t_failed = 0 ]
}
