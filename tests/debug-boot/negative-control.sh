#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The debug kernel reports planted bugs, and scripts/vm finds the reports.
#   tests/kmod/krping_plant.c plants one bug for each checker. The patterns for the kernel log are
#   those of all other guests (scripts/trouble.sh).
# Requires: a guest with the debug kernel that the subject boots with scripts/vm; no device
# Duration: 118 s

cd "$(dirname "$0")/../.." || exit 1
KERNEL=${KERNEL:-debug}
# shellcheck source=../lib-host.sh
. tests/lib-host.sh
# shellcheck source=../../scripts/trouble.sh
. scripts/trouble.sh

# Name of a bug, and a pattern of the kernel's report. The bugs for lockdep come first: a report
# about locks, or of KASAN, disables lockdep. The broken list comes last, because it kills the
# process that uses the list.
cat >"$tmp/bugs" <<'END'
suspicious-rcu	WARNING: suspicious RCU usage
lock-order	WARNING: possible circular locking dependency detected
use-after-free	BUG: KASAN: slab-use-after-free in krping_plant_
out-of-bounds	BUG: KASAN: slab-out-of-bounds in krping_plant_
double-free	BUG: KASAN: double-free in krping_plant_
sleep-in-atomic	BUG: sleeping function called from invalid context
free-active	ODEBUG: free active .* timer_list
init-twice	ODEBUG: init active .* work_struct
shift	UBSAN: shift-out-of-bounds in
array	UBSAN: array-index-out-of-bounds in
dma	DMA-API: .*tries to free DMA memory it has not allocated
refcount	refcount_t: decrement hit 0; leaking memory
warn	WARNING: CPU: .* krping_plant_warn
hang	INFO: task .* blocked for more than
stall	rcu: INFO: .*stall
leak	kmemleak: [0-9]+ new suspected memory leaks
list	list_add corruption
END

# The script in the guest. Each bug is planted in a subshell, because a bug may kill its
# process.
cat >"$tmp/plant" <<'END'
. ./leaks.inc
echo 0 >/proc/sys/kernel/panic_on_oops
echo 4 >/proc/sys/kernel/hung_task_timeout_secs
echo 3 >/sys/module/rcupdate/parameters/rcu_cpu_stall_timeout
# periodic scans would take long
echo scan=off >$KMEMLEAK
# forget the leaks of the boot
leak_scan
echo clear >$KMEMLEAK
echo "control: begin nothing" >/dev/kmsg
echo scan >$KMEMLEAK
for bug; do
	echo "control: begin $bug" >/dev/kmsg
	(echo "$bug" >/sys/kernel/debug/krping_plant) || echo "# writing $bug failed"
	case $bug in
	leak)
		leak_scan
		[ -z "$(leaks_of krping_plant)" ] || echo "leaks_of finds a leak by the module name"
		[ -n "$(leaks_of rdma_krping)" ] || echo "leaks_of ignores a leak of another module"
		module_range krping_plant
		rmmod krping_plant
		[ -z "$(leaks_of none)" ] || echo "leaks_of finds a leak by the module address"
		insmod /lib/modules/extra/krping_plant.ko
		;;
	esac
done
echo "control: begin end" >/dev/kmsg
echo "all are planted"
END

# between BUG: print the log of this bug, up to the next one
between() {
	awk -v bug="control: begin $1\$" '
		/control: begin / { on = $0 ~ bug; next }
		on' "$tmp/log"
}

# shown FILE COMMAND...: run COMMAND, and print the end of FILE if it fails
shown() {
	_file=$1
	shift
	"$@" && return
	tail -n 30 "$_file"
	return 1
}

# has LINE FILE: check that FILE has this line
has() {
	grep -qx "$1" "$2"
}

# seen BUG PATTERN: check that a line of trouble in this bug's log matches
seen() {
	between "$1" >"$tmp/bug"
	trouble_lines <"$tmp/bug" | grep -qE "$2"
}

# nothing_seen: check that the log before the first bug has no line of trouble
nothing_seen() {
	! between nothing | trouble_lines
}

bugs=$(cut -f 1 "$tmp/bugs" | tr '\n' ' ')
status=0
scripts/vm --kernel "$KERNEL" --device none --no-krping --mem 1024 --timeout 1800 --log "$tmp/log" \
	--append kasan_multi_shot --module tests/kmod/krping_plant.ko \
	--file tests/debug/leaks.inc --file "$tmp/plant:plant" -- "sh ./plant $bugs" \
	>"$tmp/out" 2>"$tmp/err" || status=$?

check "a guest survives all planted bugs" shown "$tmp/err" has 'all are planted' "$tmp/out"
diag "exit status of scripts/vm: $status"
check "scripts/vm returns 126 for a guest with planted bugs" shown "$tmp/err" [ $status = 126 ]
check "the kernel log has no trouble before the first planted bug" nothing_seen
while IFS='	' read -r bug text; do
	check "planted bug: the kernel reports $bug" shown "$tmp/bug" seen "$bug" "$text"
done <"$tmp/bugs"
for line in 'leaks_of finds a leak by the module name' \
	'leaks_of finds a leak by the module address' \
	'leaks_of ignores a leak of another module'; do
	check "$line" shown "$tmp/out" has "$line" "$tmp/out"
done

t_end
