# shellcheck shell=sh disable=SC2154 # other files set lib, tmp and so on
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# krping put, get, send, session, disk: memory that a server exports. POSIX sh.

# shellcheck source=options.sh
. "$lib/options.sh"
# shellcheck source=output.sh
. "$lib/output.sh"
# shellcheck source=get-output.sh
. "$lib/get-output.sh"
# shellcheck source=transfer.sh
. "$lib/transfer.sh"

cmd_remote() {
	case $cmd in
	put) own="json raw in=" ;;
	get) own="json raw out=" ;;
	session) own='' ;;
	*) own="json raw" ;;
	esac
	in='' out='' id='' region='' show='' began='' json='' raw=''
	parse_options "$own" "$@"
	want_one "--json and --raw" "$json" "$raw"
	[ "$in" != - ] || in=/dev/stdin
	[ "$out" != - ] || out=/dev/stdout
	[ -z "$in" ] || case ,$options in
	*,data=* | *,hex=* | *,len=*) usage "--in FILE gives the bytes: leave out --data, --hex and --len" ;;
	esac
	case ,$options in
	*,id=*)
		[ -z "$addr" ] || usage "either ADDR or id=N, the id of a session"
		case $cmd in
		session | disk) usage "$cmd connects: it needs ADDR, not id=N" ;;
		esac
		prefix=$cmd
		;;
	*)
		want_addr
		prefix=client,addr=$addr,$cmd
		;;
	esac
	need_module
	temporary
	trap end_transfer EXIT
	"remote_$cmd"
	exit 0
}

# begin_wait: after 1 s without end_wait, say on a terminal that this command waits for the server. A shell loses a
# signal that arrives just after a fork, so the file $tmp/wait exists until end_wait.
waiter=
begin_wait() {
	terminal || return 0
	: >"$tmp/wait"
	(
		trap '' INT
		trap - EXIT
		sleep 1 >/dev/null 2>&1 4>&- 5>&-
		[ ! -e "$tmp/wait" ] || say_waiting
	) &
	waiter=$!
}

end_wait() {
	[ "$waiter" ] || return 0
	rm -f "$tmp/wait"
	kill "$waiter" 2>/dev/null
	waiter=
}

# operate COMMAND: run a command; end if it fails
operate() {
	case $1 in
	client,*) begin_wait ;;
	esac
	command_run "$1"
	end_wait
	[ "$errno" = 0 ] || operation_failed "$1"
}

# operation_failed COMMAND: print the result of the operation, which is in $tmp/short, and exit
operation_failed() {
	end_progress
	[ -z "$raw$json" ] || print_result "$tmp/short" "$1"
	result_failed "$tmp/short"
}

# report COMMAND: print the result of an operation
report() {
	if [ "$raw" ] || [ "$json" ]; then
		print_result "$tmp/short" "$1"
	else
		awk -f "$lib/value.awk" -f "$lib/memory.awk" "$tmp/short"
	fi
}

# single: run the operation as the user has given it, and print its result
single() {
	operate "$prefix${options:+,$options}"
	report "$prefix${options:+,$options}"
}

# remote_NAME runs the command NAME after cmd_remote has read its options.
remote_send() {
	single
	[ "$raw$json" ] || say "krping log on the server shows the message"
}

remote_put() {
	if [ "$in" ]; then
		want_readable "$in"
		pieces put_file
	else
		single
	fi
	if [ -z "$raw$json" ] && [ "$addr" ] && grep -qs '^completion .* kept=0' "$tmp/short"; then
		say "the server was started without --shared, so the bytes are gone now, and get reads zeros"
	fi
}

remote_get() {
	[ -z "$out" ] || want_writable "$out"
	_len=$(option_bytes len)
	if [ -z "$_len" ]; then
		pieces get_rest
		return
	fi
	exact len "$_len"
	if above "$_len" $get_max; then
		[ "$out" ] || usage "more than $get_max bytes need --out FILE"
		pieces get_file
		return
	fi
	[ "$out" ] || {
		single
		return
	}
	offset=$(option_bytes offset)
	: "${offset:=0}"
	operate "$prefix,$options"
	begin_output
	append_data || write_failed "$_len"
	written "$_len"
	show_transfer "$prefix,$options" "$_len"
}

# begin_session OPTIONS: connect a session, which ends when this script exits. OPTIONS are its options, each
# behind a comma. Set id to the id of the session, and region to the size of the server's memory.
begin_session() {
	exec 4<>"$proc"
	trap end_session EXIT
	begin_wait
	# write in a subshell, which ^C ends: this shell handles ^C, and would repeat the interrupted write
	(echo "client,addr=$addr,session$1" >&4) 2>/dev/null
	end_wait
	read_result "$tmp/result"
	errno_of "$tmp/result"
	[ "$errno" = 0 ] || result_failed "$tmp/result"
	id=$(value_of "$tmp/result" result id)
	region=$(value_of "$tmp/result" result size)
}

# end_session: end the session, also if a signal has interrupted begin_session before it has set id
end_session() {
	end_progress
	if [ -z "$id" ]; then
		read_result "$tmp/result"
		id=$(value_of "$tmp/result" result id)
	fi
	[ "${id:-0}" = 0 ] || command_run "stop,id=$id" || :
	end_transfer
}

remote_disk() {
	operate "$prefix${options:+,$options}"
	if [ "$raw" ] || [ "$json" ]; then
		print_result "$tmp/short" "$prefix"
		return
	fi
	_id=$(value_of "$tmp/short" result id)
	echo "/dev/$(value_of "$tmp/short" disk name): $(counted "$(value_of "$tmp/short" disk bytes)" byte), test $_id"
	say "krping stop $_id removes it"
}

remote_session() {
	begin_session "${options:+,$options}"
	say "session $id with $addr: $(counted "$region" byte); help shows the commands"
	failures=0
	while prompt && IFS= read -r line; do
		case $line in
		'' | '#'*) continue ;;
		quit | exit) break ;;
		esac
		session_line
	done
	[ ! -t 0 ] || echo
	# a script learns of failed lines by the exit status; a person has seen the messages
	[ $failures = 0 ] || [ -t 0 ] || exit "$st_failed"
}

# prompt: print a prompt if standard input is a terminal
prompt() {
	[ ! -t 0 ] || printf 'krping> '
}

# form_of COMMAND: print the syntax of COMMAND in a session
form_of() {
	case $1 in
	put) echo "put OFFSET TEXT, or put offset=O data=TEXT" ;;
	get) echo "get OFFSET BYTES, or get offset=O len=L" ;;
	send) echo "send TEXT, or send data=TEXT" ;;
	open) echo "open [rw]" ;;
	*) echo "$1" ;;
	esac
}

# name_operands: replace the operands in $rest, without names of options, by options: OFFSET TEXT of put, OFFSET BYTES of
# get, TEXT of send. The line has options if $rest begins with a dash, or its first word has =.
name_operands() {
	case $word,$rest in
	*,-* | *,) return 0 ;;
	esac
	case ${rest%% *} in
	*=* | inline | unchecked) return 0 ;;
	esac
	case $word,$rest in
	put,[0-9]*' '*) rest="offset=${rest%% *} data=${rest#* }" ;;
	get,[0-9]*' '*) rest="offset=${rest%% *} len=${rest#* }" ;;
	send,*) rest="data=$rest" ;;
	*) return 0 ;;
	esac
	line="$word $rest"
}

# session_line: run $line in the session $id; print an error and count it in failures
session_line() {
	word=${line%% *}
	rest=${line#"$word"}
	rest=${rest# }
	case $word in
	help)
		cat <<-END
			put OFFSET TEXT          write TEXT, up to the end of the line, by RDMA WRITE
			get OFFSET BYTES         read by RDMA READ
			send TEXT                send a message
			put offset=O hex=HEX, and other options as those of krping put, get and send;
			                         data=TEXT is the last one
			open [rw], close         let other clients of the server use this region, or no longer;
			                         not on a server with --shared, whose clients all use one region
			regions                  the regions that are open
			quit                     disconnect
		END
		return
		;;
	put | get | send | open | close | regions) ;;
	*)
		near=$(nearest "$word" put get send open close regions help quit)
		say "there is no command '$word': ${near:+did you mean $near? }help shows the commands"
		failures=$((failures + 1))
		return
		;;
	esac
	if ! module_has "$word"; then
		say "this version of the module has no '$word'"
		failures=$((failures + 1))
		return
	fi
	name_operands
	# the text behind data= may have blanks, so it stays one word
	text=
	case " $rest" in
	*" data="*)
		text=${rest#*data=}
		rest=${rest%%data=*}
		;;
	esac
	# read the words as parse_options does, but go on after an error
	wrong='' addr='' options=''
	# shellcheck disable=SC2086 # words
	set -- $rest
	case " $line" in
	*" data="*) set -- "$@" "data=$text" ;;
	esac
	eval "$(assignments -v form="$(form_of "$word")" -- "$table" "" "$@")"
	if [ "$wrong" ]; then
		say "$wrong"
		failures=$((failures + 1))
	elif command_run "$word,id=$id${options:+,$options}"; then
		raw='' json=''
		report ""
		[ "$word" != regions ] || grep -q '^region ' "$tmp/short" ||
			say "no region is open; all clients of a server with --shared use one region anyway"
	else
		say "error: $(detail_of "$tmp/short")"
		failures=$((failures + 1))
	fi
}
