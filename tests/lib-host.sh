# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Functions for test files that run on the host, some of which boot guests. A test file sources this
# file from the top directory of the checkout. $tmp is a temporary directory of the test file. POSIX sh.

# provider of the guests, their kernel (of scripts/kernel), and the directory of the programs for this kernel
TYPE=${TYPE:-rxe}
KERNEL=${KERNEL:-stock}
PROGRAMS=${PROGRAMS:-build}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/krping-test.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM HUP

# shellcheck source=lib-tap.sh
. tests/lib-tap.sh

# check DESC COMMAND...: check that COMMAND succeeds. If COMMAND fails, print T_WHY and the first 40
# lines of the output of COMMAND, with ? for each byte that is not printable.
check() {
	_desc=$1
	shift
	t_wanted "$_desc" || return 0
	T_WHY=
	if "$@" >"$tmp/why" 2>&1; then
		ok "$_desc"
		return 0
	fi
	not_ok "$_desc"
	[ -z "$T_WHY" ] || diag "$T_WHY"
	head -n 40 "$tmp/why" | LC_ALL=C tr -c '\n -~' '?' | sed 's/^/# /'
	return 1
}

# t_end: print the plan, and exit; the status is 1 if a check has failed
t_end() {
	t_plan
	exit
}

#
# Guests
#

# need PROGRAM: skip the subject if this machine lacks PROGRAM
need() {
	PATH=$PATH:/usr/sbin:/sbin command -v "$1" >/dev/null ||
		skip_all "$1 is not installed: see scripts/deps check"
}

# decode ARG...: let tshark decode the capture of boot_pair. tshark would decode a TCP connection by its
# ports first; but the kernel can choose a port of another protocol for a client of iWARP, such as 44818.
decode() {
	tshark -o tcp.try_heuristic_first:TRUE -r "$tmp/pcap" "$@" 2>>"$tmp/tshark.err"
}

# decode_fields a|f FILTER FIELD...: print the FIELDs of the packets that match FILTER, with ; between the
# fields. With a, print all values of a field, with commas between them; with f, the first value.
decode_fields() {
	_occurrence=$1 _filter=$2
	shift 2
	for _f; do
		set -- "$@" -e "$_f"
		shift
	done
	decode -T fields -E separator=';' -E occurrence="$_occurrence" -E aggregator=, "$@" ${_filter:+"$_filter"}
}

# need_module NAME: skip the subject if the guests' kernel lacks the module
need_module() {
	_dir=$(scripts/kernel "$KERNEL" modules) || exit 1
	grep -qs "/$1\.ko" "$_dir/modules.dep" "$_dir/modules.builtin" ||
		skip_all "the kernel $KERNEL has no $1"
}

# modules MODULE...: print the options of scripts/vm that load the MODULEs into a guest. A module that is
# built into the guest's kernel needs no option.
modules() {
	_dir=$(scripts/kernel "$KERNEL" modules)
	for _m; do
		! grep -qs "/$_m\.ko" "$_dir/modules.dep" || echo "--module $_m"
	done
}

# boot_pair OPTION...: boot two guests with these options of scripts/vm, run $tmp/A.sh in the first and
# $tmp/B.sh in the second, and check that both scripts succeed and that kwrite finds no contradiction in
# their results. The output of both scripts is in $tmp/out, and is printed. tests/run may set these
# variables:
#   KRPING_KO     file of the module to load
#   BOOT_LOGS     directory in which the kernel logs are kept
# tests/check-* may set PEER_KERNEL: then the second guest has this kernel, the module PEER_KO, and the
# programs of build/PEER_KERNEL.
boot_pair() {
	_status=0
	[ -z "${PEER_KERNEL-}" ] || set -- "$@" --peer-kernel "$PEER_KERNEL" --peer-krping "$PEER_KO" \
		--peer-file "build/$PEER_KERNEL/tools/kwrite:/usr/bin/kwrite"
	[ -z "${KRPING_KO-}" ] || set -- "$@" --krping "$KRPING_KO"
	# a --log among the OPTIONs is the last, and counts
	[ -z "${BOOT_LOGS-}" ] || set -- --log "$BOOT_LOGS/${0##*/}-$TYPE.log" "$@"
	scripts/vm --pair "$tmp/A.sh" "$tmp/B.sh" --kernel "$KERNEL" \
		--file "$PROGRAMS/tools/kwrite:/usr/bin/kwrite" \
		--device "$TYPE" --timeout 1500 "$@" >"$tmp/out" 2>&1 || _status=$?
	sed 's/^/# /' "$tmp/out"
	! grep -q 'identity broken' "$tmp/out" || why "figures of a result contradict each other" || return 1
	[ $_status = 0 ] || why "scripts/vm ended with status $_status"
}

# pair_functions: print shell functions for A.sh and B.sh
pair_functions() {
	echo "TYPE=$TYPE DEV=${TYPE}0"
	cat <<'END'
# start CMD: start a test in the background, and exit if krping rejects CMD. Descriptor 3 reads the result
# of the test.
start() {
	exec 3<>/proc/krping
	printf '%s' "$1,background" >&3 || {
		echo "refused: $1: $(cat <&3)"
		exit 1
	}
}

# running: set result to the result of the test, and check that the test still runs
running() {
	result=$(cat <&3)
	case $result in
	*" status=running "*) return 0 ;;
	esac
	return 1
}

# await SECONDS: wait until the test has ended; fail after SECONDS
await() {
	_tries=$(($1 * 5))
	while running; do
		[ $_tries -gt 0 ] || return 1
		_tries=$((_tries - 1))
		sleep 0.2
	done
}

# moving: wait at most 60 s until the test has done an iteration; fail if the test ends first
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

# report NAME: print the result in one line that begins with NAME. kwrite then prints a line for each
# figure of the result that contradicts another figure.
report() {
	echo "$1:" $result
	printf '%s\n' "$result" >/tmp/result
	kwrite check=/tmp/result
}
END
}

# said REGEX: check that a line of the guests' output begins with a match of REGEX. Each line begins
# with "A: " or "B: ", the name of its guest.
said() {
	grep -Eq "^$1" "$tmp/out" || why "no line begins with $1"
}
