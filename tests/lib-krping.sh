# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Drive krping in a guest: write commands, read results and the kernel log, and check that
# no test or RDMA object is left. POSIX sh. The functions fork as little as possible, because
# fork is slow in an emulated guest.
#
# A test file is a subject. It sources this file, makes its checks, and ends with t_end,
# which prints the plan: a subject that dies has none.
#
# Variables that tests/run sets, and otherwise this file:
#   DEV            the RDMA device (rxe0)
#   TYPE           rxe or siw
#   IF             its network interface
#   ADDR, ADDR6    addresses of the interface
#   T_ONLY         the description of the only check to run, or a part of it

KR=/proc/krping
# path of the module in the guest
KR_KO=${KR_KO:-/lib/modules/extra/rdma_krping.ko}
KWRITE=${KWRITE:-kwrite}
T_NAME=${0##*/}
T_NAME=${T_NAME%.sh}
T_TMP=${T_TMP:-/tmp/krping.$$}
mkdir -p "$T_TMP"

# A sourced file does not know its own path, hence T_LIB.
# shellcheck source=lib-tap.sh
. "${T_LIB:-${0%/*}/..}/lib-tap.sh"

# provider_is TYPE SERIES: check that the device is of this TYPE and the kernel of this
# SERIES, such as 5.10
provider_is() {
	case "$TYPE $(uname -r)" in
	"$1 $2".*) return 0 ;;
	esac
	return 1
}

# known_fault TYPE SERIES DESC REASON: skip a check because of a fault of this provider in
# this kernel series. The fault is in Documentation/known-issues.md and occurs without krping,
# too. Return 1 for all other providers; the caller then makes the check.
known_fault() {
	provider_is "$1" "$2" && skip "$3" "$4"
}

# check DESC COMMAND...: check that COMMAND, which may be a function, succeeds. COMMAND may
# set T_WHY to explain a failure. A check that takes longer than T_LIMIT seconds fails as
# hung.
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

# check_within SECONDS DESC COMMAND...: as check, with a time limit of SECONDS
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

# Factor of all time limits on a debugging kernel.
T_SLOW=1
[ ! -e /sys/kernel/debug/kmemleak ] || T_SLOW=10
# limit of the time of a client outside its iterations
[ $T_SLOW = 1 ] || export KWRITE_SETUP_MS=600000

#
# Hangs. The watchdog, a process of its own, ends a check that takes too long. The shell
# writes what the watchdog needs into files, without a fork:
#   hang.at    time limit and name of the check, or of the code between two checks
#   hang.cmd   time of the last command, or 0 if it has ended, and the command
#   hang.seen  exists after the watchdog has seen a hang and until the check has failed
#

T_LIMIT=120
# kwrite ends a command by a signal after 120 s. The watchdog prints the stacks earlier.
CMD_LIMIT=100
# Time limit of the code between two checks.
BETWEEN_LIMIT=300
hang_files=$T_TMP/hang
hang_watched=

# hang_begin SECONDS WHAT: set the time limit of WHAT
hang_begin() {
	seconds
	echo "$((NOW + $1 * T_SLOW)) $((t_nr + 1)) $2" >"$hang_files.at"
	[ -z "$hang_watched" ] || return 0
	hang_watched=yes
	# not a child of this shell, which may wait for all its children
	(hang_watch </dev/null &)
}

# hang_between WHAT: set the time limit of the code between two checks
hang_between() {
	hang_begin $BETWEEN_LIMIT "$1"
}

# hang_seen: check whether the watchdog has ended something since the last call
hang_seen() {
	[ -e "$hang_files.seen" ] && rm -f "$hang_files.seen"
}

# hang_check: check that the code before this line has not hung
hang_check() {
	! hang_seen || t_fail "the code in front of '${_desc-}' # hangs"
}

# hang_cmd TIME: record the start of KR_CMD, or its end if TIME is 0
hang_cmd() {
	_hang=${KR_CMD#write=}
	printf '%s %s\n' "$1" "${_hang% read}" >"$hang_files.cmd"
}

# hang_watch: run the watchdog until the subject ends
hang_watch() {
	_slow_cmd=
	while [ -e "/proc/$$" ] && [ -e "$hang_files.at" ]; do
		sleep 2
		seconds
		if read -r _at _nr _what 2>/dev/null <"$hang_files.at" && [ "$NOW" -gt "$_at" ]; then
			hang_end
		fi
		read -r _at _cmd 2>/dev/null <"$hang_files.cmd" || continue
		case $_at in
		0 | "$_slow_cmd") continue ;;
		esac
		[ $((NOW - _at)) -gt $CMD_LIMIT ] || continue
		_slow_cmd=$_at
		diag "a command has not ended after $CMD_LIMIT s: $_cmd"
		t_stacks
	done
}

# hang_end: print the state of the hung check, and kill the processes that the subject has
# started. If the subject still hangs, print its plan and kill it.
hang_end() {
	: >"$hang_files.seen"
	diag "$_what: hangs"
	read -r _ _cmd 2>/dev/null <"$hang_files.cmd"
	diag "last command: ${_cmd-}"
	hang_tree
	t_stacks
	# print all blocked tasks into the kernel log
	echo w >/proc/sysrq-trigger
	hang_kill
	_tries=$((10 * T_SLOW))
	while [ $_tries -gt 0 ]; do
		sleep 1
		[ -e "/proc/$$" ] || return
		read -r _new_at _new_nr _ 2>/dev/null <"$hang_files.at" &&
			[ "$_new_at $_new_nr" != "$_at $_nr" ] && return
		_tries=$((_tries - 1))
	done
	kill -STOP $$
	printf 'not ok %d - %s # hangs\n1..%d\n' "$_nr" "$_what" "$_nr"
	kill -9 $$
	exit
}

# hang_tree: set HANG_PIDS to the subject and all processes that it has started
hang_tree() {
	HANG_PIDS=" $$ "
	_more=yes
	while [ -n "$_more" ]; do
		_more=
		for _p in /proc/[0-9]*; do
			_pid=${_p#/proc/}
			case $HANG_PIDS in
			*" $_pid "*) continue ;;
			esac
			read -r _l 2>/dev/null <"$_p/stat" || continue
			# state and parent follow the name, which may contain any character
			_l=${_l##*) ? }
			case $HANG_PIDS in
			*" ${_l%% *} "*)
				HANG_PIDS="$HANG_PIDS$_pid "
				_more=yes
				;;
			esac
		done
	done
}

# hang_kill: kill all of HANG_PIDS but the subject
hang_kill() {
	for _pid in $HANG_PIDS; do
		[ "$_pid" = $$ ] || kill -9 "$_pid" 2>/dev/null
	done
}

HANG_PIDS=

# t_stacks: print command line and kernel stack of krping's threads, of kwrite and
# krping-peer, and of HANG_PIDS; at most 16 processes
t_stacks() {
	_shown=0
	for _p in /proc/[0-9]*; do
		read -r _comm 2>/dev/null <"$_p/comm" || continue
		case "$_comm $HANG_PIDS" in
		krping/* | kwrite* | krping-peer* | *" ${_p#/proc/} "*) ;;
		*) continue ;;
		esac
		_shown=$((_shown + 1))
		if [ $_shown -gt 16 ]; then
			diag "... and more"
			return
		fi
		diag "process ${_p#/proc/}, $_comm: $(tr '\0' ' ' 2>/dev/null <"$_p/cmdline")"
		diag "$(cat "$_p/stack" 2>/dev/null)"
	done
}

# seconds: set NOW to the uptime in seconds
seconds() {
	read -r NOW _ </proc/uptime
	NOW=${NOW%.*}
}

# until_ok SECONDS COMMAND...: wait until COMMAND succeeds, at most SECONDS. COMMAND may call
# until_ok as well, so the state is in the arguments.
until_ok() {
	_for=$1
	shift
	seconds
	set -- $((NOW + _for * T_SLOW)) "$@"
	until until_try "$@"; do
		seconds
		[ "$NOW" -le "$1" ] || return 1
		sleep 0.1
	done
}

# until_try DEADLINE COMMAND...: run COMMAND
until_try() {
	shift
	"$@"
}

not() {
	! "$@"
}

# T_AT_END: a command that t_end runs first
T_AT_END=:

# t_random N: set T_RANDOM to a number below N. FAULT_SEED is the state of the generator; a
# subject prints it, so that a run can be repeated.
t_random() {
	FAULT_SEED=$(((FAULT_SEED * 1103515245 + 12345) & 0x7fffffff))
	T_RANDOM=$(((FAULT_SEED >> 8) % $1))
}

if [ -z "${FAULT_SEED-}" ]; then
	read -r _l </proc/sys/kernel/random/uuid
	FAULT_SEED=$((0x${_l%%-*} & 0x7fffffff))
fi
# exported only because this file does not use it
export T_RANDOM=0

# t_spawned_end: kill processes that a failed check has left, so that the module can unload
t_spawned_end() {
	jobs -p >"$T_TMP/jobs"
	while read -r _pid; do
		kill "$_pid" 2>/dev/null
	done <"$T_TMP/jobs"
}

# t_end: end a subject
t_end() {
	$T_AT_END
	hang_check
	kr_stop
	t_spawned_end
	check "the figures of each result are consistent" eq "$KR_BROKEN" 0 "number of identities broken"
	check "all is cleaned up at the end" kr_clean
	check "the kernel log has no trouble" klog_clean
	rm -rf "$T_TMP"
	t_plan
}

#
# The kernel log
#

# trouble.sh has the patterns of kernel log lines that are errors; scripts/vm uses them, too.
KR_TROUBLE=/usr/share/krping/trouble.sh
[ -e $KR_TROUBLE ] || KR_TROUBLE=${0%/*}/../../scripts/trouble.sh
# shellcheck source=../scripts/trouble.sh
. "$KR_TROUBLE"

klog_nr=0

# klog_mark: set the mark from which klog_since prints
klog_mark() {
	klog_nr=$((klog_nr + 1))
	echo "$T_NAME: mark $$.$klog_nr" >/dev/kmsg
}

# klog_from MARK: print the log from MARK, or all of it if the mark was overwritten
klog_from() {
	dmesg | awk -v mark="$T_NAME: mark $1\$" '
		{ line[++n] = $0 }
		$0 ~ mark { n = 0; next }
		END { for (i = 1; i <= n; i++) print line[i] }'
}

# klog_since: print the log from the last mark
klog_since() {
	klog_from "$$.$klog_nr"
}

# klog_has REGEX: check that a line of krping in the log since the mark matches
klog_has() {
	klog_since | grep -Eq "krping: .*($1)" || why "the log has no line 'krping: ... $1'"
}

# klog_delta ITERATIONS SIZE: check the "delta" log line for awk users; its time must be that
# of the result
klog_delta() {
	_nsec=${KR_OUT#*" time nsec="}
	_nsec=${_nsec%% *}
	klog_has "delta sec $((_nsec / 1000000000)) delta usec $((_nsec % 1000000000 / 1000)) iter $1 size $2\$"
}

# klog_count REGEX: print the number of matching lines
klog_count() {
	klog_since | grep -Ec "krping: .*($1)"
}

# klog_clean: check that the log of the subject has no errors of the kernel
klog_clean() {
	T_WHY=$(klog_from $$.1 | trouble_lines)
	[ -z "$T_WHY" ]
}

#
# The device and its addresses
#

if [ -z "${DEV-}" ]; then
	for _d in /sys/class/infiniband/*; do
		DEV=${_d##*/}
	done
fi
: "${TYPE:=${DEV%%[0-9]*}}"
: "${IF:=$(rdma link show "$DEV/1" | sed -n 's/.* netdev \([^ ]*\).*/\1/p')}"
: "${ADDR:=$(ip -o -4 addr show dev "$IF" | awk '{ sub("/.*", "", $4); print $4; exit }')}"
: "${ADDR6:=$(ip -o -6 addr show dev "$IF" scope global | awk '{ sub("/.*", "", $4); print $4; exit }')}"
LINK6=$(ip -o -6 addr show dev "$IF" scope link | awk '{ sub("/.*", "", $4); print $4; exit }')

PAGE=$("$KWRITE" pagesize)
DMA_MAX=$((4 << 20))
case $TYPE in
siw) REG_MAX=$((256 * PAGE)) ;;
*) REG_MAX=$((512 * PAGE)) ;;
esac
# exported only because this file does not use all of them
export KR_PID DEV TYPE IF ADDR ADDR6 LINK6 DMA_MAX REG_MAX KR_KO

#
# krping. A command leaves
#   KR_RET      what write(2) returned: bytes, or -1
#   KR_ERRNO    the errno's name, or 0
#   KR_RESULT   a file with the result's lines
#   KR_OUT      the output of kwrite, in one line
#   KR_LOG      lines that krping has logged during the command; set only by kr_logged
#

KR_CMD='' KR_PID='' KR_RET='' KR_ERRNO='' KR_OUT='' KR_DETAIL='' KR_LOG='' KR_RESULT=$T_TMP/result

# Number of figures that contradict each other; tests/tools/identity.c finds them.
KR_BROKEN=0

# kr_take: set the variables from the output of kwrite in KR_RESULT
kr_take() {
	KR_RET='' KR_ERRNO='' KR_OUT='' KR_DETAIL='' KR_LOG='' _was=$KR_BROKEN
	while IFS= read -r _l; do
		case $_l in
		ret=*)
			KR_RET=${_l#ret=}
			KR_ERRNO=${KR_RET#*errno=}
			KR_RET=${KR_RET%% *}
			;;
		error*)
			KR_DETAIL=${_l#* detail=?}
			KR_DETAIL=${KR_DETAIL%?}
			_l=${_l%% detail=*}
			;;
		"identity broken"*)
			KR_BROKEN=$((KR_BROKEN + 1))
			diag "$_l" "(the result of $KR_CMD)"
			continue
			;;
		klog\ *)
			KR_LOG="$KR_LOG${_l#klog }
"
			continue
			;;
		esac
		KR_OUT="$KR_OUT $_l"
	done <"$KR_RESULT"
	KR_OUT="$KR_OUT "
	[ $KR_BROKEN = $_was ] || diag "$(cat "$KR_RESULT")"
}

# kr_steps STEP...: run kwrite with these steps
kr_steps() {
	KR_CMD=$*
	case $KR_CMD in
	*limit=*) hang_cmd 0 ;;
	*)
		seconds
		hang_cmd "$NOW"
		;;
	esac
	"$KWRITE" "$@" >"$KR_RESULT"
	_rc=$?
	hang_cmd 0
	kr_take
	return $_rc
}

# kr CMD: write a command and wait for its end. Succeeds if write(2) does.
kr() {
	kr_steps "write=$1" read
	KR_CMD=$1
	[ "$KR_RET" = ${#1} ]
}

# kr_is KEY VALUE: check a value of the result. Key or value may be quoted text.
kr_is() {
	case $KR_OUT in
	*" $1=$2 "*) return 0 ;;
	esac
	why "$1 is '$(kr_get "$1")' instead of '$2'"
}

# kr_has TEXT: check that the result contains TEXT
kr_has() {
	case $KR_OUT in
	*" $1 "*) return 0 ;;
	esac
	why "the result lacks '$1'"
}

# kr_counters_are GROUP SEND_BYTES SEND_MSGS RECV... WRITE... READ...: check a line of
# counters
kr_counters_are() {
	_want="$1 send_bytes=$2 send_msgs=$3 recv_bytes=$4 recv_msgs=$5"
	_want="$_want write_bytes=$6 write_msgs=$7 read_bytes=$8 read_msgs=$9"
	kr_has "$_want"
}

# kr_val KEY: set KR_VAL to the value of KEY
kr_val() {
	KR_VAL=
	case $1 in
	detail)
		KR_VAL=$KR_DETAIL
		return
		;;
	esac
	case $KR_OUT in
	*" $1=\""*)
		KR_VAL=${KR_OUT#*" $1=\""}
		KR_VAL=${KR_VAL%%\"*}
		;;
	*" $1="*)
		KR_VAL=${KR_OUT#*" $1="}
		KR_VAL=${KR_VAL%% *}
		;;
	esac
}

# kr_get KEY: print the value of KEY
kr_get() {
	kr_val "$1"
	printf '%s\n' "$KR_VAL"
}

# kr_detail_has TEXT: check that the detail of the error contains TEXT
kr_detail_has() {
	case $KR_DETAIL in
	*"$1"*) return 0 ;;
	esac
	why "detail is '$KR_DETAIL', without '$1'"
}

# kr_returned ERRNO|ok: check the return value and the result of the last command
kr_returned() {
	case $1 in
	ok)
		eq "$KR_ERRNO" 0 errno &&
			kr_is status ok
		;;
	EINTR | ECANCELED)
		eq "$KR_ERRNO" "$1" errno &&
			kr_is status stopped &&
			eq "${KR_DETAIL:+given}" given detail
		;;
	*)
		eq "$KR_ERRNO" "$1" errno &&
			kr_is status failed &&
			eq "${KR_DETAIL:+given}" given detail
		;;
	esac
}

# kr_fails ERRNO CMD: check that CMD fails with ERRNO and a detail
kr_fails() {
	kr "$2"
	kr_returned "$1"
}

# kr_logged CMD: as kr, and set KR_LOG to the lines that krping logs
kr_logged() {
	kr_steps klog "write=$1" read klog
	KR_CMD=$1
	[ "$KR_RET" = ${#1} ]
}

# kr_log_has TEXT: check that a line of KR_LOG contains TEXT
kr_log_has() {
	case $KR_LOG in
	*"$1"*) return 0 ;;
	esac
	why "the log is '$KR_LOG', without '$1'"
}

# kr_fails_with ERRNO CMD TEXT: check that CMD fails with ERRNO, and with TEXT in its result
# and in the log
kr_fails_with() {
	kr_logged "$2"
	kr_returned "$1" && kr_detail_has "$3" && kr_log_has "$3"
}

# kr_refused ERRNO CMD TEXT: check that krping rejects CMD with ERRNO, that the only log line
# is the detail and contains TEXT, and that no test runs
kr_refused() {
	kr_fails_with "$1" "$2" "$3" &&
		kr_is id 0 &&
		eq "$KR_LOG" "$KR_DETAIL
" "the log" &&
		kr_none
}

# kr_bg NAME CMD: start CMD with the option background. A process holds the descriptor;
# kr_wait and kr_result read it by NAME.
kr_bg() {
	if [ -e "$T_TMP/$1" ] || [ -e "$T_TMP/$1.now" ]; then
		rm -f "$T_TMP/$1" "$T_TMP/$1.now"
	fi
	_cmd=$2,background
	kr_steps "write=$_cmd" read "hold=$T_TMP/$1"
	KR_CMD=$_cmd
	kr_val holder
	eval "kr_holder_$1=\$KR_VAL"
	[ "$KR_RET" = ${#_cmd} ]
}

# kr_spawn NAME STEP...: run kwrite in the background; $! is its process. kr_wait reads its
# output.
kr_spawn() {
	_out=$T_TMP/$1
	[ ! -e "$_out" ] || rm -f "$_out"
	shift
	KR_CMD=$*
	hang_cmd 0
	"$KWRITE" "out=$_out" "$@" &
}

# kr_fg NAME CMD: start a process that writes CMD and waits for the end of the test
kr_fg() {
	kr_spawn "$1" "write=$2" read
}

# kr_wait NAME [SECONDS]: wait for the end of a command of kr_bg, kr_fg or kr_spawn
kr_wait() {
	KR_CMD="(end of $1)"
	if ! "$KWRITE" "await=${2:-60}:$T_TMP/$1" >"$KR_RESULT"; then
		kr_take
		why "$1 has not ended after ${2:-60} s"
		return 1
	fi
	kr_take
}

# kr_ended NAME ERRNO|ok [SECONDS]: wait for the end of a command of kr_fg or kr_bg, and check
# its errno
kr_ended() {
	kr_wait "$1" "${3:-60}" || return 1
	[ -n "$KR_ERRNO" ] || kr_errno
	kr_returned "$2"
}

# kr_all_ended NAMES ERRNO|ok...: check that each command has ended with one of these, and
# collect them in KR_SEEN
kr_all_ended() {
	_names=$1 _bad='' KR_SEEN=''
	shift
	for _n in $_names; do
		kr_wait "$_n" 120 || {
			_bad="$_bad $T_WHY;"
			continue
		}
		[ -n "$KR_ERRNO" ] || kr_errno
		[ "$KR_ERRNO" != 0 ] || KR_ERRNO=ok
		KR_SEEN="$KR_SEEN $KR_ERRNO"
		case " $* " in
		*" $KR_ERRNO "*) ;;
		*) _bad="$_bad $_n: $KR_ERRNO, $KR_DETAIL;" ;;
		esac
	done
	eq "$_bad" '' "list of commands with another errno"
}

# kr_seen: print the number of commands per errno that kr_all_ended has seen
kr_seen() {
	# shellcheck disable=SC2086 # split into words
	diag "$(printf '%s\n' $KR_SEEN | sort | uniq -c | tr -s ' \n' ' ')"
}

# kr_errno: set KR_ERRNO from the number in a result
kr_errno() {
	kr_val errno
	case $KR_VAL in
	0) KR_ERRNO=0 ;;
	2) KR_ERRNO=ENOENT ;;
	4) KR_ERRNO=EINTR ;;
	5) KR_ERRNO=EIO ;;
	12) KR_ERRNO=ENOMEM ;;
	16) KR_ERRNO=EBUSY ;;
	17) KR_ERRNO=EEXIST ;;
	19) KR_ERRNO=ENODEV ;;
	22) KR_ERRNO=EINVAL ;;
	71) KR_ERRNO=EPROTO ;;
	74) KR_ERRNO=EBADMSG ;;
	95) KR_ERRNO=EOPNOTSUPP ;;
	98) KR_ERRNO=EADDRINUSE ;;
	99) KR_ERRNO=EADDRNOTAVAIL ;;
	101) KR_ERRNO=ENETUNREACH ;;
	104) KR_ERRNO=ECONNRESET ;;
	110) KR_ERRNO=ETIMEDOUT ;;
	111) KR_ERRNO=ECONNREFUSED ;;
	113) KR_ERRNO=EHOSTUNREACH ;;
	116) KR_ERRNO=ESTALE ;;
	125) KR_ERRNO=ECANCELED ;;
	*) KR_ERRNO="errno $KR_VAL" ;;
	esac
}

# kr_result NAME: read the result of a background command
kr_result() {
	rm -f "$T_TMP/$1.now"
	_pid=
	eval "_pid=\$kr_holder_$1"
	# the command may have ended meanwhile
	if [ -e "$T_TMP/$1" ] || ! kill -USR1 "$_pid" 2>/dev/null; then
		kr_wait "$1" 10
	else
		kr_wait "$1.now" 10 || kr_wait "$1" 1
	fi
}

# kr_runs NAME [ITERATIONS]: check that a test has done more than ITERATIONS (0)
kr_runs() {
	kr_result "$1"
	kr_val iterations
	[ "${KR_VAL:-0}" -gt "${2:-0}" ] || why "$1 has done ${KR_VAL:-no} iterations"
}

# kr_list: set KR_LIST to the list of running tests and KR_NR to their number
kr_list() {
	KR_LIST='' KR_NR=0
	while IFS= read -r _l; do
		KR_LIST="$KR_LIST${KR_LIST:+
}$_l"
		KR_NR=$((KR_NR + 1))
	done <$KR
}

# number of tests that run during the whole subject
KR_BESIDE=0

# kr_none: check that only KR_BESIDE tests run
kr_none() {
	kr_running $KR_BESIDE
}

# kr_running N: check that N tests run
kr_running() {
	kr_list
	eq "$KR_NR" "$1" "number of running tests"
}

# kr_listening: check that a server listens
kr_listening() {
	kr_servers_listen 1
}

# kr_servers_listen N: check that at least N servers listen
kr_servers_listen() {
	kr list || return 1
	_listen=0
	while IFS= read -r _l; do
		case $_l in
		*" state=listening"*) _listen=$((_listen + 1)) ;;
		esac
	done <"$KR_RESULT"
	[ $_listen -ge "$1" ] || why "$_listen servers listen, not $1"
}

# kr_heard COMMAND...: run a client, and fail if no server listened. KR_HEARD is the status of
# COMMAND.
kr_heard() {
	"$@"
	KR_HEARD=$?
	[ "$KR_ERRNO" != ECONNREFUSED ]
}

# kr_soon COMMAND...: run a client, and repeat it until its server listens
kr_soon() {
	until_ok 20 kr_heard "$@"
	return "$KR_HEARD"
}

# kr_stop: stop all tests, and ignore errors
kr_stop() {
	"$KWRITE" write=stop >/dev/null
}

# rdma_objects: print the number of RDMA objects of each type
rdma_objects() {
	rdma res show "$DEV"
}

# kr_clean: check that no test runs and that the device has as many RDMA objects as at the
# start of the subject. Wait up to 10 s, because the other side of a test ends later.
kr_clean() {
	until_ok 10 kr_none || {
		why "still running: $KR_LIST"
		return 1
	}
	until_ok 10 eq_objects
}

# eq_objects: check the number of RDMA objects
eq_objects() {
	eq "$(rdma_objects)" "$t_objects" "rdma res show"
}

# kr_clean_now: as kr_clean, without waiting
kr_clean_now() {
	kr_none && eq_objects
}

# kr_thread ID: set KR_PID to the process id of a test's thread. ID may be a pattern.
kr_thread() {
	for _p in /proc/[0-9]*; do
		read -r _comm 2>/dev/null <"$_p/comm" || continue
		# shellcheck disable=SC2254 # a pattern
		case $_comm in
		krping/$1)
			KR_PID=${_p#/proc/}
			return 0
			;;
		esac
	done
	KR_PID=''
	why "there is no thread krping/$1"
}

# kr_unheld: check that the module has no references
kr_unheld() {
	eq "$(cat /sys/module/rdma_krping/refcnt)" 0 refcnt
}

# kr_reload: unload and load the module
kr_reload() {
	rmmod rdma_krping && insmod "$KR_KO"
}

# device_has_address: check that the GID table of rxe has the guest's address
device_has_address() {
	[ "$TYPE" != rxe ] ||
		grep -qs 0a00:0001 "/sys/class/infiniband/$DEV/ports/1/gids/"*
}

# device_again: create the deleted device again, and wait until its GID table is filled
device_again() {
	rdma link add "$DEV" type "$TYPE" netdev "$IF" || return 1
	# the new device has another index
	_new=$(rdma_objects)
	t_objects="${_new%%:*}:${t_objects#*:}"
	until_ok 60 device_has_address
}

# start of a line whose end has not arrived
peer_part=

# peer_line: set PEER_LINE to the next line from the other guest of a pair. Fail if no whole
# line has arrived. Descriptor 9 is /run/peer.
peer_line() {
	if ! IFS= read -r PEER_LINE <&9; then
		peer_part=$peer_part$PEER_LINE
		return 1
	fi
	PEER_LINE=$peer_part$PEER_LINE
	peer_part=
}

# A large iteration may take longer than the default timeout on a debug kernel or a busy host.
PATIENT=timeout=60000

pair_port=10000

# pair SERVER_OPTIONS CLIENT_OPTIONS: run a server in the background and a client, on a new
# port. KR_* are the client's; "kr_wait server" reads the server's result. Return the status
# of the client.
pair() {
	pair_port=$((pair_port + 1))
	kr_bg server "server,addr=$ADDR,port=$pair_port,$PATIENT${1:+,$1}" || return 1
	kr "client,addr=$ADDR,port=$pair_port,$PATIENT${2:+,$2}"
}

t_objects=$(rdma_objects)
klog_mark
