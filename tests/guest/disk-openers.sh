#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A stop removes a disk that no process has opened; stop,force also removes an open
#   disk. If the server is stopped, krping removes the disk although requests are in flight.
# Requires: one guest
# Duration: 14 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=disk.inc
. "${0%/*}/disk.inc"

port=19100

busy() {
	export_bg "export=64k" && disk client && exec 8<"/dev/$DISK" || return 1
	kr_fails EBUSY "stop,id=$ID" && kr_detail_has "force" &&
		kr_fails EBUSY stop && _busy=yes
	kr_result client && kr_is status running || _busy=
	exec 8<&-
	[ "$_busy" ] && kr "stop,id=$ID" && kr_ended client ECANCELED && gone
}
check "stop of an open disk is EBUSY, and the disk stays" busy
kr_stop

# A buffered write succeeds. Its fsync fails, because the disk is removed.
forced() {
	export_bg "export=64k" && disk client && exec 8>"/dev/$DISK" || return 1
	kr "stop,id=$ID,force" && kr_ended client ECANCELED && gone &&
		not copy /dev/zero /proc/self/fd/8 4k count=1 conv=fsync,notrunc && _forced=yes
	exec 8>&-
	[ "$_forced" ] && kr_ended server ok
}
check "stop,force: an open disk is removed, and its I/O fails" forced
kr_stop

others_stay() {
	export_bg "export=64k" && disk client qps=1 && exec 8<"/dev/$DISK" || return 1
	kr_fails EBUSY stop && kr_running 2 && copy "/dev/$DISK" /dev/null 4k
	_was=$?
	exec 8<&-
	return $_was
}
check "stop: while a disk is open, stop without id ends no test" others_stay
kr_stop

# writes_until_error: write to the disk until a request fails. Write to an open descriptor, because dd
# would create a file of the disk's name when the disk is gone.
writes_until_error() {
	exec 7<>"/dev/$DISK"
	while dd if=/dev/zero of=/proc/self/fd/7 bs=64k count=16 oflag=direct conv=notrunc \
		2>>"$T_TMP/writer"; do :; done
}

server_dies() {
	export_bg "export=1m" && disk client || return 1
	writes_until_error &
	_writer=$!
	until_ok 60 kr_runs client 20 && kr_result server && kr "stop,id=$(kr_get id)" && kr_ended client ECONNRESET &&
		wait $_writer && gone
}
check "disk: I/O fails and the disk is removed when its server is stopped" server_dies
kr_stop

stop_under_load() {
	export_bg "export=1m" && disk client || return 1
	writes_until_error &
	_writer=$!
	until_ok 60 kr_runs client 20 && kr "stop,id=$ID,force" && kr_ended client ECANCELED && wait $_writer && gone &&
		kr_ended server ok
}
check "stop,force: requests in flight fail, and the disk is removed" stop_under_load
kr_stop

attach_and_detach() {
	export_bg "export=64k,clients=0" || return 1
	for _n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		disk "client$_n" && copy /dev/zero "/dev/$DISK" 4k count=1 oflag=direct &&
			until_ok 60 kr "stop,id=$ID" && gone || return 1
	done
}
check_within 600 "disk: twenty successive disks can be created and removed" attach_and_detach
kr_stop

check "removed disks leave no RDMA object and no log line behind" kr_clean
t_end
