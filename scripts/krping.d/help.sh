# shellcheck shell=sh disable=SC2154 # other files set lib, tmp and so on
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# krping help: describe a command, an option, or a word of another program. POSIX sh.

cmd_help() {
	[ $# -le 1 ] || usage "one command or option"
	case ${1-} in
	'')
		show_help
		exit 0
		;;
	options) ;;
	*)
		for _c in $krping_commands; do
			if [ "$1" = "$_c" ]; then
				# shellcheck source=help-texts.sh
				. "$lib/help-texts.sh"
				help_of "$1"
				exit 0
			fi
		done
		;;
	esac
	# shellcheck source=options.sh
	. "$lib/options.sh"
	option_table
	[ "$1" != options ] || say "krping help OPTION prints the operand and the default of an option"
	awk -v name="${1#--}" -f "$lib/value.awk" -f "$lib/option-help.awk" "$table"
	_status=$?
	# 1: no such option; others: no reader, as in krping help options | head
	[ $_status = 1 ] || exit $_status
	unknown_word "${1#--}"
}

# unknown_word WORD: end because WORD is no command and no option; suggest what krping has in its place
unknown_word() {
	no="there is no command and no option '$1'"
	eval "$(awk -f "$lib/foreign.awk" -f "$lib/foreign-word.awk" -- "$1")"
	[ -z "$needless" ] || usage "$no: $needless" "$instead"
	# shellcheck disable=SC2046,SC2086 # words
	[ "$near" ] || near=$(nearest "$1" $krping_commands $(sed -n 's/^option name=\([^ ]*\) .*/\1/p' "$table"))
	usage "$no${near:+: did you mean $near?}" "krping help options"
}
