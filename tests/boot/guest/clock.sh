#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A result warns of a clock that advances in steps of milliseconds. This
#   guest is booted with clocksource=jiffies; a tick is 1 to 10 ms.
# Requires: one guest without a fine clock, which tests/boot/clock.sh boots
# Duration: 8 s

# shellcheck source=../../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

read -r clock </sys/devices/system/clocksource/clocksource0/current_clocksource

warning() {
	sed -n '/^warning clock=/p' "$KR_RESULT"
}

warns() {
	_words='warning clock="the clocksource jiffies advances in steps of '
	_nsec=$(warning)
	_nsec=${_nsec#"$_words"}
	_nsec=${_nsec%' ns"'}
	case $_nsec in
	'' | *[!0-9]*)
		why "the warnings are '$(warning)'"
		return 1
		;;
	esac
	if [ "$_nsec" -lt 1000000 ] || [ "$_nsec" -gt 10000000 ]; then
		why "a step of $_nsec ns is no tick"
	fi
}

check "the kernel's clock is coarse" eq "$clock" jiffies clocksource
check "a test on a coarse clock" pair "" slat,count=20
check "the result names the coarse clock" kr_is clocksource jiffies
check "the result warns of the coarse clock and has its step" warns
kr_wait server
check "the server's result warns of the coarse clock" warns
check "a ping test on a coarse clock" pair "" count=20
check "the result of a ping test warns of the coarse clock" warns
t_end
