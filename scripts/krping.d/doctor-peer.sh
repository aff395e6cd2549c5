# shellcheck shell=sh disable=SC2154 # other files set lib, tmp and so on
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# krping doctor ADDR: the server, and short tests with it. POSIX sh.

# doctor_run OPTIONS: run a client; set errno, and _why to its error in words; succeed if errno is 0
doctor_run() {
	command_run "client,addr=$addr${options:+,$options},timeout=3000,$1"
	_why=$(detail_of "$tmp/short")
	[ "$errno" = 0 ]
}

# check_peer: check whether the server answers, run each test with it, and measure the throughput
check_peer() {
	if ! may_command; then
		finding FAIL server "cannot ask $addr without the module and root" "krping load; sudo $again"
		return
	fi
	if ! doctor_run count=1; then
		! check_export || return 0
		advise "$_why"
		case $next in
		"krping doctor "*) next="see route above; is krping server running there?" ;;
		esac
		# put the address in front of the error, unless advise() has reworded the error, which then has the address
		[ "$_detail" != "$_why" ] || _detail="$addr: $_why"
		finding FAIL server "$_detail" "$next"
		return
	fi
	case $(value_of "$tmp/short" result peer) in
	old)
		finding WARN server "$addr is an older krping or rping" "start krping server there for tests other than ping"
		return
		;;
	esac
	finding OK server "$addr answers"
	check_used_mtu
	say "the next seven checks run tests with sizes up to 4 MiB in both memory modes; on a slow machine this takes minutes; ^C ends it"
	say "if the device refuses a size, or a host lacks contiguous memory for it, krping prints a line to the kernel log, which is no fault"
	check_tests ping wlat rlat slat bw rbw sbw
	working "throughput of bw"
	check_speed
}

# check_tests TEST...: check each TEST, and show on a terminal how far this is
check_tests() {
	checked=0
	for _test; do
		checked=$((checked + 1))
		working "$_test ($checked of $#)"
		check_test "$_test" "$_test ($checked of $#)"
	done
}

# check_export: check whether the server, which has rejected a test, exports memory; such a server runs no test
check_export() {
	[ "$errno" = 111 ] || return 1
	_rejected=$_why
	if ! doctor_run get,len=1; then
		errno=111 _why=$_rejected
		return 1
	fi
	finding OK server "$addr exports memory, and a get of 1 byte has succeeded"
	check_used_mtu
	finding WARN tests "a server with --export runs no tests" \
		"to check tests, start another one there: krping server --port N, and give doctor --port N here"
}

# connection_port: set _device and _port to the device and the port of the connection of the last result. The port has
# the connection's local GID. iWARP has no GIDs, so there the port has the route's interface $_out. Otherwise, _port is 1.
connection_port() {
	_device=$(value_of "$tmp/short" result device)
	_gid=$(value_of "$tmp/short" path local_gid)
	_index=$(value_of "$tmp/short" path index)
	for _path in "$root/sys/class/infiniband/$_device"/ports/*; do
		_port=${_path##*/}
		if [ "$_gid" ]; then
			first_line "/sys/class/infiniband/$_device/ports/$_port/gids/$_index"
			[ "$line" != "$_gid" ] || return 0
		else
			first_line "/sys/class/infiniband/$_device/ports/$_port/gid_attrs/ndevs/0"
			[ -z "$_out" ] || [ "$line" != "$_out" ] || return 0
		fi
	done
	_port=1
}

# check_used_mtu: compare the path MTU of the last result with the largest that the interface allows to RoCE
# (see roce_mtu). rdma_cm may use a smaller one: that of the device's port.
check_used_mtu() {
	case $(value_of "$tmp/short" path type) in
	roce*) ;;
	*) return 0 ;;
	esac
	_used=$(value_of "$tmp/short" path mtu)
	connection_port
	first_line "/sys/class/infiniband/$_device/ports/$_port/gid_attrs/ndevs/$_index"
	_netdev=$line
	first_line "/sys/class/net/$_netdev/mtu"
	[ "$_used" ] && [ "$_netdev" ] && [ "$line" ] || return 0
	_fits=$(roce_mtu "$line")
	if [ "$_used" = "$_fits" ]; then
		finding OK used_mtu "the connection to $addr uses $_used bytes, as $_netdev allows"
	else
		finding WARN used_mtu "the connection to $addr uses $_used bytes, and $_netdev with $line allows $_fits" \
			"compare active_mtu of ibv_devinfo on both hosts; reset the link after a change of the MTU"
	fi
}

# size_limit: print the largest size, if the last error names one
size_limit() {
	printf '%s\n' "$_why" | sed -n 's/.* the device takes 1 to \([0-9]*\).*/\1/p; s/.* this size (limit \([0-9]*\)).*/\1/p'
}

# depth_limit: print the largest txdepth, if the last error names one
depth_limit() {
	printf '%s\n' "$_why" | sed -n 's/.*; try txdepth=\([0-9]*\).*/\1/p'
}

# run_size OPTIONS: run a client with OPTIONS and the size $_size. If the size exceeds the limit of a device
# (bounce buffers reduce it to 256 KiB), run a client with the limit as its size, and set $_size to this
# limit. If the slots of all operations exceed the limit, run a client with fewer operations in flight. Each
# device supports 64 KiB, so do not accept a lower limit. A second limit may follow the first: that of the
# server, or that of the slots. With mem_mode=dma a buffer of more than 1 MiB needs contiguous memory, which a
# host may lack (ENOMEM), so run a client with half of the size, and set $_scarce.
run_size() {
	_depth=
	for _try in 1 2 3; do
		doctor_run "size=$_size,$1$_depth" && return
		_bytes=$(echo "$_size" | in_bytes)
		_fewer=$(depth_limit)
		_limit=$(size_limit)
		if [ "$_fewer" ]; then
			_depth=,txdepth=$_fewer
		elif [ "${_limit:-0}" -gt 65536 ] && [ "$_limit" -lt "$_bytes" ]; then
			_size=$_limit _depth=
		elif [ "$errno" = 12 ] && [ "$_bytes" -gt 1048576 ]; then
			_size=$((_bytes / 2)) _depth='' _scarce=yes
		else
			return 1
		fi
	done
	doctor_run "size=$_size,$1$_depth"
}

# tested SIZE SIZE: print the sizes that were tested; each SIZE is the largest in bytes, of mem_mode=dma and of mem_mode=reg
tested() {
	awk -v dma="$1" -v reg="$2" '
		function unit(n) {
			return n % 1048576 == 0 ? n / 1048576 " MiB" : n % 1024 == 0 ? n / 1024 " KiB" : n " bytes"
		}
		BEGIN {
			print "1 byte to " (dma == reg ? unit(dma) ", both memory modes" : \
				unit(dma) " with mem_mode=dma, to " unit(reg) " with mem_mode=reg")
		}'
}

# check_test TEST TITLE: run TEST with sizes from 1 byte to 4 MiB, or to the limit of the device, in both memory modes; the
# line of progress begins with TITLE
check_test() {
	_bad=
	_largest='' _scarce=
	_word=,$1
	[ "$1" != ping ] || _word=
	for _mode in dma reg; do
		for _size in 1 4k 64k 1m 4m; do
			working "$2, size=$_size mem_mode=$_mode"
			run_size "mem_mode=$_mode,count=5,validate$_word" && continue
			_bad="$_bad; size=$_size mem_mode=$_mode: $_why"
		done
		_largest="$_largest $(echo "$_size" | in_bytes)"
	done
	if [ "$_bad" ]; then
		finding FAIL "$1" "${_bad#; }" "krping log"
	else
		# shellcheck disable=SC2086 # two sizes
		finding OK "$1" "$(tested $_largest)${_scarce:+; a host has no contiguous memory for more}"
	fi
}

# check_speed: run bw for two seconds, and compare its throughput with the link's rate
check_speed() {
	doctor_run "bw,size=64k,duration=2" || {
		finding FAIL speed "$_why" "krping log"
		return
	}
	_bytes=$(value_of "$tmp/short" throughput bytes_per_sec)
	connection_port
	first_line "/sys/class/infiniband/$_device/ports/$_port/rate"
	_share=$(awk -v bytes="${_bytes:-0}" -v rate="${line%% *}" 'BEGIN { print (rate > 0 ? int(bytes * 8 / 1e7 / rate) : 0) }')
	_gbit=$(awk -v bytes="${_bytes:-0}" 'BEGIN { printf "%.3f", bytes * 8 / 1e9 }')
	if [ ! -e "$root/sys/class/infiniband/$_device/device" ]; then
		finding OK speed "$_gbit Gbit/s; $_device is software, whose rate means nothing"
	elif [ "$_share" -lt 80 ]; then
		finding WARN speed "$_gbit Gbit/s, $_share % of the link's rate" "more than 80 % are expected: see numa, idle, mtu, flow above"
	else
		finding OK speed "$_gbit Gbit/s, $_share % of the link's rate"
	fi
}
