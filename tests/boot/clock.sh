#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Boot a guest for tests/boot/guest/clock.sh. The guest's clocksource is the timer
#   tick (jiffies), which a kernel accepts only without high-resolution timers.
# Requires: guests with any device that the subject boots with scripts/vm
# Duration: 8 s

cd "$(dirname "$0")/../.." || exit 1
[ -z "${KRPING_KO-}" ] || set -- --krping "$KRPING_KO"
exec scripts/vm "$@" --kernel "${KERNEL:-stock}" --device "${TYPE:-rxe}" --exact \
	--append 'clocksource=jiffies highres=off nohz=off' \
	--timeout 300 --file tests/lib-tap.sh --file tests/lib-krping.sh --file tests/lib-krping \
	--file tests/boot/guest \
	--file build/tools/kwrite:/usr/bin/kwrite -- 'sh guest/clock.sh'
