#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The latency tests: every iteration is done and counted once, on both sides,
# with every knob; and what is said of the latencies makes sense.
# shellcheck source=../lib.sh
. "${0%/*}/../lib.sh"

tests='wlat rlat slat'
sizes="1 2 64 $((PAGE + 1)) 65536"
none='0 0 0 0 0 0 0 0'

# expected TEST SIZE N OPTIONS: C_WANT and S_WANT are what client and server have
# to count in N operations. Only data counts, no hello and no report.
expected() {
	_all="$(($2 * $3)) $3"
	case $1,$4, in
	rlat,*)
		C_WANT="0 0 0 0 0 0 $_all"
		S_WANT=$none
		return
		;;
	wlat,*,imm,*) C_WANT="0 0 $_all $_all 0 0" ;;
	# a SEND of 16 bytes stands behind each WRITE
	wlat,*,validate,*) C_WANT="$((16 * $3)) $3 $((16 * $3)) $3 $_all 0 0" ;;
	wlat,*) C_WANT="0 0 0 0 $_all 0 0" ;;
	slat,*) C_WANT="$_all $_all 0 0 0 0" ;;
	esac
	S_WANT=$C_WANT
}

# latencies GROUP OF: does this line of the result make sense?
latencies() {
	case $KR_OUT in
	*" $1 min="*) ;;
	*)
		why "there is no line $1"
		return 1
		;;
	esac
	_last=1
	# shellcheck disable=SC2086
	set -- "$2" ${KR_OUT#*" $1 "}
	_of=$1
	for _key in min p50 p90 p99 p99.9 p99.99 max; do
		shift
		eq "${1%%=*}" $_key key || return 1
		_v=${1#*=}
		[ "$_v" -ge "$_last" ] || {
			why "$1 is below $_last"
			return 1
		}
		_last=$_v
	done
	eq "${2%%=*} ${3%%=*} $4" "mean stddev of=$_of" "end of the line" || return 1
	[ "${2#mean=}" -le "$_last" ] || why "the mean ${2#mean=} is above max=$_last"
}

# of TEST: whose time an iteration's latency is
of() {
	OF=half_round_trip
	[ "$1" != rlat ] || OF=round_trip
}

# went_right TEST SIZE COUNT WARMUP OPTIONS: both results, and what one says of
# the other
went_right() {
	_test=$1
	expected "$1" "$2" $(($3 + $4)) ",$5"
	of "$1"
	kr_returned ok &&
		kr_is test "$1" && kr_is iterations "$3" && kr_is size "$2" &&
		latencies latency_nsec $OF || return 1
	# shellcheck disable=SC2086
	kr_counters_are counters $C_WANT &&
		kr_counters_are peer_counters $S_WANT || return 1
	_told=${KR_OUT#* peer_time }
	kr_ended server ok && kr_is test "$1" && kr_is size "$2" || return 1
	# shellcheck disable=SC2086
	kr_counters_are counters $S_WANT || return 1
	# one that answers measures from its first answer on
	[ "$_test" != rlat ] || {
		kr_is iterations 0
		return
	}
	kr_is iterations $(($3 + $4 - 1)) || return 1
	[ $(($3 + $4)) -eq 1 ] || latencies latency_nsec $OF
}

# one TEST SERVER_OPTIONS CLIENT_OPTIONS SIZE COUNT WARMUP
one() {
	pair "$2" "$1,size=$4,count=$5,warmup=$6${3:+,$3}" || {
		kr_stop
		kr_returned ok
		return 1
	}
	went_right "$1" "$4" "$5" "$6" "$3"
}

#
# three tests, three ways to wait for completions, two ways to advertise
#

# all_sizes TEST SERVER_OPTIONS CLIENT_OPTIONS: every size; with a way to wait that is
# not the usual one the smallest and one that needs several packets
all_sizes() {
	case $3 in
	*poll* | *cq=workqueue*) _sizes="1 $((PAGE + 1))" ;;
	*) _sizes=$sizes ;;
	esac
	for size in $_sizes; do
		one "$1" "$2" "$3" "$size" 10 3 || {
			why "size=$size: $T_WHY"
			return 1
		}
	done
}

for test in $tests; do
	for mode in dma reg; do
		for how in '' poll cq=workqueue; do
			opts=mem_mode=$mode${how:+,$how}
			check "$test,$opts on both sides, by size" all_sizes "$test" "$opts" "$opts"
		done
	done
	check "$test: a client with dma and a server with reg" one "$test" mem_mode=reg mem_mode=dma 3000 10 0
	check "$test: a client with reg and a server with dma" one "$test" mem_mode=dma mem_mode=reg 3000 10 0
	check "$test: a client that polls" one "$test" "" poll 64 10 0
	check "$test: a server that polls" one "$test" poll "" 64 10 0
	check "$test: one iteration" one "$test" "" "" 64 1 0
	check "$test: more warm-up than iterations" one "$test" "" "" 64 2 50
	# a byte of wlat's has gone round by then
	check "$test: 600 iterations" one "$test" "" "" 8 600 0
	check "$test: the server has the test by itself, too" one "$test" "$test" "" 64 5 0
	check "$test: local_dma_lkey" one "$test" local_dma_lkey local_dma_lkey 5000 10 0
	check "$test: local_dma_lkey with reg" one "$test" mem_mode=reg,local_dma_lkey \
		mem_mode=reg,local_dma_lkey 5000 10 0
done
check "nothing is left" kr_clean

#
# the data is looked at
#

for test in $tests; do
	for how in '' poll cq=workqueue mem_mode=reg; do
		check "$test,validate${how:+,$how}, by size" \
			all_sizes "$test" "$how" "validate${how:+,$how}"
	done
	check "$test,validate: 300 iterations" one "$test" "" validate 100 300 0
done

#
# immediate data
#

# unsupported CMD WORD
unsupported() {
	kr_fails_with EOPNOTSUPP "$1" "$2" && kr_clean_now
}

for test in wlat slat; do
	if [ "$TYPE" = siw ]; then
		check "a client with $test,imm: EOPNOTSUPP" \
			unsupported "client,addr=$ADDR,$test,imm,count=1" imm
		check "a server with $test,imm: EOPNOTSUPP" \
			unsupported "server,addr=$ADDR,$test,imm" imm
		continue
	fi
	for how in '' poll cq=workqueue mem_mode=reg validate; do
		check "$test,imm${how:+,$how}, by size" \
			all_sizes "$test" "${how#validate}" "imm${how:+,$how}"
	done
done

#
# atomics
#

# said ATOMIC: a client says which atomic it is; its server only that it is one
said() {
	pair "" "rlat,atomic=$1,count=3" && kr_is atomic "$1" &&
		kr_ended server ok && kr_is atomic any
}

for atomic in cas faa; do
	if [ "$TYPE" = siw ]; then
		check "a client with atomic=$atomic: EOPNOTSUPP" \
			unsupported "client,addr=$ADDR,rlat,atomic=$atomic,count=1" atomic
		check "a server with atomic=$atomic: EOPNOTSUPP" \
			unsupported "server,addr=$ADDR,rlat,atomic=$atomic" atomic
		continue
	fi
	for how in '' poll cq=workqueue mem_mode=reg validate local_dma_lkey srq; do
		check "atomic=$atomic${how:+,$how}" one rlat "${how#validate}" \
			"atomic=$atomic${how:+,$how}" 8 50 10
	done
	check "atomic=$atomic is in the result" said $atomic
done
kr_stop

#
# inline data, pieces, SRQ
#

for test in wlat slat; do
	for size in 1 2 64; do
		check "$test,inline,size=$size" one "$test" "" inline "$size" 10 2
		check "$test,inline on both sides, validate, size=$size" \
			one "$test" inline inline,validate "$size" 10 2
	done
	check "$test,inline,mem_mode=reg" one "$test" inline,mem_mode=reg inline,mem_mode=reg 64 10 0
	check "$test,inline of more than the device takes: EOPNOTSUPP" \
		unsupported "client,addr=$ADDR,$test,inline,size=100000,count=1" inline
done

for test in $tests; do
	if [ "$test,$TYPE" = rlat,siw ]; then
		sge=1
		# iWARP READs into one piece
		refused_read_sge() {
			kr_fails_with EINVAL "client,addr=$ADDR,rlat,sge=2,count=1" sge=2 && kr_clean_now
		}
		check "rlat,sge=2: EINVAL" refused_read_sge
	else
		sge=2
	fi
	for size in 2 3 64 $((PAGE + 1)); do
		check "$test,sge=$sge,size=$size" \
			one "$test" sge=$sge "sge=$sge,validate" "$size" 10 0
	done
	check "$test,sge=$sge,mem_mode=reg" \
		one "$test" sge=$sge,mem_mode=reg "sge=$sge,mem_mode=reg,validate" 10000 10 0
	check "$test,srq on both sides" one "$test" srq srq 64 50 0
	check "$test,srq,validate on both sides" one "$test" srq srq,validate 5000 20 5
	check "$test,srq,poll on the client" one "$test" "" srq,poll 64 20 0
	check "$test,srq on the server" one "$test" srq "" 64 20 0
done
check "wlat,inline,sge=2" one wlat inline,sge=2 inline,sge=2,validate 64 10 0
check "nothing is left" kr_clean

#
# more than one queue pair; wlat only with something to wait for
#

# many TEST OPTIONS LANES COUNT: each queue pair does count
many() {
	pair "" "$1,size=64,count=$4,warmup=2,$2" || {
		kr_stop
		kr_returned ok
		return 1
	}
	expected "$1" 64 $(($3 * ($4 + 2))) ",$2"
	of "$1"
	kr_returned ok && kr_is iterations $(($3 * $4)) && latencies latency_nsec $OF || return 1
	# shellcheck disable=SC2086
	kr_counters_are counters $C_WANT && kr_counters_are peer_counters $S_WANT &&
		kr_ended server ok && kr_counters_are counters $S_WANT
}

for opts in qps=3 threads=2 qps=2,threads=2; do
	case $opts in
	qps=3) lanes=3 ;;
	threads=2) lanes=2 ;;
	*) lanes=4 ;;
	esac
	for test in wlat,validate slat rlat; do
		check "$test,$opts" many ${test%,*} "$opts${test#????}" $lanes 20
	done
done
check "nothing is left" kr_clean

#
# how fast and how long
#

# one_timed TEST SERVER_OPTIONS CLIENT_OPTIONS SIZE COUNT WARMUP: _nsec is how
# long it took
one_timed() {
	_nsec=
	pair "$2" "$1,size=$4,count=$5,warmup=$6,$3" || {
		kr_stop
		kr_returned ok
		return 1
	}
	_nsec=$(kr_get nsec)
	kr_is rate 500 && went_right "$1" "$4" "$5" "$6" "$3"
}

# A rate is a promise: operations begin every 2 ms, and no earlier. They are not to
# be much later either, but the upper bound is for a busy machine.
rate_is_kept() {
	one_timed "$1" "" "rate=500${2:+,$2}" 64 50 0 || return 1
	if [ "$_nsec" -lt 98000000 ] || [ "$_nsec" -gt 10000000000 ]; then
		why "50 iterations at 500 per second took nsec=$_nsec"
	fi
}

for test in $tests; do
	check "$test,rate=500" rate_is_kept "$test"
done
check "wlat,validate,rate=500" rate_is_kept wlat validate
check "slat,srq,rate=500" rate_is_kept slat srq

# lasts TEST OPTIONS: a second
lasts() {
	pair "" "$1,duration=1${2:+,$2}" || {
		kr_returned ok
		return 1
	}
	n=$(kr_get iterations)
	nsec=$(kr_get nsec)
	if [ "$n" -le 1 ] || [ "$nsec" -lt 800000000 ]; then
		why "iterations=$n nsec=$nsec"
		return 1
	fi
	expected "$1" 64 "$n" ",$2"
	# shellcheck disable=SC2086
	kr_returned ok && kr_counters_are counters $C_WANT &&
		kr_ended server ok && kr_counters_are counters $S_WANT
}

for test in $tests; do
	check "$test,duration=1" lasts "$test"
	check "$test,duration=1,validate" lasts "$test" validate
	check "$test,duration=1,poll" lasts "$test" poll
	check "$test: the count comes before the duration" one "$test" "" duration=3600 64 10 2
done
check "slat,duration=1,rate=500" lasts slat rate=500
kr_stop

# A server that sees nothing of a READ, and waits no longer than two seconds for
# anything, does not take its client for dead.
patient_server() {
	kr_bg server "server,addr=$ADDR,port=12000,timeout=500" &&
		kr "client,addr=$ADDR,port=12000,rlat,duration=4" && kr_ended server ok
}
check "rlat for longer than the server's timeout" patient_server
kr_stop

#
# the histogram
#

# buckets COUNT: there is each iteration in one of them
buckets() {
	awk -v want="$1" '
		$1 == "histogram_nsec" {
			lines++
			last = -1
			for (i = 2; i <= NF; i++) {
				split($i, b, "=")
				if (b[1] + 0 <= last || b[2] < 1)
					bad = $i
				last = b[1] + 0
				sum += b[2]
			}
		}
		END {
			if (lines == 1 && sum == want && bad == "")
				exit 0
			print lines + 0 " lines, the sum is " sum + 0 ", wrong is \"" bad "\""
			exit 1
		}' "$KR_RESULT" >"$T_TMP/buckets" || why "$(cat "$T_TMP/buckets")"
}

histogram() {
	pair "" "$1,size=64,count=200,warmup=20,histogram" || {
		kr_stop
		kr_returned ok
		return 1
	}
	kr_is iterations 200 && buckets 200 && kr_ended server ok || return 1
	case $KR_OUT in
	*histogram*) why "the server was not asked for a histogram" ;;
	esac
}

no_histogram() {
	pair "" "$1,count=5" && kr_ended server ok || return 1
	not grep -q histogram "$KR_RESULT"
}

for test in $tests; do
	check "$test,histogram: the sum of the buckets is the iterations" histogram "$test"
	check "$test without histogram has none" no_histogram "$test"
done

server_histogram() {
	pair histogram slat,count=50 && kr_is iterations 50 && kr_ended server ok &&
		latencies latency_nsec half_round_trip && buckets "$(kr_get iterations)"
}
check "slat: a server's histogram" server_histogram

histogram_lanes() {
	pair "" slat,count=50,qps=2,threads=2,histogram && kr_is iterations 200 && buckets 200
}
check "slat,qps=2,threads=2,histogram: one for all" histogram_lanes
kr_stop

#
# what a server tells its client
#

# A server has not waited for the first operation.
told() {
	pair "" "$1,count=30" && latencies peer_latency_nsec half_round_trip || return 1
	# shellcheck disable=SC2086
	set -- ${KR_OUT#* peer_time }
	time="$1 $2"
	latency=${KR_OUT#* peer_latency_nsec }
	latency=${latency%% peer_counters*}
	kr_ended server ok &&
		eq "$time" "nsec=$(kr_get nsec) iterations=$(kr_get iterations)" "what the client was told" || return 1
	case $KR_OUT in
	*" latency_nsec $latency "*) ;;
	*) why "the client was told $latency" ;;
	esac
}
check "wlat: the client's result has the server's" told wlat
check "slat: the client's result has the server's" told slat

# context WANT OPTIONS SERVER: where completions are handled, as both results say it
context() {
	pair "" "wlat,count=3,$2" && kr_is cq "$1" && kr_ended server ok && kr_is cq "$3"
}
check "the result says that softirqs handle completions" context softirq cq=softirq softirq
check "the result says that a worker does" context workqueue cq=workqueue softirq
check "the result says that a worker does, to validate" context workqueue validate workqueue

# A server that has answered only once has measured nothing.
told_once() {
	pair "" "$1,count=1" && kr_is iterations 1 && grep -q '^peer_time nsec=0 ' "$KR_RESULT"
}
check "wlat: of one iteration the server has no time" told_once wlat
check "slat: of one iteration the server has no time" told_once slat

told_nothing() {
	pair "" rlat,count=10 && kr_ended server ok || return 1
	not grep -q latency "$KR_RESULT"
}
check "rlat: a server that does nothing has no latencies" told_nothing

# delta_once COMMAND...: it leaves one line for awk in the kernel log
delta_once() {
	klog_mark
	"$@" || return 1
	eq "$(klog_count delta)" 1 "number of lines with delta" &&
		klog_has 'delta sec [0-9]+ delta usec [0-9]+ iter 30 size 100$'
}
for test in $tests; do
	check "$test: one line in the log for awk" delta_once one "$test" "" "" 100 30 5
done
# A server of rlat sees a sign of life twice a second only, and bears 2 s without.
short_server() {
	pair_port=$((pair_port + 1))
	kr_bg server "server,addr=$ADDR,port=$pair_port,timeout=100" &&
		kr "client,addr=$ADDR,port=$pair_port,$PATIENT,rlat,duration=2" &&
		kr_returned ok && kr_ended server ok
}
check "rlat: a server with timeout=100 bears the half second between two signs of life" short_server

delta_has_time() {
	klog_mark
	pair "" "$1,count=300,size=100" && klog_delta 300 100
}
for test in $tests; do
	check "$test: the line for awk has the time of the result" delta_has_time "$test"
done

#
# the end comes from outside
#

# endless TEST OPTIONS PORT
endless() {
	kr_bg server "server,addr=$ADDR,port=$3" &&
		kr_bg client "client,addr=$ADDR,port=$3,$1,count=0${2:+,$2}" &&
		until_ok 20 kr_runs client
}

# The server cannot know that more was wanted, and has reported.
stopped() {
	endless "$@" && id=$(kr_get id) &&
		kr "stop,id=$id" && kr_is stopped 1 &&
		kr_ended client ECANCELED && kr_detail_has stop || return 1
	n=$(kr_get iterations)
	if [ "${n:-0}" -lt 1 ]; then
		why "iterations=$n"
		return 1
	fi
	expected "$1" 64 "$n" ",$2"
	# shellcheck disable=SC2086
	kr_counters_are counters $C_WANT && kr_ended server ok && kr_counters_are counters $S_WANT && kr_clean
}

stopped_server() {
	endless "$@" && kr_result server && id=$(kr_get id) &&
		kr "stop,id=$id" && kr_is stopped 1 &&
		kr_ended server ECANCELED && kr_ended client ECONNRESET && kr_clean
}

port=12100
for test in $tests; do
	for how in '' poll validate cq=workqueue rate=500; do
		port=$((port + 1))
		check "$test${how:+,$how}: stop of the client: its server's end is ok" \
			stopped "$test" "$how" $port
		kr_stop
	done
	port=$((port + 1))
	check "$test: stop of the server: its client's end is ECONNRESET" \
		stopped_server "$test" "" $port
	kr_stop
done

t_end
