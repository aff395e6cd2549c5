#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Options change durations and rates. Clocks outside of krping measure them:
#   that of the writer, and the kernel's time stamps of calls of the provider's post
#   function.
# Requires: one guest
# Duration: 53 s on rxe, 52 s on siw
#
# Lower bounds are exact. Upper bounds allow for a busy machine in emulation; each is below
# what krping would need if it ignored the option.

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"
# shellcheck source=trace.inc
. "${0%/*}/trace.inc"

# now_ms: NOW_MS is the machine's uptime
now_ms() {
	read -r NOW_MS _ </proc/uptime
	_frac=${NOW_MS#*.}
	NOW_MS=$((${NOW_MS%.*} * 1000 + ${_frac#0} * 10))
}

# timed NAME CMD [PEER]: write CMD in another process. $T_TMP/NAME.ms has the duration of the
# write, and the time since the peer became silent
timed() {
	{
		now_ms
		_began=$NOW_MS
		"$KWRITE" "write=$2" read >"$T_TMP/$1.part" &
		if [ -n "${3-}" ]; then
			until_ok 30 silent "$3"
			now_ms
		fi
		_silent=$NOW_MS
		wait $!
		now_ms
		echo $((NOW_MS - _began)) $((NOW_MS - _silent)) >"$T_TMP/$1.ms"
		mv "$T_TMP/$1.part" "$T_TMP/$1"
	} &
	eval "timed_pid_$1=\$!"
}

# silent PEER: the peer has reached the stage of its fault
silent() {
	[ -e "$T_TMP/$1.peer" ] && peer_says "$1" 'fault at stage *'
}

# took NAME MIN MAX: milliseconds
took() {
	read -r _ms _silent_ms <"$T_TMP/$1.ms"
	if [ "$_ms" -lt "$2" ] || [ "$_silent_ms" -gt "$3" ]; then
		why "it took $_ms ms, and $_silent_ms ms of silence; $2 to $3 would be right"
	fi
}

# waited NAME ERRNO MIN MAX WORDS: the command failed so, after MIN to MAX milliseconds
waited() {
	eval "wait \$timed_pid_$1"
	KR_RESULT=$T_TMP/$1
	kr_take
	kr_returned "$2" && { [ -z "$5" ] || kr_detail_has "$5"; } && took "$1" "$3" "$4"
}

#
# timeout: each kind of wait with 1 s and with 12 s, which are on either side of the default
# of 5 s. All run at once.
#

SHORT=1000 SHORT_MAX=3500
LONG=12000 LONG_MAX=40000
PATIENCE_MS="$SHORT $LONG"

# A neighbour without an answer. The kernel gives up after 3 s, and krping retries.
ip link set "$IF" arp on
for ms in $PATIENCE_MS; do
	timed "arp$ms" "client,addr=10.0.0.$((90 + ms / 1000)),timeout=$ms,count=1"
done

# silent_peer KIND STAGE: a client of a server that is silent from this stage on
silent_peer() {
	for ms in $PATIENCE_MS; do
		peer_server "peer_$1$ms" --fault silent="$2"
		timed "$1$ms" "client,addr=$ADDR,port=$port,timeout=$ms${3:+,$3}" "peer_$1$ms"
	done
}
[ "$TYPE" = siw ] || silent_peer connecting request
silent_peer first first
silent_peer second second
silent_peer polled first poll
silent_peer bench first slat

# silent_client KIND STAGE: a server of a client that is silent from this stage on
silent_client() {
	for ms in $PATIENCE_MS; do
		next_port
		timed "$1$ms" "server,addr=$ADDR,port=$port,timeout=$ms${3:+,$3}" "peer_$1$ms"
		until_ok 20 listener_on
		peer_client "peer_$1$ms" --count 3 --fault silent="$2"
	done
}
listener_on() {
	rdma res show cm_id | grep 'state LISTEN' | grep -q ":$port "
}
silent_client served first
silent_client served_poll first poll

# A server waits for a client without a bound.
next_port
kr_bg idle "server,addr=$ADDR,port=$port,timeout=$SHORT"

# judged WHAT KIND ERRNO WORDS
judged() {
	check "timeout=$SHORT: $1 ends after 1 s" waited "$2$SHORT" "$3" $SHORT $SHORT_MAX "$4"
	check "timeout=$LONG: $1 ends after 12 s" waited "$2$LONG" "$3" $LONG $LONG_MAX "$4"
}
judged "resolving an address that nobody has" arp ETIMEDOUT "resolution took longer"
if [ "$TYPE" = siw ]; then
	skip "timeout: connecting to a server that is silent" \
		"siw waits for its peer by a timer of its own"
else
	judged "connecting to a server that is silent" connecting ETIMEDOUT "connecting took longer"
fi
judged "a client whose server is silent" first ETIMEDOUT "the peer was silent"
judged "a client whose server is silent in the middle" second ETIMEDOUT "the peer was silent"
judged "a client that polls, and whose server is silent" polled ETIMEDOUT "the peer was silent"
judged "a client of slat whose server is silent" bench ETIMEDOUT "the peer was silent"
judged "a server whose client is silent" served ETIMEDOUT "the peer was silent"
judged "a server that polls, and whose client is silent" served_poll ETIMEDOUT "the peer was silent"
ip link set "$IF" arp off

idles() {
	kr_result idle
	kr_is status running
}
check "timeout=$SHORT: a server that listens goes on after 12 s" idles
kr_stop
kr_wait idle
for ms in $PATIENCE_MS; do
	for kind in connecting first second polled bench served served_poll; do
		eval "pid=\${peer_pid_peer_$kind$ms-}"
		[ -z "$pid" ] || kill "$pid" 2>/dev/null
	done
done
check "nothing is left" kr_clean

# A dummy interface has no ARP: the address resolves, and the REQ or SYN has no answer.
for ms in $PATIENCE_MS; do
	timed "dead$ms" "client,addr=10.0.0.77,timeout=$ms,count=1"
done
judged "connecting to an address that nobody has" dead ETIMEDOUT "connecting took longer"

#
# duration
#

# lasts OPTIONS MIN MAX: a client
lasts() {
	next_port
	kr_bg server "server,addr=$ADDR,port=$port" || return 1
	timed lasting "client,addr=$ADDR,port=$port,$PATIENT,$1"
	waited lasting ok "$2" "$3" "" && kr_ended server ok
}
check "ping,duration=2: a client runs for 2 s" lasts duration=2 2000 20000
check "slat,duration=2: a client runs for 2 s" lasts slat,duration=2 2000 20000
check "bw,duration=2: a client runs for 2 s" lasts bw,duration=2 2000 20000
# By krping's own clock, with a bound that a unit of 4 ms instead of 1 ms (HZ=250) exceeds
measures() {
	next_port
	kr_bg server "server,addr=$ADDR,port=$port" || return 1
	kr "client,addr=$ADDR,port=$port,$PATIENT,slat,duration=2" || return 1
	kr_val nsec
	if [ "$KR_VAL" -lt 1900000000 ] || [ "$KR_VAL" -gt 6000000000 ]; then
		why "the time is $KR_VAL ns"
		return 1
	fi
	kr_ended server ok
}
check "slat,duration=2: the time of the result is 2 s" measures
check "duration=1000000,count=5: the count ends it" lasts duration=1000000,count=5 0 20000

# server_lasts CLIENT_OPTIONS: duration= of the server ends a test without duration= at the
# client
server_lasts() {
	next_port
	timed lasting "server,addr=$ADDR,port=$port,$PATIENT,duration=2"
	until_ok 20 listener_on
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

# a server of several clients
many_last() {
	next_port
	timed lasting "server,addr=$ADDR,port=$port,clients=0,duration=2"
	waited lasting ok 2000 30000 ""
}
check "a server with clients=0,duration=2 ends after 2 s" many_last
kr_stop

#
# warmup: 5000 cycles of fr, and one more. Only the one is measured, so its time is a small
# part of that of 5000. Other work of the guest may hold up one cycle, and not three of them.
#

# fr_nsec OPTIONS: TIME is the measured time of a client of fr, in nanoseconds
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
	why "one cycle took $TIME ns, and 5000 of them took $_all ns"
}
check "fr,warmup=5000,count=1: the time is that of one cycle" fr_warmup

#
# rate: the first and the last operation are (count - 1) / rate apart. The first one may be
# late by a tenth of that.
#

T_AT_END=trace_close
if ! trace_open; then
	trace_close
	skip "trace of the times of the posts" "$T_WHY"
	t_end
	exit
fi
WATCH_SIZE=1000

# paced OPTIONS COUNT RATE [POSTS]: without rate= the test would take a tenth of the time
paced() {
	watch "" "size=$WATCH_SIZE,$1,count=$2,rate=$3" && client && seen wrs "${4:-$2}" &&
		seen_in span $((($2 - 1) * 900000 / $3)) $((($2 - 1) * 10000000 / $3))
}
# Two threads that poll memory share one CPU: wlat is that slow even without rate=.
for test in slat rlat wlat,validate bw,batch=1 rbw,batch=1 sbw,batch=1; do
	check "$test,rate=50,count=41: the posts are spread over 0.8 s" paced $test 41 50
done
check "slat,rate=50,qps=2,count=41: each QP has that rate" paced slat,qps=2 41 50 82
check "bw,rate=50,txdepth=1: the posts are spread over 0.8 s" paced bw,txdepth=1 41 50
t_end
