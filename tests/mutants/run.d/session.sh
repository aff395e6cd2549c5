# shellcheck shell=bash disable=SC2034,SC2154 # tests/mutants/run and its other parts use the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Run tests/run in a session of its own, and end the session. Part of tests/mutants/run.

# session SID: print the processes of a session, except zombies. Not every machine has ps.
session() {
	cat /proc/[0-9]*/stat 2>/dev/null | awk -v sid="$1" '{
		pid = $1
		sub(/^.*\) /, "")
		if ($4 == sid && $1 != "Z")
			print pid
	}'
}

# end_session SID: end all processes of a session. A signal to the process group would miss
# the guests, which have groups of their own.
end_session() {
	local tries
	kill -TERM -- "-$1" 2>/dev/null
	# scripts/vm ends its guests and removes its files in /tmp
	for ((tries = 0; tries < 120; tries++)); do
		[ "$(session "$1")" ] || return
		sleep 0.5
	done
	# shellcheck disable=SC2046 # split into words
	kill -KILL $(session "$1") 2>/dev/null
}

# run_subject DIR LOG LIMIT ARG...: run tests/run in DIR until the first check fails
run_subject() {
	local dir=$1 log=$2 seconds=$3 pid status
	shift 3
	: >"$log"
	# A background process is no group leader, so setsid does not fork and $! is the session.
	(
		cd "$dir" || exit 1
		exec setsid timeout --foreground -k 60 "$seconds" tests/run --kernel "$kernel" \
			--no-build --serial --limit "$limit" "$@"
	) >>"$log" 2>&1 </dev/null 8>&- &
	pid=$!
	running=$pid
	while kill -0 "$pid" 2>/dev/null; do
		if grep -q '^not ok ' "$log"; then
			# let tests/run print the comments of the failed check
			sleep 1
			end_session "$pid"
			break
		fi
		sleep 0.5
	done
	wait "$pid" 2>/dev/null
	status=$?
	end_session "$pid"
	running=
	return $status
}
