# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Run krping against krping-peer, a user-space peer that misbehaves on request. Source this
# file after lib-krping.sh. POSIX sh.
#
# A case is a test with krping on one side and krping-peer on the other side. Each case has
# a port of its own. Cases are collected and run in parallel, because most of their time is
# spent waiting.

PEER_PROGRAM=${KRPING_PEER:-krping-peer}
PEER_WAIT=60

# krping-peer reports invented figures.
export KWRITE_UNTRUSTED_PEER=yes

# Number of cases that run in parallel.
BATCH=8

# timeout= of a test whose peer is silent, in ms; long enough that a busy guest does not reach
# it for another reason
PATIENCE=2000
[ "$T_SLOW" = 1 ] || PATIENCE=6000

port=20000

# next_port: set port to an unused port, so that no case meets connections of another case
next_port() {
	port=$((port + 1))
}

#
# The peer
#

# peer_start NAME ARG...: start krping-peer in the background, with its output in
# $T_TMP/NAME.peer
peer_start() {
	_name=$1
	shift
	: >"$T_TMP/$_name.peer"
	# shellcheck disable=SC2086 # PEER_PROGRAM may have arguments
	$PEER_PROGRAM "$@" >"$T_TMP/$_name.peer" 2>&1 &
	eval "peer_pid_$_name=\$!"
}

# peer_says NAME PATTERN: check that krping-peer has printed a line that matches
peer_says() {
	while read -r _l; do
		# shellcheck disable=SC2254 # a pattern
		case ${_l#peer: } in
		$2) return 0 ;;
		esac
	done <"$T_TMP/$1.peer"
	why "krping-peer has not printed '$2', but: $(peer_text "$1")"
}

# peer_text NAME: print the output of krping-peer
peer_text() {
	cat "$T_TMP/$1.peer"
}

# peer_server NAME ARG...: start krping-peer as a server on a new $port, and wait until it
# listens
peer_server() {
	_server=$1
	shift
	next_port
	peer_start "$_server" server "$ADDR" "$port" "$@"
	until_ok $PEER_WAIT peer_says "$_server" listening
}

# peer_client NAME ARG...: start krping-peer as a client of the server on $port
peer_client() {
	_client=$1
	shift
	peer_start "$_client" client "$ADDR" "$port" "$@"
}

# peer_ended NAME [STATUS[/STATUS]...]: wait for the end of krping-peer, which has a time
# limit, and check that its exit status is one of these (default 0)
peer_ended() {
	eval "wait \$peer_pid_$1"
	_rc=$?
	case /${2-0}/ in
	*"/$_rc/"*) return 0 ;;
	esac
	why "krping-peer ended with status $_rc instead of ${2-0}: $(peer_text "$1")"
}

#
# The result of krping's side
#

# log_split: write the log lines of each test N since the mark into $T_TMP/log.N
log_split() {
	rm -f "$T_TMP"/log.*
	klog_since | awk -v to="$T_TMP/log." '
		match($0, /krping: test [0-9]+, /) {
			id = substr($0, RSTART + 13, RLENGTH - 15)
			print substr($0, RSTART + RLENGTH) > (to id)
		}'
}

# log_of ROLE: set LOG_LINES to the number of failures that the last test has logged in this
# role, and LOG_LAST to the text of the last one
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

# one_line ROLE: check that the log has the detail of the result, exactly once
one_line() {
	log_of "$1"
	eq "$LOG_LINES" 1 "number of log lines" &&
		eq "$LOG_LAST" "$KR_DETAIL" "the log line"
}

# no_line ROLE: check that the last test has logged no failure
no_line() {
	log_of "$1"
	eq "$LOG_LINES" 0 "number of log lines"
}

# failed_for ROLE ERRNO[/ERRNO]... WORDS [WC_STATUS]: check that the last command has failed
# with one of these errnos and that its detail contains WORDS
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

# failed_so ROLE ERRNO WORDS [WC_STATUS]: as failed_for, and check that no test and no RDMA
# object is left
failed_so() {
	failed_for "$@" && kr_clean
}

#
# Cases. The collected cases have numbers from 1. The fields of case N are in the variables
# case_FIELD_N.
#

cases=0
# number of cases of the subject, and whether the last case is skipped: KR_QUICK skips three
# of four
case_serial=0
case_out=

# client_meets DESC PEER_ARGS OPTIONS ERRNO[/ERRNO]...|ok WORDS [WC_STATUS
#	[PEER_STATUS]]: add a case in which krping is the client and krping-peer the server
client_meets() {
	case_add client "$1" "$2" "count=3${3:+,$3}" "$4" "$5" "${6-}" "${7-0}"
}

# server_meets: as client_meets, with krping as the server
server_meets() {
	case_add server "$1" "$2" "$3" "$4" "$5" "${6-}" "${7-0}"
}

# also DESC COMMAND...: add a check that runs after the last case. $CASE is the NAME of the
# case's peer. No word may contain a single quote.
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

# case_drop: remove the last case unless T_ONLY selects one of its checks
case_drop() {
	[ $cases -gt 0 ] || return 0
	eval "_wanted=\$case_wanted_$cases"
	[ -n "$_wanted" ] || cases=$((cases - 1))
}

# case_add FIELD...: add a case, with the fields in the order of $case_words
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

# cases_do COMMAND: run COMMAND for each case, with its number in $c and its fields in
# $c_FIELD
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

# case_set FIELD VALUE: set a field of the case $c
case_set() {
	eval "case_$1_$c=\$2 c_$1=\$2"
}

# case_krping: start krping's side in the background
case_krping() {
	# shellcheck disable=SC2153 # PATIENT is set by lib-krping.sh
	_patience=,$PATIENT
	case $c_opts,$c_errno,$c_args in
	*timeout=*) _patience= ;;
	*ETIMEDOUT* | *silent*) _patience=,timeout=$PATIENCE ;;
	esac
	kr_fg "$c_name" "$c_role,addr=$ADDR,port=$c_port$_patience${c_opts:+,$c_opts}"
	case_set pid $!
}

# case_peer ROLE: start krping-peer
case_peer() {
	# shellcheck disable=SC2086 # split into words
	peer_start "$c_name" "$1" "$ADDR" "$c_port" $c_args
}

# case_serve: start the side that listens
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

# case_connect: start the side that connects
case_connect() {
	case $c_role in
	server) case_peer client ;;
	client)
		until_ok $PEER_WAIT peer_says "$c_name" listening
		case_krping
		;;
	esac
}

# case_turned_away: check whether the connection manager itself has rejected the peer's
# request. With rxe, the one of Linux 5.10 sometimes rejects one of several simultaneous
# requests as a stale connection (10) or an unknown service (8):
# see Documentation/known-issues.md.
case_turned_away() {
	provider_is rxe 5.10 && peer_text "$c_name" | grep -qE 'REJECTED status=(8|10)$'
}

# case_wait: wait for the end of both sides; kwrite and krping-peer have time limits. A peer
# with the expected status 143 gets SIGTERM after krping's side has ended.
case_wait() {
	# krping's server would wait for another client
	! case_turned_away || kill "$c_pid"
	wait "$c_pid"
	[ "$c_status" != 143 ] || eval "kill \$peer_pid_$c_name"
	peer_ended "$c_name" "$c_status" || case_set why "$T_WHY"
}

# case_did: check that both sides have ended as expected
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

# case_judge: report the result of the case $c, and run its further checks
# shellcheck disable=SC2034 # lib-krping.sh and the sourcing file use the variables
case_judge() {
	if case_turned_away; then
		skip "$c_role: $c_desc" "the connection manager rejected the peer"
		return
	fi
	CASE=$c_name
	KR_CMD="$c_role with $c_opts, and a peer with $c_args"
	KR_RESULT=$T_TMP/$CASE
	kr_take
	check "$c_role: $c_desc" case_did
	eval "$c_also"
}

# cases_run: run the collected cases. No other test may run at the same time.
cases_run() {
	case_drop
	[ $cases -gt 0 ] || return 0
	klog_mark
	case_servers=0
	cases_do case_serve
	until_ok $PEER_WAIT kr_servers_listen "$case_servers"
	cases_do case_connect
	# case_wait looks for rejects of the connection manager, which arrive within 3 s
	! provider_is rxe 5.10 || sleep 3
	cases_do case_wait

	log_split
	log_is_split=yes
	_result=$KR_RESULT
	cases_do case_judge
	KR_RESULT=$_result
	log_is_split=
	check "the cases up to number ${c_name#case} leave no test or RDMA object" kr_clean
	cases=0
}
# shellcheck disable=SC2034 # lib-krping.sh uses it
T_AT_END=cases_run

#
# Stages: the points of the protocol at which a test waits for its peer. For each stage a
# krping-peer becomes silent there. The peers may run in another guest, which also sources
# this file: stage_peer_* run in the guest with the peers, the other stage_* in krping's.
#

# One stage per line: arguments of a krping-peer server | options of krping's client
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

# One stage per line: arguments of a krping-peer client | options of krping's server
stage_servers='
--count 3 --fault silent=connect|
--count 3 --fault silent=first|mem_mode=reg
--count 3 --fault silent=second --at 1|poll
--count 3 --report --fault silent=report|
--test wlat --fault silent=connect|
--test slat --count 5 --at 2 --fault silent=first|
--test bw --count 5 --at 2 --fault silent=first|
--test rbw --count 5 --fault silent=report|'

# stage_each TABLE COMMAND...: run COMMAND for each line of TABLE, with the line's number,
# the peer's arguments and krping's options
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

# stage_rows TABLE: set nr_rows to the number of lines
stage_rows() {
	stage_each "$1" :
	nr_rows=$_nr
}

# peers_said NAME N TEXT: check that N of the peers NAME1, NAME2... have printed TEXT
peers_said() {
	set -- "$2" "$(grep -l "$3" "$T_TMP/$1"[0-9]*.peer 2>/dev/null | wc -l)" "$3"
	[ "$1" = "$2" ] || why "$2 instead of $1 peers have printed '$3'"
}

# peer_row NAME ROLE ADDR N ARGS: start krping-peer, with its output in $T_TMP/NAMEN.peer and
# its exit status in $T_TMP/NAMEN.rc
peer_row() {
	(
		# shellcheck disable=SC2086 # split into words
		"$PEER_PROGRAM" "$2" "$3" $((stage_port + $4)) --timeout 900 $5 \
			>"$T_TMP/$1$4.peer" 2>&1
		echo $? >"$T_TMP/$1$4.rc"
	) &
}

# stage_peer_servers ADDR PORT: start the peers that are servers, on the ports after PORT,
# and wait until they listen
stage_peer_servers() {
	stage_port=$2
	rm -f "$T_TMP"/ps*.peer "$T_TMP"/ps*.rc
	stage_each "$stage_clients" peer_row ps server "$1"
	until_ok "$PEER_WAIT" peers_said ps "$_nr" ': listening'
}

# stage_peer_clients ADDR PORT: start the peers that are clients of krping's servers on the
# ports after PORT
stage_peer_clients() {
	stage_port=$2
	rm -f "$T_TMP"/pc*.peer "$T_TMP"/pc*.rc
	stage_each "$stage_servers" peer_row pc client "$1"
}

# stage_peers_stand: wait until each peer has reached its stage
stage_peers_stand() {
	stage_rows "$stage_clients"
	until_ok "$PEER_WAIT" peers_said ps "$nr_rows" 'fault at stage' || return 1
	stage_rows "$stage_servers"
	until_ok "$PEER_WAIT" peers_said pc "$nr_rows" 'fault at stage'
}

# peers_over: check that nr_peers peers have ended with status 0
peers_over() {
	_over=$(grep -lx 0 "$T_TMP"/ps*.rc "$T_TMP"/pc*.rc 2>/dev/null | wc -l)
	[ "$_over" -ge "$nr_peers" ] || why "$_over of $nr_peers peers have ended with status 0"
}

# stage_peers_end: wait until each peer has seen the end of its connection. The first server
# does not count: it has no connection, so it ends only if its device is removed.
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

# stage_row NAME ROLE ADDR N ARGS OPTIONS: start krping's side of a stage with kr_spawn, as
# NAMEN, in a process that a signal ends. $stage_names and $stage_pids collect the names and
# the processes.
stage_row() {
	_cmd="$2,addr=$3,port=$((stage_port + $4)),$stage_opts${6:+,$6}"
	kr_spawn "$1$4" limit=900 signal=15:1000000 "write=$_cmd" read
	stage_pids="$stage_pids $!"
	stage_names="$stage_names $1$4"
}

# stage_begin OPTIONS: set the options of all of krping's tests
stage_begin() {
	stage_opts=$1 stage_pids='' stage_names=''
}

# stage_clients_begin ADDR PORT: start krping's clients sc1, sc2...
stage_clients_begin() {
	stage_port=$2
	stage_each "$stage_clients" stage_row sc client "$1"
}

# stage_servers_begin ADDR PORT: start krping's servers ss1, ss2... and wait until they listen
stage_servers_begin() {
	stage_port=$2
	stage_each "$stage_servers" stage_row ss server "$1"
	until_ok "$PEER_WAIT" stage_all_listen "$_nr"
}

# stage_all_listen N: check that N servers listen on the ten ports from $stage_port
stage_all_listen() {
	eq "$(rdma res show cm_id | grep -c " LISTEN .*:${stage_port%?}[0-9] ")" "$1" "number of listeners"
}

# stages_ended NAMES ERRNO|ok...: check that each of NAMES has ended with one of these. siw
# itself waits only 10 s for the reply to a connection request. On a busy machine this time
# may pass before all tests have reached their stage.
stages_ended() {
	[ "$TYPE" != siw ] || set -- "$@" ETIMEDOUT
	kr_all_ended "$@"
}

# stage_ended ERRNO|ok...: check that each of $stage_names has ended with one of these
stage_ended() {
	stages_ended "$stage_names" "$@"
}
