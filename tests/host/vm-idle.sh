#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: With scripts/vm --idle a guest ends if its command prints nothing for some seconds. The kernel
#   log then shows the blocked tasks. scripts/vm kills a QEMU that does not react. The kernel panics if
#   it finds a CPU or a task that hangs.
# Requires: guests that the subject boots with scripts/vm
# Duration: 80 s

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=../lib-host.sh
. tests/lib-host.sh

# boot OUT OPTION... COMMAND: boot a guest in the background; write its output and its status to $tmp/OUT
boot() {
	_out=$tmp/$1
	shift
	{
		_status=0
		TMPDIR=$tmp scripts/vm --kernel "$KERNEL" --device none --no-krping "$@" >"$_out" 2>&1 || _status=$?
		echo "status $_status" >>"$_out"
	} &
}

# said OUT TEXT...: check that the output has each TEXT
said() {
	_out=$1
	shift
	for _text; do
		grep -qF -- "$_text" "$tmp/$_out" || why "'$_text' was not said: $(cat "$tmp/$_out")" || return 1
	done
}

# stop_qemu: stop the QEMU of the guest "stopped", once its command has begun
stop_qemu() {
	until grep -q -e begun -e ^status "$tmp/stopped"; do
		sleep 0.5
	done
	for _p in /proc/[0-9]*; do
		case $(tr '\0' ' ' 2>/dev/null <"$_p/cmdline") in
		qemu-system*"$tmp"*name=stopped*)
			kill -STOP "${_p#/proc/}"
			return
			;;
		esac
	done
	why "there is no QEMU to stop"
}

boot silent --timeout 600 --idle 10 'echo begun; sleep 1000'
# shellcheck disable=SC2016 # the guest expands $i
boot talking --timeout 600 --idle 20 'for i in 1 2 3 4 5 6; do sleep 8; echo $i; done
	grep -H . /proc/sys/kernel/*_panic /proc/sys/kernel/panic_on_*'
boot stopped --timeout 600 --idle 10 --append name=stopped 'echo begun; sleep 1000'
boot options --idle 0 true
stopped=yes
stop_qemu || stopped=
wait

check "vm --idle ends a guest whose command prints nothing" said silent begun "status 124" \
	"ended, because the command had printed nothing for 10 s"
check "vm --idle lets the kernel log its blocked tasks and all CPUs" said silent \
	"sysrq: Show Blocked State" "sysrq: Show backtrace of all active CPUs"
check "vm --idle keeps a guest whose command prints" said talking 6 "status 0"
check "vm: the kernel panics if a CPU or a task hangs" said talking softlockup_panic:1 hung_task_panic:1 \
	panic_on_rcu_stall:1
# killed: check that scripts/vm has ended the guest whose QEMU was stopped
killed() {
	[ "$stopped" ] && said stopped "status 124" "ended, because the command had printed nothing for 10 s"
}
check "vm --idle kills a QEMU that does not react" killed
check "vm --idle rejects 0" said options "--idle needs a number above 0, not '0'" "status 127"

t_end
