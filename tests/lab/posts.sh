#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The counters of a test are what the device has accepted, also if it rejects a part
#   of a chain, and nothing is posted behind that chain.
# Requires: one guest with the lab device
# Duration: 10 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=lab.inc
. "${0%/*}/lab.inc"

port=8100

# client_posts CHAIN OPTIONS: the second WR of this chain fails, counted from 1; 0: none. The
# client is the only side that WRITEs.
client_posts() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,mem_mode=dma,$PATIENT" && kr_listening || return 1
	lab_set chain_fails="$1" writes=0
	kr "client,addr=$ADDR,port=$port,$PATIENT,size=1000,$2"
	_writes=$(cat "$lab_params/writes")
	"$KWRITE" write=stop >/dev/null
	lab_limit chain_fails 0 && kr_is write_msgs "$_writes" && kr_is write_bytes $((_writes * 1000))
}

all_count() {
	client_posts 0 bw,batch=8,cqmod=8,txdepth=64,count=1000 && kr_returned ok && eq "$_writes" 1000
}
check "bw counts each WRITE that the device has accepted" all_count
kr_stop

first_fails() {
	client_posts 1 bw,batch=8,cqmod=8,txdepth=64,count=64 && kr_returned EIO && eq "$_writes" 1
}
check "bw posts nothing behind a first chain that the device has rejected" first_fails
kr_stop

# The third chain of 8: 16 WRITEs, and one of the chain.
third_fails() {
	client_posts 3 bw,batch=8,cqmod=8,txdepth=64,count=64 && kr_returned EIO && eq "$_writes" 17
}
check "bw posts nothing behind a third chain that the device has rejected" third_fails
kr_stop

# Each WRITE has a SEND behind it, which fails: of 5 WRITEs the last is not announced.
notify_fails() {
	client_posts 5 bw,validate,cqmod=1,txdepth=1,count=64 && kr_returned EIO && eq "$_writes" 5
}
check "a WRITE counts whose SEND the device has rejected" notify_fails
kr_stop

t_end
