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

port=19300
# conform ""|,OPTIONS: run cases against a new server, and set VERDICTS to a line for each case. The
# line has the name, the verdict, and what differs from the expected outcome ("-": nothing).
conform() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT" || return 1
	conform_client "addr=$ADDR,port=$port$1"
}

# as_expected: check the verdicts of all cases. Print how long the run took, and for how much of this
# time the CPUs of the guest were busy.
as_expected() {
	read -r _began _idle </proc/uptime
	conform "" && verdicts_expected && kr_ended server ok
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

# case_has REGEX: check that the line of a case in the result contains REGEX
case_has() {
	grep -Eq "^case .*$1" "$KR_RESULT" || why "no line of a case contains $1"
}

# The times are microseconds, so no completion has the time 0.
TIME='[1-9][0-9]*'
wcs_timed() {
	# siw does not support the case, and rxe of 5.10 sends no NAK, so its WRs do not complete
	if [ "$TYPE" != siw ] && ! grep -qs '^flush_later_wrs	deviates	' "$EXPECTED"; then
		conform ",case=flush_later_wrs"
		case_has " requester_wcs=\"0 $TIME 10 - - 0x0; 1 $TIME 5 - - 0x0; 2 $TIME 5 - - 0x0\" responder_wcs=\"none\" " &&
			kr_ended server ok || return 1
	fi
	conform ",case=send_shorter"
	case_has " requester_wcs=\"0 $TIME 0 0 [0-9]* 0x0\" responder_wcs=\"r0 $TIME 0 128 64 0x0\" events=" &&
		kr_ended server ok
}
check "conform: the result has time, opcode, length and WR of each completion" wcs_timed

# Let the server reject the step that reads the trace, as a server does that has no traces.
older_server() {
	delay "rdma_krping:conform_trace_exists usec=100000 return=0" || return 1
	conform ",case=send_4096"
	delay_end
	eq "$DELAY_HITS" 1 "number of rejected steps" && kr_returned ok &&
		case_has " requester_wcs=\"0 $TIME 0 0 [0-9]* 0x0\" responder_wcs=\"unknown\" events=" &&
		eq "$VERDICTS" "send_4096 ok -" verdict && kr_ended server ok
}

# older_steps: let the server get an unknown step instead of each step that older servers do not have, and check that
# only the cases that need the step are unsupported
older_steps() {
	for _case in 15:poll_sends 16:srq_below_limit; do
		insmod /lib/modules/extra/krping_ask.ko "step=${_case%:*}" ask=99,0,0,0,0,0,0 ||
			why "krping_ask.ko cannot be loaded" || return 1
		conform ",case=send_4096:${_case#*:}"
		_asked=$(cat /sys/module/krping_ask/parameters/asked)
		rmmod krping_ask
		eq "$_asked" 1 "number of replaced requests" && kr_returned ok &&
			eq "$(echo "$VERDICTS" | tr '\n' ' ')" "send_4096 ok - ${_case#*:} unsupported - " verdicts &&
			kr_ended server ok || return 1
	done
}
check "conform: with an older server the cases that need a newer step are unsupported" older_steps

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
# check_replaced DESC COMMAND: do a check whose COMMAND lets krping_delay replace a function, which
# krping_delay can do on x86-64 only
check_replaced() {
	if [ "$(uname -m)" = x86_64 ]; then
		check "$@"
	else
		skip "$1" "krping_delay replaces functions on x86-64 only"
	fi
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
	_nr=$(sed -n 's/^total .* calls=\([0-9]*\) .*/\1/p' $DELAY/hits)
	delay_end
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

check_replaced "conform: a server without traces has the same verdicts" older_server

# device_events: raise events of the device while a case runs, which delays prolong to half a second. Check that
# both sides have recorded an event of the device, and that the verdict has not changed.
device_events() {
	delay "rdma_krping:conform_message_ask,rdma_krping:conform_message_answer,rdma_krping:conform_side_record usec=100000" || return 1
	port=$((port + 1))
	if ! kr_bg server "server,addr=$ADDR,port=$port,$PATIENT" ||
		! kr_bg client "client,addr=$ADDR,port=$port,$PATIENT,conform,case=send_4096"; then
		delay_end
		return 1
	fi
	while kr_result client && [ "$(kr_get status)" = running ]; do
		if [ "$TYPE" = siw ]; then
			ip link set "$IF" address "$(cat "/sys/class/net/$IF/address")"
		else
			ip addr add 10.9.9.9/32 dev "$IF" && ip addr del 10.9.9.9/32 dev "$IF"
		fi
	done
	kr_wait client 60
	delay_end
	kr_result client && case_has " events=\"[^\"]*requester device $TIME [^\"]*responder device $TIME " &&
		kr_has "ok=1 deviates=0 unsupported=0 failed=0" && kr_ended server ok
}
check "conform: both sides record the events of the device" device_events

# A case proves nothing if its legal operation, the positive control, fails.
no_control() {
	delay "rdma_krping:conform_side_reg usec=100000 return=0" || return 1
	conform ",case=write_after_local_inv"
	delay_end
	kr_returned EIO && kr_has "verdict=failed" &&
		kr_has "control=failed" && kr_ended server ok
}
check_replaced "conform: a case without its positive control has failed" no_control

# Let a client of conform replace each request that registers a memory region by one that has to fail:
# a step that does not exist, or a memory region, right, place, length or state that the client may not
# choose. Steps: 2 register, 3 invalidate, 4 free, 5 RECV, 9 state, 10 register again, 11 rights,
# 16 limit of the SRQ.
HOSTILE='99:0:0:0:0:0 2:4:0:0:64:0 2:0:16:0:64:0 2:0:0:65536000:64:0 2:0:0:64:4294967295:0
2:0:0:0:64:2 3:4:0:0:0:0 4:4:0:0:0:0 5:65536000:64:0:0:0 5:0:0:0:0:0 5:64:4294967295:0:0:0 5:0:64:5:0:0
5:0:64:4:0:0 9:3:0:0:0:0 10:4:1:0:0:0 10:0:0:0:0:0 10:0:257:0:0:0 11:16:0:0:0:0 16:2:0:0:0:0'
hostile_asks() {
	_nr=$(echo "$HOSTILE" | wc -w)
	insmod /lib/modules/extra/krping_ask.ko \
		"ask=$(for _ask in $HOSTILE; do echo "$_ask:0"; done | tr ':\n' ',,' | sed 's/,$//')" ||
		why "krping_ask.ko cannot be loaded" || return 1
	conform ",case=keys:bounds:write_without_right:read_without_right:zero_write_bad_key"
	_asked=$(cat /sys/module/krping_ask/parameters/asked)
	rmmod krping_ask
	eq "$_asked" "$_nr" "number of replaced requests" && kr_returned EIO &&
		eq "$(grep '^case ' "$KR_RESULT" | sed 's/.* \(error=.*\)/\1/' | uniq -c | tr -s ' \n' ' ')" \
			" 1 error=95 control=failed $((_nr - 1)) error=22 control=failed " "errors of the cases" &&
		kr_ended server ok && kr_clean
}
check "conform: a server refuses the requests of a hostile client" hostile_asks

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
