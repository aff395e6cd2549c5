#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: dma-faults.patch plants DMA faults in krping. DMA_API_DEBUG and the lab device, a patched
#   rxe that does DMA, report a second unmap, an access after the unmap, and a mapping that is left. The
#   kernel cannot see a missing sync, but with bounce buffers validate finds the wrong data. Without a
#   planted fault there is no report.
# Requires: two guests with the debug kernel that the subject boots with scripts/vm; the lab device
# Duration: 160 s

cd "$(dirname "$0")/../.." || exit 1
KERNEL=${KERNEL:-debug}
# shellcheck source=../lib-host.sh
. tests/lib-host.sh
# shellcheck source=../../scripts/trouble.sh
. scripts/trouble.sh

# The script in the guest. Each argument is a value of the parameter plant: 0 for no fault, or the number of a
# fault in dma-faults.patch. The guest runs a test with this fault, and prints the number and the client's
# errno. After all tests the guest removes the device: the kernel reports mappings that are left when the
# device loses its driver.
cat >"$tmp/plant" <<'END'
proc=/proc/krping
echo 1 >/sys/kernel/debug/dma-api/all_errors
for plant; do
	echo "control: begin $plant" >/dev/kmsg
	echo "$plant" >/sys/module/rdma_krping/parameters/plant
	exec 3<>$proc 4<>$proc
	echo "server,addr=10.0.0.1,background" >&3
	echo "client,addr=10.0.0.1,count=3,size=4096,validate,background" >&4
	for fd in 4 3; do
		while result=$(cat <&$fd) && case $result in *status=running*) ;; *) false ;; esac; do
			sleep 0.2
		done
		[ $fd = 3 ] || echo "plant $plant:$(echo "$result" | grep -o ' errno=[0-9]*')"
	done
	exec 3>&- 4>&-
done
echo "control: begin removal" >/dev/kmsg
rmmod rdma_krping && rdma link delete rxe0 && rmmod rdma_rxe && echo removed
echo "control: begin end" >/dev/kmsg
END

# build: build krping with the patch in a copy
build() {
	tests/copy-built "$tmp/tree" krping && patch -s -p1 -d "$tmp/tree" <tests/debug-boot/dma-faults.patch &&
		make -C "$(scripts/kernel "$KERNEL" headers)" M="$tmp/tree/krping" CONFIG_DEBUG_INFO_BTF_MODULES= modules
}

# guest SWITCH PLANT...: run the script in a guest with the device lab:SWITCH; the kernel's log is in $tmp/log,
# and the output in $tmp/out
guest() {
	_switch=$1
	shift
	scripts/vm --kernel "$KERNEL" --device "lab:$_switch" --krping "$tmp/tree/krping/rdma_krping.ko" \
		--timeout 1800 --log "$tmp/log" --file "$tmp/plant:plant" -- "sh ./plant $*" >"$tmp/out" 2>"$tmp/err"
	_status=$?
	grep -qx removed "$tmp/out" && return
	cat "$tmp/out"
	tail -n 30 "$tmp/err"
	return 1
}

# between PLANT: print the lines of trouble in the log of this fault
between() {
	awk -v plant="control: begin $1\$" '
		/control: begin / { on = $0 ~ plant; next }
		on' "$tmp/log"
}

# clean PLANT: check that the log of this fault has no line of trouble
clean() {
	! between "$1" | trouble_lines
}

# errno_is PLANT NUMBER: check the errno of the client that ran with this fault
errno_is() {
	grep -qx "plant $1: errno=$2" "$tmp/out" && return
	cat "$tmp/out"
	return 1
}

# reports PLANT TEXT: check that the kernel has reported this fault as TEXT
reports() {
	between "$1" >"$tmp/part"
	trouble_lines <"$tmp/part" | grep -q "DMA-API: .*$2" && return
	head -n 30 "$tmp/part"
	return 1
}

# device_reported: check that the call stack of a report has the device's function that checks an access
device_reported() {
	reports 2 "tries to sync DMA memory it has not allocated" && between 2 | grep -q lab_check_access
}

check "krping builds with dma-faults.patch" build
check "a guest whose krping unmaps wrongly runs each test, and removes the device" guest pci 0 1 2 3
check "scripts/vm returns 126 for the DMA faults" eq "$_status" 126
check "without a DMA fault the test succeeds" errno_is 0 0
check "without a DMA fault the kernel reports nothing" clean 0
check "a buffer that is unmapped twice is reported" reports 1 "tries to free DMA memory it has not allocated"
check "the device's access to a buffer that is unmapped is reported" device_reported
check "a buffer that is never unmapped is reported when the device loses its driver" \
	reports removal "pending DMA allocations while released from device"

check "a guest whose krping syncs nothing runs each test, and removes the device" guest bounce 0 4
check "with bounce buffers and syncs, validate finds no wrong data" errno_is 0 0
check "with bounce buffers and no sync, validate finds wrong data" errno_is 4 74 # EBADMSG
check "with bounce buffers the kernel reports nothing without a DMA fault" clean 0

t_end
