# shellcheck shell=sh disable=SC2154 # other files set lib, tmp and so on
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# krping sweep, plot, report, softrdma, hardware-report, bench-suite: scripts with a --help of their own. POSIX sh.

# shellcheck source=numbers.sh
. "$lib/numbers.sh"

cmd_tools() {
	case $cmd in
	bench-suite) bench_suite "$@" ;;
	*)
		tool "$cmd"
		KRPING=$self exec "$tool" "$@"
		;;
	esac
}

# A suite is a sweep with fixed tests and sizes, so that krping compare can compare two suites.
bench_suite() {
	addr='' dir='' repeat=5 duration=2
	while [ $# -gt 0 ]; do
		case $1 in
		-h | --help)
			# shellcheck source=help-texts.sh
			. "$lib/help-texts.sh"
			help_of bench-suite
			exit 0
			;;
		-n | --repeat)
			want_operand "$1" "$@"
			repeat=$2
			shift
			;;
		-D | --duration)
			want_operand "$1" "$@"
			duration=$2
			shift
			;;
		--)
			shift
			break
			;;
		-*)
			near=$(nearest "${1#--}" repeat duration)
			usage "there is no option '$1': ${near:+did you mean --$near? }Options of krping sweep follow --"
			;;
		*)
			if [ -z "$addr" ]; then
				addr=$1
			elif [ -z "$dir" ]; then
				dir=$1
			else
				usage "give one ADDR and one DIR, and not also $1"
			fi
			;;
		esac
		shift
	done
	[ "$dir" ] || usage "ADDR and DIR are needed"
	number -n "$repeat"
	whole_seconds --duration "$duration" "-- --count N"
	# the prefix is that of the lines of sweep
	[ "$repeat" -ge 4 ] || printf '%s: %s\n' "$cmd" \
		"krping compare finds no significant difference between two suites with -n $repeat: give -n 4 or more" >&2
	need_module
	tool sweep
	_label=${dir%/}
	KRPING=$self KRPING_COMMAND=$cmd KRPING_AGAIN=$again exec "$tool" --label "${_label##*/}" --addr "$addr" --kinds wlat,rlat,slat,bw,rbw,sbw,ping --sizes 64,4k,64k \
		--modes dma,reg --depths 64 --repeat "$repeat" --duration "$duration" "$@" "$dir"
}
