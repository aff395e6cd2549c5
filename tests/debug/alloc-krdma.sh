#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Each allocation while a module uses krdma.h to listen, connect, accept, send, receive,
#   write, read and release fails once, one per run. A function returns -ENOMEM, or an error of a
#   lost connection on the other side, or succeeds, and no test or RDMA object is left.
# Requires: one guest with the debug kernel (tests/run --kernel debug)
# Duration: 300 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=walk.inc
. "${0%/*}/walk.inc"
# shellcheck source=alloc.inc
. "${0%/*}/alloc.inc"

KO=/lib/modules/extra/krping_krdma.ko
RESULT=/sys/module/krping_krdma/parameters/result

# played: check that the scenario has ended
played() {
	read -r _result <$RESULT
	[ "$_result" != running ] || why "the scenario is running"
}

# krdma SCENARIO: run a scenario of krping_krdma.ko, which is client and server, and set CLIENT_ERRNO to
# the error that the first failed function returned, or to ok
krdma() {
	SERVER_ERRNO=ok SERVER_ID='' SERVER_DETAIL='' CLIENT_ID=''
	pair_port=$((pair_port + 1))
	insmod $KO "scenario=$1" "addr=$ADDR" "port=$pair_port" || return 1
	until_ok 60 played || return 1
	rmmod krping_krdma || return 1
	CLIENT_DETAIL=$_result
	case $_result in
	ok) CLIENT_ERRNO=ok ;;
	*' returns -12') CLIENT_ERRNO=ENOMEM ;;
	*' returns -98') CLIENT_ERRNO=EADDRINUSE ;;
	*' returns -104') CLIENT_ERRNO=ECONNRESET ;;
	*' returns -110') CLIENT_ERRNO=ETIMEDOUT ;;
	*' returns -111') CLIENT_ERRNO=ECONNREFUSED ;;
	*) CLIENT_ERRNO=other ;;
	esac
}

allocs krdma krdma calls
pages krdma krdma calls
[ "${KR_QUICK-}" ] || allocs "krdma with a handler" krdma handler

least=60
[ -z "${KR_ONCE-}" ] || least=20
walk_end $least
