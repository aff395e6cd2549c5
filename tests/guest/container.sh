#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A user without CAP_NET_ADMIN cannot use krping. A user in a network namespace sees,
#   stops and reaches only the tests of this namespace. The namespace is freed after the end of its
#   tests. See also permissions.sh.
# Requires: one guest
# Duration: 4 s on rxe, 6 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

for program in setpriv ip; do
	command -v $program >/dev/null || {
		echo '1..1'
		echo "ok 1 - all # SKIP there is no $program"
		exit
	}
done

tool=$KWRITE
port=18000

#
# Users
#

# denied ERRNO STEP...: check that one of these steps of kwrite (tests/tools/kwrite.c lists them) fails with ERRNO,
# and that no test runs
denied() {
	want=$1
	shift
	kr_steps "$@"
	eq "$KR_ERRNO" "$want" errno && kr_none
}
cmd="write=server,addr=$ADDR,port=$port,background"

check "root of a user namespace and its network namespace may not write: EPERM" denied EPERM userns netns open=rw "$cmd"
check "root of a user namespace and its network namespace may not read: EPERM" denied EPERM userns netns open=r
check "root of a user namespace may not write to a descriptor of the real root: EPERM" \
	denied EPERM open=rw userns netns "$cmd"
check "root of a user namespace may not stop with a descriptor of the real root: EPERM" \
	denied EPERM open=rw userns netns write=stop
check "root of a user namespace may not write to a descriptor opened in a network namespace: EPERM" \
	denied EPERM netns open=rw userns "$cmd"

handed_on() {
	kr_steps open=r nocap read && kr_none &&
		eq "$(grep -c '^read=' "$KR_RESULT")" 0 'failed reads'
}
check "a user without CAP_NET_ADMIN may read a descriptor that root has opened" handed_on

# open(2) checks the capability, whatever the mode of the file is.
chmod 666 $KR
check "mode 0666: a user without CAP_NET_ADMIN may not write: EPERM" denied EPERM user=1000 open=rw "$cmd"
check "mode 0666: a user without CAP_NET_ADMIN may not read: EPERM" denied EPERM user=1000 open=r
capable_user() {
	setpriv --reuid 1000 --clear-groups --inh-caps +net_admin --ambient-caps +net_admin \
		"$tool" "$cmd" >"$KR_RESULT"
	kr_take
	eq "$KR_ERRNO" 0 errno && kr_running 1
}
check "mode 0666: a user with CAP_NET_ADMIN may write" capable_user
kr_stop
chmod 600 $KR
unlisted_user() {
	not capable_user && eq "$KR_ERRNO" EACCES errno && kr_none
}
check "mode 0600: a user with CAP_NET_ADMIN may not open the file: EACCES" unlisted_user

#
# Network namespaces. A box is a namespace with a name, in which root has all capabilities.
#

# box NAME: create the box NAME, and the script in_NAME, which runs kwrite in this box
box() {
	ip netns add "$1" && ip -n "$1" link set lo up
	printf '#!/bin/sh\nexec ip netns exec %s %s "$@"\n' "$1" "$tool" >"$T_TMP/in_$1"
	chmod +x "$T_TMP/in_$1"
}

# in_box NAME COMMAND...: run COMMAND so that its kwrite runs in the box
in_box() {
	KWRITE=$T_TMP/in_$1
	shift
	"$@"
	_status=$?
	KWRITE=$tool
	return $_status
}

# sees NAME N: check that the list of tests in the box NAME has N lines
sees() {
	in_box "$1" kr_steps open=r chunk=65536 read
	eq "$(grep -c . "$KR_RESULT")" "$2" "number of tests in the list of $1"
}

# fails_in NAME ERRNO[/ERRNO]... CMD: check that CMD fails with one of these errnos in the box
# NAME, or in the initial namespace if NAME is ""
fails_in() {
	if [ "$1" ]; then
		in_box "$1" kr "$3"
	else
		kr "$3"
	fi
	case /$2/ in
	*"/$KR_ERRNO/"*) return 0 ;;
	esac
	why "errno is $KR_ERRNO instead of $2"
}

box one
box two

kr_bg here "server,addr=$ADDR,port=$port"
here_id=$(kr_get id)
# still_here: check that the server `here` runs, as the only test
still_here() {
	kr_result here && kr_is status running && kr_running 1
}

check "a namespace lists no test of the initial namespace" sees one 0
stops_none() {
	in_box one kr stop && kr_is stopped 0
}
check "stop in a namespace stops no test of the initial one" stops_none
check "stop,id= in a namespace stops no test of the initial one" fails_in one ESRCH "stop,id=$here_id"
check "a client in a namespace does not reach a server of the initial one" \
	fails_in one ENETUNREACH/EHOSTUNREACH/ENODEV/EADDRNOTAVAIL/ETIMEDOUT/ECONNREFUSED \
	"client,addr=$ADDR,port=$port,count=1,timeout=3000"
check "a server in a namespace cannot bind an address of the initial one" \
	fails_in one EADDRNOTAVAIL/ENODEV "server,addr=$ADDR,port=$((port + 1)),background"
check "attempts of another namespace leave the initial namespace's server listening" still_here
kr_stop
kr_wait here 10

# A wildcard address exists in each namespace.
boxed() {
	port=$((port + 1))
	in_box one kr_bg one "server,addr=0.0.0.0,port=$port" &&
		in_box two kr_bg two "server,addr=0.0.0.0,port=$((port + 1))" &&
		kr_bg here "server,addr=$ADDR,port=$((port + 2))" && kr_running 3
}
check "the initial namespace lists the servers of two others and its own" boxed
check "a namespace lists its own test" sees one 1
check "a second namespace lists its own test" sees two 1
in_box two kr_result two
two_id=$(kr_get id)
check "stop,id= in a namespace stops no test of a second one" fails_in one ESRCH "stop,id=$two_id"
stops_own() {
	in_box one kr stop && kr_is stopped 1 && kr_ended one ECANCELED && kr_running 2
}
check "stop in a namespace stops its own test" stops_own
stops_by_id() {
	kr "stop,id=$two_id" && kr_ended two ECANCELED && kr_running 1
}
check "stop,id= in the initial namespace stops a test of another one" stops_by_id
served() {
	kr "client,addr=$ADDR,port=$((port + 2)),count=3,validate" && kr_ended here ok
}
check "the initial namespace's server serves a client while others have servers" served
kr_stop

# A server on 0.0.0.0 in a box does not listen in the initial namespace.
port=$((port + 10))
in_box one kr_bg one "server,addr=0.0.0.0,port=$port"
box_listens() {
	sees one 1 && kr_running 1
}
check "a client does not reach a wildcard server of another namespace" \
	fails_in "" ECONNREFUSED "client,addr=$ADDR,port=$port,count=3,timeout=3000"
check "a wildcard server of another namespace keeps listening" box_listens

# Ports of a box and of the initial namespace are independent.
own_port() {
	kr_bg here "server,addr=$ADDR,port=$port" &&
		kr "client,addr=$ADDR,port=$port,count=3,validate" && kr_ended here ok && box_listens
}
# siw always listens on a socket in the initial namespace: see Documentation/security.md.
same_port() {
	own_port && return 0
	[ "$TYPE" = siw ] && eq "$KR_ERRNO" EADDRINUSE errno && box_listens || return 1
	diag "siw takes a box's port from the initial namespace"
}
check "two namespaces may use the same port" same_port
kr_stop
kr_wait one 10

#
# Deletion of a namespace
#

# A namespace without a name exists as long as a test refers to it. A veth pair shows whether the
# namespace exists: one end is in the namespace, and the kernel deletes both ends with the namespace.
if ! modprobe veth 2>/dev/null; then
	skip "a server outlives the processes of its namespace" "there is no module veth"
	skip "a namespace is freed when its server is stopped" "there is no module veth"
	skip "a namespace is freed when the writer of its server is killed" "there is no module veth"
else
	# leash NAME: put one end of a veth pair into the namespace
	leash() {
		ip link add "leash_$1" type veth peer name end netns "$1"
	}
	# leashed NAME: check that the namespace still exists
	leashed() {
		[ -e "/sys/class/net/leash_$1" ]
	}

	outlives() {
		leash one && in_box one kr_steps "write=server,addr=0.0.0.0,port=$port,background" &&
			ip netns delete one && sleep 1 && kr_running 1 && kr_listening && leashed one
	}
	check "a server outlives the processes of its namespace" outlives
	gone() {
		kr stop && kr_is stopped 1 && kr_none && until_ok 60 not leashed one
	}
	check "a namespace is freed when its server is stopped" gone

	# The end of a container kills its processes.
	killed() {
		leash two || return 1
		ip netns exec two "$tool" "write=server,addr=0.0.0.0,port=$port" >/dev/null &
		_pid=$!
		until_ok 60 kr_running 1 || return 1
		ip netns delete two
		kill -9 $_pid
		wait $_pid
		until_ok 60 kr_none && until_ok 60 not leashed two
	}
	check "a namespace is freed when the writer of its server is killed" killed
fi

check "deleted namespaces hold no reference to the module" until_ok 60 kr_unheld
for name in one two; do
	ip netns delete $name 2>/dev/null
done

t_end
