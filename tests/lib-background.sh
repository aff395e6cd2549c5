# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Servers and clients that run in the background until they are stopped. Sourced
# behind lib.sh. POSIX sh.

# shellcheck disable=SC2034 # for those who source this

# serve OPTIONS: start a server in the background, on a port of its own, which the
# functions below connect to. server_id is its number.
port=12000
serve() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT,$1" || return 1
	server_id=$(kr_get id)
}

# client OPTIONS: CMD is the command of a client of that server
client() {
	CMD="client,addr=$ADDR,port=$port,$PATIENT,$1"
}

# once OPTIONS: run a client to its end
once() {
	client "$1"
	kr "$CMD"
	kr_returned ok
}

# endless NAME OPTIONS: start a client in the background and wait for its first
# iteration. ID is its number.
endless() {
	client "$2"
	kr_bg "$1" "$CMD" && until_ok 20 kr_runs "$1" && ID=$(kr_get id)
}

# goes_on NAME: the client runs and does more iterations
goes_on() {
	kr_result "$1"
	kr_is status running && until_ok 20 kr_runs "$1" "$(kr_get iterations)" &&
		kr_is status running
}

# stops NAME: stop this client only
stops() {
	kr_result "$1"
	kr "stop,id=$(kr_get id)" && kr_is stopped 1 && kr_ended "$1" ECANCELED
}

# served CLIENTS FAILED ERRNO|ok: the server has ended, and its result has these
# numbers
served() {
	kr_ended server "$3" && kr_is clients "$1" && kr_is failed "$2"
}

# refused_busy OPTIONS: the server rejects a client with these options as busy
refused_busy() {
	client "$1"
	kr_fails_with ECONNREFUSED "$CMD" busy
}

# alive CLIENTS: the server runs and has served so many clients
alive() {
	kr_result server
	kr_is status running && kr_is clients "$1"
}

# endless_pair NAME: start a pair on a port of its own and wait for its first iteration.
# NAME is the client, NAME_s is the server.
endless_pair() {
	port=$((port + 1))
	kr_bg "$1_s" "server,addr=$ADDR,port=$port" &&
		kr_bg "$1" "client,addr=$ADDR,port=$port,count=0,validate" &&
		until_ok 20 kr_runs "$1"
}

#
# A pair that runs while a test disturbs krping. kr_clean and kr_none accept it.
#

beside_port=19000

# beside_begin: start the pair
beside_begin() {
	klog_mark
	kr_bg beside_server "server,addr=$ADDR,port=$beside_port"
	kr_bg beside_client "client,addr=$ADDR,port=$beside_port,validate,size=1000"
	until_ok 60 kr_runs beside_client
	beside_id=$(kr_get id)
	beside_objects=$t_objects
	t_objects=$(rdma_objects)
	KR_BESIDE=2
}

# undisturbed: the pair does more iterations
undisturbed() {
	goes_on beside_client || why 'the pair in the background does no more iterations'
}

# beside_end: stop the pair, and check that nothing else has ended it
beside_end() {
	KR_BESIDE=0
	t_objects=$beside_objects
	kr "stop,id=$beside_id"
	check "the client beside $T_NAME runs until stop" kr_ended beside_client ECANCELED
	check "the server beside $T_NAME ends without an error" kr_ended beside_server ok
}
