#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The command krping doctor finds planted faults: a port that is down, a small MTU of an
#   interface or a route, a way back over another interface, a kernel that /etc/krping/faults lists.
#   No server answers.
# Requires: one guest with any device
# Duration: 40 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=cli.inc
. "${0%/*}/cli.inc"
# Functions of cli.inc: ends STATUS ARGUMENT... runs the command krping and checks its exit status, prints REGEX
# checks its output, explains TEXT its standard error. serve starts krping server, and served ends it.

one_shell
PEER=10.0.0.9
OTHER=${TYPE}7

# finds OK|WARN|FAIL CHECK TEXT [ARGUMENT]...: check that krping doctor ARGUMENT... prints a line with
# this verdict, CHECK and TEXT
finds() {
	_found="^$1 $2 $3"
	shift 3
	krping doctor "$@"
	prints "$_found"
}

# no_word_of CHECK [ARGUMENT]...: check that krping doctor ARGUMENT... prints no line of CHECK
no_word_of() {
	_check=$1
	shift
	krping doctor "$@"
	! grep -q "^[A-Z]* *$_check " "$OUT" || why "$(cat "$OUT")"
}

# second_device: add the RDMA device OTHER on the interface krping7
second_device() {
	ip link add krping7 type dummy && ip addr add 10.0.7.1/24 dev krping7 &&
		ip link set krping7 up && rdma link add "$OTHER" type "$TYPE" netdev krping7
}

# other_way_back: route packets from ADDR to PEER over krping7, and check that doctor reports this
other_way_back() {
	ip route add $PEER/32 dev krping7 table 77 && ip rule add from "$ADDR" lookup 77 || return 1
	finds FAIL reverse "$PEER is reached over $IF, and from $ADDR over krping7" $PEER
	_rc=$?
	ip rule del from "$ADDR" lookup 77
	ip route flush table 77
	return $_rc
}

# small_path COMMAND...: run COMMAND while the route to PEER has an MTU of 600
small_path() {
	ip route add $PEER/32 dev "$IF" src "$ADDR" mtu 600 || return 1
	"$@"
	_rc=$?
	ip route del $PEER/32
	return $_rc
}

# listed_fault: list this kernel in /etc/krping/faults, and check that doctor warns of it
listed_fault() {
	_series=$(uname -r | cut -d . -f 1,2)
	mkdir -p /etc/krping
	echo "kernel $_series $TYPE planted by the test" >/etc/krping/faults
	finds WARN kernel "$(uname -r), $DEV: planted by the test"
	_rc=$?
	rm -r /etc/krping
	return $_rc
}

# small_interface: set an MTU of 700, and check that doctor warns of it
small_interface() {
	ip link set krping7 mtu 700 && finds WARN mtu "krping7 has 700"
}

# port_down: set the second device's port down, and check that doctor reports this
port_down() {
	ip link set krping7 down && finds FAIL device "$OTHER port 1 is DOWN"
}

# small_group: move this shell into a control group with little memory, and check that doctor warns only there
small_group() {
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control && mkdir /sys/fs/cgroup/small &&
		echo 100m >/sys/fs/cgroup/small/memory.max && echo $$ >/sys/fs/cgroup/small/cgroup.procs || return 1
	finds WARN memory "the control group /small may use 100 MiB"
	_rc=$?
	echo $$ >/sys/fs/cgroup/cgroup.procs
	rmdir /sys/fs/cgroup/small
	[ $_rc = 0 ] && finds OK memory "[0-9]+ MiB are available"
}

check "doctor reports an active device without a fault" finds OK device "$DEV port 1 is active"
check "doctor reports a server that is not there" finds FAIL server "$PEER: " $PEER
check "doctor: the way back is the way there" finds OK reverse "the way from $PEER back to $ADDR is $IF, too" $PEER
check "a second device can be added for doctor" second_device
check "doctor reports a way back over another interface" other_way_back
check "doctor: the way back is mended" finds OK reverse "the way from $PEER back to $ADDR is $IF, too" $PEER
if [ "$TYPE" = rxe ]; then
	check "doctor reports a route with a smaller MTU than RoCE needs" \
		small_path finds FAIL path_mtu "the route to $PEER allows 600 bytes, and RoCE sends 1084" $PEER
	check "doctor reports RoCE v2 on rxe" finds OK roce "rdma_cm takes RoCE v2 on $DEV"
	check "doctor reports a small MTU of the interface" small_interface
	check "doctor reports a port that is down" port_down
else
	check "doctor does not check the MTU of a path for iWARP" small_path no_word_of path_mtu $PEER
	check "doctor does not check RoCE for iWARP" no_word_of roce
fi
check "doctor reports a fault that /etc/krping/faults lists" listed_fault
if mount -t cgroup2 none /sys/fs/cgroup 2>/dev/null && grep -qw memory /sys/fs/cgroup/cgroup.controllers; then
	check "doctor reports a small control group of its shell" small_group
else
	skip "doctor reports a small control group of its shell" "the kernel has no control groups of memory"
fi
rdma link delete "$OTHER"
ip link delete krping7

t_end
