#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A device may be removed while a test destroys its connections. rdma_destroy_id() lets the removal continue
#   before it returns its reference to a GID. A delay in between lets the removal go as far as it can.
# Requires: one guest
# Duration: 4 s on rxe, 5 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=delay.inc
. "${0%/*}/delay.inc"

port=31000

# removed: remove the device under a server, a client, and a listener, whose threads pause before they return the GIDs
removed() {
	port=$((port + 2))
	kr_bg server "server,addr=$ADDR,port=$port" && kr_bg client "client,addr=$ADDR,port=$port" &&
		kr_bg bound "server,addr=$ADDR,port=$((port + 1))" && until_ok 60 kr_runs client &&
		rdma link delete "$DEV" && until_ok 60 kr_none || return 1
	kr_all_ended "server client bound" ENODEV ECONNRESET && device_again
}

for round in 1 2 3; do
	check "removal $round ends while the threads still return their GIDs" \
		delayed 3 "rdma_put_gid_attr usec=100000 context=process comm=krping" removed
done
check "a pair runs on the new device" pair "" count=3,validate
t_end
