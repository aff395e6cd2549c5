#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The client of a microbenchmark ends with the right error when its server sends an
#   invalid buffer advert or false credits, or vanishes. The client's result repeats false figures of
#   the server.
# Requires: one guest with any device
# Duration: 12 s on rxe, 27 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# lib-peer.sh runs krping against krping-peer, a program that breaks the protocol on request
# (--fault). server_meets runs krping as the server, client_meets as the client. Their arguments:
# description; options of krping-peer; options of krping; errno or ok; words of krping's error; and,
# if given, status of the failed completion, and exit status of krping-peer.
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"

no_nak='rxe sends no NAK for a READ or WRITE'

# peer_time_is 'NSEC iterations=N'|'': check the line peer_time of the result, or that there is none
peer_time_is() {
	eq "$(sed -n 's/^peer_time nsec=//p' "$KR_RESULT")" "$1" peer_time
}

for test in rlat bw rbw sbw fr; do
	client_meets "a server of $test: no error" '' $test ok
	also "client: the result has the report of the server, $test" \
		peer_time_is '4711 iterations=3'
done
# The result repeats the server's figures unchanged; figures derived from them saturate.
client_meets 'a report with impossible figures: no error' '--fault boast' bw,duplex ok
also "client: the result has the impossible report" peer_time_is '1 iterations=9223372036854775808'
also "client: the throughput of an impossible report saturates" kr_has \
	'peer_throughput bytes_per_sec=18446744073709551615 messages_per_sec=18446744073709551615 peer_counters'
client_meets 'buffer advert: no buffer: EPROTO' '--fault advert=zero' bw EPROTO 'a buffer of 0 bytes at 0x0'
client_meets 'buffer advert: a buffer that is too small: EPROTO' '--fault advert=small' rlat \
	EPROTO 'a buffer of 63 bytes'
client_meets 'buffer advert: a buffer that is larger than needed: no error' '--fault advert=huge' rbw ok

client_meets 'stride: a server that ignores the stride: EPROTO' '--fault rep=no-stride' bw,stride=64 \
	EPROTO 'the server accepts stride 0 instead of 64'
client_meets 'stride: a server with another stride: EPROTO' '--fault rep=stride' rbw,stride=64 \
	EPROTO 'the server accepts stride 65 instead of 64'
# krping-peer has no fault here, so it ends with status 1 when krping disconnects.
client_meets 'stride: a buffer for one address: EPROTO' '' bw,stride=64,txdepth=4 \
	EPROTO 'a buffer of 64 bytes at' '' 1
client_meets 'stride: an older krping: ECONNREFUSED' '--fault reject=3' bw,stride=64 \
	ECONNREFUSED '; an older krping has no stride'
client_meets 'stride: SENDs to a server: no error' '' sbw,stride=64,txdepth=4 ok

case $TYPE in
# siw reports a failed WRITE by its completion, or only disconnects.
siw)
	client_meets 'buffer advert: a key that does not exist: EIO or ECONNRESET' \
		'--fault advert=key' bw EIO/ECONNRESET ''
	;;
*)
	known_fault rxe 5.10 'client: buffer advert: a key that does not exist: EIO' "$no_nak" ||
		client_meets 'buffer advert: a key that does not exist: EIO' '--fault advert=key' bw \
			EIO 'remote access error' 'remote access error'
	;;
esac
client_meets 'buffer advert, cut off: EPROTO' '--fault advert=short' bw EPROTO 'unexpected data'
client_meets 'buffer advert, twice: EPROTO' '--fault advert=twice' bw \
	EPROTO 'an unexpected control message of type 4'
for what in 'finish 1' 'credit 2' 'report 3'; do
	client_meets "${what% ?} instead of the buffer advert: EPROTO" "--fault ctl-second=${what% ?}" sbw \
		EPROTO "an unexpected control message of type ${what#* }"
done
client_meets 'finish after the buffer advert: EPROTO' '--fault ctl=finish' rbw \
	EPROTO 'an unexpected control message of type 1'
client_meets 'the server is silent instead of sending its buffer advert: ETIMEDOUT' \
	'--fault silent=connect' bw ETIMEDOUT silent
client_meets 'the server vanishes instead of sending its buffer advert: ECONNRESET' \
	'--fault exit=connect' bw ECONNRESET disconnected
client_meets 'the server vanishes before the last operation: ECONNRESET' '--recvs 2 --fault exit=second' sbw \
	ECONNRESET disconnected
client_meets 'the server is silent before the last operation: ETIMEDOUT' \
	'--recvs 2 --fault silent=second' sbw \
	ETIMEDOUT silent
client_meets 'the server is silent before the last operation, with a rate: ETIMEDOUT' \
	'--recvs 2 --fault silent=second' \
	sbw,rate=1000 ETIMEDOUT silent
client_meets 'rbw: a server that permits one READ at a time' '' rbw ok
also 'client: rbw: a server that permits one READ at a time: reads' kr_is reads 1
# The server's device has no READs. On iWARP, a reply without READs may also mean that the device reports no
# limits. krping-peer has no fault here, so it ends with status 1 when krping disconnects.
case $TYPE in
rxe)
	client_meets 'bw: a server without READs: no error' '--reads 0' bw ok
	also 'client: bw: a server without READs: no READ may be in flight' \
		kr_has 'reads_out=0 reads_in=0'
	client_meets 'rlat: a server that answers no READs: EOPNOTSUPP' '--reads 0' rlat \
		EOPNOTSUPP "the peer's device answers no READs and atomics" '' 1
	;;
esac
# No connection may begin to measure before all connections are established. The case ends the waiting
# krping-peer by SIGTERM (status 143).
for test in slat sbw bw; do
	client_meets "$test,threads=2: silence instead of the second REP" \
		'--conns 2 --conn-idx 1 --fault silent=request' "$test,threads=2" ETIMEDOUT \
		"connecting took longer than timeout=$PATIENCE" '' 143
	also "client: $test,threads=2: silence instead of the second REP: iterations" \
		kr_is iterations 0
done
client_meets 'the server is silent instead of sending its report: ETIMEDOUT' \
	'--fault silent=report' bw ETIMEDOUT silent
client_meets 'the server vanishes instead of sending its report: ECONNRESET' \
	'--fault exit=report' bw ECONNRESET disconnected
# krping-peer has no fault here, so it ends with status 1 when krping disconnects.
for recvs in 0 1; do
	client_meets "EPROTO if the server has $recvs RECVs for data" "--recvs $recvs" sbw \
		EPROTO 'the peer has no RECVs for data' '' 1
done
client_meets 'more RECVs for data than any server can have: no error' '--recvs 4294967295' sbw ok
for credit in 4 100 4294967295; do
	client_meets "credit for $credit messages of 3: EPROTO" "--fault credit=$credit" sbw \
		EPROTO "the server says that it has taken $credit of 3 messages"
done
client_meets 'a credit that is lower than the previous one: EPROTO' '--at 2 --fault credit=0' sbw \
	EPROTO 'the server says that it has taken 0 of 3 messages'

t_end
