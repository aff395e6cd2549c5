#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: If nearly all free memory consists of blocks of 1 to 4 pages, krping allocates
#   registered buffers and exported regions in smaller pieces instead of failing with ENOMEM.
# Requires: one guest with the lab device, without bounce buffers
# Duration: 15 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

# free_blocks ORDER: print how many MiB are free in blocks of at least 2^ORDER pages
free_blocks() {
	awk -v least="$1" -v page="$PAGE" '
		/^Node/ {
			block = 1
			for (i = 5; i <= NF; i++) {
				if (i - 5 >= least)
					n += $i * block
				block *= 2
			}
		}
		END { print int(n * page / 1048576) }' /proc/buddyinfo
}

# fragments: fragment the memory, and check that 200 MiB are free, of which at most 100 MiB are in
# blocks of 64 KiB
fragments() {
	insmod /lib/modules/extra/krping_fragments.ko || return 1
	_free=$(free_blocks 0) _large=$(free_blocks 4)
	diag "$_free MiB are free, of which $_large MiB are in blocks of 16 pages"
	[ "$_free" -ge 200 ] || why "only $_free MiB are free, less than 200" || return 1
	[ "$_large" -le 100 ] || why "$_large MiB are in blocks of 16 pages, more than 100"
}

# exports: export 160 MiB, more than the free blocks of 16 pages have, and check bytes of the first, a
# middle and the last piece
exports() {
	kr_bg server "server,addr=$ADDR,export=160m,$PATIENT" && kr_listening server &&
		kr_bg client "client,addr=$ADDR,session,$PATIENT" || return 1
	_id=$(kr_get id) _n=0
	for _at in 0 10000000 167772157; do
		_n=$((_n + 1))
		kr "put,id=$_id,offset=$_at,hex=a0b0c$_n" && kr "get,id=$_id,offset=$_at,len=3" &&
			kr_has "hex=a0b0c$_n" || return 1
	done
	kr_stop
	kr_clean_now
}

bw_largest() {
	pair mem_mode=reg "bw,count=3,validate,mem_mode=reg,size=$REG_MAX" && kr_returned ok &&
		kr_ended server ok
}

if grep -q 'swiotlb=[^ ]*force' /proc/cmdline; then
	skip "buffers and regions in fragmented memory" "the bounce buffers have too little memory"
else
	check "nearly all free memory consists of blocks of 1 to 4 pages" fragments
	check "a server exports a region of 160 MiB, although memory is fragmented" exports
	kr_stop
	check "bw WRITEs to the largest registered buffer, although memory is fragmented" bw_largest
	rmmod krping_fragments
fi

t_end
