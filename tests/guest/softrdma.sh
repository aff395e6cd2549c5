#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping softrdma down removes the devices, interfaces and modules of softrdma up, with --force also
#   under a running test, and nothing else. softrdma up makes them again. The checks run under dash, bash or busybox, a
#   different one each day.
# Requires: one guest with any device
# Duration: 40 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=cli.inc
. "${0%/*}/cli.inc"
# Functions of cli.inc: ends STATUS ARGUMENT... runs the command krping and checks its exit status, prints REGEX
# checks its output.

if [ ! -e "/run/softrdma/$DEV" ] || [ ! -e /etc/vm.conf ]; then
	skip_all "the device is not that of a guest of scripts/vm"
fi
# the arguments with which the guest has made its device
vm_softrdma=
# shellcheck source=/dev/null
. /etc/vm.conf
case $TYPE in
rxe) MODULE=rdma_rxe ;;
*) MODULE=$TYPE ;;
esac
[ -e /run/softrdma.modules ] || skip_all "$MODULE is built into the kernel"

PORT=17820
one_shell

# The list of checks at the end of this file states what each case_ function checks.

# gone NAME: check that there is neither a device NAME nor its interface dummy-NAME
gone() {
	if [ -e "/sys/class/infiniband/$1" ] || [ -e "/sys/class/net/dummy-$1" ]; then
		why "$1 or its interface is still there"
	fi
}

loaded() {
	[ -d "/sys/module/$MODULE" ] || why "$MODULE is not loaded"
}

unloaded() {
	[ ! -d "/sys/module/$MODULE" ] || why "$MODULE is loaded"
}

# said_ended NAME: check that softrdma down has printed that tests of krping on the device NAME have ended
said_ended() {
	prints "^softrdma: tests of krping that used $1 have ended with an error\$"
}

case_second() {
	ends 0 softrdma up "$TYPE" second && [ -e /sys/class/infiniband/second ] &&
		ends 0 softrdma down second && ! grep krping "$OUT" && prints '^softrdma: removed second$' && prints '^softrdma: removed interface dummy-second$' &&
		prints "^softrdma: the module $MODULE stays loaded for $DEV\$" && gone second && loaded
}

# case_listening: remove a second RDMA device on which a server listens. The server on the first device goes on, also
# when the second device is removed again, without a test on it.
case_listening() {
	kr_bg other "server,addr=$ADDR,port=$PORT" && ends 0 softrdma up "$TYPE" second --addr 198.18.7.1/24 &&
		kr_bg server "server,addr=198.18.7.1,port=$PORT" || return 1
	ends 0 softrdma down second && prints "^softrdma: removed second\$" && said_ended second && kr_ended server ENODEV 60 &&
		ends 0 softrdma up "$TYPE" second && ends 0 softrdma down second && ! grep krping "$OUT" &&
		kr "stop" && kr_is stopped 1 && kr_wait other
}

case_running() {
	kr_bg server "server,addr=$ADDR,port=$PORT"
	kr_bg client "client,addr=$ADDR,port=$PORT"
	until_ok 60 kr_runs client && ends 1 softrdma down && explains "tests run on $DEV, with these ids: " && explains "or add --force" &&
		ends 1 softrdma down "$DEV" && ends 1 softrdma down --forc && explains "did you mean --force" && kr_runs client || return 1
	ends 0 softrdma down --force && prints "^softrdma: removed $DEV\$" && said_ended "$DEV" &&
		prints "^softrdma: unloaded the module $MODULE\$" && gone "$DEV" && unloaded || return 1
	# the disconnect of the peer may arrive before the removal
	for _t in client server; do
		kr_ended $_t ENODEV 60 || kr_returned ECONNRESET || return 1
	done
}

case_twice() {
	ends 0 softrdma down && prints '^softrdma: nothing to remove: there is no device of krping softrdma up$' &&
		ends 0 softrdma down "$DEV" && prints "^softrdma: nothing to remove: $DEV is not a device of krping softrdma up\$" && unloaded
}

# case_no_device: on a machine without RDMA devices, krping server listens at all addresses, and says that no client can
# connect
case_no_device() {
	serve waiting --port "$PORT" && until_ok 60 grep -q "there is no RDMA device yet" "$T_TMP/waiting.err" && served waiting 143
}

# case_loaded_before: name the devices by their type, after a name that no device has
case_loaded_before() {
	modprobe "$MODULE" && ends 0 softrdma up "$TYPE" second && ends 0 softrdma up "$TYPE" third &&
		ends 1 softrdma down "$DEV" && explains "$DEV is not a device of krping softrdma up, which has made: second third" &&
		ends 0 softrdma down "$TYPE" && prints '^softrdma: removed second$' && prints '^softrdma: removed third$' &&
		! grep module "$OUT" && gone second && loaded && rmmod "$MODULE"
}

# case_in_use: let rmmod fail, as it does while something uses the module. Use dash, because busybox would run its own rmmod.
case_in_use() {
	mkdir "$T_TMP/failing" && printf '#!/bin/sh\nexit 1\n' >"$T_TMP/failing/rmmod" && chmod +x "$T_TMP/failing/rmmod" &&
		ends 0 softrdma up "$TYPE" second || return 1
	PATH=$T_TMP/failing:$PATH dash scripts/softrdma down >"$OUT" 2>"$ERR"
	eq $? 0 status && prints "^softrdma: the module $MODULE is in use, and stays loaded\$" && loaded &&
		ends 0 softrdma down && prints "^softrdma: unloaded the module $MODULE\$" && unloaded
}

case_again() {
	# shellcheck disable=SC2086 # words for softrdma
	ends 0 softrdma up "$TYPE" $vm_softrdma && prints "^softrdma: made $DEV on " && loaded || return 1
	# the new device has another index
	_new=$(rdma_objects)
	t_objects="${_new%%:*}:${t_objects#*:}"
	until_ok 60 device_has_address && pair "" count=10
}

check_within 120 "down of a second device removes it and its interface, and leaves the module for the first" case_second
check_within 120 "softrdma down prints that the server on the removed device has ended; the server on the other device goes on" case_listening
check_within 120 "down under a running test is refused; with --force it ends the test, and unloads the module" case_running
check "a second down has nothing to remove, and is no error" case_twice
check_within 120 "krping server says that no client can connect if the machine has no RDMA device" case_no_device
check_within 120 "down of a type removes its devices, and leaves a module that was loaded before up" case_loaded_before
check_within 120 "a module in use is no error, and a later down unloads it" case_in_use
check_within 120 "up after down makes the same device, on which a test runs" case_again

t_end
