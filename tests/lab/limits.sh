#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping works within the limits of a device. If a command exceeds a limit, the result
#   has the limit, or a value that the device accepts.
# Requires: one guest with the lab device
# Duration: 60 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# The lab device is a patched rxe. lab_set and lab_new set its module parameters.
# shellcheck source=lab.inc
. "${0%/*}/lab.inc"
# shellcheck source=disk-load.inc
. "${0%/*}/disk-load.inc"

port=8450

# The connection manager needs queues of 512 WRs and CQs of 1,280 entries, so no check sets smaller
# limits.

# lab_plain OPTIONS: check that a test succeeds on the lab device without limits (lab_new without arguments)
lab_plain() {
	lab_new && lab_runs "$1"
}

check "ping with mem_mode=dma succeeds on the lab device" lab_plain "count=5,size=64k,validate"
check "ping with mem_mode=reg succeeds on the lab device" \
	lab_plain "count=5,size=64k,validate,mem_mode=reg"

# refused OPTIONS WORDS: check that a client with OPTIONS fails with EINVAL and WORDS
refused() {
	kr_bg server "server,addr=$ADDR" && kr_listening server || return 1
	kr_fails_with EINVAL "client,addr=$ADDR,count=5,$1" "$2"
	_status=$?
	kr_stop
	return $_status
}

# advised OPTIONS OPTION: check that a client with OPTIONS is refused, and succeeds with the
# value of OPTION that the result advises, but not with one more
advised() {
	refused "$1" "; try $2=" || return 1
	_advice=$(sed -n "/.*; try $2=\([0-9]*\).*/{s//\1/p;q}" "$KR_RESULT")
	[ "$_advice" ] || why "no advice in the result" || return 1
	lab_runs "count=5,${1%,"$2"=*},$2=$_advice" &&
		refused "${1%,"$2"=*},$2=$((_advice + 1))" "; try $2=$_advice"
}

wqes() {
	lab_new max_qp_wr=600 && advised bw,txdepth=800 txdepth &&
		advised fr,txdepth=400 txdepth
}
check "if a queue needs more WRs than the device has, the result advises a txdepth" wqes

cqes() {
	lab_new max_cqe=1400 && advised bw,txdepth=2000 txdepth
}
check "if a CQ needs more entries than the device has, the result advises a txdepth" cqes

# The CQ has room for 40 QPs if each QP has 8 WRs for control messages, but not if each has 32.
cqes_of_qps() {
	lab_new max_cqe=1400 && lab_runs bw,count=5,qps=40,txdepth=4 &&
		lab_runs wlat,count=5,qps=40 && refused bw,qps=40,txdepth=24 "; try txdepth="
}
check "many QPs share a small CQ" cqes_of_qps

# One thread with 1,024 QPs has one CQ, which has 32,767 entries on rxe.
many_qps() {
	lab_new && lab_runs bw,count=4,qps=1024,txdepth=4
}
check "1,024 QPs share the largest CQ of rxe" many_qps

# Each of four threads has a CQ, so txdepth need not be small.
many_cqs() {
	lab_new && lab_runs bw,count=4,threads=4,qps=256
}
check "1,024 QPs of four threads have four CQs" many_cqs

# The connection manager keeps an address handle from each DREQ to its answer. If there is none, it sends no DREQ, and the
# server waits for its timeout.
few_ahs() {
	lab_new max_ah=100 && lab_runs bw,count=4,threads=4,qps=256
}
check "1,024 QPs of a device with 100 address handles disconnect" few_ahs

sq_memory() {
	lab_new sq_bytes=16384 && advised bw,txdepth=500 txdepth &&
		advised bw,sge=4,size=4k,txdepth=500 txdepth
}
check "if an SQ needs more memory than the device has, the result advises a txdepth" \
	sq_memory

# A WQE has room for the inline data, so fewer WRs fit into the SQ. Without inline data one more fits.
sq_memory_inline() {
	lab_new sq_bytes=32768 && advised bw,inline,size=192,txdepth=500 txdepth &&
		kr_detail_has "or leave out inline" && lab_runs "bw,count=5,size=192,txdepth=$((_advice + 1))"
}
check "if inline data leaves room for fewer WRs in the SQ, the result advises a txdepth" sq_memory_inline

# The SQ of slat does not depend on txdepth, so no txdepth would help.
sq_memory_inline_least() {
	lab_new sq_bytes=1500 && lab_runs slat,count=5,size=192 && kr_bg server "server,addr=$ADDR" &&
		kr_listening server || return 1
	kr_fails_with EOPNOTSUPP "client,addr=$ADDR,slat,inline,count=5,size=192,txdepth=500" \
		"inline: the device does not support 192 bytes"
	_status=$?
	kr_stop
	return $_status
}
check "if inline data leaves no room for the WRs of slat, the result names inline" sq_memory_inline_least

sq_memory_sge() {
	lab_new sq_bytes=3000 && refused slat,sge=32,size=4k "; try sge="
}
check "if the SGEs of an SQ need more memory than the device has, the result advises sge" \
	sq_memory_sge

sq_memory_least() {
	lab_new sq_bytes=1000 && lab_runs count=5,validate && lab_runs wlat,count=5
}
check "ping and wlat run with a small SQ" sq_memory_least

cq_memory() {
	lab_new && lab_set cq_entries=64 && refused bw,txdepth=200 "and accepts" &&
		lab_runs bw,count=5,txdepth=8
}
check "if a CQ needs more memory than the device has, the result has the limit" cq_memory

# The device accepts no QP at all, so a smaller queue would not help.
nothing_left() {
	lab_new sq_bytes=1 || return 1
	kr_bg server "server,addr=$ADDR" && kr_listening server || return 1
	kr_fails_with ENOMEM "client,addr=$ADDR,count=5,bw,txdepth=4" "cannot create QP"
	_status=$?
	kr_stop
	return $_status
}
check "a client ends with ENOMEM if the device has no room for any QP" nothing_left

messages() {
	lab_new max_msg_sz=8192 && lab_runs count=5,size=8k && lab_runs bw,count=5,size=8k &&
		refused bw,size=8193 "the device takes 1 to 8192" &&
		refused size=8193 "the device takes 1 to 8192"
}
check "if a message is larger than the port allows, the result has the limit" messages

number_of_qps() {
	lab_new max_qps=6 && refused bw,qps=8 "the device has at most 6 QPs"
}
check "if a test needs more QPs than the device has, the result has the limit" number_of_qps

read_sges() {
	lab_new max_sge_rd=1 && lab_runs rbw,count=5,size=4k &&
		refused rbw,sge=2,size=4k "accepts 1 to 1 SGEs of an RDMA READ"
}
check "if a READ has more SGEs than the device allows, the result has the limit" read_sges

sges() {
	lab_new max_sge=2 && lab_runs bw,count=5,sge=2,size=4k &&
		refused bw,sge=3,size=4k "sge=3: the device accepts 1 to 2 SGEs"
}
check "if a WR has more SGEs than the device allows, the result has the limit" sges

# one_sge SERVER_OPTIONS CLIENT_OPTIONS: check that a test with 256 KiB succeeds where a WR has one SGE
one_sge() {
	lab_new max_sge=1 && pair "$1" "$2,count=5,size=256k,validate" && kr_returned ok && kr_ended server ok
}
for test in ping bw rbw; do
	check "$test runs on a device with one SGE" one_sge mem_mode=dma $test,mem_mode=dma
	check "$test with mem_mode=reg runs on a device with one SGE" one_sge mem_mode=reg $test,mem_mode=reg
done

# A request of 256 KiB may have 64 pages, and so as many SGEs.
one_sge_disk() {
	lab_new max_sge=1 && disk qps=1 || return 1
	eq "$(cat "/sys/block/$DISK/queue/max_segments")" 1 "the segments of a request" &&
		copy /dev/urandom "$T_TMP/data" count=64 && copy "$T_TMP/data" "/dev/$DISK" bs=256k oflag=direct conv=notrunc &&
		same
}
check "a disk keeps its data on a device with one SGE" one_sge_disk
kr_stop

one_read() {
	lab_new max_reads=1 && lab_runs rlat,count=20,validate &&
		lab_runs rbw,count=50,txdepth=16,validate || return 1
	grep -q '^path .* reads_out=1 reads_in=1$' "$KR_RESULT" || why "no path with one READ in flight"
}
check "rlat and rbw run on a device with one READ in flight" one_read

many_vectors() {
	lab_new vectors=64 && lab_runs slat,count=5,vector=63 &&
		refused slat,vector=64 "the device has 0 to 63"
}
check "the last of 64 completion vectors works, and the error of the next one has the limit" many_vectors

one_vector() {
	lab_new vectors=1 && lab_runs bw,count=5,qps=2,threads=2,cpu=0-1
}
check "the CQs of two threads share the only completion vector" one_vector

lab_ends() {
	lab_new && kr_clean
}
check "krping leaves no resource of the lab device allocated" lab_ends

t_end
