#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A server with allow= accepts clients with an allowed address, and rejects all others.
# Requires: one guest
# Duration: 3 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=trace.inc
. "${0%/*}/trace.inc"

port=18500

# export_bg OPTIONS: start a server with OPTIONS at the next port
export_bg() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT,$1"
}

# allows OPTIONS: check that a server with OPTIONS accepts a client
allows() {
	export_bg "export=4k,$1" && kr "client,addr=$ADDR,port=$port,$PATIENT,put,data=x" && kr_ended server ok
}
check "allow: a client of the network is accepted" allows allow=10.0.0.0/8
kr_stop
check "allow: a client of one of two networks is accepted" allows "allow=192.0.2.0/24,allow=$ADDR"
kr_stop

# rejects OPTIONS CLIENTS: check that a server with clients=CLIENTS rejects a client and still listens.
# siw may lose the reason of the rejection.
rejects() {
	klog_mark
	export_bg "export=4k,clients=$2,$1" &&
		kr_fails ECONNREFUSED "client,addr=$ADDR,port=$port,put,data=x" &&
		klog_has "the server does not allow the client's address.*$ADDR" || return 1
	[ "$TYPE" = siw ] || kr_detail_has "does not allow the client's address" || return 1
	kr_listening
}
check "allow: a client of another network is rejected" rejects allow=10.0.0.128/25 1
kr_stop
check "allow: a server for many clients rejects a client of other networks" \
	rejects allow=fd00::/16,allow=11.0.0.0/8 0
kr_stop

# qps_are N: check that client and server together have created N QPs since trace_start
qps_are() {
	trace_stop && eq "$(grep -c 'cm_qp_create: ' "$T_TMP/trace")" "$1" QPs
}

# makes_no_qp: check that an accepted client means two QPs, one on each side, and a rejected client one QP:
# the client's, which exists before the server knows the client's address
makes_no_qp() {
	trace_start && allows allow=10.0.0.0/8 && qps_are 2 &&
		trace_start && rejects allow=10.0.0.128/25 1 && qps_are 1
}
if trace_open; then
	check "allow: the server creates no QP for a client that it rejects" makes_no_qp
else
	skip "allow: the server creates no QP for a client that it rejects" "$T_WHY"
fi
trace_close
kr_stop

rejects_test() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,allow=192.0.2.1" &&
		kr_fails ECONNREFUSED "client,addr=$ADDR,port=$port,count=1"
}
check "allow: a server without export rejects a client of another network" rejects_test
kr_stop

check "allow: rejected clients leave no test or object" kr_clean
t_end
