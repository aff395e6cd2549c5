#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A result warns of a clock that advances in steps of milliseconds. This file boots a
#   guest whose clocksource is the timer tick (jiffies); tests/boot/guest/clock.sh has the checks.
#   A kernel accepts the clocksource jiffies only without high-resolution timers.
# Requires: a guest with any device, which this file boots with scripts/vm
# Duration: 8 s

cd "$(dirname "$0")/../.." || exit 1
[ -z "${KRPING_KO-}" ] || set -- --krping "$KRPING_KO"
exec scripts/vm "$@" --kernel "${KERNEL:-stock}" --device "${TYPE:-rxe}" --exact \
	--append 'clocksource=jiffies highres=off nohz=off' \
	--timeout 1200 --file tests/lib-tap.sh --file tests/lib-krping.sh --file tests/lib-krping \
	--file tests/boot/guest \
	--file build/tools/kwrite:/usr/bin/kwrite -- 'sh guest/clock.sh'
