#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A connection request without a reply fails with ETIMEDOUT when the connection
#   manager gives up.
# Requires: one guest with any device whose time counts instructions (scripts/vm --exact)
# Duration: 103 s on rxe, 4 s on siw
#
# Truth: on rxe ib_cm sends a REQ 16 times and waits 4.3 s for each reply (CMA_MAX_CM_RETRIES and
# CMA_CM_RESPONSE_TIMEOUT of drivers/infiniband/core/cma.c), 70 s of the guest's time. An idle
# guest advances its clock to the next timer at once, so the host waits less. On siw TCP repeats the
# SYN tcp_syn_retries times.

# shellcheck source=wire.inc
. "${0%/*}/wire.inc"

# gives_up WORDS: check that a client fails with ETIMEDOUT and WORDS before its own timeout of
# 600 s
gives_up() {
	wire_clear
	wire v0 netem loss 100% || return 1
	kr "client,addr=$ADDR,port=9999,count=3,timeout=600000"
	wire_clear
	kr_returned ETIMEDOUT && kr_detail_has "$1"
}

case $TYPE in
siw)
	echo 1 >/proc/sys/net/ipv4/tcp_syn_retries
	words='connecting'
	;;
*) words='the server did not answer the connection request' ;;
esac
check_within 300 "a connection request without a reply fails with ETIMEDOUT" gives_up "$words"
t_end
