#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Boot a guest with one CPU for tests/boot/guest/registrations.sh, which sets
#   kprobes. The kernel then rewrites its own code, and in QEMU's emulation another CPU sometimes hangs
#   on a rewritten instruction.
# Requires: guests that the subject boots with scripts/vm
# Duration: 7 s on rxe, 6 s on siw

cd "$(dirname "$0")/../.." || exit 1
[ -z "${KRPING_KO-}" ] || set -- --krping "$KRPING_KO"
exec scripts/vm "$@" --kernel "${KERNEL:-stock}" --device "${TYPE:-rxe}" --cpus 1 \
	--timeout 1200 --file tests/lib-tap.sh --file tests/lib-krping.sh --file tests/lib-krping \
	--file tests/boot/guest \
	--file build/tools/kwrite:/usr/bin/kwrite -- 'sh guest/registrations.sh'
