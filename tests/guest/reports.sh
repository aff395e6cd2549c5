#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A client's result combines the figures of the server's tests, one for each QP. Its time
#   excludes the warm-up, also in tests without latencies. The result also has the counters of the
#   device's port.
# Requires: one guest with any device
# Duration: 3 s on rxe, 5 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

# centiseconds: set CS to the uptime in 1/100 s
centiseconds() {
	read -r CS _ </proc/uptime
	CS=${CS%.*}${CS#*.}
}

# without_warmup TEST WARMUP: check the time of a test that consists nearly only of its warm-up. The
# time in the result excludes the warm-up, so this time is at most half of the elapsed time, however
# slow the machine is.
without_warmup() {
	centiseconds
	_began=$CS
	pair "" "$1,count=20,warmup=$2" && kr_is iterations 20 || return 1
	_time=$(kr_get nsec)
	centiseconds
	_wall=$(((CS - _began) * 10000000))
	kr_ended server ok || return 1
	if [ "${_time:-0}" -le 0 ] || [ "$_time" -gt $((_wall / 2)) ]; then
		why "time nsec=$_time, and the elapsed time is $_wall ns"
	fi
}

check "fr: the time is without the warm-up" without_warmup fr 40000
check "bw: the time is without the warm-up" without_warmup bw 20000

# peer_time OPTIONS: check that peer_time is no sum over the server's tests, one for each QP of the client.
# These tests run at the same time, so their longest time is at most the elapsed time.
peer_time() {
	centiseconds
	_began=$CS
	pair "" "$1,qps=4,count=1000" || return 1
	centiseconds
	_wall=$(((CS - _began) * 10000000))
	_told=${KR_OUT#* peer_time nsec=}
	_told=${_told%% *}
	kr_ended server ok || return 1
	if [ "${_told:-0}" -le 0 ] || [ "$_told" -gt $_wall ]; then
		why "peer_time nsec=$_told, and the elapsed time is $_wall ns"
	fi
}
check "bw,duplex,qps=4: peer_time is not the sum over the server's QPs" peer_time bw,duplex
check "slat,qps=4: peer_time is not the sum over the server's QPs" peer_time slat

# Percentiles of several servers cannot be combined.
no_peer_latency() {
	pair "" "slat,qps=2,count=20" && not grep -q peer_latency "$KR_RESULT" && kr_ended server ok
}
check "slat,qps=2: the result has no peer_latency" no_peer_latency

# packets: set PACKETS to the number of packets that the device has sent
packets() {
	PACKETS=$(cat "/sys/class/infiniband/$DEV/ports/1/hw_counters/sent_pkts")
}

# sent_packets ROLE RESULT: check that the packets in RESULT are at least one for each of 100
# WRITEs, and no more than the device has sent during the test
sent_packets() {
	case "$2 " in
	*" device_counters "*"sent_pkts="*) ;;
	*) why "the $1 has no sent_pkts" || return 1 ;;
	esac
	_sent=${2#* device_counters }
	_sent=${_sent#*sent_pkts=}
	_sent=${_sent%% *}
	if [ "$_sent" -lt 100 ] || [ "$_sent" -gt "$_meanwhile" ]; then
		why "the $1 has sent_pkts=$_sent, and the device counted $_meanwhile"
	fi
}

# device_counters: check the packets in the results of both sides of a test
device_counters() {
	packets
	_meanwhile=$PACKETS
	pair "" "wlat,count=100" || return 1
	_client=$KR_OUT
	kr_ended server ok || return 1
	packets
	_meanwhile=$((PACKETS - _meanwhile))
	sent_packets client "$_client" && sent_packets server "$KR_OUT"
}

# port_packets: check the packets that the counters of the specification have
port_packets() {
	_packets=/sys/class/infiniband/$DEV/ports/1/counters/port_xmit_packets
	_meanwhile=$(cat "$_packets")
	pair "" "wlat,count=100" || return 1
	_client=$KR_OUT
	kr_ended server ok || return 1
	_meanwhile=$(($(cat "$_packets") - _meanwhile))
	_sent=${_client#* port_xmit_packets=}
	_sent=${_sent%% *}
	if [ "$_sent" = "${_client%% *}" ] || [ "$_sent" -lt 100 ] || [ "$_sent" -gt "$_meanwhile" ]; then
		why "the client has port_xmit_packets=$_sent, and the device counted $_meanwhile"
	fi
}

no_device_counters() {
	pair "" "wlat,count=100" && not grep -q device_counters "$KR_RESULT" && kr_ended server ok
}

if [ -e "/sys/class/infiniband/$DEV/ports/1/hw_counters/sent_pkts" ]; then
	check "wlat: the device's counters are those of the test" device_counters
else
	check "wlat: the result has no device_counters on a device without counters" no_device_counters
fi
if cat "/sys/class/infiniband/$DEV/ports/1/counters/port_xmit_packets" >/dev/null 2>&1; then
	check "wlat: device_counters has the counters of the InfiniBand specification" port_packets
else
	skip "wlat: device_counters has the counters of the InfiniBand specification" "$TYPE of this kernel has none"
fi
t_end
