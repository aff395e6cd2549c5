# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# A test at each stage, waiting for a krping-peer that is silent from there on.
# Sourced behind lib-peer.sh. POSIX sh. The peers may be in another guest, which
# sources this, too: stage_peer_... is run where they are, stage_... where krping is.

# What is told to the peers that are servers, and to their clients
stage_clients='
--fault silent=request|
--fault silent=connect|mem_mode=reg
--fault silent=first|poll
--fault silent=second --at 1|server_inv
--fault silent=end --at 1|
--report --fault silent=report|count=3
--fault silent=connect|bw
--fault silent=report|rlat,count=3,mem_mode=reg
--recvs 2 --fault silent=second|sbw,count=9'

# What is told to the peers that are clients, and to their servers
stage_servers='
--count 3 --fault silent=connect|
--count 3 --fault silent=first|mem_mode=reg
--count 3 --fault silent=second --at 1|poll
--count 3 --report --fault silent=report|
--test wlat --fault silent=connect|
--test slat --count 5 --at 2 --fault silent=first|
--test bw --count 5 --at 2 --fault silent=first|
--test rbw --count 5 --fault silent=report|'

# stage_each TABLE COMMAND...: with a number, what a line tells the peer and krping
stage_each() {
	_table=$1
	_nr=0
	shift
	while IFS='|' read -r _peer _kr; do
		[ -n "$_peer" ] || continue
		_nr=$((_nr + 1))
		"$@" "$_nr" "$_peer" "$_kr" || return 1
	done <<-END
		$_table
	END
}

stage_rows() {
	stage_each "$1" :
	nr_rows=$_nr
}

# peers_said NAME N TEXT: have so many of the peers NAME... said this?
peers_said() {
	set -- "$2" "$(grep -l "$3" "$T_TMP/$1"[0-9]*.peer 2>/dev/null | wc -l)" "$3"
	[ "$1" = "$2" ] || why "$2 instead of $1 peers have said '$3'"
}

# peer_row NAME ROLE ADDR N ARGS: what it prints goes to NAMEN.peer, and how it ended
# to NAMEN.rc
peer_row() {
	(
		# shellcheck disable=SC2086 # the words of a command line
		"$PEER_PROGRAM" "$2" "$3" $((stage_port + $4)) --timeout 900 $5 \
			>"$T_TMP/$1$4.peer" 2>&1
		echo $? >"$T_TMP/$1$4.rc"
	) &
}

# stage_peer_servers ADDR PORT: behind PORT, and they listen when this returns
stage_peer_servers() {
	stage_port=$2
	rm -f "$T_TMP"/ps*.peer "$T_TMP"/ps*.rc
	stage_each "$stage_clients" peer_row ps server "$1"
	until_ok "$PEER_WAIT" peers_said ps "$_nr" ': listening'
}

# stage_peer_clients ADDR PORT: of the servers there
stage_peer_clients() {
	stage_port=$2
	rm -f "$T_TMP"/pc*.peer "$T_TMP"/pc*.rc
	stage_each "$stage_servers" peer_row pc client "$1"
}

# stage_peers_stand: all peers have come to their stage
stage_peers_stand() {
	stage_rows "$stage_clients"
	until_ok "$PEER_WAIT" peers_said ps "$nr_rows" 'fault at stage' || return 1
	stage_rows "$stage_servers"
	until_ok "$PEER_WAIT" peers_said pc "$nr_rows" 'fault at stage'
}

peers_over() {
	_over=$(grep -lx 0 "$T_TMP"/ps*.rc "$T_TMP"/pc*.rc 2>/dev/null | wc -l)
	[ "$_over" -ge "$nr_peers" ] || why "$_over of $nr_peers peers have seen the end"
}

# stage_peers_end: all peers see the end of their connection, but for the first server,
# which has none, unless its device goes
stage_peers_end() {
	stage_rows "$stage_clients"
	nr_peers=$((nr_rows - 1))
	stage_rows "$stage_servers"
	nr_peers=$((nr_peers + nr_rows))
	until_ok "$PEER_WAIT" peers_over
	_ret=$?
	killall -q krping-peer
	return $_ret
}

# Commands that are waited for by processes of their own, which a signal ends. They
# are called sc1... and ss1...; the processes are $stage_pids.
stage_row() {
	_cmd="$2,addr=$3,port=$((stage_port + $4)),$stage_opts${6:+,$6}"
	kr_spawn "$1$4" limit=900 signal=15:1000000 "write=$_cmd" read
	stage_pids="$stage_pids $!"
	stage_names="$stage_names $1$4"
}

# stage_begin OPTIONS
stage_begin() {
	stage_opts=$1 stage_pids='' stage_names=''
}

# stage_clients_begin ADDR PORT
stage_clients_begin() {
	stage_port=$2
	stage_each "$stage_clients" stage_row sc client "$1"
}

# stage_servers_begin ADDR PORT: they listen when this returns
stage_servers_begin() {
	stage_port=$2
	stage_each "$stage_servers" stage_row ss server "$1"
	until_ok "$PEER_WAIT" stage_all_listen "$_nr"
}

# of those on the ten ports behind $stage_port
stage_all_listen() {
	eq "$(rdma res show cm_id | grep -c " LISTEN .*:${stage_port%?}[0-9] ")" "$1" "number of listeners"
}

# stages_ended NAMES ERRNO|ok...: each of NAMES has ended with one of these. Where the
# tests have no timeout, siw has one of ten seconds for the answer to a request, which
# may be over before all the others stand on a busy machine.
stages_ended() {
	[ "$TYPE" != siw ] || set -- "$@" ETIMEDOUT
	kr_all_ended "$@"
}

# stage_ended ERRNO|ok...: all of them
stage_ended() {
	stages_ended "$stage_names" "$@"
}
