#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping works with rping, a user space program that runs the same protocol and
#   sends no private data.
# Requires: one guest, rping
# Duration: 17 s on rxe, 23 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"

if ! command -v rping >/dev/null; then
	echo '1..1'
	echo 'ok 1 - all # SKIP there is no rping: package rdmacm-utils'
	exit
fi
PEER_PROGRAM="timeout $PEER_WAIT rping"
COUNT=10

# rping_listens: check that the output of rdma res has rping's listener
rping_listens() {
	rdma res show cm_id | grep -q "LISTEN .*comm rping" || why 'no rping listens'
}

# rping_ended NAME: check that the rping NAME has succeeded. Its event thread sometimes uses the event channel
# after rping has closed it, and ends a successful rping with status 255: see Documentation/known-issues.md.
# A rping whose iterations fail prints a line of its own before that, which this function does not accept.
rping_ended() {
	peer_ended "$1" 0/255 || return 1
	[ "$_rc" != 0 ] || return 0
	_lines=$(peer_text "$1" | grep -v -e ' DISCONNECT EVENT\.\.\.$' -e '^wait for RDMA_READ_ADV state 10$')
	eq "$_lines" 'rdma_get_cm_event: Bad file descriptor' "rping's output with status 255" || return 1
	diag "rping has succeeded, and ended with status 255 because it closed its event channel too early"
}

# rping_check NAME DESC COMMAND...: check DESC by COMMAND. If the check fails, print the output of the rping
# NAME, the result of krping's server, if there is one, and the connections.
rping_check() {
	_rping=$1
	shift
	check "$@" && return
	diag "rping has printed: $(peer_text "$_rping")"
	if [ "$_rping" = c ]; then
		kr_result server
		diag "krping's server: $(cat "$KR_RESULT")"
	fi
	diag "$(rdma res show cm_id)"
	diag "$(rdma res show qp)"
	diag "kernel log: $(dmesg | tail -n 20)"
}

# our_client_ok SIZE: check that both sides have ended without an error
our_client_ok() {
	kr_returned ok && kr_is iterations $COUNT && kr_is size "$1" &&
		kr_is peer old && rping_ended s && no_line client && kr_clean
}

# our_client ADDRESS SIZE OPTIONS: run krping's client with rping's server, and check both ends
our_client() {
	next_port
	klog_mark
	peer_start s -s -V -a "$1" -p "$port" -S "$2" -C $COUNT
	until_ok $PEER_WAIT rping_listens
	kr "client,addr=$1,port=$port,$PATIENT,size=$2,count=$COUNT,validate${3:+,$3}"
	rping_check s "krping's client and rping's server succeed: $1 size=$2${3:+ $3}" our_client_ok "$2"
}

# our_server_ok SIZE: check that both sides have ended without an error
our_server_ok() {
	kr_ended server ok && kr_is iterations $COUNT && kr_is peer old &&
		kr_is read_bytes $((COUNT * $1)) &&
		rping_ended c && no_line server && kr_clean
}

# our_server ADDRESS SIZE OPTIONS: run krping's server with rping's client, and check both ends
our_server() {
	next_port
	klog_mark
	kr_bg server "server,addr=$1,port=$port,$PATIENT${3:+,$3}"
	peer_start c -c -V -a "$1" -p "$port" -S "$2" -C $COUNT
	rping_check c "krping's server and rping's client succeed: $1 size=$2${3:+ $3}" our_server_ok "$2"
}

for size in 64 4096 65535; do
	our_client "$ADDR" $size mem_mode=dma
	our_client "$ADDR" $size mem_mode=reg
	our_server "$ADDR" $size ''
	our_server "$ADDR" $size mem_mode=dma
done
our_client "$ADDR" 4096 mem_mode=dma,poll
our_client "$ADDR" 65535 mem_mode=reg,poll
our_client "$ADDR" 64 mem_mode=reg,cq=workqueue
our_server "$ADDR" 64 poll
our_server "$ADDR" 65535 mem_mode=reg,poll
our_server "$ADDR" 4096 mem_mode=reg,cq=workqueue
our_server "$ADDR" 65535 size=65535,local_dma_lkey

our_client "$ADDR6" 64 mem_mode=reg
our_client "$ADDR6" 65535 mem_mode=dma,poll
our_server "$ADDR6" 65535 ''
our_server "$ADDR6" 64 poll

# krping listens on the wildcard address and rping's default port.
kr_bg server 'server,addr=0.0.0.0,port=7174'
peer_start c -c -V -a "$ADDR" -S 100 -C $COUNT
rping_check c "krping's server on the wildcard address and rping's client succeed" our_server_ok 100

# rping supports the ping test only.
has_no_slat() {
	next_port
	peer_start s -s -a "$ADDR" -p "$port" -S 64 -C 1
	until_ok $PEER_WAIT rping_listens &&
		kr_fails_with EOPNOTSUPP "client,addr=$ADDR,port=$port,count=1,slat" "has no slat"
	_rc=$?
	# shellcheck disable=SC2154 # peer_start has set it
	kill "$peer_pid_s" 2>/dev/null
	wait "$peer_pid_s" 2>/dev/null
	[ $_rc = 0 ] && kr_clean
}
check 'a slat client fails with EOPNOTSUPP if the server is rping' has_no_slat

serves_slat_only() {
	next_port
	klog_mark
	kr_bg server "server,addr=$ADDR,port=$port,slat" || return 1
	peer_start c -c -a "$ADDR" -p "$port" -S 64 -C 1
	# shellcheck disable=SC2154 # peer_start has set it
	not wait "$peer_pid_c" || why 'rping was served'
	kr_result server && kr_is status running && kr_listening || return 1
	case $(klog_since) in
	*'a client was rejected: the server runs another test'*) ;;
	*) why "the log is: $(klog_since)" ;;
	esac
	kr_stop
	[ -z "$T_WHY" ] && kr_ended server ECANCELED && kr_clean
}
check 'a slat server rejects an rping client' serves_slat_only

t_end
