# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Shared by the tests that run in the first of two guests on one wire. Sourced
# behind lib.sh. POSIX sh. The second guest, with the address $PEER, runs
# tests/run-other, which does what `other` says; all that lib.sh has is there, too.

# How long the other guest may take for anything, and for a boot, in seconds.
OTHER_WAIT=180
BOOT_WAIT=120

: "${port:=30000}"

other_nr=0
exec 9</run/peer

# other_said TEXT SECONDS: wait for a line that begins so; OTHER is the rest
other_said() {
	_tries=$(($2 * 10))
	while :; do
		if ! peer_line; then
			[ $_tries -gt 0 ] || return 1
			_tries=$((_tries - 1))
			sleep 0.1
			continue
		fi
		case $PEER_LINE in
		"tell $1"*)
			OTHER=${PEER_LINE#"tell $1"}
			return 0
			;;
		esac
	done
}

# other_begin COMMAND...: let the other guest run this line, and go on
other_begin() {
	other_nr=$((other_nr + 1))
	echo "tell do $$.$other_nr $*" >/dev/ttyS3
}

# other_end: how what began last has ended
other_end() {
	other_said "did $$.$other_nr " $OTHER_WAIT || {
		why "the other guest has not answered for $OTHER_WAIT s"
		return 1
	}
	[ "$OTHER" = 0 ] || why "the other guest's command failed, see above"
}

# other COMMAND...: let the other guest run this line, and take its status
other() {
	other_begin "$@"
	other_end
}

# other_boots: after peer-reset. An emulated kernel now and then hangs early.
other_boots() {
	other_said ready $BOOT_WAIT && return 0
	peer-reset
	other_said ready $BOOT_WAIT || why "the other guest does not boot"
}

# server_there NAME OPTIONS: the other guest's server on a new port, $port
server_there() {
	port=$((port + 1))
	other "kr_bg $1 server,addr=$PEER,port=$port${2:+,$2}"
}

# server_here NAME OPTIONS
server_here() {
	port=$((port + 1))
	kr_bg "$1" "server,addr=$ADDR,port=$port${2:+,$2}"
}

# moves NAME: has it done an iteration, or ended?
moves() {
	kr_result "$1" || return 1
	_i=$(kr_get iterations)
	[ "${_i:-0}" -gt 0 ] || ! kr_is status running
}

# works: the two can do it
works() {
	server_there works "$PATIENT" || return 1
	if kr "client,addr=$PEER,port=$port,count=3,validate,$PATIENT"; then
		other "kr_ended works ok"
	else
		other kr_stop
		return 1
	fi
}

# crowd_begins TIMEOUT [OPTIONS]: clients of several kinds, each of which has done
# something, and a server that the other guest is a client of
crowd_begins() {
	server_there crowd_server "clients=0,timeout=$1" || return 1
	for _kind in dma reg wlat rlat bw sbw; do
		case $_kind in
		dma) _test=mem_mode=dma,size=64 ;;
		reg) _test=mem_mode=reg,size=20000 ;;
		*) _test=$_kind,mem_mode=reg,size=5000 ;;
		esac
		kr_bg "crowd_$_kind" "client,addr=$PEER,port=$port,validate,timeout=$1,$_test${2:+,$2}" || return 1
	done
	server_here crowd_there "timeout=$1" || return 1
	other "kr_bg crowd_client client,addr=$ADDR,port=$port,validate,timeout=$1${2:+,$2}" || return 1
	for _kind in $crowd; do
		until_ok 60 moves "$_kind" || return 1
	done
}
crowd='crowd_dma crowd_reg crowd_wlat crowd_rlat crowd_there'

# crowd_ended ERRNO|ok...: each of them has ended with one of these.
crowd_ended() {
	kr_all_ended "$crowd crowd_bw crowd_sbw" "$@"
	_ret=$?
	diag "$crowd crowd_bw crowd_sbw:$KR_SEEN"
	return $_ret
}

# other_crowd_ended ERRNO|ok...: the other guest's client has ended so, and its
# server has nothing to do any more
other_crowd_ended() {
	other "kr_all_ended crowd_client $*" && other "until_ok 120 kr_running 1" && other kr_stop
}

# other_clean: as kr_clean and klog_clean, of the other guest; and the figures of each of its
# results agree with each other
other_clean() {
	# shellcheck disable=SC2016 # it is the other guest's
	other kr_clean && other klog_clean &&
		other 'eq $KR_BROKEN 0 "number of identities broken"'
}

# One that was there before: subjects come one after the other.
other true || {
	echo "Bail out! the other guest does not answer"
	exit 1
}
