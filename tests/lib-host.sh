# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Shared by the tests that run on this machine, and not in a guest. Sourced. POSIX sh.
# $tmp is a directory of theirs.

tmp=$(mktemp -d "${TMPDIR:-/tmp}/krping-test.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM HUP

t_nr=0
t_failed=0

# t_wanted DESC: does this check run? T_ONLY is the description of the only one that does,
# or a part of it.
t_wanted() {
	case $1 in
	*"${T_ONLY-}"*) return 0 ;;
	esac
	return 1
}

# result ok|"not ok" DESC
result() {
	t_wanted "$2" || return 0
	t_nr=$((t_nr + 1))
	[ "$1" = ok ] || t_failed=$((t_failed + 1))
	echo "$1 $t_nr - $2"
}

# check DESC COMMAND...: ok if COMMAND succeeds; otherwise its output says why
check() {
	_desc=$1
	shift
	t_wanted "$_desc" || return 0
	if "$@" >"$tmp/why" 2>&1; then
		result ok "$_desc"
		return 0
	fi
	result "not ok" "$_desc"
	head -n 40 "$tmp/why" | LC_ALL=C tr -c '\n -~' '?' | sed 's/^/# /'
	return 1
}

# t_end: the plan; what each of them ends with
t_end() {
	echo "1..$t_nr"
	[ $t_failed = 0 ]
}
