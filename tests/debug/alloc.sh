#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Each allocation of krping and of the functions that it calls fails once, one per
#   run. The command returns ENOMEM or succeeds without the memory, its peer ends with a valid
#   errno, and no test or RDMA object is left.
# Requires: one guest with the debug kernel (tests/run --kernel debug)
# Duration: 122 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=walk.inc
. "${0%/*}/walk.inc"
# shellcheck source=alloc.inc
. "${0%/*}/alloc.inc"

# both NAME SERVER_OPTIONS CLIENT_OPTIONS: let each slab allocation and then each page allocation of a
# server and a client fail once
both() {
	allocs "$1" walk_pair "$2" "$3"
	pages "$1" walk_pair "$2" "$3"
}

both "ping reg" '' mem_mode=reg
both bw '' bw,qps=2
# From here on, let no allocation of siw's work items fail: with clients=2 siw allocates many of them, and
# each has failed in the walks above.
[ "$TYPE" != siw ] || fault_reject siw_cm_alloc_work
both clients=2 clients=2 ''
if [ -z "${KR_QUICK-}" ]; then
	both "ping dma" '' ''
	both server_inv '' server_inv
	both fr '' fr,size=64k,txdepth=4
	both wlat '' wlat,threads=2
	for test in rlat slat rbw sbw; do
		both $test '' $test
	done
	both srq srq srq,size=256k
	both inline poll poll,slat,inline
fi

# opening: open /proc/krping and read the list
opening() {
	kr_steps open=r read
	[ -n "$KR_ERRNO$(kr_get read)" ] || KR_ERRNO=ok
}
allocs "the list" walk_alone opening

# refusing: write a command that krping rejects
refusing() {
	kr client,bogus
	[ "$KR_ERRNO" != EINVAL ] || KR_ERRNO=ok
}
allocs "a rejected command" walk_alone refusing

# stopping: stop a server, and set KR_ERRNO to the outcome of the stop. If it fails, stop the server again.
stopping() {
	kr_bg server "server,addr=$ADDR,port=9998" || return
	kr stop && return
	errno_now
	_errno=$KR_ERRNO
	kr_stop
	KR_ERRNO=$_errno
}
allocs stop walk_alone stopping

# loading: load the module. After a failed insmod, a second one succeeds.
loading() {
	rmmod rdma_krping 2>/dev/null
	KR_ERRNO=ok KR_DETAIL=
	if ! insmod "$KR_KO" 2>"$T_TMP/insmod"; then
		read -r KR_DETAIL <"$T_TMP/insmod"
		case $KR_DETAIL in
		*"annot allocate memory"* | *"ut of memory"*) KR_ERRNO=ENOMEM ;;
		*) KR_ERRNO=other ;;
		esac
		insmod "$KR_KO"
	fi
}
allocs load walk_alone loading

least=100
[ -z "${KR_ONCE-}" ] || least=60
walk_end $least
