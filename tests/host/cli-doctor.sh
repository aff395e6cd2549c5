#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping doctor reports no fault on a made-up machine that has none. Then this file plants
#   at least one fault for each check of doctor, which reports the fault. tests/guest/cli-doctor.sh runs
#   doctor with a real server.
# Requires: no guest; mawk, gawk, busybox
# Duration: 20 s

set -u
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=shells.inc
. tests/host/shells.inc
# shellcheck source=doctor.inc
. tests/host/doctor.inc

# well: check that doctor accepts a machine without a fault, with a line for each of its checks
well() {
	machine
	doctor
	eq "$status" 0 status || return 1
	! grep -v '^OK ' "$tmp/out" || return 1
	for c in module signing device gid roce mtu flow ecn kernel firmware iommu numa governor idle interrupts memory limits clock firewall rp_filter; do
		grep -q "^OK   $c " "$tmp/out" || why "no line of $c: $(cat "$tmp/out")" || return 1
	done
	grep -q ' rdma_cm takes index 3, RoCE v2, for IPv4; 2 of v2, 1 other$' "$tmp/out" || why "$(cat "$tmp/out")" || return 1
	grep -q '^krping: 0 failed, 0 warnings$' "$tmp/err"
}

# shows_progress: check that doctor shows on a terminal which test it runs, and removes this before each finding
shows_progress() {
	# shellcheck disable=SC2016 # the inner shell expands them
	$shell -c 'lib=scripts/krping.d tmp=$1
		. "$lib/doctor.sh"
		terminal() { true; }
		check_test() { finding OK "$1" well; }
		check_tests ping wlat' sh "$tmp" >"$tmp/out" 2>"$tmp/err" || return 1
	printf '\rping (1 of 2)\033[K\r\033[K\rwlat (2 of 2)\033[K\r\033[K' >"$tmp/want"
	cmp "$tmp/want" "$tmp/err" && eq "$(tr -s ' ' <"$tmp/out")" "$(printf 'OK ping well\nOK wlat well')" findings
}

# shows_size: check that doctor shows on a terminal each size that a test runs with, in both memory modes
shows_size() {
	# shellcheck disable=SC2016 # the inner shell expands them
	$shell -c 'lib=scripts/krping.d tmp=$1
		. "$lib/doctor.sh"
		terminal() { true; }
		run_size() { true; }
		in_bytes() { echo 1024; }
		check_tests wlat' sh "$tmp" >"$tmp/out" 2>"$tmp/err" || return 1
	for _mode in dma reg; do
		for _size in 1 4k 64k 1m 4m; do
			printf '\rwlat (1 of 1), size=%s mem_mode=%s\033[K' "$_size" "$_mode"
		done
	done >"$tmp/want"
	printf '\rwlat (1 of 1)\033[K%s\r\033[K' "$(cat "$tmp/want")" | cmp - "$tmp/err"
}

# scarce: check that doctor reports a host without contiguous memory for a buffer of 4 MiB
scarce() {
	# shellcheck disable=SC2016 # the inner shell expands them
	$shell -c 'lib=scripts/krping.d tmp=$1
		. "$lib/common.sh"
		. "$lib/doctor.sh"
		doctor_run() {
			errno=0 _why=memory
			case $1 in
			size=4m,mem_mode=dma,*wlat*) errno=12 ;;
			esac
			[ $errno = 0 ]
		}
		check_tests wlat ping' sh "$tmp" 2>"$tmp/err" | tr -s " " >"$tmp/out"
	eq "$(cat "$tmp/out" "$tmp/err")" "OK wlat 1 byte to 2 MiB with mem_mode=dma, to 4 MiB with mem_mode=reg; a host has no contiguous memory for more
OK ping 1 byte to 4 MiB, both memory modes" findings
}

# interrupted: check that a signal between two checks ends doctor, and that doctor then prints the number of its findings.
# The check of the firewall runs nft, which here takes a second.
interrupted() {
	machine
	put /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor powersave
	printf '#!/bin/sh\nsleep 1\n' >"$tmp/bin/nft"
	# shellcheck disable=SC2086 # a shell may be two words
	PATH=$tmp/bin:$tmp/awk:$PATH KRPING_ROOT=$tmp/root $shell scripts/krping doctor >"$tmp/out" 2>"$tmp/err" &
	for _ in $(seq 100); do
		! grep -q ' clock ' "$tmp/out" || break
		sleep 0.1
	done
	kill -TERM $!
	wait $!
	eq $? 143 status && grep -q '^krping: interrupted before the end of the checks; until then 0 failed, 1 warning$' "$tmp/err" &&
		! grep -q rp_filter "$tmp/out"
}

# The following functions plant a fault into the made-up machine.

not_loaded() {
	remove /sys/module/rdma_krping
}
no_module() {
	not_loaded
	stub modinfo "" 1
}
# not_built: install the source of krping-dkms, and no headers of the kernel
not_built() {
	no_module
	put /usr/src/krping-1/dkms.conf ""
}
other_kernel() {
	not_loaded
	stub modinfo "6.1.4 SMP"
}
# secure_boot: enable secure boot. The file of an EFI variable has 4 bytes of attributes, and the value.
secure_boot() {
	not_loaded
	put /sys/firmware/efi/efivars/SecureBoot-1 x
	printf '\006\000\000\000\001' >"$tmp/root/sys/firmware/efi/efivars/SecureBoot-1"
}
# enforced: let the kernel enforce signatures of modules
enforced() {
	not_loaded
	put /sys/module/module/parameters/sig_enforce Y
}
# locked: lock the kernel down
locked() {
	not_loaded
	put /sys/kernel/security/lockdown "none [integrity] confidentiality"
}
# signs DESC COMMAND TEXT: check that doctor reports the missing module, and TEXT as the reason for a signature
signs() {
	machine
	"$2"
	check "doctor reports that the module is not loaded, also with $1: $under" finds FAIL module "krping load" 2
	check "doctor reports $1: $under" grep -q "^WARN signing .*$3.*mokutil" "$tmp/out"
}
no_gids() {
	for n in 0 1 3; do
		put "$ib/ports/1/gids/$n" 0000:0000:0000:0000:0000:0000:0000:0000
	done
}
link_local() {
	put "$ib/ports/1/gids/3" 0000:0000:0000:0000:0000:0000:0000:0000
}
# rules RULE: make a firewall that drops all packets but those that RULE accepts
rules() {
	stub nft "table inet filter { chain input { type filter hook input priority 0; policy drop; $1 } }"
}
two_strict() {
	device mlx5_1 eth8
	put /proc/sys/net/ipv4/conf/all/rp_filter 1
}
# one_irq: send both interrupts of the adapter to one CPU
one_irq() {
	put /proc/irq/41/effective_affinity_list 8
}
v1_alone() {
	put "$ib/ports/1/gid_attrs/types/1" "IB/RoCE v1"
	put "$ib/ports/1/gids/3" 0000:0000:0000:0000:0000:0000:0000:0000
}
# v1_default: let rdma_cm use RoCE v1, and let the device have a GID of v1 with the IPv4 address
v1_default() {
	put /sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_mode "IB/RoCE v1"
	put "$ib/ports/1/gid_attrs/types/2" "IB/RoCE v1"
	put "$ib/ports/1/gids/2" 0000:0000:0000:0000:0000:ffff:0a00:0001
}
# ipv6 N: put a global IPv6 address into GID N, with RoCE v2
ipv6() {
	put "$ib/ports/1/gids/$1" 2001:0db8:0000:0000:0000:0000:0000:0007
	put "$ib/ports/1/gid_attrs/types/$1" "RoCE v2"
}
bad_firmware() {
	put /etc/krping/faults "firmware MT_00000000?? 16.28.* loses atomics"
	put "$ib/fw_ver" 16.28.1002
}
# twins: add an adapter of the same board with other firmware
twins() {
	device mlx5_1 eth8
	put "$ib/fw_ver" 16.30.7
}
# bundle: check the tarball of --bundle, and that doctor states its files
bundle() {
	machine
	doctor --bundle "$tmp/report.tar.gz"
	eq "$status" 0 status && tar tzf "$tmp/report.tar.gz" >"$tmp/list" && grep -q '/doctor.txt$' "$tmp/list" &&
		grep -q '/devices.txt$' "$tmp/list" && grep -q 'doctor.txt: 20 lines' "$tmp/err" &&
		eq "$(grep -vc '/$' "$tmp/list")" "$(grep -c '^krping:     ' "$tmp/err")" "number of files that are stated"
}

# no_place: check that doctor refuses a tarball in a directory that does not exist, before its checks
no_place() {
	machine
	doctor --bundle "$tmp/none/report.tar.gz"
	eq "$status" 2 status && grep -q "there is no directory $tmp/none for --bundle" "$tmp/err" && eq "$(cat "$tmp/out")" "" findings
}

# one_warning: check the last line of doctor on a machine with one fault
one_warning() {
	machine
	two_strict
	doctor
	grep -q '^krping: 0 failed, 1 warning$' "$tmp/err" || why "$(cat "$tmp/err")"
}

# no_reader: check that doctor prints no error if its reader ends before the first finding
no_reader() {
	machine
	# shellcheck disable=SC2086 # a shell may be two words
	PATH=$tmp/bin:$tmp/awk:$PATH KRPING_ROOT=$tmp/root $shell scripts/krping doctor 2>"$tmp/err" | :
	eq "$(cat "$tmp/err")" "" "standard error"
}

# each_check: make all checks under one pair of a shell and an awk, which $under names
each_check() {
	check "doctor accepts a machine without a fault: $under" well
	check "doctor shows the size and the memory mode of each test on a terminal: $under" shows_size
	check "doctor reports a host without contiguous memory for 4 MiB: $under" scarce
	check "doctor prints the number of its findings when a signal ends it: $under" interrupted
	check "doctor prints no error if its reader ends: $under" no_reader
	plant "a module that is not loaded" FAIL module "krping load" not_loaded
	plant "no module for this kernel" FAIL module "is not installed for the kernel 6.1.5: install the package krping-dkms" no_module
	plant "a module that dkms has not built" FAIL module "for the kernel 6.1.5: install linux-headers-6.1.5, and dkms" not_built
	plant "a module for another kernel" FAIL module "built for 6.1.4" other_kernel
	plant "a module of another version" WARN module "rdma_krping 0.9 is loaded" put /sys/module/rdma_krping/version 0.9
	signs "secure boot" secure_boot "secure boot is on"
	signs "enforced signatures of modules" enforced "the kernel enforces signatures"
	signs "a kernel that is locked down" locked "the kernel is locked down"
	plant "no device" FAIL device "krping softrdma up rxe" remove /sys/class/infiniband
	plant "a port that is down" FAIL device "mlx5_0 port 1 is DOWN" put "$ib/ports/1/state" "1: DOWN"
	plant "no GID" FAIL gid "give eth7 an address" no_gids
	plant "no address but a link-local one" WARN gid "ip addr add 192.0.2.1/24 dev eth7" link_local
	plant "a small MTU" WARN mtu "ip link set eth7 mtu 4200" put /sys/class/net/eth7/mtu 1119
	for mtu in "2143 1024" "2144 2048"; do
		machine
		put /sys/class/net/eth7/mtu "${mtu% *}"
		check "doctor knows the MTU of RoCE on an interface with ${mtu% *}: $under" finds OK mtu "RoCE uses ${mtu#* } bytes" 0
	done
	plant "RoCE v1 as the default of rdma_cm" WARN roce "default_roce_mode" v1_default
	check "doctor names the GID of RoCE v1 if rdma_cm uses v1: $under" \
		finds OK gid "mlx5_0: rdma_cm takes index 2, RoCE v1, for IPv4; 2 of v2, 2 others" 1
	machine
	ipv6 5
	ipv6 10
	check "doctor names the GIDs of an IPv4 address and of an IPv6 address: $under" \
		finds OK gid "mlx5_0: rdma_cm takes index 3, RoCE v2, for IPv4 and 5 for IPv6; 4 of v2, 1 other" 0
	link_local
	check "doctor names the GID of an IPv6 address: $under" \
		finds OK gid "mlx5_0: rdma_cm takes index 5, RoCE v2, for IPv6; 3 of v2, 1 other" 0
	plant "a device without RoCE v2" WARN roce "mlx5_0 has RoCE v1 alone" v1_alone
	machine
	v1_alone
	put "$ib/node_type" "4: RNIC"
	check "doctor does not require RoCE v2 of an iWARP device: $under" finds OK gid "0 GIDs of RoCE v2, 2 others" 0
	plant "no flow control" WARN flow "no priority flow control" stub dcb "prio-pfc 0:off 3:off"
	plant "ECN that marks and does not slow down" WARN ecn "eth7 has no ECN for RoCE in both directions" ecn 1 0
	plant "ECN that is off" WARN ecn "/sys/class/net/eth7/ecn/roce_rp/enable/3" ecn 0 0
	machine
	ecn 1 1
	check "doctor accepts an adapter with ECN: $under" finds OK ecn "eth7 has ECN for RoCE" 0
	plant "rxe of 5.10" WARN kernel "rxe0: a wrong key gets no answer" soft rxe0 5.10.9
	for fault in "rxe0 6.1.9 a device whose link" "rxe0 7.3.4 one packet that the interface drops" "siw0 6.6.1 on a busy machine"; do
		machine
		# shellcheck disable=SC2086 # the device, the release and the fault
		set -- $fault
		soft "$1" "$2"
		check "doctor names a fault of $1 on $2 without a warning: $under" finds OK kernel "$2, $1: nothing to do now, but if tests fail: ${fault#* * }" 0
	done
	check "doctor prints the path of known-issues.md: $under" grep -qF "(see $PWD/Documentation/known-issues.md)" "$tmp/out"
	machine
	soft rxe0 5.101.0
	check "doctor accepts rxe of a kernel without a known fault: $under" finds OK kernel "no known fault" 0
	plant "firmware with a fault that the site lists" WARN firmware "mlx5_0 has 16.28.1002: loses atomics" bad_firmware
	machine
	bad_firmware
	put "$ib/fw_ver" 16.29.1
	check "doctor accepts firmware of another version than the faulty one: $under" finds OK firmware "that of 1 adapter" 0
	bad_firmware
	put "$ib/board_id" MT_0000001112
	check "doctor accepts firmware of another board than the faulty one: $under" finds OK firmware "that of 1 adapter" 0
	plant "two firmwares of one board" WARN firmware "mlx5_1 has 16.30.7, and mlx5_0 of the same board 16.35.2000" twins
	plant "a fault of a kernel that the site lists" WARN kernel "mlx5_0: breaks" put /etc/krping/faults "kernel 6.1 mlx5 breaks"
	plant "a strict IOMMU" WARN iommu "iommu=pt" put /sys/kernel/iommu_groups/0/type DMA
	plant "a CPU of another node" WARN numa "not on node 1" put /sys/devices/system/node/node1/cpulist 0-7,16
	plant "a governor that saves power" WARN governor powersave put /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor powersave
	plant "deep idle states" WARN idle "133 usec" put /sys/devices/system/cpu/cpu0/cpuidle/state2/disable 0
	plant "all interrupts on one CPU" WARN interrupts "all 2 of mlx5_0 go to CPU 8" one_irq
	plant "little memory" WARN memory "97 MiB are available" put /proc/meminfo "MemAvailable:    100000 kB"
	plant "a small control group" WARN memory "the control group / may use 64 MiB" put /sys/fs/cgroup/memory.max 67108864
	plant "a small control group of the shell" WARN memory "the control group /user/run may use 32 MiB" group user/run
	plant "a small control group above that of the shell" WARN memory "the control group /user may use 32 MiB" group user
	plant "a small control group of version 1" WARN memory "the control group /user may use 31 MiB" group_1
	machine
	group other
	check "doctor accepts a small control group of other processes: $under" finds OK memory "MiB are available" 0
	plant "a limit of locked memory" WARN limits "may lock 8192 KiB" limit "Max locked memory" 8388608
	machine
	limit "Max locked memory" 8388608
	put /proc/self/status "CapEff:	0000000000004000"
	check "doctor accepts a limit of locked memory with CAP_IPC_LOCK: $under" finds OK limits "memory may be locked" 0
	plant "a limit of the size of files" WARN limits "a file may have 1048576 bytes" limit "Max file size" 1048576
	plant "a slow clock" WARN clock "boot with tsc=reliable, but only if grep nonstop_tsc /proc/cpuinfo prints lines" put /sys/devices/system/clocksource/clocksource0/current_clocksource hpet
	plant "a firewall that drops RoCE v2" WARN firewall "none allows UDP port 4791" rules "tcp dport 22 accept"
	plant "a firewall that drops UDP port 4791" FAIL firewall "nft rules name port 4791" rules "udp dport 4791 drop"
	machine
	rules "udp dport 4791 accept"
	check "doctor accepts a firewall that lets RoCE v2 pass: $under" finds OK firewall "let port 4791 pass" 0
	plant "strict reverse paths" WARN rp_filter "eth7 eth8" two_strict
	check "doctor shows on a terminal which test it runs: $under" shows_progress
	check "--bundle writes a tarball and states its files: $under" bundle
	check "--bundle refuses a directory that does not exist, before the checks: $under" no_place
	check "the last line counts one warning in the singular: $under" one_warning
}

each_shell each_check

t_end
