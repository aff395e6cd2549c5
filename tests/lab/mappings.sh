#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping maps no more at once than the DMA API allows. With bounce buffers one
#   mapping has at most 256 KiB: mem_mode=reg still reaches 2 MiB, and mem_mode=dma names the
#   limit.
# Requires: one guest with the lab device, with or without bounce buffers
# Duration: 20 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=lab.inc
. "${0%/*}/lab.inc"

check "a registered buffer with a tail of 100 bytes" lab_runs \
	"count=3,size=65636,validate,mem_mode=reg"
check "a registered buffer of 2 MiB" lab_runs "count=2,size=2m,validate,mem_mode=reg"

writes() {
	pair mem_mode=reg "wlat,count=2,size=1m,validate,mem_mode=reg" && kr_returned ok &&
		kr_ended server ok
}
check "WRITEs of 1 MiB to a registered buffer" writes

# refused OPTIONS: a bounced mapping of 1 MiB is refused with the limit, another succeeds
refused() {
	kr_bg server "server,addr=$ADDR" && kr_listening server || return 1
	if dmesg | grep -q 'lab: DMA .*bounced'; then
		kr_fails_with EINVAL "client,addr=$ADDR,count=2,size=1m,$1" 262144
	else
		kr "client,addr=$ADDR,count=2,size=1m,$1"
	fi
	_status=$?
	kr_stop
	return $_status
}

check "a contiguous buffer of 1 MiB: within the limit, or the limit is named" \
	refused mem_mode=dma

# krping_krdma.ko copies to a region of 1 MiB, and from the other side's.
krdma_region() {
	insmod /lib/modules/extra/krping_krdma.ko scenario=init_both addr="$ADDR" port=14100 &&
		until_ok 60 krdma_ended || return 1
	read -r _result </sys/module/krping_krdma/parameters/result
	rmmod krping_krdma && eq "$_result" ok "result of krping_krdma.ko"
}

krdma_ended() {
	read -r _result </sys/module/krping_krdma/parameters/result
	[ "$_result" != running ]
}
check "krdma: a region of 1 MiB, which no bounced mapping holds" krdma_region

t_end
