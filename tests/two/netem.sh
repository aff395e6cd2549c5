#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: netem loses, delays, duplicates, reorders and corrupts packets on the wire
#   between two guests. No test accepts wrong data, none hangs, and each ends with success,
#   ETIMEDOUT or ECONNRESET.
# Requires: two guests on one wire; tests/run runs the subject only by name
# Duration: not measured
#
#   NETEM_SECONDS  time after which the subject begins no other disturbance (default 5). It
#                  begins at least three.
#   FAULT_SEED     seed of the random sizes

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=other.inc
. "${0%/*}/other.inc"

NETEM_SECONDS=${NETEM_SECONDS:-5}

# timeout= of a test in seconds, longer than several retransmissions
PATIENCE=20
# time in seconds within which a test must end
BOUND=110

if ! tc qdisc replace dev lo root netem 2>/dev/null; then
	skip all "the kernel has no netem, or there is no tc"
	t_end
	exit
fi
tc qdisc delete dev lo root

# bad WHERE MIX: apply netem with the parameters MIX to the packets that this guest sends (WHERE is
# "here"), that the other guest sends ("there"), or both ("both"). If it fails, one guest may have netem.
bad() {
	case $1 in
	here | both)
		# shellcheck disable=SC2086 # split into words
		tc qdisc replace dev "$IF" root netem $2 || return 1
		;;
	esac
	case $1 in
	there | both) other "tc qdisc replace dev $IF root netem $2" || return 1 ;;
	esac
}

# good: remove netem
good() {
	tc qdisc delete dev "$IF" root 2>/dev/null
	other "tc qdisc delete dev $IF root 2>/dev/null || :"
}

# random_size: set size to a random number of bytes, of at most 64, 8000 or 100000
random_size() {
	t_random 3
	case $T_RANDOM in
	0) t_random 64 ;;
	1) t_random 8000 ;;
	2) t_random 100000 ;;
	esac
	size=$((T_RANDOM + 1))
}

# begin_all SECONDS: start clients of all tests, each for SECONDS and with a random size, and list their
# names in $names
begin_all() {
	names=
	for kind in mem_mode=dma mem_mode=reg server_inv poll wlat rlat slat \
		bw,mem_mode=reg rbw sbw bw,duplex,mem_mode=reg; do
		random_size
		nr=$((nr + 1))
		names="$names n$nr"
		kr_fg n$nr "client,addr=$PEER,port=$port,duration=$1,timeout=${PATIENCE}000,size=$size,validate,$kind"
	done
}

# counters_match: check that in the last result each side has received what the other side has sent
counters_match() {
	_diff=$(awk '
		function same(own, peer) {
			if (v["counters", own] != v["peer_counters", peer])
				print own "=" v["counters", own] ", but the server has", \
					peer "=" v["peer_counters", peer]
		}
		{
			for (i = 2; i <= NF; i++)
				if (split($i, f, "=") == 2)
					v[$1, f[1]] = f[2]
		}
		END {
			same("send_msgs", "recv_msgs")
			same("send_bytes", "recv_bytes")
			same("recv_msgs", "send_msgs")
			same("recv_bytes", "send_bytes")
		}' "$KR_RESULT")
	eq "$_diff" ''
}

# ended_right: check that the last test has ended with success or with a valid errno
ended_right() {
	case $KR_ERRNO in
	0)
		fine=$((fine + 1))
		kr_is status ok && counters_match
		;;
	ETIMEDOUT | ECONNRESET)
		lost=$((lost + 1))
		kr_is status failed
		;;
	*)
		why "errno is $KR_ERRNO: $KR_DETAIL"
		;;
	esac
}

# survives WHERE MIX: run the clients of begin_all on the disturbed wire, and check their outcomes
survives() {
	if ! bad "$1" "$2"; then
		good
		return 1
	fi
	begin_all 1
	fine=0 lost=0 wrong=
	for name in $names; do
		if ! kr_wait "$name" $BOUND || ! ended_right; then
			wrong="$wrong$name: $T_WHY; "
			t_state
		fi
	done
	good || return 1
	diag "$fine tests succeeded, $lost lost their peer"
	all_fine=$((all_fine + fine))
	eq "$wrong" '' "list of tests with a wrong end"
}

# answers: check that the other guest answers a ping
answers() {
	ping -c 1 "$PEER" >/dev/null
}
check "netem: the other guest answers" answers
# Make the neighbour entries permanent. ARP has no checksum, so a corrupted entry would outlast the
# disturbance.
mac=$(ip -o neigh show "$PEER" dev "$IF" | sed 's/.* lladdr \([^ ]*\).*/\1/')
ip neigh replace "$PEER" lladdr "$mac" nud permanent dev "$IF"
read -r mac <"/sys/class/net/$IF/address"
other "ip neigh replace $ADDR lladdr $mac nud permanent dev $IF"

nr=0
round=0
all_fine=0
server_there server "clients=0,timeout=${PATIENCE}000"
seconds
until=$((NOW + NETEM_SECONDS))
while [ "$NOW" -lt "$until" ] || [ $round = 0 ]; do
	round=$((round + 1))
	diag "round $round, FAULT_SEED=$FAULT_SEED"
	while IFS=: read -r where mix; do
		check "netem $mix, $where: each test ends correctly" survives "$where" "$mix"
		seconds
		[ "$NOW" -lt "$until" ] || [ $nr -lt 30 ] || break
	done <<-'END'
		both:loss 1% duplicate 2% corrupt 1% delay 1ms 1ms
		there:loss 2% 25%
		both:corrupt 1%
		here:duplicate 20%
		there:delay 4ms reorder 30% 50%
		both:delay 3ms 2ms
		here:loss 2%
	END
done

diag "$all_fine of $nr tests succeeded"
check "netem: some tests succeed" test $all_fine -gt 0
check "netem: new tests work afterwards" works
wrong_seen='data differs|instead of|unexpected (message|data|control message)'
check "netem: no test has accepted wrong data or an unexpected message" not klog_has "$wrong_seen"
check "netem: no test of the other guest has accepted wrong data or an unexpected message" other "not klog_has '$wrong_seen'"
other kr_stop
check "netem: the other guest has no test or RDMA object left" other_clean
t_end
