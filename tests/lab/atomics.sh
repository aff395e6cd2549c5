#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A client with atomic= fails if its device has no atomics, if the server uses the
#   global key of mem_mode=dma, or if the server's device rejects registrations for atomics.
# Requires: one guest with the lab device
# Duration: 5 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# The lab device is a patched rxe. lab_set and lab_new set its module parameters.
# shellcheck source=lab.inc
. "${0%/*}/lab.inc"

# atomic ERRNO WORDS [SERVER_OPTIONS]: check that a client with atomic= ends with ERRNO and WORDS
atomic() {
	kr_bg server "server,addr=$ADDR,clients=0${3:+,$3}" && kr_listening server || return 1
	kr_fails_with "$1" "client,addr=$ADDR,rlat,atomic=faa,count=5" "$2"
	_status=$?
	kr_stop
	return $_status
}

check "atomics run on a device that has them" lab_runs rlat,atomic=faa,count=5

without() {
	lab_new no_atomics=1 && atomic EOPNOTSUPP "the device has no atomic operations"
}
check "atomic is EOPNOTSUPP on a device without atomics" without

# lab_new without arguments sets no_atomics to 0, so the new device has atomics again.
global_key() {
	lab_new && atomic ECONNREFUSED "the server does not support the request" \
		mem_mode=dma
}
check "a server with mem_mode=dma rejects a client with atomic" global_key

# The device reports atomics, but the post of a REG_MR with remote atomic access fails. The client only
# sees the connection end; the server's log has the reason.
registration() {
	lab_set reg_no_atomic=1 || return 1
	klog_mark
	kr_bg server "server,addr=$ADDR" && kr_listening server || return 1
	kr_fails ECONNRESET "client,addr=$ADDR,rlat,atomic=faa,count=5" &&
		kr_ended server EOPNOTSUPP && klog_has "rejects a registration for atomics"
	_status=$?
	lab_set reg_no_atomic=0 && return $_status
}
check "a server whose device registers nothing for atomics ends with EOPNOTSUPP" registration

t_end
