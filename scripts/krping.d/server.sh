# shellcheck shell=sh disable=SC2154 # other files set lib, tmp and so on
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# krping server: serve clients until ^C, and print clients that connect or leave. POSIX sh.

# shellcheck source=options.sh
. "$lib/options.sh"
# shellcheck source=output.sh
. "$lib/output.sh"

cmd_server() {
	parse_options "json csv raw quiet" "$@"
	want_one "--json, --csv and --raw" "$json" "$csv" "$raw"
	[ "$addr" ] || addr=0.0.0.0
	want_addr
	command=server,addr=$addr
	case ,$options, in
	*,clients=*) ;;
	*) command=$command,clients=0 ;;
	esac
	command=$command${options:+,$options},background
	need_module
	temporary
	note_signals 0
	exec 4<>"$proc"
	echo "$command" 2>/dev/null >&4
	read_result "$tmp/result"
	id=$(value_of "$tmp/result" result id)
	if [ "${id:-0}" = 0 ] || ! server_runs; then
		result_failed "$tmp/result"
	fi
	say "test $id serves at $addr port $(port_of "$options"); $(ended_by "$id")"
	case $(echo /sys/class/infiniband/*) in
	*"*") say "there is no RDMA device yet, so no client can connect; $(without_hardware), on both hosts" ;;
	esac
	: >"$tmp/seen"
	while [ -z "$interrupted" ] && server_runs; do
		[ "$quiet" ] || visitors
		sleep 0.5 >/dev/null 2>&1 4>&- &
		wait $!
	done
	stop_server
}

# ended_by ID: print how a user ends the server ID. In the background, for which --quiet is meant, it gets no ^C.
ended_by() {
	[ "$quiet" ] || ! foreground || printf '^C or '
	echo "krping stop $1 ends it"
}

# server_runs: check whether the server of descriptor 4 runs. A shell's own commands read the status, because the server
# looks twice in a second, and each process takes CPU time from the tests.
server_runs() {
	read_result "$tmp/result"
	case "$_line " in
	*" status=running "*) return 0 ;;
	esac
	return 1
}

# visitors: print the clients that have connected or left since the last call
visitors() {
	command_run list || return 0
	uptime
	awk -v clock="$now" -v server="$id" -v seen="$tmp/seen" -v result="$tmp/result" -f "$lib/value.awk" \
		-f "$lib/visitors.awk" "$tmp/short" >&2
}

# stop_server: stop the server if it still runs, print its result, and exit
stop_server() {
	if server_runs; then
		command_run "stop,id=$id" || :
	fi
	exit_on_signals
	read_result "$tmp/result"
	exec 4>&-
	keep_result "$tmp/result"
	# brief omits the error from the result, because result_failed prints it on standard error
	brief=yes
	# shellcheck disable=SC2034 # for print_result
	seen=$(sed -n 's/^tests //p' "$tmp/seen" | sed 's/ /, /g')
	print_result "$tmp/result" "$command"
	errno_of "$tmp/result"
	[ -z "$interrupted" ] || exit "$interrupted"
	[ "$errno" = 0 ] || result_failed "$tmp/result"
	exit 0
}
