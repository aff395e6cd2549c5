#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Each case of the test conform has the expected verdict on this provider. The verdict of a
#   device that keeps an invalidated key is "deviates". case= selects cases, and stop ends a run.
#   CONFORM_ROUNDS=10 runs all cases ten times.
# Requires: one guest
# Duration: 20 s, with rxe of 5.10 four minutes

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=delay.inc
. "${0%/*}/delay.inc"
# shellcheck source=../conform/verdicts.inc
. "${0%/*}/../conform/verdicts.inc"
# shellcheck source=conform.inc
. "${0%/*}/conform.inc"

port=19300

# as_expected: check the verdicts of all cases. Print how long the run took, and for how much of this
# time the CPUs of the guest were busy.
as_expected() {
	read -r _began _idle </proc/uptime
	conform "" ,mem_mode=dma && verdicts_expected && kr_ended server ok
	_as_expected_rc=$?
	read -r _ended _idled </proc/uptime
	echo "$_began $_ended $_idle $_idled $(grep -c '^processor' /proc/cpuinfo)" |
		awk '{ printf "# %.1f s; the CPUs were busy for %.1f s\n", $2 - $1, ($2 - $1) * $5 - ($4 - $3) }'
	return $_as_expected_rc
}

# reasons: check that each deviation has a reason
reasons() {
	eq "$(awk -F '\t' '!/^#/ && $2 == "deviates" && $4 == "" { print $1 }' "$EXPECTED")" "" \
		"list of deviations without a reason"
}

if [ -e "$EXPECTED" ]; then
	_round=1
	while [ $_round -le "${CONFORM_ROUNDS:-1}" ]; do
		check_within 900 "conform: run $_round has the expected verdicts" as_expected
		_round=$((_round + 1))
	done
	check "conform: each deviation of $TYPE-$series.tsv has a reason" reasons
else
	skip "conform: run 1 has the expected verdicts" "there is no $TYPE-$series.tsv"
fi

one_case() {
	conform ",case=zero_write_bad_key"
	kr_returned ok && eq "$VERDICTS" "zero_write_bad_key ok -" verdicts &&
		kr_has "conform ok=1 deviates=0 unsupported=0 failed=0" && kr_ended server ok
}
check "conform,case: one case runs alone" one_case

group_and_case() {
	conform ",case=zero_write_bad_key:post"
	kr_ended server ok && eq "$(echo "$VERDICTS" | awk '{ print $1 }' | tr '\n' ' ')" \
		"zero_write_bad_key post_too_many_sges post_bad_opcode post_chain_third_bad post_full_sq post_recv_in_reset post_send_in_reset " \
		"list of cases" && eq "$(echo "$VERDICTS" | grep post_chain)" "post_chain_third_bad ok -" verdict
}
check "conform,case: a group and a case run in the order of the list" group_and_case

check "conform,case: an unknown case is EINVAL" \
	kr_refused EINVAL "client,addr=$ADDR,conform,case=keys:nonsense" nonsense

# lists: check that the list is that of tests/conform/cases, from which documents are made
lists() {
	kr conform,list && kr_returned ok && sed -n '/^case /p' "$KR_RESULT" >"$T_TMP/list" &&
		eq "$(sed '/^#/d' "${0%/*}/../conform/cases" | diff - "$T_TMP/list")" "" "difference from tests/conform/cases"
}
check "conform,list: the result has a line for each case" lists

# Let the device return success for an invalidation without carrying it out. Then the key still gives
# access, and a WRITE changes 64 bytes at offset 4160.
case $TYPE in
siw) keeps=siw:siw_invalidate_stag ;;
*) keeps=rdma_rxe:rxe_invalidate_mr ;;
esac
keeps_key() {
	delay "$keeps usec=100000 return=0" || return 1
	conform ",case=write_after_local_inv"
	delay_end
	eq "$DELAY_HITS" 1 "number of skipped invalidations" && kr_returned EBADE &&
		kr_has "bytes=64@4160" &&
		kr_has "conform ok=0 deviates=1 unsupported=0 failed=0" &&
		kr_detail_has "1 of 1 case deviates, the first: write_after_local_inv" &&
		kr_ended server ok
}

# rxe of 5.10 has no such function, because its rxe_requester() itself invalidates keys.
if grep -q " ${keeps#*:}[[:space:]]\[${keeps%:*}\]" /proc/kallsyms; then
	check_replaced "conform: a device that keeps an invalidated key deviates" keeps_key
else
	skip "conform: a device that keeps an invalidated key deviates" "no module has ${keeps#*:}()"
fi

# lost_nak: check that a case whose NAK arrives runs once. Then let the device drop one ACK or NAK of the case, in
# each run another one, until the case has run again because its NAK was lost. Check that each verdict is the
# expected one.
naks=rdma_rxe:prepare_ack_packet
lost_nak() {
	_verdict=$(awk '$1 == "write_next_key" { print $1, $2, $3 }' "$EXPECTED")
	delay "$naks usec=100000 return=0 every=1000000" || return 1
	conform ",case=write_next_key"
	delay_end
	_nr=$DELAY_CALLS
	eq "$(grep -c ' repeats=1$' "$KR_RESULT")" 0 "number of repeats without loss" || return 1
	_least=$((_nr / 2))
	while [ "$_nr" -gt $_least ]; do
		delay "$naks usec=100000 return=0 every=$_nr" || return 1
		conform ",case=write_next_key"
		delay_end
		_repeats=$(grep -c ' repeats=1$' "$KR_RESULT")
		eq "$VERDICTS" "$_verdict" "verdict without packet $_nr" && kr_ended server ok || return 1
		[ "$_repeats" = 0 ] || return 0
		_nr=$((_nr - 1))
	done
	why "no case has run again"
}
if [ ! -e "$EXPECTED" ] || ! grep -q " ${naks#*:}[[:space:]]\[${naks%:*}\]" /proc/kallsyms; then
	skip "conform: a case whose NAK was lost runs again" "no module has ${naks#*:}()"
elif grep -q '^write_next_key	deviates	requester' "$EXPECTED"; then
	skip "conform: a case whose NAK was lost runs again" "this device sends no NAK"
else
	check_replaced "conform: a case whose NAK was lost runs again" lost_nak
fi

# The case of some faults may conform by chance. Count the connections that the client makes for it.
runs_again() {
	delay "rdma_krping:conform_connect usec=1 every=1000000" || return 1
	conform ",case=$1"
	delay_end
	kr_ended server ok && eq "$VERDICTS" "$1 ok -" verdicts && eq "$DELAY_CALLS" "$2" "number of connections"
}
check "conform: a case that conforms runs once" runs_again order_sends 1
case_timed=order_read_write_read
if [ -e "$EXPECTED" ] && grep -q "^$case_timed	ok" "$EXPECTED"; then
	check "conform: a case that may conform by chance runs five times" runs_again $case_timed 5
else
	skip "conform: a case that may conform by chance runs five times" "the case deviates on this device"
fi

# A case proves nothing if its legal operation, the positive control, fails.
no_control() {
	delay "rdma_krping:conform_side_reg usec=100000 return=0" || return 1
	conform ",case=write_after_local_inv"
	delay_end
	kr_returned EIO && kr_has "verdict=failed" &&
		kr_has "control=failed" && kr_ended server ok
}
check_replaced "conform: a case without its positive control has failed" no_control

# running: start a server, and a client that runs all cases, and wait until the client has run two
running() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT" &&
		kr_bg client "client,addr=$ADDR,port=$port,$PATIENT,conform" && until_ok 60 kr_runs client 2
}

# When the client of a run is stopped, the server ends without an error.
stopped() {
	running && kr_result client && kr "stop,id=$(kr_get id)" &&
		kr_ended client ECANCELED && kr_ended server ok && kr_clean
}
check "conform: a stop ends the run and frees everything" stopped

server_stopped() {
	running && kr_result server && kr "stop,id=$(kr_get id)" &&
		kr_ended server ECANCELED && kr_ended client ECONNRESET
}
check "conform: a run ends when its server is stopped" server_stopped

interrupted() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT" || return 1
	# With signal=15:1000000, kwrite handles SIGTERM. Its own timer would send SIGTERM only after 1000 s.
	kr_spawn client signal=15:1000000 "write=client,addr=$ADDR,port=$port,$PATIENT,conform" read
	_client=$!
	until_ok 60 kr_runs server 2 || return 1
	kill -TERM $_client
	kr_ended client EINTR && kr_ended server ok && kr_clean
}
check "conform: a signal to the writer ends the run and frees everything" interrupted

# removed_from NAME ERRNO: check that the test NAME has ended with ENODEV or, because its peer has
# disconnected first, with ERRNO
removed_from() {
	kr_ended "$1" ENODEV || kr_returned "$2"
}

# A server ends without an error when its client disconnects.
removed() {
	running || return 1
	rdma link delete "$DEV"
	removed_from client ECONNRESET && removed_from server ok
	_removed_rc=$?
	device_again && kr_clean && return $_removed_rc
}
check "conform: the removal of the device ends the run and frees everything" removed

t_end
