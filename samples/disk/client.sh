#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The second guest of scripts/vm --pair: make a disk of the memory that the server exports, and put
# a file system with files on the disk. peer-wait and peer-tell synchronize this script with
# server.sh.

# show COMMAND...: print a command and run it
show() {
	echo "# $*"
	"$@"
}

demo() {
	exec 3<>/proc/krping
	echo "# echo client,addr=10.0.0.1,disk > /proc/krping"
	echo "client,addr=10.0.0.1,disk" >&3
	_status=$?
	result=$(cat <&3)
	printf '%s\n' "$result"
	[ $_status = 0 ] || return 1
	id=$(printf '%s\n' "$result" | sed -n 's/^result id=\([0-9]*\) .*/\1/p')

	mkdir -p /mnt
	show mkfs.ext4 -q /dev/krping0 && show mount -t ext4 /dev/krping0 /mnt &&
		show cp -r /root /usr/bin/dash /mnt && show sync && show df -h /mnt &&
		show umount /mnt || return 1
	echo "# the umount has emptied the page cache, so cmp reads the server's memory"
	show mount -t ext4 /dev/krping0 /mnt && show cmp /usr/bin/dash /mnt/dash && show ls -l /mnt &&
		show umount /mnt || return 1
	cat <&3 | grep '^counters'
	echo "# echo stop,id=$id > /proc/krping"
	echo "stop,id=$id" >/proc/krping
}

peer-wait -t 300 listening || exit 1
demo
status=$?
peer-tell ended
exit $status
