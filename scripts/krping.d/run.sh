# shellcheck shell=sh disable=SC2154 # other files set lib, tmp and so on
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# krping ping|wlat|rlat|slat|bw|rbw|sbw|fr: run a client, show its progress and its result. POSIX sh.

# shellcheck source=options.sh
. "$lib/options.sh"
# shellcheck source=output.sh
. "$lib/output.sh"

# Duration in seconds of a test for which the user gives neither count nor duration.
default_duration=10

# yes if the command requests the figures of each interval from the module
asked=

cmd_run() {
	parse_options "json csv raw interval= quiet" "$@"
	want_one "--json, --csv and --raw" "$json" "$csv" "$raw"
	[ -z "$interval" ] || want_seconds "$interval"
	[ -z "$interval" ] || [ -z "$csv" ] || say "--csv has the figures of the whole test only; --json also has those of each interval"
	want_addr
	command=client,addr=$addr
	[ "$cmd" = ping ] || command=$command,$cmd
	command=$command${options:+,$options}
	case ,$options, in
	*,count=* | *,duration=*) ;;
	*) command=$command,duration=$default_duration ;;
	esac
	case $cmd,,$options, in
	*,histogram,*) ;;
	ping,* | *lat,*) command=$command,histogram ;;
	esac
	# the module's option interval takes whole seconds
	case $interval in
	'' | *.*) ;;
	*)
		asked=yes
		case ,$options, in
		*,interval=*) ;;
		*) command=$command,interval=$interval ;;
		esac
		;;
	esac
	need_module
	temporary
	run_client "$command"
	finish "$command"
}

# run_client COMMAND: run a test until its end or ^C. Writes its result into $tmp/result.
#
# A shell may repeat a write that a signal has interrupted, and so begin the test again. Therefore a
# child in the background, which ignores ^C, writes the command. On ^C this shell stops the test by
# its id.
run_client() {
	note_signals 130
	exec 4<>"$proc"
	echo "$1" >&4 2>/dev/null &
	writer=$!
	begin_watch
	ticker=
	if [ "$interval" ]; then
		tick lines &
		ticker=$!
	elif [ -z "$quiet" ] && [ -t 1 ] && terminal; then
		interval=1
		tick line >&2 &
		ticker=$!
	fi
	wait $writer
	if [ "$interrupted" ]; then
		! terminal || printf '\r\033[Kkrping: stopping the test\n' >&2
		stop_writer
		wait $writer
	fi
	end_watch
	if [ "$ticker" ]; then
		stop_ticker
	fi
	exit_on_signals
	read_result "$tmp/result"
	exec 4>&-
	if [ "$asked" ]; then
		show_tick lines "$tmp/result"
	fi
	keep_result "$tmp/result"
	errno_of "$tmp/result"
}

# stop_ticker: end the process of tick(). A shell loses a signal that arrives just after a fork.
# Therefore wait for $tmp/tick, which tick() makes after it has set its trap.
stop_ticker() {
	_tries=100
	while [ $_tries -gt 0 ] && [ ! -e "$tmp/tick" ] && kill -0 "$ticker" 2>/dev/null; do
		sleep 0.05
		_tries=$((_tries - 1))
	done
	: >"$tmp/over"
	kill "$ticker" 2>/dev/null
	wait "$ticker" 2>/dev/null
	rm -f "$tmp/over"
}

# stop_writer: stop the test of descriptor 4. Wait for its id, which the result has only after the
# write has started the test.
stop_writer() {
	_tries=50
	while [ $_tries -gt 0 ] && kill -0 "$writer" 2>/dev/null; do
		_id=$(sed -n '1s/^result id=\([1-9][0-9]*\) .*/\1/p' <&4)
		if [ "$_id" ]; then
			command_run "stop,id=$_id"
			return
		fi
		sleep 0.1
		_tries=$((_tries - 1))
	done
}

# begin_watch: let a child stop the test of descriptor 4 if this shell dies before end_watch, for example by SIGKILL. Only
# this shell and short-lived children have the FIFO open for writing, on descriptor 6, so its reader notices the death.
begin_watch() {
	watcher=
	mkfifo "$tmp/alive" 2>/dev/null || return 0
	exec 6<>"$tmp/alive"
	watch_shell &
	watcher=$!
}

end_watch() {
	[ "$watcher" ] || return 0
	echo over >&6
	exec 6>&-
	wait "$watcher"
	rm -f "$tmp/alive"
}

# watch_shell: wait for end_watch, or for the death of the shell, and then stop the test
watch_shell() {
	trap '' HUP INT TERM
	trap - EXIT
	exec 7<"$tmp/alive"
	exec 6>&-
	if ! read -r _ <&7; then
		stop_writer
		rm -rf "$tmp"
	fi
}

# nap SECONDS: sleep; fail if stop_ticker ends the ticker. A trap interrupts wait, but not a command in the foreground.
nap() {
	sleep "$1" >/dev/null 2>&1 4>&- &
	[ "$over" ] || wait $! 2>/dev/null
	if [ "$over" ]; then
		kill $! 2>/dev/null
		return 1
	fi
	[ ! -e "$tmp/over" ]
}

# notice_wait: say once that the test of descriptor 4 waits for the peer, if the test has no connection yet. Write the
# result so far into $tmp/now.
notice_wait() {
	read_result "$tmp/now"
	if [ -z "$noticed" ] && grep -q '^result .* status=running .* iterations=0 ' "$tmp/now" &&
		! grep -q '^result .* peer=krping' "$tmp/now"; then
		noticed=yes
		say_waiting
	fi
}

# tick lines|line: print the progress of the test of descriptor 4 every $interval seconds, and after 1 s whether the
# test waits for the peer
tick() {
	exec 6>&-
	trap '' INT
	trap - EXIT
	over='' noticed=''
	trap 'over=yes' TERM
	uptime
	echo "$now $now 0 0" >"$tmp/tick"
	_rest=$(awk -v s="$interval" 'BEGIN { if (s > 1) print s - 1 }')
	if [ "$_rest" ]; then
		nap 1 || return 0
		notice_wait
	fi
	while nap "${_rest:-$interval}"; do
		_rest=
		# SIGKILL may have ended the command, and a later one has removed its directory
		kill -0 $$ 2>/dev/null || return 0
		uptime
		notice_wait
		# a line of progress would stand behind the shell's prompt
		[ "$1" = lines ] || foreground || continue
		show_tick "$1" "$tmp/now"
	done
}

# show_tick lines|line FILE: print the progress since the last call, from the result in FILE
show_tick() {
	awk -v now="${now-0}" -v state="$tmp/tick" -v keep="$tmp/intervals" -v form="$1" -v asked="$asked" -v quiet="${json-}${csv-}${raw-}" \
		-f "$lib/digits.awk" -f "$lib/results.awk" -f "$lib/tick.awk" "$2"
}

# finish COMMAND: print the result and end with its exit status
finish() {
	if [ -t 2 ] && [ -e "$tmp/tick" ]; then
		printf '\r\033[K' >&2
	fi
	# brief omits the error, which result_failed prints; without figures print no table
	brief=yes
	if [ "$errno" = 0 ] || [ "$json$csv$raw" ] || grep -q '^time ' "$tmp/result"; then
		print_result "$tmp/result" "$1"
	fi
	[ "$json$csv$raw" ] || awk -f "$lib/results.awk" -f "$lib/remarks.awk" "$tmp/result" >&2
	[ "$errno" != 0 ] || exit 0
	if [ "$interrupted" ]; then
		say "stopped; the figures are those of the iterations before"
		exit "$interrupted"
	fi
	result_failed "$tmp/result"
}
