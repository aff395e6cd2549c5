#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: If the peer ends, dies, or violates the protocol, write(2), result and kernel
#   log give the reason, and nothing is left.
# Requires: one guest
# Duration: 10 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# lib-peer.sh runs krping against krping-peer, a program that breaks the protocol on request
# (--fault). server_meets runs krping as the server, client_meets as the client. Their arguments:
# description; options of krping-peer; options of krping; errno or ok; words of krping's error; and,
# if given, status of the failed completion, and exit status of krping-peer.
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"

#
# Tests without an error
#

client_meets 'all iterations are done: no error' '--count 3' validate ok ''
client_meets 'all iterations are done, old server: no error' '--old --count 3' validate ok ''
client_meets 'the server disconnects after the last iteration: no error' \
	'--fault disconnect=end --at 2' '' ok ''
server_meets 'the client disconnects after the negotiated count: no error' '--count 3' '' ok ''
server_meets 'an old client disconnects after any number: no error' '--count 2 --old' '' ok ''
server_meets 'an old client exits between iterations: no error' \
	'--count 5 --old --fault exit=second --at 2' '' ok ''
server_meets 'a client without a count disconnects: no error' \
	'--count 0' '' ok ''

#
# The peer ends
#

# SIGKILL ends krping-peer with status 137.
for end in kill exit disconnect; do
	status=0
	[ $end != kill ] || status=137
	for stage in connect first second end; do
		client_meets "ECONNRESET if the server ends by $end at stage $stage" \
			"--fault $end=$stage" '' \
			ECONNRESET 'the peer disconnected in iteration' '' $status
	done
	for stage in connect first second; do
		server_meets "ECONNRESET if the client ends by $end at stage $stage" \
			"--count 3 --fault $end=$stage" '' \
			ECONNRESET 'the peer disconnected in iteration' '' $status
	done
	server_meets "ECONNRESET if an old client ends by $end during an iteration" \
		"--count 3 --old --fault $end=first --at 1" '' \
		ECONNRESET 'the peer disconnected in iteration 1' '' $status
done

#
# The peer violates the protocol
#

# A go-ahead is the server's answer to an advert of a ping client.
for length in 0 8 17 24 64; do
	client_meets "go-ahead of $length bytes: EPROTO" "--fault length=$length" '' \
		EPROTO "a message of $length bytes instead of 16"
done
client_meets 'go-ahead of 200 bytes: EPROTO' '--fault length=200' '' EPROTO ''
for what in garbage truncated version size test count flags no-flags; do
	client_meets "REP with private data: $what" "--fault rep=$what" validate EPROTO 'the server'
done
client_meets 'two go-aheads: EBADMSG' '--fault twice --at 1' validate \
	EBADMSG 'iteration 1: data differs at offset 0'
# krping takes this go-ahead for the answer to its advert, unless the go-ahead arrives before krping
# posts the advert. If the connection is being established meanwhile, it may end instead: ECONNRESET. The
# exit status of krping-peer does not matter.
client_meets 'a go-ahead before the first advert: an error' '--fault early' validate \
	EBADMSG/EPROTO/ECONNRESET '' '' 0/1
known_fault rxe 5.10 'client: many go-aheads' \
	'rxe posts a SEND without end if the other QP is in error: soft lockup' ||
	client_meets 'many go-aheads' '--fault burst=15' validate \
		EBADMSG/EPROTO/EIO/ECONNRESET ''
# Linux 5.10 prints "invalid request error" instead of "remote invalid request error".
known_fault rxe 5.10 'client: the server invalidates a key that does not exist: EIO' \
	'rxe completes neither the SEND_WITH_INV nor the RECV' ||
	client_meets 'the server invalidates a key that does not exist: EIO' '--fault inv=none' server_inv \
		EIO 'invalid request error'

for off in 0 17 63; do
	client_meets "wrong byte at offset $off: EBADMSG" "--fault corrupt=$off --at 1" validate \
		EBADMSG "iteration 1: data differs at offset $off:"
done
client_meets 'wrong byte at the end of a large buffer: EBADMSG' '--fault corrupt=65535' \
	'validate,size=64k,poll' EBADMSG 'iteration 0: data differs at offset 65535:'
client_meets 'wrong byte at the end of a buffer of several MRs: EBADMSG' '--fault corrupt=1048575' \
	'validate,size=1m,mem_mode=reg' EBADMSG 'iteration 0: data differs at offset 1048575:'
client_meets 'wrong byte in a large buffer, without poll: EBADMSG' '--fault corrupt=4096' \
	'validate,size=8k' EBADMSG 'iteration 0: data differs at offset 4096:'
client_meets 'wrong byte, with verbose: EBADMSG' '--fault corrupt=1' \
	'validate,verbose' EBADMSG 'iteration 0: data differs at offset 1:'
client_meets 'wrong byte, without validate: no error' '--fault corrupt=17 --count 3' '' ok ''

case $TYPE in
siw)
	# siw only reports that the connection is terminated.
	server_meets 'wrong key of the source: ECONNRESET' '--count 3 --fault rkey=first' '' ECONNRESET ''
	server_meets 'wrong key of the sink: ECONNRESET' '--count 3 --fault rkey=second' '' ECONNRESET ''
	;;
*)
	no_nak='rxe sends no NAK for a READ or WRITE'
	known_fault rxe 5.10 'server: wrong key of the source: EIO' "$no_nak" ||
		server_meets 'wrong key of the source: EIO' '--fault rkey=first' '' \
			EIO 'RDMA READ failed: remote access error' 'remote access error'
	known_fault rxe 5.10 'server: wrong key of the sink: EIO' "$no_nak" ||
		server_meets 'wrong key of the sink: EIO' '--fault rkey=second' '' \
			EIO 'RDMA WRITE failed: remote access error' 'remote access error'
	;;
esac
cases_run

t_end
