#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: If a device loses the completion of a WR for ever, a disk ends its requests with an error; with
#   reconnect it connects again and repeats the requests. If a device completes a WR twice, tests and users of
#   krdma.h succeed.
# Requires: one guest with the lab device
# Duration: 60 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# The lab device is a patched rxe. lab_set sets its module parameters, and lab_limit checks them. With lose_cqe=N
# the device loses the Nth completion from now of a READ or WRITE with data. With success_twice=N the Nth WR that
# succeeds from now on completes twice. Both count down to 0.
# shellcheck source=lab.inc
. "${0%/*}/lab.inc"

port=8300

# Limit of a check in seconds: a check that takes longer fails as hung.
T_LIMIT=120

# serve: start a server, whose memory outlives its clients, in the background on a new port
serve() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT,export=1m,shared,clients=0" && kr_listening
}

# idle: check that the disk has no request in flight
idle() {
	read -r _reads _writes <"/sys/block/$DISK/inflight" && [ $((_reads + _writes)) = 0 ]
}

# disk OPTIONS: make a disk on a new server, and wait until the kernel has read the partition table and has read
# ahead; set ID to the client's id, and DISK to the name of the disk
disk() {
	serve && kr_bg client "client,addr=$ADDR,port=$port,disk,$1" && ID=$(kr_get id) && DISK=$(kr_get name) &&
		until_ok 20 idle
}

# copy IN OUT [OPTION...]: run dd with small requests
copy() {
	_in=$1 _out=$2
	shift 2
	dd if="$_in" of="$_out" bs=16k "$@" 2>"$T_TMP/dd.err"
}

# lost: check that the device has lost a completion
lost() {
	lab_limit lose_cqe 0
}

# fails_io COMMAND...: check that dd ends with an I/O error
fails_io() {
	not "$@" && { grep -q "Input/output error" "$T_TMP/dd.err" || why "dd: $(cat "$T_TMP/dd.err")"; }
}

# fails DIRECTION OPTIONS: check that a request whose completion is lost ends with EIO, and the client with
# ETIMEDOUT
fails() {
	disk "timeout=3000${2:+,$2}" && lab_set lose_cqe=3 || return 1
	if [ "$1" = read ]; then
		fails_io copy "/dev/$DISK" /dev/null count=8 iflag=direct
	else
		fails_io copy /dev/zero "/dev/$DISK" count=8 oflag=direct conv=notrunc
	fi && lost && kr_ended client ETIMEDOUT && until_ok 20 test ! -e "/sys/block/$DISK"
}
for dir in read write; do
	check "a $dir whose completion is lost ends with EIO" fails $dir
	kr_stop
done
check "a read of a polled disk whose completion is lost ends with EIO" fails read poll
kr_stop

# goes_on OPTIONS: check that a disk reconnects after it has lost a completion, and has the right data
goes_on() {
	disk "timeout=3000,reconnect=60${1:+,$1}" && copy /dev/urandom "$T_TMP/data" count=16 || return 1
	lab_set lose_cqe=3 && copy "$T_TMP/data" "/dev/$DISK" oflag=direct conv=notrunc && lost || return 1
	lab_set lose_cqe=4 && copy "/dev/$DISK" "$T_TMP/read" count=16 iflag=direct && lost || return 1
	cmp "$T_TMP/data" "$T_TMP/read" && eq "$(cat "/sys/block/$DISK/reconnects")" 2 reconnects &&
		kr "stop,id=$ID" && kr_ended client ECANCELED
}
check "a disk with reconnect repeats requests whose completions are lost, and the data is right" goes_on
kr_stop
check "a disk with two queues repeats requests whose completions are lost, and the data is right" goes_on qps=2
kr_stop

# forced OPTIONS: check that stop,force fails a request whose completion is lost, long before its timeout
forced() {
	disk "timeout=600000${1:+,$1}" && lab_set lose_cqe=1 || return 1
	copy "/dev/$DISK" /dev/null count=1 iflag=direct &
	_reader=$!
	until_ok 20 lost && kr "stop,id=$ID,force" && kr_ended client ECANCELED && not wait $_reader &&
		[ ! -e "/sys/block/$DISK" ]
}
check "stop,force ends a request whose completion is lost" forced
kr_stop
check "stop,force ends a request of a disk with reconnect whose completion is lost" forced reconnect=60
kr_stop

# begins: check that a disk whose completion is lost while the kernel reads the partition table fails.
# lose_cqe is 2, because the first READ gets a list: the addresses and keys of the server's memory.
begins() {
	serve && lab_set lose_cqe=2 || return 1
	kr_fails ETIMEDOUT "client,addr=$ADDR,port=$port,disk,timeout=3000" && lost
}
check "a disk ends with ETIMEDOUT if a completion is lost while the kernel reads the partition table" begins
kr_stop

#
# Successful WRs complete twice.
#

# again N: let the Nth WR that succeeds from now on complete twice
again() {
	lab_set twice=0 "success_twice=$1"
}

# repeated: check that a WR has completed twice
repeated() {
	lab_limit success_twice 0 && lab_limit twice 1
}

# survives N OPTIONS: check that a test succeeds if the Nth WR that succeeds, of both sides together, completes
# twice
survives() {
	again "$1" && pair "" "count=500,$2" && kr_returned ok && kr_is iterations 500 && kr_ended server ok &&
		repeated
}
for test in ping slat wlat,imm bw; do
	check "$test: the test succeeds if a WR completes twice" survives 10 $test
	kr_stop
done

# plays SCENARIO: check that a scenario of the module krping_krdma.ko succeeds if the 10th WR that succeeds
# completes twice
plays() {
	again 10 && lab_krdma "$1" && eq "$_result" ok result && repeated
}
check "krdma: messages arrive if a WR completes twice" plays messages

check "the module can be removed after lost completions" kr_reload

t_end
