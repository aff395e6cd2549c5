#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Each call of krping into the RDMA core, the connection manager, the device and
#   the scheduler fails once, one call per run. The side with the failed call returns the
#   specified errno, its peer ends with a valid errno, and no test or RDMA object is left.
# Requires: one guest with the debug kernel (tests/run --kernel debug)
# Duration: not measured

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=walk.inc
. "${0%/*}/walk.inc"

# Only direct calls of krping fail, not those of the functions that krping calls.
echo y >$FAULT/direct

# A walk (walk.inc) repeats a command until each call of a function has failed once, one call per run.

# fails_with ERRNOS NAME FUNCTION RETVAL SERVER_OPTIONS CLIENT_OPTIONS: do a walk in which the
# side with the failed call ends with one of ERRNOS
fails_with() {
	OWN=$1
	_name=$2
	_fn=$3
	_retval=$4
	walk "$_name" "$_fn" "$_retval" walk_pair "$5" "$6"
}

# fails_for_good ERRNOS NAME FUNCTION RETVAL SERVER_OPTIONS CLIENT_OPTIONS: do what fails_with does, but
# after the failed call all further calls of FUNCTION by this thread fail, too
fails_for_good() {
	echo y >$FAULT/rest
	fails_with "$1" "$2, all attempts" "$3" "$4" "$5" "$6"
	echo n >$FAULT/rest
}

# fails_once_or_for_good ERRNO NAME FUNCTION RETVAL SERVER_OPTIONS CLIENT_OPTIONS: fail a call that
# krping repeats after an error, perhaps with smaller sizes. If one attempt fails, the test may succeed;
# if all attempts fail, the test ends with ERRNO.
fails_once_or_for_good() {
	_errno=$1
	shift
	fails_with "ok $_errno" "$@"
	fails_for_good "$_errno" "$@"
}

# ping_and_bench ERRNOS FUNCTION RETVAL: call fails_with for ping and for bw
ping_and_bench() {
	fails_with "$1" "ping" "$2" "$3" '' mem_mode=reg
	fails_with "$1" "bw" "$2" "$3" '' bw,qps=2
}

# Providers return EINVAL also for exhausted resources, although the command is valid.
ping_and_bench ENOMEM __ib_alloc_pd -22
fails_once_or_for_good ENOMEM "ping" __ib_alloc_cq_any -22 '' mem_mode=reg
fails_once_or_for_good ENOMEM "bw" __ib_alloc_cq_any -22 '' bw,qps=2
fails_once_or_for_good ENOMEM "cpu=0" __ib_alloc_cq -22 cpu=0 cpu=0
fails_once_or_for_good ENOMEM "ping" rdma_create_qp -22 '' mem_mode=reg
fails_once_or_for_good ENOMEM "bw" rdma_create_qp -22 '' bw,qps=2
ping_and_bench ENOMEM __rdma_create_kernel_id -22
ping_and_bench ENODEV __ib_alloc_pd -19
fails_with ENOMEM "srq" ib_create_srq_user -22 srq srq
fails_with ENOMEM "ping reg" ib_alloc_mr -22 '' mem_mode=reg
fails_with ENOMEM "fr" ib_alloc_mr -22 '' fr,txdepth=4
fails_with EIO "ping reg" ib_map_mr_sg 0 '' mem_mode=reg
fails_with EIO "server_inv" ib_map_mr_sg -22 '' server_inv
fails_with EIO "fr" ib_map_mr_sg 0 '' fr,txdepth=4

fails_with ENOMEM "ping" rdma_bind_addr -12 '' ''
fails_with EADDRINUSE "ping" rdma_bind_addr -98 '' ''
fails_with EADDRNOTAVAIL "ping" rdma_bind_addr -1 '' ''
fails_with EADDRINUSE "ping" rdma_listen -1 '' ''
fails_with ENOMEM "clients=2" rdma_listen -12 clients=2 ''
fails_with ENETUNREACH "ping" rdma_resolve_addr -101 '' ''
fails_with EHOSTUNREACH "bw" rdma_resolve_addr -1 '' bw,qps=2
fails_with ENOMEM "ping" rdma_resolve_route -12 '' ''
fails_with EHOSTUNREACH "bw" rdma_resolve_route -1 '' bw,qps=2
fails_with ECONNRESET "ping" rdma_connect -1 '' ''
fails_with ENOMEM "bw" rdma_connect -12 '' bw,qps=2
fails_with ECONNRESET "ping" rdma_accept -1 '' ''
# rdma_cm returns EINVAL for a lost client before it delivers the event of the loss, so krping reports
# EINVAL as a loss.
fails_with ECONNRESET "ping" rdma_accept -22 '' ''
fails_with ECONNRESET "ping" rdma_connect -22 '' ''
fails_with EHOSTUNREACH "ping" rdma_resolve_route -22 '' ''
fails_with ENOMEM "clients=2" rdma_accept -12 clients=2 ''
OWN=ENOMEM
# by_name: run a server with the option device=, and set KR_ERRNO
by_name() {
	kr_bg server "server,addr=0.0.0.0,port=9997,device=$DEV" || return
	errno_now
	kr_stop
}
walk "a device by name" ib_register_client -12 walk_alone by_name
# After a failed rdma_disconnect() the QP enters the error state anyway, and the destruction
# of the id disconnects the peer.
fails_with ok "ping" rdma_disconnect -22 '' ''
fails_with ok "bw" rdma_disconnect -22 '' bw,qps=2

fails_with ENOMEM "ping" kthread_create_on_node -12 '' ''
# A server that cannot create a thread for a client rejects the client and continues.
fails_with 'ENOMEM ok' "threads" kthread_create_on_node -12 clients=2 bw,threads=2

# ib_post_send() and ib_post_recv() are inline, so let the provider's functions that they call fail. "ok" is
# valid, because a failed post at the end of a test has no effect.
case $TYPE in
siw) posts='siw_post_send siw_post_receive' ;;
*) posts="${TYPE}_post_send ${TYPE}_post_recv" ;;
esac
fails_with 'EIO ok' "srq" "${TYPE}_post_srq_recv" -12 srq srq
for post in $posts; do
	fails_with 'EIO ok' "ping" "$post" -12 '' mem_mode=reg
	fails_with 'EIO ok' "polling" "$post" -12 poll server_inv,poll
	for test in wlat bw sbw fr; do
		fails_with 'EIO ok' "$test" "$post" -12 '' $test
	done
done

walk_end 60
