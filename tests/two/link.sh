#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A network interface changes while tests use it: down and up, another MTU, a
#   removed address. Whether a connection survives depends on the provider. Each test ends
#   with success or with an expected errno, and new tests work afterwards.
# Requires: two guests on one wire; tests/run runs the subject only by name
# Duration: not measured

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=other.inc
. "${0%/*}/other.inc"

# down: take the link down for a second
down() {
	ip link set "$IF" down
	sleep 1
	ip link set "$IF" up
	# the kernel removes this address when the link goes down
	ip addr replace "$ADDR6/64" dev "$IF" nodad
}

# smaller: use a smaller MTU for a second
smaller() {
	ip link set "$IF" mtu 700
	sleep 1
	ip link set "$IF" mtu 1500
}

# address: remove the IPv4 address for a second
address() {
	ip addr delete "$ADDR/24" dev "$IF"
	sleep 1
	ip addr add "$ADDR/24" dev "$IF"
}

# Expected outcomes. EIO is one of them, because a WR that a provider cannot send may complete with an
# error.
ways='ok ETIMEDOUT ECONNRESET EIO'

# change_under_load COMMAND: run COMMAND, which changes the interface, while tests run, and check that each
# test of this guest ends with an expected outcome
change_under_load() {
	crowd_begins 8000 duration=5 || return 1
	"$1"
	# shellcheck disable=SC2086 # split into words
	crowd_ended $ways
}

# renewed: create an rxe device again. While the link is down or the address is missing, QP1 of the device
# fails to send ("qp#1 Failed allocating skb"). Afterwards QP1 sends connection requests but receives no
# replies, until the device is created again.
renewed() {
	[ "$TYPE" = rxe ] || return 0
	rdma link delete "$DEV" && device_again
}

# works_again EVENT: check that new tests work after EVENT, which may require renewed()
works_again() {
	[ "$1" = smaller ] || renewed || return 1
	until_ok 60 works
}

for event in down smaller address; do
	case $event in
	down) desc="link down and up" ;;
	smaller) desc="smaller MTU" ;;
	address) desc="removed address" ;;
	esac
	check "$desc: all tests end" change_under_load $event
	# shellcheck disable=SC2086 # split into words
	check "$desc: the other guest's tests end" other_crowd_ended $ways
	check "$desc: new tests work afterwards" works_again $event
	check "$desc: no test or RDMA object is left" kr_clean
done
# share_lost: check that a client with share ends with an error if the link is down for longer than the
# timeout of both sides. The QPs share a PD and an MR, and the last QP frees them. On rxe the connection
# manager waits for messages that QP1 has lost, until renewed() removes the device.
share_lost() {
	server_there shared "share,timeout=8000" &&
		kr_bg shared "client,addr=$PEER,port=$port,bw,qps=3,threads=2,share,mem_mode=reg,duration=300,timeout=8000" &&
		until_ok 60 kr_runs shared || return 1
	ip link set "$IF" down
	sleep 15
	ip link set "$IF" up
	ip addr replace "$ADDR6/64" dev "$IF" nodad
	renewed || return 1
	# shellcheck disable=SC2086 # split into words
	kr_all_ended shared ${ways#ok }
}
check "lost link: a client with share ends with an error" share_lost
# shellcheck disable=SC2086 # split into words
check "lost link: a server with share ends with an error" other kr_all_ended shared ${ways#ok }
check "lost link: no object that QPs shared is left" kr_clean
check "lost link: new tests work afterwards" until_ok 60 works
check "link: the other guest has no test or RDMA object left" other_clean
t_end
