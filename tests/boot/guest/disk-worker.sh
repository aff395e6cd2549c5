#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: If a device works on the CPU that posts, a worker posts the requests of a disk with
#   several in flight, and the submitter those of a disk with one. With other devices the submitter
#   posts all requests.
# Requires: the guest of tests/boot/disk-worker.sh
# Duration: 30 s

# shellcheck source=../../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=fio-disk.inc
. "${0%/*}/fio-disk.inc"

# Time limit of a check in seconds: fio takes longer than the default of lib-krping.sh allows.
T_LIMIT=300
TRACE=/sys/kernel/tracing/instances/krping_worker
port=24000
DISK_OPTIONS=qps=1
FIO_OPTIONS='--size=16m --ioengine=libaio --bs=4k'

trace_instance $TRACE 16384 "posts of a disk"

# share OPTION...: run fio on a new disk, and set SHARE to the percentage of the requests that a worker has posted
share() {
	disk_on export=16m && echo >$TRACE/trace && trace_enable 1 $TRACE/events/krping/krping_post/enable && io "$@" &&
		trace_enable 0 $TRACE/events/krping/krping_post/enable || return 1
	SHARE=$(awk -v id="id=$ID" '$0 ~ "krping_post: " id " " { n++; worker += /^ *kworker/ }
		END { print n < 1000 ? "few" : int(100 * worker / n) }' $TRACE/trace)
	ends_in_order &&
		{ [ "$SHARE" != few ] || why "the trace has less than 1000 posts"; }
}

# at_most PERCENT OPTION...: check that a worker posts at most PERCENT of fio's requests
at_most() {
	_most=$1
	shift
	share "$@" && { [ "$SHARE" -le "$_most" ] || why "a worker posted $SHARE %"; }
}

# at_least PERCENT OPTION...: check that a worker posts at least PERCENT of fio's requests
at_least() {
	_least=$1
	shift
	share "$@" && { [ "$SHARE" -ge "$_least" ] || why "a worker posted $SHARE %"; }
}

# Of 128 requests at depth 1 one is handed to a worker. On a busy machine a worker posts fewer of those at
# depth 32: if it runs at once, each request ends before the next one arrives.
case $TYPE,$(uname -r) in
rxe,5.* | rxe,6.[0-3].*)
	for rw in randread randwrite; do
		check "disk, rxe: the submitter posts the requests of $rw at depth 1" \
			at_most 5 --rw=$rw --iodepth=1 --io_size=8m
		kr_stop
		check "disk, rxe: a worker posts requests of $rw at depth 32" \
			at_least 10 --rw=$rw --iodepth=32 --io_size=32m
		kr_stop
	done
	;;
*)
	check "disk, $TYPE: the submitter posts all requests of randread at depth 32" \
		at_most 0 --rw=randread --iodepth=32 --io_size=8m
	kr_stop
	;;
esac

# verifies: let fio write and verify the disk while the depth changes between 1 and 32
verifies() {
	disk_on export=16m || return 1
	for _depth in 32 1 32 1 16; do
		io --rw=randwrite --iodepth=$_depth --verify=crc32c --verify_fatal=1 --io_size=4m || return 1
	done
	ends_in_order
}
check "disk: fio verifies 4 KiB blocks while the depth changes" verifies
kr_stop

# load: run fio in the background until a request fails, and wait for 2000 requests; set FIO to fio's process id
load() {
	fio --name=io --filename="/dev/$DISK" --size=16m --direct=1 --eta=never --ioengine=libaio --rw=randrw \
		--bs=4k --iodepth=32 --thread --time_based --runtime=600 >"$T_TMP/load" 2>&1 &
	FIO=$!
	until_ok 60 kr_runs client 2000
}

# force: remove the disk by force while a worker posts, and check the ends of client, server and fio
force() {
	disk_on export=16m && load && kr "stop,id=$ID,force" && kr_ended client ECANCELED && kr_ended server ok &&
		[ ! -e "/sys/block/$DISK" ] || return 1
	not wait "$FIO" || why "fio succeeded" || return 1
	grep -q 'err= 5\|err=28' "$T_TMP/load" || why "fio: $(tail -n 3 "$T_TMP/load")"
}
for n in 1 2 3; do
	check "disk: stop,force ends the requests at depth 32, time $n" force
	kr_stop
done

check "disks with a worker leave no test, RDMA object or log line" kr_clean
t_end
