#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A test that polls without end does not delay the grace periods of Tasks RCU, for
#   which tracers wait before they free memory. krping_tasks.ko waits for one grace period.
# Requires: one guest with any device
# Duration: 2 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

port=19500

# wait_begin: let a process load krping_tasks.ko, which takes as long as the grace period
wait_begin() {
	rm -f "$T_TMP/loaded"
	{
		insmod /lib/modules/extra/krping_tasks.ko
		echo $? >"$T_TMP/loaded"
	} &
}

# wait_ends: check that the grace period ends within 30 s, and unload the module
wait_ends() {
	until_ok 30 test -s "$T_TMP/loaded" || why "no grace period of Tasks RCU in $((30 * T_SLOW)) s" || return 1
	eq "$(cat "$T_TMP/loaded")" 0 "status of insmod" && rmmod krping_tasks
}

alone() {
	wait_begin && wait_ends
}
check "Tasks RCU: a grace period ends without tests" alone

# beside OPTIONS: check that a grace period ends while both sides run a test with these options
beside() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT,$1" &&
		kr_bg client "client,addr=$ADDR,port=$port,$PATIENT,$1" &&
		until_ok 60 kr_runs client || return 1
	wait_begin
	wait_ends
	_status=$?
	kr_result client
	kr_is status running || _status=1
	kr_stop
	# At the latest the end of the test ends the grace period.
	if [ $_status != 0 ]; then
		until_ok 60 test -s "$T_TMP/loaded" && rmmod krping_tasks
	fi
	return $_status
}

for options in ping,poll wlat,poll wlat; do
	check "Tasks RCU: a grace period ends beside $options without end" beside $options
done
t_end
