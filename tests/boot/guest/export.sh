#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A server exports 1 GiB: both ends of the memory can be used, list shows how the
#   preparation advances, a stop or a signal interrupts the preparation, and all memory is freed.
# Requires: one guest with more memory than EXPORT_MB, which tests/boot boots
# Duration: 40 s

# shellcheck source=../../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

MB=${EXPORT_MB:-1024}
port=19900
slow=timeout=300000
# time limit of a check in seconds
LIMIT=$((240 * (MB / 1024 + 1)))

# free_mb: drop the caches, and print the free memory in MiB
free_mb() {
	echo 3 >/proc/sys/vm/drop_caches
	awk '/^MemFree:/ { printf "%d\n", $2 / 1024 }' /proc/meminfo
}
FREE=$(free_mb)

# all_free: check that the memory is free again, except for slabs and per-CPU page lists
all_free() {
	_free=$(free_mb)
	[ "$_free" -ge $((FREE - 32 - MB / 128)) ] || why "of $FREE MiB that were free before, $_free are"
}

# told_free: wait at most a minute until all_free succeeds, and print the free memory
told_free() {
	until_ok 60 all_free
	_all=$?
	diag "$FREE MiB were free before, $_free are"
	return $_all
}

# export_bg OPTIONS: start a server at the next port
export_bg() {
	port=$((port + 1))
	kr_bg "server$port" "server,addr=$ADDR,port=$port,$slow,export=${MB}m$1"
}

# connects: start a session, on siw in up to four tries. siw waits only 10 s for the answer to a connection
# request, and the server prepares the memory before it answers. With the server's option shared the memory
# stays for the next try.
connects() {
	for _try in 1 2 3 4; do
		! kr_bg "client$_try" "client,addr=$ADDR,port=$port,session,$slow" || return 0
		[ "$TYPE" = siw ] || return 1
	done
	return 1
}

# uses_all: put data to both ends of the exported memory, get the data, and check that all memory is freed
uses_all() {
	export_bg ,shared,clients=0 && connects || return 1
	_id=$(kr_get id)
	kr_is size $((MB * 1048576)) && kr "put,id=$_id,data=first" &&
		kr "put,id=$_id,offset=$((MB * 1048576 - 4)),data=last" &&
		kr "get,id=$_id,offset=$((MB * 1048576 - 6)),len=6" && kr_has 'text="..last"' &&
		kr "get,id=$_id,len=6" && kr_has 'text="first."' &&
		kr "get,id=$_id,offset=$((MB / 2))m,len=64k" && kr_returned ok &&
		kr "stop,id=$_id" && kr stop && kr_clean && told_free
}
check_within $LIMIT "export: both ends of a large region can be written and read" uses_all
kr_stop

# progresses: check that the list has a region that is being prepared
progresses() {
	kr list
	case $KR_OUT in
	*" allocated="* | *" registered="*) ;;
	*) return 1 ;;
	esac
}

# begins: start a client of the last server, and wait until the server prepares its memory
begins() {
	kr_fg client "client,addr=$ADDR,port=$port,session,$slow"
	until_ok 60 progresses || why "the list shows no progress"
}

# interrupted: check that the client has ended, and that the memory is free again
interrupted() {
	kr_all_ended client ECONNREFUSED ECONNRESET ECANCELED ETIMEDOUT && kr_clean && told_free
}

# by_stop: interrupt the preparation by the command stop
by_stop() {
	export_bg '' && begins && kr stop && interrupted
}

# by_signal: interrupt the server's writer by SIGTERM. kwrite handles SIGTERM only with its step signal=,
# which also sets a timer that sends the signal. The timer is so long (1,000,000 ms) that kill comes first.
by_signal() {
	port=$((port + 1))
	kr_spawn victim signal=15:1000000 "write=server,addr=$ADDR,port=$port,$slow,export=${MB}m" read
	_pid=$!
	until_ok 60 kr_listening && begins && kill -TERM $_pid && kr_ended victim EINTR && interrupted
}

STOPPED="export: list shows the progress of a large region, and a stop interrupts it"
SIGNALLED="export: a signal to the server's writer interrupts the preparation of a large region"
case $TYPE in
siw)
	skip "$STOPPED" "$MB MiB may be prepared before list can look"
	skip "$SIGNALLED" "$MB MiB may be prepared before list can look"
	;;
*)
	check_within $LIMIT "$STOPPED" by_stop
	kr_stop
	check_within $LIMIT "$SIGNALLED" by_signal
	;;
esac
kr_stop

t_end
