#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A block device on a server's memory keeps its data, and has the right attributes, size
#   and name. krping rejects wrong options of a disk, and disk options in other commands.
# Requires: one guest
# Duration: 18 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=disk.inc
. "${0%/*}/disk.inc"

port=19000

# attr NAME: print an attribute of the disk
attr() {
	cat "/sys/block/$DISK/$1"
}

# random FILE BYTES: make a file of random bytes
random() {
	dd if=/dev/urandom of="$1" bs=4k count=$(($2 / 4096)) 2>/dev/null
}

# same FILE: check that the disk has the bytes of FILE, which has the size of the disk
same() {
	copy "/dev/$DISK" "$T_TMP/read" 64k iflag=direct && cmp "$1" "$T_TMP/read"
}

#
# Data and attributes
#

# When the write of the command to /proc/krping returns, the disk exists.
exists() {
	export_bg "export=1m" && disk client || return 1
	[ -b "/dev/$DISK" ] && eq "$(attr size)" 2048 sectors && eq "$(attr ro)" 0 ro &&
		eq "$(attr state)" live state && eq "$(attr server)" "$ADDR:$port" server &&
		eq "$(attr queues)" "$(nproc)" queues && eq "$(attr serial | wc -c)" 17 "length of serial" &&
		eq "$(attr queue/rotational)" 0 rotational &&
		eq "$(attr queue/logical_block_size)" 512 "block size" &&
		eq "$(attr queue/write_cache)" "write through" write_cache &&
		eq "$(attr queue/discard_max_bytes)" 0 discard_max_bytes &&
		eq "$(attr queue/write_zeroes_max_bytes)" 0 write_zeroes_max_bytes &&
		kr_has "disk name=$DISK bytes=1048576"
}
check "disk: the block device exists when the write returns" exists
kr_stop
check "disk: stop removes the block device" gone

# An MR has at most 2 MiB on rxe and 1 MiB on siw, so this disk has several MRs.
keeps_data() {
	export_bg "export=9m" && disk client && random "$T_TMP/data" 9437184 || return 1
	copy "$T_TMP/data" "/dev/$DISK" 1M oflag=direct && same "$T_TMP/data" || return 1
	kr "stop,id=$ID" && kr_ended client ECANCELED && kr_ended server ok
}
check "disk: data written in pieces of 1 MiB is read back in pieces of 64 KiB" keeps_data
kr_stop

# new_blocks SIZE COUNT SKIP: write COUNT new blocks of SIZE bytes behind SKIP blocks, and read the disk
new_blocks() {
	dd if=/dev/urandom of="$T_TMP/data" bs="$1" count="$2" seek="$3" conv=notrunc 2>/dev/null &&
		copy "$T_TMP/data" "/dev/$DISK" "$1" count="$2" skip="$3" seek="$3" oflag=direct conv=notrunc &&
		same "$T_TMP/data" && return
	why "direct I/O with blocks of $1 bytes failed"
}

# Small blocks are next to one border of two MRs only, because many requests take long.
sector_sizes() {
	export_bg "export=5m" && disk client && random "$T_TMP/data" 5242880 && copy "$T_TMP/data" "/dev/$DISK" 1M || return 1
	_border=$((PIECE > 2 << 20 ? PIECE : 2 << 20))
	for _size in 512 1536 4096 12288; do
		new_blocks $_size 32 $((_border / _size - 16)) || return 1
	done
	new_blocks 102400 51 0 && new_blocks 307200 17 0
}
check "disk: direct I/O of 512 bytes to 300 KiB crosses the borders of MRs" sector_sizes
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
check "disk,txdepth=1: data is written and read back with one request in flight" one_request
kr_stop

# Each of two CPUs has a hardware queue, and each queue has a connection with keys of its own.
two_queues() {
	export_bg "export=5m" && disk client "qps=2,txdepth=4" && random "$T_TMP/data" 5242880 || return 1
	eq "$(attr queues)" 2 queues || return 1
	for _cpu in 0 1; do
		on_cpu $_cpu copy "$T_TMP/data" "/dev/$DISK" 100k oflag=direct &&
			on_cpu $((1 - _cpu)) same "$T_TMP/data" || why "failed on CPU $_cpu" || return 1
	done
	kr "stop,id=$ID" && kr_ended client ECANCELED && kr_ended server ok
}
check "disk,qps=2: each of two hardware queues writes and reads by its own connection" two_queues
kr_stop

too_many_queues() {
	export_bg "export=64k" && kr_fails EINVAL "client,addr=$ADDR,port=$port,disk,qps=1024" &&
		kr_detail_has "at most one queue pair for each CPU"
}
check "disk,qps: more queue pairs than CPUs are EINVAL" too_many_queues
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
check "disk: two disks of one server have different data and serial numbers" two_at_once
kr_stop

counts() {
	export_bg "export=4m" && disk client && kr_result client || return 1
	_msgs=$(kr_get write_msgs) _bytes=0
	for _size in 512 4096; do
		_msgs=$((_msgs + 10)) _bytes=$((_bytes + 10 * _size))
		copy /dev/zero "/dev/$DISK" $_size count=10 oflag=direct && kr_result client &&
			kr_is write_bytes $_bytes && kr_is write_msgs $_msgs || return 1
	done
	kr "list,id=$ID" && kr_is disk "$DISK"
}
check "disk: each request of 512 bytes or 4 KiB is one RDMA WRITE, and the list names the disk" counts
kr_stop

# available: set KIB to the available memory in KiB. MemAvailable lacks the free pages of 4 KiB that each CPU keeps
# for itself, up to 40 MiB, so add them.
available() {
	KIB=$(awk '/^MemAvailable:/ { kib += $2 } $1 == "count:" { kib += 4 * $2 } END { print kib }' \
		/proc/meminfo /proc/zoneinfo)
}

# memory_back: check that disks 2 to 5 keep no memory. A leak would keep the memory of four disks;
# other allocations of the guest may vary by the memory of two disks.
memory_back() {
	available
	[ $((_first - KIB)) -lt $((2 * _used)) ] ||
		why "$((_first - KIB)) KiB are missing after five disks of $_used KiB"
}

# memory_returns: make and stop five disks, whose requests take the largest part of their memory, and
# check memory_back. The first disk, which fills caches, does not count.
memory_returns() {
	export_bg "export=64k,clients=0" || return 1
	for _i in 1 2 3 4 5; do
		available
		[ $_i != 2 ] || _first=$KIB
		_used=$KIB
		disk disk$_i txdepth=1024 || return 1
		available
		_used=$((_used - KIB))
		kr "stop,id=$ID" && kr_ended disk$_i ECANCELED || return 1
	done
	[ "$_used" -gt 2048 ] || why "the disk uses $_used KiB only" || return 1
	until_ok 60 memory_back
}
check "disk: the memory of 1,024 requests is free after stop" memory_returns
kr_stop

#
# Limits and names
#

whole_sectors() {
	export_bg "export=1023" && disk client && eq "$(attr size)" 1 sectors &&
		copy "/dev/$DISK" /dev/null 512 && kr_stop || return 1
	export_bg "export=511" && kr_fails EINVAL "client,addr=$ADDR,port=$port,disk" &&
		kr_detail_has "a disk needs 512"
}
check "disk: the size is rounded down to sectors, and an export without a sector is EINVAL" whole_sectors
kr_stop

names() {
	export_bg "export=64k,clients=0" && disk one "name=krping-data" &&
		eq "$DISK" krping-data name && [ -b /dev/krping-data ] || return 1
	kr_fails EEXIST "client,addr=$ADDR,port=$port,disk,name=krping-data" || return 1
	kr_fails EEXIST "client,addr=$ADDR,port=$port,disk,name=krping-data1" || return 1
	disk two && eq "$DISK" krping0 name && disk three && eq "$DISK" krping1 name &&
		until_ok 60 kr stop && export_bg "export=64k" && disk four && eq "$DISK" krping0 name
}
check "disk,name: a name in use is EEXIST, and the default is the first unused name" names
kr_stop

read_only() {
	export_bg "export=64k,clients=0" && disk one ro && eq "$(attr ro)" 1 ro &&
		copy "/dev/$DISK" /dev/null 4k &&
		not copy /dev/zero "/dev/$DISK" 4k count=1 oflag=direct && kr_stop || return 1
	export_bg "export=64k,ro" && disk two && eq "$(attr ro)" 1 ro &&
		copy "/dev/$DISK" /dev/null 4k &&
		not copy /dev/zero "/dev/$DISK" 4k count=1 oflag=direct
}
check "disk,ro and export,ro: reads succeed, and writes fail" read_only
kr_stop

#
# Rejected options
#

# refuse OPTIONS WORD: check that a client with OPTIONS is EINVAL, and that the log has WORD
refuse() {
	kr_refused EINVAL "client,addr=$ADDR,$1" "$2"
}
check "disk,name: the name of a partition is EINVAL" refuse disk,name=krping0p1 name
check "disk,name: a name that does not begin with krping is EINVAL" refuse disk,name=sda name
check "disk,name: a name with a slash is EINVAL" refuse disk,name=krping/0 name
check "name= without disk is EINVAL" refuse session,name=krping7 "only with disk"
check "session,ro is EINVAL" refuse session,ro "only with disk"
check "session,txdepth= is EINVAL" refuse session,txdepth=3 "only with disk"
check "session,qps= is EINVAL" refuse session,qps=2 "only with disk"
check "disk,txdepth=1025 is EINVAL" refuse disk,txdepth=1025 "at most 1024"
check "disk,bw is EINVAL" refuse disk,bw "not with bw"
check "disk,force is EINVAL" refuse disk,force "only for stop"

no_operations() {
	export_bg "export=64k" && disk client && kr_fails EINVAL "put,id=$ID,data=x"
}
check "disk: put on the disk's id is EINVAL" no_operations
kr_stop

check "disks leave no RDMA object and no log line behind" kr_clean
t_end
