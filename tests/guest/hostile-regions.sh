#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping withstands a client or a server that breaks the protocol of regions (memory that a
#   server exports to a client). A client may open its region to other clients. The device rejects a
#   WRITE with the key of another client, and a READ with a key to a region that was closed again.
# Requires: one guest
# Duration: 60 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# lib-peer.sh runs krping against krping-peer, a program that breaks the protocol on request
# (--fault). server_meets runs krping as the server, client_meets as the client. Their arguments:
# description; options of krping-peer; options of krping; errno or ok; words of krping's error; and,
# if given, status of the failed completion, and exit status of krping-peer.
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"

#
# krping is the server.
#

server_meets "a request before the server has advertised the client's region ends the connection" \
	'--test session --fault ask=early' 'export=64k' EPROTO 'before the advert of its region'
server_meets 'a second request before the answer to the first one ends the connection' \
	'--test session --fault ask=twice' 'export=64k' EPROTO 'before the answer to its last one'
server_meets 'a client that reads no answers is disconnected' \
	'--test session --fault ask=deaf' 'export=64k,timeout=2000' EPROTO/ETIMEDOUT ''
server_meets 'hundreds of requests, half of them nonsense, are answered' \
	'--test session --fault ask=nonsense' 'export=64k' ok ''

# silent_client: check that a server ends with ETIMEDOUT if its client sends no keep-alive messages, like a
# client that has died. krping-peer sends none while it waits for the file of --pause. Its READ afterwards
# may fail (status 1), because the connection has ended.
silent_client() {
	next_port
	rm -f "$T_TMP/go"
	kr_bg server "server,addr=$ADDR,port=$port,export=64k,timeout=$PATIENCE" &&
		peer_client silent --test session --pause "$T_TMP/go" &&
		until_ok "$PEER_WAIT" peer_says silent pause && kr_ended server ETIMEDOUT &&
		kr_detail_has 'the client was silent'
	_status=$?
	: >"$T_TMP/go"
	peer_ended silent 0/1 && [ $_status = 0 ] && kr_clean
}
check "regions: a silent client is removed within the timeout, and its region is freed" silent_client
kr_stop

#
# krping is the client. The server's first answer has the fault.
#

next_port

# answers WHAT OPTIONS ERRNO WORDS: check how the wrong answer WHAT ends a client with OPTIONS
answers() {
	next_port
	peer_start server server "$ADDR" "$port" --test session --fault "answer=$1" &&
		until_ok "$PEER_WAIT" peer_says server listening || return 1
	kr_fails "$3" "client,addr=$ADDR,port=$port,$2" && kr_detail_has "$4" &&
		peer_ended server 0/1 && kr_clean
}

# row WHAT OPTIONS ERRNO WORDS: check `answers` with these arguments under a name of its own; krping-peer has the
# fault answer=WHAT
row() {
	check "regions: ${2%%,*} ends with $3 if the fault of the server's answer is '$1'" answers "$@"
}

get=get,region=1,len=1,$PATIENT
row verdict "$get" EOPNOTSUPP 'does not know'
row empty "$get" EPROTO 'wrong list'
row size "$get" EPROTO 'wrong list'
row odd "$get" EPROTO 'wrong list'
row none "$get" EPROTO 'wrong list'
row huge "$get" EPROTO 'wrong list'
row id "$get" EPROTO 'answered for region 2'
row unasked "get,region=1,len=1,$PATIENT" EPROTO 'without a request'
row silent "get,region=1,len=1,timeout=$PATIENCE" ETIMEDOUT 'silent'
row odd "regions,$PATIENT" EPROTO 'open regions'
row long "regions,$PATIENT" EPROTO 'open regions'
row none "regions,$PATIENT" EPROTO 'open regions'
row empty "regions,$PATIENT" EPROTO 'open regions'

# works: check that a client succeeds if its server, krping-peer, has no fault
works() {
	next_port
	peer_start server server "$ADDR" "$port" --test session &&
		until_ok "$PEER_WAIT" peer_says server listening || return 1
	kr "client,addr=$ADDR,port=$port,$PATIENT,get,region=1,offset=4,len=4" && kr_returned ok &&
		peer_ended server
}
check "regions: get succeeds if the server's answer has no fault" works

# one_session: let the second connection of a session WRITE to the session's memory. Check that the device
# accepts the WRITE (`other` ends with 1), and that the first connection finds the memory changed (`first`
# ends with 1).
one_session() {
	next_port
	rm -f "$T_TMP/go"
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT,export=64k,clients=2" || return 1
	peer_client first --test session --session 77 --conns-total 2 --pause "$T_TMP/go" &&
		until_ok "$PEER_WAIT" peer_says first pause &&
		peer_client other --test session --session 77 --conn-idx 1 --conns-total 2 \
			--fault place=own && peer_ended other 1 &&
		peer_says other 'error: the device has accepted*' && : >"$T_TMP/go" &&
		peer_ended first 1 && peer_says first 'error: the region was changed'
}
check "regions: the connections of one session use the same memory" one_session
kr_stop

#
# Keys of an open region. rxe of 5.10 sends no NAK, so each WRITE or READ with a wrong key would wait for
# the end of its retries.
#

if provider_is rxe 5.10; then
	skip "regions: the device rejects wrong keys of an open region" \
		'rxe sends no NAK for a READ or WRITE'
	t_end
fi

# begin: start a server and a session, and open the session's region to all clients. Let another client
# (`user`) get an address and a key to this region. Set OWNER to the id of the session, and ADDRESS and KEY
# to what `user` has got. Once the file of --pause exists, `user` READs the region with this key, and ends:
# with 0 if the READ succeeds and returns zeros, else with 1.
begin() {
	next_port
	rm -f "$T_TMP/go"
	kr_bg server "server,addr=$ADDR,port=$port,clients=0,timeout=600000,export=64k" &&
		kr_bg owner "client,addr=$ADDR,port=$port,session,$PATIENT" || return 1
	OWNER=$(kr_get id)
	kr "open,id=$OWNER,rw" || return 1
	REGION=${KR_OUT#*"region id="}
	REGION=${REGION%% *}
	peer_client user --test session --fault "ask=$REGION" --pause "$T_TMP/go" &&
		until_ok "$PEER_WAIT" peer_says user pause || return 1
	ADDRESS=$(sed -n 's/.*piece addr=0x\([0-9a-f]*\) .*/\1/p' "$T_TMP/user.peer" | tail -n 1)
	KEY=$(sed -n 's/.*piece .*rkey=0x\([0-9a-f]*\) .*/\1/p' "$T_TMP/user.peer" | tail -n 1)
	[ "${ADDRESS:+$KEY}" ] || why "the output of the user has no key"
}

# intrudes ADDR RKEY: let a third client WRITE to ADDR. Check that the device rejects the WRITE: the client
# then ends with 0.
intrudes() {
	peer_client intruder --test session --fault "place=$1:$2" && peer_ended intruder
}

# unchanged: check that the owner reads zeros from the region
unchanged() {
	kr "get,id=$OWNER,len=64" && kr_has "hex=$(printf '%0128d' 0)"
}

# open_keys: check that the device rejects WRITEs of a third client with the user's key and with other
# versions of it (the low byte)
open_keys() {
	begin || return 1
	_base=$((0x$KEY & 0xffffff00))
	for _v in $((0x$KEY & 255)) 0 1 2 3 4 5 6 7 8 9 128 255; do
		intrudes "$ADDRESS" "$(printf %x $((_base + _v)))" || return 1
	done
	: >"$T_TMP/go"
	unchanged && peer_ended user && kr stop && kr_clean
}
check "regions: a client cannot WRITE to an open region with the key of another client" open_keys
kr_stop

# closed_keys: check that the device rejects the READ of `user` after the region was closed
closed_keys() {
	begin && kr "close,id=$OWNER" && : >"$T_TMP/go" && peer_ended user 1 && unchanged
}
check "regions: the device rejects a READ with the key to a region that was closed" closed_keys
kr_stop

# stays: check that the READ of `user` succeeds while the region is open (control of closed_keys)
stays() {
	begin && : >"$T_TMP/go" && peer_ended user && unchanged
}
check "regions: a READ with the key to a region succeeds while the region is open" stays
kr_stop

t_end
