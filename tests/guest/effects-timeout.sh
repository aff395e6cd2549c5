#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: timeout= bounds how long a test waits for an address, for a connection, and for the
#   peer's messages. A server waits for its first client without a bound.
# Requires: one guest
# Duration: 18 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"
# shellcheck source=clock.inc
. "${0%/*}/clock.inc"

# SHORT is below the default timeout of 5 s, LONG above it. The tests run at once, except those of
# `dead`, which need an interface without ARP, while those of `arp` need ARP.
SHORT=1000 SHORT_MAX=3500
LONG=12000 LONG_MAX=40000
PATIENCE_MS="$SHORT $LONG"

# silent_server NAME MS STAGE [OPTIONS]: start a client whose server is silent from STAGE on
silent_server() {
	peer_server "peer_$1$2" --fault silent="$3"
	timed "$1$2" "client,addr=$ADDR,port=$port,timeout=$2${4:+,$4}" "peer_$1$2"
}

# silent_client NAME MS STAGE [OPTIONS]: start a server whose client is silent from STAGE on
silent_client() {
	next_port
	timed "$1$2" "server,addr=$ADDR,port=$port,timeout=$2${4:+,$4}" "peer_$1$2"
	until_ok 60 listener_on
	peer_client "peer_$1$2" --count 3 --fault silent="$3"
}

# begin NAME MS: start the test NAME with timeout=MS
begin() {
	case $1 in
	# No host has this address. The kernel gives up its resolution after 3 s, and krping retries.
	arp) timed "arp$2" "client,addr=10.0.0.$((90 + $2 / 1000)),timeout=$2,count=1" ;;
	connecting) silent_server "$1" "$2" request ;;
	first) silent_server "$1" "$2" first ;;
	second) silent_server "$1" "$2" second ;;
	polled) silent_server "$1" "$2" first poll ;;
	bench) silent_server "$1" "$2" first slat ;;
	served) silent_client "$1" "$2" first ;;
	served_poll) silent_client "$1" "$2" first poll ;;
	# A dummy interface without ARP resolves any address. The REQ or SYN then has no answer.
	dead) timed "dead$2" "client,addr=10.0.0.77,timeout=$2,count=1" ;;
	esac
}

# peer_gone NAME MS: end the krping-peer of the test NAME with timeout=MS, and remove its output
peer_gone() {
	rm -f "$T_TMP/peer_$1$2.peer"
	eval "pid=\${peer_pid_peer_$1$2-}"
	[ -z "$pid" ] || kill "$pid" 2>/dev/null
}

ip link set "$IF" arp on
kinds='first second polled bench served served_poll'
[ "$TYPE" = siw ] || kinds="connecting $kinds"
for kind in arp $kinds; do
	for ms in $PATIENCE_MS; do
		begin "$kind" "$ms"
	done
done

# A server waits for a client without a bound.
next_port
kr_bg idle "server,addr=$ADDR,port=$port,timeout=$SHORT"

# waited_short NAME ERRNO WORDS: check the test NAME with timeout=SHORT as waited does. All tests begin
# at once, and a busy machine may be late. So if a check fails, repeat the test alone, at most twice.
waited_short() {
	for _attempt in 1 2 3; do
		waited "$1$SHORT" "$2" $SHORT $SHORT_MAX "$3" && return 0
		[ $_attempt != 3 ] || return 1
		diag "attempt $_attempt: $T_WHY"
		peer_gone "$1" $SHORT
		begin "$1" $SHORT
	done
}

# judged WHAT NAME ERRNO WORDS: check the tests NAME with timeout=SHORT and timeout=LONG
judged() {
	check "timeout=$SHORT: $1 ends after 1 s" waited_short "$2" "$3" "$4"
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
	for kind in $kinds; do
		peer_gone "$kind" "$ms"
	done
done
check "tests that timed out leave no test or object" kr_clean

for ms in $PATIENCE_MS; do
	begin dead "$ms"
done
judged "connecting to an address without a host" dead ETIMEDOUT "connecting took longer"
t_end
