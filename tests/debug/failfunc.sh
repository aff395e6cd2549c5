#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Each call of krping into the RDMA core, the connection manager, the device
#   and the scheduler fails once and alone. The caller returns the errno of the contract,
#   its peer ends accordingly, and nothing is left.
# Requires: one guest with the debug kernel (tests/run --kernel debug)
# Duration: not measured

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=walk.inc
. "${0%/*}/walk.inc"

# Only calls of krping fail. How the core handles failures below it is not tested here.
echo y >$FAULT/direct

# says ERRNOS NAME FUNCTION RETVAL SERVER CLIENT: the side whose call fails ends with one of
# these
says() {
	OWN=$1
	_name=$2
	_fn=$3
	_retval=$4
	walk "$_name" "$_fn" "$_retval" walk_pair "$5" "$6"
}

# ping_and_bench ERRNOS FUNCTION RETVAL
ping_and_bench() {
	says "$1" "ping" "$2" "$3" '' mem_mode=reg
	says "$1" "bw" "$2" "$3" '' bw,qps=2
}

# Providers return EINVAL also for exhausted resources, although the command is valid.
ping_and_bench ENOMEM __ib_alloc_pd -22
ping_and_bench ENOMEM __ib_alloc_cq_any -22
says ENOMEM "cpu=0" __ib_alloc_cq -22 cpu=0 cpu=0
ping_and_bench ENOMEM rdma_create_qp -22
ping_and_bench ENOMEM __rdma_create_kernel_id -22
ping_and_bench ENODEV __ib_alloc_pd -19
says ENOMEM "srq" ib_create_srq_user -22 srq srq
says ENOMEM "ping reg" ib_alloc_mr -22 '' mem_mode=reg
says ENOMEM "fr" ib_alloc_mr -22 '' fr,txdepth=4
says EIO "ping reg" ib_map_mr_sg 0 '' mem_mode=reg
says EIO "server_inv" ib_map_mr_sg -22 '' server_inv
says EIO "fr" ib_map_mr_sg 0 '' fr,txdepth=4

says ENOMEM "ping" rdma_bind_addr -12 '' ''
says EADDRINUSE "ping" rdma_bind_addr -98 '' ''
says EADDRNOTAVAIL "ping" rdma_bind_addr -1 '' ''
says EADDRINUSE "ping" rdma_listen -1 '' ''
says ENOMEM "clients=2" rdma_listen -12 clients=2 ''
says ENETUNREACH "ping" rdma_resolve_addr -101 '' ''
says EHOSTUNREACH "bw" rdma_resolve_addr -1 '' bw,qps=2
says ENOMEM "ping" rdma_resolve_route -12 '' ''
says EHOSTUNREACH "bw" rdma_resolve_route -1 '' bw,qps=2
says ECONNRESET "ping" rdma_connect -1 '' ''
says ENOMEM "bw" rdma_connect -12 '' bw,qps=2
says ECONNRESET "ping" rdma_accept -1 '' ''
# rdma_cm returns this for a lost client before it delivers the event.
says ECONNRESET "ping" rdma_accept -22 '' ''
says ECONNRESET "ping" rdma_connect -22 '' ''
says EHOSTUNREACH "ping" rdma_resolve_route -22 '' ''
says ENOMEM "clients=2" rdma_accept -12 clients=2 ''
OWN=ENOMEM
by_name() {
	kr_bg server "server,addr=0.0.0.0,port=9997,device=$DEV" || return
	errno_now
	kr_stop
}
walk "a device by name" ib_register_client -12 walk_alone by_name
# The QP enters the error state anyway, and the destruction of the id disconnects the peer.
says ok "ping" rdma_disconnect -22 '' ''
says ok "bw" rdma_disconnect -22 '' bw,qps=2

says ENOMEM "ping" kthread_create_on_node -12 '' ''
# The server's thread for a client: the client is rejected, and the server goes on.
says 'ENOMEM ok' "threads" kthread_create_on_node -12 clients=2 bw,threads=2

# The provider's functions behind ib_post_send() and ib_post_recv(). A test that is complete
# needs no further post.
case $TYPE in
siw) posts='siw_post_send siw_post_receive' ;;
*) posts="${TYPE}_post_send ${TYPE}_post_recv" ;;
esac
says 'EIO ok' "srq" "${TYPE}_post_srq_recv" -12 srq srq
for post in $posts; do
	says 'EIO ok' "ping" "$post" -12 '' mem_mode=reg
	says 'EIO ok' "polling" "$post" -12 poll server_inv,poll
	for test in wlat bw sbw fr; do
		says 'EIO ok' "$test" "$post" -12 '' $test
	done
done

walk_end 60
