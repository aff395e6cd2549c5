#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# tests/single/memory.sh, in a guest of its own with one CPU: it switches a
# tracepoint on, for which the kernel rewrites its own code, and QEMU's emulation
# now and then lets another CPU hang on an instruction that is being rewritten.

cd "$(dirname "$0")/../.." || exit 1
[ -z "${KRPING_KO-}" ] || set -- --krping "$KRPING_KO"
exec scripts/vm "$@" --kernel "${KERNEL:-stock}" --device "${TYPE:-rxe}" --cpus 1 \
	--timeout 300 --file tests/lib.sh --file tests/single \
	--file build/tools/kwrite:/usr/bin/kwrite -- 'sh single/memory.sh'
