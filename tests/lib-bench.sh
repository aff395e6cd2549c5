# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What the results of both sides of a microbenchmark have to say: counters, iterations,
# throughput, latencies. Sourced behind lib.sh. POSIX sh.

# shellcheck disable=SC2034 # for those who source this
latency_tests='wlat rlat slat'
throughput_tests='bw rbw sbw'
no_counters='0 0 0 0 0 0 0 0'

# expected TEST SIZE N OPTIONS: C_WANT and S_WANT are the counters of client and server
# after N operations of the client, and S_NR is how many of them the server sees. Only
# data counts: no hello, no credit, no report.
expected() {
	_all="$(($2 * $3)) $3"
	_tokens="$((16 * $3)) $3"
	S_NR=$3
	case $1,$4, in
	slat,*)
		C_WANT="$_all $_all 0 0 0 0"
		S_WANT=$C_WANT
		;;
	wlat,*,imm,*)
		C_WANT="0 0 $_all $_all 0 0"
		S_WANT=$C_WANT
		;;
	# a SEND of 16 bytes follows each WRITE
	wlat,*,validate,*)
		C_WANT="$_tokens $_tokens $_all 0 0"
		S_WANT=$C_WANT
		;;
	wlat,*)
		C_WANT="0 0 0 0 $_all 0 0"
		S_WANT=$C_WANT
		;;
	sbw,*)
		C_WANT="$_all 0 0 0 0 0 0"
		S_WANT="0 0 $_all 0 0 0 0"
		;;
	bw,*,imm,*)
		C_WANT="0 0 0 0 $_all 0 0"
		S_WANT="0 0 $_all 0 0 0 0"
		;;
	# a SEND of 16 bytes follows each WRITE
	bw,*,validate,*)
		C_WANT="$_tokens 0 0 $_all 0 0"
		S_WANT="0 0 $_tokens 0 0 0 0"
		;;
	bw,*)
		C_WANT="0 0 0 0 $_all 0 0"
		S_WANT=$no_counters
		S_NR=0
		;;
	rlat,* | rbw,*)
		C_WANT="0 0 0 0 0 0 $_all"
		S_WANT=$no_counters
		S_NR=0
		;;
	esac
}

# bench_pair SERVER_OPTIONS CLIENT_OPTIONS: a pair; if the client fails, no server is left
bench_pair() {
	pair "$1" "$2" && return
	kr_stop
	kr_returned ok
	return 1
}

# unsupported CMD WORD: krping rejects the command, and names the option
unsupported() {
	kr_fails_with EOPNOTSUPP "$1" "$2" && kr_clean_now
}

#
# Latency tests
#

# latencies GROUP OF: this line of the result has rising percentiles and a mean below the
# maximum
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

# latency_of TEST: OF is what the latency of an iteration is the time of
latency_of() {
	OF=half_round_trip
	[ "$1" != rlat ] || OF=round_trip
}

# latency_results TEST SIZE COUNT WARMUP OPTIONS: the results of both sides are right, and
# the client's has the figures of the server's
latency_results() {
	_test=$1
	expected "$1" "$2" $(($3 + $4)) ",$5"
	latency_of "$1"
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
	# the server measures from its first answer on
	[ "$_test" != rlat ] || {
		kr_is iterations 0
		return
	}
	kr_is iterations $(($3 + $4 - 1)) || return 1
	[ $(($3 + $4)) -eq 1 ] || latencies latency_nsec $OF
}

# latency_pair TEST SERVER_OPTIONS CLIENT_OPTIONS SIZE COUNT WARMUP
latency_pair() {
	bench_pair "$2" "$1,size=$4,count=$5,warmup=$6${3:+,$3}" || return 1
	latency_results "$1" "$4" "$5" "$6" "$3"
}

#
# Throughput tests
#

# throughput GROUP SIZE ITERATIONS NSEC: this line of the result follows from the others
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

# throughput_pair TEST SERVER_OPTIONS CLIENT_OPTIONS SIZE COUNT WARMUP [QPS]: each QP does
# COUNT operations
throughput_pair() {
	_qps=${7:-1}
	bench_pair "$2" "$1,size=$4,count=$5,warmup=$6${3:+,$3}" || return 1
	expected "$1" "$4" $((_qps * ($5 + $6))) ",$3"
	NSEC=$(kr_get nsec)
	kr_returned ok &&
		kr_is test "$1" && kr_is size "$4" && kr_is iterations $((_qps * $5)) &&
		throughput throughput "$4" $((_qps * $5)) "$NSEC" || return 1
	# shellcheck disable=SC2086
	kr_counters_are counters $C_WANT && kr_counters_are peer_counters $S_WANT || return 1
	_told=${KR_OUT#* peer_time }
	_told=${_told%% peer_*}
	kr_ended server ok && kr_is test "$1" && kr_is size "$4" &&
		kr_is iterations "$S_NR" || return 1
	# shellcheck disable=SC2086
	kr_counters_are counters $S_WANT || return 1
	[ "$S_NR" = 0 ] || [ "$_qps" -gt 1 ] || {
		eq "$_told" "nsec=$(kr_get nsec) iterations=$S_NR" "the server's figures in the client's result" &&
			throughput throughput "$4" "$S_NR" "$(kr_get nsec)"
	}
}

#
# Endless pairs
#

# endless_bench OPTIONS PORT [SERVER_OPTIONS]: start a server and its client in the
# background and wait for the first iteration
endless_bench() {
	kr_bg server "server,addr=$ADDR,port=$2${3:+,$3}" &&
		kr_bg client "client,addr=$ADDR,port=$2,$1" &&
		until_ok 20 kr_runs client
}

# stopped_server OPTIONS PORT: stop of the server ends its client with ECONNRESET
stopped_server() {
	endless_bench "$1" "$2" && kr_result server && id=$(kr_get id) &&
		kr "stop,id=$id" && kr_is stopped 1 &&
		kr_ended server ECANCELED && kr_ended client ECONNRESET && kr_clean
}
