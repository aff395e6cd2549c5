# shellcheck shell=sh disable=SC2154 # other files set lib, tmp and so on
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# krping doctor: RDMA devices, their ports, interfaces and GIDs. POSIX sh.

# check_devices: check each device; fail if there is none
check_devices() {
	_any=
	for _dev in "$root"/sys/class/infiniband/*; do
		[ -e "$_dev" ] || continue
		_any=yes
		for _port in "$_dev"/ports/*; do
			[ -e "$_port" ] || continue
			check_port "${_dev##*/}" "${_port##*/}"
		done
	done
	[ "$_any" ] || finding FAIL device "there is no RDMA device" \
		"load the driver of the adapter; $(without_hardware), on both hosts"
}

# check_port DEVICE PORT: check whether a port is active. If so, check GIDs, RoCE, MTU and flow control.
check_port() {
	_path=/sys/class/infiniband/$1/ports/$2
	first_line "$_path/state"
	case $line in
	*ACTIVE*) ;;
	*)
		finding FAIL device "$1 port $2 is ${line#*: }" "bring its link or interface up"
		return
		;;
	esac
	first_line "$_path/link_layer"
	_layer=$line
	first_line "$_path/gid_attrs/ndevs/0"
	_netdev=$line
	finding OK device "$1 port $2 is active${_netdev:+, on the interface $_netdev}"
	roce_mode "$1" "$2"
	check_gids "$1" "$2"
	[ "$_layer" = Ethernet ] && [ "$_netdev" ] || return 0
	check_roce "$1" "$2"
	check_mtu "$1"
	check_flow
	check_ecn
}

# roce_mode DEVICE PORT: set _mode to the version of RoCE that rdma_cm uses: v1 if its configfs selects v1,
# otherwise v2
roce_mode() {
	_mode=v2
	first_line "/sys/kernel/config/rdma_cm/$1/ports/$2/default_roce_mode"
	case $line in
	*v1*) _mode=v1 ;;
	esac
}

# lower VARIABLE N: set VARIABLE to N if VARIABLE is empty or higher. The order of file names is not that of numbers.
lower() {
	eval "[ \"\$$1\" ] && [ \"\$$1\" -lt $2 ] || $1=$2"
}

# check_gids DEVICE PORT: check whether the port has a GID, and for RoCE v2 a global GID. Name the GIDs that
# rdma_cm uses: the first with an IPv4 address and the first with a global IPv6 address, of the version
# $_mode. Set _v1 and _v2 to the numbers of GIDs of each version.
check_gids() {
	_path=$root/sys/class/infiniband/$1/ports/$2
	_v1=0 _v2=0 _ip='' _ip6=''
	for _gid in "$_path"/gids/*; do
		_n=${_gid##*/}
		IFS= read -r _value 2>/dev/null <"$_gid" || continue
		case $_value in
		*[1-9a-f]*) ;;
		*) continue ;;
		esac
		IFS= read -r _type 2>/dev/null <"$_path/gid_attrs/types/$_n" || _type=
		case $_type in
		*v2*) _v2=$((_v2 + 1)) ;;
		*) _v1=$((_v1 + 1)) ;;
		esac
		case $_type,$_value in
		*"$_mode",0000:0000:0000:0000:0000:ffff:*) lower _ip "$_n" ;;
		*"$_mode",fe80:*) ;;
		*"$_mode",*) lower _ip6 "$_n" ;;
		esac
	done
	_counts="$_v2 of v2, $(counted $_v1 other)"
	if [ $((_v1 + _v2)) = 0 ]; then
		finding FAIL gid "$1 port $2 has no GID" "give ${_netdev:-its interface} an address"
	elif [ $_v2 -gt 0 ] && [ -z "$_ip$_ip6" ]; then
		finding WARN gid "$1 has link-local addresses only" "ip addr add 192.0.2.1/24 dev ${_netdev:-INTERFACE}"
	elif [ "$_ip" ]; then
		finding OK gid "$1: rdma_cm takes index $_ip, RoCE $_mode, for IPv4${_ip6:+ and $_ip6 for IPv6}; $_counts"
	elif [ "$_ip6" ]; then
		finding OK gid "$1: rdma_cm takes index $_ip6, RoCE $_mode, for IPv6; $_counts"
	else
		finding OK gid "$1: $(counted $_v2 GID) of RoCE v2, $(counted $_v1 other)"
	fi
}

# check_roce DEVICE PORT: warn if rdma_cm uses RoCE v1, which routers do not forward. rdma_cm uses v1 on
# a device without v2, or if its configfs selects v1. Skip iWARP, whose GIDs sysfs reports as v1.
check_roce() {
	first_line "/sys/class/infiniband/$1/node_type"
	case $line in
	*RNIC*) return ;;
	esac
	case $_mode in
	v1)
		finding WARN roce "rdma_cm takes RoCE v1 on $1, which routers do not forward, and which reaches no peer with v2" \
			"echo 'RoCE v2' >/sys/kernel/config/rdma_cm/$1/ports/$2/default_roce_mode"
		;;
	*)
		if [ "$_v2" = 0 ] && [ "$_v1" != 0 ]; then
			finding WARN roce "$1 has RoCE v1 alone, which routers do not forward, and which reaches no peer with v2" \
				"enable RoCE v2 in the adapter's firmware"
		else
			finding OK roce "rdma_cm takes RoCE v2 on $1"
		fi
		;;
	esac
}

# roce_mtu MTU: print the MTU of RoCE on an interface with MTU: the largest power of two, from 256 to 4096, that
# fits into MTU with 96 bytes of headers, for which the kernel reserves space
roce_mtu() {
	_power=4096
	while [ $((_power + 96)) -gt "$1" ] && [ $_power -gt 256 ]; do
		_power=$((_power / 2))
	done
	echo $_power
}

# check_mtu: report the MTU that the interface leaves to RoCE, and warn if it is below 1024 bytes
check_mtu() {
	first_line "/sys/class/net/$_netdev/mtu"
	case $line in
	'' | *[!0-9]*) return ;;
	esac
	_fits=$(roce_mtu "$line")
	case $_fits in
	4096) finding OK mtu "$_netdev has $line, which allows the full 4096 bytes of RoCE" ;;
	1024 | 2048) finding OK mtu "$_netdev has $line, with which RoCE uses $_fits bytes; 4200 allows 4096" ;;
	*) finding WARN mtu "$_netdev has $line, which leaves RoCE less than 1024 bytes" "ip link set $_netdev mtu 4200" ;;
	esac
}

# check_flow: report whether the interface has priority flow control.
# Packet loss slows RoCE down much, and flow control avoids loss. Software devices lack its settings.
check_flow() {
	[ -e "$root/sys/class/net/$_netdev/device" ] || return 0
	_pfc=$(dcb pfc show dev "$_netdev" prio-pfc 2>/dev/null) || _pfc=
	case $_pfc in
	*:on*) finding OK flow "$_netdev has priority flow control" ;;
	'') finding OK flow "$_netdev: no PFC settings; check the switches if packets get lost" ;;
	*) finding WARN flow "$_netdev has no priority flow control" "configure PFC or ECN on hosts and switches, or expect loss to be slow" ;;
	esac
}

# ecn_enabled roce_np|roce_rp: check whether any priority has ECN enabled in this role. The notification
# point (np) receives marked packets and notifies the sender; the reaction point (rp) then sends more slowly.
ecn_enabled() {
	for _f in "$root/sys/class/net/$_netdev/ecn/$1"/enable/*; do
		IFS= read -r line 2>/dev/null <"$_f" || continue
		[ "$line" != 1 ] || return 0
	done
	return 1
}

# check_ecn: report whether the interface has ECN for RoCE in both roles.
# With ECN switches mark packets before their queues overflow. Only some drivers have the settings in sysfs.
check_ecn() {
	[ -e "$root/sys/class/net/$_netdev/device" ] || return 0
	if ! [ -d "$root/sys/class/net/$_netdev/ecn" ]; then
		finding OK ecn "$_netdev: no ECN settings in sysfs; use the adapter's tools if packets get lost"
	elif ecn_enabled roce_np && ecn_enabled roce_rp; then
		finding OK ecn "$_netdev has ECN for RoCE"
	else
		finding WARN ecn "$_netdev has no ECN for RoCE in both directions" \
			"echo 1 >/sys/class/net/$_netdev/ecn/roce_rp/enable/3, and roce_np; 3 is the priority of RoCE"
	fi
}
