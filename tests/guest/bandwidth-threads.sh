#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The result of a throughput test with several QPs (qps=) and threads (threads=, cpu=)
#   has the sums of the iterations and counters of all QPs.
# Requires: one guest with any device
# Duration: 9 s on rxe, 10 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=figures.inc
. "${0%/*}/figures.inc"
# throughput_pair TEST SERVER_OPTIONS CLIENT_OPTIONS SIZE COUNT WARMUP [QPS] of figures.inc runs a server and a
# client, and checks the results of both.

for test in $throughput_tests; do
	check "$test,qps=3: right results" throughput_pair "$test" "" qps=3 64 101 5 3
	check "$test,threads=2: right results" throughput_pair "$test" "" threads=2 64 101 5 2
	check "$test,qps=2,threads=2: right results" throughput_pair "$test" "" qps=2,threads=2 64 101 5 4
	check "$test,qps=3,validate: right results" throughput_pair "$test" "" qps=3,validate 5000 20 0 3
	check "$test,qps=3,poll: right results" throughput_pair "$test" "" qps=3,poll 64 101 0 3
	check "$test,qps=3,srq,txdepth=7,batch=3,cqmod=5: right results" \
		throughput_pair "$test" srq qps=3,srq,txdepth=7,batch=3,cqmod=5 64 101 0 3
	check "$test,threads=2,cpu=0:1" throughput_pair "$test" cpu=1 threads=2,cpu=0:1 64 101 0 2
	check "$test,qps=20: right results" throughput_pair "$test" "" qps=20,txdepth=4 64 11 1 20
done
check "throughput tests with several QPs and threads leave no test or object" kr_clean

# cpus_of ID: print the CPUs on which krping/ID may run
cpus_of() {
	kr_thread "$1" && sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "/proc/$KR_PID/status"
}

bound() {
	endless_bench sbw,threads=2,cpu=1:0 12000 cpu=1 || return 1
	id=$(kr_get id)
	eq "$(cpus_of "$id")" 1 "the first thread's CPU" &&
		eq "$(cpus_of "$id:1")" 0 "the second thread's CPU" || return 1
	kr_result server
	eq "$(cpus_of "$(kr_get id)")" 1 "the server's CPU"
}
if [ -d /sys/devices/system/cpu/cpu1 ]; then
	check "sbw,threads=2,cpu=1:0 binds each thread to its CPU" bound
else
	skip "sbw,threads=2,cpu=1:0 binds each thread to its CPU" "there is one CPU"
fi
kr_stop

t_end
