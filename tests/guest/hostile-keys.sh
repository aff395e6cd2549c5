#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A client of a server that exports memory guesses keys, addresses and lengths
#   of another client's region. The device rejects each guess, and the region stays unchanged.
# Requires: one guest
# Duration: 40 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# lib-peer.sh runs krping against krping-peer, a program that breaks the protocol on request (--fault).
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"

# rxe of 5.10 sends no NAK, so each guess waits for the end of its retries.
if provider_is rxe 5.10; then
	skip "keys: a client guesses the key of another client's region" \
		'rxe sends no NAK for a READ or WRITE'
	t_end
fi

next_port

# begin OPTIONS: start a server and a client, the victim; set ADDRESS and KEY to the address and key of
# the victim's region
begin() {
	next_port
	rm -f "$T_TMP/go"
	kr_bg server "server,addr=$ADDR,port=$port,clients=0,timeout=600000,export=64k$1" &&
		peer_client victim --test session --timeout 900 --pause "$T_TMP/go" &&
		until_ok "$PEER_WAIT" peer_says victim pause || return 1
	ADDRESS=$(sed -n 's/.*piece addr=0x\([0-9a-f]*\) .*/\1/p' "$T_TMP/victim.peer")
	KEY=$(sed -n 's/.*piece .*rkey=0x\([0-9a-f]*\) .*/\1/p' "$T_TMP/victim.peer")
	[ "${ADDRESS:+$KEY}" ] || why "the log of the victim has no key"
}

# intrudes ADDR RKEY: let another client post a WRITE to ADDR, and check that the device rejects the WRITE;
# the client then ends with status 0
intrudes() {
	peer_client intruder --test session --fault "place=$1:$2" && peer_ended intruder
}

# unchanged: check that the victim still READs zeros; end all tests
unchanged() {
	: >"$T_TMP/go"
	peer_ended victim
	_victim=$?
	kr stop && kr_clean && [ $_victim = 0 ]
}

# accepted: let a client WRITE with its own key, to prove that a guess could succeed. Check that the device
# accepts the WRITE (the client then ends with status 1), and that the victim's region is unchanged.
accepted() {
	begin '' && peer_client intruder --test session --fault place=own && peer_ended intruder 1 &&
		peer_says intruder 'error: the device has accepted a WRITE*' && unchanged
}
check "keys: the device accepts a client's own key (control of the guesses)" accepted
kr_stop

# versions OPTIONS: check that all versions of the victim's key (all values of its low byte) are rejected
versions() {
	begin "$1" || return 1
	_base=$(printf %x $((0x$KEY & 0xffffff00)))
	_v=0
	while [ $_v -lt 256 ]; do
		intrudes "$ADDRESS" "$(printf %x $((0x$_base + _v)))" || {
			kr_stop
			return 1
		}
		_v=$((_v + 1))
	done
	unchanged
}
check_within 900 "keys: all 256 versions of the key of another client's region are rejected" versions ''

# neighbours: check that the keys of MRs with the next lower and higher indexes (the bits above the version) are
# rejected
neighbours() {
	begin '' || return 1
	for _d in -3 -2 -1 1 2 3; do
		intrudes "$ADDRESS" "$(printf %x $(((0x$KEY + _d * 256) & 0xffffffff)))" || return 1
	done
	unchanged
}
check "keys: the keys of neighbouring MRs are rejected" neighbours
kr_stop

# Check that the versions of the keys of eight clients have no constant distance.
unpredictable() {
	next_port
	kr_bg server "server,addr=$ADDR,port=$port,clients=0,export=64k" || return 1
	_i=0 _versions=
	while [ $_i -lt 8 ]; do
		_i=$((_i + 1))
		peer_client "client$_i" --test session && peer_ended "client$_i" || return 1
		_key=$(sed -n 's/.*piece .*rkey=0x\([0-9a-f]*\) .*/\1/p' "$T_TMP/client$_i.peer")
		[ "$_key" ] || why "the output of client $_i has no key" || return 1
		_versions="$_versions $((0x$_key & 255))"
	done
	_steps=$(echo "$_versions" | awk '{ for (i = 2; i <= NF; i++) seen[($i - $(i - 1) + 256) % 256]
		for (s in seen) n++; print n }')
	[ "$_steps" -gt 1 ] || why "the versions of eight keys are$_versions" || return 1
	kr stop && kr_clean
}
check "keys: the key of a client cannot be computed from the keys of earlier clients" unpredictable
kr_stop

# addresses: check that the victim's key is rejected with addresses outside the victim's region
addresses() {
	begin '' || return 1
	for _a in 0 1 ffffffffffffffff 7fffffffffffffff ffff888000000000 "$(printf %x $((0x$ADDRESS + 65536)))"; do
		intrudes "$_a" "$KEY" || return 1
	done
	unchanged
}
check "keys: the key of another client's region is rejected at addresses outside the region" addresses
kr_stop

# own: check that a client with its own key can neither WRITE to a read-only region nor READ beyond the
# region's end
own() {
	next_port
	kr_bg server "server,addr=$ADDR,port=$port,clients=0,export=64k,ro" || return 1
	! kr "client,addr=$ADDR,port=$port,put,data=x,unchecked" &&
		kr "client,addr=$ADDR,port=$port,get,len=1" && kr_has 'hex=00' || return 1
	! kr "client,addr=$ADDR,port=$port,get,offset=65530,len=10,unchecked" &&
		! kr "client,addr=$ADDR,port=$port,get,offset=1g,len=1,unchecked" && kr stop && kr_clean
}
check "keys: a client's own key permits no WRITE if the server has ro, and no READ beyond the region" own
kr_stop

t_end
