#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: With disk,reconnect, requests wait while the client reconnects. They fail if the client
#   cannot reconnect, or if the server has lost the data.
# Requires: one guest
# Duration: 30 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=trace.inc
. "${0%/*}/trace.inc"

port=18800

# export_bg [OPTIONS]: start a server whose memory outlives its clients, at the same port
export_bg() {
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT,export=4m,${1:-shared},clients=0" &&
		SERVER=$(kr_get id)
}

# disk SECONDS [OPTIONS]: make a disk with reconnect=SECONDS on a new server; set ID to the client's id,
# and DISK to the name of the disk
disk() {
	port=$((port + 1))
	export_bg && disk_again "$@"
}

# disk_again SECONDS [OPTIONS]: do what disk does, but on the server that runs
disk_again() {
	kr_bg client "client,addr=$ADDR,port=$port,disk,$PATIENT,reconnect=$1${2:+,$2}" || return 1
	ID=$(kr_get id)
	DISK=$(kr_get name)
}

# attr_is NAME VALUE: check an attribute of the disk
attr_is() {
	eq "$(cat "/sys/block/$DISK/$1")" "$2" "$1"
}

# drop: stop the server's test for one connection of the disk, so that the disk loses this connection
drop() {
	kr list || return 1
	_child=
	while read -r _l; do
		case $_l in
		id="$SERVER "*) ;;
		*role=server*)
			_child=${_l#id=}
			_child=${_child%% *}
			;;
		esac
	done <"$KR_RESULT"
	[ -n "$_child" ] || why "the server has no client" || return 1
	kr "stop,id=$_child"
}

# connected N: check that the disk has reconnected N times and has its connections
connected() {
	until_ok 60 attr_is reconnects "$1" && attr_is state live
}

# bytes NAME: make a file NAME with 4 MiB of random bytes
bytes() {
	dd if=/dev/urandom of="$T_TMP/$1" bs=64k count=64 2>/dev/null
}

# copy IN OUT BS [OPTION...]: run dd, and keep what dd prints in dd.err
copy() {
	_in=$1 _out=$2 _bs=$3
	shift 3
	dd if="$_in" of="$_out" bs="$_bs" "$@" 2>"$T_TMP/dd.err"
}

# same FILE: check that the disk has the bytes of FILE
same() {
	copy "/dev/$DISK" "$T_TMP/read" 64k iflag=direct && cmp "$1" "$T_TMP/read"
}

# gone: check that the disk no longer exists
gone() {
	[ ! -e "/sys/block/$DISK" ] || why "/sys/block/$DISK still exists"
}

#
# The connection comes back.
#

comes_back() {
	disk 60 && attr_is state live && attr_is reconnects 0 && bytes data &&
		copy "$T_TMP/data" "/dev/$DISK" 256k oflag=direct && _serial=$(cat "/sys/block/$DISK/serial") &&
		drop && connected 1 && attr_is serial "$_serial" && same "$T_TMP/data" &&
		drop && connected 2 && same "$T_TMP/data" && kr "stop,id=$ID" &&
		kr_ended client ECANCELED && gone
}
check "reconnect: the data is the same after two lost connections" comes_back
kr_stop

# rewrites: write a file and read it back until $T_TMP/enough exists; after each pass, make
# $T_TMP/passed. Requests are small, so that some complete between two losses of the connection.
rewrites() {
	while [ ! -e "$T_TMP/enough" ]; do
		copy "$T_TMP/data" "/dev/$DISK" 16k oflag=direct conv=notrunc || return 1
		copy "/dev/$DISK" "$T_TMP/reread" 32k iflag=direct || return 1
		cmp "$T_TMP/data" "$T_TMP/reread" || return 1
		: >"$T_TMP/passed"
	done
}

under_load() {
	rm -f "$T_TMP/enough" "$T_TMP/passed"
	disk 120 qps=2 && bytes data || return 1
	rewrites >"$T_TMP/rewrites" 2>&1 &
	_load=$!
	for _n in 1 2 3 4 5; do
		rm -f "$T_TMP/passed"
		until_ok 120 test -e "$T_TMP/passed" || break
		drop || break
		connected $_n || break
	done
	: >"$T_TMP/enough"
	wait $_load || why "the I/O failed: $(cat "$T_TMP/rewrites" "$T_TMP/dd.err")" || return 1
	attr_is reconnects 5 && same "$T_TMP/data" && kr "stop,id=$ID" && kr_ended client ECANCELED
}
check_within 900 "reconnect: requests of two queues survive five lost connections, and the data is right" under_load
kr_stop

# The timeout handler of a request uses the QP, so the handler must end before krping destroys the QP.
# Requests may time out until a drain has completed them, so krping has to call blk_sync_queue()
# after the drain. krping calls it a second time, because the handler may have armed the timer again. The
# teardown then drains again, and destroys the QP.
TRACE_KPROBES='sync drain destroy'

trace_calls() {
	trace_cpus 0 && mkdir $TRACE && trace_probe p:sync blk_sync_queue '' &&
		trace_probe p:drain krping_drain_queues '' && trace_probe p:destroy rdma_destroy_qp '' &&
		echo 1 >$TRACE/events/krping_test/enable
}

waits_for_timeouts() {
	disk 60 qps=1 && trace_calls && trace_start && drop && connected 1 && trace_stop || return 1
	_calls=$(sed -n "s|^ *krping/$ID-.*: \\([a-z]*\\): .*|\1|p" "$T_TMP/trace" | tr '\n' ' ')
	case $_calls in
	*"drain sync sync drain destroy "*) ;;
	*) why "the calls of krping/$ID are: $_calls" ;;
	esac
}
if [ -e $TRACING/kprobe_events ]; then
	check "reconnect: the handlers of timeouts have ended before the QP is destroyed" waits_for_timeouts
	trace_close
else
	skip "reconnect: the handlers of timeouts have ended before the QP is destroyed" "no kprobe events"
fi
kr_stop

#
# The connection does not come back.
#

# writes: write to the disk until a request fails. Write to an open descriptor, because dd would create
# a file of the disk's name when the disk is gone.
writes() {
	exec 7<>"/dev/$DISK"
	while dd if=/dev/zero of=/proc/self/fd/7 bs=64k count=16 oflag=direct conv=notrunc \
		2>>"$T_TMP/writer"; do :; done
}

# waits SECONDS: make a disk, start a writer, stop the server, and wait for the state connecting
waits() {
	disk "$1" || return 1
	writes &
	WRITER=$!
	until_ok 60 kr_runs client 20 && kr "stop,id=$SERVER" && kr_ended server ECANCELED &&
		until_ok 60 attr_is state connecting && kr_result client && kr_is status running
}

too_late() {
	waits 20 && attr_is state connecting && kill -0 "$WRITER" && kr_ended client ETIMEDOUT &&
		kr_detail_has "reconnect=20" && wait "$WRITER" && gone
}
check "reconnect: requests wait for the server, and fail after the given time" too_late
kr_stop

restarted() {
	waits 60 && export_bg && kr_ended client ESTALE && kr_detail_has "restarted" &&
		wait "$WRITER" && gone || return 1
	grep -qi "input/output\|no such device\|I/O error" "$T_TMP/writer" || why "no error: $(tail -n 1 "$T_TMP/writer")"
}
check "reconnect: the I/O fails if the server was restarted and has lost the data" restarted
kr_stop

forced() {
	waits 60 && kr_fails EBUSY "stop,id=$ID" && kr "stop,id=$ID,force" &&
		kr_ended client ECANCELED && wait "$WRITER" && gone
}
check "reconnect: stop,force ends a disk that is reconnecting" forced
kr_stop

removed() {
	waits 60 && rdma link delete "$DEV" && kr_ended client ENODEV
	_removed=$?
	device_again
	[ $_removed = 0 ] && wait "$WRITER" && gone
}
check "reconnect: removal of the RDMA device ends a disk that is reconnecting" removed
kr_stop

other_server() {
	waits 60 && kr_bg server "server,addr=$ADDR,port=$port,$PATIENT" &&
		until_ok 60 attr_is state connecting && kr stop,force && wait "$WRITER" && gone
}
check "reconnect: requests wait if a server without export rejects the disk's client, and stop,force ends all" other_server
kr_stop

#
# Rejected commands
#

not_shared() {
	port=$((port + 1))
	export_bg ro && kr_fails EINVAL "client,addr=$ADDR,port=$port,disk,reconnect=5" &&
		kr_detail_has shared
}
check "reconnect: EINVAL if the server's memory ends with the connection" not_shared
kr_stop
check "reconnect: the option is EINVAL with a session" \
	kr_refused EINVAL "client,addr=$ADDR,session,reconnect=5" "only with disk"

check "a disk that has connected again leaves no RDMA object and no log line behind" kr_clean
t_end
