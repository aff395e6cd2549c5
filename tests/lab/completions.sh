#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Tests, sessions and disks end in order, and a disk keeps its data, if a device completes
#   flushed WRs twice, and if a device hands over completions in batches.
# Requires: one guest with the lab device
# Duration: 40 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# The lab device is a patched rxe. lab_set and lab_new set its module parameters.
# shellcheck source=lab.inc
. "${0%/*}/lab.inc"
# shellcheck source=disk-load.inc
. "${0%/*}/disk-load.inc"

port=8200

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

# stalled: let the device begin no WR from now on, and wait for a request of the disk that waits for the device
stalled() {
	lab_set twice=0 stall=1 && until_ok 60 in_flight
}

# loses N: let the disk lose its connection for the Nth time
loses() {
	pass && stalled && drop && until_ok 60 repeated && lab_set stall=0 && until_ok 60 connected "$1"
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
	serve "" && client "count=0,$1" && until_ok 60 kr_runs client && lab_set twice=0 stall=1 || return 1
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
	until_ok 60 put_waits && stopped && kr_ended put ECONNRESET
}
check "flush_twice: a put ends with ECONNRESET when its server is stopped" session_ends
kr_stop
lab_set flush_twice=0

#
# The device hands over eight completions at once, or fewer after a tick or two.
#

lab_set hold=8

# batched N: check that the device has handed over N completions at once
batched() {
	[ "$(cat "$lab_params/batch")" -ge "$1" ] || why "only $(cat "$lab_params/batch") completions at once"
}

# held N ITERATIONS OPTIONS WRITTEN: run a client to its end. Check its iterations and its WRITTEN WRITEs of
# 64 bytes, that its server has ended without an error, and that the device has handed over N completions at once.
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

# An iteration of ping needs completions on both sides, which the device holds back for 20 ms. The clock of a guest
# may be wrong by some percent if its TSC was calibrated while the machine was busy.
held_long() {
	lab_set hold_us=20000 && pair "" "ping,count=5,validate" && kr_returned ok && kr_ended server ok || return 1
	[ "$(kr_get min)" -ge 16000000 ] || why "an iteration took only $(kr_get min) ns"
}
check "hold_us: the latency of ping includes the time in which completions are held back" held_long

# The completions of the connection manager are held back, too, so begin to hold them back after connecting.
held_too_long() {
	lab_set hold=0 hold_us=0 && serve "" && kr_bg client "client,addr=$ADDR,port=$port,timeout=2000" &&
		until_ok 60 kr_runs client || return 1
	lab_set hold=64 hold_us=5000000
	kr_ended client ETIMEDOUT
}
check "hold_us: a test ends if completions are held back for longer than its timeout" held_too_long
lab_set hold=0 hold_us=0
kr_stop

t_end
