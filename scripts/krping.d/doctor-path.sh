# shellcheck shell=sh disable=SC2154 # other files set lib, tmp and so on
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# krping doctor ADDR: the route to a server and back. POSIX sh.

# check_name: replace a name in $addr by its address; fail if no host has the name
check_name() {
	_found=$(host_address "$addr") || {
		finding FAIL name "'$addr' is neither an address nor the name of a host" "see /etc/hosts, and the name server in /etc/resolv.conf"
		return 1
	}
	if [ "$_found" = "$addr" ]; then
		finding OK name "$addr is an address"
	else
		finding OK name "$addr has the address $_found"
	fi
	addr=$_found
}

check_path() {
	check_route
	[ "$_out" ] || return 0
	check_reverse
	check_path_mtu
}

# check_route: set _out to the interface of the route to ADDR, _src to the address of this machine,
# and _pmtu to the MTU of the route. Set _out to '' if the interface has no RDMA device.
check_route() {
	_out=
	_route=$("$(program ip)" route get "$addr" 2>&1) || {
		finding FAIL route "there is no route to $addr" "ip route add"
		return
	}
	_out=$(route_word dev)
	_src=$(route_word src)
	_pmtu=$(route_word mtu)
	# The kernel reaches an address of this machine over lo, which has no RDMA device.
	if [ "$_out" = lo ]; then
		check_own "$(interface_with "$addr")"
		_out=
		return
	fi
	case $(rdma_of "$_out") in
	yes) finding OK route "$addr is reached over $_out" ;;
	unknown) finding WARN route "$addr is reached over $_out; no RDMA device names its interface" ;;
	no)
		finding FAIL route "$addr is reached over $_out, which has no RDMA device" \
			"give the RDMA interface an address in that network; $(without_hardware "$_out")"
		_out=
		;;
	esac
}

# check_own INTERFACE: check whether INTERFACE, which has ADDR, is the interface of an RDMA device. Without a name, the
# program ip has not told the interface.
check_own() {
	if [ "$1" ] && [ "$(rdma_of "$1")" = no ]; then
		finding FAIL route "$addr is the address of $1, which has no RDMA device" \
			"krping softrdma list shows the addresses of devices; $(without_hardware "$1")"
		return
	fi
	finding OK route "$addr is an address of this machine"
	finding WARN shared "server and client share this machine: each takes CPU time from the other, so latencies vary" \
		"for measurements, run the server on another machine"
}

# rdma_of INTERFACE: print yes if an RDMA device names INTERFACE as its own, no if none does, and unknown if no RDMA
# device names an interface
rdma_of() {
	_named=unknown
	for _f in "$root"/sys/class/infiniband/*/ports/*/gid_attrs/ndevs/*; do
		[ -r "$_f" ] || continue
		IFS= read -r line 2>/dev/null <"$_f" || continue
		_named=no
		[ "$line" != "$1" ] || {
			_named=yes
			break
		}
	done
	echo $_named
}

# The route back to ADDR has to use the interface of the route there. Otherwise rdma_cm ignores a
# connection request, whatever rp_filter is, and with a strict rp_filter the kernel drops each packet.
check_reverse() {
	[ "$_src" ] || return 0
	_route=$("$(program ip)" route get "$addr" from "$_src" 2>&1) || _route=
	_back=$(route_word dev)
	if [ "$_back" ] && [ "$_back" != "$_out" ]; then
		finding FAIL reverse "$addr is reached over $_out, and from $_src over $_back: rdma_cm ignores such a peer" \
			"ip rule; ip route get $addr from $_src"
		return
	fi
	_route=$("$(program ip)" route get "$_src" from "$addr" iif "$_out" 2>&1) || {
		case $_route in
		*"cross-device"*)
			finding FAIL reverse "packets of $addr that arrive on $_out are dropped: another interface is the way back" \
				"sysctl net.ipv4.conf.$_out.rp_filter=2, or mend the routes"
			return
			;;
		esac
	}
	finding OK reverse "the way from $addr back to $_src is $_out, too"
}

# roce_payload MTU: set _payload to the payload of RoCE's largest packet on an interface with this
# MTU, and _headers to the bytes of its headers: IP, UDP, BTH, RETH, ICRC
roce_payload() {
	_headers=60
	case $addr in
	*:*) _headers=80 ;;
	esac
	_payload=4096
	while [ $((_payload + _headers)) -gt "$1" ] && [ $_payload -gt 256 ]; do
		_payload=$((_payload / 2))
	done
}

# all_iwarp: check whether all RDMA devices of the interface $_out are iWARP
all_iwarp() {
	for _f in "$root"/sys/class/infiniband/*/ports/*/gid_attrs/ndevs/0; do
		[ -r "$_f" ] || continue
		IFS= read -r line 2>/dev/null <"$_f" || line=
		[ "$line" = "$_out" ] || continue
		IFS= read -r line 2>/dev/null <"${_f%/ports/*}/node_type" || line=
		case $line in
		*RNIC*) ;;
		*) return 1 ;;
		esac
	done
}

# RoCE uses the MTU of the interface even if the path has a smaller one, and its packets are not
# fragmented. iWARP leaves the segment size to TCP.
check_path_mtu() {
	! all_iwarp || return 0
	first_line "/sys/class/net/$_out/mtu"
	case $line,$_pmtu in
	*[!0-9,]* | ,*) return 0 ;;
	esac
	_mtu=$line
	roce_payload "$_mtu"
	_need=$((_payload + _headers))
	if [ "$_pmtu" ] && [ "$_pmtu" -lt $_need ]; then
		finding FAIL path_mtu "the route to $addr allows $_pmtu bytes, and RoCE sends $_need" "ip link set $_out mtu $_pmtu"
		return
	fi
	# without an answer to a small ping, a missing answer to a large one proves nothing
	pings 56 || return 0
	# the headers of a ping have 28 bytes, and 48 with IPv6
	if pings $((_need - (_headers == 80 ? 48 : 28))); then
		finding OK path_mtu "packets of $_need bytes reach $addr"
	else
		finding FAIL path_mtu "packets of $_need bytes do not reach $addr, small ones do" \
			"set the MTU of all switches and hosts to $_mtu or more, or: ip link set $_out mtu 1500"
	fi
}

# pings BYTES: check whether ADDR answers a ping of BYTES bytes that no router may fragment. program
# avoids the ping of busybox, which lacks -M.
pings() {
	"$(program ping)" -M "do" -c 1 -W 2 -s "$1" "$addr" >/dev/null 2>&1
}
