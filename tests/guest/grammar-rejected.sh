#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping rejects invalid commands with the right errno and log line.
# Requires: one guest with any device
# Duration: 4 s on rxe, 7 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

# An address without a route
nowhere=203.0.113.1

# Columns: errno, command, a word of the log line
while IFS='|' read -r errno cmd word; do
	check "$errno: '$cmd'" kr_refused "$errno" "$cmd" "$word"
done <<END
EINVAL|bogus|bogus
EINVAL|client,addr=$nowhere,bogus|bogus
EINVAL|client,addr=$nowhere,bogus=1|bogus
EINVAL|client,addr=$nowhere,Count=1|Count
EINVAL|addr=$nowhere|role
EINVAL|client|addr
EINVAL|server|addr
EINVAL|client,server,addr=$nowhere|server
EINVAL|client,stop|stop
EINVAL|client,addr=|addr
EINVAL|client,addr|addr
EINVAL|client,addr=10.0.0|addr
EINVAL|client,addr=10.0.0.256|addr
EINVAL|client,addr=10.0.0.1.2|addr
EINVAL|client,addr=10.0.0.1%eth0|addr
EINVAL|client,addr=localhost|addr
EINVAL|client,addr=fd00:::1|addr
EINVAL|client,addr=fd00::1%|addr
EINVAL|client,addr=fe80::1%averylongnameofaninterface|addr
EINVAL|client,addr6=10.0.0.1|addr6
EINVAL|client,addr=$nowhere,addr=$nowhere|addr
EINVAL|client,addr=$nowhere,addr6=fd00::1|addr
EINVAL|client,addr=0.0.0.0|addr
EINVAL|client,addr=::|addr
EINVAL|client,addr=$nowhere,source=0.0.0.0|source
EINVAL|client,addr=$nowhere,source=fd00::1|source
EINVAL|server,addr=$nowhere,source=$ADDR|source
EINVAL|client,addr=$nowhere,port=0|port
EINVAL|client,addr=$nowhere,port=65536|port
EINVAL|client,addr=$nowhere,port=-1|port
EINVAL|client,addr=$nowhere,port=0x10|port
EINVAL|client,addr=$nowhere,port=1k|port
EINVAL|client,addr=$nowhere,port=|port
EINVAL|client,addr=$nowhere,port|port
EINVAL|client,addr=$nowhere,port= 9999|port
EINVAL|client,addr=$nowhere,port=1,port=1|port
EINVAL|client,addr=$nowhere,device=|device
EINVAL|client,addr=$nowhere,device=$(printf %064d 0)|device
EINVAL|client,addr=$nowhere,count=x|count
EINVAL|client,addr=$nowhere,count=-1|count
EINVAL|client,addr=$nowhere,count=10s|count
EINVAL|client,addr=$nowhere,count =10|count 
EINVAL|client,addr=$nowhere,count=1,count=1|count
EINVAL|client,addr=$nowhere,count=+1|count
EINVAL|client,addr=$nowhere,count=1.5|count
EINVAL|client,addr=$nowhere,count=18446744073709551616|count
EINVAL|client,addr=$nowhere,count=18446744073709551615,warmup=1|warmup
EINVAL|client,addr=$nowhere,duration=0|duration
EINVAL|client,addr=$nowhere,duration=1ms|duration
EINVAL|client,addr=$nowhere,duration=1k|duration
EINVAL|client,addr=$nowhere,timeout=2147484s|timeout
EINVAL|client,addr=$nowhere,warmup=|warmup
EINVAL|client,addr=$nowhere,size=0|size
EINVAL|client,addr=$nowhere,size=-64|size
EINVAL|client,addr=$nowhere,size=64b|size
EINVAL|client,addr=$nowhere,size=64kk|size
EINVAL|client,addr=$nowhere,size=k|size
EINVAL|client,addr=$nowhere,size=4g|size
EINVAL|client,addr=$nowhere,size=17179869184g|size
EINVAL|client,addr=$nowhere,validate=1|validate
EINVAL|client,addr=$nowhere,verbose=|verbose
EINVAL|client,addr=$nowhere,mem_mode=mw|mem_mode
EINVAL|client,addr=$nowhere,mem_mode=|mem_mode
EINVAL|client,addr=$nowhere,mem_mode|mem_mode
EINVAL|client,addr=$nowhere,mem_mode=dma,server_inv|server_inv
EINVAL|client,addr=$nowhere,server_inv,mem_mode=dma|server_inv
EINVAL|client,addr=$nowhere,mem_mode=dma,read_inv|read_inv
EINVAL|client,addr=$nowhere,server_inv=1|server_inv
EINVAL|client,addr=$nowhere,local_dma_lkey=0|local_dma_lkey
EINVAL|client,addr=$nowhere,tos=256|tos
EINVAL|client,addr=$nowhere,tos=-1|tos
EINVAL|client,addr=$nowhere,timeout=2147483648|timeout
EINVAL|client,addr=$nowhere,retry=8|retry
EINVAL|client,addr=$nowhere,rnr_retry=8|rnr_retry
EINVAL|client,addr=$nowhere,txdepth=0|txdepth
EINVAL|client,addr=$nowhere,tx-depth=x|tx-depth
EINVAL|client,addr=$nowhere,txdepth=1,tx-depth=1|tx-depth
EINVAL|client,addr=$nowhere,poll=1|poll
EINVAL|client,addr=$nowhere,poll,cq=softirq|cq
EINVAL|client,addr=$nowhere,cq=hardirq|cq
EINVAL|client,addr=$nowhere,cq=|cq
EINVAL|client,addr=$nowhere,cpu=-1|cpu
EINVAL|client,addr=$nowhere,cpu=4096|cpu
EINVAL|client,addr=$nowhere,cpu=0:4096|cpu
EINVAL|client,addr=$nowhere,cpu=70000|cpu
EINVAL|client,addr=$nowhere,cpu=|cpu
EINVAL|client,addr=$nowhere,cpu=1-|cpu
EINVAL|client,addr=$nowhere,cpu=3-1|cpu
EINVAL|client,addr=$nowhere,cpu=0::1|cpu
EINVAL|client,addr=$nowhere,cpu=0:1:|cpu
EINVAL|client,addr=$nowhere,cpu=0-64|cpu
EINVAL|client,addr=$nowhere,cpu=0,1|1
EINVAL|client,addr=$nowhere,wlat,rlat|rlat
EINVAL|client,addr=$nowhere,ping,bw|bw
EINVAL|client,addr=$nowhere,wlat=1|wlat
EINVAL|client,addr=$nowhere,duplex|duplex
EINVAL|client,addr=$nowhere,wlat,duplex|duplex
EINVAL|client,addr=$nowhere,wlat,server_inv|server_inv
EINVAL|client,addr=$nowhere,bw,read_inv|read_inv
EINVAL|client,addr=$nowhere,cqmod=2|cqmod
EINVAL|client,addr=$nowhere,bw,cqmod=0|cqmod
EINVAL|client,addr=$nowhere,bw,cqmod=65|cqmod
EINVAL|client,addr=$nowhere,slat,batch=2|batch
EINVAL|client,addr=$nowhere,sbw,txdepth=4,batch=5|batch
EINVAL|client,addr=$nowhere,rbw,inline|inline
EINVAL|client,addr=$nowhere,bw,inline=64|inline
EINVAL|client,addr=$nowhere,rlat,imm|imm
EINVAL|client,addr=$nowhere,qps=2|qps
EINVAL|client,addr=$nowhere,fr,qps=2|qps
EINVAL|client,addr=$nowhere,bw,qps=1025|qps
EINVAL|client,addr=$nowhere,bw,qps=33,threads=32|qps
EINVAL|server,addr=$nowhere,bw,qps=2|qps
EINVAL|client,addr=$nowhere,bw,threads=0|threads
EINVAL|server,addr=$nowhere,threads=2|threads
EINVAL|client,addr=$nowhere,bw,sge=33|sge
EINVAL|client,addr=$nowhere,bw,sge=4,size=3|sge
EINVAL|client,addr=$nowhere,rlat,atomic=xor|atomic
EINVAL|client,addr=$nowhere,wlat,atomic=cas|atomic
EINVAL|client,addr=$nowhere,rlat,atomic=cas,size=64|size
EINVAL|client,addr=$nowhere,rlat,atomic=faa,sge=2|sge
EINVAL|client,addr=$nowhere,wlat,rate=0|rate
EINVAL|client,addr=$nowhere,wlat,rate=5,cq=softirq|cq
EINVAL|server,addr=$nowhere,wlat,rate=5|rate
EINVAL|client,addr=$nowhere,fr,srq|srq
EINVAL|client,addr=$nowhere,bw,histogram|histogram
EINVAL|server,addr=$nowhere,wlat,duplex|duplex
EINVAL|server,addr=$nowhere,fr|fr
EINVAL|client,addr=$nowhere,conform,validate|validate
EINVAL|client,addr=$nowhere,conform,verbose|verbose
EINVAL|client,addr=$nowhere,fr,mem_mode=dma|mem_mode
EINVAL|client,addr=$nowhere,clients=1|clients
EINVAL|server,addr=$nowhere,clients=x|clients
EINVAL|client,addr=$nowhere,background=1|background
EINVAL|client,addr=$nowhere,id=1|id
EINVAL|stop,id=0|id
EINVAL|stop,id=x|id
EINVAL|stop,id|id
EINVAL|stop=1|stop
EINVAL|stop,addr=$nowhere|addr
EINVAL|stop,background|background
EINVAL|,|empty
EINVAL| , ,, |empty
END

# Commands that a line of the table cannot contain

# refused_with ERRNO WORD STEP...: check that krping rejects what these steps of kwrite write
refused_with() {
	want=$1 word=$2
	shift 2
	kr_steps klog "$@" read klog
	kr_returned "$want" &&
		kr_is id 0 &&
		kr_detail_has "$word" &&
		kr_log_has "$word" &&
		kr_none
}

# from_stdin ERRNO WORD FORMAT: check with refused_with that krping rejects the output of printf FORMAT
from_stdin() {
	# shellcheck disable=SC2059
	printf "$3" >"$T_TMP/in"
	refused_with "$1" "$2" stdin <"$T_TMP/in"
}

check "EINVAL: a write of 0 bytes" refused_with EINVAL empty write=
check "EINVAL: only a newline" from_stdin EINVAL empty '\n'
check "EINVAL: a newline in the middle" from_stdin EINVAL port "client,addr=$nowhere,port=99\\n,count=1"
check "EINVAL: carriage return and newline" from_stdin EINVAL port "client,addr=$nowhere,port=99\\r\\n"
check "EINVAL: newline, then comma" from_stdin EINVAL port "client,addr=$nowhere,port=99\\n,"
check "EINVAL: a NUL at the end" from_stdin EINVAL NUL "client,addr=$nowhere\\0"
check "EINVAL: a NUL in the middle" from_stdin EINVAL NUL "client\\0,addr=$nowhere"
check "EINVAL: a control character, which the log escapes" from_stdin EINVAL 'x1b' "client,addr=$nowhere,\\033[31m"

check "E2BIG: a command of 4097 bytes" refused_with E2BIG 4096 length=4097
check "E2BIG: a command of 100000 bytes" refused_with E2BIG 4096 length=100000
check "EINVAL: a command of 4096 bytes without an option" refused_with EINVAL empty length=4096
check "E2BIG: a write of too many bytes from an invalid pointer" refused_with E2BIG 4096 badptr=5000

bad_pointer() {
	kr_steps badptr=20 read
	kr_returned EFAULT && kr_none
}
check "EFAULT: a write from an invalid pointer" bad_pointer

t_end
