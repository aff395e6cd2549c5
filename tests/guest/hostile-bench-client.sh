#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The server of a microbenchmark ends with the right error when its client sends an
#   invalid buffer advert, invalid data or unexpected control messages, or vanishes.
# Requires: one guest with any device
# Duration: 26 s on rxe, 29 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# lib-peer.sh runs krping against krping-peer, a program that breaks the protocol on request
# (--fault). server_meets runs krping as the server, client_meets as the client. Their arguments:
# description; options of krping-peer; options of krping; errno or ok; words of krping's error; and,
# if given, status of the failed completion, and exit status of krping-peer.
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"

case $TYPE in
siw) key_errno=ECONNRESET key_words='' key_status='' ;;
*) key_errno=EIO key_words='remote access error' key_status=$key_words ;;
esac
no_nak='rxe sends no NAK for a READ or WRITE'

# finished ITERATIONS: check that krping's report to the client has ITERATIONS
finished() {
	peer_says "$CASE" "report iterations=$1 nsec=given *"
}
for test in wlat rlat slat bw rbw sbw fr; do
	server_meets "a client of $test: no error" "--test $test --count 20" '' ok
	server_meets "a client of $test, polling: no error" "--test $test --count 20" poll ok
done
server_meets 'a client of sbw that checks the report: no error' '--test sbw --count 20' '' ok
also "client: the report of the server counts all 20 messages of sbw" finished 20

server_meets 'buffer advert: no buffer: EPROTO' '--test wlat --fault advert=zero' '' \
	EPROTO 'a buffer of 0 bytes at 0x0; 64 bytes would be right'
server_meets 'buffer advert: a buffer that is too small: EPROTO' '--test wlat --fault advert=small' '' \
	EPROTO 'a buffer of 63 bytes'
server_meets 'buffer advert: a buffer that is larger than needed: no error' \
	'--test wlat --count 5 --fault advert=huge' '' ok
# After this fault krping-peer does operations, so the loss of the connection is an error (status 1).
known_fault rxe 5.10 "server: buffer advert: a key that does not exist: $key_errno" "$no_nak" ||
	server_meets "buffer advert: a key that does not exist: $key_errno" \
		'--test wlat --count 5 --fault advert=key' '' \
		$key_errno "$key_words" "$key_status" 1
for test in wlat sbw; do
	server_meets "buffer advert, cut off, $test: EPROTO" "--test $test --fault advert=short" '' \
		EPROTO 'unexpected data'
	server_meets "buffer advert, twice, $test: EPROTO" "--test $test --fault advert=twice" '' \
		EPROTO 'an unexpected control message of type 4'
	for what in 'finish 1' 'credit 2' 'report 3'; do
		server_meets "${what% ?} before the buffer advert, $test: EPROTO" \
			"--test $test --fault ctl-second=${what% ?}" '' \
			EPROTO "an unexpected control message of type ${what#* }"
	done
	server_meets "finish, too long, before the buffer advert, $test: EPROTO" \
		"--test $test --fault ctl-second=long" '' EPROTO 'unexpected data'
done
for test in wlat rlat slat bw rbw sbw fr; do
	server_meets "data before the buffer advert, $test: EPROTO" "--test $test --fault early" '' \
		EPROTO 'unexpected data'
done
for test in slat sbw; do
	for length in 0 63 65; do
		server_meets "data of $length bytes, $test: EPROTO" \
			"--test $test --count 5 --at 2 --fault length=$length" '' \
			EPROTO "a message of $length bytes instead of 64"
	done
	server_meets "data of 200 bytes, longer than the RECV, $test: EPROTO" \
		"--test $test --count 5 --at 2 --fault length=200" '' EPROTO 'too long'
	server_meets "a control message of an unknown type, $test: EPROTO" \
		"--test $test --count 5 --at 2 --fault ctl=garbage" '' \
		EPROTO 'a message of 16 bytes instead of 64'
done
for test in wlat rlat bw rbw fr; do
	server_meets "a data message in a test without data messages, $test: EPROTO" \
		"--test $test --count 5 --at 2 --fault length=64" '' EPROTO 'unexpected data'
done
for test in wlat rlat sbw; do
	for what in 'report 3' 'advert 4'; do
		server_meets "${what% ?} during the operations, $test: EPROTO" \
			"--test $test --count 5 --at 2 --fault ctl=${what% ?}" '' \
			EPROTO "an unexpected control message of type ${what#* }"
	done
	server_meets "the client is silent during the operations, $test: ETIMEDOUT" \
		"--test $test --count 5 --at 2 --fault silent=first" '' \
		ETIMEDOUT silent
	server_meets "finish before the last operation, $test: no error" \
		"--test $test --count 5 --at 2 --fault ctl=finish" timeout=$PATIENCE ok
done
for test in wlat rbw sbw; do
	server_meets "the client vanishes before the buffer advert, $test: ECONNRESET" \
		"--test $test --fault exit=connect" '' \
		ECONNRESET disconnected
	# a fault that ends krping-peer, and its exit status
	for end in 'exit 0' 'kill 137' 'disconnect 0'; do
		server_meets "ECONNRESET if the client ends by ${end% *} during the operations, $test" \
			"--test $test --count 5 --at 2 --fault ${end% *}=first" '' \
			ECONNRESET disconnected '' "${end#* }"
	done
	server_meets "the client vanishes instead of sending finish, $test: ECONNRESET" \
		"--test $test --count 5 --fault exit=report" '' ECONNRESET disconnected
done

t_end
