# shellcheck shell=sh disable=SC2154 # other files set lib, tmp and so on
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# krping top: the running tests with their rates. POSIX sh.

# shellcheck source=numbers.sh
. "$lib/numbers.sh"

cmd_top() {
	interval=1 count=0 once=
	while [ $# -gt 0 ]; do
		case $1 in
		--once) once=yes ;;
		-i | --interval)
			want_operand "$1" "$@"
			interval=$2
			shift
			;;
		-i=* | --interval=*) interval=${1#*=} ;;
		-n | --count)
			want_operand "$1" "$@"
			number "$1" "$2"
			count=$2
			shift
			;;
		*) no_option "$1" once interval count ;;
		esac
		shift
	done
	want_seconds "$interval"
	[ -z "$once" ] || count=1
	need_module
	temporary
	trap 'exit 0' INT
	# Overwrite the previous table only on a terminal of known type. On other terminals (a serial
	# line) and in a pipe, the tables follow each other.
	home=
	if [ -t 1 ] && [ -z "$once" ]; then
		case ${TERM:-dumb} in
		dumb | unknown) ;;
		*) home=yes ;;
		esac
	fi
	keys=
	[ -z "$home" ] || read_keys
	look
	shown=0
	while :; do
		mv "$tmp/list" "$tmp/before"
		was=$now
		pause
		look
		elapsed=$(awk -v a="$was" -v b="$now" 'BEGIN { print b - a }')
		if [ "$home" ]; then
			printf '\033[H\033[J'
		elif [ $shown -gt 0 ]; then
			echo
		fi
		awk -v keys="${home:+; ${keys:+q or }^C ends}" 'END {
			printf "%d test%s, Gbit/s are those of SEND, RECV, WRITE and READ together%s\n", NR, NR == 1 ? "" : "s", keys
		}' "$tmp/list"
		list_table -v before="$tmp/before" -v elapsed="$elapsed" "$tmp/list"
		shown=$((shown + 1))
		[ "$shown" != "$count" ] || exit 0
	done
}

# read_keys: let pause read keys of the terminal, as top(1) does; set keys to the terminal's settings. The terminal's timer
# takes tenths of a second, at most 255.
read_keys() {
	_tenths=$(awk -v s="$interval" 'BEGIN { printf "%d", 10 * s + 0.5 }')
	[ -t 0 ] && foreground && [ "$_tenths" -le 255 ] && keys=$(stty -g 2>/dev/null) || return 0
	trap 'stty "$keys"; rm -rf "$tmp"' EXIT
	stty -icanon -echo min 0 time "$_tenths"
}

# pause: wait for the interval, or for a key; end on q
pause() {
	if [ -z "$keys" ]; then
		sleep "$interval"
	elif [ "$(dd bs=1 count=1 2>/dev/null)" = q ]; then
		exit 0
	fi
}

# look: write the lines of the tests into $tmp/list, and set now
look() {
	command_run list || result_failed "$tmp/short"
	uptime
	sed -n '/^id=/p' "$tmp/short" >"$tmp/list"
}
