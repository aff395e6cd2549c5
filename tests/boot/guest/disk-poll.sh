#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: fio's polled requests use the poll queues of a disk, and end when the disk is
#   removed by force or its server ends; they survive lost connections.
# Requires: the guest of tests/boot/disk-poll.sh
# Duration: 80 s

# shellcheck source=../../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=fio-disk.inc
. "${0%/*}/fio-disk.inc"

# Time limit of a check in seconds: fio takes longer than the default of lib-krping.sh allows.
T_LIMIT=300
TRACE=/sys/kernel/tracing/instances/krping_poll
port=23000
DISK_OPTIONS=poll
NR=$(nproc)

# has_queues: check that a disk with poll has NR poll queues beside NR other queues
has_queues() {
	disk_on "export=8m" && eq "$(cat "/sys/block/$DISK/queues")" $((2 * NR)) queues &&
		eq "$(cat "/sys/block/$DISK/queue/io_poll")" 1 io_poll && kr_result client &&
		kr_is poll 1 && kr_is qps "$NR"
}
check "disk,poll: the disk has a poll queue for each other queue" has_queues

# posts OPERATION OPTION...: let fio move 40 blocks. For each OPERATION (READ or WRITE) that the disk posts,
# write a line with the number of the connection to $T_TMP/posts. Connections NR to 2 * NR - 1 belong to poll
# queues, connections 0 to NR - 1 to other queues.
posts() {
	_op=$1
	shift
	echo >$TRACE/trace
	io --bs=4k --io_size=160k "$@" || return 1
	sed -n "s|.* krping_post: id=$ID conn=\([0-9]*\) .* RDMA $_op .*|\1|p" $TRACE/trace >"$T_TMP/posts"
}

# posted FROM END: print the number of posts to the connections FROM to END - 1
posted() {
	awk -v a="$1" -v b="$2" '$1 >= a && $1 < b' "$T_TMP/posts" | wc -l
}

# polled: check that WRITEs that fio polls (option hipri) are posted to poll queues only
polled() {
	posts WRITE --rw=write --ioengine=io_uring --hipri && eq "$(posted "$NR" $((2 * NR)))" 40 "posts to poll queues" &&
		eq "$(posted 0 "$NR")" 0 "posts to other queues"
}

# not_polled: check that WRITEs that fio does not poll are posted to other queues only
not_polled() {
	posts WRITE --rw=write --ioengine=io_uring && eq "$(posted 0 "$NR")" 40 "posts to other queues" &&
		eq "$(posted "$NR" $((2 * NR)))" 0 "posts to poll queues"
}

# reads_spread: check that each CPU posts at least 40 READs to its own queue. There may be more, because the
# disk's thread also posts READs, to prove that a connection works.
reads_spread() {
	_c=0
	while [ $_c -lt "$NR" ]; do
		grep -qw $_c "/sys/block/$DISK/mq/$_c/cpu_list" || why "the queue $_c is not that of CPU $_c" || return 1
		posts READ --rw=read --ioengine=psync --cpus_allowed=$_c || return 1
		[ "$(posted $_c $((_c + 1)))" -ge 40 ] || why "CPU $_c posts $(posted $_c $((_c + 1))) READs to its queue" || return 1
		_c=$((_c + 1))
	done
}

POSTS=$TRACE/events/krping/krping_post/enable
if mkdir $TRACE && trace_enable 1 $POSTS; then
	check "disk,poll: requests of io_uring with hipri are posted to poll queues" polled
	check "disk,poll: other requests of io_uring are not posted to poll queues" not_polled
	check "disk,poll: READs of each CPU are posted to its own queue" reads_spread
	trace_enable 0 $POSTS
	rmdir $TRACE
fi
kr_stop

# Before 6.5 the block layer fails a polled bio with EAGAIN if it would have to split the bio, and io_uring
# repeats the bio without end: see Documentation/known-issues.md. Small requests to a region of one MR
# need no split.
case $(uname -r) in
5.* | 6.[0-4].*)
	SIZES="512 bytes to 64 KiB" RANGE=512-64k MEMORY=1m
	;;
*)
	SIZES="512 bytes to 256 KiB" RANGE=512-256k MEMORY=16m
	;;
esac

# verifies SIZE OPTION...: let fio write and verify SIZE bytes of a new disk, and remove the disk
verifies() {
	_size=$1
	shift
	disk_on "export=$_size" && io --size="$_size" --verify=crc32c --verify_fatal=1 --rw=randwrite "$@" &&
		kr_result client && [ "$(kr_get write_msgs)" -gt 20 ] && until_ok 60 kr "stop,id=$ID" &&
		kr_ended client ECANCELED && kr_ended server ok
}
check "disk,poll: fio verifies $SIZES of io_uring with hipri at depth 16" \
	verifies $MEMORY --ioengine=io_uring --hipri --bsrange=$RANGE --blockalign=512 --iodepth=16 --loops=4
kr_stop
check "disk,poll: fio verifies 4 KiB of four jobs of io_uring with hipri" \
	verifies 16m --ioengine=io_uring --hipri --bs=4k --iodepth=8 --numjobs=4 --offset_increment=4m --size=4m
kr_stop
check "disk,poll: fio verifies 4 KiB of preadv2 with hipri" \
	verifies 16m --ioengine=pvsync2 --hipri --bs=4k --io_size=4m
kr_stop

# beside: let fio verify polled and other requests of one disk at the same time
beside() {
	disk_on "export=8m" && io --bs=4k --verify=crc32c --verify_fatal=1 --rw=randwrite --size=2m \
		--iodepth=8 --ioengine=io_uring --hipri --name=other --bs=4k --verify=crc32c --verify_fatal=1 \
		--rw=randwrite --size=2m --offset=4m --iodepth=8 --ioengine=libaio
}
check "disk,poll: fio verifies requests of io_uring with hipri beside those of libaio" beside
kr_stop

# load: run fio in the background until a request fails, and wait for 100 requests; set FIO to the id of
# fio's process
load() {
	fio --name=io --filename="/dev/$DISK" --direct=1 --eta=never --ioengine=io_uring --hipri --rw=randrw \
		--bs=4k --iodepth=16 --numjobs=2 --thread --time_based --runtime=600 >"$T_TMP/load" 2>&1 &
	FIO=$!
	until_ok 60 kr_runs client 100
}

# load_failed: check that fio has ended because a request failed, with EIO (5) or ENOSPC (28). WRITEs to the
# disk after its removal fail with ENOSPC, because the block device then has no sectors.
load_failed() {
	not wait "$FIO" || why "fio succeeded" || return 1
	grep -q 'err= 5\|err=28' "$T_TMP/load" || why "fio: $(tail -n 3 "$T_TMP/load")"
}

# gone: check that the disk is removed
gone() {
	[ ! -e "/sys/block/$DISK" ] || why "/sys/block/$DISK still exists"
}

# force: remove the disk by force under load, and check the ends of client, server and fio
force() {
	disk_on "export=8m" && load && kr "stop,id=$ID,force" && kr_ended client ECANCELED &&
		kr_ended server ok && gone && load_failed
}
check "disk,poll: stop,force ends polled requests with EIO, and removes the disk" force
kr_stop

# server_ends: stop the server under load, and check the ends of client and fio
server_ends() {
	disk_on "export=8m" && load && kr "stop,id=$SERVER" && kr_ended client ECONNRESET && gone && load_failed
}
check "disk,poll: the end of the server ends polled requests with EIO" server_ends
kr_stop

# pauses: pause fio, so that nobody polls for its requests in flight. The disk must survive a pause of 3 s. A
# stop with force during another pause must neither wait until fio polls again, nor until the requests time
# out after 60 s.
pauses() {
	disk_on "export=8m" && load && kill -STOP "$FIO" && sleep 3 && kr_result client && _before=$(kr_get iterations) &&
		eq "$(cat "/sys/block/$DISK/state")" live state && kill -CONT "$FIO" &&
		until_ok 60 kr_runs client $((_before + 100)) && kill -STOP "$FIO" || return 1
	seconds
	_start=$NOW
	kr "stop,id=$ID,force" && kr_ended client ECANCELED && gone && seconds &&
		[ $((NOW - _start)) -lt $((30 * T_SLOW)) ] || why "the stop took $((NOW - _start)) s" || return 1
	kill -CONT "$FIO" && load_failed
}
check "disk,poll: stop,force does not wait for a user who has stopped polling" pauses
kr_stop

# killed: kill fio while it polls, and remove the disk
killed() {
	disk_on "export=8m" && load && kill -KILL "$FIO" && not wait "$FIO" && until_ok 60 kr "stop,id=$ID" &&
		kr_ended client ECANCELED && gone
}
check "disk,poll: the disk can be removed after fio was killed while it polled" killed
kr_stop

# drop: stop the server's side of one connection of the disk
drop() {
	kr list || return 1
	_child=$(sed -n "/^id=$SERVER /d; s/^id=\([0-9]*\) .*role=server.*/\1/p" "$KR_RESULT" | head -n 1)
	[ -n "$_child" ] && kr "stop,id=$_child"
}

# connected N: check that the disk has connected again at least N times, and is live
connected() {
	[ "$(cat "/sys/block/$DISK/reconnects")" -ge "$1" ] && eq "$(cat "/sys/block/$DISK/state")" live state
}

# reconnects: let fio verify polled requests while the disk loses its connection three times
reconnects() {
	disk_on "export=8m,shared,clients=0" reconnect=120 || return 1
	io --size=8m --verify=crc32c --verify_fatal=1 --rw=randwrite --ioengine=io_uring --hipri --bs=4k \
		--iodepth=16 --loops=2 &
	_io=$!
	for _n in 1 2 3; do
		sleep 1
		drop && until_ok 60 connected $_n || why "the disk has not connected again after loss $_n" || return 1
	done
	wait $_io || why "$(tail -n 3 "$T_TMP/fio")" || return 1
	kr "stop,id=$ID" && kr_ended client ECANCELED
}
check "disk,poll,reconnect: fio verifies polled requests across three lost connections" reconnects
kr_stop

check "disks with poll queues leave no test, RDMA object or log line" kr_clean
t_end
