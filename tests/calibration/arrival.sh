#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: wlat ends an operation when its last byte has arrived, and not when its
#   first packet has.
# Requires: one guest whose time counts instructions (scripts/vm --exact)
# Duration: 2 s
#
# Truth: tbf lets 10 Mbit/s pass to the server, and 64 KiB of payload alone take 52.4 ms, of
# which half a round trip has 26.2 ms. The first packet takes 1 ms. With a second operation
# the packets of the first one would be in the way: each client has one.
#
# Tolerance: the bucket's 3000 bytes pass at once, 2.4 ms or 1.2 ms of half a round trip;
# upwards 20 ms, since the thread that waits takes the one CPU for up to a timer tick, and
# headers and the way back come in addition.

# shellcheck source=wire.inc
. "${0%/*}/wire.inc"

# whole OPTIONS
whole() {
	wire_clear
	wire v0 tbf rate 10mbit burst 3000 limit 20000000 &&
		pair "" "$1,size=65536,count=1" && val latency_nsec min
	_ret=$?
	wire_clear
	[ $_ret = 0 ] && kr_ended server ok || return 1
	diag "$1: $VAL ns"
	near "half a round trip" "$VAL" 35000000 10000000
}
check "wlat by memory: 64 KiB at 10 Mbit/s take 26 ms or more for half a round trip" whole wlat
check "slat: 64 KiB at 10 Mbit/s take 26 ms or more for half a round trip" whole slat
t_end
