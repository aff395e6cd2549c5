#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# How a test begins and ends, who may begin and end it, and what is left of it:
# nothing.
# shellcheck source=../lib.sh
. "${0%/*}/../lib.sh"

# endless NAME: a pair that runs until it is stopped, on a port of its own:
# NAME is the client, NAME_s its server
port=17000
endless() {
	port=$((port + 1))
	kr_bg "$1_s" "server,addr=$ADDR,port=$port" &&
		kr_bg "$1" "client,addr=$ADDR,port=$port,count=0,validate" &&
		until_ok 20 kr_runs "$1"
}

# id_of NAME
id_of() {
	kr_result "$1"
	kr_get id
}

ended() {
	kr_wait "$1" 30
}

#
# background, poll(2), stop
#

background_server() {
	kr_bg server "server,addr=$ADDR,port=17500" || return 1
	kr_is status running && kr_is errno 0 && kr_is iterations 0 && kr_running 1 || return 1
	# it listens when the write has returned: no sleep is needed
	kr "client,addr=$ADDR,port=17500,count=2" && kr_ended server ok && kr_is iterations 2
}
check "a server in the background listens when the write returns" background_server
kr_stop

background_client() {
	kr_bg server "server,addr=$ADDR,port=17501" || return 1
	kr_bg client "client,addr=$ADDR,port=17501,count=50,validate" || return 1
	kr_ended client ok && kr_is iterations 50 && kr_ended server ok
}
check "a client in the background" background_client
kr_stop

# What goes wrong before the test runs is told by the write.
background_fails() {
	kr_fails ECONNREFUSED "client,addr=$ADDR,port=17999,background" &&
		kr_fails EADDRNOTAVAIL "server,addr=203.0.113.1,background" &&
		kr_clean_now
}
check "a background command that cannot start says so at once" background_fails

polls() {
	kr_spawn poller "write=server,addr=$ADDR,port=17502,background" poll=0 read \
		poll=60000 read poll=0
	kr_soon kr "client,addr=$ADDR,port=17502,count=2" || return 1
	kr_wait poller 70 || return 1
	eq "$(grep -E -o '^poll=[a-z]*| status=[a-z]*' "$KR_RESULT" | tr -d '\n')" \
		"poll=timeout status=runningpoll=ready status=okpoll=ready" "what was polled"
}
check "poll(2) waits for the end of a background test" polls
kr_stop

polls_list() {
	kr_steps poll=0 "write=client,bogus" poll=0
	eq "$(grep -c poll=ready "$KR_RESULT")" 2 "number of poll=ready"
}
check "poll(2) without a test that runs does not wait" polls_list

stops_one() {
	endless a && endless b || return 1
	kr "stop,id=$(id_of a)" && kr_returned ok && kr_is stopped 1 || return 1
	kr_ended a ECANCELED || return 1
	kr_detail_has stop || return 1
	ended a_s || return 1
	kr_runs b && kr_is status running
}
check "stop,id= stops one test" stops_one
check "the others run on" until_ok 20 kr_running 2
check "stop stops the rest" kr stop
check "they are gone when it returns" kr_none
check "the client was stopped" kr_ended b ECANCELED
ended b_s
check "stop without a test: ESRCH" kr_fails ESRCH stop
check "stop of a test that has ended: ESRCH" kr_fails ESRCH stop,id=1
check "nothing is left" kr_clean

stops_foreground() {
	kr_fg server "server,addr=$ADDR,port=17503"
	until_ok 20 kr_running 1 && kr stop && kr_ended server ECANCELED
}
check "stop ends a server that somebody waits for: ECANCELED" stops_foreground

stops_both() {
	endless a || return 1
	kr stop && kr_is stopped 2 && kr_clean_now || return 1
	kr_ended a ECANCELED && [ "$(kr_get iterations)" -gt 0 ] &&
		kr_ended a_s ECANCELED
}
check "count=0 runs until it is stopped" stops_both
kr_stop

#
# signals
#

interrupted() {
	kr_steps signal=2:300 "write=server,addr=$ADDR,port=17504" read
	kr_returned EINTR && kr_clean_now
}
check "a signal to a server's writer: EINTR, and nothing is left" interrupted

interrupted_client() {
	kr_bg server "server,addr=$ADDR,port=17505" || return 1
	# the timer is only there for the signal's sake: it is far away
	kr_spawn victim signal=15:1000000 "write=client,addr=$ADDR,port=17505,count=0" read
	pid=$!
	until_ok 20 kr_runs server || return 1
	kill -TERM $pid
	kr_ended victim EINTR || return 1
	[ "$(kr_get iterations)" -gt 0 ] || {
		why "no iterations"
		return 1
	}
	ended server && kr_clean
}
check "a signal to a client's writer in the middle: EINTR" interrupted_client
kr_stop

killed() {
	kr_fg victim "server,addr=$ADDR,port=17506"
	pid=$!
	until_ok 20 kr_running 1 || return 1
	kill -KILL $pid
	wait $pid
	kr_clean
}
check "SIGKILL to a server's writer" killed

killed_client() {
	kr_bg server "server,addr=$ADDR,port=17507" || return 1
	kr_fg victim "client,addr=$ADDR,port=17507,count=0"
	pid=$!
	until_ok 20 kr_runs server || return 1
	kill -KILL $pid
	wait $pid
	ended server && kr_clean
}
check "SIGKILL to a client's writer" killed_client
kr_stop

# a background test does not belong to its writer
outlives() {
	"$KWRITE" "write=server,addr=$ADDR,port=17508,background" >"$KR_RESULT"
	kr_take
	eq "$KR_ERRNO" 0 && kr_running 1 &&
		kr "client,addr=$ADDR,port=17508,count=2" && kr_clean
}
check "a background test outlives its writer and its descriptor" outlives
kr_stop

# A listening server has no bound, and a signal reaches stop, too.
stop_twice() {
	endless a || return 1
	kr_fg s1 stop
	kr_fg s2 stop
	kr_wait s1 30 && kr_wait s2 30 && kr_ended a ECANCELED && ended a_s && kr_clean
}
check "two stops at once" stop_twice
kr_stop

#
# how long
#

duration() {
	pair "" duration=2,validate || return 1
	kr_returned ok || return 1
	# less is an error, and more is a busy machine
	[ "$(kr_get nsec)" -ge 1500000000 ] || {
		why "nsec=$(kr_get nsec)"
		return 1
	}
	n=$(kr_get iterations)
	[ "$n" -gt 1 ] && kr_ended server ok && kr_is iterations "$n"
}
check "duration=2 ends by itself, with ok on both sides" duration
kr_stop

count_first() {
	pair "" duration=3600,count=3 && kr_is iterations 3 && kr_ended server ok
}
check "count before duration: the count ends it" count_first
kr_stop

duration_first() {
	pair "" duration=1,count=1000000000 && kr_returned ok &&
		[ "$(kr_get iterations)" -lt 1000000000 ] && kr_ended server ok
}
check "duration before count: the duration ends it" duration_first
kr_stop

warmup() {
	pair "" warmup=30,count=10 && kr_is iterations 10 && kr_is send_msgs 80 &&
		kr_ended server ok && kr_is iterations 40
}
check "warmup is run and not measured" warmup
kr_stop

#
# a test seen from outside
#

kr_bg server "server,addr=$ADDR,port=17510"
id=$(kr_get id)
check "its thread is krping/$id" kr_thread "$id"
check "which is a kernel thread" eq "$(cat "/proc/$KR_PID/cmdline")" ""
kr_stop
kr_wait server 10
check "and is gone afterwards" until_ok 5 not kr_thread "$id"

#
# one descriptor, command after command
#

second_replaces() {
	kr_steps "write=client,first=1" read "write=client,second=1" read
	eq "$(grep -c '^error' "$KR_RESULT")" 2 "number of errors" &&
		eq "$(sed -n '3p' "$KR_RESULT" | grep -c first)" 1 "first" &&
		eq "$(sed -n '6p' "$KR_RESULT" | grep -c second)" 1 "second"
}
check "a second command on a descriptor replaces the first" second_replaces

after_background() {
	kr_steps "write=server,addr=$ADDR,port=17511,background" read \
		"write=client,addr=$ADDR,port=17511,count=3" read
	eq "$(grep -c ' role=server .*status=running' "$KR_RESULT")" 1 "server" &&
		eq "$(grep -c ' role=client .*status=ok .*iterations=3 ' "$KR_RESULT")" 1 "client" &&
		kr_clean
}
check "a client on the descriptor of a background server" after_background
kr_stop

stop_on_it() {
	kr_steps "write=server,addr=$ADDR,port=17512,background" write=stop read
	kr_is id 0 && kr_is stopped 1 && kr_is status ok && kr_clean_now
}
check "stop on the descriptor of a background server" stop_on_it
kr_stop

# for the tool: until the other thread is in its test
listening="until grep -q listen $KR; do sleep 0.1; done"

# A reader of the descriptor that the writer is blocked on.
reads_meanwhile() {
	kr_spawn sharing "start=server,addr=$ADDR,port=17513" "run=$listening" read read poll=0 \
		kill=2 join=30 read
	kr_wait sharing 40 || return 1
	eq "$KR_ERRNO" EINTR errno &&
		eq "$(grep -c ' status=running ' "$KR_RESULT")" 2 "results while it ran" &&
		eq "$(grep -c '^poll=timeout' "$KR_RESULT")" 1 "poll" &&
		eq "$(grep -c ' status=failed errno=4 ' "$KR_RESULT")" 1 "results at the end" &&
		kr_clean_now
}
check "a writer that waits blocks no reader of its descriptor" reads_meanwhile
kr_stop

# Two writers on one descriptor: the second is not held up by the first.
writes_meanwhile() {
	kr_spawn sharing "start=server,addr=$ADDR,port=17514" "run=$listening" write=stop read join=30
	kr_wait sharing 40 || return 1
	eq "$(sed -n 's/^ret=//p' "$KR_RESULT" | tr '\n' ' ')" \
		"4 errno=0 -1 errno=ECANCELED " "what the writes returned"
}
check "a writer that waits blocks no other writer" writes_meanwhile
kr_stop

#
# permissions
#

check "mode 0600" eq "$(stat -c '%a %U' $KR)" "600 root"

# denied ERRNO STEP...
denied() {
	want=$1
	shift
	kr_steps "$@"
	eq "$KR_ERRNO" "$want" errno && kr_none
}
cmd="write=server,addr=$ADDR,background"
check "without CAP_NET_ADMIN: EPERM" denied EPERM nocap open=rw "$cmd"
check "without CAP_NET_ADMIN, to read: EPERM" denied EPERM nocap open=r
check "the capability is given up after open: EPERM" denied EPERM open=rw nocap "$cmd"
check "another user: EACCES" denied EACCES user=1000 open=rw "$cmd"
check "another user, to read: EACCES" denied EACCES user=1000 open=r
check "another user with root's descriptor: EPERM" denied EPERM open=rw user=1000 "$cmd"
check "root of a user namespace: EPERM" denied EPERM userns open=rw "$cmd"
check "root of a user namespace with the real one's descriptor: EPERM" \
	denied EPERM open=rw userns "$cmd"

check "root: yes" kr "${cmd#write=}"
kr_stop

#
# network namespaces
#

other_netns() {
	kr_bg here "server,addr=0.0.0.0,port=17515" || return 1
	kr_steps netns open=r read
	eq "$KR_OUT" " " "the list in another namespace" || return 1
	kr_steps netns write=stop read
	eq "$KR_ERRNO" ESRCH errno && kr_running 1 || return 1
	kr_spawn there netns "write=server,addr=0.0.0.0,port=17518,background" read \
		open=r read "run=until [ -e $T_TMP/seen ]; do sleep 0.1; done" open=rw write=stop read
	until_ok 20 kr_running 2
	eq $? 0 "the initial namespace does not see all: status" || return 1
	touch "$T_TMP/seen"
	kr_wait there 30 || return 1
	eq "$(grep -c ' status=running' "$KR_RESULT")" 1 "running there" &&
		eq "$(grep -c '^1 listen' "$KR_RESULT")" 1 "lines of the list there" &&
		kr_is stopped 1 && kr_running 1
}
check "a network namespace sees and stops its own tests only" other_netns

stopped_from_here() {
	kr_spawn there netns "write=server,addr=0.0.0.0,port=17516" read
	until_ok 20 kr_running 2 || return 1
	kr stop && kr_is stopped 2 && kr_ended there ECANCELED
}
check "the initial one stops all" stopped_from_here
kr_stop
check "nothing is left" kr_clean

#
# rmmod: last, since it begins with numbers anew
#

loaded() {
	[ -d /sys/module/rdma_krping ]
}

refused() {
	kr_bg server "server,addr=$ADDR,port=17520" || return 1
	# it is not awaited either: that would hang until the stop
	if timeout 60 rmmod rdma_krping 2>/dev/null; then
		why "rmmod was not refused"
		return 1
	fi
	loaded || return 1
	kr "client,addr=$ADDR,port=17520,count=3,validate" && kr_ended server ok
}
check "rmmod is refused while a server listens, which works on" refused
kr_stop

refused_open() {
	until_ok 10 kr_unheld
	if timeout 60 rmmod rdma_krping 2>/dev/null 3<>$KR; then
		why "rmmod was not refused"
		return 1
	fi
	loaded
}
check "rmmod is refused while a descriptor is open" refused_open

refused_running() {
	endless a || return 1
	if timeout 60 rmmod rdma_krping 2>/dev/null; then
		why "rmmod was not refused"
		return 1
	fi
	loaded && kr_runs a && kr_is status running
}
check "rmmod is refused while a pair runs, which runs on" refused_running
kr_stop
kr_wait a 10
kr_wait a_s 10

# rmmod at once, in the process that has just written
removed() {
	until_ok 10 kr_unheld
	kr_steps "write=$1" read close "run=rmmod rdma_krping"
	kr_is run 0 && ! loaded && insmod "$KR_KO"
}

check "rmmod works when a failed client has returned" \
	removed "client,addr=$ADDR,port=17521"

removed_after_signal() {
	kr_steps signal=2:300 "write=server,addr=$ADDR" close "run=rmmod rdma_krping"
	eq "$KR_ERRNO" EINTR && kr_is run 0 && insmod "$KR_KO"
}
check "rmmod works when a server has been interrupted" removed_after_signal
check "rmmod works when a command was refused" removed "client,bogus"

# The last of two writes to return is followed by rmmod.
removed_after_pair() {
	kr_fg server "server,addr=$ADDR,port=17522"
	pid=$!
	kr_soon kr "client,addr=$ADDR,port=17522,count=20,mem_mode=reg" || return 1
	wait $pid
	rmmod rdma_krping || {
		why "rmmod failed"
		return 1
	}
	insmod "$KR_KO" && kr_ended server ok
}
for _ in 1 2 3 4 5; do
	check "rmmod works when both writes of a pair have returned" removed_after_pair
done

check "after all that it works" pair "" count=3,validate
kr_wait server
check "with the numbers from 1" [ "$(kr_get id)" -le 2 ]

t_end
