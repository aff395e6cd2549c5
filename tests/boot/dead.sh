#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Both sides of a test report the right errno after the cable between them is cut, and
#   after the device of one side is removed.
# Requires: two guests that the subject boots with scripts/vm --pair
# Duration: 19 s on rxe, 13 s on siw

cd "${0%/*}/../.." || exit 1
# shellcheck source=../lib-host.sh
. tests/lib-host.sh

need tc
need_module sch_netem

# Reason why a test with timeout=0 cannot end by exhausted retries; empty if the test can
case $TYPE,$KERNEL in
siw,*) endless="TCP gives up after a quarter of an hour" ;;
# While the cable is cut, the neighbour entry expires, and a packet of the QP waits for a new entry.
rxe,5.10) endless="rxe destroys a QP too late if one of its packets still waits" ;;
*) endless= ;;
esac

# Rounds 1 and 2 cut the cable. Round 3 removes the device of the server, round 4 that of the client.

# cutting: print shell functions for the guests' scripts. netem cuts the cable by dropping all
# packets, so that the interface stays up and no event reports the cut. The qdisc exists from the
# start, because a qdisc rejects packets while tc replaces it, and newer versions of rxe then
# break the QP: see Documentation/known-issues.md.
cutting() {
	[ "$endless" ] || echo RETRIES=yes
	cat <<'END'
tc qdisc add dev eth0 root netem || exit 1

# cut: let the cable drop all packets
cut() {
	tc qdisc change dev eth0 root netem loss 100% || exit 1
}

# mend: let the cable pass packets again
mend() {
	tc qdisc change dev eth0 root netem
}

# silence ROUND SECONDS: cut the cable, wait at most SECONDS for the end of the test, report its result,
# and mend the cable when both sides have reported. Stop the test of round 2 (SECONDS is not 60), because the
# side without a WR in flight runs on.
silence() {
	cut
	peer-tell cut "$1"
	await "$2"
	report "cut $1"
	[ "$2" = 60 ] || echo stop 2>/dev/null >/proc/krping
	peer-tell ended "$1"
	peer-wait -t 300 ended "$1" || exit 1
	mend
}

# lost NAME: report that a test has ended without an iteration, and fail
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
# round NUMBER OPTIONS SECONDS: run a server, and cut the cable once the client does
round() {
	start "server,addr=10.0.0.1,$2"
	peer-tell listening "$1"
	peer-wait -t 300 cut "$1" || exit 1
	silence "$1" "$3"
}
round 1 timeout=6000 60
[ -z "$RETRIES" ] || round 2 timeout=0,retry=1 45

start server,addr=10.0.0.1,timeout=5000
peer-tell listening 3
peer-wait -t 300 moving 3 || exit 1
rdma link delete $DEV
await 60
report "removed 3"
rdma link add $DEV type $TYPE netdev eth0
# wait until the GID table has the address; siw needs no GID
[ $TYPE = siw ] || until grep -qs 0a00:0001 /sys/class/infiniband/*/ports/1/gids/*; do sleep 0.2; done

start server,addr=10.0.0.1,timeout=5000
peer-tell listening 4
await 120
report "removed 4"
peer-wait -t 300 exit 0
END
} >"$tmp/A.sh"

{
	pair_functions
	cutting
	cat <<'END'
# round NUMBER OPTIONS SECONDS: run a client, and cut the cable once an iteration has ended
round() {
	peer-wait -t 300 listening "$1" || exit 1
	start "client,addr=10.0.0.1,$2"
	moving || lost "cut $1"
	silence "$1" "$3"
}
round 1 timeout=6000 60
[ -z "$RETRIES" ] || round 2 timeout=0,retry=1 45

peer-wait -t 300 listening 3 || exit 1
start client,addr=10.0.0.1,timeout=5000
moving || lost "removed 3"
peer-tell moving 3
await 60
report "removed 3"

peer-wait -t 300 listening 4 || exit 1
start client,addr=10.0.0.1,timeout=20000,count=1000000
moving || lost "removed 4"
rdma link delete $DEV
await 60
report "removed 4"
END
} >"$tmp/B.sh"

# exhausted: check that at least one side has exhausted its retries. The test of a side without a WR in
# flight runs on.
exhausted() {
	said '[AB]: cut 2:.* errno=104 .*wc_status="transport retry counter exceeded"' || return 1
	for _g in A B; do
		said "$_g: cut 2:.* (status=running|errno=104) " || return 1
	done
}

check "dead: the tests between two machines run" boot_pair --bin tc --module sch_netem
check "cut cable: the server fails with ETIMEDOUT" said 'A: cut 1:.* status=failed errno=110 .*the peer was silent for timeout=6000'
check "cut cable: the client fails with ETIMEDOUT" said 'B: cut 1:.* status=failed errno=110 .*the peer was silent for timeout=6000'
if [ "$endless" ]; then
	skip "cut cable: a test with timeout=0 exhausts its retries" "$endless"
else
	check "cut cable: a test with timeout=0 exhausts its retries" exhausted
fi
check "removed device of the server: the server fails with ENODEV" said 'A: removed 3:.* status=failed errno=19 .*removed'
check "removed device of the server: the client fails" said 'B: removed 3:.* status=failed errno=(104|110) '
check "removed device of the client: the client fails with ENODEV" said 'B: removed 4:.* status=failed errno=19 .*removed'
check "removed device of the client: the server fails" said 'A: removed 4:.* status=failed errno=(104|110) '
t_end
