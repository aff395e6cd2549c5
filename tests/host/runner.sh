#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: tests/run runs a named check of a subject (a test file) alone, ends checks that hang, and
#   prints a summary; tests/new writes a test file that passes. This subject copies the tree, writes
#   small test files into the copy, and runs tests/run there.
# Requires: guests that the subject boots with tests/run
# Duration: 43 s

cd "$(dirname "$0")/../.." || exit 1
top=$PWD
KERNEL=${KERNEL:-stock}
# shellcheck source=../lib-host.sh
. tests/lib-host.sh

# A copy of the tree. Its subjects are written below.
tree=$tmp/tree
mkdir -p "$tree/tests/guest" "$tree/tests/host" "$tree/tests/boot"
for f in "$top"/*; do
	[ "${f##*/}" = tests ] || ln -s "$f" "$tree"
done
for f in "$top"/tests/*; do
	case ${f##*/} in
	guest | host | two | boot | debug | debug-boot) ;;
	*) ln -s "$f" "$tree/tests" ;;
	esac
done
# Copy tests/run, which works in the tree that contains its file: through a symbolic link it would work in this
# tree.
rm "$tree/tests/run"
cp "$top/tests/run" "$tree/tests/run"

cat >"$tree/tests/guest/hangs.sh" <<'END'
. "${0%/*}/../lib-krping.sh"
. "${0%/*}/../lib-peer.sh"

silent_peer() {
	peer_server silent --fault silent=connect --timeout 300 &&
		kr "client,addr=$ADDR,port=$port,timeout=0"
}

nobody_writes() {
	mkfifo "$T_TMP/fifo" && read -r _l <"$T_TMP/fifo"
}

check "a check that ends" kr_none
check_within 20 "a client waits for a silent peer" silent_peer
check "the next check is run" kr_clean
check_within 5 "a shell reads what nobody writes" nobody_writes
check "a check behind one that cannot be ended" kr_none
t_end
END

cat >"$tree/tests/guest/many.sh" <<'END'
. "${0%/*}/../lib-krping.sh"
. "${0%/*}/../lib-peer.sh"
check "one of two" kr_none
check "two of two" false
server_meets 'a case' '--count 3' '' ok ''
also 'the case is over' kr_is iterations 3
server_meets 'a case that fails' '--count 3' '' EPROTO ''
skip "a check that is skipped" "it is planted"
cases_run
# Each case takes the next port, so the last port shows how many cases have run.
diag "the last port is $port"
t_end
END

cat >"$tree/tests/guest/dies.sh" <<'END'
. "${0%/*}/../lib-krping.sh"
check "the check before a panic" true
echo c >/proc/sysrq-trigger
END

cat >"$tree/tests/host/planted.sh" <<'END'
#!/bin/sh
. tests/lib-host.sh
check "one of three" true
check "two of three" false
check "two" true
t_end
END

cat >"$tree/tests/boot/planted.sh" <<'END'
#!/bin/sh
. tests/lib-host.sh
check "one of three" true
check "two of three" false
skip "three of three" "it is planted"
t_end
END
# Do not change the mode of tests/*/*.sh: the other directories are links to those of this tree.
chmod +x "$tree"/tests/guest/*.sh "$tree"/tests/host/*.sh "$tree"/tests/boot/*.sh

# run SUBJECT...: run tests/run, write its output to $tmp/out, and append its exit status
run() {
	(cd "$tree" && T_ONLY='' tests/run --no-build --kernel "$KERNEL" --device rxe "$@") >"$tmp/out" 2>&1
	echo "status $?" >>"$tmp/out"
}

# has LINE...: check that each extended regular expression matches a whole line of the output
has() {
	for _line; do
		grep -Exq -e "$_line" "$tmp/out" || {
			echo "there is no line '$_line' in:"
			cat "$tmp/out"
			return 1
		}
	done
}

# hasnt LINE: check that no line of the output matches
hasnt() {
	! grep -Ex -e "$1" "$tmp/out"
}

# tap LINE...: check that the output without comments and without the lines of scripts/vm is LINE...
tap() {
	grep -Ev '^(#|vm: )' "$tmp/out" >"$tmp/tap"
	printf '%s\n' "$@" | diff - "$tmp/tap"
}

# tap_ends LINE...: check that the last three lines of the output are LINE...
tap_ends() {
	tail -n 3 "$tmp/out" >"$tmp/tap"
	printf '%s\n' "$@" | diff - "$tmp/tap"
}

#
# One check of a subject
#

run host/planted
check "tests/run SUBJECT runs all checks" tap 'ok 1 - planted: one of three' \
	'not ok 2 - planted: two of three' 'ok 3 - planted: two' \
	1..3 '2 passed, 1 failed, 0 skipped' 'status 1'
run 'host/planted:one of three'
check "tests/run SUBJECT:NAME runs this check only" tap 'ok 1 - planted: one of three' \
	1..1 '1 passed, 0 failed, 0 skipped' 'status 0'
run 'host/planted:one'
check "tests/run accepts a part of a check's name" tap 'ok 1 - planted: one of three' \
	1..1 '1 passed, 0 failed, 0 skipped' 'status 0'
run 'host/planted:two of'
check "tests/run fails if the only check fails" tap \
	'not ok 1 - planted: two of three' 1..1 '0 passed, 1 failed, 0 skipped' 'status 1'
run 'host/planted:of three'
check "tests/run rejects a part of two names" has 'not ok 3 - 2 checks of planted match .of three.' \
	'status 1'
run 'host/planted:two'
check "tests/run accepts a check's whole name although another name contains it" hasnt 'not ok .* - 2 checks .*'
run 'host/planted:four'
check "tests/run rejects a name that no check has" tap \
	"not ok 1 - no check of planted matches 'four'" 1..1 '0 passed, 1 failed, 0 skipped' 'status 1'
run 'boot/planted:one of'
check "tests/run runs one check of a subject that boots its guests" tap 'ok 1 - planted/rxe: one of three' \
	1..1 '1 passed, 0 failed, 0 skipped' 'status 0'
run 'boot/planted:three of three'
check "tests/run reports the only check as skipped" tap 'ok 1 - planted/rxe: three of three # SKIP it is planted' \
	1..1 '0 passed, 0 failed, 1 skipped' 'status 1'

run 'many:the case is over'
check "tests/run runs the case of the named check" tap \
	'ok 1 - many/rxe: the case is over' 'ok 2 - guest/rxe: the guest had no trouble' \
	1..2 '2 passed, 0 failed, 0 skipped' 'status 0'
check "tests/run runs only the case of the named check" has '# the last port is 20001'

#
# Checks that hang
#

run hangs
check "a check that hangs fails under its name" has 'ok 1 - hangs/rxe: a check that ends' \
	'not ok 2 - hangs/rxe: a client waits for a silent peer # hangs'
check "the last command of a check that hangs is printed" has '# last command: client,.*,timeout=0'
check "the stack of the test's thread is printed" has '# process [0-9]+, krping/.*' \
	'# .* krping_wait[_a-z]*\+.*'
check "the stack of the writer is printed" has '# process [0-9]+, kwrite: .*timeout=0.*' \
	'# .* krping_proc_write\+.*'
check "a subject continues after a check that hangs" has 'ok 3 - hangs/rxe: the next check is run'
check "a subject that cannot continue prints its plan and ends" has \
	'not ok 4 - hangs/rxe: a shell reads what nobody writes # hangs'
check "the stack of a subject's hung shell is printed" has '# .* (fifo_open|wait_for_partner)\+.*'
check "no check runs after the subject has ended" tap_ends '1..5' '3 passed, 2 failed, 0 skipped' 'status 1'

#
# The summary
#

run host/planted boot/planted
check "the summary counts the checks of each subject" has '# subject +passed +failed +skipped +seconds' \
	'# planted +2 +1 +0 +[0-9]+' '# planted/rxe +1 +1 +1 +[0-9]+'
check "the summary repeats the checks that failed" has '# failed: 2 - planted: two of three' \
	'# failed: 5 - planted/rxe: two of three'

#
# A guest that dies
#

dies() {
	run guest/dies
	has 'not ok 2 - dies/rxe: ended without a plan, with status died, after "the check before a panic"; guest: the kernel had trouble \(see above\): .*Kernel panic - .*' \
		'# .*Kernel panic - not syncing: sysrq triggered crash' 'not ok 3 - guest/rxe: scripts/vm ended with status 126'
}
check "the failure of a subject whose guest dies names the trouble of the kernel" dies

#
# --until
#

# late: check that a subject that would begin after the time of --until is skipped, and no guest is booted. A run has one
# kind of guest, because the order of guests depends on the day.
late() {
	_skipped="all # SKIP the time of tests/run --until has come before this subject began"
	run --until "$1" host/planted guest/many
	tap "ok 1 - planted: $_skipped" "ok 2 - many/rxe: $_skipped" \
		"ok 3 - guest/rxe: the guest had no trouble # SKIP ${_skipped#*SKIP }" \
		'1..3' '0 passed, 0 failed, 3 skipped' 'status 1' && hasnt '(# )?vm: .*' || return 1
	run --until "$1" host/planted boot/planted
	tap "ok 1 - planted: $_skipped" "ok 2 - planted/rxe: $_skipped" '1..2' '0 passed, 0 failed, 2 skipped' 'status 1' &&
		hasnt '(# )?vm: .*'
}
check "--until skips subjects that would begin after this time" late "$(date +%s)"

# early: check that subjects run that begin before the time of --until
early() {
	run --until "$1" host/planted
	has '2 passed, 1 failed, 0 skipped'
}
check "--until runs subjects that begin before this time" early $(($(date +%s) + 600))

# late_guest: check that a guest skips subjects that would begin after this time
late_guest() {
	T_UNTIL=$(date +%s) sh tests/run-guest guest 5 many stats >"$tmp/out"
	has '%begin many' '%begin stats' && [ "$(grep -c '^ok 1 - all # SKIP' "$tmp/out")" = 2 ] &&
		[ "$(grep -c '^%end 0 0$' "$tmp/out")" = 2 ]
}
check "a guest skips subjects that would begin after the time of --until" late_guest

# totals: check that the last line of totals counts, also if the test script prints other lines after it, and that
# a script without totals counts as a failed one
totals() {
	printf '1 passed, 1 failed, 0 skipped\nok 1 - x\n3 passed, 0 failed, 4 skipped\nmake: *** Error 1\n' >"$tmp/tap"
	{
		awk -f tests/last-total.awk "$tmp/tap"
		printf 'ok 1 - x\nx: 1 passed, 1 failed\n' | awk -f tests/last-total.awk
	} >"$tmp/totals"
	awk -f tests/totals.awk "$tmp/totals" >"$tmp/out" &&
		echo '3 passed, 1 failed, 4 skipped' | diff - "$tmp/out"
}
check "the totals of several test scripts count a script without totals as a failure" totals

#
# tests/new
#

check "tests/new writes a test file" "$tree/tests/new" skeleton
run skeleton
check "a test file from tests/new passes unchanged" has '7 passed, 0 failed, 0 skipped' 'status 0'
# refused NAME TEXT: check that tests/new refuses NAME with an error that has TEXT
refused() {
	! "$tree/tests/new" "$1" 2>"$tmp/err" && grep -qF "$2" "$tmp/err"
}
check "tests/new does not overwrite a test file" refused skeleton 'take another name'
check "tests/new rejects a name with a path" refused ../x 'other characters'

t_end
