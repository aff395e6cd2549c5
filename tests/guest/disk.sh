#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A block device on the memory of a server: data, limits, names, openers, stop
#   and lost connections.
# Requires: one guest
# Duration: 30 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

port=19000

# export_bg OPTIONS: start a server that exports memory, at the next port
export_bg() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT,$1"
}

# disk NAME [OPTIONS]: make a disk; sets ID, and DISK to the name of the disk
disk() {
	kr_bg "$1" "client,addr=$ADDR,port=$port,disk,$PATIENT${2:+,$2}" || return 1
	ID=$(kr_get id)
	DISK=$(kr_get name)
}

# attr NAME: print an attribute of the disk
attr() {
	cat "/sys/block/$DISK/$1"
}

# random FILE BYTES: make a file of random bytes
random() {
	dd if=/dev/urandom of="$1" bs=4k count=$(($2 / 4096)) 2>/dev/null
}

# copy IN OUT BS [OPTION...]: run dd, and keep what dd prints in dd.err
copy() {
	_in=$1 _out=$2 _bs=$3
	shift 3
	dd if="$_in" of="$_out" bs="$_bs" "$@" 2>"$T_TMP/dd.err"
}

# same FILE: check that the disk begins with the bytes of FILE
same() {
	copy "/dev/$DISK" "$T_TMP/read" 64k iflag=direct && cmp "$1" "$T_TMP/read"
}

gone() {
	[ ! -e "/sys/block/$DISK" ] || why "/sys/block/$DISK still exists"
}

#
# The disk and its data.
#

exists() {
	export_bg "export=1m" && disk client || return 1
	[ -b "/dev/$DISK" ] && eq "$(attr size)" 2048 sectors && eq "$(attr ro)" 0 ro &&
		eq "$(attr state)" live state && eq "$(attr server)" "$ADDR:$port" server &&
		eq "$(attr queues)" 1 queues && eq "$(attr serial | wc -c)" 17 "length of serial" &&
		eq "$(attr queue/rotational)" 0 rotational &&
		eq "$(attr queue/logical_block_size)" 512 "block size" &&
		kr_has "disk name=$DISK bytes=1048576"
}
check "disk: the block device exists when the write returns" exists
kr_stop
check "disk: a stop removes the block device" gone

# The largest MR of rxe has 2 MiB, that of siw 1 MiB: the disk has several.
keeps_data() {
	export_bg "export=9m" && disk client && random "$T_TMP/data" 9437184 || return 1
	copy "$T_TMP/data" "/dev/$DISK" 1M oflag=direct && same "$T_TMP/data" || return 1
	kr "stop,id=$ID" && kr_ended client ECANCELED && kr_ended server ok
}
check "disk: data written in pieces of 1 MiB is read back in pieces of 64 KiB" keeps_data
kr_stop

sector_sizes() {
	export_bg "export=5m" && disk client && random "$T_TMP/data" 5242880 || return 1
	for _size in 512 1536 4k 12k 100k 300k; do
		copy "$T_TMP/data" "/dev/$DISK" $_size oflag=direct && same "$T_TMP/data" ||
			why "with blocks of $_size" || return 1
	done
}
check "disk: direct I/O of 512 bytes to 300 KiB across the borders of MRs" sector_sizes
kr_stop

buffered() {
	export_bg "export=8m" && disk client && random "$T_TMP/data" 8388608 || return 1
	copy "$T_TMP/data" "/dev/$DISK" 7k conv=fsync && echo 3 >/proc/sys/vm/drop_caches &&
		cmp "$T_TMP/data" "/dev/$DISK"
}
check "disk: buffered writes are on the server after fsync" buffered
kr_stop

one_request() {
	export_bg "export=2m" && disk client "txdepth=1" && random "$T_TMP/data" 2097152 || return 1
	copy "$T_TMP/data" "/dev/$DISK" 1M conv=fsync && same "$T_TMP/data"
}
check "disk,txdepth=1: one request at a time" one_request
kr_stop

zeroed() {
	export_bg "export=4m" && disk client || return 1
	cmp -n 4194304 /dev/zero "/dev/$DISK" || why "the new disk has old data"
}
check "disk: a new disk has zeros" zeroed
kr_stop

two_at_once() {
	export_bg "export=4m,clients=2" && disk one && _one=$DISK && _serial=$(attr serial) &&
		disk two && random "$T_TMP/data" 4194304 || return 1
	[ "$_one" != "$DISK" ] && [ "$_serial" != "$(attr serial)" ] && copy "$T_TMP/data" "/dev/$_one" 1M oflag=direct &&
		cmp -n 4194304 /dev/zero "/dev/$DISK" && DISK=$_one && same "$T_TMP/data"
}
check "disk: two disks of one server have data and serial numbers of their own" two_at_once
kr_stop

counts() {
	export_bg "export=4m" && disk client && kr_result client || return 1
	_before=$(kr_get write_msgs)
	copy /dev/zero "/dev/$DISK" 4k count=10 oflag=direct && kr_result client &&
		kr_is write_bytes $((10 * 4096)) && eq "$(kr_get write_msgs)" $((_before + 10)) WRITEs &&
		kr "list,id=$ID" && kr_is disk "$DISK"
}
check "disk: each request is one RDMA WRITE, and the list names the disk" counts
kr_stop

#
# Limits and names.
#

whole_sectors() {
	export_bg "export=1023" && disk client && eq "$(attr size)" 1 sectors &&
		copy "/dev/$DISK" /dev/null 512 && kr_stop || return 1
	export_bg "export=511" && kr_fails EINVAL "client,addr=$ADDR,port=$port,disk" &&
		kr_detail_has "a disk needs 512"
}
check "disk: the size is rounded down to sectors; less than one is EINVAL" whole_sectors
kr_stop

names() {
	export_bg "export=64k,clients=0" && disk one "name=krping-data" &&
		eq "$DISK" krping-data name && [ -b /dev/krping-data ] || return 1
	kr_fails EEXIST "client,addr=$ADDR,port=$port,disk,name=krping-data" || return 1
	kr_fails EEXIST "client,addr=$ADDR,port=$port,disk,name=krping-data1" || return 1
	disk two && eq "$DISK" krping0 name && disk three && eq "$DISK" krping1 name &&
		kr_stop && export_bg "export=64k" && disk four && eq "$DISK" krping0 name
}
check "disk,name: a name is used once, and the default is the first free one" names
kr_stop

read_only() {
	export_bg "export=64k,clients=0" && disk one ro && eq "$(attr ro)" 1 ro &&
		copy "/dev/$DISK" /dev/null 4k &&
		not copy /dev/zero "/dev/$DISK" 4k count=1 oflag=direct && kr_stop || return 1
	export_bg "export=64k,ro" && disk two && eq "$(attr ro)" 1 ro &&
		copy "/dev/$DISK" /dev/null 4k &&
		not copy /dev/zero "/dev/$DISK" 4k count=1 oflag=direct
}
check "disk,ro and export,ro: reads work, and writes fail" read_only
kr_stop

#
# Openers and stop.
#

busy() {
	export_bg "export=64k" && disk client && exec 8<"/dev/$DISK" || return 1
	kr_fails EBUSY "stop,id=$ID" && kr_detail_has "force" &&
		kr_fails EBUSY stop && _busy=yes
	kr_result client && kr_is status running || _busy=
	exec 8<&-
	[ "$_busy" ] && kr "stop,id=$ID" && kr_ended client ECANCELED && gone
}
check "stop: an open disk is EBUSY, and goes on" busy
kr_stop

# A buffered write succeeds; its fsync finds that the disk is gone.
forced() {
	export_bg "export=64k" && disk client && exec 8>"/dev/$DISK" || return 1
	kr "stop,id=$ID,force" && kr_ended client ECANCELED && gone &&
		not copy /dev/zero /proc/self/fd/8 4k count=1 conv=fsync,notrunc && _forced=yes
	exec 8>&-
	[ "$_forced" ] && kr_ended server ok
}
check "stop,force: an open disk is removed, and its I/O fails" forced
kr_stop

others_go_on() {
	export_bg "export=64k" && disk client && exec 8<"/dev/$DISK" || return 1
	kr_fails EBUSY stop && kr_running 2 && copy "/dev/$DISK" /dev/null 4k
	_was=$?
	exec 8<&-
	return $_was
}
check "stop: while a disk is open, stop without id ends no test" others_go_on
kr_stop

# writes_until_error: write to the disk until a request fails. The open descriptor keeps dd
# from creating a file when the disk is gone.
writes_until_error() {
	exec 7<>"/dev/$DISK"
	while dd if=/dev/zero of=/proc/self/fd/7 bs=64k count=16 oflag=direct conv=notrunc \
		2>>"$T_TMP/writer"; do :; done
}

server_dies() {
	export_bg "export=1m" && disk client || return 1
	writes_until_error &
	_writer=$!
	sleep 1
	kr_result server && kr "stop,id=$(kr_get id)" && kr_ended client ECONNRESET &&
		wait $_writer && gone
}
check "disk: I/O fails and the disk is removed when its server is stopped" server_dies
kr_stop

stop_under_load() {
	export_bg "export=1m" && disk client || return 1
	writes_until_error &
	_writer=$!
	sleep 1
	kr "stop,id=$ID,force" && kr_ended client ECANCELED && wait $_writer && gone &&
		kr_ended server ok
}
check "stop,force: requests in flight fail once, and the disk is removed" stop_under_load
kr_stop

attach_and_detach() {
	export_bg "export=64k,clients=0" || return 1
	for _n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		disk "client$_n" && copy /dev/zero "/dev/$DISK" 4k count=1 oflag=direct &&
			until_ok 5 kr "stop,id=$ID" && gone || return 1
	done
}
check_within 120 "disk: twenty disks, one after the other" attach_and_detach
kr_stop

#
# What is refused.
#

refuse() {
	kr_refused EINVAL "client,addr=$ADDR,$1" "$2"
}
check "name: a partition's name is refused" refuse disk,name=krping0p1 name
check "name: a name that does not begin with krping is refused" refuse disk,name=sda name
check "name: a name with a slash is refused" refuse disk,name=krping/0 name
check "name: without disk, name is refused" refuse session,name=krping7 "only with disk"
check "ro: a session has no ro" refuse session,ro "only with disk"
check "txdepth: a session has no txdepth" refuse session,txdepth=3 "only with disk"
check "txdepth: a disk has at most 1024 requests in flight" refuse disk,txdepth=1025 "at most 1024"
check "disk: a test beside it is refused" refuse disk,bw "not with bw"
check "force: only stop has it" refuse disk,force "only for stop"

no_operations() {
	export_bg "export=64k" && disk client && kr_fails EINVAL "put,id=$ID,data=x"
}
check "disk: put on the disk's id is EINVAL" no_operations
kr_stop

check "disks leave no RDMA object and no log line behind" kr_clean
t_end
