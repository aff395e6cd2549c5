#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Tests, sessions and disks end in order, and a disk keeps its data, if a device completes
#   flushed WRs twice, if a post fails although the device has accepted its WRs, and if a device hands
#   over completions in batches.
# Requires: one guest with the lab device
# Duration: 60 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# The lab device is a patched rxe. lab_set and lab_new set its module parameters.
# shellcheck source=lab.inc
. "${0%/*}/lab.inc"

port=8200

# serve OPTIONS: start a server in the background on a new port; set SERVER to its id
serve() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT${1:+,$1}" && SERVER=$(kr_get id) && kr_listening
}

# client OPTIONS: start a client in the background
client() {
	kr_bg client "client,addr=$ADDR,port=$port,$PATIENT,$1"
}

# disk [OPTIONS]: make a disk on a server whose memory outlives its clients; set ID to the client's id, and
# DISK to the name of the disk
disk() {
	serve export=1m,shared,clients=0 && client "disk${1:+,$1}" && ID=$(kr_get id) && DISK=$(kr_get name)
}

# copy IN OUT [OPTION...]: run dd with small requests
copy() {
	_in=$1 _out=$2
	shift 2
	dd if="$_in" of="$_out" bs=16k "$@" 2>>"$T_TMP/dd.err"
}

# same: check that the disk has the bytes of $T_TMP/data
same() {
	copy "/dev/$DISK" "$T_TMP/read" iflag=direct && cmp "$T_TMP/data" "$T_TMP/read"
}

# load: in the background, write random bytes to the disk and read them back until $T_TMP/enough exists;
# after each pass, make $T_TMP/passed; set LOAD to the process
load() {
	rm -f "$T_TMP/enough" "$T_TMP/passed" "$T_TMP/dd.err"
	copy /dev/urandom "$T_TMP/data" count=64 || return 1
	while [ ! -e "$T_TMP/enough" ]; do
		copy "$T_TMP/data" "/dev/$DISK" oflag=direct conv=notrunc && same || exit 1
		: >"$T_TMP/passed"
	done &
	LOAD=$!
}

# pass: wait until the load has written and read the disk once more
pass() {
	rm -f "$T_TMP/passed"
	until_ok 60 test -e "$T_TMP/passed"
}

# unharmed: end the load, and check that no I/O has failed and that the disk has the right data
unharmed() {
	: >"$T_TMP/enough"
	wait "$LOAD" || why "the I/O failed: $(cat "$T_TMP/dd.err")" || return 1
	same && kr "stop,id=$ID" && kr_ended client ECANCELED && kr_stop && kr_clean
}

# connected N: check that the disk has reconnected N times and has its connections
connected() {
	eq "$(cat "/sys/block/$DISK/reconnects" "/sys/block/$DISK/state" | tr '\n' ' ')" "$1 live " "the disk"
}

# drop: stop the server's test for one connection of the disk, so that the disk loses this connection
drop() {
	kr list || return 1
	_child=$(sed -n "/role=server/{/^id=$SERVER /d;s/^id=\([0-9]*\) .*/\1/p}" "$KR_RESULT" | tail -n 1)
	[ "$_child" ] || why "the server has no client" || return 1
	kr "stop,id=$_child"
}

# writes: write to the disk until a request fails. Write to an open descriptor, because dd would create
# a file of the disk's name when the disk is gone.
writes() {
	exec 7<>"/dev/$DISK"
	while copy /dev/zero /proc/self/fd/7 count=16 oflag=direct conv=notrunc; do :; done
}

#
# Flushed WRs complete twice. siw completes a READ twice if the QP fails at the right moment.
#

lab_set flush_twice=1

# repeated: check that the device has put a completion on a CQ twice
repeated() {
	[ "$(cat "$lab_params/twice")" -gt 0 ] || why "no completion came twice"
}

# in_flight: check that the disk has a request in flight
in_flight() {
	read -r _reads _writes <"/sys/block/$DISK/inflight"
	[ $((_reads + _writes)) -gt 0 ] || why "no request is in flight"
}

# stalled: let the device begin no WR from now on, and wait for a request of the disk that waits for the device
stalled() {
	lab_set twice=0 stall=1 && until_ok 20 in_flight
}

# loses N: let the disk lose its connection for the Nth time
loses() {
	pass && stalled && drop && until_ok 20 repeated && lab_set stall=0 && until_ok 60 connected "$1"
}

reconnects() {
	disk "$1" && load || return 1
	loses 1 && loses 2 && loses 3
	_lost=$?
	lab_set stall=0
	unharmed && return $_lost
}
check "flush_twice: a disk with two queues loses three connections, and the data is right" \
	reconnects reconnect=60,qps=2
kr_stop
check "flush_twice: a polled disk loses three connections, and the data is right" reconnects reconnect=60,poll
kr_stop

forced() {
	disk "$1" || return 1
	writes &
	_writer=$!
	until_ok 60 kr_runs client 20 && stalled && kr "stop,id=$ID,force" && kr_ended client ECANCELED && wait $_writer &&
		[ ! -e "/sys/block/$DISK" ] && repeated
	_forced=$?
	lab_set stall=0
	kr_stop
	[ $_forced = 0 ] && kr_clean
}
check "flush_twice: stop,force fails the requests of a disk, and removes the disk" forced qps=1
kr_stop
check "flush_twice: stop,force removes a disk with reconnect" forced reconnect=60
kr_stop

# stopped: stop the server of a client whose WRs wait for the device
stopped() {
	kr "stop,id=$SERVER" && kr_ended client ECONNRESET && kr_ended server ECANCELED && repeated
	_stopped=$?
	lab_set stall=0
	[ $_stopped = 0 ] && kr_clean
}
server_stops() {
	serve "" && client "count=0,$1" && until_ok 20 kr_runs client && lab_set twice=0 stall=1 || return 1
	# Both sides post within milliseconds, and then wait for the device.
	sleep 0.5
	stopped
}
for test in ping bw,txdepth=64 rbw,txdepth=64 sbw,txdepth=64 wlat wlat,poll; do
	check "flush_twice: $test: the client of a stopped server ends with ECONNRESET" server_stops $test
	kr_stop
done

# put_waits: check that the session has posted a put
put_waits() {
	kr_result client && kr_is write_msgs 1
}
session_ends() {
	serve export=64k && client session && ID=$(kr_get id) && lab_set twice=0 stall=1 || return 1
	kr_fg put "put,id=$ID,data=hello"
	until_ok 20 put_waits && stopped && kr_ended put ECONNRESET
}
check "flush_twice: a put ends with ECONNRESET when its server is stopped" session_ends
kr_stop
lab_set flush_twice=0

#
# A post returns an errno, names no WR, and all WRs run. siw returns EIO if it cannot start to send.
#

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
	serve "" && client "count=0,$2" && until_ok 20 kr_runs client || return 1
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

#
# The device hands over eight completions at once, or fewer after a tick.
#

lab_set hold=8

# batched N: check that the device has handed over N completions at once
batched() {
	[ "$(cat "$lab_params/batch")" -ge "$1" ] || why "only $(cat "$lab_params/batch") completions at once"
}

# held N ITERATIONS OPTIONS WRITTEN: run a client to its end, and check the figures of both sides, and that
# the device has handed over N completions at once
held() {
	lab_set batch=0 && pair "" "count=$2,size=64,$3" && kr_returned ok && kr_is iterations "$2" &&
		kr_is write_msgs "$4" && kr_is write_bytes $(($4 * 64)) && kr_ended server ok && batched "$1"
}
check "hold: ping counts its iterations" held 1 20 ping,validate 0
check "hold: bw counts its WRITEs" held 8 1000 bw,cqmod=1,txdepth=64 1000
check "hold: a polled bw counts its WRITEs" held 8 1000 bw,cqmod=1,txdepth=64,poll 1000
check "hold: wlat counts its WRITEs" held 1 200 wlat,warmup=0 200
check "hold: a polled wlat counts its WRITEs" held 1 200 wlat,warmup=0,poll 200

held_disk() {
	lab_set batch=0 && disk qps=2 && load || return 1
	pass && pass
	unharmed && batched 2
}
check "hold: a disk keeps its data" held_disk
kr_stop
lab_set hold=0

t_end
