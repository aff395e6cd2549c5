#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: scripts/vm conform builds krping for a kernel, and runs all cases on rxe and siw at once. It
#   ends with status 0 if all verdicts are the expected ones, and with 1 if one is not.
# Requires: guests that the subject boots with scripts/vm
# Duration: four minutes, most of them to build krping
# Runs: by name
#
#   LINUX  a kernel tree, which the subject builds and tests, too

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=../lib-host.sh
. tests/lib-host.sh

# conform STATUS OPTION...: run conform in the copy of the checkout, and check its exit status
conform() {
	_want=$1
	shift
	"$tmp/copy/scripts/vm" "$@" conform >"$tmp/out" 2>&1
	eq "$?" "$_want" status || why "$(tail -n 30 "$tmp/out")"
}

# both [OPTION...]: check that both devices have the expected verdicts
both() {
	conform 0 "$@" && eq "$(grep -c '^ok=[0-9]* deviates=[0-9]* unsupported=[0-9]* failed=0$' "$tmp/out")" 2 \
		"devices with verdicts" && eq "$(grep -c ': as expected in ' "$tmp/out")" 2 "devices as expected"
}

# different: check that a verdict of siw that is not the expected one is named, and the status is 1
different() {
	sed -i 's/^send_empty	ok/send_empty	deviates/' "$tmp"/copy/tests/conform/expected/siw-*.tsv
	conform 1 --kernel "$KERNEL" --device siw &&
		grep -q 'send_empty: ok instead of deviates' "$tmp/out"
}

mkdir -p "$tmp/copy/tests/conform"
cp -r scripts krping awkit "$tmp/copy" && cp -r tests/conform/expected "$tmp/copy/tests/conform" || exit 1

check "scripts/vm conform: rxe and siw have the expected verdicts" both --kernel "$KERNEL"
if [ "${LINUX-}" ]; then
	check "scripts/vm conform: rxe and siw of the tree have the expected verdicts" both --kernel "$LINUX"
fi
check "scripts/vm conform names a verdict that is not the expected one" different
t_end
