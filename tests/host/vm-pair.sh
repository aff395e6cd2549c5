#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The guests of scripts/vm --pair wait for each other: peer-tell reaches a guest that
#   was still booting, and peer-wait ends when the other guest's script ends.
# Requires: guests that the subject boots with scripts/vm
# Duration: 25 s

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=../lib-host.sh
. tests/lib-host.sh

# pair STATUS: boot two guests without a device, and check the exit status
pair() {
	scripts/vm --kernel "$KERNEL" --device none --no-krping --timeout 400 \
		--pair "$tmp/A.sh" "$tmp/B.sh" >"$tmp/out" 2>&1
	eq "$?" "$1" status || why "$T_WHY: $(cat "$tmp/out")"
}

#
# Guest A calls peer-tell while B boots: the first time, and after a reset of B, which discards the lines
# that B has received.
#

cat >"$tmp/A.sh" <<'END'
peer-tell first and last || exit 1
peer-wait -t 200 booted || exit 1
: >/run/peer
peer-reset
peer-tell second || exit 1
peer-wait -t 200 answered second || exit 1
peer-wait -t 60 exit 0
END
cat >"$tmp/B.sh" <<'END'
peer-tell booted
peer-wait -t 200 second || exit 1
! grep first /run/peer || exit 1
peer-tell answered second
END
check "pair: peer-tell reaches a guest that was booting" pair 0

# nothing_else: check that A has received the line of B and the exit status of B's script, and no other line
nothing_else() {
	eq "$(sed -n 's/^A: has: //p' "$tmp/out" | tr '\n' '|')" 'tell two  blanks and a \ too|exit 0|' lines
}

#
# The other guest's script ends while this one waits for a line.
#

cat >"$tmp/A.sh" <<'END'
peer-wait -t 100 never && exit 1
sed 's/^/has: /' /run/peer
END
cat >"$tmp/B.sh" <<'END'
peer-tell 'two  blanks and a \ too'
END
check "pair: peer-wait ends when the other script has ended" pair 0
check "pair: peer-wait names the status of the other script" said 'A: peer-wait: the other guest ended \(exit 0\) and never said: never'
check "pair: peer-tell changes neither blanks nor backslashes" said 'A: has: tell two  blanks and a \\ too'
check "pair: a guest gets no other line, such as a greeting of scripts/vm" nothing_else
t_end
