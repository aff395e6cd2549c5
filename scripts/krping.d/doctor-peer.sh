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
	for _test in ping wlat rlat slat bw rbw sbw; do
		check_test "$_test"
	done
	check_speed
}

# size_limit: print the largest size, if the last error names one
size_limit() {
	printf '%s\n' "$_why" | sed -n 's/.* the device takes 1 to \([0-9]*\).*/\1/p; s/.* this size (limit \([0-9]*\)).*/\1/p'
}

# run_size OPTIONS: run a client with OPTIONS and the size $_size. If the size exceeds the limit of a device
# (bounce buffers reduce it to 256 KiB), run a client with the limit as its size. Each device supports 64 KiB,
# so do not accept a lower limit.
run_size() {
	doctor_run "size=$_size,$1" && return
	_limit=$(size_limit)
	[ "${_limit:-0}" -gt 65536 ] || return
	_size=$_limit _range="1 byte to the device's limit"
	doctor_run "size=$_size,$1"
}

# check_test TEST: run TEST with sizes from 1 byte to 1 MiB, in both memory modes
check_test() {
	_bad=
	_range="1 byte to 1 MiB"
	_word=,$1
	[ "$1" != ping ] || _word=
	for _mode in dma reg; do
		for _size in 1 4k 64k 1m; do
			run_size "mem_mode=$_mode,count=5,validate$_word" && continue
			# EINVAL is a limit of the device, not a fault
			[ "$errno" != 22 ] || continue
			_bad="$_bad; size=$_size mem_mode=$_mode: $_why"
		done
	done
	if [ "$_bad" ]; then
		finding FAIL "$1" "${_bad#; }" "krping log"
	else
		finding OK "$1" "$_range, both memory modes"
	fi
}

# check_speed: run bw for two seconds, and compare its throughput with the link's rate
check_speed() {
	doctor_run "bw,size=64k,duration=2" || {
		finding FAIL speed "$_why" "krping log"
		return
	}
	_bytes=$(value_of "$tmp/short" throughput bytes_per_sec)
	_device=$(value_of "$tmp/short" result device)
	first_line "/sys/class/infiniband/$_device/ports/1/rate"
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
