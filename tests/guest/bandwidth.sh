#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The throughput tests and fr: every operation is done and counted once, on both
# sides, however many are under way, posted together or signaled.
# shellcheck source=../lib.sh
. "${0%/*}/../lib.sh"

tests='bw rbw sbw'
none='0 0 0 0 0 0 0 0'

# expected TEST SIZE N OPTIONS: C_WANT and S_WANT are what client and server have
# to count in N operations of the client, and S_NR what the server has seen of
# them. Only data counts, no hello, no credit and no report.
expected() {
	_all="$(($2 * $3)) $3"
	_tokens="$((16 * $3)) $3"
	S_NR=$3
	case $1,$4, in
	sbw,*)
		C_WANT="$_all 0 0 0 0 0 0"
		S_WANT="0 0 $_all 0 0 0 0"
		;;
	bw,*,imm,*)
		C_WANT="0 0 0 0 $_all 0 0"
		S_WANT="0 0 $_all 0 0 0 0"
		;;
	# a SEND of 16 bytes stands behind each WRITE
	bw,*,validate,*)
		C_WANT="$_tokens 0 0 $_all 0 0"
		S_WANT="0 0 $_tokens 0 0 0 0"
		;;
	bw,*)
		C_WANT="0 0 0 0 $_all 0 0"
		S_WANT=$none
		S_NR=0
		;;
	rbw,*)
		C_WANT="0 0 0 0 0 0 $_all"
		S_WANT=$none
		S_NR=0
		;;
	esac
}

# throughput GROUP SIZE ITERATIONS NSEC: does the line say what the others do?
throughput() {
	_want="$1 bytes_per_sec="
	case $KR_OUT in
	*" $_want"*) ;;
	*)
		why "there is no line $1"
		return 1
		;;
	esac
	_bytes=${KR_OUT#*" $_want"}
	_bytes=${_bytes%% *}
	_msgs=${KR_OUT#*" $_want$_bytes messages_per_sec="}
	_msgs=${_msgs%% *}
	eq "$_msgs" $(($3 * 1000000000 / $4)) messages_per_sec &&
		eq "$((_bytes / $2))" "$_msgs" "bytes_per_sec in messages"
}

# go SERVER_OPTIONS CLIENT_OPTIONS
go() {
	pair "$1" "$2" && return
	kr_stop
	kr_returned ok
	return 1
}

# one TEST SERVER_OPTIONS CLIENT_OPTIONS SIZE COUNT WARMUP [LANES]: each queue
# pair does COUNT
one() {
	_lanes=${7:-1}
	go "$2" "$1,size=$4,count=$5,warmup=$6${3:+,$3}" || return 1
	expected "$1" "$4" $((_lanes * ($5 + $6))) ",$3"
	NSEC=$(kr_get nsec)
	kr_returned ok &&
		kr_is test "$1" && kr_is size "$4" && kr_is iterations $((_lanes * $5)) &&
		throughput throughput "$4" $((_lanes * $5)) "$NSEC" || return 1
	# shellcheck disable=SC2086
	kr_counters_are counters $C_WANT && kr_counters_are peer_counters $S_WANT || return 1
	_told=${KR_OUT#* peer_time }
	_told=${_told%% peer_*}
	kr_ended server ok && kr_is test "$1" && kr_is size "$4" &&
		kr_is iterations "$S_NR" || return 1
	# shellcheck disable=SC2086
	kr_counters_are counters $S_WANT || return 1
	[ "$S_NR" = 0 ] || [ "$_lanes" -gt 1 ] || {
		eq "$_told" "nsec=$(kr_get nsec) iterations=$S_NR" "what the client was told" &&
			throughput throughput "$4" "$S_NR" "$(kr_get nsec)"
	}
}

# all_sizes TEST SERVER_OPTIONS CLIENT_OPTIONS
all_sizes() {
	for size in 1 $((PAGE + 1)) 65536; do
		one "$1" "$2" "$3" "$size" 50 3 || {
			why "size=$size: $T_WHY"
			return 1
		}
	done
}

#
# three tests, three ways to wait for completions, two ways to advertise
#

for test in $tests; do
	for opts in mem_mode=dma mem_mode=reg,poll mem_mode=reg,cq=workqueue; do
		check "$test,$opts on both sides, every size" all_sizes "$test" "$opts" "$opts"
	done
	check "$test,mem_mode=reg" one "$test" mem_mode=reg mem_mode=reg 3000 100 0
	check "$test,mem_mode=dma,poll" one "$test" mem_mode=dma,poll mem_mode=dma,poll 64 200 0
	check "$test: a client that polls" one "$test" "" poll 64 200 0
	check "$test: a server that polls" one "$test" poll "" 64 200 0
	check "$test: the server has the test by itself, too" one "$test" "$test" "" 64 5 0
	check "$test: more warm-up than iterations" one "$test" "" "" 64 3 100
	check "$test,local_dma_lkey" one "$test" local_dma_lkey local_dma_lkey 5000 50 0
	check "$test,local_dma_lkey,mem_mode=reg" one "$test" mem_mode=reg,local_dma_lkey \
		mem_mode=reg,local_dma_lkey 5000 50 0
	check "$test,size=1m" one "$test" mem_mode=dma mem_mode=dma 1048576 5 0
done
check "nothing is left" kr_clean

#
# how many are under way, posted together, signaled
#

# depths TEST SERVER_OPTIONS CLIENT_OPTIONS: counts that are no multiple of anything
depths() {
	for count in 1 101; do
		one "$1" "$2" "$3" 100 $count 0 || {
			why "count=$count: $T_WHY"
			return 1
		}
	done
}

for test in $tests; do
	for opts in txdepth=1 txdepth=2 txdepth=2,cqmod=2,batch=1 txdepth=7,batch=3,cqmod=5 \
		txdepth=7,batch=7,cqmod=1 txdepth=7,batch=1,cqmod=7 txdepth=64,batch=3,cqmod=64 \
		txdepth=64,batch=64,cqmod=5 txdepth=500 txdepth=500,batch=3,cqmod=1 \
		txdepth=500,batch=500,cqmod=500; do
		check "$test,$opts" depths "$test" "" "$opts"
	done
	check "$test: 1001 with txdepth=7,batch=3,cqmod=5" one "$test" "" txdepth=7,batch=3,cqmod=5 64 1001 0
	check "$test: a server with less txdepth" one "$test" txdepth=1 txdepth=64 64 200 0
	check "$test: a server with more txdepth" one "$test" txdepth=500 txdepth=2 64 200 0
	check "$test: tx-depth is another name" one "$test" tx-depth=3 tx-depth=3 64 20 0
done
check "nothing is left" kr_clean

#
# the data is looked at
#

# often TEST CLIENT_OPTIONS SIZE
often() {
	for count in 1 2 3 8; do
		one "$1" cq=workqueue "$2" "$3" $count 0 &&
			one "$1" "" "${2:+$2,}qps=4" "$3" $count 0 4 || return 1
	done
}

for test in $tests; do
	check "$test,validate, every size" all_sizes "$test" "" validate
	# what ends the test does not overtake the last of the data
	check "$test,validate, again and again" often "$test" validate 200
	check "$test,16 bytes, as long as a message that is no data" often "$test" "" 16
	check "$test,validate,poll" one "$test" poll validate,poll 5000 50 0
	check "$test,validate,mem_mode=reg,txdepth=7,batch=3,cqmod=5" one "$test" mem_mode=reg \
		validate,mem_mode=reg,txdepth=7,batch=3,cqmod=5 5000 101 0
done

#
# immediate data
#

# unsupported CMD WORD
unsupported() {
	kr_fails_with EOPNOTSUPP "$1" "$2" && kr_clean_now
}

for test in bw sbw; do
	if [ "$TYPE" = siw ]; then
		check "a client with $test,imm: EOPNOTSUPP" \
			unsupported "client,addr=$ADDR,$test,imm,count=1" imm
		check "a server with $test,imm: EOPNOTSUPP" \
			unsupported "server,addr=$ADDR,$test,imm" imm
		continue
	fi
	check "$test,imm, every size" all_sizes "$test" "" imm
	check "$test,imm,validate, every size" all_sizes "$test" "" imm,validate
	check "$test,imm,poll,mem_mode=reg" one "$test" mem_mode=reg,poll imm,poll,mem_mode=reg 5000 101 0
	check "$test,imm,txdepth=7,batch=3,cqmod=5" depths "$test" "" imm,txdepth=7,batch=3,cqmod=5
	check "$test,imm: a server with less txdepth" one "$test" txdepth=1 imm 64 200 0
done

#
# inline data, pieces, SRQ
#

for test in bw sbw; do
	check "$test,inline" one "$test" "" inline 64 101 0
	check "$test,inline,validate" one "$test" "" inline,validate 64 50 0
	check "$test,inline,sge=2,txdepth=7" one "$test" "" inline,sge=2,txdepth=7 63 101 0
	check "$test,inline of more than the device takes: EOPNOTSUPP" \
		unsupported "client,addr=$ADDR,$test,inline,size=100000,count=1" inline
done
# A server that names no test may be given it, and meet a client that wants READs.
inline_reads() {
	go inline rbw,duplex,count=50 && kr_returned ok && kr_ended server ok
}
check "rbw,duplex: a server's inline is for others" inline_reads

case $TYPE in
siw) SGE_MAX=6 READ_SGE_MAX=1 ;;
*) SGE_MAX=32 READ_SGE_MAX=32 ;;
esac

# too_many SGE CMD LIMIT: what has more pieces than the device takes
too_many() {
	kr_fails_with EINVAL "client,addr=$ADDR,$2,size=1000,count=1,sge=$1" " to $3" &&
		kr_detail_has "sge=$1" && kr_clean_now
}

for test in $tests; do
	max=$SGE_MAX
	[ "$test" != rbw ] || max=$READ_SGE_MAX
	check "$test,sge=$max" one "$test" "" sge=$max,txdepth=7 1000 50 0
	check "$test,sge=$max,validate,mem_mode=reg" \
		one "$test" mem_mode=reg sge=$max,validate,mem_mode=reg 10001 20 0
	check "$test,sge=$((max + 1)): EINVAL, and the log names the limit" \
		too_many $((max + 1)) "$test" "$max"
	check "$test,srq on both sides" one "$test" srq srq 64 300 0
	check "$test,srq,validate on both sides" one "$test" srq srq,validate 5000 50 0
	check "$test,srq,poll on both sides" one "$test" srq,poll srq,poll 64 300 0
	check "$test,srq on the server,txdepth=500" one "$test" srq,txdepth=500 txdepth=500 64 1001 0
done

# An SRQ is not waited for: ib_drain_qp() of newer kernels does that for a minute.
srq_ends() {
	kr_bg server "server,addr=$ADDR,port=12444,srq" &&
		kr_fg client "client,addr=$ADDR,port=12444,sbw,srq,count=1" &&
		kr_ended client ok 30 && kr_ended server ok 30
}
check "sbw,srq on both sides: both end soon" srq_ends
check "nothing is left" kr_clean

#
# more than one queue pair, and more than one thread
#

for test in $tests; do
	check "$test,qps=3" one "$test" "" qps=3 64 101 5 3
	check "$test,threads=2" one "$test" "" threads=2 64 101 5 2
	check "$test,qps=2,threads=2" one "$test" "" qps=2,threads=2 64 101 5 4
	check "$test,qps=3,validate" one "$test" "" qps=3,validate 5000 20 0 3
	check "$test,qps=3,poll" one "$test" "" qps=3,poll 64 101 0 3
	check "$test,qps=3,srq,txdepth=7,batch=3,cqmod=5" \
		one "$test" srq qps=3,srq,txdepth=7,batch=3,cqmod=5 64 101 0 3
	check "$test,threads=2,cpu=0:1" one "$test" cpu=1 threads=2,cpu=0:1 64 101 0 2
	check "$test,qps=20" one "$test" "" qps=20,txdepth=4 64 11 1 20
done
check "nothing is left" kr_clean

# cpus_of ID: where this thread may run
cpus_of() {
	kr_thread "$1" && sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "/proc/$KR_PID/status"
}

# endless OPTIONS PORT [SERVER_OPTIONS]
endless() {
	kr_bg server "server,addr=$ADDR,port=$2${3:+,$3}" &&
		kr_bg client "client,addr=$ADDR,port=$2,$1" &&
		until_ok 20 kr_runs client
}

bound() {
	endless sbw,threads=2,cpu=1:0 12000 cpu=1 || return 1
	id=$(kr_get id)
	eq "$(cpus_of "$id")" 1 "the first thread's CPU" &&
		eq "$(cpus_of "$id:1")" 0 "the second thread's CPU" || return 1
	kr_result server
	eq "$(cpus_of "$(kr_get id)")" 1 "the server's CPU"
}
if [ -d /sys/devices/system/cpu/cpu1 ]; then
	check "cpu= binds each thread" bound
else
	skip "cpu= binds each thread" "there is one CPU"
fi
kr_stop

#
# both directions
#

# both TEST SERVER_OPTIONS CLIENT_OPTIONS SIZE COUNT WARMUP [LANES]: the server
# does as much as it can until the client is done
both() {
	_lanes=${7:-1}
	go "$2" "$1,duplex,size=$4,count=$5,warmup=$6${3:+,$3}" || return 1
	_ops=$((_lanes * ($5 + $6)))
	NSEC=$(kr_get nsec)
	kr_returned ok && kr_is duplex 1 && kr_is iterations $((_lanes * $5)) &&
		throughput throughput "$4" $((_lanes * $5)) "$NSEC" || return 1
	_told=${KR_OUT#* peer_counters }
	_told=${_told%% }
	_recvs="$(kr_get recv_bytes) $(kr_get recv_msgs)"
	case $1 in
	bw) kr_is write_msgs "$_ops" && kr_is write_bytes $(($4 * _ops)) && kr_is read_msgs 0 ;;
	rbw) kr_is read_msgs "$_ops" && kr_is read_bytes $(($4 * _ops)) && kr_is write_msgs 0 && kr_is recv_msgs 0 ;;
	sbw) kr_is send_msgs "$_ops" && kr_is send_bytes $(($4 * _ops)) && kr_is write_msgs 0 && kr_is read_msgs 0 ;;
	esac || return 1

	kr_ended server ok && kr_is duplex 1 || return 1
	_mine=${KR_OUT#* counters }
	eq "${_mine%% }" "$_told" "what the client was told" || return 1
	_sends="$(kr_get send_bytes) $(kr_get send_msgs)"
	_writes=$(kr_get write_msgs)
	kr_is write_bytes $((_writes * $4)) || return 1
	case $1,,$3, in
	rbw,*)
		_done=$(kr_get read_msgs)
		kr_is read_bytes $((_done * $4)) && kr_is recv_msgs 0
		;;
	sbw,*)
		_done=${_sends#* }
		kr_is recv_msgs "$_ops" && kr_is recv_bytes $(($4 * _ops)) &&
			eq "$_sends" "$_recvs" "what was sent and what was received" &&
			eq "$_sends" "$((_done * $4)) $_done" "what the server has sent"
		;;
	bw,*,imm,*)
		_done=$_writes
		kr_is recv_msgs "$_ops" && kr_is recv_bytes $(($4 * _ops)) &&
			eq "$_recvs" "$((_done * $4)) $_done" "what the client has received"
		;;
	bw,*,validate,*)
		_done=$_writes
		kr_is recv_msgs "$_ops" && kr_is recv_bytes $((16 * _ops)) &&
			eq "$_sends" "$((16 * _done)) $_done" "what the server has sent" &&
			eq "$_sends" "$_recvs" "what was sent and what was received"
		;;
	bw,*)
		_done=$_writes
		kr_is recv_msgs 0
		;;
	esac || return 1
	[ "$_done" -gt 0 ] || why "the server has done nothing"
}

for test in $tests; do
	for opts in mem_mode=dma mem_mode=reg,poll mem_mode=reg,cq=workqueue; do
		check "$test,duplex,$opts on both sides" both "$test" "$opts" "$opts" 1000 300 5
	done
	check "$test,duplex,size=64k" both "$test" "" "" 65536 50 0
	check "$test,duplex,validate" both "$test" "" validate 5000 100 3
	check "$test,duplex,txdepth=7,batch=3,cqmod=5" both "$test" txdepth=7,batch=3,cqmod=5 \
		txdepth=7,batch=3,cqmod=5 64 301 0
	check "$test,duplex,txdepth=1" both "$test" txdepth=1 txdepth=1 64 200 0
	check "$test,duplex: a server with less txdepth" both "$test" txdepth=2 "" 64 300 0
	check "$test,duplex: a server with more txdepth" both "$test" txdepth=500 txdepth=3 64 300 0
	check "$test,duplex,srq" both "$test" srq srq 64 300 0
	check "$test,duplex,qps=2,threads=2" both "$test" "" qps=2,threads=2 64 201 5 4
done
if [ "$TYPE" = rxe ]; then
	for test in bw sbw; do
		check "$test,duplex,imm" both "$test" "" imm 1000 300 5
	done
fi
check "nothing is left" kr_clean

duplex_told() {
	go "" bw,duplex,count=300 || return 1
	_sum=${KR_OUT#* peer_time nsec=}
	_nsec=${_sum%% *}
	_sum=${_sum#* iterations=}
	throughput peer_throughput 64 "${_sum%% *}" "$_nsec" && kr_ended server ok &&
		kr_is iterations "${_sum%% *}" && kr_is nsec "$_nsec"
}
check "duplex: the client's result has the server's throughput" duplex_told

one_way_told() {
	go "" bw,count=20 && kr_ended server ok && not grep -q throughput "$KR_RESULT"
}
check "bw: a server that sees nothing has no throughput" one_way_told

#
# READs under way
#

reads() {
	go "" "$1,count=20" && kr_is reads "$2" && kr_ended server ok
}
check "rbw: as many READs as both devices allow" reads rbw 128
for test in bw sbw rlat; do
	check "$test: one READ" reads "$test" 1
done
check "ping: one READ" reads validate 1

#
# what the device has not enough of
#

case $TYPE in
siw) WR_MAX=32767 ;;
*)
	WR_MAX=1048575
	case $(uname -r) in
	5.10.*) WR_MAX=16383 ;;
	esac
	;;
esac

too_deep() {
	kr_fails_with EINVAL "client,addr=$ADDR,$1,txdepth=1048576,count=1" "at most $WR_MAX" &&
		kr_detail_has txdepth=1048576 && kr_clean_now
}
for test in $tests fr; do
	check "$test,txdepth=1048576: EINVAL, and the log names the limit" too_deep "$test"
done
too_wide() {
	kr_fails_with EINVAL "client,addr=$ADDR,bw,qps=256,txdepth=14000,count=1" "needs a CQ of" &&
		kr_detail_has qps=256 && kr_clean_now
}
check "bw,qps=256,txdepth=14000: EINVAL, no CQ is that large" too_wide

# The server needs RECVs for its own txdepth. That is no reason to go on.
too_deep_server() {
	kr_bg server "server,addr=$ADDR,port=12010,txdepth=1048576" || return 1
	kr_fails ECONNREFUSED "client,addr=$ADDR,port=12010,sbw,count=1" &&
		kr_ended server EINVAL && kr_detail_has "at most $WR_MAX" && kr_clean
}
check "a server with too much txdepth: EINVAL, and the client is refused" too_deep_server
kr_stop
check "a server that needs none of its txdepth" one bw txdepth=1048576 "" 64 20 0

#
# how fast and how long
#

# A rate is a promise: operations begin every 2 ms, and no earlier. They are not to
# be much later either, but the upper bound is for a busy machine.
rate_is_kept() {
	one "$1" "" "rate=500${2:+,$2}" 64 50 0 || return 1
	if [ "$NSEC" -lt 98000000 ] || [ "$NSEC" -gt 10000000000 ]; then
		why "50 operations at 500 per second took nsec=$NSEC"
	fi
}
for test in $tests; do
	check "$test,rate=500" rate_is_kept "$test"
	check "$test,rate=500,txdepth=1" rate_is_kept "$test" txdepth=1
	check "$test,rate=500,validate" rate_is_kept "$test" validate
done

# Of those that are under way at the end the result tells no time, but they count.
lasts() {
	go "" "$1,duration=1${2:+,$2}" || return 1
	n=$(kr_get iterations)
	nsec=$(kr_get nsec)
	sum=$(($(kr_get send_msgs) + $(kr_get write_msgs) + $(kr_get read_msgs)))
	case $1,$2 in
	bw,validate) sum=$((sum / 2)) ;;
	esac
	if [ "$n" -le 1 ] || [ "$nsec" -lt 500000000 ]; then
		why "iterations=$n nsec=$nsec"
		return 1
	fi
	if [ $sum -lt "$n" ] || [ $sum -gt $((n + 64)) ]; then
		why "$sum operations, and iterations=$n"
		return 1
	fi
	expected "$1" 64 $sum ",$2"
	# shellcheck disable=SC2086
	kr_returned ok && throughput throughput 64 "$n" "$nsec" &&
		kr_counters_are counters $C_WANT && kr_ended server ok &&
		kr_counters_are counters $S_WANT && kr_is iterations "$S_NR"
}
for test in $tests; do
	check "$test,duration=1" lasts "$test"
	check "$test,duration=1,validate" lasts "$test" validate
	check "$test: the count comes before the duration" one "$test" "" duration=3600 64 101 5
done
check "sbw,duration=1,rate=500" lasts sbw rate=500
kr_stop

# A server that sees nothing of a test, and waits no longer than two seconds for
# anything, does not take its client for dead.
patient_server() {
	kr_bg server "server,addr=$ADDR,port=12020,timeout=500" &&
		kr "client,addr=$ADDR,port=12020,$1,duration=4" && kr_ended server ok
}
check "bw for longer than the server's timeout" patient_server bw
check "rbw,rate=1 for longer than the server's timeout" patient_server rbw,rate=1
kr_stop

#
# fr
#

# cycles OPTIONS COUNT
cycles() {
	go "" "fr,count=$2${1:+,$1}" || return 1
	nsec=$(kr_get nsec)
	kr_returned ok && kr_is test fr && kr_is iterations "$2" &&
		kr_is cycles_per_sec $(($2 * 1000000000 / nsec)) &&
		eq "${KR_OUT##* throughput cycles_per_sec=*}" "" "the line throughput" || return 1
	# no data is moved
	# shellcheck disable=SC2086
	kr_counters_are counters $none && kr_counters_are peer_counters $none &&
		not grep -q latency "$KR_RESULT" && kr_ended server ok && kr_is test fr &&
		kr_counters_are counters $none
}

check "fr" cycles "" 200
for opts in size=1 size=2 size=$PAGE size=$((PAGE + 1)) size=$REG_MAX txdepth=1 txdepth=2 txdepth=7 \
	txdepth=200 poll cq=workqueue warmup=50 size=$REG_MAX,txdepth=7,poll; do
	for count in 1 101; do
		check "fr,$opts,count=$count" cycles "$opts" $count
	done
done
check "fr with one byte too many" kr_fails_with EINVAL \
	"client,addr=$ADDR,fr,size=$((REG_MAX + 1)),count=1" $REG_MAX

fr_lasts() {
	go "" fr,duration=1,size=65536 && [ "$(kr_get iterations)" -gt 1 ] &&
		[ "$(kr_get nsec)" -ge 500000000 ] && kr_ended server ok
}
check "fr,duration=1" fr_lasts
check "nothing is left" kr_clean

#
# seen from outside
#

# sum NAME: SUM is that of the line's counters
sum() {
	SUM=0
	# shellcheck disable=SC2046
	set -- $(sed -n "$1p" $KR)
	shift
	for _n; do
		SUM=$((SUM + _n))
	done
}

moved() {
	sum "$1"
	[ $SUM -gt "$before" ] || why "the counters stay at $before"
}

# move TEST PORT: those of the client, and of a server that sees something
move() {
	endless "$1,size=1000" "$2" || return 1
	for line in $3; do
		sum "$line"
		before=$SUM
		until_ok 20 moved "$line" || return 1
	done
	kr_result client
	kr_is status running || return 1
	before=$(kr_get iterations)
	until_ok 20 further
}

further() {
	kr_result client
	[ "$(kr_get iterations)" -gt "$before" ]
}

check "bw: the client's counters move while it runs" move bw 12030 2
kr_stop
check "rbw: the client's counters move while it runs" move rbw 12031 2
kr_stop
check "sbw: both sides' counters move while it runs" move sbw 12032 '1 2'
kr_stop
check "bw,duplex: both sides' counters move while it runs" move bw,duplex 12033 '1 2'
kr_stop

delta_once() {
	klog_mark
	one "$1" "" "$2" 100 30 5 "${3:-1}" &&
		eq "$(klog_count delta)" 1 "number of lines with delta" &&
		klog_has "delta sec [0-9]+ delta usec [0-9]+ iter $((30 * ${3:-1})) size 100\$"
}
for test in $tests; do
	check "$test: one line in the log for awk" delta_once "$test" ""
done
check "bw,qps=2,threads=2: one line in the log for awk" delta_once bw qps=2,threads=2 4

fr_delta() {
	klog_mark
	go "" fr,count=30,size=100 && eq "$(klog_count delta)" 1 "number of lines with delta" &&
		klog_delta 30 100
}
check "fr: one line in the log for awk" fr_delta

no_delta() {
	klog_mark
	go "" count=30,size=100 && eq "$(klog_count delta)" 0 "number of lines with delta"
}
check "ping: none" no_delta

#
# the end comes from outside
#

# The server cannot know that more was wanted, and has reported. There is not much under
# way, so that a slow machine is done with it in the half second that it is given.
stopped() {
	endless "$1" "$2" && id=$(kr_get id) &&
		kr "stop,id=$id" && kr_is stopped 1 &&
		kr_ended client ECANCELED && kr_detail_has stop || return 1
	n=$(kr_get iterations)
	if [ "${n:-0}" -lt 1 ]; then
		why "iterations=$n"
		return 1
	fi
	sent="$(kr_get send_bytes) $(kr_get send_msgs)"
	kr_ended server ok || return 1
	case $1 in
	# what was under way has arrived
	sbw*) eq "$(kr_get recv_bytes) $(kr_get recv_msgs)" "$sent" "what has come" ;;
	esac && kr_clean
}

stopped_server() {
	endless "$1" "$2" && kr_result server && id=$(kr_get id) &&
		kr "stop,id=$id" && kr_is stopped 1 &&
		kr_ended server ECANCELED && kr_ended client ECONNRESET && kr_clean
}

port=12100
for test in $tests fr; do
	for opts in "$test" $test,poll $test,validate $test,rate=500 \
		$test,qps=2,threads=2 $test,duplex $test,count=1000000000; do
		case "$opts" in
		fr,validate | fr,rate* | fr,qps* | fr,duplex) continue ;;
		esac
		port=$((port + 1))
		check "$opts: stop of the client: its server's end is ok" stopped "$opts,txdepth=8" $port
		kr_stop
	done
	port=$((port + 1))
	check "$test: stop of the server: its client's end is ECONNRESET" stopped_server "$test" $port
	kr_stop
done

t_end
