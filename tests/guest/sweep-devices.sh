#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: scripts/sweep measures with several devices, and writes the results of each into a
#   directory of its own. SIGTERM ends the sweep. After a device with a wrong address, the sweep
#   measures with the next device. results.txt is replaced atomically.
# Requires: one guest with any device
# Duration: 60 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

PORT=17050
OUT=$T_TMP/out
LOG=$T_TMP/log
OTHER=${TYPE}7
OTHER_ADDR=10.0.7.1

# sweep OPTION...: run a short sweep
sweep() {
	./scripts/sweep --port $PORT --local --kinds rlat --sizes 1,64 --modes dma --count 20 --warmup 5 \
		"$@" >"$LOG" 2>&1
}

# ends STATUS OPTION...: run a sweep, and check its exit status
ends() {
	_want=$1
	shift
	sweep "$@"
	eq $? "$_want" status || why "$T_WHY: $(cat "$LOG")"
}

# second_device: add the RDMA device OTHER, with the address OTHER_ADDR
second_device() {
	ip link add krping7 type dummy && ip addr add $OTHER_ADDR/24 dev krping7 &&
		ip link set krping7 up && rdma link add "$OTHER" type "$TYPE" netdev krping7 || return 1
	[ "$TYPE" != rxe ] ||
		until_ok 60 grep -qs 0a00:0701 "/sys/class/infiniband/$OTHER/ports/1/gids/"*
}

# measured_by DEVICE: check that DEVICE has two results, which name DEVICE
measured_by() {
	eq "$(awk -F '\t' 'NR > 1 { print $4, $9 }' "$OUT/$1/results.tsv" | uniq -c | tr -s ' ')" " 2 $1 ok" "rows"
}

# labels: check that the label in the results of each device ends with the device's name
labels() {
	eq "$(cut -f 1 "$OUT/$DEV/results.tsv" | tail -n 1)" "lab, $DEV" label &&
		eq "$(cut -f 1 "$OUT/$OTHER/results.tsv" | tail -n 1)" "lab, $OTHER" label
}

# compared: check that the table of krping compare has both tests of each device
compared() {
	./scripts/krping compare "$OUT" "$OUT" >"$LOG" 2>&1 || why "$(cat "$LOG")" || return 1
	eq "$(awk -v one="$DEV" -v other="$OTHER" \
		'$1 == one || $1 == other { print $1, $2, $3, $4 }' "$LOG")" "$DEV rlat 1 dma
$DEV rlat 64 dma
$OTHER rlat 1 dma
$OTHER rlat 64 dma" rows
}

# case_replaced: make a hard link to results.txt after the first result, and check that the linked file
# does not change when the sweep adds results
case_replaced() {
	sweep --addr "$ADDR" --duration 2 --sizes 1 --repeat 3 "$T_TMP/whole" &
	_pid=$!
	until_ok 250 has_one && ln "$T_TMP/whole/results.txt" "$T_TMP/linked"
	cp "$T_TMP/linked" "$T_TMP/early"
	wait $_pid || why "$(cat "$LOG")" || return 1
	eq "$(grep -c '^# end$' "$T_TMP/whole/results.txt")" 3 results || return 1
	cmp "$T_TMP/linked" "$T_TMP/early" || why "results.txt is written in place" || return 1
	not ls "$T_TMP/whole/"*.tmp 2>/dev/null
}
has_one() {
	grep -qs '^# end$' "$T_TMP/whole/results.txt"
}

# Send SIGTERM only to the script, not to its children, while it measures with the first device.
case_interrupted() {
	./scripts/sweep --port $PORT --local --kinds rlat --sizes 1 --modes dma --duration 60 \
		--devices "$DEV=$ADDR,$OTHER=$OTHER_ADDR" "$T_TMP/early.d" >"$LOG" 2>&1 &
	_pid=$!
	until_ok 250 measures || why "no test runs: $(cat "$LOG")" || return 1
	kill $_pid
	wait $_pid
	eq $? 143 status && not test -e "$T_TMP/early.d/$OTHER" || return 1
	# the only test was interrupted and has no result
	eq "$(grep -c '^# end$' "$T_TMP/early.d/$DEV/results.txt")" 0 results
}
measures() {
	kr list && grep -q ' test=rlat role=client .* iterations=[1-9]' "$KR_RESULT"
}

check "sweep: a second device can be added" second_device
check_within 300 "sweep --devices measures with both devices" \
	ends 0 --label lab --devices "$DEV=$ADDR,$OTHER=$OTHER_ADDR" "$OUT"
check "sweep --devices lists the devices with results" eq "$(cat "$OUT/devices")" "$DEV
$OTHER"
check "sweep --devices: the results of the first device name this device" measured_by "$DEV"
check "sweep --devices: the results of the second device name this device" measured_by "$OTHER"
check "labels of a sweep of several devices name the device" labels
check_within 300 "the same command succeeds, and repeats no measurement" \
	ends 0 --label lab --devices "$DEV=$ADDR,$OTHER=$OTHER_ADDR" "$OUT"
check "the same command finds the results of each device" \
	eq "$(grep -c '2 of 2 results exist already' "$LOG")" 2
check "compare has a row for each test of each device" compared
check_within 300 "if the address is not that of the device, the sweep reports an error and measures the next device" \
	ends 1 --devices "$OTHER=$ADDR,$DEV=$ADDR" "$T_TMP/swapped"
check "a device without results is not listed" eq "$(cat "$T_TMP/swapped/devices")" "$DEV"
check_within 300 "SIGTERM ends the sweeps of all devices" case_interrupted
check "an interrupted sweep of devices leaves no test" until_ok 60 kr_none
check_within 300 "sweep replaces results.txt atomically" case_replaced
rdma link delete "$OTHER"
ip link delete krping7

t_end
