#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A plain server, whose command has no options, adopts its client's parameters. A server
#   whose command names a test or a size rejects a client that requests another test or more bytes.
# Requires: one guest
# Duration: 4 s on rxe, 5 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

# negotiates SERVER_OPTIONS CLIENT_OPTIONS ITERATIONS SIZE: check the results of both sides
negotiates() {
	pair "$1" "$2" || {
		kr_returned ok
		return 1
	}
	kr_is test ping && kr_is iterations "$3" && kr_is size "$4" && kr_is peer krping || return 1
	kr_ended server ok &&
		kr_is test ping && kr_is iterations "$3" && kr_is size "$4" && kr_is peer krping
}

check "without options on either side the size is 64" negotiates "" count=3 3 64
check "a plain server adopts the size" negotiates "" count=3,size=5000 3 5000
check "a plain server adopts the count" negotiates "" count=17 17 64
check "a plain server adopts the largest size" negotiates "" count=1,size=$DMA_MAX 1 "$DMA_MAX"
check "a plain server adopts validate" negotiates "" count=3,validate,size=100 3 100
check "a plain server adopts validate: its result has validate" kr_has validate=1
check "a plain server adopts server_inv" negotiates "" count=5,server_inv 5 64
check "a server with mem_mode=dma adopts server_inv" negotiates mem_mode=dma count=5,server_inv 5 64
check "a server with mem_mode=reg serves a client with mem_mode=dma" negotiates mem_mode=reg count=5,mem_mode=dma 5 64
check "a server with a size accepts the same size" negotiates size=1000 count=2,size=1000 2 1000
check "a server with a size accepts a smaller size" negotiates size=1000 count=2,size=999 2 999
check "a server with another count follows the client's count" negotiates count=100 count=2 2 64
check "a server with server_inv serves a client without server_inv" negotiates server_inv count=3 3 64
check "a server with validate serves a client without validate" negotiates validate count=3 3 64

# With server_inv the client registers memory, so the client's result has mem_mode=reg.
inv_seen() {
	pair verbose "server_inv,count=3" && kr_is mem_mode reg && kr_ended server ok
}
check "server_inv makes the client register its memory" inv_seen
kr_stop

# A client that requests more bytes than the server allows fails with the server's limit in its
# result, and the server serves the next client.
too_large() {
	kr_bg server "server,addr=$ADDR,port=14000,size=1000" || return 1
	kr_fails_with ECONNREFUSED "client,addr=$ADDR,port=14000,size=1001,count=1" 1000 &&
		kr_detail_has size &&
		kr_running 1 || return 1
	kr "client,addr=$ADDR,port=14000,size=1000,count=2,validate" &&
		kr_is iterations 2 &&
		kr_ended server ok &&
		kr_is size 1000
}
check "a server with size=1000 rejects 1001 and serves the next client" too_large
kr_stop

# too_large_mode SERVER_MODE CLIENT_MODE SIZE LIMIT: check that a server with SERVER_MODE rejects SIZE
# of a client with CLIENT_MODE, and names LIMIT
too_large_mode() {
	kr_bg server "server,addr=$ADDR,port=14001,mem_mode=$1" || return 1
	kr_fails_with ECONNREFUSED "client,addr=$ADDR,port=14001,mem_mode=$2,size=$3,count=1" "$4" &&
		kr_running 1 || return 1
	kr_stop
	kr_ended server ECANCELED
}
if [ "$REG_MAX" -lt "$DMA_MAX" ]; then
	check "a server with mem_mode=reg rejects a size beyond its MRs" \
		too_large_mode reg dma $((REG_MAX + 1)) "$REG_MAX"
else
	skip "a server with mem_mode=reg rejects a size beyond its MRs" "a client with mem_mode=dma has no larger size"
fi
kr_stop

if [ "$TYPE" = siw ]; then
	check "a plain server adopts read_inv" negotiates "" count=5,read_inv 5 64
fi


# How a test with a negotiated count ends

count_ends() {
	kr_bg server "server,addr=$ADDR,port=14003,count=0" || return 1
	kr "client,addr=$ADDR,port=14003,count=4" && kr_ended server ok && kr_is iterations 4
}
check "a client that ends after its count: the server ends without an error" count_ends

warmup() {
	pair "" "count=4,warmup=3" &&
		kr_is iterations 4 &&
		kr_ended server ok &&
		kr_is read_msgs 7
}
check "the negotiated count includes the warm-up" warmup

stopped_client() {
	kr_bg server "server,addr=$ADDR,port=14004,$PATIENT" || return 1
	kr_bg client "client,addr=$ADDR,port=14004,$PATIENT,count=1000000000" || return 1
	until_ok 60 kr_runs client || return 1
	kr_result client
	kr "stop,id=$(kr_get id)" || return 1
	kr_ended client ECANCELED || return 1
	# The client ended before the negotiated count.
	kr_ended server ECONNRESET
}

check "a client that is stopped before its count: the server ends with ECONNRESET" stopped_client
kr_stop

stopped_server() {
	kr_bg server "server,addr=$ADDR,port=14005,$PATIENT" || return 1
	kr_result server
	id=$(kr_get id)
	kr_bg client "client,addr=$ADDR,port=14005,$PATIENT,count=0" || return 1
	until_ok 60 kr_runs client || return 1
	kr "stop,id=$id" || return 1
	kr_ended server ECANCELED && kr_ended client ECONNRESET
}
check "a server that is stopped: the client ends with ECONNRESET" stopped_server
kr_stop

# The server runs another test than its client requests.
wrong_test() {
	kr_bg server "server,addr=$ADDR,port=14006,wlat" || return 1
	kr_fails_with ECONNREFUSED "client,addr=$ADDR,port=14006,count=1" "another test" &&
		kr_running 1 &&
		kr_fails_with ECONNREFUSED "client,addr=$ADDR,port=14006,slat,count=1" "another test" &&
		kr_running 1 || return 1
	kr "client,addr=$ADDR,port=14006,wlat,count=3" &&
		kr_is test wlat && kr_is iterations 3 && kr_ended server ok && kr_is test wlat
}
check "a server of another test rejects a ping and serves its own test" wrong_test
kr_stop

# adopts_test TEST: check that both results name TEST if only the client's command names it
adopts_test() {
	pair "" "$1,count=3" && kr_is test "$1" && kr_is iterations 3 && kr_is peer krping &&
		kr_ended server ok && kr_is test "$1" && kr_is peer krping
}
for test in wlat rlat slat bw rbw sbw fr; do
	check "a plain server adopts the test $test" adopts_test $test
done

t_end
