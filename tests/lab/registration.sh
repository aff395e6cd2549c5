#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping registers memory on devices whose ib_map_mr_sg() returns pages, reads
#   sg_offset, sleeps, or takes few entries.
# Requires: one guest with the lab device
# Duration: 20 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=lab.inc
. "${0%/*}/lab.inc"

# habit PARAMETER=VALUE OPTIONS: the parameter is set, and a test with OPTIONS succeeds
habit() {
	lab_set "$1" || return 1
	lab_runs "$2"
	_status=$?
	lab_set "${1%%=*}=0" && return $_status
}

reg='count=5,size=256k,validate,mem_mode=reg'

check "ping registers where a missing sg_offset is an error" habit map_offset=1 "$reg"
check "ping registers where pages are returned instead of entries" habit map_pages=1 "$reg"
check "fr registers parts where pages are returned" habit map_pages=1 "fr,count=50,size=256k"
check "fr registers where a missing sg_offset is an error" habit map_offset=1 \
	"fr,count=50,size=256k"

t_end
