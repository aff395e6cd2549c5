#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Does tests/run see what it should? It runs subjects that are planted: checks that
# hang, in a guest, and checks to choose one from. Prints TAP.

cd "$(dirname "$0")/../.." || exit 1
top=$PWD
KERNEL=${KERNEL:-stock}
# shellcheck source=../lib-host.sh
. tests/lib-host.sh

# A tree of its own, with no other subjects.
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
# it asks where it is
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
check_within 5 "a client waits for a silent peer" silent_peer
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
diag "the ports end with $port"
t_end
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
chmod +x "$tree"/tests/*/*.sh

# run SUBJECT...: into $tmp/out; its status is the last line
run() {
	(cd "$tree" && T_ONLY='' tests/run --no-build --kernel "$KERNEL" --device rxe "$@") >"$tmp/out" 2>&1
	echo "status $?" >>"$tmp/out"
}

# has LINE...: extended regular expressions, each of a whole line
has() {
	for _line; do
		grep -Exq -e "$_line" "$tmp/out" || {
			echo "there is no line '$_line' in:"
			cat "$tmp/out"
			return 1
		}
	done
}

# hasnt LINE
hasnt() {
	! grep -Ex -e "$1" "$tmp/out"
}

# tap LINE...: all that it has printed are these, but for what scripts/vm says, and comments
tap() {
	grep -Ev '^(#|vm: )' "$tmp/out" >"$tmp/tap"
	printf '%s\n' "$@" | diff - "$tmp/tap"
}

# tap_ends LINE...: its last three lines are these
tap_ends() {
	tail -n 3 "$tmp/out" >"$tmp/tap"
	printf '%s\n' "$@" | diff - "$tmp/tap"
}

#
# One check of a subject
#

run host/planted
check "without a name all checks are run" tap 'ok 1 - planted: one of three' \
	'not ok 2 - planted: two of three' 'ok 3 - planted: two' \
	1..3 '2 passed, 1 failed, 0 skipped' 'status 1'
run 'host/planted:one of three'
check "a check's name runs this one only" tap 'ok 1 - planted: one of three' \
	1..1 '1 passed, 0 failed, 0 skipped' 'status 0'
run 'host/planted:one'
check "a part of its name does, too" tap 'ok 1 - planted: one of three' \
	1..1 '1 passed, 0 failed, 0 skipped' 'status 0'
run 'host/planted:two of'
check "a check that fails when it is run alone fails the run" tap \
	'not ok 1 - planted: two of three' 1..1 '0 passed, 1 failed, 0 skipped' 'status 1'
run 'host/planted:of three'
check "a part of two names is an error" has 'not ok 3 - 2 checks of planted match .of three.' \
	'status 1'
run 'host/planted:two'
check "a whole name is no part of another" hasnt 'not ok .* - 2 checks .*'
run 'host/planted:four'
check "a name that no check has is an error" tap \
	"not ok 1 - no check of planted matches 'four'" 1..1 '0 passed, 1 failed, 0 skipped' 'status 1'
run 'boot/planted:one of'
check "one check of a subject that boots its own guests" tap 'ok 1 - planted/rxe: one of three' \
	1..1 '1 passed, 0 failed, 0 skipped' 'status 0'
run 'boot/planted:three of three'
check "one that is skipped there" tap 'ok 1 - planted/rxe: three of three # SKIP it is planted' \
	1..1 '0 passed, 0 failed, 1 skipped' 'status 1'

run 'many:the case is over'
check "one check of a guest's subject, of a case, runs its case" tap \
	'ok 1 - many/rxe: the case is over' 'ok 2 - guest/rxe: the guest had no trouble' \
	1..2 '2 passed, 0 failed, 0 skipped' 'status 0'
check "and no other case" has '# the ports end with 20001'

#
# Checks that hang
#

run hangs
check "a check that hangs fails, by its name" has 'ok 1 - hangs/rxe: a check that ends' \
	'not ok 2 - hangs/rxe: a client waits for a silent peer # hangs'
check "its command is shown" has '# last command: client,.*,timeout=0'
check "the stack of the test's thread is shown" has '# process [0-9]+, krping/.*' \
	'# .* krping_wait\+.*'
check "the stack of the writer is shown" has '# process [0-9]+, kwrite: .*timeout=0.*' \
	'# .* krping_proc_write\+.*'
check "the subject goes on behind it" has 'ok 3 - hangs/rxe: the next check is run'
check "a subject that cannot go on ends with its plan" has \
	'not ok 4 - hangs/rxe: a shell reads what nobody writes # hangs'
check "the stack of the shell is shown" has '# .* (fifo_open|wait_for_partner)\+.*'
check "nothing is run behind it" tap_ends '1..5' '3 passed, 2 failed, 0 skipped' 'status 1'

#
# The summary
#

run host/planted boot/planted
check "the summary counts the checks of each subject" has '# subject +passed +failed +skipped +seconds' \
	'# planted +2 +1 +0 +[0-9]+' '# planted/rxe +1 +1 +1 +[0-9]+'
check "the summary repeats the checks that failed" has '# failed: 2 - planted: two of three' \
	'# failed: 5 - planted/rxe: two of three'

#
# tests/new
#

check "tests/new writes a test file" "$tree/tests/new" skeleton
run skeleton
check "the test file that tests/new has written passes" has '7 passed, 0 failed, 0 skipped' 'status 0'
refused() {
	! "$tree/tests/new" "$1" 2>"$tmp/err" && grep -qF "$2" "$tmp/err"
}
check "tests/new does not overwrite a test file" refused skeleton 'take another name'
check "tests/new rejects a name with a path" refused ../x 'other characters'

t_end
