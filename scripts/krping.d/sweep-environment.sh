# shellcheck shell=sh disable=SC2154 # scripts/sweep sets the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# For scripts/sweep: print facts about the machine, the device and the module as key=value. POSIX sh.

# first FILE: print the first line of FILE, or - if there is none
first() {
	line=
	[ ! -r "$1" ] || read -r line <"$1" 2>/dev/null
	printf '%s\n' "${line:--}"
}

# cpu_model: print the model of the CPU, or - if /proc/cpuinfo has none
cpu_model() {
	awk -F': *' '
		/^(model name|cpu model|Model|Hardware|cpu|machine)[\t ]*:/ && $2 != "" && !model { model = $2 }
		/^CPU (implementer|part)[\t ]*:/ && !arm[$1]++ { part = part " " $2 }
		END { print model ? model : part ? "Arm" part : "-" }' /proc/cpuinfo
}

# environment: print all facts, one on each line
environment() {
	ib=/sys/class/infiniband/$device
	driver=$(readlink "$ib/device/driver") || driver=
	driver=${driver##*/}
	netdev=$(first "$ib/ports/1/gid_attrs/ndevs/0")
	echo "date=$(date -u +%Y-%m-%dT%H:%M:%SZ)"
	echo "label=${label:-$device, $(uname -r)}"
	echo "command=$command"
	echo "kernel=$(uname -r) $(uname -v)"
	echo "arch=$(uname -m)"
	[ -z "$server_runs" ] || echo "server_kernel=$server_kernel"
	echo "device=$device"
	echo "driver=${driver:-software ($(first "$ib/node_desc"))}"
	echo "fw_ver=$(first "$ib/fw_ver")"
	echo "node_desc=$(first "$ib/node_desc")"
	echo "node_type=$(first "$ib/node_type")"
	echo "link=$(first "$ib/ports/1/link_layer") $(first "$ib/ports/1/rate")"
	echo "netdev=$netdev"
	echo "mtu=$(first "/sys/class/net/$netdev/mtu")"
	echo "cpu=$(cpu_model)"
	echo "cpus=$(grep -c '^processor' /proc/cpuinfo)"
	if grep -qw hypervisor /proc/cpuinfo; then
		echo "virtual=yes"
	fi
	echo "governor=$(first /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor)"
	echo "clocksource=$(first /sys/devices/system/clocksource/clocksource0/current_clocksource)"
	echo "module_version=$(first /sys/module/rdma_krping/version)"
	echo "module_srcversion=$(first /sys/module/rdma_krping/srcversion)"
}
