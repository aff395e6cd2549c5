# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# For subjects in which something fails on request: see
# tests/kmod/krping_fault.c. Sourced behind lib.sh. POSIX sh.
#
# A walk runs the same commands again and again, the N-th time with the N-th call of
# a function failing that krping has to do with, until there are no more. With
# KR_ONCE=yes only one call fails of those that come from the same place in krping's
# code, over all walks together.

FAULT=/sys/kernel/debug/krping_fault

# More than any walk has.
WALK_MAX=1500

# How many calls have failed in all walks.
walk_failed=0

# What a command may end with if the fault has hit its own side, and if it has hit
# the other's; "-" is a command that was not given any more.
OWN='ok ENOMEM'
OTHER='ok - ECONNREFUSED ECONNRESET ETIMEDOUT'

# fault_in FUNCTION RETVAL: this is what fails, and so
fault_in() {
	echo 0 >$FAULT/nth
	echo "$1" >$FAULT/function && echo "$2" >$FAULT/retval
}

# fault_off: nothing fails
fault_off() {
	echo 0 >$FAULT/nth
	echo >$FAULT/function
}

# fault_reject FUNCTION...: calls on behalf of these do not count
fault_reject() {
	fault_off
	for _f; do
		echo "$_f" 2>/dev/null >$FAULT/reject || diag "there is no function $_f"
	done
}

# fault_hit: has one failed? HIT_COMM is the process that called, HIT_PATH by which
# functions. Nothing fails from here on.
fault_hit() {
	HIT_COMM='' HIT_PATH=''
	echo 0 >$FAULT/nth
	while IFS= read -r _l; do
		if [ -z "$HIT_COMM" ]; then
			HIT_COMM=${_l% *}
			continue
		fi
		case $_l in
		ret_from_fork* | kthread | worker_thread | vfs_write | vfs_read | do_sys_openat2) break ;;
		esac
		HIT_PATH="$HIT_PATH ${_l% \[*}"
	done <$FAULT/hit
	[ -n "$HIT_COMM" ]
}

# one_of WHO ERRNO ERRNOS: is it among them?
one_of() {
	case " $3 " in
	*" $2 "*) return 0 ;;
	esac
	why "$1 ended with $2, and not with one of: $3"
}

# errno_now: of the command that was taken last, ok if there is none. Reading its
# result may have failed.
errno_now() {
	kr_val read
	case $KR_ERRNO,$KR_VAL in
	,ENOMEM) KR_ERRNO=ENOMEM ;;
	,*) kr_errno ;;
	esac
	[ "$KR_ERRNO" != 0 ] || KR_ERRNO=ok
}

# server_said: that is what was taken last
server_said() {
	errno_now
	kr_val id
	SERVER_SAID=$KR_ERRNO SERVER_ID=$KR_VAL SERVER_DETAIL=$KR_DETAIL
}

# walk_pair SERVER CLIENT: a server and a client. SERVER_SAID and CLIENT_SAID are how
# they end.
walk_pair() {
	SERVER_SAID=- CLIENT_SAID=- SERVER_ID='' CLIENT_ID='' SERVER_DETAIL='' CLIENT_DETAIL=''
	pair_port=$((pair_port + 1))
	if ! kr_bg server "server,addr=$ADDR,port=$pair_port,timeout=10000${1:+,$1}"; then
		server_said
		return
	fi
	kr "client,addr=$ADDR,port=$pair_port,timeout=10000,count=3${2:+,$2}"
	errno_now
	kr_val id
	CLIENT_SAID=$KR_ERRNO CLIENT_ID=$KR_VAL CLIENT_DETAIL=$KR_DETAIL
	# Nobody has come, or it waits for more. If it is this that fails, it does not for
	# the second time.
	for _try in 1 2; do
		! kr_listening || kr_stop
	done
	kr_wait server 60 || return 1
	server_said
	[ "$SERVER_SAID" != ECANCELED ] || SERVER_SAID=ok
}

# walk_alone COMMAND...: a server's place is taken by nobody. COMMAND leaves KR_ERRNO.
walk_alone() {
	SERVER_SAID=ok SERVER_ID='' SERVER_DETAIL='' CLIENT_ID=''
	"$@"
	errno_now
	CLIENT_SAID=$KR_ERRNO CLIENT_DETAIL=$KR_DETAIL
}

# own: OWN_NOW is what whoever the fault has hit may end with. The network says
# EADDRINUSE when it has found no memory for a port.
own() {
	OWN_NOW=$OWN
	case "$HIT_PATH " in
	*" inet_bind "*) OWN_NOW="$OWN EADDRINUSE" ;;
	esac
}

hit_client() {
	one_of client "$CLIENT_SAID" "$OWN_NOW" && one_of server "$SERVER_SAID" "$OTHER"
}

hit_server() {
	one_of server "$SERVER_SAID" "$OWN_NOW" && one_of client "$CLIENT_SAID" "$OTHER"
}

# said_right: does each side say what it should?
said_right() {
	own
	case $HIT_COMM in
	"krping/$CLIENT_ID" | "krping/$CLIENT_ID:"*) hit_client ;;
	"krping/$SERVER_ID" | "krping/$SERVER_ID:"*) hit_server ;;
	*)
		# one of the server's clients, or connections, a writer, an interrupt or the
		# connection manager: what that says is in the log, and these have seen what
		# follows, unless it was their own
		one_of client "$CLIENT_SAID" "$OWN_NOW $OTHER" &&
			one_of server "$SERVER_SAID" "$OWN_NOW $OTHER"
		;;
	esac
}

# walk_step N COMMAND...: fails when there is no N-th call any more; otherwise T_WHY
# says what is wrong. What may be left of the device's objects is looked at behind the
# whole walk, since that takes as long as half a step.
walk_step() {
	fault_arm "$1"
	shift
	T_WHY=
	"$@"
	_rc=$?
	fault_hit || return 1
	# what was tried in between has left a reason, too
	if [ $_rc = 0 ] && said_right && until_ok 10 kr_none; then
		T_WHY=
	fi
	return 0
}

# fault_arm N: the N-th call from now on fails
fault_arm() {
	if [ "${KR_ONCE-}" ]; then
		echo 1 >$FAULT/nth
	else
		echo "$1" >$FAULT/nth
	fi
}

# walk_tell: what became of the N-th
walk_tell() {
	diag "$walk_name: $walk_fn $n, in $HIT_COMM; server $SERVER_ID: $SERVER_SAID $SERVER_DETAIL; client $CLIENT_ID: $CLIENT_SAID $CLIENT_DETAIL"
	diag " $HIT_PATH"
}

# walk NAME FUNCTION RETVAL COMMAND...
walk() {
	walk_name=$1
	walk_fn=$2
	fault_in "$2" "$3" || {
		fault_off
		not_ok "$1: there is a function $2"
		return
	}
	shift 3
	n=0 bad=0 same=0
	if [ "${KR_ONCE-}" ]; then
		echo 1 >$FAULT/once
	fi
	while [ $n -lt $WALK_MAX ]; do
		n=$((n + 1))
		echo "krping_fault: $walk_name, $walk_fn $n" >/dev/kmsg
		hang_between "$walk_name: call $n of $walk_fn fails"
		walk_step $n "$@" || break
		[ "$SERVER_SAID$CLIENT_SAID" != okok ] || same=$((same + 1))
		if [ -n "$T_WHY" ]; then
			bad=$((bad + 1))
			diag "$T_WHY"
			walk_tell
			kr_stop
		elif [ "${KR_VERBOSE-}" ]; then
			walk_tell
		fi
	done
	fault_off
	walk_failed=$((walk_failed + n - 1))
	# what others have tried may not be tried again
	[ "${KR_ONCE-}" ] ||
		check "$walk_name: $walk_fn has failed" test $n -gt 1
	diag "$walk_name: $walk_fn failed $((n - 1)) times, $same of them without consequence"
	check "$walk_name: whenever $walk_fn fails" eq $bad 0 "number of wrong ends"
	check "$walk_name: that is all" test $n -lt $WALK_MAX
	"$@"
	check "$walk_name: afterwards it works" eq "$SERVER_SAID $CLIENT_SAID" "ok ok"
	check "$walk_name: and nothing is left" kr_clean
}

# walk_end N: the last test, that at least so many calls have failed
walk_end() {
	diag "$walk_failed calls have failed"
	check "that many calls have failed" test $walk_failed -ge "$1"
	t_end
}
