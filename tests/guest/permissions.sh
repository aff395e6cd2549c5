#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Only root with CAP_NET_ADMIN may use /proc/krping. A user in a network namespace sees and
#   stops only the tests of this namespace. A user in the initial namespace sees and stops all tests.
# Requires: one guest with any device
# Duration: 2 s on rxe, 3 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

#
# Users and capabilities
#

check "/proc/krping belongs to root and has the mode 0600" eq "$(stat -c '%a %U' $KR)" "600 root"

# denied ERRNO STEP...: check that these steps of kwrite, which writes commands, fail and start no test
denied() {
	want=$1
	shift
	kr_steps "$@"
	eq "$KR_ERRNO" "$want" errno && kr_none
}
cmd="write=server,addr=$ADDR,background"
check "open for writing without CAP_NET_ADMIN: EPERM" denied EPERM nocap open=rw "$cmd"
check "open for reading without CAP_NET_ADMIN: EPERM" denied EPERM nocap open=r
check "write after CAP_NET_ADMIN was dropped: EPERM" denied EPERM open=rw nocap "$cmd"
check "open for writing as another user: EACCES" denied EACCES user=1000 open=rw "$cmd"
check "open for reading as another user: EACCES" denied EACCES user=1000 open=r
check "write as another user to root's descriptor: EPERM" denied EPERM open=rw user=1000 "$cmd"
check "open as root of a user namespace: EPERM" denied EPERM userns open=rw "$cmd"
check "write as root of a user namespace to root's descriptor: EPERM" \
	denied EPERM open=rw userns "$cmd"

check "root may write a command" kr "${cmd#write=}"
kr_stop

#
# Network namespaces
#

other_netns() {
	kr_bg here "server,addr=0.0.0.0,port=17515" || return 1
	kr_steps netns open=r read
	eq "$KR_OUT" " " "the list in another namespace" || return 1
	kr_steps netns write=stop read
	eq "$KR_ERRNO" 0 errno && kr_is stopped 0 && kr_running 1 || return 1
	kr_spawn there netns "write=server,addr=0.0.0.0,port=17518,background" read \
		open=r read "run=until [ -e $T_TMP/seen ]; do sleep 0.1; done" open=rw write=stop read
	until_ok 60 kr_running 2 || why "the initial namespace does not list the tests of all namespaces" || return 1
	touch "$T_TMP/seen"
	kr_wait there 60 || return 1
	eq "$(grep -c ' status=running' "$KR_RESULT")" 1 "running there" &&
		eq "$(grep -c '^1 listen' "$KR_RESULT")" 1 "lines of the list there" &&
		kr_is stopped 1 && kr_running 1
}
check "a network namespace sees and stops its own tests only" other_netns

stopped_from_here() {
	kr_spawn there netns "write=server,addr=0.0.0.0,port=17516" read
	until_ok 60 kr_running 2 || return 1
	kr stop && kr_is stopped 2 && kr_ended there ECANCELED
}
check "the initial network namespace stops all tests" stopped_from_here
kr_stop
check "tests in network namespaces leave no test or object" kr_clean

t_end
