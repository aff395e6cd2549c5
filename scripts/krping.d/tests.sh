# shellcheck shell=sh disable=SC2154 # other files set lib, tmp and so on
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# krping list, stop, drain, log: the running tests. POSIX sh.

# shellcheck source=output.sh
. "$lib/output.sh"

cmd_tests() {
	"cmd_$cmd" "$@"
}

# ids NAMES WORD...: end unless each WORD is an id. NAMES are the command's options, for a suggestion.
ids() {
	_names=$1
	shift
	for _w; do
		# shellcheck disable=SC2086 # words
		case $_w in
		-*) no_option "$_w" $_names ;;
		'' | 0* | *[!0-9]*) usage "'$_w' is no id: krping list shows the ids" ;;
		esac
	done
}

cmd_list() {
	json='' csv='' raw=''
	for _w; do
		shift
		case $_w in
		--json) json=yes ;;
		--csv) csv=yes ;;
		--raw) raw=yes ;;
		*) set -- "$@" "$_w" ;;
		esac
	done
	[ $# -le 1 ] || usage "one ID"
	ids "json csv raw" "$@"
	need_module
	command_run "list${1:+,id=$1}" || no_test "${1-}"
	sed -n '/^id=/p' "$tmp/short" >"$tmp/list"
	if [ "$raw" ]; then
		cat "$tmp/list"
	elif [ "$json" ]; then
		list_table -v lines=yes "$tmp/list" | json_lines tests
	else
		list_table -v csv="$csv" "$tmp/list"
	fi
}

cmd_stop() {
	all='' force=''
	for _w; do
		shift
		case $_w in
		--all) all=yes ;;
		--force) force=,force ;;
		*) set -- "$@" "$_w" ;;
		esac
	done
	ids "all force" "$@"
	if [ "$all" ]; then
		[ $# = 0 ] || usage "either IDs or --all"
		_target=--all
		need_module
		if ! command_run "stop$force" && [ "$errno" != 3 ]; then
			result_failed "$tmp/short"
		fi
		_n=$(value_of "$tmp/short" result stopped)
		say "stopped $(counted "${_n:-0}" test)"
		exit 0
	fi
	[ $# -gt 0 ] || usage "which test? give its ID, or --all" "krping list"
	need_module
	for _id; do
		_target=$_id
		command_run "stop,id=$_id$force" || no_test "$_id"
		say "stopped test $_id"
	done
}

cmd_drain() {
	[ $# -gt 0 ] || usage "which server? give its ID" "krping list"
	ids "" "$@"
	need_module
	for _id; do
		command_run "drain,id=$_id" || drain_failed "$_id"
		say "server $_id takes no further clients, and ends after its last one"
	done
}

# drain_failed ID: end because the test ID cannot be drained. On the server each connection of a client has an ID of
# its own, so name the server that drain takes instead.
drain_failed() {
	[ "$errno" = 22 ] || no_test "$1"
	command_run "list,id=$1" || no_test "$1"
	_server=$(value_of "$tmp/short" "id=$1" server)
	[ -z "$_server" ] || usage "test $1 is a connection of the server $_server" "krping drain $_server"
	usage "test $1 is no server that listens" "krping list shows the state listening for such a server"
}

cmd_log() {
	follow=
	for _w; do
		case $_w in
		-f | --follow) follow=yes ;;
		*) no_option "$_w" follow ;;
		esac
	done
	temporary
	dmesg >"$tmp/log" 2>/dev/null ||
		fail "$st_permission" "cannot read the kernel log" "sudo $again"
	grep 'krping: ' "$tmp/log"
	[ "$follow" ] || exit 0
	trap 'exit 0' INT
	while sleep 1; do
		dmesg >"$tmp/more" 2>/dev/null || exit 0
		# old lines drop out of the log, so find the last line of $tmp/log by its text
		awk -v old="$tmp/log" 'BEGIN {
				for (after = 1; (getline line <old) > 0; after = 0)
					last = line
			}
			after && /krping: /
			$0 == last { after = 1 }' "$tmp/more"
		mv "$tmp/more" "$tmp/log"
	done
}
