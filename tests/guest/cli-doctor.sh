#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The command krping doctor tests a server, and reports a missing server, a server
#   that runs only another test, and a missing module.
# Requires: one guest with any device
# Duration: 60 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=cli.inc
. "${0%/*}/cli.inc"

# The list of checks at the end of this file states what each case_ function checks.

case_well() {
	ends 0 doctor "$ADDR" port="$PORT" && prints '^OK device '"$DEV"' port 1 is active$' && prints "^OK server $ADDR answers\$" &&
		prints '^OK route ' || return 1
	for _test in ping wlat rlat slat bw rbw sbw; do
		prints "^OK $_test 1 byte to 1 MiB, both memory modes\$" || return 1
	done
	prints '^OK speed [0-9.]+ Gbit/s; '"$DEV"' is software'
}

case_no_server() {
	ends 1 doctor "$ADDR" port=1 && prints "^FAIL server $ADDR: .*krping server"
}

# The first test of doctor is ping, which this server rejects because it runs only slat.
case_other_test() {
	kr_bg only "server,addr=$ADDR,port=17411,clients=0,slat" || return 1
	until_ok 60 finds_other_test
}
# Repeat, because siw sometimes loses the reason why the server rejected the client.
finds_other_test() {
	ends 1 doctor "$ADDR" port=17411 && prints "^FAIL server .*another test"
}

case_unloaded() {
	kr_stop
	until_ok 60 kr_unheld
	ends 0 unload && ends 1 doctor && prints '^FAIL module rdma_krping is not loaded'
	_rc=$?
	insmod "$KR_KO"
	return $_rc
}

shell=dash
PORT=17401
check "krping server starts for doctor" serve server "$ADDR" --port "$PORT"
check_within 1200 "doctor ADDR runs each test in both memory modes" case_well
kr_stop
check "doctor reports that no server listens at the port" case_no_server
check "doctor reports a server that runs only another test" case_other_test
check "doctor reports a missing module" case_unloaded

t_end
