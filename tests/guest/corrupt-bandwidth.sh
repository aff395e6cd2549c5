#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: In throughput tests with validate, the side that compares the data finds wrong data.
# Requires: one guest with any device
# Duration: 47 s on rxe, 38 s on siw

# shellcheck source=corrupt.inc
. "${0%/*}/corrupt.inc"
# Functions of corrupt.inc: client_finds and server_finds check that this side of krping finds a fault in the
# data of its peer, the program krping-peer. client_right and server_right check that right data is no error.

for test in bw sbw ${imm:+bw,imm sbw,imm}; do
	client_right "$test"
	server_right "$test"
	for fault in $ALL_FAULTS first@0 bit@1; do
		server_finds "$test" "$fault"
	done
done
# The data has to continue from one SGE to the next.
client_right bw,sge=4
client_right sbw,sge=4
for test in bw,duplex sbw,duplex ${imm:+bw,duplex,imm sbw,duplex,imm}; do
	client_right "$test"
	server_right "$test"
	for fault in $ALL_FAULTS first@0 bit@1; do
		client_finds "$test" "$fault"
		server_finds "$test" "$fault"
	done
done
for test in rbw rbw,duplex; do
	client_right "$test"
	for fault in $ALL_FAULTS; do
		client_finds "$test" "$fault"
	done
done
server_right rbw,duplex
for fault in $ALL_FAULTS; do
	server_finds rbw,duplex "$fault"
done

# Wrong data is also found with other options of the side that compares.
for test in bw,duplex rbw sbw,duplex; do
	for fault in $SOME_FAULTS; do
		client_finds_with_options "$test" "$fault"
	done
done
for test in bw sbw; do
	for fault in $SOME_FAULTS; do
		for options in poll srq mem_mode=dma mem_mode=reg; do
			server_finds "$test" "$fault" "$options"
		done
	done
done
for test in bw,duplex rbw,duplex sbw,duplex; do
	for fault in $SOME_FAULTS; do
		for options in poll srq sge=4; do
			case $test,$options,$TYPE in
			r*,sge=4,siw) continue ;;
			esac
			server_finds "$test" "$fault" "$options"
		done
	done
done

t_end
