#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: At a reboot, at a poweroff and before kexec boots another kernel, krping ends its tests first: the
#   peer sees disconnects, and no RDMA object is left when the devices shut down. Without tests krping logs
#   nothing at a shutdown, even after a second load of the module. Tracepoints log each object that is created
#   or freed. Each guest has one CPU: to enable a tracepoint the kernel rewrites its own code, and in QEMU's
#   emulation another CPU sometimes hangs on a rewritten instruction.
# Requires: two guests that the subject boots with scripts/vm --pair; for kexec, the program kexec
# Duration: 56 s on rxe, 50 s on siw

cd "${0%/*}/../.." || exit 1
# shellcheck source=../lib-host.sh
. tests/lib-host.sh

# This timeout is longer than the subject takes, so only a disconnect ends the tests of B.
LONG=timeout=300000

# first HOW: print the script of guest A, which ends its kernel by HOW (reboot, poweroff or kexec) while
# it has a server with a client, a client of bw, a session, and a disk under I/O
first() {
	_end="$1 -f"
	if [ "$1" = kexec ]; then
		echo 'kexec -l /boot/kernel --initrd=/boot/initrd --reuse-cmdline || exit 1'
		# -x: leave the network interfaces up
		_end='kexec -e -x'
	fi
	cat <<END
for event in krping/krping_command rdma_core/cq_alloc rdma_core/cq_free rdma_core/mr_alloc \\
	rdma_core/mr_dereg rdma_cma/cm_qp_create rdma_cma/cm_qp_destroy; do
	echo 1 >/sys/kernel/tracing/events/\$event/enable || exit 1
done

# background COMMAND: start a test in the background
background() {
	echo "\$1,background,$LONG" >/proc/krping || exit 1
}
background server,addr=10.0.0.1
peer-tell listening
peer-wait -t 300 moving || exit 1
background client,addr=10.0.0.2,port=2,bw,mem_mode=reg
background client,addr=10.0.0.2,port=3,session
background client,addr=10.0.0.2,port=3,disk
until [ -b /dev/krping0 ]; do sleep 0.2; done
while dd if=/dev/krping0 of=/dev/null bs=64k; do :; done 2>/dev/null &

# During the shutdown krping refuses each of these commands.
while :; do
	echo client,addr=10.0.0.1,port=9 >/proc/krping
done 2>/dev/null &
sleep 0.5
peer-tell ends
# report the end of this script to guest B, because the script does not survive the shutdown
echo exit 0 >/dev/ttyS2
# stty returns when the line has been sent
stty raw -echo </dev/ttyS2
$_end
sleep 60
END
}

{
	pair_functions
	cat <<END
# server OPTIONS: start a server in the background
server() {
	echo "server,addr=10.0.0.2,\$1,$LONG,background" >/proc/krping || exit 1
}
server port=2,bw
server port=3,export=1m,clients=0
peer-wait -t 300 listening || exit 1
start "client,addr=10.0.0.1,$LONG"
moving || exit 1
peer-tell moving
END
	cat <<'END'
peer-wait -t 300 ends || exit 1
await 60
report ping
# Only the server with clients=0 goes on.
tries=300
until [ "$(grep -c . /proc/krping)" = 1 ] || [ $tries = 0 ]; do
	tries=$((tries - 1))
	sleep 0.2
done
sed 's/^/left: /' /proc/krping
exec 3>&-
echo stop >/proc/krping
rmmod rdma_krping && insmod /lib/modules/extra/rdma_krping.ko
END
} >"$tmp/B.sh"

# kexec_options: print the options of boot_pair with which guest A can boot the same kernel by kexec. This
# kernel runs an /init that prints a line and powers off.
kexec_options() {
	mkdir -p "$tmp/next/dev" || return 1
	cp "$(command -v busybox)" "$tmp/next/busybox"
	cat <<-'END' >"$tmp/next/init"
		#!/busybox sh
		echo "the next kernel runs"
		/busybox poweroff -f
	END
	chmod 755 "$tmp/next/init"
	(cd "$tmp/next" && find . | cpio -o -H newc) >"$tmp/initrd" 2>/dev/null
	echo "--bin kexec --file $(scripts/kernel "$KERNEL" image):/boot/kernel --file $tmp/initrd:/boot/initrd"
}

# lacks_kexec: print why kexec is impossible, or nothing
lacks_kexec() {
	if ! PATH=$PATH:/usr/sbin:/sbin command -v kexec >/dev/null; then
		echo "kexec is not installed: see scripts/deps check"
	elif ! grep -q '^CONFIG_KEXEC=y' "$(scripts/kernel "$KERNEL" headers)/.config"; then
		echo "the kernel $KERNEL has no kexec"
	fi
}

# next_kernel: check that the kernel that kexec boots has run
next_kernel() {
	grep -q 'the next kernel runs' "$log" || why "$(tail -n 5 "$log")"
}

# shut: print the kernel log of guest A up to its last line
shut() {
	sed -n '/reboot: Restarting system/q; /reboot: Power down/q; /kexec_core: Starting new kernel/q; p' "$log"
}

# shutdown_line: check that krping logs before the kernel's last line that it has stopped tests
shutdown_line() {
	shut | grep -Eq 'krping: shutdown: tests stopped: [1-9][0-9]*$' ||
		why "$(grep -E 'krping: |reboot: |kexec_core: ' "$log" | tail -n 5)"
}

# balanced CREATED FREED: check that, up to krping's line "shutdown", A's log has as many lines
# with FREED as with CREATED
balanced() {
	awk -v created=" $1: " -v freed=" $2: " '
		/krping: shutdown: / { exit }
		index($0, created) { n++ }
		index($0, freed) { m++ }
		END { print n + 0, m + 0 }' "$log" >"$tmp/n"
	read -r _n _m <"$tmp/n"
	if [ "${_n:-0}" = 0 ] || [ "$_n" != "$_m" ]; then
		why "$_n $1, $_m $2"
	fi
}

# refuses: check that krping refuses a command during the shutdown, and starts none afterwards
refuses() {
	grep -q 'krping: the machine shuts down' "$log" || why "no command was refused" || return 1
	! sed '1,/krping: the machine shuts down/d' "$log" | grep 'krping_command: ' ||
		why "a test began during the shutdown"
}

# silent: check that krping has logged no shutdown in guest B, which runs no test when it shuts down
silent() {
	[ -s "$log.B" ] && ! grep 'krping: shutdown' "$log.B"
}

for how in reboot poweroff kexec; do
	options=
	if [ $how = kexec ]; then
		lack=$(lacks_kexec)
		if [ "$lack" ]; then
			skip "kexec: the tests end before another kernel boots" "$lack"
			continue
		fi
		options=$(kexec_options)
	fi
	log=$tmp/log.$how
	# if BOOT_LOGS names a directory, the kernel logs remain in it
	[ -z "${BOOT_LOGS-}" ] || log=$BOOT_LOGS/${0##*/}-$how-$TYPE.log
	first $how >"$tmp/A.sh"
	# shellcheck disable=SC2086 # words
	check "$how: the guests run, and both shut down without trouble" \
		boot_pair --cpus 1 --append tp_printk --log "$log" $options
	[ $how != kexec ] || check "kexec: the next kernel boots" next_kernel
	check "$how: the tests end before the devices shut down" shutdown_line
	check "$how: no QP is left" balanced cm_qp_create cm_qp_destroy
	check "$how: no CQ is left" balanced cq_alloc cq_free
	check "$how: no MR is left" balanced mr_alloc mr_dereg
	check "$how: new commands are refused" refuses
	check "$how: the peer's client sees a disconnect" said 'B: ping:.* errno=104 .*disconnected'
	check "$how: the peer's servers have lost all clients" said 'B: left: 1 listen'
	check "$how: a shutdown without tests: nothing is logged" silent
done
t_end
