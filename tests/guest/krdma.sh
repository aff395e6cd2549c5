#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krdma.h, the API for other kernel modules, works. The module krping_krdma.ko
#   (tests/kmod/krdma_*.c) runs both sides of each scenario.
# Requires: one guest
# Duration: 67 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

KO=/lib/modules/extra/krping_krdma.ko
PARAMETERS=/sys/module/krping_krdma/parameters
krdma_port=19600

# begin SCENARIO [USECS]: load the module, which begins the scenario. Each wait of the module polls for
# USECS microseconds (default 0) before it sleeps.
begin() {
	krdma_port=$((krdma_port + 1))
	insmod $KO "scenario=$1" "addr=$ADDR" "port=$krdma_port" "poll=${2:-0}" "pid=${BOX_PID:-0}"
}

# result_is TEXT: check the module's result
result_is() {
	read -r _result <$PARAMETERS/result
	[ "$_result" = "$1" ] || why "the result is '$_result', not '$1'"
}

# ended: check that the scenario has ended
ended() {
	read -r _result <$PARAMETERS/result
	case $_result in
	running | waiting) why "the scenario is $_result" ;;
	esac
}

# end: wait for the scenario's end, check the result, and unload the module
end() {
	until_ok 110 ended
	result_is ok
	_status=$?
	rmmod krping_krdma && [ $_status = 0 ]
}

# plays SCENARIO [USECS]: run a scenario to its end, and check that it leaves no test, RDMA object or
# log line
plays() {
	klog_mark
	begin "$@" && end && kr_clean && quiet
}

# quiet: check that krping has logged nothing
quiet() {
	eq "$(klog_since | grep -c 'krping: ')" 0 'number of log lines of krping'
}

check "krdma: messages of 1 byte to 1 MiB arrive whole and in order" plays messages
check "krdma: if a message is longer than the buffer, a later call receives it" plays short_buffer
check "krdma: a sender without a receiver waits for credits" plays credits
check "krdma: a slow receiver loses no message, and grants credits while it receives" plays overtaken
check "krdma: reads and writes reach the region and nothing beyond" plays memory
check "krdma: a connection that carries only reads and writes outlives its timeout" plays alive
check "krdma: a read or write without a region is EINVAL" plays no_memory
check "krdma: messages sent before a release arrive" plays release
check "krdma: a release ends waiting calls" plays release_waiting
check "krdma: the release of a listener frees its address, and connections continue" plays listener
check "krdma: connections that nobody accepts end with their listener" plays unaccepted
check "krdma: a signal ends waiting calls" plays signals
check "krdma: a message arrives while its receiver polls, and a receiver that has polled long enough sleeps" plays poll
check "krdma: a timeout ends a poll" plays poll_timeout
check "krdma: a signal, a disconnect and a release end a poll" plays poll_ends
check "krdma: messages arrive in order with waits that poll" plays messages 10000
check "krdma: reads and writes arrive with waits that poll" plays memory 10000
check "krdma: a handler gets the parts of each message in order, then the end" plays handler
check "krdma: krdma_try_send() does not wait" plays try_send
check "krdma: krdma_try_send() sends between the messages of krdma_send()" plays between
check "krdma: each callback is called once and in order, also after a release" plays async
check "krdma: ten concurrent clients exchange messages" plays clients
check "krdma: invalid arguments and an address without a listener return an errno" plays arguments
check "krdma: krdma_rw_init_client() connects to krdma_rw_init_server()" plays init_both

#
# In these scenarios the module waits for an event that this file causes: a stop, an unload, the removal of
# the device, or a test of krping as the peer.
#

# waits SCENARIO [USECS]: begin a scenario, and wait until it expects the event
waits() {
	begin "$@" && until_ok 60 result_is waiting
}

is_stopped() {
	waits stopped && kr stop && end && kr_clean
}
check "krdma: the command stop ends calls with ECANCELED" is_stopped

is_stopped_polling() {
	waits stopped 1000000 && kr stop && end && kr_clean
}
check "krdma: the command stop ends calls that poll" is_stopped_polling

is_listed() {
	waits held && kr list && kr_has "test=krdma role=client" && kr_has "test=krdma role=server" &&
		kr_running 3 || return 1
	rmmod krping_krdma && kr_clean
}
check "krdma: list shows connections, and unloading their user ends them" is_listed

keeps_krping() {
	waits held && ! rmmod rdma_krping 2>"$T_TMP/rmmod" || return 1
	rmmod krping_krdma && kr_clean
}
check "krdma: krping cannot be unloaded while a module uses krdma" keeps_krping

is_removed() {
	waits removed && rdma link delete "$DEV" || return 1
	end
	_ended=$?
	device_again
	[ $_ended = 0 ] && kr_none
}
check "krdma: the removal of the device ends calls with ENODEV; one side may get ECONNRESET" is_removed

# in_namespace: let the module listen in another network namespace, and check that a list of that
# namespace shows the listener
in_namespace() {
	ip netns add krdma && ip -n krdma link set lo up || return 1
	ip netns exec krdma sleep 600 &
	BOX_PID=$!
	until_ok 60 other_namespace && waits namespace &&
		eq "$(ip netns exec krdma cat "$KR" | grep -c listen)" 1 'listeners in the namespace' &&
		rmmod krping_krdma && kr_clean
	_status=$?
	kill $BOX_PID
	BOX_PID=
	ip netns delete krdma
	return $_status
}

# other_namespace: check that the process BOX_PID has entered its namespace
other_namespace() {
	[ "$(readlink "/proc/$BOX_PID/ns/net")" != "$(readlink /proc/self/ns/net)" ]
}
check "krdma: net selects the network namespace of a listener" in_namespace

# A listener of krdma.h rejects clients of tests, and a server of tests rejects clients of krdma.h.
is_no_test() {
	waits held && kr_fails ECONNREFUSED "client,addr=$ADDR,port=$krdma_port,count=1" &&
		rmmod krping_krdma && kr_clean
}
check "krdma: a listener rejects the clients of tests" is_no_test

is_no_krdma() {
	kr_bg server "server,addr=$ADDR,port=$((krdma_port + 1)),clients=0" && begin foreign &&
		end && kr stop
}
check "krdma: a server of tests rejects clients of krdma" is_no_krdma
kr_stop

t_end
