#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# A server on a port that anybody can reach: clients that do not keep to the
# protocol, that ask for nonsense, that vanish, and many at once.

# shellcheck source=../lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"

#
# Messages. The advertisement of a source is 1 to 64 bytes, as agreed; that of a
# sink at least what was read.
#

for length in 0 8 17 64; do
	server_meets "a message of $length bytes" "--count 3 --fault length=$length" '' \
		EPROTO "a message of $length bytes instead of 16"
done
server_meets 'a message of 17 bytes, later, polling' '--count 3 --at 2 --fault length=17' \
	poll EPROTO 'a message of 17 bytes instead of 16'
server_meets 'a message of 200 bytes, longer than the RECV' '--count 3 --fault length=200' '' \
	EPROTO 'too long'
for size in 0 65 4294967295; do
	server_meets "a source of $size bytes" "--count 3 --fault size=$size" '' \
		EPROTO "a source of $size bytes"
done
for size in 0 1 63; do
	server_meets "a sink of $size bytes" "--count 3 --fault sink=$size" '' \
		EPROTO "a sink of $size bytes"
done
server_meets 'address 0 and key 0' '--count 3 --fault zero' '' EPROTO 'at 0x0'
server_meets 'address 0 and key 0, later' '--count 3 --at 1 --fault zero' '' EPROTO 'at 0x0'
server_meets 'more than an old client may have' '--old --size 65537' '' \
	EPROTO 'a source of 65537 bytes' '' 1
server_meets 'more than the server was told' '--old --size 65' size=64 \
	EPROTO 'a source of 65 bytes' '' 1

case $TYPE in
siw) key_errno=ECONNRESET key_words='' key_status='' ;;
*) key_errno=EIO key_words='remote access error' key_status=$key_words ;;
esac
for mode in 'mem_mode=dma' 'mem_mode=reg' local_dma_lkey; do
	server_meets "a key that does not exist, $mode" '--count 3 --at 1 --fault rkey=first' \
		$mode $key_errno "$key_words" "$key_status"
done

# Which message it is, nothing but its turn tells: what comes too early is taken
# for the next, and at last the server waits in vain.
server_meets 'an advertisement two times' '--count 3 --fault twice' '' ETIMEDOUT 'silent'

# burst_ends: any error is right that the provider may give
burst_ends() {
	kr_wait server $PEER_WAIT && peer_ended c || return 1
	case $KR_ERRNO in
	EPROTO | EIO | ECONNRESET | ETIMEDOUT) one_line server && kr_clean ;;
	*) why "errno is $KR_ERRNO" ;;
	esac
}
klog_mark
next_port
kr_fg server "server,addr=$ADDR,port=$port,timeout=$PATIENCE"
until_ok $PEER_WAIT listening
peer_client c --fault burst=15
check 'server: many messages that nobody waited for' burst_ends

#
# Requests that are turned away. One server meets them all, and then serves the
# client that it was waiting for.
#

# at_most_one_word: the log is not flooded; its limit may have come
at_most_one_word() {
	[ "$(klog_count 'a client was turned away')" -le 1 ] ||
		why 'there are more log lines than one'
}

# turned_away WHAT REASON [LIMIT]
turned_away() {
	peer_ended c && peer_says c "rejected version=1 reason=$2 limit=${3-0}\$" &&
		at_most_one_word && listening
}

# ask WHAT REASON [LIMIT]
ask() {
	klog_mark
	peer_client c --count 3 --fault "req=$1"
	check "server: a request whose private data is: $1" turned_away "$@"
}

next_port
kr_bg server "server,addr=$ADDR,port=$port,size=64,timeout=$PATIENCE"
ask version 2 1
ask garbage 2 1
for what in truncated test flags zero huge; do
	ask $what 3
done
ask size 5 64
ask large 5 64
case $TYPE in
# RoCE pads it with zeros: another version
rxe) ask magic 2 1 ;;
# iWARP does not pad
siw)
	ask magic 3
	ask short 3
	;;
esac
peer_client c --count 3
check 'server: then it serves one that makes sense' peer_ended c
check 'server: and ends' kr_ended server ok

# A test that has a number and that the module cannot run: the server is whole
# afterwards, which its end shows.
next_port
kr_bg server "server,addr=$ADDR,port=$port"
klog_mark
peer_client c --fault req=unbuilt
check 'server: a test that is not built' turned_away unbuilt 6
kr stop
check 'server: and can be stopped then' kr_ended server ECANCELED

# With no size of its own it has a limit nevertheless, that of the device.
next_port
kr_bg server "server,addr=$ADDR,port=$port"
klog_mark
peer_client c --fault req=large
too_large() {
	peer_ended c && peer_says c 'rejected version=1 reason=5 limit=[1-9]' && listening
}
check 'server: more than the device can do' too_large
kr stop

#
# Clients that do not wait to be served
#

vanished() {
	kr_wait server $PEER_WAIT || return 1
	case $KR_ERRNO in
	ECONNRESET | ETIMEDOUT) one_line server && kr_clean ;;
	*) why "errno is $KR_ERRNO" ;;
	esac
}
for end in exit kill; do
	for i in 1 2 3; do
		klog_mark
		next_port
		kr_fg server "server,addr=$ADDR,port=$port,timeout=$PATIENCE"
		until_ok $PEER_WAIT listening
		peer_client c --fault $end=request
		check "server: the client has asked, and ends by $end ($i)" vanished
	done
done

#
# A busy server
#

client_moves() {
	kr_result client && kr_is status running || return 1
	_was=$_now
	_now=$(kr_get iterations)
	[ "${_now:-0}" -gt "${_was:-0}" ]
}

undisturbed() {
	peer_ended c && peer_says c 'flood=24 answers=24 busy=24' &&
		until_ok 20 client_moves
}

_now=0
next_port
klog_mark
kr_bg server "server,addr=$ADDR,port=$port"
kr_bg client "client,addr=$ADDR,port=$port,validate,size=1000"
until_ok $PEER_WAIT client_moves
peer_client c --flood 24
check 'server: two dozen more clients while it has one' undisturbed
client_id=$(kr_get id)
peer_client c --flood 24 --old
check 'server: two dozen old clients while it has one' undisturbed
kr "stop,id=$client_id"
check 'client: it was running to the end' kr_ended client ECANCELED
check 'server: it too' kr_ended server ok
check 'server: no word about it in the log' no_line server

t_end
