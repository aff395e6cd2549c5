# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Shared by the tests in which krping-peer, a peer that misbehaves on request,
# is the other side. Sourced behind lib.sh. POSIX sh.

PEER=${KRPING_PEER:-krping-peer}
PEER_WAIT=60

port=20000

# next_port: one for each case, so that no case meets what is left of another
next_port() {
	port=$((port + 1))
}

# peer_start NAME ARG...: krping-peer in another process; what it prints goes
# to $T_TMP/NAME.peer, its exit status at the end to NAME.rc
peer_start() {
	_f=$T_TMP/$1
	shift
	rm -f "$_f.rc" "$_f.peer"
	(
		"$PEER" "$@" >"$_f.peer" 2>&1
		echo $? >"$_f.rc.new"
		mv "$_f.rc.new" "$_f.rc"
	) &
}

# peer_says NAME TEXT: has it printed this?
peer_says() {
	grep -qs "$2" "$T_TMP/$1.peer" ||
		why "the peer has not said '$2', but: $(cat "$T_TMP/$1.peer")"
}

# peer_server NAME ARG...: a server on $port, which listens when this returns
peer_server() {
	_name=$1
	shift
	next_port
	peer_start "$_name" server "$ADDR" "$port" "$@"
	until_ok $PEER_WAIT peer_says "$_name" ': listening'
}

# peer_client NAME ARG...: a client of the server on $port
peer_client() {
	_name=$1
	shift
	peer_start "$_name" client "$ADDR" "$port" "$@"
}

# peer_ended NAME [STATUS]: it ends, and so
peer_ended() {
	until_ok $PEER_WAIT test -e "$T_TMP/$1.rc" || {
		why "the peer has not ended: $(cat "$T_TMP/$1.peer")"
		return 1
	}
	read -r _rc <"$T_TMP/$1.rc"
	[ "$_rc" = "${2-0}" ] ||
		why "the peer ended with $_rc instead of ${2-0}: $(cat "$T_TMP/$1.peer")"
}

# one_line ROLE: what krping's result says of its failure is in the log, once
one_line() {
	_n=$(klog_since | grep -c "krping: test [0-9]*, $1: ")
	eq "$_n" 1 "number of log lines" || return 1
	klog_since | grep -qF "$1: $KR_DETAIL" || why "the log does not say '$KR_DETAIL'"
}

# no_line ROLE: nothing to complain about in the log
no_line() {
	eq "$(klog_since | grep -c "krping: test [0-9]*, $1: ")" 0 "number of log lines"
}

# failed_so ROLE ERRNO WORDS [WC_STATUS]: the command that was taken last has
# failed so, for this reason, and nothing is left of it
failed_so() {
	kr_returned "$2" &&
		kr_detail_has "$3" &&
		{ [ -z "${4-}" ] || kr_is wc_status "\"$4\""; } &&
		one_line "$1" &&
		kr_clean
}

# succeeded ROLE [ITERATIONS]: the same for a success
succeeded() {
	kr_returned ok &&
		{ [ -z "${2-}" ] || kr_is iterations "$2"; } &&
		no_line "$1" &&
		kr_clean
}

# What a test is given that will be let wait; long for whatever is not to blame.
PATIENCE=2000

# client_meets DESC PEER_ARGS OPTIONS ERRNO|ok WORDS [WC_STATUS [PEER_STATUS]]
client_meets() {
	klog_mark
	# shellcheck disable=SC2086 # the words of a command line
	peer_server s $2
	kr_fg client "client,addr=$ADDR,port=$port,count=3,timeout=$PATIENCE${3:+,$3}"
	check "client: $1" client_did "$4" "$5" "${6-}" "${7-0}"
}

client_did() {
	kr_wait client $PEER_WAIT && peer_ended s "$4" || return 1
	case $1 in
	ok) succeeded client 3 ;;
	*) failed_so client "$1" "$2" "$3" ;;
	esac
}

listening() {
	kr_list
	case $KR_LIST in
	*listen*) return 0 ;;
	esac
	why "the list is: $KR_LIST"
}

# server_meets DESC PEER_ARGS OPTIONS ERRNO|ok WORDS [WC_STATUS [PEER_STATUS]]
server_meets() {
	klog_mark
	next_port
	kr_fg server "server,addr=$ADDR,port=$port,timeout=$PATIENCE${3:+,$3}"
	until_ok $PEER_WAIT listening
	# shellcheck disable=SC2086
	peer_client c $2
	check "server: $1" server_did "$4" "$5" "${6-}" "${7-0}"
}

server_did() {
	kr_wait server $PEER_WAIT && peer_ended c "$4" || return 1
	case $1 in
	ok) succeeded server ;;
	*) failed_so server "$1" "$2" "$3" ;;
	esac
}
