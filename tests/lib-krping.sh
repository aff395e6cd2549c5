# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Drive krping in a guest: write commands, read results and the kernel log, and check that
# no test or RDMA object is left. POSIX sh. The functions fork as little as possible, because
# fork is slow in an emulated guest.
#
# The parts are in lib-krping/. A part calls functions of the parts that are sourced before it.
#
# A test file is called a subject. It sources this file, makes its checks, and ends with t_end,
# which prints TAP's plan. A subject that dies earlier prints no plan, and so fails.
#
# Variables that the environment or the subject may set; this file sets the first five if they are unset:
#   DEV            the RDMA device (rxe0)
#   TYPE           rxe or siw
#   IF             the network interface of DEV
#   ADDR, ADDR6    the IPv4 and the IPv6 address of IF
#   T_ONLY         the description of the only check to run, or a part of it; if unset, all run
#   T_LIB          the directory of this file (default: the parent of the subject's directory)

KR=/proc/krping
# path of the module in the guest
KR_KO=${KR_KO:-/lib/modules/extra/rdma_krping.ko}
KWRITE=${KWRITE:-kwrite}
T_NAME=${0##*/}
T_NAME=${T_NAME%.sh}
T_TMP=${T_TMP:-/tmp/krping.$$}
mkdir -p "$T_TMP"

# A sourced file does not know its own path, so a script in another place sets T_LIB.
t_lib=${T_LIB:-${0%/*}/..}
# shellcheck source=lib-tap.sh
. "$t_lib/lib-tap.sh"
# shellcheck source=lib-krping/wait.inc
. "$t_lib/lib-krping/wait.inc"
# shellcheck source=lib-krping/hang.inc
. "$t_lib/lib-krping/hang.inc"
# shellcheck source=lib-krping/result.inc
. "$t_lib/lib-krping/result.inc"
# shellcheck source=lib-krping/command.inc
. "$t_lib/lib-krping/command.inc"
# shellcheck source=lib-krping/klog.inc
. "$t_lib/lib-krping/klog.inc"
# shellcheck source=lib-krping/device.inc
. "$t_lib/lib-krping/device.inc"
# shellcheck source=lib-krping/running.inc
. "$t_lib/lib-krping/running.inc"
# shellcheck source=lib-krping/expect.inc
. "$t_lib/lib-krping/expect.inc"
# shellcheck source=lib-krping/trace-cpus.inc
. "$t_lib/lib-krping/trace-cpus.inc"
# shellcheck source=lib-krping/trace-instance.inc
. "$t_lib/lib-krping/trace-instance.inc"
# shellcheck source=lib-krping/other-guest.inc
. "$t_lib/lib-krping/other-guest.inc"

# provider_is TYPE SERIES: check that the device is of this TYPE and the kernel of this
# SERIES, such as 5.10
provider_is() {
	case "$TYPE $(uname -r)" in
	"$1 $2".*) return 0 ;;
	esac
	return 1
}

# known_fault TYPE SERIES DESC REASON: if the guest has the provider TYPE and a kernel of this SERIES, skip
# the check DESC because of a fault of this provider. Otherwise return 1, and the caller makes the check.
# The fault also occurs without krping: Documentation/known-issues.md describes it.
known_fault() {
	provider_is "$1" "$2" && skip "$3" "$4"
}

# check DESC COMMAND...: check that COMMAND, which may be a function, succeeds. COMMAND may set T_WHY to
# explain a failure. A check that takes longer than T_LIMIT seconds fails as hung. After a failure print
# the state of krping.
check() {
	_desc=$1
	shift
	if ! t_wanted "$_desc"; then
		hang_between "the code behind '$_desc'"
		return 0
	fi
	T_WHY=
	hang_check
	hang_begin "$T_LIMIT" "$_desc"
	if "$@"; then
		_check=ok
	else
		_check=failed
	fi
	hang_between "the code behind '$_desc'"
	if hang_seen; then
		t_fail "$_desc # hangs" "a check may take $((T_LIMIT * T_SLOW)) s"
		return 1
	fi
	if [ $_check = ok ]; then
		ok "$_desc"
		return 0
	fi
	not_ok "$_desc" "failed: $*"
	[ -z "$T_WHY" ] || diag "$T_WHY"
	t_state
	return 1
}

# check_within SECONDS DESC COMMAND...: do what check does, with a time limit of SECONDS
check_within() {
	_limit=$T_LIMIT
	T_LIMIT=$1
	shift
	check "$@"
	_check=$?
	T_LIMIT=$_limit
	return $_check
}

# t_state: print the last command, its result and the kernel log
t_state() {
	diag "last command: $KR_CMD"
	diag "ret=$KR_RET errno=$KR_ERRNO"
	[ ! -s "$KR_RESULT" ] || diag "$(cat "$KR_RESULT")"
	diag "kernel log: $(klog_since | tail -n 8)"
	t_stacks
}

# not COMMAND...: succeed if COMMAND fails
not() {
	! "$@"
}

# Command that t_end runs first.
T_AT_END=:

# t_random N: set T_RANDOM to a random number from 0 to N - 1. FAULT_SEED is the state of the generator. A
# subject prints FAULT_SEED, so that a user can repeat the run with the same numbers.
t_random() {
	FAULT_SEED=$(((FAULT_SEED * 1103515245 + 12345) & 0x7fffffff))
	T_RANDOM=$(((FAULT_SEED >> 8) % $1))
}

if [ -z "${FAULT_SEED-}" ]; then
	read -r _l </proc/sys/kernel/random/uuid
	FAULT_SEED=$((0x${_l%%-*} & 0x7fffffff))
fi
# export tells shellcheck that other files use the variable
export T_RANDOM=0

# t_spawned_end: kill processes that a failed check has left, so that the module can unload
t_spawned_end() {
	jobs -p >"$T_TMP/jobs"
	while read -r _pid; do
		kill "$_pid" 2>/dev/null
	done <"$T_TMP/jobs"
}

# t_end: end a subject: stop its tests and processes, check that it leaves nothing, and print the plan
t_end() {
	$T_AT_END
	hang_check
	kr_stop
	t_spawned_end
	check "the figures of each result are consistent" eq "$KR_BROKEN" 0 "number of contradictions"
	check "no test or RDMA object is left at the end" kr_clean
	check "the kernel log has no trouble" klog_clean
	rm -rf "$T_TMP"
	t_plan
}

# the state at the start of the subject, for kr_clean and klog_clean
t_objects=$(rdma_objects)
klog_mark
