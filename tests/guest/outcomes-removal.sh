#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The removal of an RDMA device ends the tests on this device. A wildcard server still
#   listens, and serves a client of a new device.
# Requires: one guest
# Duration: 1 s on rxe, 2 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"

# Limit in seconds for the end of a test.
PROMPT=60

# lost_device NAME alone|peers: check that the test NAME has ended with ENODEV. With "peers", ECONNRESET
# is right, too, because the disconnect of the test's peer may arrive first. After an ECONNRESET,
# decrement enodev, the number of tests with a peer that have ended with ENODEV.
lost_device() {
	kr_ended "$1" ENODEV $PROMPT && kr_detail_has 'removed' && return 0
	[ "$2" = peers ] && kr_returned ECONNRESET || return 1
	enodev=$((enodev - 1))
}

# removed: check the ends of three tests, of which two are peers
removed() {
	enodev=2
	lost_device bound alone && lost_device client peers &&
		lost_device server peers || return 1
	[ $enodev -gt 0 ] || why 'neither client nor server ended with ENODEV'
}

next_port
running=$port
kr_bg server "server,addr=$ADDR,port=$running"
kr_bg client "client,addr=$ADDR,port=$running"
next_port
kr_bg bound "server,addr=$ADDR,port=$port"
next_port
kr_bg any "server,addr=0.0.0.0,port=$port"
until_ok $PEER_WAIT kr_runs client
klog_mark
rdma link delete "$DEV"
check 'the device is removed under a client, its server, and a listener' removed
wildcard_listens() {
	kr_result any && kr_is status running && kr_running 1 && kr_listening
}
check 'a wildcard server still listens after the removal' wildcard_listens
kr "client,addr=$ADDR,port=$port,count=3"
check 'client: ENODEV without any RDMA device' kr_returned ENODEV

device_again
kr "client,addr=$ADDR,port=$port,count=3,validate"
check 'a wildcard server serves a client of a new device' kr_returned ok
check 'a wildcard server ends after its client of the new device' kr_ended any ok

t_end
