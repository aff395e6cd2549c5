# shellcheck shell=sh disable=SC2154 # scripts/sweep sets the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# For scripts/sweep: start and stop a server. The command of --server-cmd starts a shell, which reads
# server_script from standard input. scripts/sweep keeps this input open as long as it needs the
# server. At the end of the input server_script stops the server. POSIX sh.
# shellcheck disable=SC2034 # server_kernel is for sweep-environment.sh

# server_command: print the server's command for /proc/krping
server_command() {
	echo "server,addr=$addr,port=$port,clients=0${poll:+,poll}${server_options:+,$server_options},background"
}

# server_script: print the script that runs the server
server_script() {
	cat <<-END
		{
			if [ ! -e $proc ]; then
				echo 'sweep: error there is no $proc on the server: load rdma_krping there (make load)'
				exit 1
			fi
			exec 3<>$proc
			if ! echo '$(server_command)' >&3 2>/dev/null; then
				sed -n 's/^error .* detail="\(.*\)"/sweep: error \1/p' <&3
				exit 1
			fi
			id=\$(sed -n '1s/^result id=\([0-9]*\) .*/\1/p' <&3)
			echo "sweep: listens \$(uname -r)"
			read -r word
			echo "stop,id=\$id" 2>/dev/null >$proc
		}
	END
}

# start_server: start the server, and wait until it listens; set server_kernel to its kernel's release
start_server() {
	rm -f "$tmp/in" "$tmp/out"
	mkfifo "$tmp/in" "$tmp/out" || die "cannot make a pipe in $tmp"
	sh -c "$server_cmd" <"$tmp/in" >"$tmp/out" 2>"$tmp/server" 7<&- &
	server=$!
	exec 5>"$tmp/in" 6<"$tmp/out"
	server_runs=yes
	server_script >&5
	why="$server_cmd has ended"
	while read -r mark word rest <&6; do
		case "$mark $word" in
		"sweep: listens")
			server_kernel=$rest
			return 0
			;;
		"sweep: error")
			why=$rest
			break
			;;
		esac
	done
	tail -n 5 "$tmp/server" >&2
	die "the server does not start: $why"
}

# stop_server: end the input of server_script, which then stops the server, and wait for its shell
stop_server() {
	[ "$server_runs" ] || return 0
	server_runs=
	exec 5>&- 6<&-
	wait "$server"
}

# server_is_there: check that a client with one iteration succeeds
server_is_there() {
	run "client,addr=$addr,port=$port,count=1${only_device:+,device=$only_device}"
	[ "$errno" = 0 ]
}

# remark_poll: say if only one side polls. The last result is that of server_is_there.
remark_poll() {
	_peer=$(sed -n 's/^peer_config .* poll=\([01]\) .*/\1/p' "$tmp/result")
	case ${poll:-no},$_peer in
	yes,0) say "this side polls and the server does not; to poll on both, end it, and start $(server_for "$addr" "$port") --poll" ;;
	no,1) say "the server polls and this side does not; to poll on both, add --poll here" ;;
	esac
}

# no_server: print why there is no server, and how to start one
no_server() {
	_detail=$(detail)
	case $_detail in
	"no server listens there") say "no krping server listens at $addr port $port" ;;
	*) say "no server at $addr port $port: $_detail" ;;
	esac
	# remove the directory if it is empty, because compare and report would look for results there
	rmdir "$out" 2>/dev/null || :
	if [ "${KRPING-}" ] && [ "${_detail%another test: session}" != "$_detail" ]; then
		say "next: a server with --export serves nothing else; start another one there: krping server --port N, and give --port N here"
	elif [ "$errno" = 111 ] && [ "${KRPING-}" ]; then
		say "next: on the host of $addr: $(server_for "$addr" "$port")${poll:+ --poll}"
	elif [ "$errno" = 111 ]; then
		say "on the server, in a shell of root that stays open, type"
		cat >&2 <<-END
			    exec 3<>$proc
			    echo $(server_command) >&3
		END
		say "and at the end: echo stop > $proc"
	elif [ "${KRPING-}" ]; then
		say "next: krping doctor $addr; is krping server running on the host of $addr?"
	fi
}
