#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Does the debug kernel notice, and does scripts/vm see that it has noticed? A guest
# in which a bug of each kind is planted: see tests/kmod/krping_plant.c. What is
# looked for in its log is what is looked for in every other guest's.
#
# It needs no RDMA device, and runs once, for the first type of device that comes.

cd "$(dirname "$0")/../.." || exit 1
KERNEL=${KERNEL:-debug}
# shellcheck source=../lib-host.sh
. tests/lib-host.sh
# shellcheck source=../../scripts/trouble.sh
. scripts/trouble.sh

# kind, and what the kernel says of it. Lockdep says no more after its first report or
# one of KASAN's, and a broken list kills whoever has it.
cat >"$tmp/kinds" <<'END'
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

# In the guest. One that is killed by its bug must not take the others with it.
cat >"$tmp/plant" <<'END'
. ./leaks.inc
echo 0 >/proc/sys/kernel/panic_on_oops
echo 4 >/proc/sys/kernel/hung_task_timeout_secs
echo 3 >/sys/module/rcupdate/parameters/rcu_cpu_stall_timeout
# the kernel's own scans would take long
echo scan=off >$KMEMLEAK
# what the boot has left is none of this
leak_scan
echo clear >$KMEMLEAK
echo "control: begin nothing" >/dev/kmsg
echo scan >$KMEMLEAK
for kind; do
	echo "control: begin $kind" >/dev/kmsg
	(echo "$kind" >/sys/kernel/debug/krping_plant) || echo "# writing $kind failed"
	case $kind in
	leak)
		leak_scan
		[ -z "$(leaks_of krping_plant)" ] || echo "leaks_of names it"
		[ -n "$(leaks_of rdma_krping)" ] || echo "leaks_of does not take it for another's"
		module_range krping_plant
		rmmod krping_plant
		[ -z "$(leaks_of none)" ] || echo "leaks_of finds its addresses"
		insmod /lib/modules/extra/krping_plant.ko
		;;
	esac
done
echo "control: begin end" >/dev/kmsg
echo "all are planted"
END

# between KIND: the log from where it begins up to the next
between() {
	awk -v kind="control: begin $1\$" '
		/control: begin / { on = $0 ~ kind; next }
		on' "$tmp/log"
}

# shown FILE COMMAND...: if COMMAND fails, FILE says why
shown() {
	_file=$1
	shift
	"$@" && return
	tail -n 30 "$_file"
	return 1
}

# has LINE FILE
has() {
	grep -qx "$1" "$2"
}

# seen KIND TEXT: this was taken for trouble
seen() {
	between "$1" >"$tmp/kind"
	trouble_lines <"$tmp/kind" | grep -qE "$2"
}

nothing_seen() {
	! between nothing | trouble_lines
}

kinds=$(cut -f 1 "$tmp/kinds" | tr '\n' ' ')
status=0
scripts/vm --kernel "$KERNEL" --device none --no-krping --mem 1024 --timeout 900 --log "$tmp/log" \
	--append kasan_multi_shot --module tests/kmod/krping_plant.ko \
	--file tests/debug/leaks.inc --file "$tmp/plant:plant" -- "sh ./plant $kinds" \
	>"$tmp/out" 2>"$tmp/err" || status=$?

check "a guest lives through all kinds" shown "$tmp/err" has 'all are planted' "$tmp/out"
check "scripts/vm says that it had trouble: status $status" shown "$tmp/err" [ $status = 126 ]
check "nothing is seen where nothing is planted" nothing_seen
while IFS='	' read -r kind text; do
	check "$kind is seen" shown "$tmp/kind" seen "$kind" "$text"
done <"$tmp/kinds"
for line in 'leaks_of names it' 'leaks_of finds its addresses' \
	'leaks_of does not take it for another.s'; do
	check "$line" shown "$tmp/out" has "$line" "$tmp/out"
done

t_end
