#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: No DMA mapping of krping exceeds the limit of the DMA API. With bounce buffers, one
#   mapping has at most 256 KiB, but mem_mode=reg still registers 2 MiB, and mem_mode=dma fails with
#   an error that names the limit. A buffer's mapping has whole pages, which an MR needs. wlat syncs only
#   the cache lines of the first and the last byte, and ping only the bytes of its data. An IOMMU may merge the
#   entries of a buffer; krping syncs the original entries.
# Requires: one guest with the lab device, with or without bounce buffers or an IOMMU
# Duration: 20 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# The lab device is a patched rxe. lab_set and lab_new set its module parameters.
# shellcheck source=lab.inc
. "${0%/*}/lab.inc"

check "ping registers a buffer of 64 KiB and a tail of 100 bytes" lab_runs \
	"count=3,size=65636,validate,mem_mode=reg"
check "ping registers a buffer of 2 MiB" lab_runs "count=2,size=2m,validate,mem_mode=reg"

writes() {
	pair mem_mode=reg "wlat,count=2,size=1m,validate,mem_mode=reg" && kr_returned ok &&
		kr_ended server ok
}
check "wlat WRITEs 1 MiB to a registered buffer" writes

# bounced: check that the device's mappings have bounce buffers
bounced() {
	dmesg | grep -q 'lab: DMA .*bounced'
}

# short_tail: check that krping maps a tail of 100 bytes with the rest of its page, to whole bounce slots at
# a page boundary. With bounce_holes=1 a mapping of only the 100 bytes would get a single free slot, which is
# not page-aligned, and an MR cannot continue there.
short_tail() {
	lab_set bounce_holes=1 && lab_runs "count=3,size=65636,validate,mem_mode=reg"
	_status=$?
	lab_set bounce_holes=0 && return $_status
}
if bounced; then
	check "a registered buffer with a tail of 100 bytes, if no short bounce slot is page-aligned" short_tail
else
	skip "a tail of 100 bytes, if no short bounce slot is page-aligned" "no bounce buffers"
fi

# short_registers TEST: run TEST with MRs of less than a page. Bounce buffers of less than a page would
# often begin within a page, and cross its end.
short_registers() {
	for _size in 3000 2100 300; do
		pair mem_mode=reg "$1,count=5,size=$_size,validate,mem_mode=reg" && kr_returned ok &&
			kr_ended server ok || return 1
	done
}
for test in bw rbw sbw; do
	check "$test registers buffers of less than a page" short_registers $test
done

shares() {
	pair share,mem_mode=reg "bw,qps=4,count=5,size=64,validate,share,mem_mode=reg" && kr_returned ok &&
		kr_ended server ok
}
check "share registers four buffers of 64 bytes by one MR" shares

TRACING=/sys/kernel/tracing

# sync_probes: count the copies between buffers and bounce buffers, and record those of more than
# 256 bytes
sync_probes() {
	for _way in cpu device; do
		# shellcheck disable=SC2016 # the kernel's words
		echo "p:lab/sync_$_way $_sync$_way size=\$arg3:u64" \
			>>$TRACING/kprobe_events && echo "size > 256" >$TRACING/events/lab/sync_$_way/filter
	done
	trace_enable 1 $TRACING/events/lab/enable
}

# copies_ends: check that wlat copies at least eight lines in each of 500 iterations, but no whole
# buffers. Set-up and teardown copy whole buffers fewer than 20 times.
copies_ends() {
	: >$TRACING/trace
	pair mem_mode=dma "wlat,count=500,size=64k" && kr_returned ok && kr_ended server ok || return 1
	_hits=$(awk '/sync_(cpu|device)/ { n += $2 } END { print n + 0 }' $TRACING/kprobe_profile)
	[ "$_hits" -ge 4000 ] || why "the probes have counted only $_hits copies, fewer than 4000" || return 1
	_large=$(grep -c 'size=65536$' $TRACING/trace)
	[ "$_large" -lt 20 ] || why "$_large copies of a whole buffer, 20 or more"
}

# copies_data: check that ping copies the 300 bytes of its data in each of 100 iterations, and the whole
# page only in set-up and teardown
copies_data() {
	: >$TRACING/trace
	pair mem_mode=dma "count=100,size=300,validate,mem_mode=dma" && kr_returned ok && kr_ended server ok || return 1
	_data=$(grep -c 'size=300$' $TRACING/trace)
	[ "$_data" -ge 300 ] || why "only $_data copies of 300 bytes, fewer than 300" || return 1
	_large=$(grep -c "size=$PAGE\$" $TRACING/trace)
	[ "$_large" -lt 20 ] || why "$_large copies of a page, 20 or more"
}
# The name of the function that syncs for the CPU, without "cpu" at its end; in later kernels the name begins
# with two underscores. The 5.10 kernel syncs by swiotlb_tbl_sync_single(), which has no function for each direction.
_sync=$(sed -n 's/.* \(_*swiotlb_sync_single_for_\)cpu$/\1/p' /proc/kallsyms | head -n 1)
if bounced && [ -e $TRACING/kprobe_events ] && [ -z "$_sync" ]; then
	skip "wlat copies the ends of a buffer only" "the kernel has no swiotlb_sync_single_for_cpu()"
elif bounced && [ -e $TRACING/kprobe_events ]; then
	check "the copies between buffers and bounce buffers are counted" sync_probes
	check "wlat of 64 KiB copies the lines of the first and the last byte only" copies_ends
	check "ping of 300 bytes copies only these bytes" copies_data
	trace_enable 0 $TRACING/events/lab/enable
	echo >$TRACING/kprobe_events
else
	skip "wlat copies the ends of a buffer only" "no bounce buffers, or no kprobe events"
fi

# merges: check that the DMA API merges the two entries of a buffer, its 64 KiB and the page of its tail, to one, and
# that the data is right
merges() {
	# shellcheck disable=SC2016 # the kernel's words
	echo 'p:lab/map iommu_dma_map_sg nents=$arg3:s32' >$TRACING/kprobe_events &&
		echo 'r:lab/mapped iommu_dma_map_sg merged=$retval:s32' >>$TRACING/kprobe_events &&
		trace_enable 1 $TRACING/events/lab/enable && : >$TRACING/trace || return 1
	lab_runs "count=3,size=65636,validate,mem_mode=reg"
	_status=$?
	trace_enable 0 $TRACING/events/lab/enable
	_merged=$(awk '/ nents=2$/ { two[$1] = 1; next }
		/ merged=1$/ && two[$1] { n++ }
		{ delete two[$1] }
		END { print n + 0 }' $TRACING/trace)
	echo >$TRACING/kprobe_events
	[ "$_merged" -gt 0 ] || why "no list of two entries was merged to one" || return 1
	return $_status
}
# syncs_entries: check that each sync of a list has the two entries that krping has mapped, not the one of the merged
# mapping. The entries beyond the merged ones have no DMA address.
syncs_entries() {
	# shellcheck disable=SC2016 # the kernel's words
	echo 'p:lab/sync dma_sync_sg_for_cpu nents=$arg3:s32' >$TRACING/kprobe_events &&
		trace_enable 1 $TRACING/events/lab/enable && : >$TRACING/trace || return 1
	lab_runs "count=3,size=65636,validate,mem_mode=reg"
	_status=$?
	trace_enable 0 $TRACING/events/lab/enable
	_two=$(grep -c ' nents=2$' $TRACING/trace)
	_others=$(grep ' nents=' $TRACING/trace | grep -vc ' nents=2$')
	echo >$TRACING/kprobe_events
	[ "$_two" -ge 3 ] || why "only $_two syncs of two entries, fewer than 3" || return 1
	[ "$_others" = 0 ] || why "$_others syncs of another number of entries" || return 1
	return $_status
}

if ! dmesg | grep -q 'lab: DMA .*an IOMMU translates'; then
	skip "the DMA API merges the entries of a buffer" "no IOMMU"
elif grep -q ' intel_map_sg$' /proc/kallsyms; then
	# as in 5.10
	skip "the DMA API merges the entries of a buffer" "the driver of the IOMMU maps lists itself, and merges none"
elif [ ! -e $TRACING/kprobe_events ] || ! grep -q ' iommu_dma_map_sg$' /proc/kallsyms; then
	skip "the DMA API merges the entries of a buffer" "the kernel has no iommu_dma_map_sg(), or no kprobe events"
else
	check "the DMA API merges the entries of a buffer, and its data is right" merges
	if grep -q ' dma_sync_sg_for_cpu$' /proc/kallsyms; then
		check "a sync of a merged buffer has the entries that were mapped" syncs_entries
	else
		# as in 6.12
		skip "a sync of a merged buffer has the entries that were mapped" "the kernel syncs no coherent device"
	fi
fi

# refused OPTIONS: check that a mapping of 1 MiB is refused with the limit if it is bounced, and
# succeeds otherwise
refused() {
	kr_bg server "server,addr=$ADDR" && kr_listening server || return 1
	if bounced; then
		kr_fails_with EINVAL "client,addr=$ADDR,count=2,size=1m,$1" 262144
	else
		kr "client,addr=$ADDR,count=2,size=1m,$1"
	fi
	_status=$?
	kr_stop
	return $_status
}

check "ping with a contiguous buffer of 1 MiB succeeds, or the error names the limit" \
	refused mem_mode=dma
check "slat with a RECV buffer of 1 MiB succeeds, or the error names the limit" \
	refused slat,mem_mode=reg
# With duplex, the client has RECV buffers, too.
check "sbw in both directions with RECV buffers of 1 MiB succeeds, or the error names the limit" \
	refused sbw,duplex,mem_mode=reg

# The scenario init_both writes 1 MiB to the server's region, and reads the bytes back.
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
check "krdma: a region of 1 MiB works, although a bounced mapping has at most 256 KiB" krdma_region

t_end
