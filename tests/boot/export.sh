#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Boot a guest with 2560 MiB of memory for tests/boot/guest/export.sh. EXPORT_MB
#   is the size of the export in MiB, EXPORT_MEM the guest's memory. siw waits only 10 s for the
#   answer to a connection request; in this time a server can prepare 128 MiB.
# Requires: guests that the subject boots with scripts/vm
# Duration: 60 s

cd "$(dirname "$0")/../.." || exit 1
[ "${TYPE-}" != siw ] || : "${EXPORT_MB:=128}"
[ -z "${KRPING_KO-}" ] || set -- --krping "$KRPING_KO"
exec scripts/vm "$@" --kernel "${KERNEL:-stock}" --device "${TYPE:-rxe}" \
	--mem "${EXPORT_MEM:-2560}" --timeout $((600 + ${EXPORT_MB:-0})) --file tests/lib-tap.sh \
	--file tests/lib-krping.sh --file tests/lib-krping \
	--file tests/boot/guest \
	--file build/tools/kwrite:/usr/bin/kwrite -- \
	"EXPORT_MB=${EXPORT_MB:-1024} sh guest/export.sh"
