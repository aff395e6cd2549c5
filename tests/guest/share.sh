#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: With share all QPs of a test have one PD and one MR. Each QP has buffers of its own in
#   the MR. PD and MR exist until the last QP has ended.
# Requires: one guest
# Duration: 23 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=figures.inc
. "${0%/*}/figures.inc"

port=21000

# count_of TYPE TEXT: print the number of objects of TYPE in TEXT, a line of rdma res show
count_of() {
	# shellcheck disable=SC2086 # words
	set -- "$1" $2
	_type=$1
	while [ $# -gt 1 ]; do
		[ "$1" != "$_type" ] || [ "$2" = "$_type" ] || _n=$2
		shift
	done
	echo "$_n"
}

# more TYPE: print how many more objects of TYPE exist than at the start of the subject
more() {
	echo $(($(count_of "$1" "$(rdma_objects)") - $(count_of "$1" "$t_objects")))
}

# runs SERVER_OPTIONS CLIENT_OPTIONS: start a pair that runs until it is stopped
runs() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT${1:+,$1}" &&
		kr_bg client "client,addr=$ADDR,port=$port,$PATIENT,$2" && until_ok 60 kr_runs client
}

# objects SERVER_OPTIONS CLIENT_OPTIONS QPS PDS MRS: check how many QPs, PDs and MRs both sides of a
# pair have together
objects() {
	runs "$1" "$2" || return 1
	_qp=$(more qp) _pd=$(more pd) _mr=$(more mr)
	kr_stop
	eq "$_qp" "$3" "number of QPs" && eq "$_pd" "$4" "number of PDs" &&
		eq "$_mr" "$5" "number of MRs" && kr_clean_now
}

# Number of MRs for the client's READ sinks (buffers that READs fill), which only iWARP has to register
SINKS=0
[ "$TYPE" != siw ] || SINKS=1

check "bw,qps=4: each QP has a PD, and each of the server's QPs an MR" objects "" bw,qps=4 8 8 4
check "bw,qps=4: a client with share has one PD" objects "" bw,qps=4,share 8 5 4
check "bw,qps=4: a server with share has one PD and one MR" objects share bw,qps=4 8 5 1
check "bw,qps=4: both sides with share have a PD each" objects share bw,qps=4,share 8 2 1
check "bw,qps=4: share and mem_mode=dma need one PD on each side, and no MR that rdma res counts" \
	objects share,mem_mode=dma bw,qps=4,share 8 2 0
check "sbw,mem_mode=reg,qps=4: a client with share has one MR for its sources" \
	objects "" sbw,mem_mode=reg,qps=4,share 8 5 1
check "wlat,mem_mode=reg,qps=4: both buffers of each QP are in one MR" \
	objects share,mem_mode=reg wlat,mem_mode=reg,qps=4,share 8 2 2
check "rbw,qps=4: the sinks of a client with share are in one MR, if they are registered" \
	objects share rbw,qps=4,share 8 2 $((1 + SINKS))
check "bw,qps=2,threads=3: the threads of a client with share have one PD" \
	objects share bw,qps=2,threads=3,share 12 2 1
check "share,clients=0: a server for many clients has one PD and one MR for each client" \
	objects share,clients=0 bw,qps=3,share 6 2 1
check "bw: with one QP share changes nothing" objects share bw,share 2 2 1

two_clients() {
	runs share,clients=0 bw,qps=3,share && kr_bg other "client,addr=$ADDR,port=$port,$PATIENT,bw,qps=3" &&
		until_ok 60 kr_runs other || return 1
	_pd=$(more pd) _mr=$(more mr)
	kr_stop
	eq "$_pd" 6 "number of PDs" && eq "$_mr" 2 "number of MRs" && kr_clean_now
}
check "two clients of a server with share have a PD and an MR each" two_clients

#
# Data
#

# both_ways TEST: run 20 operations on each of four QPs in both directions
both_ways() {
	bench_pair share,mem_mode=reg "$1,qps=2,threads=2,share,duplex,validate,mem_mode=reg,count=20" &&
		kr_is iterations 80 && kr_ended server ok && kr_clean_now
}

for test in $throughput_tests; do
	for mode in dma reg; do
		check "$test,qps=3,share,validate,mem_mode=$mode on both sides: right results" \
			throughput_pair "$test" \
			share,mem_mode=$mode qps=3,share,validate,mem_mode=$mode 5000 20 0 3
	done
	check "$test,qps=2,threads=2,share,duplex,validate: right results" both_ways "$test"
	check "$test,qps=3,share,poll on both sides: right results" \
		throughput_pair "$test" share,poll qps=3,share,poll 64 101 0 3
done

# latency TEST SERVER_OPTIONS CLIENT_OPTIONS: run 20 operations on each of three QPs
latency() {
	bench_pair "$2" "$1,count=20,$3" && kr_is iterations 60 && kr_ended server ok && kr_clean_now
}
for test in wlat rlat slat; do
	check "$test,qps=3,share,mem_mode=reg: right results" \
		latency $test share,mem_mode=reg qps=3,share,mem_mode=reg
	check "$test,qps=3,share,validate,mem_mode=reg,size=5000: right results" \
		latency $test share,mem_mode=reg \
		qps=3,share,validate,mem_mode=reg,size=5000
done
check "ping: a server with share serves a client of ping" pair share count=3
kr_stop

#
# Limits and refusals
#

check "ping with share is EINVAL" kr_refused EINVAL "client,addr=$ADDR,ping,share" share
check "fr with share is EINVAL" kr_refused EINVAL "client,addr=$ADDR,fr,share" share

# an MR for four QPs has a quarter of REG_MAX for each
largest() {
	bench_pair share "bw,mem_mode=reg,count=5,qps=4,size=$((REG_MAX / 4))" && kr_ended server ok || return 1
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,share,mem_mode=reg" &&
		kr_fails ECONNREFUSED "client,addr=$ADDR,port=$port,bw,mem_mode=reg,count=5,qps=4,size=$((REG_MAX / 4 + 1))" &&
		kr_detail_has "$((REG_MAX / 4))" || return 1
	kr_stop
	kr_clean
}
check "each of 4 QPs may have a fourth of the largest MR, and the reject of a larger size names the limit" largest
too_many() {
	kr_fails_with EINVAL "client,addr=$ADDR,sbw,mem_mode=reg,qps=$((REG_MAX / PAGE + 1)),txdepth=1,share" "one MR" &&
		kr_clean_now
}
check "more QPs than an MR has pages are EINVAL" too_many

#
# Tests that are stopped, or fail
#

# ends COMMAND...: check that COMMAND ends a running pair, and that nothing is left
ends() {
	runs share bw,qps=3,share,mem_mode=reg && "$@" || return 1
	until_ok 60 kr_none
	kr_clean
}
stop_client() {
	kr_result client
	kr "stop,id=$(kr_get id)"
}
stop_server() {
	kr_result server
	kr "stop,id=$(kr_get id)"
}
check "the stop of a client with share leaves no object on either side" ends stop_client
kr_stop
check "the stop of a server with share leaves no object on either side" ends stop_server
kr_stop
check "a stop of all tests leaves no object of tests with share on either side" ends kr stop
kr_stop
early() {
	kr_fails ECONNREFUSED "client,addr=$ADDR,port=21999,bw,qps=3,share,count=1" && kr_clean_now
}
check "a client with share that finds no server leaves no object" early

t_end
