#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: In the test ping with validate, the client finds wrong data. The server does not
#   compare data.
# Requires: one guest with any device
# Duration: 11 s on rxe, 12 s on siw

# shellcheck source=corrupt.inc
. "${0%/*}/corrupt.inc"
# Functions of corrupt.inc: client_finds and server_finds check that this side of krping finds a fault in the
# data of its peer, the program krping-peer. client_right and server_right check that right data is no error.
# wrong FAULT N HOW predicts the words of the error. client_meets of lib-peer.sh adds a case for a client of krping,
# `also` a further check of this case.

for fault in $ALL_FAULTS first@0 bit@1; do
	for options in mem_mode=dma mem_mode=reg server_inv; do
		client_finds ping "$fault" "$options"
	done
	[ "$TYPE" != siw ] || client_finds ping "$fault" read_inv
done
client_right ping
for fault in $SOME_FAULTS; do
	for options in poll srq cq=workqueue local_dma_lkey mem_mode=reg,poll \
		server_inv,srq verbose; do
		client_finds ping "$fault" "$options"
	done
done

# krping compares the data of the warm-up, but does not count the warm-up's iterations.
wrong first 3 write
client_meets "ping: a wrong first byte after the warm-up: EBADMSG" '--fault corrupt=first@3' \
	"validate,size=$SIZE,warmup=2" EBADMSG "$WRONG_WORDS"
also "client: ping: a wrong first byte after the warm-up: one iteration counts" counted 1

# The completion handler compares data of up to a page. The test's thread compares larger data.
for SIZE in 1 2 64 4096; do
	client_finds ping last
	client_finds ping last mem_mode=reg
done

# The server must not compare the client's data. The server returns wrong data unchanged, without an
# error. krping-peer ends with status 1, because nothing notices its fault.
SIZE=12288
for fault in first last bit pages stale; do
	fault_words "$fault"
	server_meets "ping: $FAULT_WORDS from the client is given back" \
		"--flags 1 --count 3 --size $SIZE --fault corrupt=$fault@1" '' ok '' '' 1
done

t_end
