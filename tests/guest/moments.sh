#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Signals, stop, removal of the device and rmmod hit tests at random moments.
#   The errno may vary, but each test must end and leave nothing behind.
# Requires: one guest
# Duration: 15 s
#
#   FAULT_ROUNDS   rounds of each disturbance (default 4)
#   FAULT_SEED     seed of the random moments

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

FAULT_ROUNDS=${FAULT_ROUNDS:-4}
diag "FAULT_ROUNDS=$FAULT_ROUNDS FAULT_SEED=$FAULT_SEED"
port=24000

# one_of WORD...: set PICK to a random WORD
one_of() {
	t_random $#
	shift $T_RANDOM
	PICK=$1
}

# choose_test: set TEST_OPTS to a random test and its options
choose_test() {
	one_of mem_mode=dma mem_mode=reg server_inv,size=5000 poll wlat,mem_mode=reg \
		rlat slat bw,mem_mode=reg rbw sbw fr
	TEST_OPTS=$PICK
	t_random 2
	[ $T_RANDOM = 0 ] || [ "$TEST_OPTS" = fr ] || TEST_OPTS=$TEST_OPTS,validate
}

# rounds COMMAND...: run COMMAND in FAULT_ROUNDS rounds, each with another port
rounds() {
	round=0
	while [ $round -lt "$FAULT_ROUNDS" ]; do
		round=$((round + 1))
		port=$((port + 1))
		"$@" || return 1
	done
}

# all_ended ERRNO|ok...: stop all tests, and check that each test of the rounds has ended with one of
# these errnos
all_ended() {
	kr_stop
	# shellcheck disable=SC2086 # process ids
	wait $pids 2>/dev/null
	kr_all_ended "$names" "$@"
	_ret=$?
	kr_seen
	return $_ret
}

# begin: forget the tests and processes of earlier rounds
begin() {
	names='' pids=''
}

# writer NAME STEP...: run kwrite, which writes commands, with these steps in a background process, $!
writer() {
	_name=$1
	shift
	kr_spawn "$_name" "$@"
	pids="$pids $!"
	names="$names $_name"
}

# server_cmd, client_cmd: print the step of kwrite that starts this side of the round's pair
server_cmd() {
	echo "write=server,addr=$ADDR,port=$port"
}

client_cmd() {
	echo "write=client,addr=$ADDR,port=$port,duration=1,$TEST_OPTS"
}

# pair_begins: start a server in the background, and a client whose writer is a background process
pair_begins() {
	choose_test
	kr_bg "s$round" "server,addr=$ADDR,port=$port" || return 1
	names="$names s$round"
	writer "c$round" "$(client_cmd)" read
}

#
# Signals interrupt or kill a writer before its test begins, or while the test connects, runs or ends.
# After a signal before the write there is no test.
#

signalled() {
	choose_test
	one_of 2 15 9
	sig=$PICK
	t_random 300
	ms=$T_RANDOM
	one_of client server
	case $PICK,$sig in
	client,9)
		writer "s$round" "$(server_cmd)" read
		kr_spawn killed "signal=9:$ms" "$(client_cmd)" read
		;;
	client,*)
		writer "s$round" "$(server_cmd)" read
		writer "c$round" "signal=$sig:$ms" "$(client_cmd)" read
		;;
	server,9)
		kr_spawn killed "signal=9:$ms" "$(server_cmd)" read
		writer "c$round" "$(client_cmd)" read
		;;
	server,*)
		writer "s$round" "signal=$sig:$ms" "$(server_cmd)" read
		writer "c$round" "$(client_cmd)" read
		;;
	esac
	wait $! 2>/dev/null || :
}
begin
check "signals at random moments: each round runs" rounds signalled
check "signals at random moments: each test ends" all_ended \
	ok EINTR ECANCELED ECONNRESET ECONNREFUSED ETIMEDOUT
check "signals at random moments: no test or object is left" kr_clean

#
# Stops, three at a time
#

stopped() {
	pair_begins || return 1
	_stops=
	for _s in 1 2 3; do
		t_random 300
		kr_spawn "stop$round.$_s" sleep=$T_RANDOM write=stop read
		_stops="$_stops $!"
		pids="$pids $!"
		stops="$stops stop$round.$_s"
	done
	# Wait for the stops, because a late stop would end a test of the next round.
	# shellcheck disable=SC2086 # process ids
	wait $_stops
}
begin
stops=
check "stops at random moments: each round runs" rounds stopped
check "stops at random moments: each returns ok or ESRCH" kr_all_ended "$stops" ok ESRCH
check "stops at random moments: each test ends" all_ended ok ECANCELED ECONNRESET ECONNREFUSED
check "stops at random moments: no test or object is left" kr_clean

#
# Kill processes that read the result of a server in the background.
#

reader_killed() {
	pair_begins || return 1
	kr_spawn reader "write=server,addr=$ADDR,port=$((port + 500)),background" \
		"run=: >$T_TMP/reads.$round" poll=60000 read
	_reader=$!
	until_ok 60 test -e "$T_TMP/reads.$round" || return 1
	"$KWRITE" "sleep=$round"
	kill -KILL $_reader
	wait $_reader 2>/dev/null || :
}
begin
check "killed readers: each round runs" rounds reader_killed
still_listen() {
	eq "$(grep -c ' listen$' $KR)" "$FAULT_ROUNDS" "number of listeners"
}
check "killed readers: their tests continue" until_ok 60 still_listen
check "killed readers: each test ends" all_ended ok ECANCELED ECONNRESET
check "killed readers: no test or object is left" kr_clean

#
# rmmod
#

module_loaded() {
	[ -d /sys/module/rdma_krping ]
}

unloaded() {
	pair_begins || return 1
	t_random 3000
	"$KWRITE" sleep=$T_RANDOM
	if rmmod rdma_krping 2>/dev/null; then
		went=$((went + 1))
		insmod "$KR_KO" || return 1
	fi
	module_loaded
}
begin
went=0
check "rmmod at random moments: each round runs" rounds unloaded
diag "rmmod succeeded in $went of $FAULT_ROUNDS rounds"
check "rmmod at random moments: each test ends" all_ended ok ECANCELED ECONNRESET ENOENT
check "rmmod at random moments: no test or object is left" kr_clean

#
# Removal of the device
#

device_goes() {
	choose_test
	writer "s$round" "$(server_cmd)" read
	writer "c$round" "$(client_cmd)" read
	t_random 400
	"$KWRITE" sleep=$T_RANDOM
	# In some rounds, stop runs beside the removal.
	if [ $((T_RANDOM % 2)) != 0 ]; then
		kr_spawn "stop$round" write=stop
		pids="$pids $!"
	fi
	rdma link delete "$DEV" || return 1
	until_ok 60 kr_none || return 1
	device_again
}
begin
check "removal of the device at random moments: each round runs" rounds device_goes
check "removal of the device at random moments: each test ends" all_ended ok ENODEV ECANCELED ECONNRESET ECONNREFUSED ETIMEDOUT EADDRNOTAVAIL
check "removal of the device at random moments: no test or object is left" kr_clean

check "a pair runs after signals, stops, rmmod and a removed device" pair "" count=3,validate
t_end
