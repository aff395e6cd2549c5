#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Tests and sessions end with EIO, and a disk keeps its data, if a post returns an errno and names no
#   WR, although all of its WRs run. siw returns EIO if it cannot start to send.
# Requires: one guest with the lab device
# Duration: 30 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# The lab device is a patched rxe. lab_set and lab_new set its module parameters.
# shellcheck source=lab.inc
. "${0%/*}/lab.inc"
# shellcheck source=disk-load.inc
. "${0%/*}/disk-load.inc"

port=8400

# The device warns if krping has unmapped the memory of a WR that the device flushes.
lab_set mapped=1
# The numbers are those of errno.h.
ENOMEM=12 EIO=5

# failed: check that the device has let a post fail
failed() {
	lab_limit post_unnamed 0
}

# post_lost N: let the post of a request fail, so that the disk connects for the Nth time. The device begins
# no WR meanwhile, so krping has to flush the request before it unmaps the pages.
post_lost() {
	pass && lab_set stall=1 post_unnamed=1 && until_ok 60 failed
	_lost=$?
	lab_set stall=0
	[ $_lost = 0 ] && until_ok 60 connected "$1"
}

# keeps LOSSES ERRNO OPTIONS: let LOSSES posts of requests fail with ERRNO, and check that a disk keeps its data
keeps() {
	lab_set "unnamed_errno=$2" && disk "$3,reconnect=60" && load || return 1
	_n=0
	while [ $_n != "$1" ] && post_lost $((_n + 1)); do
		_n=$((_n + 1))
	done
	unharmed && eq $_n "$1" "number of lost posts"
}
check "post_unnamed: a disk keeps its data if posts fail with ENOMEM" keeps 3 $ENOMEM qps=2
kr_stop
# krping waits 10 s for the removal of a device that has returned EIO.
check "post_unnamed: a disk keeps its data if a post fails with EIO" keeps 1 $EIO qps=1
kr_stop

# post_fails ERRNO OPTIONS: let a post of the client or of the server fail with ERRNO; check that the side
# whose post has failed ends with EIO. The other side has no error if all WRs of an iteration have run.
post_fails() {
	serve "" && client "count=0,$2" && until_ok 60 kr_runs client || return 1
	lab_set "unnamed_errno=$1" post_unnamed=20 && kr_all_ended "client server" EIO ECONNRESET ok && failed &&
		kr_clean || return 1
	case $KR_SEEN in
	*EIO*) ;;
	*) why "the two sides have ended with $KR_SEEN" ;;
	esac
}
for test in ping ping,mem_mode=reg bw,batch=8,cqmod=8,txdepth=64 wlat; do
	check "post_unnamed: $test: EIO if a post fails with ENOMEM" post_fails $ENOMEM $test
	kr_stop
done
check "post_unnamed: bw: EIO if a post fails with EIO" post_fails $EIO bw,batch=8,cqmod=8,txdepth=64
kr_stop

put_fails() {
	serve export=64k && client session && ID=$(kr_get id) || return 1
	lab_set "unnamed_errno=$ENOMEM" post_unnamed=1 && kr_fails EIO "put,id=$ID,data=hello" &&
		kr_ended client EIO && failed && kr_clean
}
check "post_unnamed: EIO if the post of a put fails" put_fails
kr_stop
lab_set unnamed_errno=0 mapped=0

t_end
