#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A result warns of a clock that advances in steps of milliseconds. The guest
#   has clocksource=jiffies; a tick is 1 to 10 ms.
# Requires: one guest with a coarse clock, which tests/boot/clock.sh boots
# Duration: 8 s

# shellcheck source=../../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

read -r clock </sys/devices/system/clocksource/clocksource0/current_clocksource

# warning: print the warning about the clock in the last result
warning() {
	sed -n '/^warning clock=/p' "$KR_RESULT"
}

# warns: check that the last result has one warning about the clock, which names a step of 1 to 10 ms
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
		why "the step is $_nsec ns instead of 1 to 10 ms"
	fi
}

check "coarse clock: the guest's clocksource is jiffies" eq "$clock" jiffies clocksource
check "coarse clock: slat succeeds" pair "" slat,count=20
check "coarse clock: the result of slat names the clocksource" kr_is clocksource jiffies
check "coarse clock: the result of slat warns, with the step of the clock" warns
kr_wait server
check "coarse clock: the server's result of slat warns" warns
check "coarse clock: ping succeeds" pair "" count=20
check "coarse clock: the result of ping warns" warns
t_end
