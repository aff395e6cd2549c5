#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# tests/single/clock.sh, in a guest of its own that has no better clock than its ticks. The
# kernel takes such a clock only without high-resolution timers.

cd "$(dirname "$0")/../.." || exit 1
[ -z "${KRPING_KO-}" ] || set -- --krping "$KRPING_KO"
exec scripts/vm "$@" --kernel "${KERNEL:-stock}" --device "${TYPE:-rxe}" --exact \
	--append 'clocksource=jiffies highres=off nohz=off' \
	--timeout 300 --file tests/lib.sh --file tests/single \
	--file build/tools/kwrite:/usr/bin/kwrite -- 'sh single/clock.sh'
