#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Clients reach a server on each kind of address, and krping rejects an address, a
#   port or a device that cannot work.
# Requires: one guest
# Duration: 8 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

port=11000

# meets SERVER_ADDR CLIENT_ADDR [SERVER_OPTIONS [CLIENT_OPTIONS]]: check that a pair succeeds; set
# local and remote from the client's result. Each address is an operand of addr=, or an option with its
# operand (addr6=fd00::1).
meets() {
	port=$((port + 1))
	to_s=$1 to_c=$2
	case $to_s in
	*=*) ;;
	*) to_s=addr=$to_s ;;
	esac
	case $to_c in
	*=*) ;;
	*) to_c=addr=$to_c ;;
	esac
	kr_bg server "server,$to_s,port=$port,$PATIENT${3:+,$3}" || {
		kr_returned ok
		return 1
	}
	kr "client,$to_c,port=$port,$PATIENT,count=3,validate${4:+,$4}"
	if ! kr_returned ok || ! kr_is iterations 3; then
		kr_stop
		return 1
	fi
	local=$(kr_get local)
	remote=$(kr_get remote)
	kr_ended server ok
}

# meets_from FROM TO ARG...: run "meets ARG...", and check that in both results FROM is the client's
# address and TO the server's
meets_from() {
	from=$1 to=$2
	shift 2
	meets "$@" || return 1
	eq "$local" "$from" "the client's local" &&
		eq "$(kr_get local)" "$to" "the server's local" || return 1
	# An IPv6 address with a port has brackets.
	case $to in
	*:*) from="[$from]" to="[$to]" ;;
	esac
	eq "$remote" "$to:$port" "the client's remote" || return 1
	remote=$(kr_get remote)
	eq "${remote%:*}" "$from" "the server's remote"
}

# fails ERRNO CMD: check that CMD fails with ERRNO and leaves no test or object
fails() {
	kr_fails "$1" "$2" && kr_clean_now
}

# fails_with ERRNO CMD TEXT: check that CMD fails with ERRNO, that the kernel log has TEXT, and that no
# test or object is left
fails_with() {
	kr_fails_with "$@" && kr_clean_now
}

check "addr: a pair runs on an IPv4 address" meets_from "$ADDR" "$ADDR" "$ADDR" "$ADDR"
check "addr: a pair runs on an IPv6 address" meets_from "$ADDR6" "$ADDR6" "$ADDR6" "$ADDR6"
check "addr6: a pair runs on an IPv6 address" meets "addr6=$ADDR6" "addr6=$ADDR6"
check "addr: a pair runs on a link-local address with a scope" meets "$LINK6%$IF" "$LINK6%$IF"
check "addr6: a pair runs on a link-local address with a scope" meets "addr6=$LINK6%$IF" "addr6=$LINK6%$IF"
check "addr: a server on 0.0.0.0 serves a client" meets 0.0.0.0 "$ADDR"
check "addr: a server on :: serves a client" meets :: "$ADDR6"
check "addr: a server on :: serves a link-local client" meets :: "$LINK6%$IF"

default_port() {
	kr_bg server "server,addr=$ADDR" &&
		kr "client,addr=$ADDR,port=9999,count=1" &&
		kr_ended server ok
}
check "port: the default is 9999" default_port

check "addr: a client with the scope of a missing interface is EINVAL" \
	fails_with EINVAL "client,addr=$LINK6%nosuch0" nosuch0
check "addr: a server with the scope of a missing interface is EINVAL" \
	fails_with EINVAL "server,addr=$LINK6%nosuch0" nosuch0

# source
ip addr add 10.0.0.9/24 dev "$IF"
ip addr add fd00::9/64 dev "$IF" nodad
# gid_there DEVICE ADDRESS: with rxe, wait until DEVICE's GID table has ADDRESS (IPv4, in hex). The
# kernel adds the GID some time after the address. siw needs no GID.
gid_there() {
	[ "$TYPE" != rxe ] || until_ok 60 grep -rqs "ffff:$2" "/sys/class/infiniband/$1/ports/1/gids"
}
gid_there "$DEV" 0a00:0009
check "source: a client uses the IPv4 address of source=" meets_from 10.0.0.9 "$ADDR" "$ADDR" "$ADDR" "" source=10.0.0.9
check "source: a client uses the IPv6 address of source=" meets "$ADDR6" "$ADDR6" "" source=fd00::9
check "source: a client may use the server's address" \
	meets_from "$ADDR" "$ADDR" "$ADDR" "$ADDR" "" "source=$ADDR"
check "source: an address of no interface is EADDRNOTAVAIL" \
	fails EADDRNOTAVAIL "client,addr=$ADDR,source=10.0.0.99"
check "addr: a pair runs on a second address of the interface" meets 10.0.0.9 10.0.0.9
ip addr del 10.0.0.9/24 dev "$IF"
ip addr del fd00::9/64 dev "$IF"

# addresses without a server
check "port: an IPv4 client without a server is ECONNREFUSED" \
	fails_with ECONNREFUSED "client,addr=$ADDR,port=12345" listening
check "port: an IPv6 client without a server is ECONNREFUSED" fails ECONNREFUSED "client,addr=$ADDR6,port=12345"
check "addr: an IPv4 client without a route is ENETUNREACH" fails ENETUNREACH "client,addr=203.0.113.1"
check "addr: an IPv6 client without a route is ENETUNREACH" fails ENETUNREACH "client,addr=2001:db8::1"
ip route add unreachable 203.0.113.0/24
check "addr: an unreachable route is EHOSTUNREACH" fails EHOSTUNREACH "client,addr=203.0.113.1"
ip route del unreachable 203.0.113.0/24
# The guest's interface is a dummy, which drops all packets.
check "timeout: a host that does not answer is ETIMEDOUT" \
	fails_with ETIMEDOUT "client,addr=10.0.0.77,timeout=500" timeout=500
check "addr: a server on an IPv4 address of no interface is EADDRNOTAVAIL" \
	fails_with EADDRNOTAVAIL "server,addr=203.0.113.1" 203.0.113.1
check "addr: a server on an IPv6 address of no interface is EADDRNOTAVAIL" \
	fails EADDRNOTAVAIL "server,addr=2001:db8::1"

# ports

# in_use FIRST SECOND: check that a second server at a port is EADDRINUSE
in_use() {
	kr_bg first "server,addr=$1,port=12000" || return 1
	kr_fails_with EADDRINUSE "server,addr=$2,port=12000" ":12000 (-98)"
	rc=$?
	kr_list
	eq "$KR_NR" 1 "number of tests" || rc=1
	kr_stop
	kr_ended first ECANCELED && [ "$rc" = 0 ]
}

check "port: an IPv4 server on a port in use is EADDRINUSE" in_use "$ADDR" "$ADDR"
check "port: an IPv6 server on a port in use is EADDRINUSE" in_use "$ADDR6" "$ADDR6"
check "port: a server on a port in use on 0.0.0.0 is EADDRINUSE" in_use 0.0.0.0 "$ADDR"
check "port: a server on 0.0.0.0 and a port in use is EADDRINUSE" in_use "$ADDR" 0.0.0.0

same_port() {
	kr_bg a "server,addr=$ADDR,port=12001" &&
		kr_bg b "server,addr=$ADDR6,port=12001" &&
		kr "client,addr=$ADDR6,port=12001,count=1" &&
		kr_ended b ok &&
		kr "client,addr=$ADDR,port=12001,count=1" &&
		kr_ended a ok
}
check "port: two addresses may have servers on the same port" same_port
kr_stop

again() {
	for _ in 1 2 3; do
		kr_bg server "server,addr=$ADDR,port=12002" &&
			kr "client,addr=$ADDR,port=12002,count=1" &&
			kr_ended server ok || return 1
	done
}
check "port: a new server can listen on the port of a server that has ended" again
kr_stop

# device
check "device: a pair succeeds if both sides name the device of their address" meets "$ADDR" "$ADDR" "device=$DEV" "device=$DEV"
check "device: a server on 0.0.0.0 runs on the named device" meets 0.0.0.0 "$ADDR" "device=$DEV"
check "device: a client with an unknown device is ENODEV" \
	fails_with ENODEV "client,addr=$ADDR,device=nosuch0" nosuch0
check "device: a server with an unknown device is ENODEV" \
	fails_with ENODEV "server,addr=$ADDR,device=nosuch0" nosuch0
check "device: a server on 0.0.0.0 with an unknown device is ENODEV" \
	fails_with ENODEV "server,addr=0.0.0.0,device=nosuch0" nosuch0

ip link add krdummy type dummy
ip addr add 10.9.0.1/24 dev krdummy
ip addr add fd09::1/64 dev krdummy nodad
ip link set krdummy up
check "device: a server's address without an RDMA device is ENODEV" fails ENODEV "server,addr=10.9.0.1"
check "device: a client's route without an RDMA device is ENODEV" \
	fails ENODEV "client,addr=10.9.0.2,$PATIENT"
check "device: an address of this host without an RDMA device is ENODEV" \
	fails ENODEV "client,addr=10.9.0.1,$PATIENT"
check "device: an IPv6 server's address without an RDMA device is ENODEV" fails ENODEV "server,addr=fd09::1"

# krping looks up the interface of the scope krdummy, and must drop its reference to this interface;
# otherwise the deletion below blocks.
kr "client,addr6=fe80::99%krdummy,timeout=500,count=1"

other=${TYPE}9
if rdma link add "$other" type "$TYPE" netdev krdummy; then
	gid_there "$other" 0a09:0001
	check "device: a pair runs on a second device" meets 10.9.0.1 10.9.0.1 "" "device=$other"
	check "device: a client whose address belongs to another device is ENODEV" \
		fails_with ENODEV "client,addr=$ADDR,device=$other" "$other"
	check "device: a server whose address belongs to another device is ENODEV" \
		fails_with ENODEV "server,addr=$ADDR,device=$other" "$other"

	own_device_only() {
		kr_bg server "server,addr=0.0.0.0,port=12003,device=$other" &&
			kr_fails ECONNREFUSED "client,addr=$ADDR,port=12003" &&
			kr_detail_has device &&
			kr_running 1 &&
			kr "client,addr=10.9.0.1,port=12003,count=2" &&
			kr_is device "$other" &&
			kr_ended server ok &&
			kr_is device "$other"
	}
	check "0.0.0.0 with device=: a client of another device is rejected, one of this device is served" own_device_only
	kr_stop
	check "tests on each kind of address leave no test or object" kr_clean
	rdma link delete "$other"
else
	not_ok "a second device: $TYPE can be added on a second interface"
fi

# Delete in the background, because a leaked reference to the interface blocks the deletion for ever.
( ip link delete krdummy && : >"$T_TMP/deleted" ) &
check "an interface can be deleted after its name was the scope of an address" until_ok 60 test -e "$T_TMP/deleted"

t_end
