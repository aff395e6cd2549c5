#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The latency of wlat and slat ends when the last packet of a message arrives,
#   not when the first one does.
# Requires: one guest with any device, whose time counts instructions (scripts/vm --exact)
# Duration: 2 s
#
# Truth: tbf limits the rate to the server to 10 Mbit/s. So the payload of 64 KiB takes
# 52.4 ms, which adds 26.2 ms to half a round trip. The first packet takes 1 ms. Each client does one
# operation, because packets of an earlier operation would delay a second one.
#
# Tolerance: a latency may be from 25 to 45 ms. It may be below the truth, because tbf does not delay
# the first 3000 bytes (1.2 ms of half a round trip). It may be above, because the reply and the headers
# take time, and because the waiting thread occupies the only CPU for up to a timer tick.

# shellcheck source=wire.inc
. "${0%/*}/wire.inc"

# whole OPTIONS: run one operation of 64 KiB, and check that its latency is 25 to 45 ms
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
check "wlat: half a round trip of 64 KiB at 10 Mbit/s takes 25 to 45 ms" whole wlat
check "slat: half a round trip of 64 KiB at 10 Mbit/s takes 25 to 45 ms" whole slat
t_end
