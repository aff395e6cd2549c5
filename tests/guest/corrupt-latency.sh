#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: In latency tests with validate, the side that compares the data finds wrong data.
# Requires: one guest with any device
# Duration: 33 s on rxe, 24 s on siw

# shellcheck source=corrupt.inc
. "${0%/*}/corrupt.inc"
# Functions of corrupt.inc: client_finds and server_finds check that this side of krping finds a fault in the
# data of its peer, the program krping-peer. client_right and server_right check that right data is no error.
# wrong FAULT N HOW predicts the words of the error. client_meets of lib-peer.sh adds a case for a client of krping,
# `also` a further check of this case. case_add is client_meets without the option count=3.

for test in wlat slat ${imm:+wlat,imm slat,imm}; do
	client_right "$test"
	server_right "$test"
	for fault in $ALL_FAULTS first@0 bit@1; do
		client_finds "$test" "$fault"
		server_finds "$test" "$fault"
	done
done
# The data has to continue from one SGE to the next.
client_right wlat,sge=4
client_right slat,sge=4
client_right rlat
for fault in $ALL_FAULTS; do
	client_finds rlat "$fault"
done

# Wrong data is also found with other options of the side that compares.
for test in wlat slat rlat; do
	for fault in $SOME_FAULTS; do
		client_finds_with_options "$test" "$fault"
	done
done
for test in wlat slat; do
	for fault in $SOME_FAULTS; do
		for options in poll sge=4 srq mem_mode=dma mem_mode=reg; do
			server_finds "$test" "$fault" "$options"
		done
	done
done

# krping compares the data of the warm-up, but does not count the warm-up's iterations.
for test in wlat slat; do
	wrong first 3 write
	client_meets "$test: a wrong first byte after the warm-up: EBADMSG" '--fault corrupt=first@3' \
		"$test,validate,size=$SIZE,warmup=2" EBADMSG "$WRONG_WORDS"
	also "client: $test: a wrong first byte after the warm-up: one iteration counts" counted 1
done

# later: check that an iteration after the first one has found the wrong byte, because krping-peer
# writes this byte only after 3 s (--late)
later() {
	case $KR_DETAIL in
	'iteration 0: '*) why "detail is '$KR_DETAIL'" ;;
	esac
}
client_meets 'rlat: a wrong first byte while reading: EBADMSG' '--fault corrupt=first --late 3000' \
	"rlat,validate,size=$SIZE,warmup=1000000" EBADMSG \
	'data differs at offset 0: sent 0x72, got 0x73'
also 'client: rlat: a wrong first byte while reading: not in iteration 0' later
also 'client: rlat: a wrong first byte while reading: no iteration counts' counted 0

# Without validate, krping still compares the results of atomics. siw has no atomics.
for kind in cas faa; do
	what="rlat,atomic=$kind: a counter that does not begin with 0"
	[ "$TYPE" = siw ] || {
		client_meets "$what: EBADMSG" '--fault corrupt=first' "rlat,atomic=$kind" \
			EBADMSG 'iteration 0: the atomic found 1'
		also "client: $what: no iteration counts" counted 0
	}
done

# Each atomic must return the value that the previous atomic has stored.
for kind in cas faa; do
	[ "$TYPE" = siw ] || case_add client "rlat,atomic=$kind: a counter that is set back: EBADMSG" \
		'--fault setback=100' "rlat,atomic=$kind,rate=1000,duration=10" \
		EBADMSG 'the atomic found' '' 0
done

# Small sizes. Data of 1 or 2 bytes ends within "rdma-ping-N: ", the text with which longer data begins.
for SIZE in 1 2 64; do
	for test in wlat slat rlat; do
		client_finds "$test" last
	done
done

t_end
