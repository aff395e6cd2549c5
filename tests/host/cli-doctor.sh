#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping doctor on a made-up machine: all is well, and each check finds the fault that
#   is planted for it. tests/guest/cli-doctor.sh asks a real server.
# Requires: no guest; mawk, gawk, busybox
# Duration: 20 s

set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/lib.sh
need_commands check mawk gawk busybox

# shellcheck source=../lib-host.sh
. tests/lib-host.sh

version=$(sed -n 's/^krping_version=//p' scripts/krping)

# put FILE TEXT: a file of the machine
put() {
	mkdir -p "$tmp/root${1%/*}"
	printf '%s\n' "$2" >"$tmp/root$1"
}

# stub PROGRAM TEXT [STATUS]: a program that prints TEXT
stub() {
	printf '#!/bin/sh\ncat <<"END"\n%s\nEND\nexit %s\n' "$2" "${3-0}" >"$tmp/bin/$1"
	chmod +x "$tmp/bin/$1"
}

# device NAME NETDEV: an adapter with a port, GIDs and interrupts
device() {
	ib=/sys/class/infiniband/$1
	put "$ib/ports/1/state" "4: ACTIVE"
	put "$ib/ports/1/rate" "100 Gb/sec (4X EDR)"
	put "$ib/ports/1/link_layer" Ethernet
	put "$ib/ports/1/gid_attrs/ndevs/0" "$2"
	put "$ib/ports/1/gids/0" fe80:0000:0000:0000:0202:02ff:fe02:0202
	put "$ib/ports/1/gid_attrs/types/0" "IB/RoCE v1"
	put "$ib/ports/1/gids/1" fe80:0000:0000:0000:0202:02ff:fe02:0202
	put "$ib/ports/1/gid_attrs/types/1" "RoCE v2"
	put "$ib/ports/1/gids/2" 0000:0000:0000:0000:0000:0000:0000:0000
	put "$ib/ports/1/gids/3" 0000:0000:0000:0000:0000:ffff:0a00:0001
	put "$ib/ports/1/gid_attrs/types/3" "RoCE v2"
	put "$ib/device/numa_node" 1
	put "$ib/device/msi_irqs/40" msi
	put "$ib/device/msi_irqs/41" msi
	put "/sys/class/net/$2/mtu" 4200
	put "/sys/class/net/$2/device/vendor" 0x15b3
	put "/proc/sys/net/ipv4/conf/$2/rp_filter" 0
}

# machine: one without a fault
machine() {
	rm -rf "${tmp:?}/root" "${tmp:?}/bin"
	mkdir "$tmp/bin"
	put /sys/module/rdma_krping/version "$version"
	put /sys/module/module/parameters/sig_enforce N
	device mlx5_0 eth7
	put /proc/irq/40/effective_affinity_list 8
	put /proc/irq/41/effective_affinity_list 9
	put /proc/self/stat "1 (a) b) S$(printf ' %s' 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38) 9 40"
	put /sys/devices/system/node/node1/cpulist 8-15
	put /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor performance
	put /sys/devices/system/cpu/cpu0/cpuidle/state1/latency 2
	put /sys/devices/system/cpu/cpu0/cpuidle/state2/latency 133
	put /sys/devices/system/cpu/cpu0/cpuidle/state2/disable 1
	put /sys/kernel/iommu_groups/0/type identity
	put /sys/devices/system/clocksource/clocksource0/current_clocksource tsc
	put /proc/meminfo "MemAvailable:    8000000 kB"
	put /proc/sys/net/ipv4/conf/all/rp_filter 0
	put /proc/sys/kernel/osrelease 6.1.5
	stub nft ""
	stub dcb "prio-pfc 0:off 3:on"
	stub modinfo "6.1.5 SMP"
}

# doctor [ARGUMENT]...: set status
doctor() {
	# shellcheck disable=SC2086 # a shell may be two words
	PATH=$tmp/bin:$tmp/awk:$PATH KRPING_ROOT=$tmp/root $shell scripts/krping doctor "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
}

well() {
	machine
	doctor
	eq "$status" 0 status || return 1
	! grep -v '^OK ' "$tmp/out" || return 1
	for c in module signing device gid mtu flow kernel iommu numa governor idle interrupts memory clock firewall rp_filter; do
		grep -q "^OK   $c " "$tmp/out" || why "no line of $c: $(cat "$tmp/out")" || return 1
	done
	grep -q ' rdma_cm takes index 3, RoCE v2, for IPv4; 2 of v2, 1 others$' "$tmp/out" || why "$(cat "$tmp/out")" || return 1
	grep -q '^krping: 0 failed, 0 warnings$' "$tmp/err"
}

# finds OK|WARN|FAIL CHECK TEXT: with the planted fault the check says TEXT, and no other complains
finds() {
	doctor
	want=0
	[ "$1" != FAIL ] || want=1
	eq "$status" "$want" status || return 1
	grep "^$1 *$2 " "$tmp/out" | grep -qF -- "$3" || why "no $1 of $2 with '$3': $(cat "$tmp/out")" || return 1
	eq "$(grep -vc '^OK ' "$tmp/out")" "${4-1}" "number of complaints"
}

# plant DESC OK|WARN|FAIL CHECK TEXT COMMAND...: a check with COMMAND as the fault
plant() {
	desc=$1 how=$2 check=$3 text=$4
	shift 4
	machine
	"$@"
	check "$desc: $under" finds "$how" "$check" "$text"
}

remove() {
	rm -rf "$tmp/root$1"
}
not_loaded() {
	remove /sys/module/rdma_krping
}
other_kernel() {
	not_loaded
	stub modinfo "6.1.4 SMP"
}
# attributes, and the value
secure_boot() {
	not_loaded
	put /sys/firmware/efi/efivars/SecureBoot-1 x
	printf '\006\000\000\000\001' >"$tmp/root/sys/firmware/efi/efivars/SecureBoot-1"
}
no_gids() {
	for n in 0 1 3; do
		put "$ib/ports/1/gids/$n" 0000:0000:0000:0000:0000:0000:0000:0000
	done
}
rules() {
	stub nft "table inet filter { chain input { type filter hook input priority 0; policy drop; $1 } }"
}
two_strict() {
	device mlx5_1 eth8
	put /proc/sys/net/ipv4/conf/all/rp_filter 1
}
one_irq() {
	put /proc/irq/41/effective_affinity_list 8
}
soft() {
	mv "$tmp/root/sys/class/infiniband/mlx5_0" "$tmp/root/sys/class/infiniband/$1"
	put /proc/sys/kernel/osrelease "$2"
}

bundle() {
	machine
	doctor --bundle "$tmp/report.tar.gz"
	eq "$status" 0 status && tar tzf "$tmp/report.tar.gz" >"$tmp/list" && grep -q '/doctor.txt$' "$tmp/list" &&
		grep -q '/devices.txt$' "$tmp/list" && grep -q 'doctor.txt: 16 lines' "$tmp/err" &&
		eq "$(grep -vc '/$' "$tmp/list")" "$(grep -c '^krping:     ' "$tmp/err")" "number of files that are stated"
}

no_host() {
	machine
	stub getent "" 2
	doctor no.such.host
	eq "$status" 2 status && grep -q "neither an address nor the name of a host" "$tmp/err"
}

# only the check of the route counts here: there is no server
route() {
	machine
	stub ip "$2" "$3"
	doctor 192.0.2.1
	grep "^$1 *route " "$tmp/out"
}

mkdir "$tmp/awk"
for pair in "dash mawk" "bash gawk" "busybox sh;busybox awk"; do
	case $pair in
	*\;*) shell=${pair%%;*} awk=${pair#*;} ;;
	*) shell=${pair% *} awk=${pair#* } ;;
	esac
	printf '#!/bin/sh\nexec %s "$@"\n' "$awk" >"$tmp/awk/awk"
	chmod +x "$tmp/awk/awk"
	under="$shell, $awk"
	check "a machine without a fault: $under" well
	plant "no module" FAIL module "krping load" not_loaded
	plant "a module for another kernel" FAIL module "built for 6.1.4" other_kernel
	plant "a module of another version" WARN module "rdma_krping 0.9 is loaded" put /sys/module/rdma_krping/version 0.9
	machine
	secure_boot
	check "secure boot: $under" finds FAIL module "krping load" 2
	check "secure boot is named: $under" grep -q '^WARN signing .*secure boot is on' "$tmp/out"
	plant "no device" FAIL device "krping softrdma up rxe" remove /sys/class/infiniband
	plant "a port that is down" FAIL device "mlx5_0 port 1 is DOWN" put "$ib/ports/1/state" "1: DOWN"
	plant "no GID" FAIL gid "give eth7 an address" no_gids
	plant "a small MTU" WARN mtu "ip link set eth7 mtu 4200" put /sys/class/net/eth7/mtu 1000
	plant "no flow control" WARN flow "no priority flow control" stub dcb "prio-pfc 0:off 3:off"
	plant "rxe of 5.10" WARN kernel "rxe0: a wrong key gets no answer" soft rxe0 5.10.9
	plant "rxe of 7.x" WARN kernel "one packet that the interface drops" soft rxe0 7.3.4
	plant "siw of any kernel" WARN kernel "siw0: on a busy machine" soft siw0 6.6.1
	machine
	soft rxe0 5.101.0
	check "rxe of a kernel that is not listed: $under" finds OK kernel "no known fault" 0
	plant "a strict IOMMU" WARN iommu "iommu=pt" put /sys/kernel/iommu_groups/0/type DMA
	plant "a CPU of another node" WARN numa "not on node 1" put /sys/devices/system/node/node1/cpulist 0-7,16
	plant "a governor that saves power" WARN governor powersave put /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor powersave
	plant "deep idle states" WARN idle "133 usec" put /sys/devices/system/cpu/cpu0/cpuidle/state2/disable 0
	plant "all interrupts on one CPU" WARN interrupts "all 2 of mlx5_0 go to CPU 8" one_irq
	plant "little memory" WARN memory "97 MiB are available" put /proc/meminfo "MemAvailable:    100000 kB"
	plant "a small control group" WARN memory "may use 64 MiB" put /sys/fs/cgroup/memory.max 67108864
	plant "a slow clock" WARN clock "the clocksource is hpet" put /sys/devices/system/clocksource/clocksource0/current_clocksource hpet
	plant "a firewall that drops RoCE v2" WARN firewall "none allows UDP port 4791" rules "tcp dport 22 accept"
	machine
	rules "udp dport 4791 accept"
	check "a firewall that lets RoCE v2 pass: $under" finds OK firewall "let port 4791 pass" 0
	plant "strict reverse paths" WARN rp_filter "eth7 eth8" two_strict
	check "--bundle writes a tarball and states its files: $under" bundle
	check "the name of no host: $under" no_host
	check "no route: $under" route FAIL "RTNETLINK answers: Network is unreachable" 2
	check "a route over an interface without RDMA: $under" route FAIL "192.0.2.1 dev wlan0 src 192.0.2.7" 0
	check "a route over an interface with RDMA: $under" route OK "192.0.2.1 dev eth7 src 192.0.2.7" 0
done

t_end
