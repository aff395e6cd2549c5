#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Client and server of the test conform exchange what the result needs: time, opcode, length
#   and WR of each completion, and the events of the device (the trace). A server that is older or has no
#   traces works, and a server refuses the requests of a hostile client.
# Requires: one guest
# Duration: 6 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=delay.inc
. "${0%/*}/delay.inc"
# shellcheck source=../conform/verdicts.inc
. "${0%/*}/../conform/verdicts.inc"
# shellcheck source=conform.inc
. "${0%/*}/conform.inc"

port=19400

# The client of conform sends the server requests. Each has the number of a step (enum krping_conform_step of
# krping/wire_conform.h) and six arguments. krping_ask.ko replaces requests of the client: those of the step `step`,
# by default 2 (register memory), by the requests in `ask`, one after the other.

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

# Let the server reject the request for its trace, as a server without traces does.
older_server() {
	delay "rdma_krping:conform_trace_exists usec=100000 return=0" || return 1
	conform ",case=send_4096"
	delay_end
	eq "$DELAY_HITS" 1 "number of rejected steps" && kr_returned ok &&
		case_has " requester_wcs=\"0 $TIME 0 0 [0-9]* 0x0\" responder_wcs=\"unknown\" events=" &&
		eq "$VERDICTS" "send_4096 ok -" verdict && kr_ended server ok
}

check_replaced "conform: a server without traces has the same verdicts" older_server

# older_steps: replace each step that older servers lack by step 99, which no server has. Check that only the case
# that needs the replaced step is unsupported.
older_steps() {
	for _case in 15:poll_sends 16:srq_below_limit 17:dma_key_send_inv; do
		insmod /lib/modules/extra/krping_ask.ko "step=${_case%:*}" ask=99,0,0,0,0,0,0 ||
			why "krping_ask.ko cannot be loaded" || return 1
		conform ",case=send_4096:${_case#*:}" ,mem_mode=dma
		_asked=$(cat /sys/module/krping_ask/parameters/asked)
		rmmod krping_ask
		eq "$_asked" 1 "number of replaced requests" && kr_returned ok &&
			eq "$(echo "$VERDICTS" | tr '\n' ' ')" "send_4096 ok - ${_case#*:} unsupported - " verdicts &&
			case_has 'verdict=unsupported$' &&
			kr_ended server ok || return 1
	done
}
check "conform: with an older server the cases that need a newer step are unsupported" older_steps

# no_such_open: replace step 1, which opens a case and which even old servers have, by the unknown step 99
no_such_open() {
	insmod /lib/modules/extra/krping_ask.ko step=1 ask=99,0,0,0,0,0,0 || why "krping_ask.ko cannot be loaded" || return 1
	conform ",case=send_4096"
	rmmod krping_ask
	kr_returned EIO && case_has " verdict=failed .*error=107 " && kr_ended server ok
}
check "conform: a case that the server does not open is failed, not unsupported" no_such_open

# dma_keys: check that a server whose command has no mem_mode=dma gives no key for all memory, neither to the cases
# that need the key nor to a client that requests it in another case (step 18)
dma_keys() {
	conform ",case=dma_key"
	kr_returned ok && kr_has "conform ok=0 deviates=0 unsupported=3 failed=0" &&
		case_has 'verdict=unsupported reason="the server runs without mem_mode=dma"$' && kr_ended server ok || return 1
	insmod /lib/modules/extra/krping_ask.ko ask=18,0,0,0,0,0,0 || why "krping_ask.ko cannot be loaded" || return 1
	conform ",case=write_next_key"
	rmmod krping_ask
	kr_returned EIO && case_has " error=22 control=failed" && kr_ended server ok
}
check "conform: a server without mem_mode=dma gives no key for all memory" dma_keys

# dma_key_asks: let the client request a key for all memory with an address beyond the memory of the case, and then
# with a third PD. A case has two PDs.
dma_key_asks() {
	insmod /lib/modules/extra/krping_ask.ko step=18 ask=18,65536000,0,0,0,0,0,18,0,2,0,0,0,0 ||
		why "krping_ask.ko cannot be loaded" || return 1
	conform ",case=dma_key_of_other_pd:dma_key_send_inv" ,mem_mode=dma
	_asked=$(cat /sys/module/krping_ask/parameters/asked)
	rmmod krping_ask
	eq "$_asked" 2 "number of replaced requests" && kr_returned EIO &&
		eq "$(grep -c '^case .* verdict=failed .*error=22 ' "$KR_RESULT")" 2 "number of refused requests" &&
		kr_ended server ok
}
check "conform: a server checks the requests for a key for all memory" dma_key_asks

# raise: raise an event of the device
raise() {
	if [ "$TYPE" = siw ]; then
		ip link set "$IF" address "$(cat "/sys/class/net/$IF/address")"
	else
		ip addr add 10.9.9.9/32 dev "$IF" && ip addr del 10.9.9.9/32 dev "$IF"
	fi
}

# device_events: raise events of the device while a case runs, which delays prolong to half a second. Check that
# both sides have recorded an event of the device, and that the verdict has not changed. A process of its own
# raises the events from before the case, because on a slow machine a program takes a part of a second to start.
device_events() {
	delay "rdma_krping:conform_message_ask,rdma_krping:conform_message_answer,rdma_krping:conform_side_record,rdma_krping:conform_side_await_sends usec=100000" || return 1
	port=$((port + 1))
	: >"$T_TMP/raise"
	while [ -e "$T_TMP/raise" ]; do raise; done &
	_raiser=$!
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT" &&
		kr_bg client "client,addr=$ADDR,port=$port,$PATIENT,conform,case=send_4096" && kr_wait client 60
	rm "$T_TMP/raise"
	wait $_raiser
	delay_end
	kr_result client && case_has " events=\"[^\"]*requester device $TIME [^\"]*responder device $TIME " &&
		kr_has "ok=1 deviates=0 unsupported=0 failed=0" && kr_ended server ok
}
check "conform: both sides record the events of the device" device_events

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

t_end
