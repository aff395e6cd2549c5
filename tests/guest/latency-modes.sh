#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Latency tests work with each mem_mode, each way to wait for completions and
#   several sizes, with validate, with immediate data, and with atomics.
# Requires: one guest with any device
# Duration: 36 s on rxe, 44 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=figures.inc
. "${0%/*}/figures.inc"

sizes="1 2 64 $((PAGE + 1)) 65536"

# all_sizes TEST SERVER_OPTIONS CLIENT_OPTIONS: run a server and a client with each size. If CLIENT_OPTIONS
# have poll or cq=workqueue, use only one byte, and a size of several packets.
all_sizes() {
	case $3 in
	*poll* | *cq=workqueue*) _sizes="1 $((PAGE + 1))" ;;
	*) _sizes=$sizes ;;
	esac
	for size in $_sizes; do
		latency_pair "$1" "$2" "$3" "$size" 10 3 || {
			why "size=$size: $T_WHY"
			return 1
		}
	done
}

for test in $latency_tests; do
	for mode in dma reg; do
		for how in '' poll cq=workqueue; do
			opts=mem_mode=$mode${how:+,$how}
			check "$test,$opts on both sides, in each size: right results" \
				all_sizes "$test" "$opts" "$opts"
		done
	done
	check "$test: a client with mem_mode=dma and a server with mem_mode=reg" latency_pair "$test" mem_mode=reg mem_mode=dma 3000 10 0
	check "$test: a client with mem_mode=reg and a server with mem_mode=dma" latency_pair "$test" mem_mode=dma mem_mode=reg 3000 10 0
	check "$test: a client that polls" latency_pair "$test" "" poll 64 10 0
	check "$test: a server that polls" latency_pair "$test" poll "" 64 10 0
	check "$test: the largest size of mem_mode=dma" latency_pair "$test" mem_mode=dma mem_mode=dma "$DMA_MAX" 2 0
	check "$test: one iteration" latency_pair "$test" "" "" 64 1 0
	check "$test: more warm-up than iterations" latency_pair "$test" "" "" 64 2 50
	# The sequence byte of wlat wraps around after 256 iterations.
	check "$test: 600 iterations" latency_pair "$test" "" "" 8 600 0
	check "$test: a server with the same test" latency_pair "$test" "$test" "" 64 5 0
	check "$test: local_dma_lkey" latency_pair "$test" local_dma_lkey local_dma_lkey 5000 10 0
	check "$test: local_dma_lkey with mem_mode=reg" latency_pair "$test" mem_mode=reg,local_dma_lkey \
		mem_mode=reg,local_dma_lkey 5000 10 0
done
check "latency tests of each mem_mode leave no test or object" kr_clean

#
# validate
#

for test in $latency_tests; do
	for how in '' poll cq=workqueue mem_mode=reg; do
		check "$test,validate${how:+,$how}, in each size: right results" \
			all_sizes "$test" "$how" "validate${how:+,$how}"
	done
	check "$test,validate: 300 iterations" latency_pair "$test" "" validate 100 300 0
done

#
# Immediate data
#

for test in wlat slat; do
	if [ "$TYPE" = siw ]; then
		check "a client with $test,imm: EOPNOTSUPP" \
			unsupported "client,addr=$ADDR,$test,imm,count=1" imm
		check "a server with $test,imm: EOPNOTSUPP" \
			unsupported "server,addr=$ADDR,$test,imm" imm
		continue
	fi
	for how in '' poll cq=workqueue mem_mode=reg validate; do
		check "$test,imm${how:+,$how}, in each size: right results" \
			all_sizes "$test" "${how#validate}" "imm${how:+,$how}"
	done
done

#
# Atomics
#

# said ATOMIC: check that the client's result has atomic=ATOMIC, and the server's has atomic=any
said() {
	pair "" "rlat,atomic=$1,count=3" && kr_is atomic "$1" &&
		kr_ended server ok && kr_is atomic any
}

for atomic in cas faa; do
	if [ "$TYPE" = siw ] || [ "$(lab_param no_atomics)" != 0 ]; then
		check "a client with atomic=$atomic: EOPNOTSUPP" \
			unsupported "client,addr=$ADDR,rlat,atomic=$atomic,count=1" atomic
		check "a server with atomic=$atomic: EOPNOTSUPP" \
			unsupported "server,addr=$ADDR,rlat,atomic=$atomic" atomic
		continue
	fi
	for how in '' poll cq=workqueue mem_mode=reg validate local_dma_lkey srq; do
		check "atomic=$atomic${how:+,$how}: right results" latency_pair rlat "${how#validate}" \
			"atomic=$atomic${how:+,$how}" 8 50 10
	done
	check "atomic=$atomic is in the result" said $atomic
done
kr_stop

t_end
