#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A server's figures are right if it ends by its own duration or is stopped, and
#   if its client has several connections or pauses between operations. timeout= does not limit a
#   test. Only mem_mode=dma creates a global rkey. No timer outlives its test.
# Requires: one guest with any device
# Duration: 17 s on rxe, 15 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

port=25000

# val LINE KEY: set VAL to the value of KEY in this line of the last result
val() {
	VAL=
	case $KR_OUT in
	*" $1 "*) VAL=" ${KR_OUT#*" $1 "}" ;;
	esac
	case $VAL in
	*" $2="*)
		VAL=${VAL#*" $2="}
		VAL=${VAL%% *}
		;;
	*)
		VAL=
		why "the result has no $1 $2"
		;;
	esac
}

# within WHAT GOT LOW HIGH: check that GOT is from LOW to HIGH
within() {
	if [ "$2" -lt "$3" ] || [ "$2" -gt "$4" ]; then
		why "$1 is $2, and not from $3 to $4"
	fi
}

#
# A server that only receives counts the messages that have arrived, whichever side ends the
# test. The bounds of the server's figures are wide, because the machine may be slow.
#

# counts_recvs: check that the last result counts the messages that have arrived
counts_recvs() {
	val result iterations && _iterations=$VAL &&
		val counters recv_msgs && eq "$_iterations" "$VAL" "iterations, compared with recv_msgs" &&
		within iterations "$_iterations" 10 1000000000 &&
		val time nsec && within "time nsec" "$VAL" 100000000 60000000000 &&
		val throughput messages_per_sec && within messages_per_sec "$VAL" 1 100000000
}

# server_expires CLIENT_OPTIONS: check the figures of a server that ends by its duration=
server_expires() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT,duration=2" || return 1
	kr_fg client "client,addr=$ADDR,port=$port,$PATIENT,$1"
	kr_ended server ok && counts_recvs
	_ret=$? _why=$T_WHY
	kr_stop
	kr_wait client
	T_WHY=$_why
	return $_ret
}

# 50 messages at 200 per second take at least 245 ms. counts_recvs requires 100 ms.
server_stopped() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT" || return 1
	kr_fg client "client,addr=$ADDR,port=$port,$PATIENT,$1,rate=200"
	until_ok 60 kr_runs server 50 || return 1
	kr stop && kr_ended server ECANCELED && counts_recvs
	_ret=$? _why=$T_WHY
	kr_wait client
	T_WHY=$_why
	return $_ret
}

case $TYPE in
rxe) tests='sbw bw,imm' ;;
*) tests=sbw ;;
esac
for test in $tests; do
	check "$test: a server that ends by its own duration has iterations, a time and a throughput" \
		server_expires "$test,size=1000"
	check "$test: a server that is stopped has iterations, a time and a throughput" \
		server_stopped "$test,size=1000"
done
kr_stop

#
# With rate=, the server's latencies include the pauses of its client, so the client's result
# omits them.
#

# peer_latency OPTIONS yes|no: check whether the client's result has the server's latencies
peer_latency() {
	pair "" "$1,count=20" && kr_returned ok && kr_ended_server || return 1
	_has=no
	! grep -q '^peer_latency_nsec ' "$PEER_RESULT" || _has=yes
	eq "$_has" "$2" "peer_latency_nsec in the client's result"
}
# kr_ended_server: keep the client's result in PEER_RESULT, and check that the server has ended
kr_ended_server() {
	PEER_RESULT=$T_TMP/client.result
	cp "$KR_RESULT" "$PEER_RESULT" && kr_ended server ok
}
case $TYPE in
rxe) tests='slat wlat,imm' ;;
*) tests='slat wlat,validate' ;;
esac
for test in $tests; do
	check "$test: the client shows the server's latencies" peer_latency "$test" yes
	check "$test,rate=100: the client does not show the server's latencies" \
		peer_latency "$test,rate=100" no
done

#
# A server's figures cover all connections of its client. On each connection 300 messages at 100 per
# second take 2.99 s. On the server, the time of a connection starts before the server accepts the
# connection, and ends with the last message. peer_time in the client's result is the time of the
# longest connection. The time in the server's result extends from the start of the first connection
# to the end of the last one. The tolerance of 25 % and 2 s is for the set-up and the end.
#

# covers OPTIONS: check the figures of a client with two connections, and of its server
covers() {
	pair "" "sbw,rate=100,batch=1,cqmod=1,count=300,size=1000,$1" && kr_returned ok || return 1
	val result iterations && eq "$VAL" 600 "the client's iterations" || return 1
	val time nsec && _nsec=$VAL && val throughput messages_per_sec && _rate=$VAL &&
		within "the client's time" "$_nsec" 2980000000 60000000000 &&
		val peer_time nsec && _peer=$VAL && kr_ended server ok || return 1
	within "peer_time" "$_peer" $((_nsec * 3 / 4)) $((_nsec * 5 / 4 + 2000000000)) &&
		val result iterations && eq "$VAL" 600 "the server's iterations" &&
		val time nsec && within "the server's time" "$VAL" "$_peer" $((_peer * 5 / 4 + 2000000000)) &&
		val throughput messages_per_sec &&
		within "the server's messages_per_sec" "$VAL" $((_rate / 2)) $((_rate * 5 / 4 + 1))
}
for how in qps=2 threads=2; do
	check "sbw,$how: the server's time, iterations and throughput cover both connections" covers $how
done

#
# timeout= limits each wait, not the test.
#

outlives() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,timeout=5000" &&
		kr "client,addr=$ADDR,port=$port,timeout=5000,duration=8" &&
		kr_returned ok && kr_ended server ok
}
check "ping,timeout=5000,duration=8: the test outlives its timeout, and ends without an error" outlives

#
# A PD has an unsafe global rkey only if its side advertises this key to the peer.
#

# global_keys: print the number of PDs with an unsafe global rkey
global_keys() {
	rdma res show pd | grep -c unsafe_global_rkey
}

# global_key MEM_MODE N: check that a client with MEM_MODE adds N PDs with an unsafe global rkey
global_key() {
	port=$((port + 1))
	_before=$(global_keys)
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT" &&
		kr_bg client "client,addr=$ADDR,port=$port,$PATIENT,mem_mode=$1" &&
		until_ok 60 kr_runs client || return 1
	_now=$(global_keys)
	kr stop && kr_ended client ECANCELED && kr_wait server && eq $((_now - _before)) "$2" \
		"number of PDs with an unsafe_global_rkey"
}
check "mem_mode=dma: the client's PD has an unsafe_global_rkey" global_key dma 1
check "mem_mode=reg: no PD has an unsafe_global_rkey" global_key reg 0
kr_stop

#
# The timer of duration= must not outlive its test. This check is the last one, because a timer that
# fires after rmmod crashes the guest. Do not load the module again at once: the kernel might load
# it at the same addresses, and the old timer would then call a valid function.
#

gone_with_timer() {
	pair "" "duration=1,count=3" && kr_ended server ok && until_ok 60 kr_unheld &&
		rmmod rdma_krping && sleep 2 && insmod "$KR_KO" && pair "" count=3 && kr_ended server ok
}
check "duration=1,count=3: within 2 s of rmmod no timer of the module runs" \
	gone_with_timer
t_end
