# shellcheck shell=sh disable=SC2154 # other files set lib, tmp and so on
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Options of a command line, checked against those of the module. POSIX sh.

# shellcheck source=host.sh
. "$lib/host.sh"

# option_table: set table to a file with the loaded module's options, or with those of this
# version of krping if /proc/krping cannot be used
option_table() {
	temporary
	if may_command && command_run help; then
		table=$tmp/options
		mv "$tmp/short" "$table"
	else
		table=$lib/options
		[ -e "$table" ] || fail "$st_failed" "$table is missing" "install krping again"
	fi
}

# module_has OPTION: check whether the module has an option
module_has() {
	grep -q "^option name=$1 " "$table"
}

# assignments [-v VARIABLE=VALUE]... -- TABLE OWN WORD...: print the words of a line as assignments for a shell
assignments() {
	awk -f "$lib/suggest.awk" -f "$lib/foreign.awk" -f "$lib/options.awk" "$@"
}

# parse_options OWN WORD...: parse the words of the command line. Set addr; options, a list for the
# module; and a variable for each option in OWN. OWN lists the options of the command itself, with a
# trailing = if they take an operand. End with a usage error if a word is wrong.
parse_options() {
	option_table
	# shellcheck disable=SC2034 # the caller reads them
	wrong='' remedy='' addr='' options=''
	for _w in $1; do
		eval "${_w%=}=''"
	done
	_text=
	case $cmd in
	put | send) _text=yes ;;
	esac
	eval "$(assignments -v text="$_text" -v cmd="$cmd" -- "$table" "$@")"
	[ -z "$wrong" ] || usage "$wrong" "${remedy:-krping $cmd --help}"
}

# want_addr: replace a host's name in addr by its address; end if addr is neither name nor address
want_addr() {
	[ "$addr" ] || usage "ADDR is missing: the server's address"
	_found=$(host_address "$addr") || usage "'$addr' is neither an address nor the name of a host"
	addr=$_found
}

# want_one WHAT VALUE...: end if more than one VALUE is set. WHAT names their options.
want_one() {
	_what=$1
	shift
	_given=0
	for _w; do
		[ -z "$_w" ] || _given=$((_given + 1))
	done
	[ $_given -le 1 ] || usage "$_what exclude each other"
}

# option_of NAME: print the operand of the option NAME in $options
option_of() {
	printf '%s\n' "$options" | tr ',' '\n' | sed -n "s/^$1=//p"
}

# say_waiting: say that the test waits for the server at $addr, and for how long each step waits
say_waiting() {
	_limit=$(option_of timeout)
	case ${_limit:=5 s} in
	0) say "waiting for $addr, without a limit (--timeout 0)" ;;
	*[!0-9]*) say "waiting for $addr; a step may take at most $_limit (--timeout)" ;;
	*) say "waiting for $addr; a step may take at most $_limit ms (--timeout)" ;;
	esac
}
