# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Shared by the tests that boot two guests, which source it and set top. They
# run on the host: TYPE and KERNEL say for which device and kernel.

: "${top:?}"
TYPE=${TYPE:-rxe}
KERNEL=${KERNEL:-stock}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/krping-boot.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM HUP

t_nr=0
t_failed=0
T_WHY=

diag() {
	printf '%s\n' "$*" | sed 's/^/# /'
}

why() {
	T_WHY=$*
	return 1
}

# t_wanted DESC: does this check run? T_ONLY is the description of the only one that does,
# or a part of it.
t_wanted() {
	case $1 in
	*"${T_ONLY-}"*) return 0 ;;
	esac
	return 1
}

# check DESC COMMAND...
check() {
	_desc=$1
	shift
	t_wanted "$_desc" || return 0
	T_WHY=
	t_nr=$((t_nr + 1))
	if "$@"; then
		echo "ok $t_nr - $_desc"
		return 0
	fi
	t_failed=$((t_failed + 1))
	echo "not ok $t_nr - $_desc"
	diag "failed: $*"
	[ -z "$T_WHY" ] || diag "$T_WHY"
	return 1
}

# skip DESC REASON
skip() {
	t_wanted "$1" || return 0
	t_nr=$((t_nr + 1))
	echo "ok $t_nr - $1 # SKIP $2"
}

skip_all() {
	echo "1..1"
	echo "ok 1 - all # SKIP $1"
	exit 0
}

# pair_need PROGRAM: without which there is nothing to test
pair_need() {
	PATH=$PATH:/usr/sbin:/sbin command -v "$1" >/dev/null ||
		skip_all "$1 is not installed: see scripts/deps check"
}

# pair_need_module NAME: of the guests' kernel
pair_need_module() {
	_dir=$("$top/scripts/kernel" "$KERNEL" modules) || exit 1
	grep -qs "/$1\.ko" "$_dir/modules.dep" "$_dir/modules.builtin" ||
		skip_all "the kernel $KERNEL has no $1"
}

# pair_run OPTION...: boot both, each with its script. Their output is for the
# reader; what matters is how they end.
pair_run() {
	_status=0
	[ -z "${KRPING_KO-}" ] || set -- "$@" --krping "$KRPING_KO"
	[ -z "${PAIR_LOGS-}" ] || set -- "$@" --log "$PAIR_LOGS/${0##*/}-$TYPE.log"
	"$top/scripts/vm" --pair "$tmp/A.sh" "$tmp/B.sh" --kernel "$KERNEL" \
		--file "$top/build/tools/kwrite:/usr/bin/kwrite" \
		--device "$TYPE" --timeout 400 "$@" >"$tmp/out" 2>&1 || _status=$?
	sed 's/^/# /' "$tmp/out"
	! grep -q 'identity broken' "$tmp/out" || why "figures of a result contradict each other" || return 1
	[ $_status = 0 ] || why "scripts/vm ended with status $_status"
}

# pair_guest: print what the scripts of both guests begin with
pair_guest() {
	echo "TYPE=$TYPE DEV=${TYPE}0"
	cat <<'END'
# start CMD: a test in the background, on descriptor 3
start() {
	exec 3<>/proc/krping
	printf '%s' "$1,background" >&3 || {
		echo "refused: $1: $(cat <&3)"
		exit 1
	}
}

running() {
	result=$(cat <&3)
	case $result in
	*" status=running "*) return 0 ;;
	esac
	return 1
}

# await SECONDS: until it has ended, but not for ever
await() {
	_tries=$(($1 * 5))
	while running; do
		[ $_tries -gt 0 ] || return 1
		_tries=$((_tries - 1))
		sleep 0.2
	done
}

# moving: until it has done some iterations
moving() {
	_tries=300
	while running; do
		case $result in
		*" iterations="[1-9]*) return 0 ;;
		esac
		[ $_tries -gt 0 ] || return 1
		_tries=$((_tries - 1))
		sleep 0.2
	done
	return 1
}

# report NAME: its result, on one line, and the identities of its figures that are broken
report() {
	echo "$1:" $result
	printf '%s\n' "$result" >/tmp/result
	kwrite check=/tmp/result
}
END
}

# said REGEX: has a guest printed such a line? It begins with A: or B:
said() {
	grep -Eq "^$1" "$tmp/out" || why "no line is $1"
}

pair_end() {
	echo "1..$t_nr"
	[ $t_failed = 0 ]
	exit
}
