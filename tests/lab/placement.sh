#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: No test depends on the order in which the device places the bytes of a message. The lab
#   device places the payload of WRITEs, READs and SENDs by cache lines, the last one first, or in an order that
#   differs from packet to packet.
# Requires: one guest with the lab device
# Duration: 30 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# The lab device is a patched rxe. lab_set and lab_new set its module parameters.
# shellcheck source=lab.inc
. "${0%/*}/lab.inc"

# accepts PARAMETER...: check that each test finds the right data with these parameters of the device. Without
# validate, wlat polls the first and the last byte.
accepts() {
	lab_new "$@" && lab_runs wlat,count=20,size=5000 || return 1
	for _test in ping wlat rlat slat bw rbw sbw; do
		lab_runs "$_test,count=20,size=5000,validate" || why "$_test failed" || return 1
	done
	pair mem_mode=reg "rbw,count=20,size=64k,validate,mem_mode=reg" && kr_returned ok && kr_ended server ok
}
check "each test accepts payload that the device places last line first" accepts backward=1
check "each test accepts payload that the device places in any order" accepts shuffle=1
check "each test accepts payload whose last line the device places first, the others in any order" \
	accepts backward=1 shuffle=1

# lasts OPTIONS: check that an operation of 128 bytes, two cache lines, takes at least 4 ms. The device waits 5 ms
# before it places the second line. A test that does not wait is faster only while both CPUs of the guest run, which
# is rare on a busy machine, so there are many iterations.
lasts() {
	pair "" "$1,count=200,size=128" && kr_returned ok || return 1
	_min=$(kr_get min)
	kr_ended server ok || return 1
	[ "$_min" -ge 4000000 ] || why "$1 measured $_min ns, less than 4 ms"
}

first_byte() {
	lab_new backward=5000 && lasts wlat
}
check "wlat waits for the first byte that the device places last" first_byte

either_byte() {
	lab_new shuffle=5000 && lasts wlat
}
check "wlat waits for the first and the last byte, in whichever order the device places them" either_byte

reads_and_sends() {
	lab_new backward=5000 && lasts rlat && lasts rlat,mem_mode=reg && lasts slat
}
check "rlat and slat wait for the first byte that the device places last" reads_and_sends

TRACING=/sys/kernel/tracing

# placed TEST: check the order in which the device places 1,000 bytes, 16 cache lines of which the last one has 40
# bytes. The last line of each packet is the first, the other lines follow once each, and the order differs from
# packet to packet.
placed() {
	lab_new backward=1 shuffle=1 || return 1
	# shellcheck disable=SC2016 # the kernel's words
	echo 'p:lab/piece lab_copy_piece bus=$arg1:u64 len=$arg3:u64 to=$arg4:u8' >$TRACING/kprobe_events &&
		echo "to == 1" >$TRACING/events/lab/piece/filter && : >$TRACING/trace &&
		trace_enable 1 $TRACING/events/lab/enable || return 1
	lab_runs "$1,count=8,size=1000,validate"
	_status=$?
	trace_enable 0 $TRACING/events/lab/enable
	# shellcheck disable=SC2046 # two words
	set -- $(sed -n 's/.* bus=\([0-9]*\) len=\([0-9]*\) .*/\1 \2/p' $TRACING/trace | awk '
		{ page = int($1 / 4096); off = $1 % 4096 }
		$2 == 40 && off % 64 == 0 { order[page] = ":"; n[page] = 0; last[page] = off; next }
		!(page in order) { next }
		$2 != 64 || off >= last[page] || off < last[page] - 960 || index(order[page], ":" off ":") {
			delete order[page]
			next
		}
		{ order[page] = order[page] off ":" }
		++n[page] == 15 { packets++; orders += !seen[order[page]]++; delete order[page] }
		END { print packets + 0, orders + 0 }')
	echo >$TRACING/kprobe_events
	[ "$1" -ge 8 ] || why "$1 packets were placed last line first and each line once, fewer than 8" || return 1
	[ "$2" -ge 4 ] || why "$1 packets were placed in $2 orders, fewer than 4" || return 1
	return $_status
}
if [ -e $TRACING/kprobe_events ]; then
	check "the device places the payload of WRITEs in any order" placed wlat
	check "the device places the payload of READs in any order" placed rlat
else
	skip "the device places the payload of WRITEs and READs in any order" "the kernel has no kprobe events"
fi

lab_ends() {
	lab_new && kr_clean
}
check "payload in any order leaves no resource of the lab device allocated" lab_ends

t_end
