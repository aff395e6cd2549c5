# shellcheck shell=bash disable=SC2154 # scripts/vm sets the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The option --idle: end a guest that prints nothing. The guest's process 1 does this itself (see
# scripts/guest/init). If the guest's kernel hangs, too, scripts/vm kills QEMU. Part of scripts/vm.

# seconds that the guest has for its report and to power off before scripts/vm kills QEMU
idle_grace=30

# check_idle: reject a wrong --idle
check_idle() {
	[ "$idle" ] || return 0
	number --idle "$idle"
	[ -z "${pair[*]}$shell" ] || die "--idle does not go with --pair and --shell"
}

# kill_idle PID NAME: kill QEMU, the process PID, if guest NAME has not printed or reported anything for
# the seconds of --idle plus idle_grace
kill_idle() {
	local newest
	while kill -0 "$1" 2>/dev/null; do
		sleep 5
		newest=$(stat -c %Y "$run/$2.printed" "$run/$2.result" | sort -n | tail -n 1) || continue
		if (($(date +%s) - newest > idle + idle_grace)); then
			echo "idle" >>"$run/$2.killed"
			kill "$1"
			return
		fi
	done
}

# idle_ended NAME: check whether guest NAME was ended because of --idle
idle_ended() {
	[ -e "$run/$1.killed" ] || grep -qs '^idle' "$run/$1.result"
}

# show_idle NAME WHAT: print that guest NAME was ended, and what its kernel has logged about blocked tasks
# and CPUs, or the end of its log
show_idle() {
	local from
	from=$(grep -an 'sysrq: Show Blocked State' "$run/$1.log" | tail -n 1 | cut -d : -f 1) || :
	if [ "$from" ]; then
		tail -n "+$from" "$run/$1.log" | head -n 200 | show_log "$2" "shows blocked tasks"
	else
		tail -n 40 "$run/$1.log" | show_log "$2" "ends"
	fi
	say "$2: ended, because the command had printed nothing for $idle s"
}
