#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: An interface changes while tests use it: down and up, another MTU, an
#   address that is removed. Whether a connection survives depends on the provider. Each
#   test ends, without an error or with a reason, and new tests work afterwards.
# Requires: two guests on one wire; tests/run runs the subject only by name
# Duration: not measured

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=other.inc
. "${0%/*}/other.inc"

down() {
	ip link set "$IF" down
	sleep 1
	ip link set "$IF" up
	# the kernel removes this address with the link
	ip addr replace "$ADDR6/64" dev "$IF" nodad
}

smaller() {
	ip link set "$IF" mtu 700
	sleep 1
	ip link set "$IF" mtu 1500
}

address() {
	ip addr delete "$ADDR/24" dev "$IF"
	sleep 1
	ip addr add "$ADDR/24" dev "$IF"
}

# A provider may also fail WRs that it cannot send: EIO.
ways='ok ETIMEDOUT ECONNRESET EIO'

# befalls COMMAND
befalls() {
	crowd_begins 8000 duration=5 || return 1
	"$1"
	# shellcheck disable=SC2086 # words
	crowd_ended $ways
}

# rxe's QP1 breaks if it sends while the link is down, and stays broken: connection requests
# leave, but no reply arrives until the device is created anew.
renewed() {
	[ "$TYPE" = rxe ] || return 0
	rdma link delete "$DEV" && device_again
}

works_again() {
	[ "$1" != down ] || renewed || return 1
	until_ok 30 works
}

for event in down smaller address; do
	check "$event" befalls $event
	# shellcheck disable=SC2086
	check "$event: the other guest's tests end" other_crowd_ended $ways
	check "$event: new tests work afterwards" works_again $event
	check "$event: no test or object is left" kr_clean
done
check "link: the other guest has no test or object left" other_clean
t_end
