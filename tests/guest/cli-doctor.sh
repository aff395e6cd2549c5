#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The command krping doctor tests a server, and reports a missing server, an old one, a
#   server that runs only another test or exports memory, tests that fail, a low throughput, and a
#   missing module.
# Requires: one guest with any device
# Duration: 60 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=cli.inc
. "${0%/*}/cli.inc"
# Functions of cli.inc: ends STATUS ARGUMENT... runs the command krping and checks its exit status, prints REGEX
# checks its output, explains TEXT its standard error. serve starts krping server, and served ends it.

# The list of checks at the end of this file states what each case_ function checks.

case_well() {
	ends 0 doctor "$ADDR" port="$PORT" && prints '^OK device '"$DEV"' port 1 is active(, on the interface [a-z0-9-]+)?$' && prints "^OK server $ADDR answers\$" &&
		prints '^OK route ' || return 1
	# Each memory mode has its own limit. The guest may lack 2 or 4 MiB of contiguous memory, and forced bounce buffers
	# have limits of each test.
	_any="[0-9]+ (MiB|KiB|bytes)" _reg="4 MiB"
	[ "$REG_MAX" -ge 4194304 ] || _reg="$((REG_MAX >> 20)) MiB"
	[ "$DMA_MAX" -ge 4194304 ] || _reg=$_any
	for _test in ping wlat rlat slat bw rbw sbw; do
		prints "^OK $_test 1 byte to ($_reg, both memory modes|$_any with mem_mode=dma, to $_reg with mem_mode=reg)(; a host has no contiguous memory for more)?\$" || return 1
	done
	explains "the next seven checks run tests" || return 1
	[ "$TYPE" = siw ] || prints "^OK used_mtu the connection to $ADDR uses [0-9]+ bytes, as $IF allows\$" || return 1
	prints '^OK speed [0-9.]+ Gbit/s; '"$DEV"' is software'
}

# The server at port 17402 rejects the size 1m, so each test fails, and doctor prints why. A made-up /sys (KRPING_ROOT)
# has an adapter whose second port has the GIDs of the connection and a link of 100 Gb/s, of which no emulated guest
# reaches 80 %. Any guest exceeds the rate of its first port, which has other GIDs and another interface. siw has no
# GIDs, and the route to an address of this machine has no RDMA interface, so with siw doctor looks at the first port.
case_slow() {
	_sys=$T_TMP/root/sys/class/infiniband/$DEV
	_used=2
	[ "$TYPE" != siw ] || _used=1
	mkdir -p "$_sys/device" "$T_TMP/root/sys/class/net/$IF" "$T_TMP/root/sys/class/net/other" || return 1
	for _p in 1 2; do
		mkdir -p "$_sys/ports/$_p/gid_attrs/ndevs" "$_sys/ports/$_p/gids" || return 1
		echo "0.000001 Gb/sec" >"$_sys/ports/$_p/rate"
		for _n in 0 1 2 3; do
			echo other >"$_sys/ports/$_p/gid_attrs/ndevs/$_n"
			echo 0000:0000:0000:0000:0000:0000:0000:0000 >"$_sys/ports/$_p/gids/$_n"
		done
	done
	echo "100 Gb/sec (4X EDR)" >"$_sys/ports/$_used/rate"
	# In this /sys the interface has an MTU for 4096 bytes of RoCE, which the connection does not use.
	echo 9000 >"$T_TMP/root/sys/class/net/$IF/mtu"
	echo 1500 >"$T_TMP/root/sys/class/net/other/mtu"
	for _n in 0 1 2 3; do
		cat "/sys/class/infiniband/$DEV/ports/1/gids/$_n" >"$_sys/ports/$_used/gids/$_n" 2>/dev/null
		echo "$IF" >"$_sys/ports/$_used/gid_attrs/ndevs/$_n"
	done
	KRPING_ROOT=$T_TMP/root ends 1 doctor "$ADDR" port=17402 || return 1
	[ "$TYPE" = siw ] || prints "^WARN used_mtu the connection to $ADDR uses 1024 bytes, and $IF with 9000 allows 4096:" || return 1
	# With forced bounce buffers, doctor takes the largest size that a mapping supports for some tests.
	_size="(1m|[0-9]{6,7})"
	for _test in ping wlat rlat slat bw rbw sbw; do
		prints "^FAIL $_test size=$_size mem_mode=dma: .*limit 65536.*; size=$_size mem_mode=reg: .*: krping log\$" || return 1
	done
	prints '^WARN speed [0-9.]+ Gbit/s, [0-9]+ % of the link.s rate: more than 80 % are expected'
}

# case_old: check that doctor warns of a peer without private data, such as an old krping
case_old() {
	krping-peer server "$ADDR" 17420 --old --count 1 >"$T_TMP/peer" 2>&1 &
	_peer=$!
	until_ok 60 finds_old 17420
	_rc=$?
	kill $_peer 2>/dev/null
	wait $_peer
	return $_rc
}

# case_rping: the same check with the real rping, which serves any number of clients with -P
case_rping() {
	rping -s -P -a "$ADDR" -p 17421 >"$T_TMP/rping" 2>&1 &
	_rping=$!
	until_ok 60 finds_old 17421
	_rc=$?
	kill $_rping || why "rping has ended: $(cat "$T_TMP/rping")" || _rc=1
	wait $_rping
	return $_rc
}

# finds_old PORT: check that doctor warns of an old server at PORT
finds_old() {
	krping doctor "$ADDR" port="$1"
	prints "^WARN server $ADDR is an older krping or rping: start krping server there for tests other than ping\$"
}

case_no_server() {
	ends 1 doctor "$ADDR" port=1 && prints "^FAIL server no krping server listens at $ADDR port 1: start one on $ADDR: krping server --port 1"
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

case_export() {
	ends 0 doctor --help && prints 'doctor \[ADDR\] \[--port N\]' || return 1
	serve server "$ADDR" --port 17412 --export 64k && ends 0 doctor "$ADDR" --port 17412 &&
		prints "^OK server $ADDR exports memory, and a get of 1 byte has succeeded\$" &&
		prints '^WARN tests a server with --export runs no tests: .*krping server --port N' &&
		not grep -q '^FAIL' "$OUT"
	_rc=$?
	served server 0
	return $_rc
}

# case_bundle: check that the tarball of --bundle has the kernel's log, and the result of a test
case_bundle() {
	ends 0 ping "$ADDR" --port "$PORT" --count 1 && krping doctor --bundle "$T_TMP/report.tar.gz"
	_in=$T_TMP/krping-report
	tar -C "$T_TMP" -xzf "$T_TMP/report.tar.gz" || why "no archive: $(cat "$ERR")" || return 1
	grep -q krping "$_in/kernel-log.txt" || why "the log has no line of krping: $(ls "$_in")" || return 1
	cat "$_in"/result-*.txt | grep -q '^result .*errno=0' || why "there is no result: $(ls "$_in")"
}

# case_unloaded: check doctor without the module. Where modprobe finds no module, doctor advises krping load only if
# krping/ has the module, as in a checkout.
case_unloaded() {
	kr_stop
	until_ok 60 kr_unheld
	_checkout=$SCRIPTS/../krping
	mkdir "$_checkout"
	ends 0 unload && ends 1 doctor && prints '^FAIL module the module rdma_krping is not installed for the kernel ' &&
		ln -s "$KR_KO" "$_checkout/rdma_krping.ko" && ends 1 doctor && prints '^FAIL module rdma_krping is not loaded: krping load$'
	_rc=$?
	rm -r "$_checkout"
	insmod "$KR_KO"
	return $_rc
}

one_shell
PORT=17401
check "krping server starts for doctor" serve server "$ADDR" --port "$PORT"
check "doctor --bundle packs the kernel's log and the results" case_bundle
check_within 1200 "doctor ADDR runs each test in both memory modes" case_well
kr_stop
check "krping server with a limit starts for doctor" serve server "$ADDR" --port 17402 --size 64k
check_within 1200 "doctor reports each test that fails, and a throughput below 80 % of the rate of the connection's port" case_slow
kr_stop
check "doctor warns of an old krping" case_old
if command -v rping >/dev/null; then
	check "doctor warns of an rping server" case_rping
else
	skip "doctor warns of an rping server" "there is no rping: package rdmacm-utils"
fi
check "doctor reports that no server listens at the port" case_no_server
check "doctor reports a server that runs only another test" case_other_test
check "doctor recognises a server that exports memory, and reads a byte of it" case_export
check "doctor reports a missing module" case_unloaded

t_end
