#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Tests and commands free all their memory.
# Requires: one guest with any device
# Duration: 25 s on rxe, 29 s on siw
#
# Criterion: after 100 tests, no slab cache of krping's objects has more active objects than
# before. A leak of one object per test or per command would add at least 100.
#
# Tolerance: 80 more. If a CPU keeps a slab, SLUB counts all its objects as active (64 in
# kmalloc-64), even after a shrink. The device and the connection manager free some objects
# seconds later, so a check waits up to 8 s for a cache to shrink.

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

# The lab device behind an IOMMU
! grep -q intel_iommu=on /proc/cmdline ||
	skip_all "the IOMMU keeps up to 128 freed addresses of each size for each CPU, more than a leak would add"

# Number of clients in a round. Each client has at least a thread, a connection and a test.
LEAK_PAIRS=${LEAK_PAIRS:-100}
LEAK_COMMANDS=${LEAK_COMMANDS:-200}
LEAK_BOUND=$((LEAK_PAIRS * 4 / 5))
port=27000

# slabs: print lines "CACHE ACTIVE_OBJECTS" for kmalloc's caches and task_struct
slabs() {
	for _f in /sys/kernel/slab/kmalloc-*/shrink /sys/kernel/slab/task_struct/shrink; do
		[ ! -e "$_f" ] || echo 1 >"$_f"
	done
	awk '$1 ~ /^(kmalloc|task_struct)/ { print $1, $2 }' /proc/slabinfo
}

# no_more FILE: check that no cache has grown by more than LEAK_BOUND since slabs wrote FILE
no_more() {
	slabs >"$T_TMP/after"
	awk -v bound=$LEAK_BOUND '
		NR == FNR { before[$1] = $2; next }
		{
			more = $2 - before[$1]
			if (more > bound)
				printf "%s: %d more active objects. ", $1, more
		}' "$1" "$T_TMP/after" >"$T_TMP/more"
	eq "$(cat "$T_TMP/more")" '' "caches that have grown"
}

# steady COMMAND...: run COMMAND, with the number of clients as its last argument, in up to three rounds,
# and check that there is a round in which no cache grows. Caches may fill in the first rounds. A leak
# lets a cache grow in each round.
steady() {
	"$@" $((LEAK_PAIRS / 5)) && until_ok 60 kr_clean || return 1
	for _round in 1 2 3; do
		slabs >"$T_TMP/before"
		"$@" "$LEAK_PAIRS" && until_ok 60 kr_clean || return 1
		! until_ok 8 no_more "$T_TMP/before" || return 0
		diag "round $_round: $T_WHY"
	done
	return 1
}

# pairs OPTIONS N: run a server of N clients, and its clients
pairs() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT,clients=$2" || return 1
	_n=0
	while [ $_n -lt "$2" ]; do
		_n=$((_n + 10))
		_client="write=client,addr=$ADDR,port=$port,$PATIENT,count=2$1"
		"$KWRITE" "$_client" close "$_client" close "$_client" close "$_client" close \
			"$_client" close "$_client" close "$_client" close "$_client" close \
			"$_client" close "$_client" >"$T_TMP/clients" || return 1
		eq "$(grep -c 'errno=0$' "$T_TMP/clients")" 10 "number of clients that ended in order" ||
			return 1
	done
	kr_ended server ok
}
check_within 900 "ping: $LEAK_PAIRS clients and their server leave no memory" steady pairs ''
check_within 900 "slat: $LEAK_PAIRS clients and their server leave no memory" steady pairs ,slat,histogram

# A put of 3000 bytes allocates from a cache that hardly anything else uses.
data=$(printf '%3000s' '' | tr ' ' x)

# puts N: run a server that exports memory, and N clients of it with the command put
puts() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT,clients=$1,export=4k" || return 1
	_client="write=client,addr=$ADDR,port=$port,$PATIENT,put,data=$data"
	_n=0
	while [ $_n -lt "$1" ]; do
		_n=$((_n + 5))
		"$KWRITE" "$_client" close "$_client" close "$_client" close "$_client" close \
			"$_client" >"$T_TMP/clients" || return 1
		eq "$(grep -c 'errno=0$' "$T_TMP/clients")" 5 "number of clients that ended in order" ||
			return 1
	done
	kr_ended server ok
}
check_within 900 "put: $LEAK_PAIRS clients and their server leave no memory" steady puts

# commands: write LEAK_COMMANDS commands to a descriptor; each command frees the test of the previous
# command
commands() {
	set --
	_n=0
	while [ $_n -lt "$LEAK_COMMANDS" ]; do
		_n=$((_n + 1))
		set -- "$@" "write=client,addr=$ADDR,port=1,count=1"
	done
	"$KWRITE" "$@" >"$T_TMP/commands"
	eq "$(grep -c 'errno=ECONNREFUSED$' "$T_TMP/commands")" "$LEAK_COMMANDS" "number of commands"
}
check_within 900 "$LEAK_COMMANDS commands on one descriptor leave no memory" steady commands
t_end
