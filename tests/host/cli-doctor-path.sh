#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping doctor ADDR checks routes, the route back and the MTU of the path on a made-up
#   machine. There is no server, so the check of the server always fails.
# Requires: no guest; mawk, gawk, busybox
# Duration: 10 s

# A packet of RoCE with 4096 bytes of data has 4156 bytes with IPv4, 4176 with IPv6; one with 1024 bytes of
# data has 1084 bytes with IPv4.

set -u
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=shells.inc
. tests/host/shells.inc
# shellcheck source=doctor.inc
. tests/host/doctor.inc

# routes THERE BACK [STATUS [ANSWER]]: let ip print THERE as the route to the server, and BACK as the route
# from the address of this machine. "ip route get ... iif", which applies the reverse path filter
# (rp_filter), prints ANSWER (default "local") and ends with STATUS (default 0). "ip addr" prints $holder.
routes() {
	cat >"$tmp/bin/ip" <<-END
		#!/bin/sh
		case "\$*" in
		*" addr "*) echo "$holder" ;;
		*" iif "*) echo "${4-local}"; exit ${3-0} ;;
		*" from "*) echo "$2" ;;
		*) echo "$1" ;;
		esac
	END
	chmod +x "$tmp/bin/ip"
}

# answers BYTES: let pings with up to BYTES bytes of data get an answer; no ping if BYTES is 0
answers() {
	cat >"$tmp/bin/ping" <<-END
		#!/bin/sh
		while [ "\$1" != -s ]; do shift; done
		[ "\$2" -le $1 ]
	END
	chmod +x "$tmp/bin/ping"
}

holder=
there="192.0.2.1 dev eth7 src 192.0.2.7 uid 0"

# way: make a machine on which the routes to the server and back use eth7
way() {
	machine
	routes "$there" "192.0.2.1 from 192.0.2.7 dev eth7"
	answers 9000
}

# says OK|WARN|FAIL CHECK TEXT [ADDR]: check that doctor's CHECK prints TEXT with this verdict, and that all
# other checks of doctor succeed, except the check of the server
says() {
	doctor "${4-192.0.2.1}"
	eq "$status" 1 status || return 1
	grep "^$1 *$2 " "$tmp/out" | grep -qF -- "$3" || why "no $1 of $2 with '$3': $(cat "$tmp/out")" || return 1
	want=2
	[ "$1" != OK ] || want=1
	eq "$(grep -vc '^OK ' "$tmp/out")" "$want" "number of complaints"
}

# silent CHECK: check that CHECK prints nothing
silent() {
	doctor 192.0.2.1
	! grep "^[A-Z]* *$1 " "$tmp/out"
}

# no_host: check that doctor reports a name that no host has, and then checks neither route nor server
no_host() {
	way
	stub getent "" 2
	doctor no.such.host
	eq "$status" 1 status && eq "$(grep -v '^OK ' "$tmp/out" | cut -d : -f 1)" \
		"FAIL name         'no.such.host' is neither an address nor the name of a host" complaints &&
		! grep -E '^[A-Z]+ +(route|server) ' "$tmp/out"
}

# small_mtu: give the interface an MTU of 1500
small_mtu() {
	put /sys/class/net/eth7/mtu 1500
}

# each_check: make all checks under one pair of a shell and an awk, which $under names
each_check() {
	check "doctor reports a name that no host has: $under" no_host
	way
	stub getent "192.0.2.1 STREAM server"
	check "doctor prints the address that a name has: $under" says OK name "server.example has the address 192.0.2.1" server.example
	way
	check "doctor accepts the route of a path without a fault: $under" says OK route "192.0.2.1 is reached over eth7"
	check "doctor accepts the way back of a path without a fault: $under" says OK reverse "the way from 192.0.2.1 back to 192.0.2.7 is eth7, too"
	check "doctor accepts the MTU of a path without a fault: $under" says OK path_mtu "packets of 4156 bytes reach 192.0.2.1"
	way
	stub ip "RTNETLINK answers: Network is unreachable" 2
	check "doctor reports that there is no route: $under" says FAIL route "there is no route to 192.0.2.1"
	way
	routes "192.0.2.1 dev wlan0 src 192.0.2.7" ""
	check "doctor reports a route over an interface without RDMA: $under" says FAIL route "wlan0, which has no RDMA device"
	check "doctor does not check the way back of an interface without RDMA: $under" silent reverse
	way
	routes "local 192.0.2.1 dev lo src 192.0.2.1" ""
	check "doctor warns that server and client share this machine: $under" says WARN shared "so latencies vary"
	check "doctor accepts an address of this machine: $under" \
		grep -q "^OK   route .* 192.0.2.1 is an address of this machine$" "$tmp/out"
	way
	holder="2: eth7    inet 192.0.2.1/24 brd 192.0.2.255 scope global eth7"
	routes "local 192.0.2.1 dev lo src 192.0.2.1" ""
	check "doctor accepts the address of an RDMA interface: $under" says WARN shared "so latencies vary"
	holder="2: wlan0    inet 192.0.2.1/24 brd 192.0.2.255 scope global wlan0"
	routes "local 192.0.2.1 dev lo src 192.0.2.1" ""
	check "doctor reports that this machine's address is that of an interface without RDMA: $under" \
		says FAIL route "192.0.2.1 is the address of wlan0, which has no RDMA device"
	check "doctor names the command that makes a device for this interface: $under" grep -qF "up rxe --netdev wlan0" "$tmp/out"
	holder=
	way
	check "doctor does not warn about a server on another machine: $under" silent shared
	way
	routes "$there" "192.0.2.1 from 192.0.2.7 dev eth8"
	check "doctor reports a way back over another interface: $under" says FAIL reverse "and from 192.0.2.7 over eth8"
	way
	routes "$there" "192.0.2.1 from 192.0.2.7 dev eth7" 2 "RTNETLINK answers: Invalid cross-device link"
	check "doctor reports that rp_filter drops packets: $under" says FAIL reverse "that arrive on eth7 are dropped"
	way
	routes "$there" "192.0.2.1 from 192.0.2.7 dev eth7" 2 "ip: unknown option"
	check "doctor works with an ip program that cannot test rp_filter: $under" says OK reverse "back to 192.0.2.7 is eth7"
	way
	routes "192.0.2.1 dev eth7 src 192.0.2.7 mtu 1500" "192.0.2.1 dev eth7"
	check "doctor reports a route whose MTU is too small: $under" says FAIL path_mtu "allows 1500 bytes, and RoCE sends 4156"
	way
	routes "192.0.2.1 dev eth7 src 192.0.2.7 mtu 4156" "192.0.2.1 dev eth7"
	check "doctor accepts a route whose MTU suffices: $under" says OK path_mtu "4156 bytes reach"
	way
	# 28 bytes of a ping are headers, so a packet of 4156 bytes has 4128 bytes of data.
	answers 4127
	check "doctor reports a switch whose MTU is too small: $under" says FAIL path_mtu "packets of 4156 bytes do not reach 192.0.2.1"
	way
	small_mtu
	answers 1056
	check "if the interface's MTU is 1500, doctor accepts a path for 1084 bytes: $under" says OK path_mtu "packets of 1084 bytes reach 192.0.2.1"
	answers 1055
	check "if the interface's MTU is 1500, doctor reports a path for less than 1084 bytes: $under" says FAIL path_mtu "packets of 1084 bytes do not reach"
	way
	answers 0
	check "doctor does not judge the MTU if no ping is answered: $under" silent path_mtu
	way
	put "$ib/node_type" "4: RNIC"
	answers 1000
	check "doctor does not judge the MTU of iWARP: $under" silent path_mtu
	way
	routes "2001:db8::1 dev eth7 src 2001:db8::7" "2001:db8::1 dev eth7"
	check "the MTU check allows for the larger headers of IPv6: $under" says OK path_mtu "packets of 4176 bytes reach 2001:db8::1" 2001:db8::1
}

each_shell each_check

t_end
