# shellcheck shell=sh disable=SC2154 # other files set lib, tmp and so on
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Write commands to /proc/krping and read their results. POSIX sh.
#
# Descriptor 4 is open for the command that runs a test, 5 for commands that end at once.

# shellcheck source=server-hint.sh
. "$lib/server-hint.sh"

proc=/proc/krping

# Results of this boot's tests, for krping hist.
results=/run/krping

# may_command: check whether a command can be written; print no message
may_command() {
	[ -e "$proc" ] && (: 4<>"$proc") 2>/dev/null
}

# need_module: end unless a command can be written; the message advises a remedy
need_module() {
	if ! is_root; then
		fail "$st_permission" "$proc is for root only" "sudo $again"
	fi
	if [ ! -e "$proc" ]; then
		fail "$st_module" "the module rdma_krping is not loaded" "krping load"
	fi
	may_command || fail "$st_permission" "cannot open $proc: it needs CAP_NET_ADMIN outside of containers" \
		"run this command on the host: sudo $again"
}

# command_run TEXT: run a command that ends at once. Write its result into $tmp/short, set errno, and
# succeed if errno is 0.
command_run() {
	temporary
	exec 5<>"$proc"
	# ignore ^C, because a shell repeats a write that ^C has interrupted
	(
		trap '' INT
		printf '%s\n' "$1" >&5
	) 2>/dev/null
	cat <&5 >"$tmp/short"
	exec 5>&-
	errno_of "$tmp/short"
	[ "$errno" = 0 ]
}

# errno_of FILE: set errno to the errno of the result in FILE, or to 5 if FILE has no result
errno_of() {
	_line=
	IFS= read -r _line <"$1" || :
	errno=
	case $_line in
	"result "*errno=*)
		errno=${_line##*errno=}
		errno=${errno%%[!0-9]*}
		;;
	esac
	: "${errno:=5}"
}

# value_of FILE GROUP KEY: print the value of KEY in the line GROUP; the value must have no blanks
value_of() {
	sed -n "/^$2 \(.* \)*$3=\([^ ]*\).*/{s//\2/p;q;}" "$1"
}

# detail_of FILE: print the error of a result, with words for its errno
detail_of() {
	sed -n 's/^error .*detail="\(.*\)"$/\1/p' "$1" | head -n 1 |
		awk -v errnos="$lib/errnos" -f "$lib/errno.awk" -f "$lib/errno-line.awk"
}

# read_result FILE: read the result of descriptor 4 from its first line. A killed reader leaves the
# file position in the middle. Then one cat prints the rest, and the next cat the whole result. Set _line to its first line.
read_result() {
	_reads=0
	while [ $_reads -lt 3 ]; do
		cat <&4 >"$1"
		IFS= read -r _line <"$1" || _line=
		case $_line in
		"result "*) return ;;
		esac
		_reads=$((_reads + 1))
	done
}

# keep_result FILE: keep a result for krping hist
keep_result() {
	_id=$(value_of "$1" result id)
	case $_id in
	'' | 0) return 0 ;;
	esac
	{
		{ [ -d "$results" ] || mkdir -p "$results"; } && cp "$1" "$results/$_id" &&
			! grep -q '^histogram_nsec ' "$1" || cp "$1" "$results/last"
	} 2>/dev/null || :
}

# class_of ERRNO: set class to the exit status for ERRNO, and next to the step that fail() advises
class_of() {
	next=
	case $1 in
	0) class=0 ;;
	1 | 13)
		class=$st_permission
		next="sudo $again"
		;;
	4 | 125) class=$st_stopped ;;
	52) class=$st_worse ;;
	74)
		class=$st_data
		next="krping log"
		;;
	5)
		class=$st_device
		next="krping log; on the peer, too"
		;;
	12)
		class=$st_failed
		next="a smaller --size, or fewer --qps, --threads or --txdepth"
		;;
	19)
		class=$st_device
		next="krping doctor; $(without_hardware)"
		;;
	95) class=$st_unsupported ;;
	7 | 17 | 22)
		class=$st_usage
		next="krping $cmd --help"
		;;
	3)
		class=$st_none
		next="krping list"
		;;
	16) class=$st_none ;;
	71)
		class=$st_protocol
		next="krping version on both sides"
		;;
	98)
		class=$st_connect
		next="krping list shows the running tests; another port: --port N"
		;;
	99)
		class=$st_connect
		next="give an address of this machine: krping softrdma list"
		;;
	101 | 113)
		class=$st_connect
		next="krping doctor ${addr:-ADDR}"
		;;
	111)
		class=$st_connect
		next="start a server on ${addr:-the other side}: $(server_hint "$cmd")"
		;;
	104)
		class=$st_lost
		next="krping log on the peer"
		;;
	110)
		class=$st_timeout
		next="krping doctor ${addr:-ADDR}"
		;;
	*) class=$st_failed ;;
	esac
}

# words_of ERRNO: print an errno in words
words_of() {
	awk -v errnos="$lib/errnos" -v errno="$1" -f "$lib/errno.awk" -f "$lib/errno-line.awk" </dev/null
}

# port_of OPTIONS: print the port that the list OPTIONS has, or the default
port_of() {
	case ,$1 in
	*,port=*)
		# the comma keeps out the option export
		_port=,$1
		_port=${_port##*,port=}
		echo "${_port%%,*}"
		;;
	*) echo 9999 ;;
	esac
}

# server_hint COMMAND: print the command that starts a server for COMMAND at $addr and the port of $options
server_hint() {
	server_for "${addr-}" "$(port_of "${options-}")" "$1"
}

# advise DETAIL: call class_of "$errno", and set next to better advice if DETAIL, the text of the error,
# allows it; set _detail to the error as the user reads it
advise() {
	class_of "$errno"
	_detail=$1
	case $errno,$1 in
	111,"no server listens there")
		_detail="no krping server listens at ${addr:-this address} port $(port_of "${options-}")"
		next="start one on ${addr:-the other side}: $(server_hint "$cmd")"
		[ "$(port_of "${options-}")" != 9999 ] || next="$next; if it listens at another port, add --port N"
		;;
	111,*"does not take this size"*)
		next="a smaller --size, or a server that takes larger ones: krping server --mem_mode dma"
		;;
	111,*"another test: session")
		next="a server with --export serves nothing else; start another one there: krping server --port N, and give --port N here"
		;;
	111,*"another test"*)
		next="start a server for it there: krping server --port N, and give --port N here"
		;;
	19,*)
		case ${addr-} in
		127.* | ::1) next="no RDMA device has a loopback address; krping softrdma list shows those of devices" ;;
		*)
			_interface=$(interface_to "${addr-}")
			[ -z "$_interface" ] || next="krping doctor $addr; $(without_hardware "$_interface")"
			;;
		esac
		;;
	110,"address resolution "*)
		! unanswered "${addr-}" || next="no host answers for $addr on $(interface_to "$addr"): check the address, and whether the host is up"
		;;
	110,*)
		# a user who means seconds may have given a number without a unit
		_time=$(printf '%s\n' "${options-}" | tr ',' '\n' | sed -n 's/^timeout=\([1-9][0-9]\{0,2\}\)$/\1/p')
		[ -z "$_time" ] || next="--timeout $_time is in milliseconds; for seconds: --timeout ${_time}s"
		;;
	22,*" bytes of inline data"*)
		next="a smaller --size, or no --inline; the largest size depends on the device"
		;;
	22,*"the region, which has "*)
		next="choose --offset N and a length so that their sum is at most ${1##*which has }"
		;;
	22,"put: needs data or hex") _detail="put needs --data TEXT, --hex DIGITS or --in FILE" ;;
	22,"send: needs data or hex") _detail="send needs --data TEXT or --hex DIGITS" ;;
	22,"the region is read-only")
		next="start the server without --ro"
		;;
	16,*", or add force")
		_detail=${1%, or add force}
		next="krping stop ${_target:-ID} --force, which removes an open disk: its requests then fail"
		;;
	111,*"exports no memory"*)
		_detail="the server at ${addr:-this address} port $(port_of "${options-}") exports no memory"
		next="start it with $(server_hint put), or start a second one there: krping server --export SIZE --port N, and give --port N here"
		;;
	esac
}

# no_test ID: end because a command for the test ID has failed
no_test() {
	[ "$errno" != 3 ] || fail "$st_none" "no running test has the id $1" "krping list"
	result_failed "$tmp/short"
}

# result_failed FILE: print the error of a result, and exit with the status for its errno
result_failed() {
	errno_of "$1"
	advise "$(detail_of "$1")"
	if [ "$class" = "$st_stopped" ]; then
		# a test that somebody stopped has not failed, so print no "error:"
		say "${_detail:-$(words_of "$errno")}"
		exit "$class"
	fi
	fail "$class" "${_detail:-$cmd has failed: $(words_of "$errno")}" "$next"
}
