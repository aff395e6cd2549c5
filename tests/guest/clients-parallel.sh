#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A server serves three clients, and a hundred clients, at the same time. A client
#   connects while 40 others wait for servers that do not answer.
# Requires: one guest with any device
# Duration: 28 s on rxe, 26 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=background.inc
. "${0%/*}/background.inc"
# Functions of background.inc: serve OPTIONS starts a server, once OPTIONS runs a client to its end, endless NAME
# OPTIONS starts a client, goes_on NAME checks that this client runs, stops NAME stops it, and served CLIENTS
# FAILED ERRNO checks the end of the server.

# kwrite rejects the result of a client that has spent too much time outside its iterations, by default a minute.
# Allow ten minutes, because many clients at once delay each other.
export KWRITE_SETUP_MS=600000

#
# Three clients at the same time
#

# lines: check that the list has a listener, and six running tests with eight counters each
lines() {
	kr_running 7 || return 1
	printf '%s\n' "$KR_LIST" | awk -v dev="$DEV" '
		$0 == NR " listen" { listen++ }
		$1 == NR "-" dev && NF == 9 { run++ }
		END { exit !(NR == 7 && listen == 1 && run == 6) }' || why "the list is $KR_LIST"
}

at_once() {
	serve clients=3 && endless ping count=0,validate && endless slat slat,count=0 &&
		endless rlat rlat,count=0 || return 1
	# The list has the listener, and for each client two tests: the client's and the server's.
	until_ok 60 lines || return 1
	for c in ping slat rlat; do
		goes_on $c || return 1
	done
	refused_busy count=1 && refused_busy slat,count=1,qps=2 || return 1
	for c in rlat ping slat; do
		stops $c || return 1
	done
	served 3 0 ok
}
check "clients=3: the list has both sides of three concurrent clients, and a fourth is rejected" at_once
kr_stop
check "three concurrent clients leave no test or object" kr_clean

counted_at_once() {
	serve clients=3 || return 1
	client count=50,validate,size=5000
	kr_fg a "$CMD"
	client slat,count=60,size=70
	kr_fg b "$CMD"
	client sbw,count=300,size=300
	kr_fg c "$CMD"
	kr_ended a ok && kr_is iterations 50 && kr_is send_msgs 100 || return 1
	kr_ended b ok && kr_is iterations 60 && kr_is send_bytes 4200 && kr_is recv_bytes 4200 || return 1
	kr_ended c ok && kr_is iterations 300 && kr_is send_bytes 90000 || return 1
	served 3 0 ok && kr_is send_msgs 160 && kr_is recv_msgs 460 &&
		kr_is write_bytes 250000 && kr_is read_bytes 250000
}
check "clients=3: three concurrent clients have their own counters" counted_at_once
kr_stop

#
# A hundred clients
#

MANY=100
COUNT=20

# client_options N: set OPTS to the options of client N, and SENT, SENT_BYTES, GOT, GOT_BYTES,
# WRITTEN and READ to the counters of the server's test for this client
client_options() {
	size=$((100 + $1))
	all=$((size * COUNT))
	SENT=0 SENT_BYTES=0 GOT=0 GOT_BYTES=0 WRITTEN=0 READ=0
	case $(($1 % 7)) in
	0)
		OPTS=validate
		SENT=$((2 * COUNT)) SENT_BYTES=$((32 * COUNT)) GOT=$SENT GOT_BYTES=$SENT_BYTES
		WRITTEN=$all READ=$all
		;;
	1)
		OPTS=slat
		SENT=$COUNT SENT_BYTES=$all GOT=$SENT GOT_BYTES=$all
		;;
	2) OPTS=rlat,mem_mode=reg ;;
	3)
		OPTS=sbw,validate
		GOT=$COUNT GOT_BYTES=$all
		;;
	4) OPTS=bw,mem_mode=reg ;;
	5)
		OPTS=wlat,validate
		SENT=$COUNT SENT_BYTES=$((16 * COUNT)) GOT=$SENT GOT_BYTES=$SENT_BYTES
		WRITTEN=$all
		;;
	6) OPTS=fr,txdepth=4 ;;
	esac
	OPTS=$OPTS,size=$size
}

# each COMMAND...: run COMMAND with each number from 1 to MANY as its last argument
each() {
	i=0
	while [ $i -lt $MANY ]; do
		i=$((i + 1))
		"$@" $i || return 1
	done
}

# start N: start client N
start() {
	client_options "$1"
	client "count=$COUNT,$OPTS"
	kr_spawn "c$1" limit=600 "write=$CMD" read
}

# ended N: check that client N has ended without an error
ended() {
	client_options "$1"
	kr_ended "c$1" ok 600 && kr_is iterations $COUNT && kr_is size $size
}

# totals: check that the counters of the server are the sums over all clients
totals() {
	all_sent=0 all_sent_bytes=0 all_got=0 all_got_bytes=0 all_written=0 all_read=0
	each add
	served $MANY 0 ok || return 1
	kr_is send_msgs $all_sent && kr_is send_bytes $all_sent_bytes &&
		kr_is recv_msgs $all_got && kr_is recv_bytes $all_got_bytes &&
		kr_is write_bytes $all_written && kr_is read_bytes $all_read
}

# add N: add the counters of the server's test for client N to the sums
add() {
	client_options "$1"
	all_sent=$((all_sent + SENT))
	all_sent_bytes=$((all_sent_bytes + SENT_BYTES))
	all_got=$((all_got + GOT))
	all_got_bytes=$((all_got_bytes + GOT_BYTES))
	all_written=$((all_written + WRITTEN))
	all_read=$((all_read + READ))
}

serve clients=$MANY
each start
check_within 900 "$MANY concurrent clients: each has the right result" each ended
check_within 300 "$MANY concurrent clients: the server's counters are the sum of all" totals
check "$MANY clients leave no test or object" kr_clean

#
# At most 16 clients connect at a time, because each needs a connect slot. A client that waits for an
# answer gives its slot to the next client after 5 s.
#

# nowhere N: start a client whose connect request nobody answers
nowhere() {
	kr_spawn "nowhere$1" limit=600 "write=client,addr=10.0.0.77,port=$port,timeout=600000" read
}

connects_meanwhile() {
	serve clients=1 || return 1
	MANY=40
	each nowhere
	until_ok 60 kr_running $((MANY + 1)) || return 1
	once count=3 && kr_is iterations 3 && kr_ended server ok 60 || return 1
	kr_running $MANY
}
check_within 300 "a client connects while 40 others wait for servers that do not answer" connects_meanwhile
kr_stop
unanswered_ended() {
	kr_ended "nowhere$1" ECANCELED
}
check_within 300 "stop ends 40 clients that wait for servers" each unanswered_ended
check "40 stopped clients leave no test or object" kr_clean

t_end
