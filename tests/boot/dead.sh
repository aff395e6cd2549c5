#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A peer whose cable is cut, and a device that is removed on one side only.
# Requires: two guests that the subject boots with scripts/vm --pair
# Duration: 19 s on rxe, 13 s on siw

cd "${0%/*}/../.." || exit 1
# shellcheck source=../lib-host.sh
. tests/lib-host.sh

need tc
need_module sch_netem

# Whether a test without timeout= ends because its retries are exhausted
case $TYPE,$KERNEL in
siw,*) endless="TCP's own patience is a quarter of an hour" ;;
# The neighbour is forgotten meanwhile, and a packet waits for it.
rxe,5.10) endless="rxe frees a QP too late that is destroyed while a packet of it waits" ;;
*) endless= ;;
esac

# The interface stays up and the neighbours stay known, or the connections would be notified.
# The qdisc that drops packets is there from the beginning: a qdisc that is being replaced
# rejects packets, and a newer rxe then gives up the QP, see Documentation/known-issues.md.
cutting() {
	[ "$endless" ] || echo RETRIES=yes
	cat <<'END'
tc qdisc add dev eth0 root netem || exit 1

cut() {
	tc qdisc change dev eth0 root netem loss 100% || exit 1
}

mend() {
	tc qdisc change dev eth0 root netem
}

# silence ROUND SECONDS: the end of this round's test after both sides are cut off
silence() {
	cut
	peer-tell cut "$1"
	await "$2"
	report "cut $1"
	[ "$2" = 60 ] || echo stop 2>/dev/null >/proc/krping
	peer-tell ended "$1"
	peer-wait -t 120 ended "$1" || exit 1
	mend
}

lost() {
	report "$1, without an iteration"
	exit 1
}
END
}

{
	pair_functions
	cutting
	cat <<'END'
round() {
	start "server,addr=10.0.0.1,$2"
	peer-tell listening "$1"
	peer-wait cut "$1" || exit 1
	silence "$1" "$3"
}
round 1 timeout=3000 60
[ -z "$RETRIES" ] || round 2 timeout=0,retry=1 45

start server,addr=10.0.0.1,timeout=5000
peer-tell listening 3
peer-wait moving 3 || exit 1
rdma link delete $DEV
await 60
report "removed 3"
rdma link add $DEV type $TYPE netdev eth0
# an address becomes a GID
sleep 2

start server,addr=10.0.0.1,timeout=5000
peer-tell listening 4
await 120
report "removed 4"
peer-wait -t 120 exit 0
END
} >"$tmp/A.sh"

{
	pair_functions
	cutting
	cat <<'END'
round() {
	peer-wait -t 120 listening "$1" || exit 1
	start "client,addr=10.0.0.1,$2"
	moving || lost "cut $1"
	silence "$1" "$3"
}
round 1 timeout=3000 60
[ -z "$RETRIES" ] || round 2 timeout=0,retry=1 45

peer-wait listening 3 || exit 1
start client,addr=10.0.0.1,timeout=5000
moving || lost "removed 3"
peer-tell moving 3
await 60
report "removed 3"

peer-wait -t 120 listening 4 || exit 1
start client,addr=10.0.0.1,timeout=20000,count=1000000
moving || lost "removed 4"
rdma link delete $DEV
await 60
report "removed 4"
END
} >"$tmp/B.sh"

# exhausted: a side with a SEND in flight exhausts its retries. The other side may have none
# in flight, and then waits without a bound.
exhausted() {
	said '[AB]: cut 2:.* errno=104 .*wc_status="transport retry counter exceeded"' || return 1
	for _g in A B; do
		said "$_g: cut 2:.* (status=running|errno=104) " || return 1
	done
}

check "dead: two machines run all cases" boot_pair --bin tc --module sch_netem
check "server: the client's cable is cut" said 'A: cut 1:.* status=failed errno=110 .*the peer was silent for timeout=3000'
check "client: its cable is cut" said 'B: cut 1:.* status=failed errno=110 .*the peer was silent for timeout=3000'
if [ "$endless" ]; then
	skip "without a bound, retries are exhausted" "$endless"
else
	check "without a bound, retries are exhausted" exhausted
fi
check "server: its device is removed" said 'A: removed 3:.* status=failed errno=19 .*removed'
check "client: the server's device is removed" said 'B: removed 3:.* status=failed errno=(104|110) '
check "client: its device is removed" said 'B: removed 4:.* status=failed errno=19 .*removed'
check "server: the client's device is removed" said 'A: removed 4:.* status=failed errno=(104|110) '
t_end
