# shellcheck shell=sh disable=SC2154 # scripts/sweep sets the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# For scripts/sweep: check the words of the command line. POSIX sh.

# shellcheck source=host.sh
. "$lib/host.sh"
# shellcheck source=numbers.sh
. "$lib/numbers.sh"

# usage REASON: die, for numbers.sh
usage() {
	die "$1"
}

# list OPTION TEXT REGEX WHAT: die unless TEXT is a list of words that match REGEX, with commas
# between them, and each word once; WHAT describes the words
list() {
	printf '%s\n' "$2" | awk -v re="^($3)\$" '
		{ n = split($0, word, ","); for (i = 1; i <= n; i++) bad += word[i] !~ re || seen[word[i]]++ }
		END { exit NR != 1 || n == 0 || bad }' ||
		die "$1 takes $4, separated by commas, each once, not '$2'"
}

# plain OPTION TEXT: die if TEXT has characters that no command for /proc/krping has
plain() {
	case $2 in
	*[!A-Za-z0-9_.,:=%-]*) die "$1: '$2' is not valid: see $called --help" ;;
	esac
}

# option_of_tests WORD: die if WORD is NAME or NAME=VALUE of an option of the tests; say how to give it
option_of_tests() {
	! grep -qF "option name=${1%%=*} " "$lib/options" || die "${1%%=*} is an option of the tests: give --options $1"
}

# no_sweep_option OPTION: die because sweep has no OPTION
no_sweep_option() {
	option_of_tests "${1#--}"
	no_such_option "$1"
}

# surplus WANTED WORD...: die because the WORDs are more than WANTED. The reason may be an option without its dashes.
surplus() {
	_wanted=$1
	shift
	for _word; do
		case $_word in
		*=*)
			case " $takers " in
			*" --${_word%%=*} "*) die "give --${_word%%=*} ${_word#*=}, not $_word" ;;
			esac
			option_of_tests "$_word"
			;;
		esac
	done
	die "give one $_wanted, and not also '$_word': see $called --help"
}

# take_words [ADDR] OUTDIR: set addr and out. ADDR is needed unless --addr, --devices or --tables is
# given, and may be a host's name.
take_words() {
	case $# in
	0 | 1)
		out=${1-}
		[ "$addr$devices$tables" ] || die "ADDR and OUTDIR are needed${out:+, but only OUTDIR ($out) was given}: see $called --help"
		[ "$out" ] || die "OUTDIR is missing: see $called --help"
		;;
	2)
		[ -z "$addr$devices$tables" ] || surplus OUTDIR "$@"
		addr=$1
		out=$2
		;;
	*) surplus "ADDR and one OUTDIR" "$@" ;;
	esac
	case $addr in
	*:*) ;;
	*) plain ADDR "$addr" ;;
	esac
	_found=$(host_address "$addr") || die "'$addr' is neither an address nor the name of a host"
	addr=$_found
}

# may_run: die unless the module is loaded and the user is root
may_run() {
	if [ "${KRPING-}" ]; then
		is_root || die "$called needs root: sudo $command"
		[ -e "$proc" ] || die "the module rdma_krping is not loaded: krping load"
	fi
	[ -e "$proc" ] || die "there is no $proc: load rdma_krping first (make load)"
	is_root || die "run this script as root"
}
