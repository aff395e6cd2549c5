#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Boot a guest for tests/boot/guest/disk-worker.sh, with fio.
# Requires: a guest with any device that the subject boots with scripts/vm; fio
# Duration: 40 s

cd "$(dirname "$0")/../.." || exit 1
if ! command -v fio >/dev/null; then
	echo "1..0 # SKIP fio is not installed: run scripts/deps check"
	exit 0
fi
[ -z "${KRPING_KO-}" ] || set -- --krping "$KRPING_KO"
exec scripts/vm "$@" --kernel "${KERNEL:-stock}" --device "${TYPE:-rxe}" --mem 1024 \
	--timeout 900 --bin fio --file tests/lib-tap.sh --file tests/lib-krping.sh \
	--file tests/lib-krping --file tests/boot/guest \
	--file build/tools/kwrite:/usr/bin/kwrite -- 'sh guest/disk-worker.sh'
