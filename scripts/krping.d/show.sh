# shellcheck shell=sh disable=SC2154 # other files set lib, tmp and so on
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# krping show and krping hist: print results that exist already. POSIX sh.

# shellcheck source=output.sh
. "$lib/output.sh"

cmd_show() {
	case $cmd in
	hist) hist "$@" ;;
	*) show "$@" ;;
	esac
}

# results_in FILE NAME: write the results in FILE to $tmp/result as lines. Messages call FILE NAME.
results_in() {
	result_lines "$1" "$2" >"$tmp/result"
	grep -q '^result ' "$tmp/result" ||
		usage "$2 has no result of krping with --raw or --json" "krping wlat ADDR --raw >FILE"
}

# in_directory PATH: set file to PATH, or to the results in the directory PATH of a sweep or bench-suite, and then suite to
# PATH. End if it was interrupted before its first result.
in_directory() {
	file=$1 suite=
	[ -d "$file" ] && [ -e "$file/results.txt" ] || return 0
	suite=$1
	file=${file%/}/results.txt
	[ -s "$file" ] || usage "the sweep or bench-suite of $1 has no result yet" "the command that made $1, with the same options, continues there"
}

# show [--json|--csv|--raw] [FILE]: print the results in FILE or in standard input. For the directory FILE of a sweep or
# bench-suite, the table has medians instead of each result.
show() {
	json='' csv='' raw='' file='' suite=''
	for _w; do
		case $_w in
		--json) json=yes ;;
		--csv) csv=yes ;;
		--raw) raw=yes ;;
		-?*) no_option "$_w" json csv raw ;;
		*)
			[ -z "$file" ] || usage "only one FILE is allowed, but there are $file and $_w"
			file=$_w
			;;
		esac
	done
	temporary
	if [ "${file:--}" = - ]; then
		[ ! -t 0 ] || say "reading results from this terminal until ^D; krping show FILE reads a file"
		cat >"$tmp/input"
		results_in "$tmp/input" "standard input"
	else
		in_directory "$file"
		want_readable "$file"
		results_in "$file" "$file"
	fi
	if [ "$suite" ] && [ -z "$json$csv$raw" ]; then
		awk -v file="$(for_v "$(quote "$file")")" -f "$lib/stats.awk" -f "$lib/digits.awk" -f "$lib/results.awk" \
			-f "$lib/show-table.awk" "$tmp/result"
	else
		print_result "$tmp/result"
	fi
}

# the tests that measure latencies
measuring="ping, wlat, rlat and slat"

# next step if hist does not find a test of a suite
of_suite="of a sweep or bench-suite: krping hist DIR"

# hist [--all] [ID|FILE [N]]: print the histograms in FILE or only the Nth, that of the test with number ID, or of the last
# test. --all draws each range of latencies.
hist() {
	every=
	for _w; do
		shift
		case $_w in
		--all) every=yes ;;
		--json | --raw) usage "there is no option '$_w': krping show $_w FILE prints the numbers of the histogram" "krping hist --help" ;;
		-*) no_option "$_w" all ;;
		*) set -- "$@" "$_w" ;;
		esac
	done
	[ $# -le 2 ] || usage "only one ID or FILE is allowed, and the number of a histogram in FILE"
	only=${2-}
	case $only in
	*[!0-9]* | 0*) usage "'$only' is no number of a histogram in $1: the first is 1" ;;
	esac
	in_directory "${1:-$results/last}"
	case ${1-} in
	'')
		[ -e "$file" ] || fail "$st_none" "no test since the boot has left a histogram" "krping wlat ADDR; $of_suite"
		want_readable "$file"
		;;
	*[!0-9]*) want_readable "$file" ;;
	*)
		[ -e "$file" ] || file=$results/$1
		[ -e "$file" ] || fail "$st_none" "there is no result of test $1: only tests of krping $measuring that have ended have one" "krping hist; $of_suite"
		want_readable "$file"
		;;
	esac
	temporary
	results_in "$file" "$file"
	_count=$(grep -c '^histogram_nsec ' "$tmp/result")
	[ -z "$only" ] || [ "$only" -le "$_count" ] ||
		fail "$st_none" "there is no histogram $only in $file, which has $_count" "krping hist $(quote "$file")"
	awk -v only="$only" -v every="$every" -v histograms="$_count" -f "$lib/hist.awk" "$tmp/result"
	_status=$?
	# below the drawings, because many drawings scroll a first line away
	[ "$only" ] || [ "$_count" -le 1 ] || [ $_status != 0 ] ||
		say "all $_count histograms of $file: krping hist $(quote "$file") N draws only number N"
	# 1: no histogram; others: no reader, as in krping hist | head
	[ $_status = 1 ] || exit $_status
	case ${1-$file} in
	*[!0-9]*) _of=${1-$file} ;;
	*) _of="test $1" ;;
	esac
	fail "$st_none" "$_of has no histogram: only $measuring measure latencies" \
		"krping wlat ADDR, or add the option histogram to the command for /proc/krping"
}
