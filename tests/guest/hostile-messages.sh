#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping ends a ping test with the right error if a message has a wrong length, size,
#   address or key, is unexpected, or arrives after a disconnect.
# Requires: one guest
# Duration: 9 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# lib-peer.sh runs krping against krping-peer, a program that breaks the protocol on request
# (--fault). server_meets runs krping as the server, client_meets as the client. Their arguments:
# description; options of krping-peer; options of krping; errno or ok; words of krping's error; and,
# if given, status of the failed completion, and exit status of krping-peer.
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"

#
# Valid adverts of a client: a source of 1 to 64 bytes (the negotiated size), then a sink of at
# least as many bytes.
#

for length in 0 8 17 64; do
	server_meets "a message of $length bytes: EPROTO" "--count 3 --fault length=$length" '' \
		EPROTO "a message of $length bytes instead of 16"
done
server_meets 'a message of 17 bytes in iteration 2, polling: EPROTO' '--count 3 --at 2 --fault length=17' \
	poll EPROTO 'a message of 17 bytes instead of 16'
server_meets 'a message of 200 bytes, longer than the RECV: EPROTO' '--count 3 --fault length=200' '' \
	EPROTO 'too long'
for size in 0 65 4294967295; do
	server_meets "a source of $size bytes: EPROTO" "--count 3 --fault size=$size" '' \
		EPROTO "a source of $size bytes"
done
for size in '0 bytes' '1 byte' '63 bytes'; do
	server_meets "a sink of $size: EPROTO" \
		"--count 3 --fault sink=${size% *}" '' EPROTO "a sink of $size at"
done
# A large sink is valid. krping-peer ends with status 1, because nothing notices its fault.
server_meets 'a sink of 4294967295 bytes, larger than needed: no error' \
	'--count 3 --fault sink=4294967295' '' ok '' '' 1
server_meets 'address 0 and key 0: EPROTO' '--count 3 --fault zero' '' EPROTO 'at 0x0'
server_meets 'address 0 and key 0 in iteration 1: EPROTO' '--count 3 --at 1 --fault zero' '' EPROTO 'at 0x0'
server_meets 'an old client with more bytes than the protocol of rping allows: EPROTO' \
	'--old --size 65537' '' \
	EPROTO 'a source of 65537 bytes' '' 1
server_meets "an old client with more bytes than the server's size=: EPROTO" '--old --size 65' size=64 \
	EPROTO 'a source of 65 bytes' '' 1

case $TYPE in
siw) key_errno=ECONNRESET key_words='' key_status='' ;;
*) key_errno=EIO key_words='remote access error' key_status=$key_words ;;
esac
no_nak='rxe sends no NAK for a READ or WRITE'
for mode in 'mem_mode=dma' 'mem_mode=reg' local_dma_lkey; do
	known_fault rxe 5.10 "server: a key that does not exist, $mode: $key_errno" "$no_nak" ||
		server_meets "a key that does not exist, $mode: $key_errno" \
			'--count 3 --at 1 --fault rkey=first' $mode $key_errno "$key_words" "$key_status"
done

# Only their order distinguishes adverts, so the server takes the second copy for the next advert, and
# waits in vain for the last advert.
server_meets 'the same advert twice: ETIMEDOUT' '--count 3 --fault twice' '' ETIMEDOUT 'silent'

# Each of the four errors below is right. With 100 iterations, the server cannot end without an error
# before the 15th message.
server_meets '15 messages without waiting for an answer' '--count 100 --fault burst=15' '' \
	EPROTO/EIO/ECONNRESET/ETIMEDOUT ''

# krping disconnects after the wrong message, and the peer continues to send.
no_end='rxe posts a SEND without end if the other QP is in error: soft lockup'
for how in '' poll; do
	behind="messages that follow the disconnect${how:+, polling}: EPROTO"
	known_fault rxe 5.10 "server: $behind" "$no_end" ||
		server_meets "$behind" '--count 3 --fault talk=500' "$how" \
			EPROTO 'a message of 8 bytes instead of 16'
	known_fault rxe 5.10 "client: $behind" "$no_end" ||
		client_meets "$behind" '--fault talk=500' "$how" \
			EPROTO 'a message of 8 bytes instead of 16'
done

t_end
