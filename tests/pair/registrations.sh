#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# tests/single/registrations.sh, in a guest of its own with one CPU, for the reason that
# tests/pair/memory.sh has.

cd "$(dirname "$0")/../.." || exit 1
[ -z "${KRPING_KO-}" ] || set -- --krping "$KRPING_KO"
exec scripts/vm "$@" --kernel "${KERNEL:-stock}" --device "${TYPE:-rxe}" --cpus 1 \
	--timeout 300 --file tests/lib.sh --file tests/single \
	--file build/tools/kwrite:/usr/bin/kwrite -- 'sh single/registrations.sh'
