#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A server exports 1 GiB: both ends of the memory can be used, list shows the
#   progress of its preparation, and a stop interrupts that.
# Requires: one guest with more memory than EXPORT_MB, which tests/boot boots
# Duration: 40 s

# shellcheck source=../../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

MB=${EXPORT_MB:-1024}
port=19900
slow=timeout=300000

# export_bg OPTIONS: start a server at the next port
export_bg() {
	port=$((port + 1))
	kr_bg "server$port" "server,addr=$ADDR,port=$port,$slow,export=${MB}m$1"
}

# connects: siw itself waits 10 s for the answer to a connection request, and the server
# prepares the memory before that answer. With shared the memory stays for the next try.
connects() {
	for _try in 1 2 3 4; do
		! kr_bg "client$_try" "client,addr=$ADDR,port=$port,session,$slow" || return 0
		[ "$TYPE" = siw ] || return 1
	done
	return 1
}

uses_all() {
	export_bg ,shared,clients=0 && connects || return 1
	_id=$(kr_get id)
	kr_is size $((MB * 1048576)) && kr "put,id=$_id,data=first" &&
		kr "put,id=$_id,offset=$((MB * 1048576 - 4)),data=last" &&
		kr "get,id=$_id,offset=$((MB * 1048576 - 6)),len=6" && kr_has 'text="..last"' &&
		kr "get,id=$_id,len=6" && kr_has 'text="first."' &&
		kr "get,id=$_id,offset=$((MB / 2))m,len=64k" && kr_returned ok &&
		kr "stop,id=$_id" && kr stop && kr_clean
}
check_within 240 "export: both ends of a large region can be written and read" uses_all
kr_stop

# progresses: check that the list has a region that is being prepared
progresses() {
	kr list
	case $KR_OUT in
	*" allocated="* | *" registered="*) ;;
	*) return 1 ;;
	esac
}

interrupted() {
	export_bg '' || return 1
	kr_fg client "client,addr=$ADDR,port=$port,session,$slow"
	until_ok 60 progresses || why "the list shows no progress" || return 1
	kr stop && kr_all_ended client ECONNREFUSED ECONNRESET ECANCELED ETIMEDOUT && kr_clean
}
case $TYPE in
siw) skip "export: list shows the progress of a large region, and a stop interrupts it" \
	"256 MiB may be prepared before list can look" ;;
*) check_within 240 "export: list shows the progress of a large region, and a stop interrupts it" interrupted ;;
esac
kr_stop

t_end
