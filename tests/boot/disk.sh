#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Boot a guest for tests/boot/guest/disk.sh, with fio, ext4 and xfs.
# Requires: a guest with any device that the subject boots with scripts/vm; fio, mkfs.ext4, mkfs.xfs
# Duration: 120 s
#
#   KR_CYCLES   number of disks to make and remove one after the other (default: 200)

cd "$(dirname "$0")/../.." || exit 1
PATH=$PATH:/usr/sbin:/sbin
for program in fio mkfs.ext4 mkfs.xfs; do
	command -v $program >/dev/null && continue
	echo "1..0 # SKIP $program is not installed: run scripts/deps check"
	exit 0
done

dir=$(scripts/kernel "${KERNEL:-stock}" modules) || exit 1
# shellcheck source=fs.inc
. tests/boot/fs.inc

options="--env KR_CYCLES=${KR_CYCLES:-200}"
has crc32c_generic
fs ext4 mkfs.ext4 e2fsck
fs xfs mkfs.xfs xfs_repair
[ -z "${KRPING_KO-}" ] || set -- --krping "$KRPING_KO"
# shellcheck disable=SC2086 # split into words
exec scripts/vm "$@" $options --kernel "${KERNEL:-stock}" --device "${TYPE:-rxe}" --mem 2048 \
	--timeout $((1500 + 3 * ${KR_CYCLES:-200})) --bin fio --file tests/lib-tap.sh --file tests/lib-krping.sh --file tests/lib-krping \
	--file tests/boot/guest --file build/tools/kwrite:/usr/bin/kwrite -- 'sh guest/disk.sh'
