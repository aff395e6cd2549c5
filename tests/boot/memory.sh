#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Boot a guest with one CPU, and run tests/boot/guest/memory.sh in it. That file enables a
#   tracepoint, for which the kernel rewrites its own code. In QEMU's emulation, another CPU would
#   sometimes hang on a rewritten instruction.
# Requires: one guest, which this file boots with scripts/vm
# Duration: 7 s on rxe, 8 s on siw

cd "$(dirname "$0")/../.." || exit 1
[ -z "${KRPING_KO-}" ] || set -- --krping "$KRPING_KO"
exec scripts/vm "$@" --kernel "${KERNEL:-stock}" --device "${TYPE:-rxe}" --cpus 1 \
	--timeout 1200 --file tests/lib-tap.sh --file tests/lib-krping.sh --file tests/lib-krping \
	--file tests/boot/guest \
	--file build/tools/kwrite:/usr/bin/kwrite -- 'sh guest/memory.sh'
