#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: scripts/bench warns if the machine is busy. It measures a control, a figure without krping,
#   before and after each round, and repeats a round during which the control moved by more than 20 %. The
#   figures are planted; bench.sh runs a real round.
# Requires: no guest; mawk, gawk, busybox
# Duration: 3 s

set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/lib.sh
need_commands check mawk gawk busybox

# shellcheck source=../lib-host.sh
. tests/lib-host.sh
# shellcheck disable=SC2034 # for bench-table
dev=rxe0 only=
# shellcheck source=../../scripts/guest/bench-table
. scripts/guest/bench-table
# shellcheck source=../../scripts/guest/bench-control
. scripts/guest/bench-control

# say TEXT: keep a progress line of scripts/bench for said()
say() {
	echo "bench: $*" >>"$tmp/said"
}

# measure: stand in for a round of measurements. Keep one row, whose figure is the number of calls so far.
measure() {
	calls=$((calls + 1))
	keep row ours p50_usec "$calls"
	keep row theirs p50_usec 100
}

# planted: stand in for a measurement of the control. Set $control to the next value of $controls, and after
# the last value to the last value again.
planted() {
	control=${controls%% *}
	controls=${controls#* }
}

# rounds N CONTROL...: run N rounds in which the control has the values CONTROL in turn. $tmp/control.line
# gets the line that print_control prints about the control.
rounds() {
	rounds=$1
	shift
	controls="$* "
	calls=0
	: >"$tmp/said"
	run_rounds measure planted
	print_control control >"$tmp/control.line"
}

# kept "ROUND:FIGURE...": check that exactly these rounds were kept, with these figures
kept() {
	eq "$(awk '$3 == "ours" { print $4 ":" $5 }' "$tmp/figures" | tr '\n' ' ')" "$1 " figures
}

# line TEXT: check that print_control has printed TEXT about the control
line() {
	eq "$(cat "$tmp/control.line")" "$1" "line of the control"
}

# said TEXT: check that a progress line has TEXT
said() {
	grep -qF -- "$1" "$tmp/said" || why "'$1' was not said: $(cat "$tmp/said")"
}

# The functions below without a comment are checks, which the end of this file describes.

steady() {
	rounds 3 10.0 11.9 10.0 10.1 && kept "1:1 2:2 3:3" && line "control: control 10.0-11.9, 0 rounds repeated" &&
		! grep -q 'once more' "$tmp/said"
}
slower() {
	rounds 2 10 13 13 13 && kept "1:2 2:3" && line "control: control 10.0-13.0, 1 rounds repeated" &&
		said "round 1 of 2: the control moved by 30 % from 10 to 13; once more"
}
faster() {
	rounds 1 13 10 10 && kept "1:2" && said "moved by 30 % from 13 to 10; once more"
}
# edge: a control that moves by 20 %, the limit, repeats no round; one that moves by 21 % does
edge() {
	rounds 1 10 12 && kept "1:1" && rounds 1 100 121 121 && kept "1:2"
}
# several: the control moves twice in the first round, and once in the second
several() {
	rounds 2 10 20 10 10 20 20 && kept "1:3 2:5" && line "control: control 10.0-20.0, 3 rounds repeated"
}
never_steady() {
	rounds 2 10 20 10 20 10 10 && kept "1:4 2:5" && said "round 1 of 2: the control moved by 100 % again; the round counts" &&
		line "control: control 10.0-20.0, 3 rounds repeated, 1 unsteady"
}
# table: check that the table has no figure of a round that was repeated
table() {
	rounds 1 10 20 20 || return 1
	: >"$tmp/bars"
	print_table >"$tmp/table"
	grep -Eq '^row +p50_usec +2\.0 +100\.0 +0\.02 +\(0\.02-0\.02\)' "$tmp/table" || why "$(cat "$tmp/table")"
}

# busy LOAD CPUS: let warn_if_busy judge a machine with this load and number of CPUs
busy() {
	echo "$1 0.10 0.05 1/99 1234" >"$tmp/load"
	: >"$tmp/said"
	warn_if_busy "$tmp/load" "$2"
}
idle_machine() {
	busy 0.50 2 && ! grep . "$tmp/said" && busy 15.9 64 && ! grep . "$tmp/said"
}
busy_machine() {
	busy 0.51 2 && said "warning: this machine is busy, its load is 0.51" && busy 16.1 64 && said "16.1"
}

mkdir "$tmp/bin"
for awk in mawk gawk "busybox awk"; do
	printf '#!/bin/sh\nexec %s "$@"\n' "$awk" >"$tmp/bin/awk"
	chmod +x "$tmp/bin/awk"
	PATH=$tmp/bin:$PATH
	check "bench: a round counts if its control is steady: $awk" steady
	check "bench: a control that became slower repeats the round: $awk" slower
	check "bench: a control that became faster repeats the round: $awk" faster
	check "bench: a control that moved by 20 % repeats no round, and by 21 % one round: $awk" edge
	check "bench: a round is repeated until its control is steady: $awk" several
	check "bench: a round whose control moves four times is kept and reported as unsteady: $awk" never_steady
	check "bench: the table has only the rounds that were kept: $awk" table
	check "bench: no warning on an idle machine: $awk" idle_machine
	check "bench: a warning on a busy machine: $awk" busy_machine
done

t_end
