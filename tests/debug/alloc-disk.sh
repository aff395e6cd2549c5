#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Each allocation while a disk is made, used and removed fails once, one per run.
#   The command returns ENOMEM or succeeds without the memory, its server ends with a valid
#   errno, and no disk, test or RDMA object is left.
# Requires: one guest with the debug kernel (tests/run --kernel debug)
# Duration: 300 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=walk.inc
. "${0%/*}/walk.inc"
# shellcheck source=alloc.inc
. "${0%/*}/alloc.inc"

# no_disk: check that no disk is left
no_disk() {
	for _disk in /sys/block/krping*; do
		[ ! -e "$_disk" ] || why "$_disk is left" || return 1
	done
}

# stop_disk: stop the client of the disk. A stop fails while the disk is open, or if an allocation of the
# stop fails; in the end stop with force.
stop_disk() {
	for _try in 1 2 3; do
		! kr "stop,id=$CLIENT_ID" || return 0
		sleep 0.1
	done
	kr "stop,id=$CLIENT_ID,force"
}

# disk_client OPTIONS: make a disk, write a block to it, and remove it
disk_client() {
	if kr_bg client "client,addr=$ADDR,port=$pair_port,timeout=10000,disk${1:+,$1}"; then
		CLIENT_ID=$(kr_get id)
		dd if=/dev/zero of="/dev/$(kr_get name)" bs=4k count=1 conv=notrunc 2>/dev/null
		stop_disk
		kr_wait client 60
	fi
}

# walk_disk OPTIONS: run a server with an export, use a disk on the export, and check that no disk is left.
# ECANCELED, the end of the client by a stop, counts as ok.
walk_disk() {
	walk_served export=64k disk_client "$1" || return 1
	[ "$CLIENT_ERRNO" != ECANCELED ] || CLIENT_ERRNO=ok
	no_disk
}

allocs disk walk_disk qps=1
pages disk walk_disk qps=1
if [ -z "${KR_QUICK-}" ]; then
	allocs "disk of two queues" walk_disk qps=2
	allocs "disk,poll" walk_disk qps=1,poll
fi

least=100
[ -z "${KR_ONCE-}" ] || least=20
walk_end $least
