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
	look
	shown=0
	while :; do
		mv "$tmp/list" "$tmp/before"
		was=$now
		sleep "$interval"
		look
		elapsed=$(awk -v a="$was" -v b="$now" 'BEGIN { print b - a }')
		if [ "$home" ]; then
			printf '\033[H\033[J'
		elif [ $shown -gt 0 ]; then
			echo
		fi
		awk -v keys="${home:+; ^C ends}" 'END {
			printf "%d test%s, Gbit/s are those of SEND, RECV, WRITE and READ together%s\n", NR, NR == 1 ? "" : "s", keys
		}' "$tmp/list"
		awk -v before="$tmp/before" -v elapsed="$elapsed" -f "$lib/list.awk" "$tmp/list"
		shown=$((shown + 1))
		[ "$shown" != "$count" ] || exit 0
	done
}

# look: write the lines of the tests into $tmp/list, and set now
look() {
	command_run list || result_failed "$tmp/short"
	uptime
	sed -n '/^id=/p' "$tmp/short" >"$tmp/list"
}
