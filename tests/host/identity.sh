#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: tests/tools/identity.c finds no contradiction in recorded results. This file then plants
#   contradictions, and identity.c finds each. The program kwrite, with which tests run commands of
#   krping, calls identity.c for each result.
# Requires: no guest
# Duration: 1 s

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=../lib-host.sh
. tests/lib-host.sh

kwrite=$tmp/kwrite
make -s -C tests/tools O="$tmp" >/dev/null 2>"$tmp/make.log" || cat "$tmp/make.log"
export KWRITE_SETUP_MS=100

# accepts FILE: check that identity.c finds no contradiction in FILE
accepts() {
	"$kwrite" check="$1" >"$tmp/said"
	cat "$tmp/said"
	[ ! -s "$tmp/said" ]
}

# rejects NAME SED WORDS: check that identity.c prints WORDS after the sed script SED has changed the
# recorded result NAME
rejects() {
	sed "$2" "tests/identity/$1.txt" >"$tmp/changed"
	if cmp -s "tests/identity/$1.txt" "$tmp/changed"; then
		echo "$2 changes nothing"
		return 1
	fi
	"$kwrite" check="$tmp/changed" >"$tmp/said"
	cat "$tmp/said"
	grep -q "^identity broken: .*$3" "$tmp/said"
}

for name in ping wlat rlat bw failed running; do
	check "identities: accepts the recorded result $name" accepts tests/identity/$name.txt
done

# broken DESC NAME SED WORDS: check that the result NAME is rejected after SED has planted the fault DESC
broken() {
	check "identities: rejects $1" rejects "$2" "$3" "$4"
}

broken "percentiles out of order" ping 's/ p90=15173321/ p90=15173320/' 'p90=15173320 is below p50'
broken "a maximum below p99.99" wlat 's/ max=22165/ max=22164/' 'max=22164 is below'
broken "a mean below the minimum" wlat 's/ mean=22035/ mean=21372/' 'not between min and max'
broken "a standard deviation wider than the range" ping 's/ stddev=1324/ stddev=11706/' 'stddev=11706'
broken "percentiles of the peer out of order" ping '/^peer_lat/s/ p50=15173211/ p50=15185402/' 'peer_latency_nsec: p90'
broken "half round-trip latencies that are not halved" wlat '/^latency/s/=2\([12]\)\([0-9]*\)/=4\1\2/g' 'do not add up'
broken "round-trip latencies reported as half round trips" rlat 's/of=round_trip/of=half_round_trip/' 'do not add up'
broken "a time in microseconds" ping 's/^time nsec=758732299/time nsec=758732/' 'do not add up'
broken "a time that includes the warm-up" rlat 's/^time nsec=6458698353/time nsec=6463698353/' 'do not add up'
broken "a peer's time that contradicts its latencies" ping 's/^peer_time nsec=7435/peer_time nsec=7436/' 'peer_latency_nsec: 49 latencies'
broken "a histogram with one latency too many" rlat 's/2035712=9/2035712=10/' "histogram's count is 2001"
broken "a histogram with another mean" rlat 's/2043904=7 10059776=180/2043904=183 10059776=4/' "is not the histogram's"
broken "a histogram with another p90" rlat 's/ p90=2043904/ p90=2035712/' 'p90 is 2035712'
broken "a minimum outside the first bucket" rlat 's/ min=2028304/ min=1928304/' 'min=1928304 is not in the first bucket'
broken "a maximum outside the last bucket" rlat 's/ max=50041153/ max=50441153/' 'max=50441153 is not in the last bucket'
broken "buckets in the wrong order" rlat 's/2028304=1784 2035712=9/2035712=9 2028304=1784/' 'are not in order'
broken "bytes per second of all posted WRs, warm-up included" bw '/^throughput/s/1169666/1462083/' 'throughput: bytes_per_sec=1462083'
broken "bits per second instead of bytes" bw '/^throughput/s/1169666/9357328/' 'throughput: bytes_per_sec=9357328'
broken "messages per second that contradict bytes per second" bw '/^throughput/s/_sec=71$/_sec=72/' 'messages_per_sec=72'
broken "the client's own throughput reported as the peer's" bw '/^peer_thr/s/2932202/1169666/' 'peer_throughput: bytes_per_sec=1169666'
broken "WRITE bytes that are not a multiple of the message size" bw '/^counters/s/write_bytes=10485760/write_bytes=10485761/' 'counters: write_bytes'
broken "a peer's WRITE bytes that are not a multiple of the message size" bw '/^peer_counters/s/27262976/27262975/' 'peer_counters: write_bytes'
broken "a number of READs that contradicts their bytes" rlat '/^counters/s/read_msgs=2007/read_msgs=2008/' 'read_bytes=128448 for 2008'
broken "ping messages of 15 bytes" ping '/^counters/s/send_bytes=1600/send_bytes=1500/' 'send_bytes=1500'
broken "a message that the peer has not received" ping 's/send_bytes=1600 send_msgs=100 recv_bytes=1600 recv_msgs=100 write_bytes=3200/send_bytes=1600 send_msgs=100 recv_bytes=1584 recv_msgs=99 write_bytes=3200/' 'msgs sent, peer_counters: 99 received'
broken "a message that the peer has not sent" ping '/^counters/s/recv_bytes=1600 recv_msgs=100/recv_bytes=1616 recv_msgs=101/' 'counters: 101 received'
broken "a WRITE with immediate data that consumes no RECV" wlat '/^peer_counters/s/recv_bytes=3200 recv_msgs=50/recv_bytes=3136 recv_msgs=49/' 'peer_counters: 49 received'
broken "a ping server with a READ too few" ping 's/read_bytes=3200 read_msgs=50/read_bytes=3136 read_msgs=49/' 'read_bytes is 3136'
broken "fewer iterations than count=" bw 's/count=512/count=513/' 'iterations is 512 instead of 513'
broken "more iterations than posted operations" rlat 's/read_bytes=128448 read_msgs=2007/read_bytes=128384 read_msgs=2006/' 'only 2006 were posted'
broken "one operation more than count= and warmup= allow" rlat 's/warmup=7/warmup=6/' 'operations posted is 2007'
broken "a test's time longer than the command's" ping 's/^wall 780000000/wall 758000000/' 'took only 758'
broken "a test's time far shorter than the command's" ping 's/^wall 780000000/wall 900000000/' 'too long for set-up'
broken "a histogram of a failed test with another count" failed 's/137216=1$/137216=2/' "histogram's count"
t_end
