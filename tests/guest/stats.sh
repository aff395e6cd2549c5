#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The list of tests in /proc/krping has the format that existing scripts parse. Results
#   have the specified lines. Counters are exact to the byte.
# Requires: one guest with any device
# Duration: 7 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

num='[0-9]+'

# like TEXT REGEX: check that the whole text matches
like() {
	printf '%s\n' "$1" | grep -Eqx -- "$2" || why "'$1' is not like '$2'"
}

# line NUMBER: print this line of the list
line() {
	printf '%s\n' "$KR_LIST" | sed -n "$1p"
}

# group NAME: print the line of the result that begins with NAME
group() {
	sed -n "/^$1 /p" "$KR_RESULT"
}

# sum LINE: set total to the sum of the line's counters
sum() {
	total=0
	for n in ${1#* }; do
		total=$((total + n))
	done
}

# the list

check "the list without a test is empty" kr_none

kr_bg a "server,addr=$ADDR,port=13001"
kr_bg b "server,addr=$ADDR,port=13002"
kr_list
check "the list has a line for each of two listening servers" eq "$KR_LIST" "1 listen
2 listen"
kr "client,addr=$ADDR,port=13001,count=1"
kr_wait a
kr_list
check "the list numbers the second of two servers as 1 after the end of the first" eq "$KR_LIST" "1 listen"

kr_bg c "client,addr=$ADDR,port=13002,count=0,validate"

none_listens() {
	kr_list
	case $KR_LIST in
	*listen*) return 1 ;;
	esac
}
until_ok 60 none_listens
nine="-$DEV $num $num $num $num $num $num $num $num"
check "the list has a line for each side of a running pair" eq "$KR_NR" 2
check "the server's line of the list has number, device and eight counters" \
	like "$(line 1)" "1$nine"
check "the client's line of the list has number, device and eight counters" like "$(line 2)" "2$nine"

# moves NUMBER: wait until the counters in this line of the list have increased
moves() {
	sum "$(line "$1")"
	before=$total
	until_ok 60 moved "$1"
}

# moved NUMBER: check that the counters in this line of the list sum up to more than $before
moved() {
	kr_list
	sum "$(line "$1")"
	[ "$total" -gt "$before" ]
}
check "the server's counters in the list increase during a ping" moves 1
check "the client's counters in the list increase during a ping" moves 2

# fields: check that bytes and messages in the list match. The check may fail, because the counters
# change while krping prints a line, so the caller repeats the check.
fields() {
	kr_list
	# shellcheck disable=SC2046
	set -- $(line 1)
	# send_bytes send_msgs recv_bytes recv_msgs write_bytes write_msgs read_bytes read_msgs
	eq "$2" $(($3 * 16)) send_bytes &&
		eq "$4" $(($5 * 16)) recv_bytes &&
		eq "$6" $(($7 * 64)) write_bytes &&
		eq "$8" $(($9 * 64)) read_bytes
}
check "the list has bytes and messages of send, recv, write, read" until_ok 100 fields

kr_result c
check "the result of a running client has status=running" kr_is status running
check "the errno of a running test is 0" kr_is errno 0
check "the result of a running test has iterations" [ "$(kr_get iterations)" -gt 0 ]
kr_result b
check "the result of a running server has status=running" kr_is status running
"$KWRITE" open=r chunk=5 read >"$KR_RESULT"
check "the list can be read in parts of 5 bytes" like "$(sed -n 1p "$KR_RESULT")" "1$nine"
kr_stop
kr_wait b
kr_wait c
check "the list is empty after the end of all tests" kr_none

# exact counters

# exact SIZE COUNT WARMUP: check each counter of both sides
exact() {
	n=$(($2 + $3))
	pair "" "size=$1,count=$2,warmup=$3" || return 1
	kr_returned ok && kr_is iterations "$2" || return 1
	eq "$(group counters)" "counters send_bytes=$((32 * n)) send_msgs=$((2 * n)) recv_bytes=$((32 * n)) recv_msgs=$((2 * n)) write_bytes=0 write_msgs=0 read_bytes=0 read_msgs=0" || return 1
	kr_ended server ok && kr_is iterations "$n" || return 1
	eq "$(group counters)" "counters send_bytes=$((32 * n)) send_msgs=$((2 * n)) recv_bytes=$((32 * n)) recv_msgs=$((2 * n)) write_bytes=$(($1 * n)) write_msgs=$n read_bytes=$(($1 * n)) read_msgs=$n"
}

check "counters are exact after 1 iteration of 1 byte" exact 1 1 0
check "counters are exact after 100 iterations" exact 1000 100 0
check "warm-up counts in the counters and not in the iterations" exact 64 10 7

# the result of a client

pair "" "count=200,size=100,mem_mode=reg"
check "the result line of a client of ping has its format" like "$(group result)" "result id=$num test=ping role=client device=$DEV status=ok errno=0 iterations=200 size=100 mem_mode=reg local=$ADDR remote=$ADDR:$pair_port( .*)?"
check "the time line of a client of ping has its format" like "$(group time)" "time nsec=$num"
latencies="min=$num p50=$num p90=$num p99=$num p99\.9=$num p99\.99=$num max=$num mean=$num stddev=$num of=iteration"
check "the latency line of a client of ping has its format" like "$(group latency_nsec)" "latency_nsec $latencies"
check "the counters line of a client of ping has its format" like "$(group counters)" \
	"counters send_bytes=$num send_msgs=$num recv_bytes=$num recv_msgs=$num write_bytes=$num write_msgs=$num read_bytes=$num read_msgs=$num"
check "the config line of a client of ping has its format" like "$(group config)" \
	"config txdepth=64 poll=0 cq=softirq cqmod=0 batch=0 qps=1 threads=1 sge=1 inline=0 imm=0 atomic=none srq=0 duplex=0 validate=0 stride=0 rate=0 reads=1 clocksource=[a-z_-]+ server_inv=0 read_inv=0 local_dma_lkey=0 share=0 verbose=0 histogram=0 count=200 warmup=0 duration=0 timeout=$num retry=7 rnr_retry=7"
# On a slow machine minutes may pass between the start of the test and this check.
when_is() {
	like "$(group when)" "when start=[0-9-]*T[0-9:]*Z kernel=$(uname -r | sed 's|[+.]|[&]|g') module=$(cat /sys/module/rdma_krping/version)" ||
		return 1
	_start=$(group when | sed 's/^when start=\(.*\)T\(.*\)Z kernel.*/\1 \2/')
	_ago=$(($(date +%s) - $(date -u -d "$_start" +%s)))
	if [ $_ago -lt 0 ] || [ $_ago -gt 600 ]; then
		why "it started $_ago seconds ago"
	fi
}
check "the line with the time, the kernel and the version of a client has its format" when_is
check "the line with the server's time in a client's result has its format" like "$(group peer_time)" "peer_time nsec=$num iterations=200"
check "the line with the server's latencies in a client's result has its format" like "$(group peer_latency_nsec)" "peer_latency_nsec $latencies"
check "the line with the server's counters in a client's result" eq "$(group peer_counters)" \
	"peer_counters send_bytes=6400 send_msgs=400 recv_bytes=6400 recv_msgs=400 write_bytes=20000 write_msgs=200 read_bytes=20000 read_msgs=200"
peer_figures=$(sed -n '/^peer_config/d; s/^peer_//p' "$KR_RESULT")
check "a result without an error has no error line" eq "$(group error)" ""

monotonic() {
	last=0
	for key in min p50 p90 p99 p99.9 p99.99 max; do
		v=$(kr_get $key)
		[ "$v" -ge "$last" ] || {
			why "$key=$v is below $last"
			return 1
		}
		last=$v
	done
}
check "a ping's percentiles are monotonic" monotonic
check "a ping's minimum is above 0" [ "$(kr_get min)" -gt 0 ]
check "a ping's mean is not below the minimum" [ "$(kr_get mean)" -ge "$(kr_get min)" ]
check "a ping's mean is not above the maximum" [ "$(kr_get mean)" -le "$(kr_get max)" ]

# One clock reading ends an iteration and starts the next one, so no time is lost between them.
adds_up() {
	all=$(($(kr_get mean) * 200))
	time=$(kr_get nsec)
	off=$((time - all))
	if [ $off -lt 0 ] || [ $off -gt $((time / 50)) ]; then
		why "200 times the mean is $all, and time nsec=$time"
	fi
}
check "a ping's mean latency times iterations is its time" adds_up

kr_wait server
check "a server's result line has its format" like "$(group result)" "result id=$num test=ping role=server device=$DEV status=ok errno=0 iterations=200 size=100 mem_mode=(dma|reg) local=$ADDR remote=$ADDR:$num( .*)?"
check "a server's time line has its format" like "$(group time)" "time nsec=$num"
check "a server's latency line has its format" like "$(group latency_nsec)" "latency_nsec $latencies"
check "a server's result has no figures of its peer" eq "$(grep ^peer_ "$KR_RESULT" | grep -v ^peer_config)" ""
check "a client's result has the figures of its server" eq "$peer_figures" \
	"$(group time) iterations=200
$(group latency_nsec)
$(group counters)"

kr_bg server "server,addr=$ADDR6,port=13010"
kr "client,addr=$ADDR6,port=13010,count=1"
check "the result line with IPv6 addresses has its format" like "$(group result)" \
	"result .* local=$ADDR6 remote=\[$ADDR6\]:13010( .*)?"

all_same() {
	max=$(kr_get max)
	kr_is p50 "$max" && kr_is p99.99 "$max" && kr_is mean "$max" && kr_is stddev 0
}
check "count=1: all percentiles are equal" all_same
kr_wait server

# the result of a failed test

kr "client,addr=$ADDR,port=13999"
check "the result line of a failed test has its format" like "$(group result)" \
	"result id=$num test=ping role=client device=$DEV status=failed errno=111 iterations=0 size=64 mem_mode=dma( .*)?"
check "the error line of a failed test has its format" like "$(group error)" 'error wc_status="[^"]*" detail="[^"]+"'
check "the result of a failed test has no latency line" eq "$(group latency_nsec)" ""

kr 'client,addr=10.0.0.1,"odd"'
check "quotes in a command do not end the detail of its error" \
	like "$(group error)" 'error wc_status="[^"]*" detail="[^"]+"'

t_end
