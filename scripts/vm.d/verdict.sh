# shellcheck shell=bash disable=SC2034,SC2154 # scripts/vm and its other parts use the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Judge how a guest has ended, and print the reason of a failure. Part of scripts/vm.

# show_log WHAT TEXT: print standard input, which is a part of WHAT's kernel log, under a heading with TEXT
show_log() {
	say "$1: the kernel log $2:"
	sed 's/\r$//' >&2
}

# show_tail NAME WHAT UP: print the last lines that the kernel has logged during the command,
# unless scripts/vm has shown the whole log. The guest had run for UP seconds when the command began.
show_tail() {
	[ -z "$console$shell" ] || return 0
	awk -v up="$3" -F '[][]' '
		/ ACPI: PM: Preparing to enter| reboot: Power down/ { next }
		$2 + 0 >= up + 0 { print }' "$run/$1.log" | tail -n 10 >"$run/$1.tail"
	[ ! -s "$run/$1.tail" ] || show_log "$2" "ends" <"$run/$1.tail"
}

# judge NAME: set status to the exit status for the guest NAME, which has ended. Explain a failure, and
# keep the log for --log. Append to ups the seconds that the guest had run when the command began.
judge() {
	local what=$1 rc=0 result up lines first trouble
	((${#pair[@]})) || what=guest
	[ ! -e "$run/$1.rc" ] || rc=$(cat "$run/$1.rc")
	result=$(sed -n '/^exit \|^fail /p' "$run/$1.result" | tr -d '\r' | tail -n 1)
	up=$(sed -n 's/^up //p' "$run/$1.result" | tr -d '\r' | tail -n 1)
	lines=$(wc -l <"$run/$1.log")
	trouble=$(trouble_lines <"$run/$1.log" | head -n 1 | tr -d '\r') || :

	if [ "$trouble" ]; then
		status=126
		first=${trouble%%:*}
		((first = first > 5 ? first - 5 : 1))
		sed -n "$first,$((first + 120))p" "$run/$1.log" | show_log "$what" "shows trouble"
		((first + 120 >= lines)) || say "... $((lines - first - 120)) more lines: --log FILE keeps them all"
		! idle_ended "$1" || show_idle "$1" "$what"
		say "$what: the kernel had trouble (see above): ${trouble#*:}${result:+; the command ended with $result}"
	elif idle_ended "$1"; then
		status=124
		show_idle "$1" "$what"
	elif [[ $result == exit* ]]; then
		status=${result#exit }
		if ((status > 125)); then
			say "$what: the command ended with status $status"
			status=125
		fi
		((status == 0)) || {
			show_tail "$1" "$what" "$up"
			say "$what: the command failed with status $status"
		}
	else
		status=126
		tail -n 40 "$run/$1.log" | show_log "$what" "ends"
		if [ "$result" ]; then
			status=127
			say "error: $what: ${result#fail }"
		elif ((rc == 124 || rc == 137)); then
			status=124
			say "$what: killed at the time limit of $limit s${up:+, was up after $up s} (--timeout gives more)"
		elif ((rc != 0)) && [ ! -s "$run/$1.log" ]; then
			status=127
			cat "$run/$1.qemu" >&2 || :
			say "error: QEMU failed with status $rc: see above"
		else
			say "$what: ended without a report${up:+, was up after $up s}"
		fi
	fi
	if [ "$log" ]; then
		case $1 in
		B) sed 's/\r$//' "$run/$1.log" >"$log.B" ;;
		*) sed 's/\r$//' "$run/$1.log" >"$log" ;;
		esac
	fi
	ups+="${ups:+, }$up"
}
