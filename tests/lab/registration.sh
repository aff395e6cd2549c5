#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping registers memory on devices whose ib_map_mr_sg() returns a number of pages,
#   reads sg_offset or sleeps, and on devices whose MRs have few entries, or pages of another size
#   than the kernel's.
# Requires: one guest with the lab device
# Duration: 25 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# The lab device is a patched rxe. lab_set and lab_new set its module parameters.
# shellcheck source=lab.inc
. "${0%/*}/lab.inc"

# habit PARAMETER=VALUE OPTIONS: check that a test with OPTIONS succeeds while the lab device has
# this parameter
habit() {
	lab_set "$1" || return 1
	lab_runs "$2"
	_status=$?
	lab_set "${1%%=*}=0" && return $_status
}

reg='count=5,size=256k,validate,mem_mode=reg'

check "ping registers on a device where a missing sg_offset is an error" habit map_offset=1 "$reg"
check "ping registers on a device that returns a number of pages" habit map_pages=1 "$reg"
check "fr registers parts of memory on a device that returns a number of pages" habit map_pages=1 \
	"fr,count=50,size=256k"
check "fr registers on a device where a missing sg_offset is an error" habit map_offset=1 \
	"fr,count=50,size=256k"

# irdma has no pages of 64 KiB. On kernels with such pages, krping registers smaller pages.
small_pages() {
	lab_new page_sizes=2048 && lab_runs "$1"
}
check "ping registers where the device's pages are smaller" small_pages "$reg"
check "fr registers parts where the device's pages are smaller" small_pages "fr,count=50,size=100k"
check "bw registers where the device's pages are smaller" small_pages "bw,count=50,size=4k,mem_mode=reg"

small_mr() {
	lab_new page_sizes=2048 mr_entries=64 && lab_runs "count=5,size=128k,validate,mem_mode=reg" &&
		kr_fails_with EINVAL "client,addr=$ADDR,count=5,size=129k,mem_mode=reg" 131072
}
check "the size of an MR counts the device's pages" small_mr

# memory_of PARAMETER=VALUE...: check that a client puts data at the end of 1 MiB of a server's
# memory, on a device with these parameters
memory_of() {
	lab_new "$@" && kr_bg server "server,addr=$ADDR,port=14002,$PATIENT,export=1m" && kr_listening server &&
		kr "client,addr=$ADDR,port=14002,$PATIENT,put,offset=1048572,data=last" && kr_ended server ok
}
check "memory of a server is registered where the device's pages are smaller" \
	memory_of page_sizes=2048 mr_entries=32

# large_pages SIZE: check that a device whose pages all have SIZE bytes registers nothing, and that krping runs
# without registrations there
large_pages() {
	lab_new page_sizes="$1" && kr_fails_with EOPNOTSUPP "client,addr=$ADDR,count=5,mem_mode=reg" \
		"use mem_mode=dma" && lab_runs "count=5,size=64k,validate"
}
check "mem_mode=reg is rejected where all of the device's pages are larger" large_pages 0x200000
check "mem_mode=reg is rejected where all of the device's pages have 1 GiB" large_pages 0x40000000

# The page sizes of irdma: 4 KiB, 2 MiB and 1 GiB.
irdma_pages() {
	lab_new page_sizes=0x40201000 || return 1
	for _test in "$reg" "fr,count=50,size=100k" "bw,count=50,size=4k,mem_mode=reg"; do
		lab_runs "$_test" || why "$_test" || return 1
	done
}
check "MRs have pages of 4 KiB where the device also has larger pages" irdma_pages
lab_new

# hns OPTIONS [SERVER_OPTIONS]: check that a test registers on a device of the driver hns, whose
# ib_map_mr_sg() may sleep. The lab device warns if krping calls it in atomic context.
hns() {
	lab_new hns=1 map_sleeps=1 && pair "${2:-}" "$1" && kr_returned ok && kr_ended server ok &&
		not lab_warned "ib_map_mr_sg.. called in atomic context"
}
check "hns: ping registers in a context that may sleep" hns "$reg"
check "hns: ping with poll registers in a context that may sleep" hns "$reg,poll" poll
check "hns: fr registers in a context that may sleep" hns "fr,count=50,size=256k"
check "hns: fr with poll registers in a context that may sleep" hns "fr,count=50,size=256k,poll"
check "hns: bw registers in a context that may sleep" hns "bw,count=50,size=4k,mem_mode=reg"
lab_new

# kept MAX_MR: let krping divide memory into 16 pieces for a device with small MRs. Then replace the
# device by one with MAX_MR large MRs, for which krping still has to register the 16 pieces.
kept() {
	lab_new mr_entries=16 && kr_bg server "server,addr=0.0.0.0,port=14001,$PATIENT,export=1m,shared,clients=0" &&
		kr "client,addr=$ADDR,port=14001,$PATIENT,put,data=kept" && lab_new "max_mr=$1"
}

enough_mrs() {
	kept 16 && kr "client,addr=$ADDR,port=14001,$PATIENT,get,len=4" && kr_has 'text="kept"'
}
check "memory that krping has divided for small MRs is registered with 16 MRs" enough_mrs
kr_stop

too_few_mrs() {
	kept 15 && klog_mark && kr_fails ECONNREFUSED "client,addr=$ADDR,port=14001,$PATIENT,get,len=4" &&
		klog_has "export=1048576 needs 16 MRs, more"
}
check "memory that krping has divided for small MRs cannot be registered with 15 MRs" too_few_mrs
kr_stop
lab_new

t_end
