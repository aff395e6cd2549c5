#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Each allocation during the set-up of a test, by krping or by what it calls,
#   fails once and alone. The command returns ENOMEM or goes on without, its peer ends
#   accordingly, and nothing is left.
# Requires: one guest with the debug kernel (tests/run --kernel debug)
# Duration: 122 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=walk.inc
. "${0%/*}/walk.inc"

# Do not fail allocations of debugging code, and not the pages of a slab: the failure of its
# object has the same effect. Without rxe's list of READs, 6.12.117 leaves the QP's receiver
# off, and ib_drain_qp() hangs: see Documentation/known-issues.md.
[ "$TYPE" != rxe ] || fault_reject rxe_qp_from_attr
fault_reject ___slab_alloc kmemleak_alloc kmemleak_vmalloc stack_depot_save_flags \
	debug_object_init debug_object_activate ref_tracker_alloc

# allocs NAME COMMAND...
allocs() {
	name=$1
	shift
	walk "$name" should_failslab -12 "$@"
}

# pages NAME COMMAND...
pages() {
	name=$1
	shift
	# the call fails
	walk "$name, pages" should_fail_alloc_page 1 "$@"
}

# both NAME SERVER CLIENT
both() {
	allocs "$1" walk_pair "$2" "$3"
	pages "$1" walk_pair "$2" "$3"
}

both "ping reg" '' mem_mode=reg
both bw '' bw,qps=2
# siw has a work item for each of many concurrent requests. The lack of one has been tested
# by now.
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

opening() {
	kr_steps open=r read
	[ -n "$KR_ERRNO$(kr_get read)" ] || KR_ERRNO=ok
}
allocs "the list" walk_alone opening

refusing() {
	kr client,bogus
	[ "$KR_ERRNO" != EINVAL ] || KR_ERRNO=ok
}
allocs "a command that is refused" walk_alone refusing

# stopping: a stop that fails for lack of memory succeeds when it is repeated
stopping() {
	kr_bg server "server,addr=$ADDR,port=9998" || return
	kr stop && return
	errno_now
	_errno=$KR_ERRNO
	kr_stop
	KR_ERRNO=$_errno
}
allocs stop walk_alone stopping

# loading: after a failed insmod, the next one succeeds
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
