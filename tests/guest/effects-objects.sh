#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Options change which objects krping creates, and on which device and
#   address. A trace and rdma res show prove the effect, because a result might repeat an option
#   that has no effect.
# Requires: one guest
# Duration: 8 s on rxe, 7 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=trace.inc
. "${0%/*}/trace.inc"
# Functions of trace.inc: `watch` runs and traces a server and a client, `server` and `client` select a side, `seen`
# and `seen_in` check sums of this side's records. `has` does these three steps. trace-sum.inc describes the sums.
# `stopping` runs a command, then stops all tests that still run.

# Data is longer than any control message, so the length of a SEND shows whether it has data.
SIZE=1000
WATCH_SIZE=$SIZE

#
# Devices. These checks need no trace. The second device's name begins with the name of the first.
#

LONGER=${DEV}1
ip link add krlonger type dummy && ip addr add 10.8.0.1/24 dev krlonger &&
	ip link set krlonger up && rdma link add "$LONGER" type "$TYPE" netdev krlonger
case $TYPE in
rxe) until_ok 60 grep -qs 0a08:0001 "/sys/class/infiniband/$LONGER/ports/1/gids/"* ;;
esac

# on DEVICE ADDR: check that a pair with device=DEVICE on both sides runs on this device
on() {
	kr_bg server "server,addr=$2,port=19000,device=$1" &&
		kr "client,addr=$2,port=19000,device=$1,count=2" && kr_is device "$1" && kr_ended server ok
}

# not_on DEVICE ADDR: check that device=DEVICE is ENODEV with ADDR of another device, on both sides
not_on() {
	kr_fails_with ENODEV "client,addr=$2,port=19001,device=$1,count=1" "$1" &&
		kr_fails_with ENODEV "server,addr=$2,port=19001,device=$1,background" "$1" && kr_clean_now
}

# rejected DEVICE ADDR: check that a wildcard server with device=DEVICE rejects a client that
# connects to ADDR, the address of another device
rejected() {
	kr_bg server "server,addr=0.0.0.0,port=19002,device=$1" &&
		kr_fails ECONNREFUSED "client,addr=$2,port=19002,count=1" && kr_detail_has device
}

check "device=$DEV selects this device, although $LONGER exists" on "$DEV" "$ADDR"
check "device=$LONGER selects this device, although $DEV exists" on "$LONGER" 10.8.0.1
check "device=$DEV does not match $LONGER" not_on "$DEV" 10.8.0.1
check "device=$LONGER does not match $DEV" not_on "$LONGER" "$ADDR"
check "device=$TYPE, the beginning of a name, is ENODEV" not_on "$TYPE" "$ADDR"
check "a server on 0.0.0.0 with device=$DEV rejects a client of $LONGER" stopping rejected "$DEV" 10.8.0.1
check "a server on 0.0.0.0 with device=$LONGER rejects a client of $DEV" stopping rejected "$LONGER" "$ADDR"
check "a server on 0.0.0.0 with device=$TYPE is ENODEV" \
	kr_fails_with ENODEV "server,addr=0.0.0.0,port=19003,device=$TYPE,background" "$TYPE"
rdma link delete "$LONGER"
ip link delete krlonger

T_AT_END=trace_close
if ! trace_open; then
	trace_close
	skip "trace of the objects that options create" "$T_WHY"
	t_end
	exit
fi

#
# SRQ
#

# srq_of SIDE SERVER_OPTIONS CLIENT_OPTIONS: check that SIDE posts its RECVs to an SRQ, and that its QP
# has no RQ. The data consumes 20 RECVs.
srq_of() {
	watch "$2" "slat,count=20,size=$SIZE,$3" && "$1" && seen srqs 1 rq 0 recvs 0 &&
		seen_in srq_recvs 20 60
}
# no_srq_of SIDE: check that SIDE of the last test posted its RECVs to the RQ of its QP
no_srq_of() {
	"$1" && seen srqs 0 srq_recvs 0 && seen_in rq 2 20 && seen_in recvs 20 60
}
check "client with srq: its RECVs are on an SRQ, and its QP has no RQ" srq_of client "" srq
check "client with srq: a server without srq has no SRQ" no_srq_of server
check "server with srq: its RECVs are on an SRQ, and its QP has no RQ" srq_of server srq rate=10000
check "server with srq: a client without srq has no SRQ" no_srq_of client
check "sbw,qps=3,srq: each of the client's QPs has an SRQ" \
	has client "" sbw,count=5,qps=3,srq qps 3 srqs 3 rq 0 recvs 0

srq_shown() {
	kr_bg server "server,addr=$ADDR,port=19010,srq" &&
		kr_bg client "client,addr=$ADDR,port=19010,slat,srq" && until_ok 60 kr_runs client ||
		return 1
	case "$(rdma_objects) " in
	*" srq 2 "*) ;;
	*) why "$(rdma_objects)" ;;
	esac
}
case "$(rdma_objects) " in
*" srq "*) check "srq on both sides: rdma res show has two SRQs" stopping srq_shown ;;
*) skip "srq on both sides: rdma res show has two SRQs" "this rdma shows no SRQs" ;;
esac

#
# QPs, CQs, threads
#

check "sbw: the client has one QP, one CQ and one thread" has client "" sbw,count=5 qps 1 cqs 1 threads 1
check "qps=3: the client has 3 QPs and one CQ" has client "" sbw,count=5,qps=3 qps 3 cqs 1 threads 1
check "threads=3: the client has 3 threads, and 3 CQs" \
	has client "" sbw,count=5,threads=3 qps 3 cqs 3 threads 3
check "qps=2,threads=2: the client has 4 QPs and 2 CQs" has client "" sbw,count=5,threads=2,qps=2 qps 4 cqs 2 threads 2

# The SQ has room for txdepth operations and 33 control messages. rxe of 7.3 rounds the sum
# up to 255.
sq_room() {
	watch "" bw,count=5,txdepth=200 && client && seen_in sq 233 255
}
check "txdepth=200: the SQ has room for 200 operations" sq_room
check "fr,txdepth=12: the client has 12 MRs" has client "" fr,count=5,txdepth=12 mrs 12
check "fr,txdepth=1: the client has one MR" has client "" fr,count=5,txdepth=1 mrs 1

# kernel_threads N: check that the test of the last result has N threads
kernel_threads() {
	kr_val id
	_n=0
	for _p in /proc/[0-9]*; do
		read -r _comm 2>/dev/null <"$_p/comm" || continue
		case $_comm in
		krping/"$KR_VAL" | krping/"$KR_VAL":*) [ -n "$(cat "$_p/cmdline")" ] || _n=$((_n + 1)) ;;
		esac
	done
	eq $_n "$1" "number of kernel threads"
}
threads_run() {
	kr_bg server "server,addr=$ADDR,port=19011" &&
		kr_bg client "client,addr=$ADDR,port=19011,slat,threads=3,qps=2" &&
		until_ok 60 kr_runs client && kernel_threads 3
}
check "threads=3,qps=2: three kernel threads run" stopping threads_run

#
# Addresses, ports, type of service, as the connection manager has them
#

ip addr add 10.0.0.9/24 dev "$IF"
ip addr add fd00::9/64 dev "$IF" nodad
case $TYPE in
rxe)
	for gid in ffff:0a00:0009 fd00:0000:0000:0000:0000:0000:0000:0009; do
		until_ok 60 grep -rqs $gid "/sys/class/infiniband/$DEV/ports/1/gids"
	done
	;;
esac

# from_to SOURCE ADDR OPTIONS: check that both sides report SOURCE as the client's address, and ADDR
# as the server's
from_to() {
	_addr=$ADDR
	ADDR=$2
	watch "" "count=2${3:+,$3}"
	_rc=$?
	ADDR=$_addr
	case $1 in
	*:*) set -- "[$1]" "[$2]" ;;
	esac
	[ $_rc = 0 ] && client && seen src "$1" dst "$2" port "$watch_port" && server && seen src "$2" dst "$1"
}
check "source=10.0.0.9: the server sees that address" from_to 10.0.0.9 "$ADDR" source=10.0.0.9
check "source=fd00::9: the server sees that address" from_to fd00::9 "$ADDR6" source=fd00::9
check "IPv4 without source=: the server sees the address of the interface" from_to "$ADDR" "$ADDR" ""
check "IPv6 without source=: the server sees the address of the interface" from_to "$ADDR6" "$ADDR6" ""
check "addr=10.0.0.9: the client connects to this address" from_to 10.0.0.9 10.0.0.9 source=10.0.0.9

# listens ADDR:PORT OPTIONS: check that rdma res show has a listener at this address and port
listens() {
	kr_bg server "server,$2" || return 1
	rdma res show cm_id >"$T_TMP/cm_ids"
	# Some versions of rdma print an IPv6 address in brackets.
	grep 'state LISTEN' "$T_TMP/cm_ids" | tr -d '[]' | grep -qF "src-addr $1 " ||
		why "$(cat "$T_TMP/cm_ids")"
}
check "server,addr=10.0.0.9,port=19020 listens at this address and port" stopping listens 10.0.0.9:19020 addr=10.0.0.9,port=19020
check "server,addr6=fd00::9,port=19021 listens at this address and port" stopping listens fd00::9:19021 addr6=fd00::9,port=19021
check "a server without port= listens on port 9999" stopping listens "$ADDR:9999" "addr=$ADDR"
check "server,addr=0.0.0.0 listens on every address" stopping listens 0.0.0.0:19022 addr=0.0.0.0,port=19022
ip addr del 10.0.0.9/24 dev "$IF"
ip addr del fd00::9/64 dev "$IF"

check "tos=32: the connection manager has this type of service" has client "" count=2,tos=32 tos 32
check "tos=255: the connection manager has this type of service" has client "" count=2,tos=255 tos 255
check "a client without tos=: the connection manager has type of service 0" has client tos=32 count=2 tos 0

t_end
