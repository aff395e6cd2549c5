#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping server prints a line for a client that connects or leaves, and only the number of
#   clients if there are many. It prints nothing about the clients of another server. The result of
#   the server names the tests that the server has served.
# Requires: no guest; mawk, gawk, busybox
# Duration: 3 s

set -u
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=shells.inc
. tests/host/shells.inc

lib=scripts/krping.d

# visit SECONDS RESULT LINE...: at the time SECONDS, print which clients of the server with ID 9 have come or
# gone since the last call. RESULT is a part of the server's result line, and each LINE describes a running
# test.
visit() {
	at=$1
	echo "result id=9 $2" >"$tmp/result"
	shift 2
	printf '%s\n' "$@" | awk -v clock="$at" -v server=9 -v seen="$tmp/seen" -v result="$tmp/result" \
		-f "$lib/value.awk" -f "$lib/visitors.awk"
}

own="id=9 test=ping role=server state=listening iterations=0 seconds=9"

# client ID TEST SECONDS [SERVER]: print a line of list for a client of SERVER (default 9)
client() {
	echo "id=$1 test=$2 role=server device=rxe0 state=running server=${4-9} remote=10.0.0.2:$1 iterations=7 seconds=$3"
}

# visitors: check the lines about a client that stays, and about clients that come and go between two calls.
# Test 12 is a client of another server.
visitors() {
	: >"$tmp/seen"
	mine=$(client 13 wlat 3)
	{
		visit 1 status=running "$own"
		visit 2 status=running "$own" "$(client 12 bw 3 8)" "$mine"
		visit 3 status=running "$own" "$mine"
		visit 4 "clients=3 failed=0" "$own" "$(client 12 bw 5 8)"
		visit 5 "clients=3 failed=0" "$own"
		visit 6.50 "clients=4 failed=0" "$own"
		visit 13.99 "clients=8 failed=1" "$own"
		visit 14.00 "clients=8 failed=1" "$own"
		visit 26 "clients=9 failed=2" "$own"
		visit 999 "clients=9 failed=3" "$own"
	} >"$tmp/out"
	cat >"$tmp/want" <<-'END'
		krping: client 10.0.0.2:13, wlat on rxe0: connected, test 13
		krping: 2 more clients have come and gone
		krping: client 10.0.0.2:13, wlat on rxe0: gone after about 5 s
		krping: 5 more clients have come and gone
		krping: 1 more client has come and gone
	END
	diff -u "$tmp/want" "$tmp/out"
}

# series: let 12 clients come, one every 2 s. The last of them stays for 12 s, and then another client comes.
series() {
	: >"$tmp/seen"
	{
		for i in $(seq 1 12); do
			visit $((i * 2)) "clients=$((i - 1)) failed=0" "$(client $((i + 10)) bw 1)"
		done
		visit 25.5 "clients=11 failed=0" "$(client 22 bw 2)"
		visit 26 "clients=11 failed=0" "$(client 22 bw 3)"
		visit 35 "clients=12 failed=0"
		visit 35.5 "clients=12 failed=0" "$(client 50 wlat 1)"
	} >"$tmp/out"
	cat >"$tmp/want" <<-'END'
		krping: client 10.0.0.2:11, bw on rxe0: connected, test 11
		krping: client 10.0.0.2:12, bw on rxe0: connected, test 12
		krping: client 10.0.0.2:11, bw on rxe0: gone after about 3 s
		krping: client 10.0.0.2:13, bw on rxe0: connected, test 13
		krping: client 10.0.0.2:12, bw on rxe0: gone after about 3 s
		krping: client 10.0.0.2:13, bw on rxe0: gone after about 3 s
		krping: 1 more client has come and gone
		krping: 5 more clients have come and gone
		krping: client 10.0.0.2:22, bw on rxe0: connected, test 22
		krping: 2 more clients have come and gone
		krping: client 10.0.0.2:22, bw on rxe0: gone after about 12 s
		krping: client 10.0.0.2:50, wlat on rxe0: connected, test 50
	END
	diff -u "$tmp/want" "$tmp/out" && eq "$(sed -n 's/^tests //p' "$tmp/seen")" "bw wlat" "tests that were seen"
}

# single: check a server with the option clients=1. Its own test, which has listened, serves the client.
single() {
	: >"$tmp/seen"
	visit 1 status=running "id=9 test=bw role=server device=rxe0 state=running remote=10.0.0.2:7 seconds=0" >"$tmp/out"
	eq "$(cat "$tmp/out")" "krping: client 10.0.0.2:7, bw on rxe0: connected, test 9"
}

# connections: check clients that have several connections: a disk has two, of which one ends first, and a test
# has eight. krping prints the first clients of a series one by one; a client with several connections counts
# as one of them. Of a client that comes and goes between two calls, krping prints only the number.
connections() {
	: >"$tmp/seen"
	eight=$(for i in 30 31 32 33 34 35 36 37; do client "$i" bw 1; done)
	{
		visit 1 status=running "$(client 20 session 0)" "$(client 21 session 0)"
		visit 2 status=running "$(client 20 session 1)" "$(client 21 session 1)" "$(client 22 session 1 8)"
		visit 3 status=running "$(client 21 session 2)"
		visit 4 "clients=1 failed=0" "$own"
		visit 5 "clients=2 failed=0" "$own"
		visit 6 "clients=2 failed=0" "$eight"
		visit 7 "clients=3 failed=0" "$(client 40 wlat 0)"
	} >"$tmp/out"
	cat >"$tmp/want" <<-'END'
		krping: client 10.0.0.2, a single operation, session or disk on rxe0: connected, 2 connections, tests 20, 21
		krping: client 10.0.0.2:21, a single operation, session or disk on rxe0: gone after about 3 s
		krping: 1 more client has come and gone
		krping: client 10.0.0.2, bw on rxe0: connected, 8 connections, tests 30, 31, 32, 33, 34, 35, 36, 37
		krping: client 10.0.0.2:40, wlat on rxe0: connected, test 40
		krping: client 10.0.0.2, bw on rxe0: 8 connections gone after about 2 s
	END
	diff -u "$tmp/want" "$tmp/out"
}

# results: check the printed results of servers. A server that serves every test has the test ping and a size in
# its result line, and krping must print neither.
results() {
	cat >"$tmp/result" <<-'END'
		result id=9 test=ping role=server status=stopped errno=125 iterations=70 size=64 mem_mode=reg clients=3 failed=1
		error wc_status="" detail="stopped by the command stop"
		result id=9 test=wlat role=server status=stopped errno=125 iterations=0 size=64 mem_mode=reg
		result id=9 test=session role=server status=ok errno=0 iterations=1 size=4096 mem_mode=reg clients=1 failed=0
		result id=9 test=session role=server device=rxe0 status=ok errno=0 iterations=1 size=8 mem_mode=reg local=::1 remote=::2:7
		result id=9 test=slat role=server device=rxe0 status=ok errno=0 iterations=1 size=8 mem_mode=reg local=::1 remote=::2:7
		result id=9 test=bw role=server device=rxe0 status=ok errno=0 iterations=0 size=8 mem_mode=reg local=::1 remote=::2:7
	END
	cat >"$tmp/want" <<-'END'
		server
		3 connections of clients, 1 ended early or failed (krping log); tests that were seen: bw, wlat
		70 iterations on this side with all clients (warm-up included; only the client counts those of rlat, bw, rbw and fr)
		stopped

		server of wlat
		0 connections of clients; tests that were seen: bw, wlat
		0 iterations on this side with all clients (warm-up included; only the client counts those of rlat, bw, rbw and fr)
		stopped

		server of memory, 4096 bytes
		1 connection of clients; each ran a single operation, a session or a disk
		1 message of clients received

		server of memory, 8 bytes, mem_mode=reg
		rxe0, ::1 to ::2:7
		1 message of clients received

		slat, server, 8 bytes, mem_mode=reg
		rxe0, ::1 to ::2:7
		1 iteration on this side (warm-up included)

		bw, server, 8 bytes, mem_mode=reg
		rxe0, ::1 to ::2:7
		0 iterations on this side: only the client posts operations
	END
	awk -v brief=yes -v seen="bw, wlat" -v errnos="$lib/errnos" -f "$lib/errno.awk" -f "$lib/digits.awk" -f "$lib/results.awk" \
		-f "$lib/format.awk" "$tmp/result" |
		diff -u "$tmp/want" -
}

# advice ERRNO DETAIL [OPTIONS]: print the next step that krping advises after this error of a test with OPTIONS
advice() {
	# shellcheck disable=SC2016 # for the other shell
	$shell -c 'addr=${addr-} lib=scripts/krping.d cmd=wlat again="krping wlat" errno=$1 options=$3
		. $lib/common.sh; . $lib/proc.sh; advise "$2"; echo "$next"' sh "$1" "$2" "${3-}"
}

# brief_timeout: check the next step after a time limit. timeout=5 has milliseconds, which a user may take for seconds.
brief_timeout() {
	eq "$(advice 110 x size=4,timeout=5,count=3)" "--timeout 5 is in milliseconds; for seconds: --timeout 5s" "step after 5 ms" &&
		eq "$(advice 110 x timeout=5000)" "krping doctor ADDR" "step after 5000 ms" &&
		eq "$(advice 110 x timeout=5s,wait=3)" "krping doctor ADDR" "step after 5 s"
}

# loopback: check the next step after a loopback address, with which users of other programs begin
loopback() {
	eq "$(addr=127.0.0.1 advice 19 "cannot resolve the route")" \
		"no RDMA device has a loopback address; krping softrdma list shows those of devices" "step of 127.0.0.1" &&
		eq "$(advice 19 x)" "krping doctor; without RDMA hardware: krping softrdma up rxe --netdev INTERFACE" "step without an address"
}

# interface: check that the next step for an address without an RDMA device names its interface, of this machine or
# on the way
interface() {
	mkdir -p "$tmp/ip"
	cat >"$tmp/ip/ip" <<-'END'
		#!/bin/sh
		case $* in
		"-o addr show to 192.0.2.1") echo "2: eth7    inet 192.0.2.1/24 scope global eth7" ;;
		"neigh show to 192.0.2.9") echo "192.0.2.9 dev eth8 FAILED" ;;
		"neigh show to 192.0.2.8") echo "192.0.2.8 dev eth8 lladdr 02:00:00:00:00:08 REACHABLE" ;;
		"route get 192.0.2.9") echo "192.0.2.9 dev eth8 src 192.0.2.7 uid 0" ;;
		"route get 192.0.2.2") echo "192.0.2.2 via 198.51.100.1 dev eth8 src 198.51.100.7 uid 0" ;;
		esac
	END
	chmod +x "$tmp/ip/ip"
	for pair in 192.0.2.1=eth7 192.0.2.2=eth8; do
		eq "$(PATH=$tmp/ip:$PATH addr=${pair%=*} advice 19 x)" \
			"krping doctor ${pair%=*}; without RDMA hardware: krping softrdma up rxe --netdev ${pair#*=}" "step of ${pair%=*}" || return 1
	done
}

# no_answer: check that the next step after the limit of address resolution tells whether a host answers for the address.
# The program ip is that of interface().
no_answer() {
	late="address resolution took longer than timeout=5000 ms"
	eq "$(PATH=$tmp/ip:$PATH addr=192.0.2.9 advice 110 "$late")" \
		"no host answers for 192.0.2.9 on eth8: check the address, and whether the host is up" "step without an answer" &&
		eq "$(PATH=$tmp/ip:$PATH addr=192.0.2.8 advice 110 "$late")" "krping doctor 192.0.2.8" "step of a host that answers"
}

# outside: check the next steps after an operation that the exported memory or the device does not allow
outside() {
	eq "$(advice 22 "2 bytes at offset=4095 exceed the region, which has 4096 bytes")" \
		"choose --offset N and a length so that their sum is at most 4096 bytes" "step after an offset" &&
		eq "$(advice 22 "the region is read-only")" "start the server without --ro" "step after a WRITE" &&
		eq "$(advice 22 "inline: the device does not support 4096 bytes of inline data: invalid (EINVAL)")" \
			"a smaller --size, or no --inline; the largest size depends on the device" \
			"step after inline data" &&
		eq "$(advice 22 "count=x: not a number")" "krping wlat --help" "step after another option"
}

# advised: check that each next step has options in the form of the command (--port N), and none in the form of
# the module (port=N)
advised() {
	advice 98 "cannot bind" >"$tmp/next"
	grep -qF -- "--port N" "$tmp/next" || why "$(cat "$tmp/next")" || return 1
	for reason in "the server runs another test: session" "the server runs another test: bw" "exports no memory; give it export=SIZE"; do
		advice 111 "$reason" >>"$tmp/next"
	done
	sed -n 's/^\([0-9]*\) .*/\1/p' "$lib/errnos" >"$tmp/errnos"
	while read -r n; do
		advice "$n" "" >>"$tmp/next"
	done <"$tmp/errnos"
	! grep -E '(^|[ ,])[a-z_]+=[A-Z0-9]' "$tmp/next" || return 1
	eq "$(grep -c -- '--port N' "$tmp/next")" 5 "advice with --port"
}

# reason_of ERRNO DETAIL [OPTIONS]: print the reason of this error, as the user reads it
reason_of() {
	# shellcheck disable=SC2016 # for the other shell
	$shell -c 'addr=${addr-} lib=scripts/krping.d cmd=server again="krping server" errno=$1 options=$3
		. $lib/common.sh; . $lib/proc.sh; advise "$2"; echo "$_detail"' sh "$1" "$2" "${3-}"
}

# no_memory: check the reason and the next step after a put to a server without --export
no_memory() {
	eq "$(addr=192.0.2.1 reason_of 111 "the server exports no memory; give it export=SIZE" offset=0,port=17390)" \
		"the server at 192.0.2.1 port 17390 exports no memory" reason &&
		eq "$(addr=192.0.2.1 advice 111 "the server exports no memory; give it export=SIZE" offset=0,port=17390)" \
			"start it with krping server --export SIZE --port 17390, or start a second one there: krping server --export SIZE --port N, and give --port N here" step
}

# port OPTIONS: print the port that krping reads from OPTIONS
port() {
	# shellcheck disable=SC2016 # for the other shell
	$shell -c 'lib=scripts/krping.d; . $lib/common.sh; . $lib/proc.sh; port_of "$1"' sh "$1"
}

# ports: check that krping reads the option port, or else the default, and not the end of the word export
ports() {
	eq "$(port count=3,port=10000,export=16m) $(port export=16m) $(port port=7)" "10000 9999 7" ports
}

# background: check that a server in the background of a terminal, or one with --quiet, advises krping stop and not ^C
# shellcheck disable=SC2086 # a shell may be two words
background() {
	cat >"$tmp/ends" <<-'END'
		set -m
		lib=scripts/krping.d cmd=server quiet=
		. $lib/common.sh
		. $lib/server.sh
		ended_by 7
		{ ended_by 8; } &
		wait
		quiet=yes
		ended_by 9
	END
	script -qec "$shell $tmp/ends" /dev/null </dev/null >"$tmp/out"
	eq "$(tr -d '\r' <"$tmp/out" | grep 'ends it$')" "^C or krping stop 7 ends it
krping stop 8 ends it
krping stop 9 ends it" "ends of the servers"
}

# each_check: make all checks under the shell and the awk that $under names
each_check() {
	check "a server reports clients that come and go, and the number of brief ones every 10 s: $under" visitors
	check "a server reports the number of clients of a series every 10 s, and those that stay: $under" series
	check "a server for one client reports this client: $under" single
	check "a server reports the connections of a disk in one line: $under" connections
	check "the result of a server names the tests that it has served, not the default ping: $under" results
	check "the option export=16m is no port: $under" ports
	check "each next step has options in the form of the command: $under" advised
	check "the next step after an offset outside the exported memory has the limit: $under" outside
	check "after a loopback address, the next step explains it: $under" loopback
	check "an address without an RDMA device: the next step names its interface: $under" interface
	check "an address that no host has: the next step says so: $under" no_answer
	check "after a put to a server that exports no memory, the next step has --export: $under" no_memory
	check "a server in the background advises krping stop and not ^C: $under" background
	check "after a brief timeout without a unit, the next step names the unit: $under" brief_timeout
}

PATH=$tmp/awk:$PATH
each_shell each_check

t_end
