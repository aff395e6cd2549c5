#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Each test succeeds once with the options of scripts/bench: polling, deep
#   queues, several QPs and threads.
# Requires: one guest with the debug kernel (tests/run --kernel debug)
# Duration: not measured

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

# measured CLIENT_OPTIONS: run a server and a client that poll
measured() {
	pair poll "$1,poll" && kr_returned ok && kr_ended server ok 300 && kr_clean
}

for test in wlat slat rlat; do
	check "$test,poll succeeds on the debug kernel" measured "$test,count=100,warmup=10"
done
case $TYPE in
siw) skip "rlat,atomic=faa,poll succeeds on the debug kernel" "iWARP has no atomics" ;;
*) check "rlat,atomic=faa,poll succeeds on the debug kernel" measured "rlat,atomic=faa,size=8,count=100" ;;
esac
for test in bw rbw sbw; do
	check "$test,txdepth=128,poll succeeds on the debug kernel" measured "$test,count=500,txdepth=128,size=64"
	check "$test,size=64k,duplex,poll succeeds on the debug kernel" measured "$test,count=50,txdepth=16,size=64k,duplex"
	check "$test,qps=2,threads=2,poll succeeds on the debug kernel" measured "$test,count=50,qps=2,threads=2,size=4k"
done
check "fr,txdepth=16,poll succeeds on the debug kernel" measured "fr,count=200,size=256k,txdepth=16"
check "ping,mem_mode=reg,poll succeeds on the debug kernel" measured "count=100,size=4k,validate,mem_mode=reg"
check "ping,size=64k,poll succeeds on the debug kernel" measured "count=100,size=64k,validate"
check "wlat,histogram,poll succeeds on the debug kernel" measured "wlat,count=100,histogram"

t_end
