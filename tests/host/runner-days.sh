#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Each day, tests/run runs a subject (a test file) that requires any device on the other
#   device, another eighth of the guest subjects on the lab device (all with KVM), and a subject of the command
#   krping under another shell. With --until the guests are first one day, and last the next, and the short
#   subjects of the host precede the long ones. If the subject is named, it runs on rxe and siw, or under all shells.
# Requires: no guest
# Duration: 1 s

cd "$(dirname "$0")/../.." || exit 1
top=$PWD
# shellcheck source=../lib-host.sh
. tests/lib-host.sh

#
# Devices
#

mkdir -p "$tmp/any/tests/guest" "$tmp/any/tests/boot" "$tmp/any/tests/calibration"
ln -s "$top/tests/run.d" "$tmp/any/tests"
for name in one two; do
	echo '# Requires: one guest with any device' >"$tmp/any/tests/guest/$name.sh"
done
echo '# Requires: one guest' >"$tmp/any/tests/guest/three.sh"
for name in boot/one boot/two calibration/one; do
	echo '# Requires: a guest with any device, which this file boots' >"$tmp/any/tests/$name.sh"
done
echo '# Requires: a guest, which this file boots' >"$tmp/any/tests/boot/three.sh"

# queue DAY DEVICE [SUBJECT]: write what tests/run runs on DAY, in days since 1970, to $tmp/out. Each line has a
# group (such as guest or boot), a device, and the subjects of the group that run on the device.
queue() {
	# shellcheck disable=SC2016 # the inner shell expands them
	(cd "$tmp/any" && KRPING_ACCEL=tcg bash -c '
		date() { echo $((86400 * day)); }
		day=$1 device=$2 kernel=stock only="" names=("${@:3}") devices=("$2")
		[ "$device" != all ] || devices=(rxe siw)
		. tests/run.d/select.sh && . tests/run.d/queue.sh && select_subjects && in_guests guest "${guest[@]}" &&
			in_guests boot "${own_boot[@]}" && in_guests calibration "${calibration[@]}" && ${TURN-:} &&
			printf "%s\n" "${queue[@]}" "day ${T_DAY-none}"' sh "$@") >"$tmp/out"
}

# queued LINE...: check that queue has written the items LINE...
queued() {
	printf '%s\n' "$@" | diff - "$tmp/out"
}

queue 20000 all
check "a subject for any device runs on one device" queued 'guest rxe one three' 'guest siw three two' \
	'boot rxe one three' 'boot siw three two' 'calibration rxe one' 'day 20000'
queue 20001 all
check "a subject for any device runs on the other device the next day" queued \
	'guest rxe three two' 'guest siw one three' 'boot rxe three two' 'boot siw one three' \
	'calibration siw one' 'day 20001'
TURN=turn_queue queue 20000 all
check "with --until the guests of rxe and siw are the first one day" queued 'guest rxe one three' 'guest siw three two' \
	'boot rxe one three' 'boot siw three two' 'calibration rxe one' 'day 20000'
TURN=turn_queue queue 20001 all
check "with --until the guests of rxe and siw are the last the next day" queued \
	'boot rxe three two' 'boot siw one three' 'calibration siw one' 'guest rxe three two' 'guest siw one three' 'day 20001'
queue 20000 all guest/two
check "a subject for any device runs on both if it is named" queued 'guest rxe two' 'guest siw two' 'day none'
queue 20001 siw
check "all subjects for any device run on the named device" queued 'guest siw one three two' \
	'boot siw one three two' 'calibration siw one' 'day none'

# turns: check that --until lets another third of the subjects begin each day
turns() {
	for day in 20001 20002 20003 20004; do
		# shellcheck disable=SC2016 # the inner shell expands them
		(cd "$tmp/any" && bash -c 'date() { echo $((86400 * day)); }
			day=$1
			. tests/run.d/select.sh; from_another {a..f} | xargs' sh "$day") || return 1
	done >"$tmp/out"
	queued 'a b c d e f' 'c d e f a b' 'e f a b c d' 'a b c d e f'
}
check "with --until, each day begins with another third of the subjects" turns

# short_subjects: check that with --until the short subjects of the group host precede the others each day
short_subjects() {
	mkdir -p "$tmp/any/tests/host"
	for name in a:9 b:13 c:12 d:120 e:1; do
		echo "# Duration: ${name#*:} s" >"$tmp/any/tests/host/${name%:*}.sh"
	done
	for day in 20001 20003; do
		# shellcheck disable=SC2016 # the inner shell expands them
		(cd "$tmp/any" && bash -c 'date() { echo $((86400 * day)); }
			day=$1
			. tests/run.d/select.sh; short_first {a..e} | xargs' sh "$day") || return 1
	done >"$tmp/out"
	queued 'a c e b d' 'a c e d b'
}
check "with --until, subjects of the host of at most 12 s are the first" short_subjects

# eighths DAY [ACCEL]: print the subjects that run on the lab device on DAY, then those that run there with an IOMMU.
# ACCEL is kvm or tcg, the default.
eighths() {
	# shellcheck disable=SC2016 # the inner shell expands them
	(cd "$tmp/any" && KRPING_ACCEL=${2-tcg} bash -c 'T_DAY=$1; . tests/run.d/select.sh
		for offset in 0 4; do on_lab "$offset" {a..p} | xargs; done' sh "$1")
}

# all_eighths: check that each of 16 subjects runs on the lab device once in eight days, and with an IOMMU
# four days earlier or later
all_eighths() {
	eighths 20000 >"$tmp/out"
	queued 'a i' 'e m' || return 1
	eighths 20001 >"$tmp/out"
	queued 'h p' 'd l' || return 1
	for day in 20000 20001 20002 20003 20004 20005 20006 20007; do
		eighths "$day"
	done | tr ' ' '\n' | sort | uniq -c | awk '{ print $1 }' | uniq -c | xargs >"$tmp/out"
	queued '16 2'
}
check "in eight days, each guest subject runs once on the lab device, and once there with an IOMMU" all_eighths

# all_with_kvm: check that each subject runs on the lab device each day, without and with an IOMMU
all_with_kvm() {
	eighths 20000 kvm >"$tmp/out"
	queued 'a b c d e f g h i j k l m n o p' 'a b c d e f g h i j k l m n o p'
}
check "with KVM, all guest subjects run on the lab device, without and with an IOMMU" all_with_kvm

#
# Shells
#

# shells DAY: print the shells under which a subject runs the command krping on this day, and "first" behind the
# first one: a subject runs some checks under the first shell only
shells() {
	# shellcheck disable=SC2016 # the inner shell expands them
	T_DAY=$1 T_TMP=$tmp sh -c '. tests/guest/cli.inc
		show() { echo "$shell${first:+, first}"; }
		under_shells show'
}

# other_shell: check that a day has one shell, and that three days in a row have all three
other_shell() {
	for day in 20000 20001 20002; do
		shells "$day"
	done >"$tmp/out"
	queued 'busybox ash, first' 'dash, first' 'bash, first'
}

check "the command krping runs under another shell each day" other_shell
shells '' >"$tmp/out"
check "the command krping runs under all shells if its subject is named" queued 'dash, first' bash 'busybox ash'

# chosen: check that CLI_SHELL selects the shell, on any day
chosen() {
	CLI_SHELL=bash shells 20000 >"$tmp/out" && CLI_SHELL=busybox shells '' >>"$tmp/out" && queued 'bash, first' 'busybox ash, first'
}
check "CLI_SHELL selects the shell of the command krping" chosen

t_end
