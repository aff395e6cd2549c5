#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# A server for many clients: whom it takes, what it tells of them, and that they
# do not disturb each other.
# shellcheck source=../lib.sh
. "${0%/*}/../lib.sh"

# serve OPTIONS: a server on a port of its own, on which clients are then
port=12000
serve() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,$PATIENT,$1" || return 1
	server_id=$(kr_get id)
}

# client OPTIONS: what to write
client() {
	CMD="client,addr=$ADDR,port=$port,$PATIENT,$1"
}

# once OPTIONS: a client from beginning to end
once() {
	client "$1"
	kr "$CMD"
	kr_returned ok
}

# endless NAME OPTIONS: a client that runs; ID is its number
endless() {
	client "$2"
	kr_bg "$1" "$CMD" && until_ok 20 kr_runs "$1" && ID=$(kr_get id)
}

# goes_on NAME: it runs, and gets further
goes_on() {
	kr_result "$1"
	kr_is status running && until_ok 20 kr_runs "$1" "$(kr_get iterations)" &&
		kr_is status running
}

# stops NAME: this client only
stops() {
	kr_result "$1"
	kr "stop,id=$(kr_get id)" && kr_is stopped 1 && kr_ended "$1" ECANCELED
}

# served CLIENTS FAILED ERRNO|ok: the server has ended, and says so
served() {
	kr_ended server "$3" && kr_is clients "$1" && kr_is failed "$2"
}

refused_busy() {
	client "$1"
	kr_fails_with ECONNREFUSED "$CMD" busy
}

# alive CLIENTS: the server has served so many, and goes on
alive() {
	kr_result server
	kr_is status running && kr_is clients "$1"
}

#
# one after the other
#

in_turn() {
	serve clients=3 || return 1
	once count=10,validate && kr_is iterations 10 && until_ok 10 alive 1 || return 1
	kr_running 1 && eq "$KR_LIST" "1 listen" "the list" || return 1
	once slat,count=20,size=100 && kr_is iterations 20 && until_ok 10 alive 2 || return 1
	once sbw,count=30,size=1000 && kr_is iterations 30 || return 1
	served 3 0 ok || return 1
	# all that they have made it do
	kr_is send_msgs 40 && kr_is send_bytes $((20 * 16 + 20 * 100)) &&
		kr_is recv_msgs 70 && kr_is recv_bytes $((20 * 16 + 20 * 100 + 30 * 1000)) &&
		kr_is write_msgs 10 && kr_is write_bytes 640 &&
		kr_is read_msgs 10 && kr_is read_bytes 640
}
check "clients=3: three with different tests one after the other, and the end is ok" in_turn
kr_stop
check "nothing is left" kr_clean

gone() {
	client count=1
	kr_fails ECONNREFUSED "$CMD"
}
check "after the last one nobody listens" gone

#
# at once
#

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
	until_ok 20 lines || return 1
	# a listener, and a test for each client and for the server's side of it
	for c in ping slat rlat; do
		goes_on $c || return 1
	done
	refused_busy count=1 && refused_busy slat,count=1,qps=2 || return 1
	for c in rlat ping slat; do
		stops $c || return 1
	done
	served 3 0 ok
}
check "clients=3: three at once, a line for each, and a fourth one is refused" at_once
kr_stop
check "nothing is left" kr_clean

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
check "clients=3: three at once, each with its counters" counted_at_once
kr_stop

#
# how many
#

no_end() {
	serve clients=0 || return 1
	for opts in count=3 slat,count=3 bw,count=3 fr,count=3 rlat,count=3; do
		once $opts || return 1
	done
	until_ok 10 alive 5 && kr "stop,id=$server_id" && kr_is stopped 1 && kr_none &&
		served 5 0 ECANCELED
}
check "clients=0 serves until it is stopped" no_end
kr_stop

idle() {
	serve clients=5 && kr "stop,id=$server_id" && kr_is stopped 1 && kr_clean_now &&
		kr_ended server ECANCELED
}
check "a server for many that nobody came to is stopped" idle

too_large() {
	serve clients=2,size=1000 || return 1
	client count=1,size=1001
	bad=$CMD
	kr_fails_with ECONNREFUSED "$bad" 1000 && kr_detail_has size &&
		once count=2,size=1000 && until_ok 10 alive 1 || return 1
	kr_fails ECONNREFUSED "$bad" && once slat,count=2,size=999 && served 2 0 ok
}
check "a client that is refused does not count" too_large
kr_stop

wrong_test() {
	serve slat,clients=2 || return 1
	client count=1
	bad=$CMD
	kr_fails_with ECONNREFUSED "$bad" "another test" && once slat,count=3 &&
		kr_fails ECONNREFUSED "$bad" && once slat,count=4 && served 2 0 ok
}
check "a server for many with a test of its own" wrong_test
kr_stop

# The place of one who was refused is free when it knows of that.
room_again() {
	serve clients=2,size=1000 && endless a slat,count=0 || return 1
	client count=1,size=1001
	bad=$CMD
	client rlat,count=1000000000
	set --
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		set -- "$@" "write=$bad"
	done
	kr_steps "$@" "write=$CMD,background" read
	eq "$(grep -c ECONNREFUSED "$KR_RESULT")" 10 "how many were refused" &&
		kr_is status running || return 1
	goes_on a && refused_busy count=1
}
check "the place of a refused client is free at once" room_again
kr_stop
kr_wait server
kr_wait a

#
# one of them fails
#

# A ping that is stopped before the agreed count is an error to its server.
one_fails() {
	serve clients=3 && endless a slat,count=0 && endless b count=1000000000,validate || return 1
	stops b || return 1
	failed_is() {
		kr_result server
		kr_is status running && kr_is failed 1
	}
	until_ok 10 failed_is || return 1
	goes_on a && once sbw,count=101 && kr_is send_msgs 101 && kr_is send_bytes 6464 || return 1
	goes_on a && stops a || return 1
	n=$(kr_get iterations)
	kr_is send_msgs "$n" && kr_is recv_msgs "$n" || return 1
	served 3 1 ECONNRESET && kr_detail_has 1 && kr_detail_has disconnected
}
check "one client fails: the others do not, and the server's end is its errno" one_fails
kr_stop
check "nothing is left" kr_clean

# Killed, it is gone in the middle.
killed() {
	serve clients=2 && endless a slat,count=0 || return 1
	client count=1000000000
	kr_fg b "$CMD"
	pid=$!
	until_ok 20 kr_running 5 || return 1
	kill -KILL $pid
	wait $pid
	until_ok 20 kr_running 3 && goes_on a && stops a && served 2 1 ECONNRESET
}
check "one client is killed: the other runs on" killed
kr_stop

one_stops() {
	serve clients=2 && endless a slat,count=0 && endless b sbw,count=0 || return 1
	stops b && goes_on a && until_ok 10 alive 1 && stops a && served 2 0 ok
}
check "one client is stopped: the other runs on, and nothing has failed" one_stops
kr_stop

#
# the server is stopped, or one of its tests
#

stop_server() {
	serve clients=5 && endless a slat,count=0 && endless b count=0 && endless c rlat,count=0 || return 1
	kr "stop,id=$server_id" && kr_is stopped 1 || return 1
	for c in a b c; do
		kr_ended $c ECONNRESET || return 1
	done
	kr_clean && kr_ended server ECANCELED && kr_is failed 0
}
check "stop of the server ends its clients" stop_server
kr_stop

stop_all() {
	serve clients=0 && endless a slat,count=0 && endless b count=0 || return 1
	kr stop && kr_is stopped 5 && kr_clean_now &&
		kr_ended a ECANCELED && kr_ended b ECANCELED && kr_ended server ECANCELED
}
check "stop ends the server, its clients and their tests" stop_all
kr_stop

# newest_child: CHILD is the newest of the server's tests of its clients
newest_child() {
	CHILD=0
	for _p in /proc/[0-9]*; do
		read -r _comm 2>/dev/null <"$_p/comm" || continue
		case $_comm in
		krping/*[!0-9]*) continue ;;
		krping/*) _comm=${_comm#krping/} ;;
		*) continue ;;
		esac
		case " $1 " in
		*" $_comm "*) ;;
		*) [ "$_comm" -lt "$CHILD" ] || CHILD=$_comm ;;
		esac
	done
	[ "$CHILD" != 0 ] || why "there is no child"
}

stop_child() {
	serve clients=3 && endless a slat,count=0 || return 1
	others="$server_id $ID"
	endless b slat,count=0 || return 1
	newest_child "$others $ID" || return 1
	kr "stop,id=$CHILD" && kr_is stopped 1 && kr_ended b ECONNRESET || return 1
	goes_on a && until_ok 10 alive 1 && once count=5 && stops a && served 3 0 ok
}
check "stop of the server's test of one client: the other runs on" stop_child
kr_stop

signalled() {
	port=$((port + 1))
	kr_spawn server "signal=2:1000000" "write=server,addr=$ADDR,port=$port,clients=3" read
	pid=$!
	kr_soon endless a slat,count=0 && endless b count=0 || return 1
	kill -INT $pid
	kr_ended server EINTR && kr_ended a ECONNRESET && kr_ended b ECONNRESET && kr_clean
}
check "a signal to the writer of a server for many: EINTR, and its clients end" signalled
kr_stop

#
# in the foreground, in the background
#

foreground() {
	port=$((port + 1))
	kr_fg server "server,addr=$ADDR,port=$port,clients=2"
	kr_soon once count=3 && once slat,count=3 && served 2 0 ok
}
check "a server for two that somebody waits for" foreground
kr_stop

polls() {
	port=$((port + 1))
	kr_spawn poller "write=server,addr=$ADDR,port=$port,clients=2,background" poll=0 read \
		"run=until [ -e $T_TMP/once ]; do sleep 0.1; done" poll=0 poll=60000 read
	kr_soon once count=3 || return 1
	touch "$T_TMP/once"
	sleep 1
	once slat,count=3 && kr_wait poller 70 || return 1
	eq "$(grep -E -o '^poll=[a-z]*| status=[a-z]*| clients=[0-9]*' "$KR_RESULT" | tr -d '\n')" \
		"poll=timeout status=runningpoll=timeoutpoll=ready status=ok clients=2" "what was polled"
}
check "poll(2) waits for the last client" polls
kr_stop

#
# where it listens
#

wildcard() {
	port=$((port + 1))
	kr_bg server "server,addr=$1,port=$port,clients=3,device=$DEV" &&
		kr "client,addr=$2,port=$port,count=3,validate" &&
		kr "client,addr=$2,port=$port,slat,count=3" &&
		kr "client,addr=$2,port=$port,rlat,count=3" && served 3 0 ok
}
check "on every IPv4 address, with device=" wildcard 0.0.0.0 "$ADDR"
kr_stop
check "on every IPv6 address, with device=" wildcard :: "$ADDR6"
kr_stop

# A second device, for servers that are to have nothing but that.
OTHER=${TYPE}9
ip link add krping9 type dummy && ip link set krping9 up &&
	rdma link add "$OTHER" type "$TYPE" netdev krping9

wrong_device() {
	port=$((port + 1))
	kr_bg server "server,addr=0.0.0.0,port=$port,device=$OTHER,clients=2" || return 1
	client count=1
	for _ in 1 2 3; do
		kr_fails_with ECONNREFUSED "$CMD" device || return 1
	done
	until_ok 10 kr_running 1 && kr stop && kr_ended server ECANCELED
}
check "whoever comes in over another device than device= is refused" wrong_device
kr_stop
rdma link delete "$OTHER"
ip link delete krping9

#
# clients with more than one connection
#

one_many() {
	serve "$1" || return 1
	endless a slat,count=0,qps=4 || return 1
	# itself, and three more for the other connections, and the client
	kr_running 5 && refused_busy count=1 && refused_busy slat,count=1,qps=2 && goes_on a && stops a &&
		kr_ended server ok
}
check "a server for one client, and a client with qps=4" one_many clients=1
kr_stop

counted_lanes() {
	serve "$1" && once sbw,count=101,qps=4 && kr_is iterations 404 && kr_is send_msgs 404 &&
		kr_ended server ok && kr_is recv_msgs 404 && kr_is iterations 404 && kr_is send_msgs 0
}
check "clients=1 and qps=4: the server's result has all" counted_lanes clients=1
kr_stop

two_many() {
	serve clients=2 && endless a slat,count=0,qps=2,threads=2 &&
		once sbw,count=11,qps=4 && kr_is iterations 44 && goes_on a && stops a && served 2 0 ok
}
check "clients=2: a connection more is not a client more" two_many
kr_stop
check "nothing is left" kr_clean

#
# a hundred
#

MANY=100
COUNT=20

# kind N: what client N does: OPTS, and what its server counts: SENT to READ
kind() {
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

each() {
	i=0
	while [ $i -lt $MANY ]; do
		i=$((i + 1))
		"$@" $i || return 1
	done
}

start() {
	kind "$1"
	client "count=$COUNT,$OPTS"
	kr_fg "c$1" "$CMD"
}

ended() {
	kind "$1"
	kr_ended "c$1" ok 110 && kr_is iterations $COUNT && kr_is size $size
}

totals() {
	all_sent=0 all_sent_bytes=0 all_got=0 all_got_bytes=0 all_written=0 all_read=0
	each add
	served $MANY 0 ok || return 1
	kr_is send_msgs $all_sent && kr_is send_bytes $all_sent_bytes &&
		kr_is recv_msgs $all_got && kr_is recv_bytes $all_got_bytes &&
		kr_is write_bytes $all_written && kr_is read_bytes $all_read
}

add() {
	kind "$1"
	all_sent=$((all_sent + SENT))
	all_sent_bytes=$((all_sent_bytes + SENT_BYTES))
	all_got=$((all_got + GOT))
	all_got_bytes=$((all_got_bytes + GOT_BYTES))
	all_written=$((all_written + WRITTEN))
	all_read=$((all_read + READ))
}

serve clients=$MANY
each start
check "$MANY clients at once: each has the right result" each ended
check "the server has served them all, and counted what they did" totals
check "nothing is left" kr_clean

#
# how long
#

expires() {
	serve clients="$1",duration=5 && endless a slat,count=0 && endless b count=0 || return 1
	kr_ended server ok 30 && kr_ended a ECONNRESET && kr_ended b ECONNRESET && kr_clean
}
check "clients=5,duration=5 ends with clients that are there" expires 5
kr_stop
check "clients=0,duration=5, too" expires 0
kr_stop

expires_alone() {
	serve "$1",duration=1 && kr_ended server ok 30 && kr_clean
}
check "clients=5,duration=1 ends without clients" expires_alone clients=5
kr_stop

#
# only some get connected at a time, and nobody holds that up
#

nowhere() {
	kr_fg "nowhere$1" "client,addr=10.0.0.77,port=$port,timeout=300000"
}

passes_by() {
	serve clients=1 || return 1
	MANY=40
	each nowhere
	until_ok 20 kr_running $((MANY + 1)) || return 1
	once count=3 && kr_is iterations 3 && kr_ended server ok 30 || return 1
	kr_running $MANY
}
check "40 clients whose servers do not answer, and one whose does" passes_by
kr_stop
given_up() {
	kr_ended "nowhere$1" ECANCELED
}
check "they were stopped" each given_up
check "nothing is left" kr_clean

t_end
