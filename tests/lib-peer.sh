# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Shared by the tests in which krping-peer, a peer that misbehaves on request,
# is the other side. Sourced behind lib-krping.sh. POSIX sh.
#
# Most of these tests are a case: one side is krping and the other is the peer,
# on a port of their own. Cases are collected, and run side by side: most of them
# wait for something, be it a process that starts, and a guest has several CPUs.

PEER_PROGRAM=${KRPING_PEER:-krping-peer}
PEER_WAIT=60

# It reports figures that it has made up.
export KWRITE_UNTRUSTED_PEER=yes

# How many cases run at once.
BATCH=8

# What a test is given that will be let wait, in milliseconds; long for whatever is not
# to blame.
PATIENCE=2000
[ "$T_SLOW" = 1 ] || PATIENCE=6000

port=20000

# next_port: one for each case, so that no case meets what is left of another
next_port() {
	port=$((port + 1))
}

#
# The peer
#

# peer_start NAME ARG...: the peer in another process; what it prints goes to
# $T_TMP/NAME.peer
peer_start() {
	_name=$1
	shift
	: >"$T_TMP/$_name.peer"
	# shellcheck disable=SC2086 # maybe with a program that runs it
	$PEER_PROGRAM "$@" >"$T_TMP/$_name.peer" 2>&1 &
	eval "peer_pid_$_name=\$!"
}

# peer_says NAME PATTERN: has it printed this line?
peer_says() {
	while read -r _l; do
		# shellcheck disable=SC2254 # it is a pattern
		case ${_l#peer: } in
		$2) return 0 ;;
		esac
	done <"$T_TMP/$1.peer"
	why "the peer has not said '$2', but: $(peer_text "$1")"
}

# peer_text NAME: all that it has printed
peer_text() {
	cat "$T_TMP/$1.peer"
}

# peer_server NAME ARG...: a server on $port, which listens when this returns
peer_server() {
	_server=$1
	shift
	next_port
	peer_start "$_server" server "$ADDR" "$port" "$@"
	until_ok $PEER_WAIT peer_says "$_server" listening
}

# peer_client NAME ARG...: a client of the server on $port
peer_client() {
	_client=$1
	shift
	peer_start "$_client" client "$ADDR" "$port" "$@"
}

# peer_ended NAME [STATUS[/STATUS]...]: it ends, which it does by itself in the
# end, and so
peer_ended() {
	eval "wait \$peer_pid_$1"
	_rc=$?
	case /${2-0}/ in
	*"/$_rc/"*) return 0 ;;
	esac
	why "the peer ended with $_rc instead of ${2-0}: $(peer_text "$1")"
}

#
# How krping's side ends
#

# log_split: what the log says of test N since the mark, in $T_TMP/log.N
log_split() {
	rm -f "$T_TMP"/log.*
	klog_since | awk -v to="$T_TMP/log." '
		match($0, /krping: test [0-9]+, /) {
			id = substr($0, RSTART + 13, RLENGTH - 15)
			print substr($0, RSTART + RLENGTH) > (to id)
		}'
}

# log_of ROLE: LOG_LINES is how often the test that was taken last has said in the
# log that it failed, and LOG_LAST its words
log_of() {
	LOG_LINES=0
	LOG_LAST=
	_id=${KR_OUT#*" id="}
	_id=${_id%% *}
	[ -n "$log_is_split" ] || log_split
	[ -e "$T_TMP/log.$_id" ] || return 0
	while IFS= read -r _l; do
		case $_l in
		"$1: "*)
			LOG_LINES=$((LOG_LINES + 1))
			LOG_LAST=${_l#"$1: "}
			;;
		esac
	done <"$T_TMP/log.$_id"
}
log_is_split=

# one_line ROLE: what krping's result says of its failure is in the log, once
one_line() {
	log_of "$1"
	eq "$LOG_LINES" 1 "number of log lines" &&
		eq "$LOG_LAST" "$KR_DETAIL" "the log"
}

# no_line ROLE: nothing to complain about in the log
no_line() {
	log_of "$1"
	eq "$LOG_LINES" 0 "number of log lines"
}

# failed_for ROLE ERRNO[/ERRNO]... WORDS [WC_STATUS]: the command that was taken
# last has failed with one of these, for this reason
failed_for() {
	case /$2/ in
	*"/$KR_ERRNO/"*) ;;
	*)
		why "errno is $KR_ERRNO instead of $2"
		return 1
		;;
	esac
	kr_returned "$KR_ERRNO" &&
		kr_detail_has "$3" &&
		{ [ -z "${4-}" ] || kr_is wc_status "\"$4\""; } &&
		one_line "$1"
}

# failed_so ROLE ERRNO WORDS [WC_STATUS]: the same, and nothing is left of it
failed_so() {
	failed_for "$@" && kr_clean
}

#
# Cases. Those that have been collected have numbers from 1, and what is known of
# them stands in variables with that number.
#

cases=0
# the name of the last one, and whether it is left out: with KR_QUICK three of four are
case_serial=0
case_out=

# client_meets DESC PEER_ARGS OPTIONS ERRNO[/ERRNO]...|ok WORDS [WC_STATUS
#	[PEER_STATUS]]: what becomes of a client of a peer with these arguments
client_meets() {
	case_add client "$1" "$2" "count=3${3:+,$3}" "$4" "$5" "${6-}" "${7-0}"
}

# server_meets: the same for a server
server_meets() {
	case_add server "$1" "$2" "$3" "$4" "$5" "${6-}" "${7-0}"
}

# also DESC COMMAND...: one more test of the last case, when that has ended.
# $CASE is the name of the case's peer. No word has a quote in it.
also() {
	[ -z "$case_out" ] || return 0
	! t_wanted "$1" || eval "case_wanted_$cases=yes"
	_also=check
	for _w; do
		_also="$_also '$_w'"
	done
	eval "case_also_$cases=\"\${case_also_$cases}\$_also;\""
}

case_words='role desc args opts errno words wc status'
c_role='' c_desc='' c_args='' c_opts='' c_errno='' c_words='' c_wc='' c_status=''
c_name='' c_also='' c_why='' c_port='' c_pid=''

# case_drop: forget the last case unless one of its checks is wanted
case_drop() {
	[ $cases -gt 0 ] || return 0
	eval "_wanted=\$case_wanted_$cases"
	[ -n "$_wanted" ] || cases=$((cases - 1))
}

# case_add WORD...: as they are called above
case_add() {
	case_serial=$((case_serial + 1))
	case_out=
	if [ "${KR_QUICK-}" ] && [ $((case_serial % 4)) != 1 ]; then
		case_out=yes
		return
	fi
	case_drop
	[ $cases -lt $BATCH ] || cases_run
	cases=$((cases + 1))
	eval "case_wanted_$cases="
	! t_wanted "$1: $2" || eval "case_wanted_$cases=yes"
	for _v in $case_words; do
		eval "case_${_v}_$cases=\$1"
		shift
	done
	eval "case_name_$cases=case$case_serial case_also_$cases= case_why_$cases="
}

# cases_do COMMAND: for each case in turn, with its number in $c and what is known
# of it in $c_...
cases_do() {
	c=0
	while [ $c -lt $cases ]; do
		c=$((c + 1))
		for _v in $case_words name also why port pid; do
			eval "c_$_v=\${case_${_v}_$c-}"
		done
		"$1"
	done
}

# case_set WORD VALUE: from now on this is known, too
case_set() {
	eval "case_$1_$c=\$2 c_$1=\$2"
}

# case_krping: krping's side, in another process
case_krping() {
	# shellcheck disable=SC2153 # of lib-krping.sh
	_patience=,$PATIENT
	case $c_opts,$c_errno,$c_args in
	*timeout=*) _patience= ;;
	*ETIMEDOUT* | *silent*) _patience=,timeout=$PATIENCE ;;
	esac
	kr_fg "$c_name" "$c_role,addr=$ADDR,port=$c_port$_patience${c_opts:+,$c_opts}"
	case_set pid $!
}

# case_peer ROLE: the peer's
case_peer() {
	# shellcheck disable=SC2086 # the words of a command line
	peer_start "$c_name" "$1" "$ADDR" "$c_port" $c_args
}

# case_serve: the side that listens
case_serve() {
	next_port
	case_set port $port
	case $c_role in
	server)
		case_krping
		case_servers=$((case_servers + 1))
		;;
	client) case_peer server ;;
	esac
}

# case_servers_listen: do all of krping's listen?
case_servers_listen() {
	kr_list
	_listen=0
	while read -r _l; do
		case $_l in
		*listen*) _listen=$((_listen + 1)) ;;
		esac
	done <<-END
		$KR_LIST
	END
	[ $_listen -ge "$case_servers" ]
}

# case_connect: the other side
case_connect() {
	case $c_role in
	server) case_peer client ;;
	client)
		until_ok $PEER_WAIT peer_says "$c_name" listening
		case_krping
		;;
	esac
}

# case_turned_away: was the peer's request rejected by the connection manager itself?
# That of 5.10 does so with rxe now and then, as of a stale connection or an unknown
# service, if several connect at once: see Documentation/known-issues.md.
case_turned_away() {
	provider_is rxe 5.10 && peer_text "$c_name" | grep -qE 'REJECTED status=(8|10)$'
}

# case_wait: for both sides. The tool has a time limit, and the peer has one. A
# peer that should end by SIGTERM gets it when krping has had enough.
case_wait() {
	# its server would wait for another one
	! case_turned_away || kill "$c_pid"
	wait "$c_pid"
	[ "$c_status" != 143 ] || eval "kill \$peer_pid_$c_name"
	peer_ended "$c_name" "$c_status" || case_set why "$T_WHY"
}

# case_did: has it ended as it should?
case_did() {
	if [ -n "$c_why" ]; then
		why "$c_why"
		return 1
	fi
	case $c_errno in
	ok)
		kr_returned ok &&
			{ [ "$c_role" = server ] || kr_is iterations 3; } &&
			no_line "$c_role"
		;;
	*) failed_for "$c_role" "$c_errno" "$c_words" "$c_wc" ;;
	esac
}

# shellcheck disable=SC2034 # for lib-krping.sh, and for those who source this
case_judge() {
	if case_turned_away; then
		skip "$c_role: $c_desc" "the connection manager turned the peer away"
		return
	fi
	CASE=$c_name
	KR_CMD="$c_role with $c_opts, and a peer with $c_args"
	KR_RESULT=$T_TMP/$CASE
	kr_take
	check "$c_role: $c_desc" case_did
	eval "$c_also"
}

# cases_run: run what has been collected. Nothing else should run beside it.
cases_run() {
	case_drop
	[ $cases -gt 0 ] || return 0
	klog_mark
	case_servers=0
	cases_do case_serve
	until_ok $PEER_WAIT case_servers_listen
	cases_do case_connect
	# by then it is known whom the connection manager turns away
	! provider_is rxe 5.10 || sleep 3
	cases_do case_wait

	log_split
	log_is_split=yes
	_result=$KR_RESULT
	cases_do case_judge
	KR_RESULT=$_result
	log_is_split=
	check "nothing is left of these $cases" kr_clean
	cases=0
}
# shellcheck disable=SC2034 # for lib-krping.sh
T_AT_END=cases_run

#
# Stages: at each of them a test waits for a peer that is silent from there on. The peers
# may be in another guest, which sources this file as well: stage_peer_... runs where the
# peers are, stage_... where krping is.
#

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
