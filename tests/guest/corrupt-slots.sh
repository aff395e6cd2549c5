#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Throughput tests with validate keep txdepth operations in flight, each in a slot (a
#   part of the buffer) of its own. The tests report the first operation whose data is wrong, is
#   late, or belongs to another operation.
# Requires: one guest with any device
# Duration: 25 s on rxe, 20 s on siw

# shellcheck source=corrupt.inc
. "${0%/*}/corrupt.inc"
# client_finds of corrupt.inc checks that a client of krping finds a fault in the data of its server, the program
# krping-peer. client_meets and server_meets of lib-peer.sh run krping against krping-peer, and check krping's outcome.

CLIENT_COUNT=50

# 33 slots of this size fit into 256 KiB, the largest mapping that can have a bounce buffer.
SIZE=7168

# moved COUNTER NUMBER: check that this side has posted NUMBER operations
moved() {
	kr_is "$1" "$2"
}

#
# Operations in flight. The peer answers no operation, so all posted operations are in flight.
#

# in_flight TEST[,OPTION]... TXDEPTH COUNTER N: check that the client posts N operations
in_flight() {
	_words='the peer was silent'
	client_meets "$1,txdepth=$2: ETIMEDOUT with $4 operations in flight" '--fault silent=first' \
		"$1,validate,size=300,txdepth=$2,timeout=$PATIENCE" ETIMEDOUT "$_words"
	also "client: $1,txdepth=$2: $4 operations are posted" moved "$3" "$4"
}
for depth in 1 2 7 8; do
	in_flight bw $depth write_msgs $depth
	# With several slots the client waits for the server's refill before a slot's next READ. With one slot the
	# client does not wait, so a silent server does not stop READs.
	[ $depth = 1 ] || in_flight rbw $depth read_msgs $depth
	in_flight sbw $depth send_msgs $depth
done
in_flight bw,batch=3,cqmod=5 7 write_msgs 7
in_flight rbw,batch=3,cqmod=5 7 read_msgs 7
in_flight rbw 40 read_msgs 40
[ ! "$imm" ] || in_flight bw,imm 8 write_msgs 8
# krping-peer has eight RECVs, so at most eight operations are in flight, with duplex at most four.
in_flight bw 200 write_msgs 8
in_flight bw,duplex 8 write_msgs 4
in_flight sbw,duplex 7 send_msgs 4

#
# Wrong data in operations that reuse slots, or while operations in other slots are in flight
#

# slots_client TEST FAULT@N [OPTIONS]: call client_finds for a client with eight slots
slots_client() {
	client_finds "$1" "$2" "txdepth=8,cqmod=1${3:+,$3}"
}

# slots_server TEST FAULT N DATA_N [OPTIONS]: check that krping, the server of a client with 33 slots,
# finds FAULT in iteration N, whose data should be that of iteration DATA_N. Bits of --flags
# (krping/wire.h): 1 validate, 32 immediate data.
slots_server() {
	how_of "$1"
	wrong "$2" "$3" $HOW "$4"
	fault_words "$2"
	_flags=1
	case $1 in
	*imm*) _flags=33 ;;
	esac
	server_meets "$1${5:+,$5}, 33 slots: $FAULT_WORDS in iteration $3: $WRONG_ERRNO" "--test ${1%%,*} \
		--flags $_flags --recvs 8 --count 50 --size $SIZE --stride $SIZE --options options \
		--fault corrupt=$2@$3" "${5-}" $WRONG_ERRNO "$WRONG_WORDS"
	also "server: $1${5:+,$5}, 33 slots: $FAULT_WORDS in iteration $3: $3 iterations count" counted "$3"
}

# right_in_slots TEST: check that krping, as the server, accepts right data in 100 operations, which
# use each of the 33 slots several times
right_in_slots() {
	_flags=1
	case $1 in
	*imm*) _flags=33 ;;
	esac
	server_meets "$1, 33 slots: right data" "--test ${1%%,*} --flags $_flags --recvs 8 \
		--count 100 --size $SIZE --stride $SIZE --options options" "${2-}" ok
}

for test in bw rbw sbw ${imm:+bw,imm}; do
	client_meets "$test, 8 slots: right data" '' "$test,validate,size=$SIZE,txdepth=8" ok
	right_in_slots "$test"
done
client_meets 'bw,inline, 8 slots: right data' '' bw,validate,size=60,txdepth=8,inline ok
for fault in bit last swap; do
	slots_client rbw $fault@5
done
# The server reports new data in a slot (refill), but has left the old data there.
client_meets 'rbw, 8 slots: the former data of the slot in iteration 12: EBADMSG' '--fault corrupt=again@12' \
	"rbw,validate,size=$SIZE,txdepth=8" EBADMSG \
	'iteration 12: data differs at offset 10: sent 0x31, got 0x34'
for options in poll srq qps=2 mem_mode=reg; do
	_peer=
	[ $options != qps=2 ] || _peer='--conns 2 --conn-idx 1'
	client_finds rbw swap@5 "txdepth=8,cqmod=1,$options" "$_peer"
done
for test in bw sbw ${imm:+bw,imm}; do
	for fault in bit swap; do
		slots_server "$test" $fault 5 5
	done
	_flags=1
	[ "$test" != bw,imm ] || _flags=33
	server_meets "$test, 33 slots: the former data of the slot in iteration 40: EBADMSG" \
		"--test ${test%%,*} \
		--flags $_flags --recvs 8 --count 50 --size $SIZE --stride $SIZE --options options \
		--fault corrupt=again@40" '' EBADMSG \
		'iteration 40: data differs at offset 10: sent 0x34, got 0x37'
done
for options in poll srq cq=workqueue mem_mode=dma; do
	slots_server bw swap 6 6 $options
	slots_server sbw swap 6 6 $options
done
slots_server bw late 5 5

#
# Rules of the protocol
#

client_meets 'bw,validate: an older krping: ECONNREFUSED' '--fault reject=3' bw,validate \
	ECONNREFUSED '; an older krping validates one operation at a time: use txdepth=1'
client_meets 'bw,validate,txdepth=1: no stride: no error' '' bw,validate,txdepth=1 ok
client_meets 'bw,validate: a server with another stride: EPROTO' '--fault rep=no-stride' bw,validate \
	EPROTO 'the server accepts stride 0 instead of 256'
client_meets 'bw,validate: a buffer that is too small: EPROTO' '--fault advert=small' bw,validate,txdepth=4 \
	EPROTO '832 bytes would be right'
client_meets 'rbw,validate: a refill of slots that no READ has read: EPROTO' '--fault credit=9' \
	rbw,validate,txdepth=8 EPROTO 'the peer says that it has filled the slots of 9 of'
server_meets 'rbw,validate: a credit for READs beyond the slots' "--test rbw --flags 1 \
	--count 50 --size 300 --stride 512 --options options --fault overtake=34 --at 33" '' EPROTO \
	'the peer reports 34 compared READs instead of 0 to 33' '' 1
cases_run

# steps TEST,OPTIONS [SERVER_OPTIONS]: check that a test does not stall, whatever number of operations each
# completion, credit and refill covers
steps() {
	pair "$2" "$1,validate,count=60" && kr_is iterations 60 && kr_ended server ok
}
for steps in warmup=2,txdepth=7,cqmod=7 txdepth=7,batch=7,cqmod=5 txdepth=2,cqmod=2,batch=2 txdepth=3; do
	for test in rbw rbw,duplex bw,duplex sbw; do
		check "$test,validate,$steps: all operations are done" steps "$test,$steps"
	done
done
for test in rbw,duplex bw,duplex; do
	check "$test,validate: a server with txdepth=1" steps "$test" txdepth=1
done
check "rbw,validate,rate=20: the server refills slots at keep-alive messages, too" steps rbw,rate=20,txdepth=50

# too_large OPTIONS DEPTH: check that a test whose slots exceed the maximum buffer fails with EINVAL,
# and that the log advises txdepth=DEPTH
too_large() {
	kr_fails_with EINVAL "client,addr=$ADDR,bw,validate,count=1,$1" "try txdepth=$2" && kr_clean_now
}
check "slots beyond the buffer are EINVAL, and the log has a txdepth that works" \
	too_large "size=64k,txdepth=$((DMA_MAX / 65536 + 1))" $((DMA_MAX / 65536))
fits() {
	pair mem_mode=dma "bw,validate,count=100,size=64k,txdepth=$((DMA_MAX / 65536))" &&
		kr_is iterations 100 && kr_ended server ok
}
check "as many slots as fit the buffer work" fits

# depth_is TXDEPTH STRIDE OPTIONS: check the values of txdepth and stride in the result of a bw
depth_is() {
	pair "" "bw,validate,count=20,$3" && kr_is txdepth "$1" && kr_is stride "$2" &&
		kr_ended server ok
}
check "validate: the default is 64 operations in flight" depth_is 64 256 size=64
check "validate,size=64k: the default is as many operations as 256 KiB hold" depth_is 4 65536 size=64k
check "validate,size=1m: the default is one operation" depth_is 1 0 size=1m,mem_mode=reg
check "validate with slots leaves no test or object" kr_clean

t_end
