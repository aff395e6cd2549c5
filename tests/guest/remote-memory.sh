#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: put, get and send operate on the memory that a server exports, on a connection of
#   their own or on a session. krping rejects a put or get that the region's bounds or rights forbid.
#   With unchecked, the device rejects the request.
# Requires: one guest
# Duration: 8 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=session.inc
. "${0%/*}/session.inc"

port=18000

#
# One operation per connection
#

puts_once() {
	export_bg "export=4k" && once "put,offset=16,data=hello" &&
		kr_has 'completion wc_status="success" offset=16 len=5 kept=0' &&
		kr_counters_are counters 0 0 0 0 5 1 0 0 && kr_is size 4096 && kr_ended server ok
}
check "put: a client posts one WRITE and disconnects" puts_once
kr_stop

gets_once() {
	export_bg "export=4k" && once "get,len=8" &&
		kr_has 'data offset=0 len=8 hex=0000000000000000 text="........"' &&
		kr_counters_are counters 0 0 0 0 0 0 8 1 && kr_ended server ok
}
check "get: exported memory is zeroed" gets_once
kr_stop

sends_once() {
	klog_mark
	export_bg "export=4k" && once "send,data=good morning" && kr_ended server ok &&
		kr_has 'message len=12 hex=676f6f64206d6f726e696e67 text="good morning"' &&
		kr_counters_are counters 0 0 12 1 0 0 0 0 &&
		klog_has "message of 12 bytes from .*good morning"
}
check "send: the server's result and log have the message" sends_once
kr_stop

sends_hex() {
	export_bg "export=4k" && once "send,hex=00ff2241" && kr_ended server ok &&
		kr_has "message len=4 hex=00ff2241 text=\"..'A\""
}
check "send,hex: a message may have any bytes, and the result is text" sends_hex
kr_stop

#
# Sessions
#

keeps_data() {
	export_bg "export=4k" && session client && kr_is size 4096 || return 1
	kr "put,id=$ID,offset=4090,data=abcdef" && kr_returned ok &&
		kr "get,id=$ID,offset=4088,len=8" &&
		kr_has 'data offset=4088 len=8 hex=0000616263646566 text="..abcdef"' &&
		kr_has 'completion wc_status="success"' &&
		kr "stop,id=$ID" && kr_ended server ok && kr_ended client ECANCELED
}
check "session: get reads what an earlier put wrote" keeps_data
kr_stop

# A command has at most 4096 bytes.
longest_put() {
	export_bg "export=4k" && session client &&
		kr "put,id=$ID,data=$(printf '%04000d' 7)" && kr_returned ok &&
		kr "get,id=$ID,offset=3992,len=9" && kr_has 'hex=303030303030303700'
}
check "session: one command puts 4000 bytes" longest_put
kr_stop

# switches: print how often the threads of krping have been scheduled, without those of the session
switches() {
	for _p in /proc/[0-9]*; do
		read -r _comm 2>/dev/null <"$_p/comm" || continue
		case $_comm in
		"krping/$ID" | "krping/$ID:"*) ;;
		krping/*) cat "$_p/status" ;;
		esac
	done | awk '/ctxt_switches/ { n += $2 } END { print n + 0 }'
}

# runs N OPERATION: do OPERATION N times on the session; set RAN to the number of times that threads of the
# server were scheduled
runs() {
	_n=$1
	_before=$(switches)
	exec 7<>"$KR"
	while [ "$_n" -gt 0 ]; do
		echo "$2,id=$ID" >&7 || return 1
		_n=$((_n - 1))
	done
	exec 7<&-
	RAN=$(($(switches) - _before))
}

# Control: the command regions sends a request to the server, and so wakes the server's thread. Timers wake this
# thread, too, a few times a second.
is_passive() {
	export_bg "export=4k" && session client || return 1
	runs 50 regions || return 1
	[ "$RAN" -ge 25 ] || why "50 requests schedule the server's threads $RAN times" || return 1
	runs 1000 put,data=x || return 1
	diag "1000 puts schedule the server's threads $RAN times"
	[ "$RAN" -lt 200 ] || why "1000 puts schedule the server's threads $RAN times" || return 1
	runs 200 get,len=8 || return 1
	[ "$RAN" -lt 100 ] || why "200 gets schedule the server's threads $RAN times"
}
check "session: no thread of the server runs for puts and gets" is_passive
kr_stop

# The region has several MRs: the largest one has 2 MiB on rxe, 1 MiB on siw.
crosses_pieces() {
	export_bg "export=9m" && session client || return 1
	for _mib in 1 2 4 8; do
		_at=$((_mib * 1048576 - 3))
		kr "put,id=$ID,offset=$_at,data=mib-$_mib" &&
			kr "get,id=$ID,offset=$((_at - 1)),len=7" &&
			kr_has "text=\".mib-$_mib.\"" || return 1
	done
	kr "get,id=$ID,offset=$((9 * 1048576 - 65536)),len=64k" && kr_has "len=65536"
}
check "session: an operation crosses the border of two MRs" crosses_pieces
kr_stop

# The third put and the last get cross the border of two pages of one MR.
crosses_page() {
	export_bg "export=$((2 * PAGE))" && session client || return 1
	kr "put,id=$ID,offset=$((PAGE - 4)),data=ABCD" && kr "put,id=$ID,offset=$PAGE,data=efgh" &&
		kr "put,id=$ID,offset=$((PAGE - 2)),data=12345" &&
		kr "get,id=$ID,offset=$((PAGE - 4)),len=4" && kr_has 'text="AB12"' &&
		kr "get,id=$ID,offset=$PAGE,len=4" && kr_has 'text="345h"' &&
		kr "get,id=$ID,offset=$((PAGE - 4)),len=7" && kr_has 'text="AB12345"'
}
# siw without siw-border.patch returns wrong data.
check "session: a get crosses the border of two pages" crosses_page
kr_stop

# The region has more MRs than the SQ has room for WRs, so the server has to wait for room on the SQ
# between the registrations.
many_pieces() {
	export_bg "export=64m" && session client || return 1
	for _mib in 0 17 63; do
		kr "put,id=$ID,offset=${_mib}m,data=mib-$_mib" || return 1
	done
	kr "get,id=$ID,offset=17m,len=6" && kr_has 'text="mib-17"' &&
		kr "get,id=$ID,offset=63m,len=6" && kr_has 'text="mib-63"'
}
check "session: a region of 64 MiB, which has dozens of MRs, is accessible" many_pieces
kr_stop

# Each device supports 64 bytes of inline data, some devices more.
inlined() {
	export_bg "export=9m" && session client || return 1
	kr "put,id=$ID,offset=2097150,data=inline,inline" && kr_has 'wc_status="success"' &&
		kr "get,id=$ID,offset=2097149,len=8" && kr_has 'text=".inline."' &&
		kr "send,id=$ID,data=hello,inline" &&
		kr_fails EOPNOTSUPP "put,id=$ID,inline,data=$(printf '%04000d' 0)" &&
		kr_detail_has "inline: 4000 bytes" &&
		kr "put,id=$ID,offset=7,inline,data=$(printf '%064d' 1)" &&
		kr "get,id=$ID,offset=70,len=2" && kr_has "hex=3100"
}
check "session: inline data crosses the border of two MRs, and more than the device supports is EOPNOTSUPP" \
	inlined
kr_stop

rejects_beyond() {
	export_bg "export=1000" && session client || return 1
	kr_fails EINVAL "put,id=$ID,offset=996,data=hello" && kr_detail_has "1000 bytes" &&
		kr_fails EINVAL "get,id=$ID,offset=1000,len=1" && kr_detail_has "1 byte at offset=1000 exceeds the region" &&
		kr_fails EINVAL "get,id=$ID,offset=18446744073709551615,len=2" &&
		kr_fails EINVAL "get,id=$ID,len=1001" &&
		kr "get,id=$ID,offset=999,len=1" && kr_returned ok
}
check "session: an operation beyond the region is EINVAL, and the session stays usable" rejects_beyond
kr_stop

read_only() {
	export_bg "export=4k,ro" && session client || return 1
	kr_fails EINVAL "put,id=$ID,data=x" && kr_detail_has "read-only" &&
		kr "get,id=$ID,len=4" && kr_returned ok
}
check "export,ro: put is EINVAL, and get succeeds" read_only
kr_stop

#
# With unchecked, krping posts invalid requests, and the device must reject them.
#

# device_rejects SERVER_OPTIONS OPERATION: check that OPERATION fails, and ends the session
device_rejects() {
	export_bg "$1" && session client || return 1
	kr "$2,id=$ID,unchecked"
	case $KR_ERRNO in
	EIO | ECONNRESET) ;;
	*) why "errno is '$KR_ERRNO'" || return 1 ;;
	esac
	until_ok 60 not kr "get,id=$ID,len=1" && kr_ended server ok
}
check "unchecked: the device rejects a WRITE to a read-only region" \
	device_rejects "export=4k,ro" "put,data=x"
kr_stop
check "unchecked: the device rejects a READ beyond the region" \
	device_rejects "export=4k" "get,offset=64k,len=16"
kr_stop
check "unchecked: the device rejects a WRITE beyond the region" \
	device_rejects "export=4k" "put,offset=4094,data=hello"
kr_stop

check "put, get and send leave no test or object" kr_clean

t_end
