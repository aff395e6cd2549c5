#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A case of the test conform whose client cannot connect, because the network loses all SYNs,
#   fails after 15 s. Meanwhile a stop and a signal end the run at once. The control connection stays intact.
# Requires: one guest
# Duration: 30 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

port=19400
# Address of the client, so that the rule of lose_syns matches no packet to the client.
SOURCE=10.0.0.3

# Limit in seconds for the end of a run that has been stopped; the bound of rdma_connect() is 15 s.
PROMPT=10

if [ "$TYPE" != siw ]; then
	skip "conform: a case whose SYNs are lost fails after 15 s" "$TYPE uses no TCP"
	t_end
	exit
fi

# lose_syns: lose all TCP packets to the ports on which the server listens for the QPs of cases. The interface is
# a dummy without ARP, which drops all packets.
lose_syns() {
	# A read of less than the whole file ends it, so use no `read`, which reads single bytes.
	_ports=$(tr -s '[:space:]' - </proc/sys/net/ipv4/ip_local_port_range)
	ip route add "$ADDR" dev "$IF" src $SOURCE table 77 &&
		ip rule add pref 10 lookup local && ip rule del pref 0 &&
		ip rule add pref 1 to "$ADDR" ipproto 6 dport "${_ports%-}" lookup 77
}

# keep_syns: undo lose_syns
keep_syns() {
	ip rule add pref 0 lookup local
	ip rule del pref 1
	ip rule del pref 10
	ip route flush table 77
	ip addr del $SOURCE/24 dev "$IF"
}
ip addr add $SOURCE/24 dev "$IF"
T_AT_END=keep_syns

OPTIONS="source=$SOURCE,$PATIENT,conform,case=zero_write_bad_key"

serve() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT"
}

# in_connect: check that the client's thread waits for TCP
in_connect() {
	kr_thread "$_id" && { grep -q inet_stream_connect "/proc/$KR_PID/stack" || why "$(cat "/proc/$KR_PID/stack")"; }
}

# connecting: wait until the client calls rdma_connect() for a case
connecting() {
	kr_result client && _id=$(kr_get id) && until_ok 60 in_connect
}

reached() {
	serve && kr "client,addr=$ADDR,port=$port,$OPTIONS" && kr_has "conform ok=1" && kr_ended server ok
}
check "conform: the case passes while the network loses nothing" reached

check "the network loses all SYNs to the ports of cases" lose_syns

fails() {
	serve && kr_bg client "client,addr=$ADDR,port=$port,$OPTIONS" && kr_ended client EIO 40 && kr_has "verdict=failed" && kr_has "error=110" &&
		kr_ended server ok && kr_clean
}
check "conform: a case whose SYNs are lost fails after 15 s" fails
kr_stop

stopped() {
	serve && kr_bg client "client,addr=$ADDR,port=$port,$OPTIONS" && connecting &&
		kr "stop,id=$_id" && kr_ended client ECANCELED $PROMPT && kr_ended server ok && kr_clean
}
check "conform: a stop ends the connecting of a case" stopped
kr_stop

interrupted() {
	serve && _id=$(($(kr_get id) + 1)) || return 1
	# With signal=15:1000000, kwrite handles SIGTERM. Its own timer would send SIGTERM only after 1000 s.
	kr_spawn client signal=15:1000000 "write=client,addr=$ADDR,port=$port,$OPTIONS" read
	_client=$!
	until_ok 60 in_connect && kill -TERM $_client && kr_ended client EINTR $PROMPT &&
		kr_ended server ok && kr_clean
}
check "conform: a signal to the writer ends the connecting of a case" interrupted

t_end
