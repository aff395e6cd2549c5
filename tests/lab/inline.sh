#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Inline data is right on a device whose DMA addresses differ from virtual addresses, and
#   on a device that sends inline only the first SGE of a WR.
# Requires: one guest with the lab device
# Duration: 10 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# The lab device is a patched rxe. lab_set and lab_new set its module parameters.
# shellcheck source=lab.inc
. "${0%/*}/lab.inc"

# inline_arrives TEST: check that TEST has the right data if the device sends inline only the first SGE
inline_arrives() {
	lab_set inline_first=1
	pair "" "$1,inline,sge=4,size=64,count=20,validate" && kr_ended server ok
	_status=$?
	lab_set inline_first=0
	return $_status
}
check "slat: inline data is right though the device sends the first SGE only" inline_arrives slat
check "sbw: inline data is right though the device sends the first SGE only" inline_arrives sbw

# The driver copies inline data by the CPU, and crashes if krping gives the driver a DMA address.
cases() {
	kr_bg server "server,addr=$ADDR,port=19600,$PATIENT" &&
		kr "client,addr=$ADDR,port=19600,$PATIENT,conform,case=send_inline:write_inline" &&
		kr_has "conform ok=2 deviates=0 unsupported=0 failed=0" && kr_ended server ok
}
check "conform: the inline cases succeed on a device that does DMA" cases

t_end
