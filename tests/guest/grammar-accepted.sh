#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping accepts valid commands in each form.
# Requires: one guest with any device
# Duration: 7 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

# An address without a route. A client to this address fails with ENETUNREACH if krping accepts its
# command.
nowhere=203.0.113.1
nowhere6=2001:db8::1

long() {
	# leading zeros of the count fill the 4096 bytes
	cmd=client,addr=$nowhere,count=
	cmd=$cmd$(printf "%0$((4096 - ${#cmd}))d" 1)
	eq ${#cmd} 4096 length && kr_fails ENETUNREACH "$cmd"
}
check "accepted: a command of 4096 bytes" long

# accepted OPTIONS: check that krping accepts a client with OPTIONS
accepted() {
	kr_fails ENETUNREACH "client,addr=$nowhere,$1"
}

for opts in port=1 port=65535 device="$DEV" count=0 count=1 \
	count=18446744073709551615 duration=1 duration=4294967295 warmup=0 warmup=5 \
	size=1 size=64k size=64K size=4m size=1M size=3g size=4294967295 validate verbose \
	mem_mode=dma mem_mode=reg mem_mode=fastreg server_inv mem_mode=reg,server_inv \
	read_inv mem_mode=fastreg,read_inv local_dma_lkey tos=0 tos=255 timeout=0 timeout=2147483647 \
	retry=0 retry=7 rnr_retry=0 rnr_retry=7 txdepth=1 tx-depth=1 txdepth=1048576 \
	poll cq=softirq cq=workqueue cpu=0 cpu=0-0 cpu=0:0 srq histogram \
	wlat,verbose rlat,verbose slat,verbose bw,verbose rbw,verbose sbw,verbose fr,verbose,validate \
	wlat rlat slat bw rbw sbw fr bw,duplex rbw,duplex,validate \
	bw,cqmod=64,batch=64 sbw,txdepth=2,cqmod=2,batch=2 wlat,inline slat,imm \
	wlat,sge=2,inline rlat,atomic=cas rlat,size=8,atomic=faa wlat,rate=1000 \
	slat,qps=2,threads=2 rbw,qps=32,threads=32 rlat,histogram \
	validate,verbose,mem_mode=reg,server_inv,size=1k,count=10 \
	ping ping,verbose count=10k count=1M,warmup=2g duration=1s duration=3h timeout=5s \
	wlat,rate=2k validate,validate,verbose,verbose wlat,wlat ",,count=1,,poll,"; do
	check "accepted: $opts" accepted "$opts"
done
check "accepted: background" kr_fails ENETUNREACH "client,addr=$nowhere,background"
# Scripts for the old krping end a command with a comma and a blank, without a newline.
check "accepted: blanks around options" kr_fails ENETUNREACH \
	" client , addr=$nowhere,	count=100 ,validate"
check "accepted: a comma and a blank at the end" kr_fails ENETUNREACH "client,addr=$nowhere,count=100, "
check "accepted: addr6= with an IPv6 address" kr_fails ENETUNREACH "client,addr6=$nowhere6"
check "accepted: addr= with an IPv6 address" kr_fails ENETUNREACH "client,addr=$nowhere6"
check "accepted: options in any order" kr_fails ENETUNREACH "count=5,port=77,addr=$nowhere,client"
for opts in clients=1 clients=0 clients=5 wlat sbw,duplex \
	duplex,cqmod=2,batch=2,inline,imm,sge=2,srq,histogram atomic=cas; do
	check "accepted by a server: $opts" kr_fails EADDRNOTAVAIL "server,addr=$nowhere,$opts"
done
check "accepted: stop" kr stop
check "accepted: stop,id=" kr_fails ESRCH stop,id=4000000000

help_lists() {
	kr help && kr_returned ok &&
		kr_has 'option name=port operand="a number from 1 to 65535" default="9999" meaning="port of the server"' &&
		eq "$(grep -c '^option name=[a-z].* operand=".*" default=".*" meaning="..*"$' "$KR_RESULT")" \
			"$(grep -c '^option ' "$KR_RESULT")" "number of complete lines"
}
check "accepted: help, whose result lists the options" help_lists

# accepted_stdin FORMAT: check that krping accepts the output of printf FORMAT
accepted_stdin() {
	# shellcheck disable=SC2059
	printf "$1" >"$T_TMP/in"
	kr_steps stdin read <"$T_TMP/in"
	kr_returned ENETUNREACH
}
check "accepted: a comma at the end" kr_fails ENETUNREACH "client,addr=$nowhere,"
check "accepted: a newline at the end" accepted_stdin "client,addr=$nowhere\\n"
check "accepted: two newlines at the end" accepted_stdin "client,addr=$nowhere\\n\\n"
check "accepted: a comma and a newline at the end" accepted_stdin "client,addr=$nowhere,\\n"

# krping must also parse the last byte of a command, and not cut 12345 to 1234.
whole() {
	kr_bg server "server,addr=$ADDR,port=12345" || return 1
	kr "client,addr=$ADDR,count=12,port=12345" &&
		kr_is iterations 12 &&
		kr_ended server ok || return 1
	kr_bg server "server,addr=$ADDR,port=12345" || return 1
	kr "client,addr=$ADDR,port=12345,count=12" &&
		kr_is iterations 12 &&
		kr_ended server ok
}
check "accepted: the last byte of a command is parsed" whole
kr_stop

suffix() {
	pair "" "size=3k,count=2" && kr_is size 3072 && kr_ended server ok && kr_is read_bytes 6144
}
check "accepted: the suffix k means 1024" suffix

# Counts have a suffix, the time has a unit, and ping, the default test, is named.
suffixes() {
	pair ping "ping,count=1k,warmup=0k,duration=10m" &&
		kr_is test ping && kr_is iterations 1000 && kr_ended server ok
}
check "accepted: the suffix k of a count means 1000" suffixes

other_test() {
	kr_bg server "server,addr=$ADDR,port=12347,ping" || return 1
	kr_told kr "client,addr=$ADDR,port=12347,count=1,wlat"
	kr_returned ECONNREFUSED && kr_detail_has "another test"
}
check "a server with ping rejects a client with another test" other_test
kr_stop

# The shell does not seek between its write and its read.
by_hand() {
	kr_bg server "server,addr=$ADDR,port=12346" || return 1
	{
		echo "client,addr=$ADDR,port=12346,count=3" >&3 && cat <&3
	} 3<>$KR >"$KR_RESULT" || return 1
	kr_take
	kr_is status ok && kr_is iterations 3 && kr_ended server ok
}
check "a shell writes a command and reads its result on one descriptor" by_hand
kr_stop

t_end
