#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: If a device flushes no QP, so that a drain never completes, each test, each disk, stop and rmmod
#   still end, and the kernel log names the device and the QP. A disk with reconnect keeps its data.
# Requires: one guest with the lab device
# Duration: 240 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# The lab device is a patched rxe. With lose_flush=1 no flushed WR completes.
# shellcheck source=lab.inc
. "${0%/*}/lab.inc"
# shellcheck source=disk-load.inc
. "${0%/*}/disk-load.inc"

port=8400

# Limit in seconds for the end of a test: a drain takes 15 s, and each CQ of the test may need one when the
# connection is lost and another one in the teardown.
ENDS=90

# told: check that the log names the device and a QP that it has not flushed
told() {
	klog_has "test [0-9]*: $DEV has not flushed QP [0-9]* for 15 s, a fault of the device"
}

# pair_ends SERVER_OPTIONS CLIENT_OPTIONS: check that a client and its server succeed, and then end
pair_ends() {
	klog_mark
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT$1" &&
		kr_bg client "client,addr=$ADDR,port=$port,$PATIENT,$2" &&
		kr_ended client ok $ENDS && kr_ended server ok $ENDS && told && kr_clean
}

lab_set lose_flush=1
check "lose_flush: ping ends" pair_ends "" ping,count=3
check "lose_flush: a polled wlat ends" pair_ends ,poll wlat,poll,count=100
check "lose_flush: bw with four QPs ends" pair_ends "" bw,qps=4,count=100
check "lose_flush: sbw with an SRQ ends" pair_ends ,srq sbw,srq,count=100

# stopped: check that a stop ends a test and returns
stopped() {
	klog_mark
	serve "" && client ping,count=0 && until_ok 60 kr_runs client || return 1
	kr_fg stopper stop
	kr_ended stopper ok $ENDS && kr_ended client ECANCELED $ENDS && kr_wait server $ENDS && told && kr_clean
}
check "lose_flush: a stop ends a running test" stopped
lab_set lose_flush=0
kr_stop

# flushless COMMAND...: run COMMAND while the device flushes no QP
flushless() {
	lab_set lose_flush=1
	"$@"
	_flushless=$?
	lab_set lose_flush=0
	return $_flushless
}

removed() {
	klog_mark
	disk "$1" && flushless kr "stop,id=$ID" && kr_ended client ECANCELED $ENDS && [ ! -e "/sys/block/$DISK" ] &&
		told
}
check "lose_flush: stop removes a disk" removed qps=1
kr_stop
check "lose_flush: stop removes a polled disk" removed poll
kr_stop

# lost: lose the connections of the disk while requests wait for the device, which flushes no QP
lost() {
	pass && lab_set stall=1 && until_ok 60 in_flight && drop && until_ok $ENDS told
	_lost=$?
	lab_set stall=0
	return $_lost
}
reconnects() {
	klog_mark
	disk reconnect=120 && load && flushless lost && until_ok $ENDS connected 1 && unharmed
}
check "lose_flush: a disk reconnects, and the data is right" reconnects
kr_stop

check "the module can be removed after lost drains" kr_reload

t_end
