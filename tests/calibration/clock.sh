#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A result names the clocksource, and warns if the clocksource changes during the test.
# Requires: one guest with any device, whose time counts instructions (scripts/vm --exact)
# Duration: 6 s
#
# Truth: this subject writes the name of another clocksource to sysfs while a client runs. Tolerance:
# none. tests/boot/clock.sh tests a coarse clock.

# shellcheck source=wire.inc
. "${0%/*}/wire.inc"

clock=/sys/devices/system/clocksource/clocksource0/current_clocksource
read -r first <$clock
other=
case $(cat ${clock%/*}/available_clocksource) in
*acpi_pm*) other=acpi_pm ;;
*hpet*) other=hpet ;;
esac

# clock_back: restore the clocksource and the wire
clock_back() {
	echo "$first" >$clock
	wire_clear
}
# shellcheck disable=SC2034 # for lib-krping.sh
T_AT_END=clock_back

# becomes NAME: set the kernel's clocksource to NAME, and check that the kernel uses it
becomes() {
	echo "$1" >$clock
	read -r _now <$clock
	eq "$_now" "$1" "the kernel's clocksource"
}

# warnings: print the warnings about the clock in the last result
warnings() {
	sed -n '/^warning clock=/p' "$KR_RESULT"
}

# quiet NAME: run a client, and check that its result names the clocksource NAME and has no warning about
# the clock
quiet() {
	pair "" "slat,count=20" && kr_is clocksource "$1" &&
		eq "$(warnings)" "" "the warnings"
}

# changing OPTIONS: change the clocksource while a client runs. A delay of 20 ms on the wire makes the
# client run for at least a second.
changing() {
	wire v0 netem delay 20ms limit 1000 || return 1
	pair_port=$((pair_port + 1))
	kr_bg server "server,addr=$ADDR,port=$pair_port,$PATIENT" &&
		kr_bg client "client,addr=$ADDR,port=$pair_port,$PATIENT,$1,count=50" &&
		until_ok 10 kr_runs client 5 && becomes "$other" && kr_ended client ok
	_ret=$?
	# end a failed test, whose packets would disturb the next test
	[ $_ret = 0 ] || kr_stop
	wire_clear
	return $_ret
}

# warns: check that the last result warns of the change of the clocksource
warns() {
	case $(warnings) in
	"warning clock=\"the clocksource changed from $first to $other"*) ;;
	*) why "the warnings are '$(warnings)'" ;;
	esac
}

if [ -z "$other" ]; then
	skip "the result warns of a changed clocksource" "the guest has only one clocksource"
	t_end
	exit
fi
check "slat: the result names a precise clocksource, and does not warn of it" quiet "$first"
for test in slat mem_mode=dma; do
	check "$test: the clocksource changes while the test runs" changing $test
	check "$test: the result warns that the clocksource changed" warns
	check "$test: the result names the clocksource at the start" kr_is clocksource "$first"
	check "$test: the server's result warns that the clocksource changed" eval "kr_ended server ok && warns"
	clock_back
done
check "the kernel accepts another clocksource" becomes "$other"
check "slat after a change of the clocksource: the result names the new one, and does not warn" quiet "$other"
t_end
