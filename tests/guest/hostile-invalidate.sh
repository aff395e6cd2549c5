#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A peer sends SEND_WITH_INV with a key that does not exist, or with the key of another
#   buffer or connection. If the device rejects the SEND_WITH_INV, only the test that should receive it
#   fails. If the device invalidates the key, only the test that uses the key fails.
# Requires: one guest
# Duration: 5 s on rxe, 4 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# lib-peer.sh runs krping against krping-peer, a program that breaks the protocol on request
# (--fault). server_meets runs krping as the server, client_meets as the client. Their arguments:
# description; options of krping-peer; options of krping; errno or ok; words of krping's error; and,
# if given, status of the failed completion, and exit status of krping-peer.
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"
# shellcheck source=background.inc
. "${0%/*}/background.inc"

beside_begin

invalid='remote invalid request error'
case $(uname -r) in
5.10.*) invalid='invalid request error' ;;
esac
# The reason that known_fault gives if it skips a check
nothing='rxe completes neither the SEND_WITH_INV nor the RECV'
for mode in mem_mode=dma mem_mode=reg; do
	no_key="the peer invalidates a key that does not exist, $mode: EIO"
	known_fault rxe 5.10 "server: $no_key" "$nothing" ||
		server_meets "$no_key" '--count 3 --at 1 --fault inv=none' $mode \
			EIO 'RECV failed' "$invalid"
	known_fault rxe 5.10 "client: $no_key" "$nothing" ||
		client_meets "$no_key" '--at 1 --fault inv=none' $mode \
			EIO 'RECV failed' "$invalid"
done
client_meets "the server invalidates the client's key, although server_inv is not set: no error" \
	'--at 1 --fault inv=own' mem_mode=reg ok
client_meets "the server invalidates the key of the client's other buffer: no error" \
	'--at 1 --fault inv=stale' mem_mode=reg ok
server_meets "the client invalidates the key of the server's buffer: no error" \
	'--test bw --count 3 --fault inv=own' \
	'' ok
# With mem_mode=dma a client advertises the global key of its PD.
case $TYPE in
# rxe rejects the SEND_WITH_INV. rxe of 5.10 invalidates the key first, and the next SEND fails.
rxe)
	set -- 'RECV failed' 'remote invalid request error'
	! provider_is rxe 5.10 || set -- 'SEND failed' 'local protection error'
	client_meets "the server invalidates the client's global key: EIO" \
		'--at 1 --fault inv=own' mem_mode=dma \
		EIO "$1" "$2" 0/1
	;;
# siw invalidates the key. Only this connection uses the key, because each connection has a PD of its own.
siw)
	client_meets "the server invalidates the client's global key: ECONNRESET or EIO" \
		'--at 1 --fault inv=own' mem_mode=dma \
		ECONNRESET/EIO '' '' 0/1
	;;
esac
cases_run
check 'a pair in the background keeps running while peers invalidate keys' undisturbed

# The server `victim` advertises a key to its client v. Then c, the client of another server (server2),
# invalidates this key.
next_port
kr_bg victim "server,addr=$ADDR,port=$port,$PATIENT"
peer_client v --test bw --count 3 --pause "$T_TMP/go"
until_ok $PEER_WAIT peer_says v pause
key=$(sed -n 's/.*buffer advert .* rkey=\(0x[0-9a-f]*\) .*/\1/p' "$T_TMP/v.peer")
next_port
kr_bg server2 "server,addr=$ADDR,port=$port,$PATIENT"
peer_client c --count 3 --fault "inv=$key"

# spared: check that the device has rejected the SEND_WITH_INV, and that only the connection of c and
# server2 has failed
spared() {
	kr_ended server2 EIO && kr_detail_has 'RECV failed' &&
		peer_ended v && kr_ended victim ok
}

# key_lost: check that only the connection of v and `victim` has failed, because the device has
# invalidated their key. krping cannot prevent this.
key_lost() {
	diag "$TYPE lets a peer invalidate the key of another connection"
	kr_ended server2 ok && peer_ended v 1 && kr_wait victim && kr_errno || return 1
	case $KR_ERRNO in
	EIO | ECONNRESET) ;;
	*) why "errno is $KR_ERRNO" ;;
	esac
}

# other_key: check the effects of the SEND_WITH_INV of c. The exit status of c is 0 if the device has
# rejected the SEND_WITH_INV, and 1 if the device has accepted it. Only rxe may accept it: see
# Documentation/security.md.
other_key() {
	[ "${key:-0x0}" != 0x0 ] || {
		why 'the server has sent no advert with a key'
		return 1
	}
	peer_ended c 0/1 || return 1
	_minded=$_rc
	: >"$T_TMP/go"
	case $TYPE,$_minded in
	*,0) spared ;;
	rxe,1) key_lost ;;
	*) why "$TYPE has accepted an invalidation of a key of another protection domain" ;;
	esac
}
check "server: an invalidation of another connection's key ends only one of the two connections" other_key
check 'no test or object is left after a foreign key was invalidated' kr_clean
check 'a pair in the background keeps running after a foreign key was invalidated' undisturbed
beside_end

t_end
