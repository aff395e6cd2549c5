#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping accepts commands that test suites of drivers write for its older versions,
#   with their commas, blanks and repeated options, and passes the checks of these suites.
# Requires: one guest with any device
# Duration: 30 s

# The sources, compared line by line with the commands below; the tests here are written anew:
#   1  the test framework iota of the driver ionic, iota/test/iris/testcases/rdma/krping.py, whose early versions have
#      the blank at the end: https://github.com/ccdxc/sw. The commands with bw, wlat, rlat and fr are those of
#      https://github.com/ccdxc/sw/tree/0d8af3418567dcbaa20e0f190e29786f46e220ce for the parameters in
#      iota/test/iris/testbundles/classic/rdma.testbundle, with lower counts. The test with bw, wlat, rlat and fr does
#      not search the log for "stats_out", a line that only the krping of this suite writes.
#   2  iota, too: iota/test/iris/testcases/rdma/rdma_perf_krping.py in
#      https://github.com/ccdxc/sw/tree/39ff2cc25068e98413c27b0e204780970f8d317b
#   3  a class KrpingTest for the framework pyATS, which tests adapters with the driver ionic. Its functions
#      _start_krping_server and start_krping_test build the commands, and KRPING_FAIL_CONDITIONS has the words of
#      failure. The address of a public copy is not known.
#   4  two scripts that build and load an older krping, and write the commands for the port 20886 in a loop. The address
#      of a public copy is not known.

# The scripts use echo -n, which the shells of these guests have.
# shellcheck disable=SC3037

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

# listens: wait until a server listens. (The suites sleep for some seconds instead.)
listens() {
	until_ok 60 kr_listening
}

# Suite 1 appends ", " to each command and writes no newline; both sides get the same options.
# The last 20 lines of the log must have the last iteration's data from both sides.
suite_1() {
	echo -n "server,port=9999,addr=$ADDR,verbose,validate,$1 " > /proc/krping &
	_server=$!
	listens || return 1
	echo -n "client,port=9999,addr=$ADDR,verbose,validate,$1 " > /proc/krping || return 1
	wait $_server || why "the server's echo has failed" || return 1
	eq "$(dmesg | tail -20 | grep -c "rdma-ping-$2:")" 2 "lines of the last iteration"
}
for opts in "server_inv,count=100," "local_dma_lkey,count=100," "txdepth=1000,count=100," \
	"count=100,size=1000," "server_inv,local_dma_lkey,txdepth=64,count=100,size=512,"; do
	check "a driver's suite that writes '$opts ' passes" suite_1 "$opts" 99
done

# suite_1_later ON_BOTH ON_CLIENT ON_SERVER: with bw, wlat, rlat and fr the suite checks the status of the client's
# echo. verbose logs nothing here, and fr has no data for validate.
suite_1_later() {
	klog_mark
	echo -n "server,addr=$ADDR,port=9999,verbose,validate,$1$3" > /proc/krping &
	_server=$!
	listens || return 1
	echo -n "client,addr=$ADDR,port=9999,verbose,validate,$1$2" > /proc/krping ||
		why "the client's echo has failed" || return 1
	wait $_server || why "the server's echo has failed" || return 1
	! klog_has "ping data" || why "verbose has logged data"
}
for opts in "txdepth=512,size=4096,mem_mode=dma,bw,duplex,count=1000," \
	"txdepth=512,size=1024,mem_mode=dma,wlat,count=500," "txdepth=512,size=1024,mem_mode=dma,rlat,count=500," \
	"mem_mode=dma,rlat,poll,count=100,"; do
	check "a driver's suite that writes 'verbose,validate,$opts' passes" suite_1_later "$opts" "" ""
done
for opts in "" "txdepth=512,"; do
	check "a driver's suite that writes 'verbose,validate,${opts}fr' passes" suite_1_later "$opts" "fr,count=500," "count=0,"
done

# Suite 2 starts a client without a count, and kills the client.
suite_2() {
	opts="port=9999,verbose,validate,size=65536,"
	klog_mark
	echo -n "server,addr=$ADDR,${opts}wait=30," > /proc/krping &
	_server=$!
	listens || return 1
	echo -n "client,addr=$ADDR,$opts" > /proc/krping &
	_client=$!
	until_ok 60 klog_has rdma-ping- || return 1
	kill -INT $_client 2>/dev/null
	kill -TERM $_client && ! wait $_client
	wait $_server
	until_ok 60 kr_none
}
check "a driver's suite with wait=30 and no count ends when its client is killed" suite_2

# Suite 3 writes several servers, then as many clients, in the background, and reads
# /proc/krping until it is empty. No line of the log may have words of failure.
suite_3() {
	klog_mark
	args="addr=$ADDR,count=100,size=65536,txdepth=64,verbose,validate,$1"
	for i in 0 1 2 3; do
		echo "${args}server,port=$((9991 + i))" > /proc/krping &
	done
	until_ok 60 kr_running 4 || return 1
	for i in 0 1 2 3; do
		echo "${args}client,port=$((9991 + i))" > /proc/krping &
	done
	until_ok 100 kr_none || return 1
	[ "$(klog_since | grep -c 'rdma-ping-99:')" -ge 8 ] || why "the log lacks lines of the last iterations" || return 1
	for words in " error" " failed" "Received bogus data" "Fastreg not supported" "txdepth must be" \
		"data mismatch" "bad addr string" "Invalid size" "Invalid count" "unknown"; do
		! klog_since | grep "krping:" | grep -qi "$words" || why "the log has '$words'" || return 1
	done
}
for opts in "" "server_inv,local_dma_lkey,mem_mode=fastreg," "local_dma_lkey,"; do
	check_within 300 "a driver's suite with four servers and clients of '$opts' passes" suite_3 "$opts"
done

# Script 4 repeats an option of the server.
script_4() {
	for _ in 1 2 3; do
		echo "server,addr=$ADDR,port=20886,verbose,validate,verbose" >/proc/krping &
		_server=$!
		listens || return 1
		echo "client,addr=$ADDR,port=20886,count=2,validate,verbose" >/proc/krping &&
			wait $_server || return 1
	done
}
check "a script that gives the server the option verbose twice runs three times" script_4

t_end
