#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A disk works with fio, file systems and partitions. A file system can be unmounted
#   when its disk is removed by force or its server ends.
# Requires: the guest of tests/boot/disk.sh
# Duration: 120 s

# shellcheck source=../../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=fs.inc
. "${0%/*}/fs.inc"
# shellcheck source=fio-disk.inc
. "${0%/*}/fio-disk.inc"

# Time limit of a check in seconds: fio and file systems take longer than the default of lib-krping.sh allows.
T_LIMIT=300
port=20000
FIO_OPTIONS=--ioengine=libaio

#
# fio, which writes to each block a checksum of the block's data and offset
#

# verifies OPTION...: let fio with these options write and verify a disk of 48 MiB
verifies() {
	disk_on "export=48m,clients=1" && io --size=48m --verify=crc32c --verify_fatal=1 "$@" &&
		ends_in_order
}
check "fio verifies blocks of 512 bytes to 1 MiB at depth 16" \
	verifies --rw=randwrite --bsrange=512-1m --blockalign=512 --iodepth=16
kr_stop
check "fio verifies 4 KiB blocks at depth 1" verifies --rw=randwrite --bs=4k --iodepth=1 --io_size=8m
kr_stop
check "fio verifies 4 KiB blocks at depth 256, more than the disk's 64" \
	verifies --rw=randwrite --bs=4k --iodepth=256 --io_size=24m
kr_stop
check "fio verifies sequential blocks of 128 KiB" verifies --rw=write --bs=128k --iodepth=8
kr_stop

# verifies_polled: let fio write and verify a disk with polled requests
verifies_polled() {
	disk_on "export=16m,clients=1" poll && io --size=16m --verify=crc32c --verify_fatal=1 \
		--ioengine=io_uring --hipri --rw=randwrite --bs=4k --iodepth=16 && ends_in_order
}
check "disk,poll: fio verifies 4 KiB blocks of io_uring with hipri" verifies_polled
kr_stop

# several_jobs: let four jobs of fio write and verify parts of one disk
several_jobs() {
	disk_on "export=48m" txdepth=8 &&
		io --size=12m --offset_increment=12m --numjobs=4 --rw=randwrite --bsrange=512-256k \
			--blockalign=512 --iodepth=8 --verify=crc32c --verify_fatal=1 && ends_in_order
}
check "fio verifies the blocks of four jobs on a disk with txdepth=8" several_jobs
kr_stop

# busy_disk_lives: run fio for longer than the server's timeout. The server takes no part in READs and WRITEs,
# so it would time out without keep-alive messages.
busy_disk_lives() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,export=16m,timeout=5000" &&
		kr_bg client "client,addr=$ADDR,port=$port,disk,$PATIENT" || return 1
	ID=$(kr_get id)
	DISK=$(kr_get name)
	io --size=16m --rw=randrw --bs=4k --iodepth=32 --time_based --runtime=8 && ends_in_order
}
check "disk: the client sends keep-alive messages while the disk is busy" busy_disk_lives
kr_stop

#
# File systems
#

mkdir -p /mnt

# has_fs TYPE: check that the kernel has the file system
has_fs() {
	eval "[ \"\${HAS_$1-}\" ]"
}

# keeps_files TYPE: check that files survive umount and mount, and that a mounted disk cannot be removed
keeps_files() {
	disk_on "export=400m" && make_fs "$1" || return 1
	cp /usr/bin/[a-m]* /mnt && mkdir /mnt/a && cp -r /root /mnt/a && rm /mnt/[a-f]* 2>/dev/null
	(cd /mnt && find . -type f -exec md5sum {} + | sort) >"$T_TMP/sums"
	umount /mnt && check_fs "$1" && mount -t "$1" "/dev/$DISK" /mnt || return 1
	(cd /mnt && find . -type f -exec md5sum {} + | sort) >"$T_TMP/sums2"
	cmp "$T_TMP/sums" "$T_TMP/sums2" && [ "$(wc -l <"$T_TMP/sums")" -gt 10 ] &&
		kr_fails EBUSY "stop,id=$ID" && umount /mnt && ends_in_order
}

# writes: write files to the file system until a write fails
writes() {
	_i=0
	while cp /usr/bin/dash "/mnt/file$((_i += 1))" && sync; do :; done
}

# loses_disk TYPE COMMAND...: run COMMAND, which takes the disk away, while a process writes to a file system
# on the disk. Check that the file system can be unmounted, and that the disk is removed.
loses_disk() {
	_type=$1
	shift
	disk_on "export=400m" && make_fs "$_type" || return 1
	writes 2>/dev/null &
	_writer=$!
	sleep 2
	"$@" || return 1
	wait $_writer
	until_ok 60 umount /mnt || return 1
	[ ! -e "/sys/block/$DISK" ] || why "/sys/block/$DISK still exists"
}

# force: remove the disk by force
force() {
	kr "stop,id=$ID,force" && kr_ended client ECANCELED && kr_ended server ok
}

# comes_again TYPE: remove a disk by force while a process writes to the disk's file system, make a disk on
# the same memory, and check the file system: mount recovers the journal, and a file that was synced before
# the removal is intact
comes_again() {
	_type=$1
	disk_on "export=400m,shared,clients=0" && make_fs "$_type" && cp /usr/bin/fio /mnt/before && sync || return 1
	writes 2>/dev/null &
	_writer=$!
	sleep 1
	kr "stop,id=$ID,force" && kr_ended client ECANCELED || return 1
	wait $_writer
	until_ok 60 umount /mnt && kr_bg again "client,addr=$ADDR,port=$port,disk,$PATIENT" || return 1
	ID=$(kr_get id)
	DISK=$(kr_get name)
	mount -t "$_type" "/dev/$DISK" /mnt && cmp /usr/bin/fio /mnt/before && umount /mnt || return 1
	check_fs "$_type" >"$T_TMP/fsck" 2>&1 || why "fsck: $(tail -n 3 "$T_TMP/fsck" | tr '\n' ' ')" || return 1
	until_ok 60 kr "stop,id=$ID" && kr_ended again ECANCELED && kr stop
}

# server_ends: stop the server
server_ends() {
	kr_result server && kr "stop,id=$(kr_get id)" && kr_ended client ECONNRESET && kr_ended server ECANCELED
}

for fs in ext4 xfs; do
	has_fs $fs || {
		diag "this kernel has no $fs"
		continue
	}
	check "$fs: files survive umount, a check of the file system, and mount" keeps_files $fs
	umount /mnt 2>/dev/null
	kr_stop
	check "$fs: umount succeeds after stop,force under load" loses_disk $fs force
	umount /mnt 2>/dev/null
	kr_stop
	check "$fs: a file system whose disk was removed by force mounts again and is consistent" comes_again $fs
	umount /mnt 2>/dev/null
	kr_stop
	check "$fs: umount succeeds after the end of the server under load" loses_disk $fs server_ends
	umount /mnt 2>/dev/null
	kr_stop
done

#
# Partitions
#

# partitions: check that each of two partitions exists, and that data of the second can be read
partitions() {
	disk_on "export=64m" || return 1
	printf 'n\np\n1\n2048\n+8M\nn\np\n2\n20480\n\nw\n' | fdisk "/dev/$DISK" >/dev/null 2>&1
	blockdev --rereadpt "/dev/$DISK"
	until_ok 60 test -b "/dev/${DISK}p2" && [ -b "/dev/${DISK}p1" ] || why "no partitions" || return 1
	dd if=/dev/urandom of="$T_TMP/data" bs=4k count=512 2>/dev/null
	dd if="$T_TMP/data" of="/dev/${DISK}p2" bs=64k conv=fsync 2>/dev/null &&
		cmp -n 2097152 "$T_TMP/data" "/dev/${DISK}p2" || why "the second partition has wrong data" || return 1
	ends_in_order && [ ! -e "/sys/block/$DISK" ]
}
check "disk: two partitions appear, and the second keeps its data" partitions
kr_stop

# cycles N: make and remove a disk N times
cycles() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,export=64k,clients=0,$PATIENT" || return 1
	_n=0
	while [ $_n -lt "$1" ]; do
		_n=$((_n + 1))
		exec 7<>/proc/krping
		echo "client,addr=$ADDR,port=$port,disk,$PATIENT" >&7 || return 1
		read -r _ ID _ <&7
		until_ok 60 kr "stop,$ID" || return 1
		exec 7<&-
	done
}
# KR_CYCLES=1000 takes minutes
check_within 1800 "disk: ${KR_CYCLES:-200} successive disks can be created and removed" \
	cycles "${KR_CYCLES:-200}"
kr_stop

check "disks under load leave no test, RDMA object or log line" kr_clean
t_end
