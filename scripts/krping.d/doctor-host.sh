# shellcheck shell=sh disable=SC2154 # other files set lib, tmp and so on
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# krping doctor: settings of this machine that disturb a measurement or block packets. POSIX sh.

# Warn if an IOMMU translates strictly (type DMA): each unmap then waits for a flush of its TLB.
check_iommu() {
	_translated=
	for _f in "$root"/sys/kernel/iommu_groups/*/type; do
		[ -r "$_f" ] || continue
		IFS= read -r line <"$_f" || :
		case $line in
		DMA) _translated=yes ;;
		esac
	done
	if [ "$_translated" ]; then
		finding WARN iommu "it translates each DMA, strictly" "for measurements boot with iommu=pt"
	else
		finding OK iommu "it is off, lazy or passes through"
	fi
}

# in_list CPU LIST: check whether a list such as 0-3,8 has the CPU
in_list() {
	awk -v cpu="$1" -v list="$2" 'BEGIN {
		n = split(list, part, ",")
		for (i = 1; i <= n; i++) {
			split(part[i] "-" part[i], edge, "-")
			if (cpu + 0 >= edge[1] + 0 && cpu + 0 <= edge[2] + 0)
				exit 0
		}
		exit 1
	}'
}

# Warn if this process runs on another NUMA node than that of a device.
check_numa() {
	# the CPU is field 39 of stat; sed removes the first two, because the name may have blanks
	first_line /proc/self/stat
	_cpu=$(printf '%s\n' "$line" | sed 's/.*) //' | awk '{ print $37 }')
	for _dev in "$root"/sys/class/infiniband/*; do
		[ -r "$_dev/device/numa_node" ] || continue
		IFS= read -r _node <"$_dev/device/numa_node" || :
		[ "${_node:--1}" -ge 0 ] || continue
		first_line "/sys/devices/system/node/node$_node/cpulist"
		if in_list "${_cpu:-0}" "$line"; then
			finding OK numa "CPU $_cpu is on the node of ${_dev##*/}"
		else
			finding WARN numa "CPU $_cpu is not on node $_node, that of ${_dev##*/}" "give the test --cpu ${line%%[-,]*}"
		fi
	done
}

check_governor() {
	first_line /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor
	case $line in
	'' | performance) finding OK governor "${line:-the machine sets no frequency}" ;;
	*) finding WARN governor "the CPU frequency governor is $line" "for measurements: cpupower frequency-set -g performance" ;;
	esac
}

# A CPU may take 100 microseconds and more to wake from a deep idle state.
check_idle() {
	_deep=
	for _state in "$root"/sys/devices/system/cpu/cpu0/cpuidle/state*; do
		[ -r "$_state/latency" ] || continue
		IFS= read -r line <"$_state/latency" || :
		IFS= read -r _off 2>/dev/null <"$_state/disable" || _off=0
		if [ "$_off" = 0 ] && [ "${line:-0}" -gt 20 ]; then
			_deep=$line
		fi
	done
	if [ "$_deep" ]; then
		finding WARN idle "an idle CPU may take $_deep usec to wake" "for latencies: poll, or cpupower idle-set -D 20"
	else
		finding OK idle "idle CPUs wake at once"
	fi
}

# Check whether all interrupts of a device go to one CPU.
check_interrupts() {
	for _dev in "$root"/sys/class/infiniband/*; do
		_n=0 _cpus=
		for _irq in "$_dev"/device/msi_irqs/*; do
			[ -e "$_irq" ] || continue
			first_line "/proc/irq/${_irq##*/}/effective_affinity_list"
			[ "$line" ] || first_line "/proc/irq/${_irq##*/}/smp_affinity_list"
			_n=$((_n + 1))
			case " $_cpus " in
			*" $line "*) ;;
			*) _cpus="$_cpus $line" ;;
			esac
		done
		[ $_n -gt 1 ] || continue
		if [ "$_cpus" = " ${_cpus# }" ] && [ "${_cpus# }" = "${_cpus##* }" ]; then
			finding WARN interrupts "all $_n of ${_dev##*/} go to CPU${_cpus}" "start irqbalance, or set /proc/irq/N/smp_affinity_list"
		else
			finding OK interrupts "$_n of ${_dev##*/} are spread"
		fi
	done
}

# group_limit: set _limit to the smallest limit, in MiB, that the control group of this shell and the groups
# above have, and _group to the group with this limit; _limit is "" without a limit. /proc/self/cgroup has
# "0::GROUP" of version 2, or "N:memory:GROUP" of version 1.
group_limit() {
	_limit='' _group='' _base=/sys/fs/cgroup _file=memory.max
	_at=$(sed -n 's/^0:://p' "$root/proc/self/cgroup" 2>/dev/null)
	_old=$(sed -n 's/^[0-9]*:\([^:]*,\)*memory\(,[^:]*\)*://p' "$root/proc/self/cgroup" 2>/dev/null)
	[ -z "$_old" ] || _at=$_old _base=$_base/memory _file=memory.limit_in_bytes
	_at=${_at%/}
	while :; do
		first_line "$_base$_at/$_file"
		case $line in
		'' | *[!0-9]*) ;;
		*)
			line=$(awk -v n="$line" 'BEGIN { printf "%.0f", int(n / 1048576) }')
			if [ -z "$_limit" ] || [ "$line" -lt "$_limit" ]; then
				_limit=$line _group=${_at:-/}
			fi
			;;
		esac
		[ "$_at" ] || break
		_at=${_at%/*}
	done
}

check_memory() {
	_free=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' "$root/proc/meminfo" 2>/dev/null)
	group_limit
	[ "${_limit:-256}" -ge 256 ] || {
		finding WARN memory "the control group $_group may use $_limit MiB" "run krping outside of it"
		return
	}
	if [ "${_free:-0}" -lt 128 ]; then
		finding WARN memory "${_free:-0} MiB are available" "buffers of many queue pairs need more"
	else
		finding OK memory "$_free MiB are available"
	fi
}

# limit_of NAME: set limit to the soft limit with this name in /proc/self/limits, or to "" if there is none
limit_of() {
	limit=$(sed -n "s/^$1  *\([0-9]*\) .*/\1/p" "$root/proc/self/limits" 2>/dev/null)
}

# may_lock: check for CAP_IPC_LOCK (bit 14), with which no limit of locked memory applies
may_lock() {
	_caps=$(sed -n 's/^CapEff:.*\(....\)$/\1/p' "$root/proc/self/status" 2>/dev/null)
	[ $((0x${_caps:-0} & 0x4000)) != 0 ]
}

# The kernel module locks memory without a limit. Programs in user space have limits (ulimit).
check_limits() {
	limit_of "Max file size"
	if [ "$limit" ]; then
		finding WARN limits "a file may have $limit bytes, and results may be longer" "ulimit -f unlimited"
		return
	fi
	limit_of "Max locked memory"
	if [ "$limit" ] && [ "$limit" -lt 67108864 ] && ! may_lock; then
		finding WARN limits "rping and perftest may lock $((limit / 1024)) KiB; krping has no limit" "ulimit -l unlimited"
	else
		finding OK limits "memory may be locked, and files may have any size"
	fi
}

check_clock() {
	first_line /sys/devices/system/clocksource/clocksource0/current_clocksource
	case $line in
	hpet | acpi_pm | jiffies | pit)
		finding WARN clock "the clocksource is $line, which takes long to read" \
			"boot with tsc=reliable, but only if grep nonstop_tsc /proc/cpuinfo prints lines"
		;;
	*) finding OK clock "the clocksource is ${line:-unknown}" ;;
	esac
}

# RoCE v2 is UDP on port 4791; iWARP is TCP on the port of the test.
check_firewall() {
	_rules=$(nft list ruleset 2>/dev/null) || _rules=
	case $_rules in
	*"hook input"*"policy drop"* | *"hook input"*"reject"* | *"hook input"*" drop"*)
		case $_rules in
		*4791*" drop"* | *4791*" reject"*)
			finding FAIL firewall "nft rules name port 4791, and may drop it" "nft list ruleset"
			;;
		*4791*) finding OK firewall "nft rules let port 4791 pass" ;;
		*)
			finding WARN firewall "nft rules drop input, and none allows UDP port 4791 (RoCE v2)" \
				"nft add rule inet filter input udp dport 4791 accept"
			;;
		esac
		;;
	*) finding OK firewall "no nft rule drops input" ;;
	esac
}

# With several RDMA interfaces in one network, a strict filter drops packets that arrive on another
# interface than the one over which the kernel would answer.
check_rp_filter() {
	_strict='' _n=0
	first_line /proc/sys/net/ipv4/conf/all/rp_filter
	_all=${line:-0}
	for _f in "$root"/sys/class/infiniband/*/ports/1/gid_attrs/ndevs/0; do
		[ -r "$_f" ] || continue
		IFS= read -r _netdev 2>/dev/null <"$_f" || continue
		_n=$((_n + 1))
		first_line "/proc/sys/net/ipv4/conf/$_netdev/rp_filter"
		# the kernel uses the larger of both values
		[ "${line:-0}" -ge "$_all" ] || line=$_all
		[ "${line:-0}" != 1 ] || _strict="$_strict $_netdev"
	done
	if [ "$_strict" ] && [ $_n -gt 1 ]; then
		finding WARN rp_filter "reverse paths are checked strictly on$_strict, and there are $_n RDMA interfaces" \
			"sysctl net.ipv4.conf.all.rp_filter=2"
	else
		finding OK rp_filter "no strict check in the way"
	fi
}
