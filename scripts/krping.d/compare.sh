# shellcheck shell=sh disable=SC2154 # other files set lib, tmp and so on
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# krping compare: what became faster or slower. POSIX sh.

cmd_compare() {
	old='' new='' threshold=0 metric=p50 alpha=0.05 force='' html='' page=''
	while [ $# -gt 0 ]; do
		case $1 in
		--fail-above=* | --metric=* | --alpha=* | --output=*)
			_w=$1
			shift
			set -- "${_w%%=*}" "${_w#*=}" "$@"
			;;
		esac
		case $1 in
		--fail-above | --metric | --alpha | -o | --output)
			want_operand "$1" "$@"
			case $1 in
			-o | --output) page=$2 ;;
			--fail-above) threshold=$2 ;;
			--metric) metric=$2 ;;
			--alpha) alpha=$2 ;;
			esac
			shift
			;;
		--force) force=yes ;;
		--html) html=yes ;;
		--json | --raw)
			usage "there is no option '$1': compare reads files of --raw and --json without an option" "krping compare OLD NEW"
			;;
		-*) no_option "$1" fail-above metric alpha force html output ;;
		*)
			if [ -z "$old" ]; then
				old=$1
			elif [ -z "$new" ]; then
				new=$1
			else
				usage "give OLD and NEW, and not also $1"
			fi
			;;
		esac
		shift
	done
	[ "$new" ] || usage "OLD and NEW are needed"
	[ -z "$page" ] || html=yes
	threshold=${threshold%\%}
	decimal --fail-above "$threshold"
	decimal --alpha "$alpha"
	case $metric in
	min | p50 | p90 | p99 | p99.9 | p99.99 | max | mean) ;;
	*) usage "--metric takes min, p50, p90, p99, p99.9, p99.99, max or mean, not '$metric'" ;;
	esac
	temporary
	gather "$old" >"$tmp/old"
	gather "$new" >"$tmp/new"
	by_device=
	if [ -r "$old/devices" ] || [ -r "$new/devices" ]; then
		by_device=yes
	fi
	awk -v metric="$metric" -v alpha="$alpha" -v devices="$by_device" -v force="$force" -v options="$lib/options" \
		-v old="$(for_v "$old")" -v new="$(for_v "$new")" -f "$lib/digits.awk" -f "$lib/stats.awk" -f "$lib/results.awk" \
		-f "$lib/compare-settings.awk" -f "$lib/compare-match.awk" -f "$lib/compare.awk" "$tmp/old" "$tmp/new" >"$tmp/rows"
	if [ -z "$force" ] && grep -q '^differs' "$tmp/rows"; then
		sed -n 's/^differs	/krping: differs: /p' "$tmp/rows" >&2
		usage "the settings of the runs differ, as listed, so compare needs --force" "$again --force"
	fi
	grep -q '^row' "$tmp/rows" || nothing_common
	if [ "$page" ]; then
		print_rows >"$page" || usage "cannot write $page"
		echo "$page"
	else
		print_rows
	fi
	# fields 12 and 16 of a row are the change in percent and the verdict
	awk -F '\t' -v threshold="$threshold" '
		$1 == "row" && $16 == "worse" && ($12 < 0 ? -$12 : $12) > threshold { n++ }
		END { exit n > 0 }' "$tmp/rows" ||
		fail "$st_worse" "some became significantly worse, by more than $threshold %"
	exit 0
}

# print_rows: print the table or the page
print_rows() {
	_cells=/dev/null
	[ -z "$html" ] || _cells=$lib/compare-page.awk
	awk -v html="$html" -v devices="$by_device" -v alpha="$alpha" -v old="$(for_v "$old")" -v new="$(for_v "$new")" \
		-v css="$lib/page.css" -f "$lib/digits.awk" -f "$lib/compare-table.awk" -f "$_cells" "$tmp/rows"
}

# nothing_common: end because OLD and NEW have no test in common that has figures; print why
nothing_common() {
	sed -n 's/^only	\([A-Z]*\)	/krping: only in \1: /p; s/^note	/krping: /p' "$tmp/rows" >&2
	if grep -q '^note	.* measured nothing and do' "$tmp/rows"; then
		fail "$st_none" "$old and $new have no test in common whose figures were measured" "measure longer (--duration), or with a shorter --warmup"
	fi
	sed -n 's/^unmatched	\(.*\)	\(.*\)	\(.*\)$/krping: \1: \2 in OLD, \3 in NEW/p' "$tmp/rows" >&2
	_next="krping bench-suite ADDR -n 5 DIR, once for OLD and once for NEW"
	_test=$(sed -n 's/^unmatched	test	\(.*\)	.*/\1/p' "$tmp/rows" | tr -d ' ')
	_size=$(sed -n 's/^unmatched	size	\(.*\)	.*/\1/p' "$tmp/rows" | tr -d ' ')
	case $_test:$_size in
	:) ;;
	*,*) _next="measure NEW again as OLD: krping sweep ADDR DIR${_test:+ --kinds $_test}${_size:+ --sizes $_size}" ;;
	:*) _next="measure NEW again with the size of OLD: --size $_size" ;;
	*) _next="measure NEW again with the test of OLD: krping $_test ADDR${_size:+ --size $_size}" ;;
	esac
	case $(grep '^unmatched	' "$tmp/rows") in
	# nothing but one size, one memory mode, or one depth, on each side
	*,* | *"
"*) ;;
	"unmatched	size	"*) _next="$_next; or compare the two sizes: $again --force" ;;
	"unmatched	memory mode	"*) _next="compare the two memory modes: $again --force" ;;
	"unmatched	txdepth	"*) _next="$_next; or compare the two depths: $again --force" ;;
	esac
	fail "$st_none" "$old and $new have no successful test in common: a row needs the same test, size and memory mode, and for throughput the same txdepth" "$_next"
}

# decimal OPTION TEXT: end unless TEXT is a number, with or without a decimal point
decimal() {
	case $2 in
	'' | .* | *[!0-9.]* | *.*.* | *.) usage "$1 takes a number, not '$2'" ;;
	esac
}

# gather PATH: print the results of a file or a directory as lines; a line "file NAME" precedes those of a file
gather() {
	want_readable "$1" "file or directory"
	if [ -d "$1" ] && [ -r "$1/devices" ]; then
		gather_devices "$1"
	elif [ -d "$1" ] && [ -e "$1/results.txt" ]; then
		want_readable "$1/results.txt"
		gather_sweep "$1"
	elif [ -d "$1" ]; then
		_any=
		for _f in "$1"/*; do
			if [ -f "$_f" ] && grep -qE '"result":|^result ' "$_f"; then
				_any=yes
				gather_file "$_f"
			fi
		done
		[ "$_any" ] || no_results "$1"
	else
		gather_file "$1"
	fi
}

# no_results PATH: end because PATH has no results
no_results() {
	if [ -f "$1" ] && [ -s "$1" ]; then
		usage "$1 has no results: compare reads those of --json and --raw, no tables and no CSV" "krping wlat ADDR --json >FILE"
	fi
	usage "$1 has no results" "krping wlat ADDR --json >FILE; krping bench-suite ADDR -n 5 DIR"
}

# gather_devices DIR: print the results of each device in DIR, the OUTDIR of a sweep --devices
gather_devices() {
	[ -s "$1/devices" ] || no_results "$1"
	while read -r _device; do
		want_readable "$1/$_device/results.txt"
		gather_sweep "$1/$_device"
	done <"$1/devices"
}

# gather_sweep DIR: print a line with the kernels' releases, and the results of a sweep. The line
# leaves out the kernels' builds, which have blanks.
gather_sweep() {
	printf environment
	[ ! -r "$1/environment" ] ||
		sed -n 's/^\(kernel\|server_kernel\)=\([^ ]*\).*/ \1=\2/p' "$1/environment" | tr -d '\n'
	echo
	printf 'file %s\n' "$1/results.txt"
	cat "$1/results.txt"
}

# gather_file FILE: print the results of a file of results or of a JSON document as lines
gather_file() {
	printf 'file %s\n' "$1"
	is_json "$1" || grep -q '^result ' "$1" || no_results "$1"
	result_lines "$1"
}
