#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A client of a server with export opens its region (the memory that the server exports
#   to this client) to the server's other clients. They use the region with keys of their own. After
#   the client has closed the region, the device rejects the keys of the other clients.
# Requires: one guest
# Duration: 40 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

port=18800

# export_bg OPTIONS: start a server that exports memory, at the next port
export_bg() {
	port=$((port + 1))
	kr_bg "server$port" "server,addr=$ADDR,port=$port,$PATIENT,$1"
}

# session NAME: start a client that stays connected, and set ID to its id
session() {
	kr_bg "$1" "client,addr=$ADDR,port=$port,session,$PATIENT" || return 1
	ID=$(kr_get id)
}

# two_sessions OPTIONS: start a server and the sessions a and b, and set A and B to their ids
two_sessions() {
	export_bg "$1" && session a && A=$ID && session b && B=$ID
}

# opens ID OPTIONS: open the region of the session ID, and set REGION to the region's id
opens() {
	kr "open,id=$1$2" && kr_returned ok || return 1
	REGION=${KR_OUT#*"region id="}
	REGION=${REGION%% *}
}

# no_region: check that the result lists no region
no_region() {
	case $KR_OUT in
	*" region id="*) why "the result lists a region" ;;
	esac
}

# owned_by_client: check that the result has the address of a region's owner
owned_by_client() {
	case $KR_OUT in
	*" owner=$ADDR:"*) ;;
	*) why "the result lacks the owner" ;;
	esac
}

reads_and_writes() {
	two_sessions "export=3m,clients=2" && opens "$A" ,rw &&
		kr_has "region id=$REGION size=3145728 rights=rw" && owned_by_client || return 1
	kr "put,id=$A,offset=2m,data=of a" && kr "get,id=$B,region=$REGION,offset=2m,len=4" &&
		kr_has 'data offset=2097152 len=4 hex=6f662061 text="of a"' &&
		kr "put,id=$B,region=$REGION,offset=2097153,data=rom" && kr_has 'offset=2097153 len=3 kept=1' &&
		kr "get,id=$A,offset=2m,len=4" && kr_has 'text="orom"' &&
		kr "get,id=$B,offset=2m,len=4" && kr_has 'hex=00000000'
}
check "regions: another client reads and writes an open region" reads_and_writes

lists() {
	kr "regions,id=$B" && kr_has "region id=$REGION size=3145728 rights=rw" &&
		owned_by_client && kr "list,id=$REGION" && kr_has "role=server" && kr_has "region=open_rw" &&
		kr_has "size=3145728" && kr "regions,id=$A" && kr_has "region id=$REGION"
}
check "regions: the commands regions and list show an open region" lists

closes() {
	kr "close,id=$A" && kr_returned ok && kr "list,id=$REGION" && kr_has "region=closed" &&
		kr "regions,id=$B" && kr_returned ok && no_region &&
		kr_fails ESRCH "get,id=$B,region=$REGION,len=1" && kr_detail_has "closed it" &&
		kr "get,id=$B,len=1" && kr "get,id=$A,len=1"
}
check "regions: a closed region is ESRCH for others, and both sessions go on" closes

again() {
	_old=$REGION
	opens "$A" '' && eq "$REGION" "$_old" "id of the region" && kr_has "rights=ro" &&
		kr "get,id=$B,region=$REGION,offset=2m,len=4" && kr_has 'text="orom"' &&
		kr_fails EINVAL "put,id=$B,region=$REGION,data=x" && kr_detail_has "read-only" &&
		kr "list,id=$REGION" && kr_has "region=open_ro"
}
check "regions: a region that is opened again without rw is read-only" again
kr_stop

refused() {
	two_sessions "export=64k,clients=2" && opens "$A" '' || return 1
	kr_fails EEXIST "open,id=$A,rw" && kr_detail_has "open already" &&
		kr_fails EINVAL "close,id=$B" && kr_detail_has "not open" &&
		kr_fails EINVAL "get,id=$A,region=$REGION,len=1" && kr_detail_has "own" &&
		kr_fails ESRCH "get,id=$B,region=2147483647,len=1" &&
		kr_fails EINVAL "get,id=$B,region=$REGION,offset=64k,len=1" &&
		kr_detail_has "65536 bytes" && kr "get,id=$B,region=$REGION,len=1" && kr_returned ok
}
check "regions: commands that a server refuses fail with an errno, and the sessions go on" refused
kr_stop

# After the close, the server's device rejects the keys that b has got for its first get.
invalidated() {
	two_sessions "export=64k,clients=2" && opens "$A" ,rw &&
		kr "put,id=$A,data=secret" && kr "get,id=$B,region=$REGION,len=6,unchecked" &&
		kr_has 'text="secret"' && kr "close,id=$A" && kr_returned ok || return 1
	kr "$1,id=$B,region=$REGION,unchecked"
	case $KR_ERRNO in
	EIO | ECONNRESET) ;;
	*) why "errno is '$KR_ERRNO'" || return 1 ;;
	esac
	kr "get,id=$A,len=6" && kr_has 'text="secret"'
}
check "regions: the device rejects a READ with a key of a region that was closed" \
	invalidated get,len=6
kr_stop
check "regions: the device rejects a WRITE with a key of a region that was closed" \
	invalidated put,data=spoilt
kr_stop

# rxe reports a rejected access on the client's side, siw on the server's.
both_sides_saw() {
	kr_is vendor_err 0x0 || return 1
	case $TYPE:$(kr_get qp_state) in
	rxe:ERR) case $KR_OUT in
		*'wc_status="remote access error" vendor_err'*) ;;
		*) why "the completion has another status" ;;
		esac ;;
	siw:ERR | siw:unknown) until_ok 60 klog_has "the QP of client .* has reported: QP access error" ;;
	*) why "qp_state is '$(kr_get qp_state)'" ;;
	esac
}

# device_refuses_write SERVER_OPTIONS OPEN_OPTIONS: check that the device rejects a WRITE of b to
# the open region of a
device_refuses_write() {
	two_sessions "export=64k,clients=2$1" && opens "$A" "$2" &&
		kr "get,id=$B,region=$REGION,len=6,unchecked" || return 1
	klog_mark
	! kr "put,id=$B,region=$REGION,data=x,unchecked" && both_sides_saw &&
		kr "get,id=$A,len=1" && kr_has 'hex=00'
}
check "regions: the device rejects a WRITE to a region that was opened without rw" \
	device_refuses_write '' ''
kr_stop
check "regions: the device rejects a WRITE to an open region of an export with ro" \
	device_refuses_write ,ro ,rw
kr_stop

# Client a disconnects while b has keys to a's region, whose memory is then freed.
owner_leaves() {
	two_sessions "export=20m,clients=2" && opens "$A" ,rw &&
		kr "put,id=$B,region=$REGION,offset=19m,data=x" && kr "stop,id=$A" &&
		until_ok 60 kr_fails ESRCH "get,id=$B,region=$REGION,len=1" &&
		kr "get,id=$B,len=1" && kr "stop,id=$B" && kr_ended "server$port" ok && kr_clean
}
check "regions: a region disappears with its owner, and the session of its user goes on" owner_leaves
kr_stop

user_leaves() {
	two_sessions "export=2m,clients=2" && opens "$A" ,rw &&
		kr "put,id=$B,region=$REGION,data=stays" && kr "stop,id=$B" && kr "close,id=$A" &&
		kr "get,id=$A,len=5" && kr_has 'text="stays"' && kr "stop,id=$A" &&
		kr_ended "server$port" ok && kr_clean
}
check "regions: a region is closed after its user has left" user_leaves
kr_stop

# A close waits until the server's threads for the other clients have invalidated their keys. Here
# each of two threads closes a region, and has to invalidate keys for the other thread's close.
both_close() {
	two_sessions "export=4m,clients=2" && opens "$A" ,rw && _ra=$REGION && opens "$B" ,rw &&
		kr "put,id=$A,region=$REGION,data=x" && kr "put,id=$B,region=$_ra,data=y" || return 1
	kr_fg close_a "close,id=$A"
	kr_fg close_b "close,id=$B"
	kr_ended close_a ok && kr_ended close_b ok && kr "get,id=$A,len=1" && kr_has 'text="y"' &&
		kr "get,id=$B,len=1" && kr_has 'text="x"'
}
check "regions: two clients that use each other's region can close their own at the same time" both_close
kr_stop

limit() {
	export_bg "export=4k,clients=18" && session user && _user=$ID || return 1
	_n=0
	while [ $_n -lt 16 ]; do
		_n=$((_n + 1))
		session "owner$_n" && _last=$ID && opens "$ID" '' &&
			kr "get,id=$_user,region=$REGION,len=1" || return 1
	done
	session owner17 && opens "$ID" '' && _r17=$REGION &&
		kr_fails EMFILE "get,id=$_user,region=$_r17,len=1" && kr "close,id=$_last" &&
		kr "get,id=$_user,region=$_r17,len=1" && kr_returned ok
}
check_within 300 "regions: a client has keys to 16 regions of others at most" limit
kr_stop

shared() {
	two_sessions "export=4k,clients=2,shared" && kr_fails EOPNOTSUPP "open,id=$A" &&
		kr_detail_has shared && kr "regions,id=$B" && kr_returned ok
}
check "regions: a client of a shared export cannot open the region that all clients share" shared
kr_stop

once() {
	export_bg "export=64k,clients=0" && session a && kr "put,id=$ID,data=hello" &&
		opens "$ID" ,rw &&
		kr "client,addr=$ADDR,port=$port,$PATIENT,regions" && kr_has "region id=$REGION" &&
		kr "client,addr=$ADDR,port=$port,$PATIENT,get,region=$REGION,len=5" &&
		kr_has 'text="hello"' &&
		kr "client,addr=$ADDR,port=$port,$PATIENT,put,region=$REGION,data=HE" &&
		kr "get,id=$ID,len=5" && kr_has 'text="HEllo"' &&
		kr_fails ESRCH "client,addr=$ADDR,port=$port,$PATIENT,get,region=999999,len=1"
}
check "regions: a client connects for one operation on an open region" once
kr_stop

grammar() {
	kr_refused EINVAL "open" "needs the id" && kr_refused EINVAL "close,rw,id=1" "only with open" &&
		kr_refused EINVAL "send,id=1,data=x,region=2" "only with put or get" &&
		kr_refused EINVAL "client,addr=$ADDR,open" "only for" &&
		kr_refused EINVAL "get,id=1,len=1,region=0" "1 to"
}
check "regions: options that make no sense are EINVAL" grammar

too_many_mrs() {
	klog_mark
	export_bg "export=1000g,clients=2" &&
		kr_fails ECONNREFUSED "client,addr=$ADDR,port=$port,session" && kr_stop &&
		klog_has "export=1073741824000 needs [0-9]* MRs, more" &&
		kr_ended "server$port" ECANCELED
}
check "regions: an export that needs too many MRs rejects its client" too_many_mrs
kr_stop

check "regions: open regions leave no test or object" kr_clean

t_end
