#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: the lab device has the limits that its parameters set, krping works within
#   them, and a limit that a command exceeds is named.
# Requires: one guest with the lab device
# Duration: 20 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=lab.inc
. "${0%/*}/lab.inc"

lab_plain() {
	lab_new page_sizes=0 && lab_runs "$1"
}

check "lab: ping in dma" lab_plain "count=5,size=64k,validate"
check "lab: ping in reg" lab_plain "count=5,size=64k,validate,mem_mode=reg"

lab_ends() {
	lab_new page_sizes=0 && kr_clean
}
check "lab: nothing is left" lab_ends

t_end
