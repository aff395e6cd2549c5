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

# show [--json|--csv|--raw] [FILE]: print the results in FILE, or in standard input
show() {
	json='' csv='' raw='' file=''
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
		cat >"$tmp/result"
	else
		want_readable "$file"
		cp "$file" "$tmp/result"
	fi
	grep -q '^result ' "$tmp/result" || usage "${file:-standard input} has no result of krping with --raw" "krping wlat ADDR --raw >FILE"
	print_result "$tmp/result"
}

# hist [ID|FILE]: print the histogram in FILE, of the test with number ID, or of the last test
hist() {
	for _w; do
		case $_w in
		-*) no_option "$_w" ;;
		esac
	done
	[ $# -le 1 ] || usage "only one ID or FILE is allowed"
	file=${1:-$results/last}
	case ${1-} in
	'')
		[ -e "$file" ] || fail "$st_none" "no test since the boot has left a histogram" "krping wlat ADDR"
		want_readable "$file"
		;;
	*[!0-9]*) want_readable "$file" ;;
	*)
		[ -e "$file" ] || file=$results/$1
		[ -e "$file" ] || fail "$st_none" "there is no result of test $1: only tests that krping has started and that have ended have one" "krping hist"
		want_readable "$file"
		;;
	esac
	awk -f "$lib/hist.awk" "$file" && return
	grep -q '^result ' "$file" ||
		fail "$st_none" "$file has no result of krping with --raw: hist reads neither JSON nor CSV" "krping wlat ADDR --raw >FILE"
	fail "$st_none" "${1-$file} has no histogram: only ping, wlat, rlat and slat measure latencies" \
		"krping wlat ADDR, or add the option histogram to the command for /proc/krping"
}
