#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: fio and a file system work on a disk that loses its connection again and again;
#   two disks share the same memory. Without reconnect=, I/O ends with an error when the link goes
#   down or the device is removed.
# Requires: the guest of tests/boot/disk-reconnect.sh
# Duration: 60 s

# shellcheck source=../../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=fs.inc
. "${0%/*}/fs.inc"

# Time limit of a check in seconds: fio and file systems take longer than the default of lib-krping.sh allows.
T_LIMIT=300
port=21000

# server SIZE [OPTIONS]: start a server whose memory outlives its clients; set SERVER to its id
server() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT,export=$1,shared,clients=0${2:+,$2}" &&
		SERVER=$(kr_get id)
}

# disk NAME [OPTIONS]: make a disk that connects again. Set ID to the id of the disk's test, and DISK to the
# disk's name. kr_ended NAME checks the end of the test.
disk() {
	kr_bg "$1" "client,addr=$ADDR,port=$port,disk,$PATIENT,reconnect=120${2:+,$2}" || return 1
	ID=$(kr_get id)
	DISK=$(kr_get name)
}

# attr NAME: print an attribute of the disk
attr() {
	cat "/sys/block/$DISK/$1"
}

# drop: stop the server's side of each connection. The end of one connection of a disk ends the disk's
# other connections, so a stop of another one may fail with ESRCH.
drop() {
	kr list || return 1
	_children=
	while read -r _l; do
		case $_l in
		id="$SERVER "*) ;;
		*role=server*)
			_child=${_l#id=}
			_children="$_children ${_child%% *}"
			;;
		esac
	done <"$KR_RESULT"
	[ -n "$_children" ] || why "the server has no client" || return 1
	for _child in $_children; do
		kr "stop,id=$_child" || kr_returned ESRCH || return 1
	done
}

# connected N: check that the disk has connected again at least N times, and is live
connected() {
	[ "$(attr reconnects)" -ge "$1" ] && eq "$(attr state)" live state
}

# io OPTION...: run fio on the disk in the background; set FIO to the id of fio's process
io() {
	fio --name=io --filename="/dev/$DISK" --direct=1 --ioengine=libaio --eta=never \
		"$@" >"$T_TMP/fio" 2>&1 &
	FIO=$!
}

# io_ended: wait for the end of fio, and check that fio has succeeded
io_ended() {
	wait "$FIO" || why "fio failed: $(tail -n 5 "$T_TMP/fio" | tr '\n' ' ')"
}

# drops N: call drop N times, and wait after each call until the disk has connected again
drops() {
	_n=0
	while [ $_n -lt "$1" ]; do
		_n=$((_n + 1))
		sleep 1
		drop && until_ok 60 connected $_n || why "after loss $_n of the connection the disk is $(attr state)" || return 1
	done
}

# verifies OPTION...: let fio with these options verify a disk while the disk loses its connections five times
verifies() {
	server 16m && disk client || return 1
	io --size=16m --verify=crc32c --verify_fatal=1 "$@"
	drops 5 && io_ended && eq "$(attr reconnects)" 5 reconnects && kr "stop,id=$ID" &&
		kr_ended client ECANCELED
}
check "reconnect: fio verifies requests of 512 bytes to 256 KiB across five lost connections" \
	verifies --rw=randwrite --bsrange=512-256k --blockalign=512 --iodepth=16 --loops=2
kr_stop
check "reconnect: four fio jobs verify requests of 4 KiB across five lost connections" \
	verifies --rw=randwrite --bs=4k --iodepth=8 --numjobs=4 --offset_increment=4m --size=4m
kr_stop

# storm: for 8 s let the server disconnect the client again and again, without a pause
storm() {
	server 4m && disk client || return 1
	io --size=4m --rw=randrw --bs=4k --iodepth=16 --time_based --runtime=8
	while kill -0 "$FIO" 2>/dev/null; do
		drop
	done
	# fio may fail, because a request that loses six connections in a row fails.
	wait "$FIO"
	until_ok 60 connected 1 && kr "stop,id=$ID" && kr_ended client ECANCELED
}
check "reconnect: the disk survives a server that disconnects it again and again for 8 s" storm
kr_stop

# survives TYPE MIB: copy files to a file system on a disk of MIB MiB while the disk loses its connections,
# and check the files and the file system
survives() {
	server "$2m" && disk client && mkdir -p /mnt && make_fs "$1" || return 1
	blkid "/dev/$DISK" | grep -q "TYPE=\"$1\"" || why "blkid: $(blkid)" || return 1
	eq "$(lsblk -dno NAME,SIZE,RO,TYPE "/dev/$DISK" | tr -s ' ')" "$DISK $2M 0 disk" lsblk || return 1
	(for _i in 1 2 3 4 5 6 7 8; do
		cp /usr/bin/fio "/mnt/$_i" && sync || exit 1
	done) &
	_copy=$!
	drops 3 && wait $_copy || return 1
	echo 3 >/proc/sys/vm/drop_caches
	for _i in 1 2 3 4 5 6 7 8; do
		cmp /usr/bin/fio "/mnt/$_i" || return 1
	done
	umount /mnt && check_fs "$1" >"$T_TMP/fsck" 2>&1 || why "$(tail -n 3 "$T_TMP/fsck")" || return 1
	until_ok 60 kr "stop,id=$ID" && kr_ended client ECANCELED
}
[ -z "${HAS_ext4-}" ] ||
	check "reconnect: ext4 keeps its files across three lost connections; lsblk and blkid show the disk" \
		survives ext4 64
umount /mnt 2>/dev/null
kr_stop
# mkfs.xfs makes no file system below 300 MiB.
[ -z "${HAS_xfs-}" ] ||
	check "reconnect: xfs keeps its files and is consistent after three lost connections" survives xfs 320
umount /mnt 2>/dev/null
kr_stop

# two_disks: check that two disks on one export show the same data, also after the connections are lost
two_disks() {
	server 4m && disk one && _one=$DISK && disk two || return 1
	eq "$(attr serial)" "$(cat "/sys/block/$_one/serial")" serial || return 1
	dd if=/dev/urandom of="$T_TMP/data" bs=64k count=64 2>/dev/null
	dd if="$T_TMP/data" of="/dev/$_one" bs=64k oflag=direct 2>/dev/null &&
		dd if="/dev/$DISK" of="$T_TMP/read" bs=64k iflag=direct 2>/dev/null &&
		cmp "$T_TMP/data" "$T_TMP/read" && drop && until_ok 60 connected 1 &&
		dd if="/dev/$DISK" of="$T_TMP/read" bs=64k iflag=direct 2>/dev/null &&
		cmp "$T_TMP/data" "$T_TMP/read"
}
check "shared: two disks on one export have the same data and serial number" two_disks
kr_stop

#
# Disks that do not connect again
#

# link_down: check that fio's requests fail and the disk is removed after the link goes down. siw of
# Linux 7.x keeps connections to a local address while the link is down, so there the I/O must continue.
link_down() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,export=16m,timeout=3000" &&
		kr_bg client "client,addr=$ADDR,port=$port,disk,timeout=3000,retry=0" || return 1
	DISK=$(kr_get name)
	io --iodepth=16 --bs=4k --rw=randwrite --size=16m --time_based --runtime=20
	sleep 2
	ip link set "$IF" down
	wait "$FIO"
	_status=$?
	if [ "$TYPE,$_status" = siw,0 ]; then
		diag "siw keeps connections to a local address while the link is down"
		ip link set "$IF" up
		kr_result client
		kr_is status running && kr stop && kr_ended client ECANCELED
		return
	fi
	kr_all_ended client ETIMEDOUT ECONNRESET EIO
	_ended=$?
	ip link set "$IF" up
	rdma link delete "$DEV"
	device_again
	[ $_ended = 0 ] && [ $_status != 0 ] || why "fio ended with status $_status" || return 1
	kr_wait server && [ ! -e "/sys/block/$DISK" ]
}
check "without reconnect: I/O fails when the link goes down" link_down
kr_stop

# removed_device: check that fio's requests fail and the disk is removed after the removal of the RDMA device
removed_device() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,export=16m,clients=1,$PATIENT" &&
		kr_bg client "client,addr=$ADDR,port=$port,disk,$PATIENT" || return 1
	DISK=$(kr_get name)
	io --iodepth=16 --bs=4k --rw=randrw --size=16m --time_based --runtime=60
	sleep 2
	rdma link delete "$DEV"
	kr_all_ended client ENODEV ECONNRESET
	_ended=$?
	wait "$FIO"
	_status=$?
	device_again
	[ $_ended = 0 ] && [ $_status != 0 ] && [ ! -e "/sys/block/$DISK" ]
}
check "without reconnect: I/O fails when the RDMA device is removed" removed_device
kr_stop

check "disks that have connected again leave no test, RDMA object or log line" kr_clean
t_end
