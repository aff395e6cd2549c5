# shellcheck shell=sh disable=SC2154 # other files set lib, tmp and so on
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Functions of all commands of krping: exit status, messages, quoting, installed files. POSIX sh.

# The exit status of each class of failure: see Documentation/krping-command.md.
# shellcheck disable=SC2034 # for scripts that source this file
{
	st_worse=1
	st_usage=2
	st_permission=3
	st_module=4
	st_connect=5
	st_timeout=6
	st_lost=7
	st_data=8
	st_device=9
	st_unsupported=10
	st_protocol=11
	st_stopped=12
	st_none=13
	st_failed=14
	st_interrupt=130
}

say() {
	printf 'krping: %s\n' "$*" >&2
}

# fail STATUS REASON [COMMAND]: end; the message advises COMMAND as the next step
fail() {
	printf 'krping: error: %s\n' "$2" >&2
	[ -z "${3-}" ] || printf 'krping: next: %s\n' "$3" >&2
	exit "$1"
}

# usage REASON [COMMAND]: end because the command line is wrong
usage() {
	fail "$st_usage" "$1" "${2-krping $cmd --help}"
}

# want_operand OPTION "$@": end unless OPTION has an operand; OPTION is the first word of "$@"
want_operand() {
	[ "$#" -ge 3 ] || usage "$1 needs an operand"
}

# show_usage FILE: print the comment of a script from the line behind the licence to its end
show_usage() {
	awk 'NR <= 2 { next } !/^#/ { exit } { sub(/^# ?/, ""); print }' "$1"
}

# document NAME: print the path of a document: that of a checkout or of an installation
document() {
	for _file in "$bin/../Documentation/$1" "$lib/../../share/doc/krping/Documentation/$1"; do
		if [ -e "$_file" ]; then
			readlink -f "$_file"
			return
		fi
	done
	echo "$1, which the packages of krping have"
}

# show_help: print the help of krping, and the path of its quick start
show_help() {
	show_usage "$self"
	printf '\nQuick start: %s\n' "$(document quick-start.md)"
}

# plain WORD: check whether WORD has no character that is special for a shell
plain() {
	case $1 in
	'' | *[!A-Za-z0-9_.,:/=%@+-]*) return 1 ;;
	esac
}

# quote WORD: print WORD for a shell, in single quotes if it has special characters
quote() {
	if plain "$1"; then
		printf '%s' "$1"
	else
		printf "'%s'" "$(printf '%s\n' "$1" | sed "s/'/'\\\\''/g")"
	fi
}

# quote_words WORD...: print the words, a blank before each
quote_words() {
	for _w; do
		printf ' '
		quote "$_w"
	done
}

# for_v TEXT: print TEXT with its backslashes doubled, because awk -v interprets backslashes
for_v() {
	printf '%s' "$1" | sed 's/\\/&&/g'
}

# counted N WORD [WORDS]: print N and a noun: WORD if N is 1, else WORDS (default: WORD with an s)
counted() {
	if [ "$1" = 1 ]; then
		printf '%s %s' "$1" "$2"
	else
		printf '%s %s' "$1" "${3-${2}s}"
	fi
}

# without_hardware [INTERFACE]: print the command that makes a software RDMA device on INTERFACE
without_hardware() {
	printf 'without RDMA hardware: krping softrdma up rxe --netdev %s' "${1:-INTERFACE}"
}

is_root() {
	[ "$(id -u)" = 0 ]
}

# not_installed RELEASE [ROOT]: set _reason to why the module is not installed for a kernel, and _remedy to the
# next step. ROOT is a directory whose usr the function reads instead of /usr.
not_installed() {
	set -- "$1" "${2-}"/usr/src/krping-*
	if [ -e "$2" ]; then
		_reason="dkms has not built the module rdma_krping for the kernel $1"
		_remedy="install linux-headers-$1, and dkms builds the module; dkms status shows the state"
	else
		_reason="the module rdma_krping is not installed for the kernel $1"
		_remedy="install the package krping-dkms; in a checkout: make && krping load"
	fi
}

# nearest WORD CANDIDATE...: print the candidates of which WORD may be a misspelling, or nothing
nearest() {
	awk -f "$lib/suggest.awk" -f "$lib/nearest.awk" -- "$@"
}

# list_table [-v VARIABLE=VALUE]... FILE: print the output of the module's command list in a form of list.awk
list_table() {
	awk -f "$lib/value.awk" -f "$lib/results.awk" -f "$lib/list.awk" "$@"
}

# no_option OPTION NAME...: end because there is no OPTION; suggest the nearest of --NAME...
no_option() {
	_option=$1
	shift
	case $_option,$* in
	# -j of ip(8) and -J of iperf3
	-[jJ],*json*) near=json ;;
	*) near=$(nearest "${_option#--}" "$@" help) ;;
	esac
	usage "there is no option '$_option'${near:+: did you mean --$near?}"
}

# tool NAME: set tool to the path of a script that krping runs
tool() {
	tool=$bin/$1
	[ -e "$tool" ] && [ "$lib" = "$bin/krping.d" ] || tool=$lib/$1
	[ -e "$tool" ] || fail "$st_failed" "$tool is missing" "install krping again"
}

# awkit NAME: set awkit to the path of an awk program
awkit() {
	awkit=$lib/awkit/$1
	[ -e "$awkit" ] || awkit=$bin/../awkit/$1
	[ -e "$awkit" ] || fail "$st_failed" "$awkit is missing" "install krping again"
}

# program NAME: print the path of a program. In the shell of busybox, the names ip and modinfo alone
# would call built-in programs, which lack options.
program() {
	(
		IFS=:
		for _d in $PATH:/usr/sbin:/sbin; do
			if [ -x "$_d/$1" ]; then
				echo "$_d/$1"
				exit
			fi
		done
		echo "$1"
	)
}

# interface_with ADDR: print the interface of this machine that has ADDR
interface_with() {
	"$(program ip)" -o addr show to "$1" 2>/dev/null | sed -n 's/^[0-9]*: \([^ @]*\).*/\1/p' | head -n 1
}

# route_word WORD: print the word that follows WORD in $_route, an output of ip route get
route_word() {
	printf '%s\n' "$_route" | sed -n "s/.* $1 \([^ ]*\).*/\1/p" | head -n 1
}

# interface_to ADDR: print the interface that has ADDR, or else the one over which this machine reaches ADDR
interface_to() {
	_interface=$(interface_with "$1")
	if [ -z "$_interface" ]; then
		_route=$("$(program ip)" route get "$1" 2>/dev/null)
		_interface=$(route_word dev)
	fi
	echo "$_interface"
}

# unanswered ADDR: check whether the kernel has asked for the link-layer address of ADDR in vain
unanswered() {
	"$(program ip)" neigh show to "$1" 2>/dev/null | grep -Eq ' (FAILED|INCOMPLETE)( |$)'
}

# temporary: set tmp to a directory that this shell removes at its end. Its name has the PID namespace and the PID of this
# shell, so that a later krping can remove the directory if SIGKILL ends this one.
tmp=
temporary() {
	[ -z "$tmp" ] || return 0
	# set the traps first, so that no signal comes between mktemp and them
	trap 'rm -rf "$tmp"' EXIT
	exit_on_signals
	# the link is pid:[NUMBER]
	_prefix=$(readlink /proc/self/ns/pid 2>/dev/null)
	_prefix=${_prefix#*"["}
	_prefix=${_prefix%"]"}
	_prefix=${TMPDIR:-/tmp}/krping-cmd.$_prefix
	remove_stale "$_prefix."
	tmp=$(mktemp -d "$_prefix.$$.XXXXXX") ||
		fail "$st_failed" "cannot make a temporary directory" "set TMPDIR"
}

# remove_stale PREFIX: remove the directories PREFIX... of this user whose shell has ended
remove_stale() {
	[ -e "/proc/$$" ] || return 0
	for _stale in "$1"*; do
		_pid=${_stale#"$1"}
		_pid=${_pid%%.*}
		case $_pid in
		'' | *[!0-9]*) continue ;;
		esac
		[ ! -e "/proc/$_pid" ] || continue
		# find examines the type and the owner in one look. In a directory with the sticky bit, no other user can
		# then replace the directory that find has printed.
		[ -z "$(find "$_stale" -maxdepth 0 -type d -user "$(id -u)" 2>/dev/null)" ] || rm -rf "$_stale"
	done
}

# on_signals COMMAND: when a signal arrives, run COMMAND with the exit status for this signal as its argument
on_signals() {
	# shellcheck disable=SC2064 # expand $1 now
	trap "$1 129" HUP
	# shellcheck disable=SC2064
	trap "$1 130" INT
	# shellcheck disable=SC2064
	trap "$1 143" TERM
}

# exit_on_signals: exit when a signal arrives, because some shells run no EXIT trap if a signal ends them
exit_on_signals() {
	on_signals exit
	# the reader of the output has ended
	trap 'exit 141' PIPE
}

# note_signals STATUS: set interrupted to the exit status when a signal arrives; for ^C it is STATUS
note_signals() {
	interrupted=
	trap 'interrupted=129' HUP
	# shellcheck disable=SC2064 # expand $1 now
	trap "interrupted=$1" INT
	trap 'interrupted=143' TERM
}

# terminal: check whether standard error is a terminal that can show progress
terminal() {
	[ -t 2 ] && [ "${TERM:-dumb}" != dumb ]
}

# foreground: check whether this process is in the foreground of its terminal, or has none. The fields behind the name,
# which is in parentheses, are state, parent, process group, session, terminal, and the terminal's process group or -1.
foreground() {
	IFS= read -r _stat </proc/self/stat || return 0
	# shellcheck disable=SC2086 # words
	set -- ${_stat##*) }
	[ "$6" = -1 ] || [ "$3" = "$6" ]
}

# uptime: set now to the seconds since the boot, with two digits behind the point
uptime() {
	read -r now _ </proc/uptime
}

# want_readable PATH [WHAT]: end unless the file PATH can be read. If WHAT is given, PATH may also be a directory.
# The message for a PATH that does not exist calls PATH a WHAT (default: file).
want_readable() {
	# without the right to search a directory, a shell finds none of its files
	case $1 in
	*/*) _dir=${1%/*}/ ;;
	*) _dir=. ;;
	esac
	if { [ -e "$1" ] && [ ! -r "$1" ]; } || { [ -d "$_dir" ] && [ ! -x "$_dir" ]; }; then
		fail "$st_permission" "cannot read $1: permission denied" "sudo $again"
	fi
	[ -e "$1" ] || usage "there is no ${2-file} $1"
	[ ! -d "$1" ] || [ "${2-}" ] || {
		[ ! -e "$1/devices" ] || usage "$1 has a directory for each device" "krping $cmd $1/DEVICE"
		usage "$1 is a directory"
	}
}

# want_writable FILE: end unless FILE can be written; make no file. Do not open a FIFO or a device to find out: the reader of a
# FIFO would reach the end of the file when this function closes the FIFO.
want_writable() {
	if [ -e "$1" ] && [ ! -f "$1" ] && [ ! -d "$1" ]; then
		return
	fi
	_new=yes
	if [ -e "$1" ] || [ -L "$1" ]; then
		_new=
	fi
	# true instead of ":", because dash exits if a redirection of a special built-in such as ":" fails
	{ true >>"$1"; } 2>/dev/null || usage "cannot write $1"
	[ -z "$_new" ] || rm -f "$1"
}

# want_seconds TEXT: end unless TEXT, the operand of -i, is a number of seconds, at least 0.1
want_seconds() {
	case $1 in
	'' | 0 | 00* | 0.0* | .* | *[!0-9.]* | *.*.* | *.) usage "-i takes a number of seconds from 0.1 on, not '$1'" ;;
	esac
}

# is_json FILE: check whether FILE begins as a JSON document
is_json() {
	case $(head -c 1 "$1") in
	'{' | '[') ;;
	*) return 1 ;;
	esac
}

# result_lines FILE [NAME]: print the results in FILE, which has lines of --raw or JSON documents, as lines. Messages
# call FILE NAME.
result_lines() {
	if is_json "$1"; then
		awk -f "$lib/json-lines.awk" "$1" || usage "${2-$1} is not a whole JSON document"
	else
		cat "$1"
	fi
}

# in_bytes: print each size of standard input, such as 64k, in bytes
in_bytes() {
	awk '{
		n = $1 + 0
		for (unit = index("kmg", tolower(substr($1, length($1)))); unit > 0; unit--)
			n *= 1024
		printf "%.0f\n", n
	}'
}
