#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: timeout= bounds each wait of a test: for an address, for a connection, for the
#   peer's messages. A server waits for its first client without a bound.
# Requires: one guest
# Duration: 18 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"
# shellcheck source=clock.inc
. "${0%/*}/clock.inc"

# The default timeout is 5 s: one value is shorter and one is longer. All tests run at once.
SHORT=1000 SHORT_MAX=3500
LONG=12000 LONG_MAX=40000
PATIENCE_MS="$SHORT $LONG"

# Address resolution without an answer: the kernel gives up after 3 s, and krping retries.
ip link set "$IF" arp on
for ms in $PATIENCE_MS; do
	timed "arp$ms" "client,addr=10.0.0.$((90 + ms / 1000)),timeout=$ms,count=1"
done

# silent_server NAME STAGE [OPTIONS]: clients whose server is silent from STAGE on
silent_server() {
	for ms in $PATIENCE_MS; do
		peer_server "peer_$1$ms" --fault silent="$2"
		timed "$1$ms" "client,addr=$ADDR,port=$port,timeout=$ms${3:+,$3}" "peer_$1$ms"
	done
}
[ "$TYPE" = siw ] || silent_server connecting request
silent_server first first
silent_server second second
silent_server polled first poll
silent_server bench first slat

# silent_client NAME STAGE [OPTIONS]: servers whose client is silent from STAGE on
silent_client() {
	for ms in $PATIENCE_MS; do
		next_port
		timed "$1$ms" "server,addr=$ADDR,port=$port,timeout=$ms${3:+,$3}" "peer_$1$ms"
		until_ok 60 listener_on
		peer_client "peer_$1$ms" --count 3 --fault silent="$2"
	done
}
silent_client served first
silent_client served_poll first poll

# A server waits for a client without a bound.
next_port
kr_bg idle "server,addr=$ADDR,port=$port,timeout=$SHORT"

# judged WHAT NAME ERRNO WORDS: check both tests of NAME
judged() {
	check "timeout=$SHORT: $1 ends after 1 s" waited "$2$SHORT" "$3" $SHORT $SHORT_MAX "$4"
	check "timeout=$LONG: $1 ends after 12 s" waited "$2$LONG" "$3" $LONG $LONG_MAX "$4"
}
judged "resolving an address without a host" arp ETIMEDOUT "resolution took longer"
if [ "$TYPE" = siw ]; then
	skip "timeout: connecting to a server that is silent" \
		"siw bounds this wait by its own timer"
else
	judged "connecting to a server that is silent" connecting ETIMEDOUT "connecting took longer"
fi
judged "a client whose server is silent" first ETIMEDOUT "the peer was silent"
judged "a client whose server is silent in the middle" second ETIMEDOUT "the peer was silent"
judged "a polling client whose server is silent" polled ETIMEDOUT "the peer was silent"
judged "a client of slat whose server is silent" bench ETIMEDOUT "the peer was silent"
judged "a server whose client is silent" served ETIMEDOUT "the peer was silent"
judged "a polling server whose client is silent" served_poll ETIMEDOUT "the peer was silent"
ip link set "$IF" arp off

idles() {
	kr_result idle
	kr_is status running
}
check "timeout=$SHORT: a listening server still listens after 12 s" idles
kr_stop
kr_wait idle
for ms in $PATIENCE_MS; do
	for kind in connecting first second polled bench served served_poll; do
		eval "pid=\${peer_pid_peer_$kind$ms-}"
		[ -z "$pid" ] || kill "$pid" 2>/dev/null
	done
done
check "tests that timed out leave no test or object" kr_clean

# A dummy interface has no ARP: the address resolves, and the REQ or SYN has no answer.
for ms in $PATIENCE_MS; do
	timed "dead$ms" "client,addr=10.0.0.77,timeout=$ms,count=1"
done
judged "connecting to an address without a host" dead ETIMEDOUT "connecting took longer"
t_end
