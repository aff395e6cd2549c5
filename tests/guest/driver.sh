#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A local QP operation error means a lost connection on siw only, which reports the error
#   when TCP fails. On other iWARP devices krping reports the error. krping_driver.ko lets siw state the
#   driver id of another device, and krping_corrupt.ko posts a WR that the device fails.
# Requires: one guest
# Duration: 3 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

[ "$TYPE" = siw ] || skip_all "siw is the only device with this fault"

PARAM=/sys/module/krping_corrupt/parameters
check "driver: krping_corrupt.ko can be loaded" insmod /lib/modules/extra/krping_corrupt.ko post=siw_post_send

# fails_third OP TEST: run a pair of which the device fails the client's third operation
fails_third() {
	echo "$1" >$PARAM/op
	echo lkey >$PARAM/fault
	echo 3 >$PARAM/nth
	pair "" "$2,size=1000,count=100"
	eq "$(cat $PARAM/hits)" 1 "number of operations with a wrong lkey"
}

# as_lost OP TEST: check that the client reports a lost connection
as_lost() {
	fails_third "$1" "$2" && kr_returned ECONNRESET
}

# as_error OP TEST: check that the client reports the status of the failed operation
as_error() {
	fails_third "$1" "$2" && kr_returned EIO && kr_has 'wc_status="local QP operation error"'
}

check "siw: a WRITE with a local QP operation error is a lost connection" as_lost write bw
check "siw: a SEND with a local QP operation error is a lost connection" as_lost send slat
check "driver: krping_driver.ko can be loaded" insmod /lib/modules/extra/krping_driver.ko device="$DEV"
check "another iWARP device: a WRITE with a local QP operation error is EIO" as_error write bw
check "another iWARP device: a SEND with a local QP operation error is EIO" as_error send slat
rmmod krping_driver
rmmod krping_corrupt
t_end
