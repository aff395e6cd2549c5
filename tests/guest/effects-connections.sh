#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: wait= bounds how long a server waits for a client. ack_timeout= and min_rnr_timer= set
#   timers of the QP; a kprobe on ib_modify_qp() records the QP's attributes. vector= has a limit.
# Requires: one guest
# Duration: 15 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

#
# wait=
#

check "wait=1: a server without a client ends with ETIMEDOUT" \
	kr_fails_with ETIMEDOUT "server,addr=$ADDR,port=19201,wait=1" "wait=1 s"
check "wait=1: a server for any number of clients ends with ETIMEDOUT, too" \
	kr_fails_with ETIMEDOUT "server,addr=$ADDR,port=19202,clients=0,wait=1" "wait=1 s"
check "wait=1: a server with a wildcard address ends with ETIMEDOUT, too" \
	kr_fails_with ETIMEDOUT "server,addr=0.0.0.0,port=19203,wait=1" "wait=1 s"

# A busy machine may start the client after the server has ended, so kr_soon repeats both.
one_client() {
	kr_soon lone_client && kr_ended server ok
}
lone_client() {
	kr_bg server "server,addr=$ADDR,port=19204,wait=1" || return 1
	kr "client,addr=$ADDR,port=19204,$PATIENT,duration=3"
}
check "wait=1: a server serves its client for longer than 1 s" one_client
kr_stop

# uptime_csec: set NOW to the uptime in hundredths of a second
uptime_csec() {
	read -r NOW _ </proc/uptime
	NOW=${NOW%.*}${NOW#*.}
}

# The client takes at least 3 s, and the server waits at least 2 s after the client's end. So the
# server ends at least 5 s after the client's begin (4.9 s with rounding). If the wait began
# earlier, the server would end earlier.
clients_count() {
	kr_soon first_client && kr_ended server ETIMEDOUT && kr_is clients 1 || return 1
	uptime_csec
	[ $((NOW - _began)) -ge 490 ] || why "the server has ended $((NOW - _began)) / 100 s after the begin of its client"
}
first_client() {
	kr_bg server "server,addr=$ADDR,port=19205,clients=0,wait=2" || return 1
	uptime_csec
	_began=$NOW
	kr "client,addr=$ADDR,port=19205,$PATIENT,duration=3"
}
check "wait=2,clients=0: the time without a client begins when the last one has gone" clients_count
kr_stop

#
# vector= beyond the limit
#

# no_vector server|client: check that vector=65536 is EINVAL
no_vector() {
	kr_fails_with EINVAL "$1,addr=$ADDR,port=19206,vector=65536" "vector=65536: the device has 0 to "
}
check "a client with a vector beyond those of the device is EINVAL, and the log names the limit" no_vector client
check "a server with a vector beyond those of the device is EINVAL, and the log names the limit" no_vector server

#
# ack_timeout and min_rnr_timer
#

if [ "$TYPE" = siw ]; then
	check "iWARP: ack_timeout is EOPNOTSUPP" \
		kr_fails_with EOPNOTSUPP "client,addr=$ADDR,port=19207,ack_timeout=20" "ack_timeout: iWARP"
	check "iWARP: min_rnr_timer is EOPNOTSUPP" \
		kr_fails_with EOPNOTSUPP "client,addr=$ADDR,port=19207,min_rnr_timer=20" "min_rnr_timer: iWARP"
	t_end
	exit
fi

PROBES=/sys/kernel/tracing/kprobe_events
EVENT=/sys/kernel/tracing/events/krping_test/modify
# In struct ib_qp_attr of all kernels, the timers follow two struct rdma_ah_attr, after byte 128.
# shellcheck disable=SC2016 # the kernel expands $arg2 and $arg3
if ! echo 'p:krping_test/modify ib_modify_qp mask=$arg3:x32 a=+128($arg2):x8[64] b=+192($arg2):x8[4]' \
	>>$PROBES 2>/dev/null; then
	skip "the timers of a QP" "the kernel has no kprobe of ib_modify_qp"
	t_end
	exit
fi

# attributes SERVER_OPTIONS CLIENT_OPTIONS: run a pair, and write mask and bytes of each
# ib_modify_qp() to $T_TMP/attr
attributes() {
	echo >/sys/kernel/tracing/trace
	trace_enable 1 $EVENT/enable || return 1
	pair "$1" "count=1,retry=5,rnr_retry=3${2:+,$2}" && kr_ended server ok
	_rc=$?
	trace_enable 0 $EVENT/enable
	sed -n 's/.* modify: .* mask=\([^ ]*\) a={\(.*\)} b={\(.*\)}$/\1 ,\2,\3,/p' \
		/sys/kernel/tracing/trace >"$T_TMP/attr"
	return $_rc
}
# modified COUNT REGEX: check that COUNT calls of ib_modify_qp() match REGEX
modified() {
	eq "$(grep -c "$2" "$T_TMP/attr")" "$1" "changes of a QP with $2"
}

# In struct ib_qp_attr, retry_cnt and rnr_retry follow timeout. The client's QP gets rnr_retry=7
# from the server.
ack_timeout() {
	attributes "" ack_timeout=21 && modified 1 ',0x15,0x5,0x7,' &&
		attributes "" ack_timeout=0 && modified 1 ',0x0,0x5,0x7,'
}
check "ack_timeout: the QP of the client has that timeout" ack_timeout
# 0x13 is 19. krping sets 17 until the route is resolved.
ack_timeout_default() {
	attributes "" "" && modified 1 ',0x13,0x5,0x7,' && modified 2 ',0x13,0x5,0x[37],'
}
check "without ack_timeout, the QPs of both sides have 19 on RoCE" ack_timeout_default

# has_rnr_timer HEX: check that an ib_modify_qp() with IB_QP_MIN_RNR_TIMER (bit 15 of the mask) sets
# the timer to HEX. min_rnr_timer is eight bytes before timeout, which ack_timeout=21 makes
# recognizable. Only this place counts, because other fields, such as a PSN, have random bytes.
has_rnr_timer() {
	awk -F ',' -v timer="$1" '
		{ mask[NR] = $1; line[NR] = $0 }
		/,0x15,0x5,0x7,/ {
			for (i = 9; i <= NF - 2; i++)
				if ($i == "0x15" && $(i + 1) == "0x5" && $(i + 2) == "0x7")
					at = i - 8
		}
		END {
			for (n = 1; n <= NR; n++) {
				split(line[n], byte, ",")
				if (at && mask[n] ~ /^0x[0-9a-f]*[89a-f][0-9a-f][0-9a-f][0-9a-f] $/)
					found += byte[at] == timer
			}
			exit !found
		}' "$T_TMP/attr"
}

rnr_timer() {
	attributes min_rnr_timer=27 ack_timeout=21 && has_rnr_timer 0x1b || why "no change has the timer" || return 1
	attributes "" ack_timeout=21 && not has_rnr_timer 0x1b
}
# 0x129181 is the mask of a change to RTR. The timer follows max_dest_rd_atomic, which is 1.
rnr_timer_default() {
	attributes "" "" && modified 2 '^0x129181 .*,0x1,0xc,'
}
if grep -q ' rdma_set_min_rnr_timer' /proc/kallsyms; then
	check "min_rnr_timer: the QP of the server has that timer" rnr_timer
	check "without min_rnr_timer, the QPs of both sides have 12" rnr_timer_default
else
	check "min_rnr_timer: EOPNOTSUPP in a kernel without rdma_set_min_rnr_timer()" \
		kr_fails_with EOPNOTSUPP "client,addr=$ADDR,port=19208,min_rnr_timer=20" min_rnr_timer
fi

echo '-:krping_test/modify' >>$PROBES
t_end
