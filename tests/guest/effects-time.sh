#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: duration= changes how long a test runs, warmup= what the test measures, and rate=
#   when the test posts. Most checks use clocks outside of krping: the uptime around a write, and
#   time stamps of a kprobe on the provider's post function.
# Requires: one guest with any device
# Duration: 35 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"
# shellcheck source=clock.inc
. "${0%/*}/clock.inc"
# shellcheck source=trace.inc
. "${0%/*}/trace.inc"
# Functions of trace.inc: `watch` runs and traces a server and a client, `server` and `client` select a side, `seen`
# and `seen_in` check sums of this side's records. `has` does these three steps. trace-sum.inc describes the sums.

#
# duration
#

# lasts OPTIONS MIN MAX: check that a client runs for MIN to MAX milliseconds
lasts() {
	next_port
	kr_bg server "server,addr=$ADDR,port=$port" || return 1
	timed lasting "client,addr=$ADDR,port=$port,$PATIENT,$1"
	waited lasting ok "$2" "$3" "" && kr_ended server ok
}
check "ping,duration=2: a client runs for 2 s" lasts duration=2 2000 20000
check "slat,duration=2: a client runs for 2 s" lasts slat,duration=2 2000 20000
check "bw,duration=2: a client runs for 2 s" lasts bw,duration=2 2000 20000
# measures: check the time in the result, by krping's own clock. The upper bound finds a duration
# that counts jiffies of 4 ms (HZ=250) instead of milliseconds. The time begins with the first
# operation, which a busy machine may delay.
measures() {
	next_port
	kr_bg server "server,addr=$ADDR,port=$port" || return 1
	kr "client,addr=$ADDR,port=$port,$PATIENT,slat,duration=2" || return 1
	kr_val nsec
	if [ "$KR_VAL" -lt 1000000000 ] || [ "$KR_VAL" -gt 7500000000 ]; then
		why "the time is $KR_VAL ns"
		return 1
	fi
	kr_ended server ok
}
check "slat,duration=2: the time of the result is 2 s" measures
check "ping,duration=1000000,count=5: the count ends the test" lasts duration=1000000,count=5 0 20000

# server_lasts CLIENT_OPTIONS: check that duration= of the server ends a test whose client has no
# duration=
server_lasts() {
	next_port
	timed lasting "server,addr=$ADDR,port=$port,$PATIENT,duration=2"
	until_ok 60 listener_on
	kr_fg client "client,addr=$ADDR,port=$port,$PATIENT${1:+,$1}"
	waited lasting ok 2000 30000 ""
	_rc=$? _why=$T_WHY
	[ $_rc = 0 ] || kr_stop
	kr_ended client ECONNRESET || return 1
	[ $_rc = 0 ] || why "$_why"
}
check "ping: a server with duration=2 ends after 2 s" server_lasts ""
check "slat: a server with duration=2 ends after 2 s" server_lasts slat
kr_stop

# many_last: check duration= of a server for any number of clients
many_last() {
	next_port
	timed lasting "server,addr=$ADDR,port=$port,clients=0,duration=2"
	waited lasting ok 2000 30000 ""
}
check "a server with clients=0,duration=2 ends after 2 s" many_last
kr_stop

#
# warmup: fr runs 5000 cycles without measuring, and then measures one. The measured time must be
# below a tenth of the time of 5000 cycles. Other work of the guest may delay one cycle, so try
# three times.
#

# fr_nsec OPTIONS: set TIME to the measured time of a client of fr, in nanoseconds
fr_nsec() {
	pair "" "fr,$1" && kr_returned ok || return 1
	TIME=${KR_OUT#*" time nsec="}
	TIME=${TIME%% *}
	kr_ended server ok
}

fr_warmup() {
	fr_nsec count=5000 || return 1
	_all=$TIME
	for _try in 1 2 3; do
		fr_nsec count=1,warmup=5000 || return 1
		[ $((TIME * 10)) -ge "$_all" ] || return 0
	done
	why "the measured time of one cycle is $TIME ns, that of 5000 cycles $_all ns"
}
check "fr,warmup=5000,count=1: the time is that of one cycle" fr_warmup

#
# rate: the first and the last operation are (count - 1) / rate apart. The first post may be
# late, so half of that time is enough.
#

T_AT_END=trace_close
if ! trace_open; then
	trace_close
	skip "trace of the post times" "$T_WHY"
	t_end
	exit
fi
WATCH_SIZE=1000

# paced OPTIONS COUNT RATE [POSTS]: check that a client spreads POSTS (default: COUNT) over at least
# half of (COUNT - 1) / RATE, and on a busy machine over at most 30 times (COUNT - 1) / RATE. Without
# rate= the test would take a tenth of (COUNT - 1) / RATE.
paced() {
	watch "" "size=$WATCH_SIZE,$1,count=$2,rate=$3" && client && seen wrs "${4:-$2}" &&
		seen_in span $((($2 - 1) * 500000 / $3)) $((($2 - 1) * 30000000 / $3))
}
# Leave out wlat without validate: its two threads poll memory, which on one CPU is as slow as this
# rate.
for test in slat rlat wlat,validate bw,batch=1 rbw,batch=1 sbw,batch=1; do
	check "$test,rate=50,count=41: the posts are spread over 0.8 s" paced $test 41 50
done
check "slat,rate=50,qps=2,count=41: each QP has this rate" paced slat,qps=2 41 50 82
check "bw,rate=50,txdepth=1: the posts are spread over 0.8 s" paced bw,txdepth=1 41 50
t_end
