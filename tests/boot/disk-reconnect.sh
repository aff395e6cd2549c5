#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Boot a guest for tests/boot/guest/disk-reconnect.sh, with fio, ext4 and xfs.
# Requires: a guest that the subject boots with scripts/vm; fio, mkfs.ext4, mkfs.xfs, blkid, lsblk
# Duration: 60 s

cd "$(dirname "$0")/../.." || exit 1
PATH=$PATH:/usr/sbin:/sbin
for program in fio mkfs.ext4 mkfs.xfs blkid lsblk; do
	command -v $program >/dev/null && continue
	echo "1..0 # SKIP $program is not installed: run scripts/deps check"
	exit 0
done

dir=$(scripts/kernel "${KERNEL:-stock}" modules) || exit 1
# shellcheck source=fs.inc
. tests/boot/fs.inc

options=
has crc32c_generic
fs ext4 mkfs.ext4 e2fsck
fs xfs mkfs.xfs xfs_repair
[ -z "${KRPING_KO-}" ] || set -- --krping "$KRPING_KO"
# shellcheck disable=SC2086 # split into words
exec scripts/vm "$@" $options --kernel "${KERNEL:-stock}" --device "${TYPE:-rxe}" --mem 1536 \
	--timeout 1200 --bin fio --bin blkid --bin lsblk --file tests/lib-tap.sh \
	--file tests/lib-krping.sh --file tests/lib-krping \
	--file tests/boot/guest --file build/tools/kwrite:/usr/bin/kwrite -- \
	'sh guest/disk-reconnect.sh'
