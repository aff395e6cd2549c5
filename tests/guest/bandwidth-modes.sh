#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Throughput tests succeed with each mem_mode and each way to wait for completions,
#   with validate, and with immediate data. Both sides count each operation once.
# Requires: one guest with any device
# Duration: 34 s on rxe, 29 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=figures.inc
. "${0%/*}/figures.inc"
# throughput_pair TEST SERVER_OPTIONS CLIENT_OPTIONS SIZE COUNT WARMUP [QPS] of figures.inc runs a server and a
# client, and checks the results of both.

# all_sizes TEST SERVER_OPTIONS CLIENT_OPTIONS: run pairs with one byte, more than a page, and 64 KiB
all_sizes() {
	for size in 1 $((PAGE + 1)) 65536; do
		throughput_pair "$1" "$2" "$3" "$size" 50 3 || {
			why "size=$size: $T_WHY"
			return 1
		}
	done
}

#
# Each mem_mode and each way to wait for completions
#

LARGE=1048576
[ $LARGE -le "$DMA_MAX" ] || LARGE=$DMA_MAX

for test in $throughput_tests; do
	for opts in mem_mode=dma mem_mode=reg,poll mem_mode=reg,cq=workqueue; do
		check "$test,$opts on both sides, every size: right results" all_sizes "$test" "$opts" "$opts"
	done
	check "$test,mem_mode=reg: right results" throughput_pair "$test" mem_mode=reg mem_mode=reg 3000 100 0
	check "$test,mem_mode=dma,poll: right results" \
		throughput_pair "$test" mem_mode=dma,poll mem_mode=dma,poll 64 200 0
	check "$test: the largest size of mem_mode=dma" throughput_pair "$test" mem_mode=dma mem_mode=dma,txdepth=1 "$DMA_MAX" 2 0
	check "$test: a client that polls" throughput_pair "$test" "" poll 64 200 0
	check "$test: a server that polls" throughput_pair "$test" poll "" 64 200 0
	check "$test: a server whose command also names the test" throughput_pair "$test" "$test" "" 64 5 0
	check "$test: more warm-up than iterations" throughput_pair "$test" "" "" 64 3 100
	check "$test,local_dma_lkey: right results" \
		throughput_pair "$test" local_dma_lkey local_dma_lkey 5000 50 0
	check "$test,local_dma_lkey,mem_mode=reg: right results" \
		throughput_pair "$test" mem_mode=reg,local_dma_lkey \
		mem_mode=reg,local_dma_lkey 5000 50 0
	check "$test,size=1m, or the largest buffer of mem_mode=dma: right results" \
		throughput_pair "$test" mem_mode=dma mem_mode=dma $LARGE 5 0
done
check "throughput tests of each mem_mode leave no test or object" kr_clean

#
# validate
#

# short_tests TEST CLIENT_OPTIONS SIZE: run 1 to 8 operations with one QP and with four
short_tests() {
	for count in 1 2 3 8; do
		throughput_pair "$1" cq=workqueue "$2" "$3" $count 0 &&
			throughput_pair "$1" "" "${2:+$2,}qps=4" "$3" $count 0 4 || return 1
	done
}

for test in $throughput_tests; do
	check "$test,validate, every size: right results" all_sizes "$test" "" validate
	# The server must not handle the client's finish message before the last data.
	check "$test,validate: short tests with one QP and with four" short_tests "$test" validate 200
	check "$test,size=16, the size of a control message: right results" short_tests "$test" "" 16
	check "$test,validate,poll: right results" throughput_pair "$test" poll validate,poll 5000 50 0
	check "$test,validate,mem_mode=reg,txdepth=7,batch=3,cqmod=5: right results" \
		throughput_pair "$test" mem_mode=reg \
		validate,mem_mode=reg,txdepth=7,batch=3,cqmod=5 5000 101 0
done

#
# Immediate data
#

for test in bw sbw; do
	if [ "$TYPE" = siw ]; then
		check "a client with $test,imm is EOPNOTSUPP on siw" \
			unsupported "client,addr=$ADDR,$test,imm,count=1" imm
		check "a server with $test,imm is EOPNOTSUPP on siw" \
			unsupported "server,addr=$ADDR,$test,imm" imm
		continue
	fi
	check "$test,imm, every size: right results" all_sizes "$test" "" imm
	check "$test,imm,validate, every size: right results" all_sizes "$test" "" imm,validate
	check "$test,imm,poll,mem_mode=reg: right results" \
		throughput_pair "$test" mem_mode=reg,poll imm,poll,mem_mode=reg 5000 101 0
	check "$test,imm: a server with less txdepth" throughput_pair "$test" txdepth=1 imm 64 200 0
done

t_end
