#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: scripts/kernel refuses a directory that is no kernel tree and a configuration that lacks
#   needed options. The command conform of scripts/vm, the conformance test, compares with the expected
#   verdicts of the right kernel, and ends with status 125 for a kernel that does not build.
#   vm-conform.sh runs guests.
# Requires: no guest
# Duration: 2 s

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=../lib-host.sh
. tests/lib-host.sh

for program in bc bison flex; do
	need $program
done

# the cache, in which scripts/kernel makes a directory for a tree
export XDG_CACHE_HOME="$tmp/cache"

mkdir -p "$tmp/none" "$tmp/few/drivers/infiniband"
: >"$tmp/few/Makefile"
printf 'CONFIG_%s=y\n' MODULES BLK_DEV_INITRD DEVTMPFS TMPFS PROC_FS SERIAL_8250_CONSOLE SERIAL_8250_PNP \
	KALLSYMS INET IPV6 DUMMY INFINIBAND INFINIBAND_USER_ACCESS INFINIBAND_ADDR_TRANS RDMA_SIW >"$tmp/few/.config"

# refused PATH TEXT: check that scripts/kernel does not build the tree PATH, and prints TEXT
refused() {
	! scripts/kernel "$1" version >"$tmp/out" 2>"$tmp/err" || why "the tree was accepted" || return 1
	grep -qF -- "$2" "$tmp/err" || why "no '$2' in: $(cat "$tmp/err")"
}

# skips: check that conform ends with the status that makes git bisect skip a commit
skips() {
	scripts/vm --kernel "$tmp/few" conform >"$tmp/out" 2>&1
	eq "$?" 125 status
}

# chosen VERSION FILE: check that FILE has the verdicts to compare with on the kernel VERSION
chosen() {
	eq "$(bash -c '. scripts/vm.d/conform.sh; conform_expected rxe "$1" "$2"' - "$1" "$tmp/expected")" "$2" \
		"file for $1"
}

# nearest: check that conform compares with the verdicts of the kernel's series, or else with those of the next
# older series, for which a file exists
nearest() {
	mkdir -p "$tmp/expected"
	for series in 5.10 6.1 6.12 7.3; do
		: >"$tmp/expected/rxe-$series.tsv"
		: >"$tmp/expected/siw-$series.tsv"
	done
	chosen 6.1.192-krping rxe-6.1.tsv && chosen 6.12.0-rc1+ rxe-6.12.tsv && chosen 6.18.3 rxe-6.12.tsv &&
		chosen 6.9.0 rxe-6.1.tsv && chosen 7.2.0 rxe-6.12.tsv && chosen 8.0.0-rc1 rxe-7.3.tsv &&
		chosen 5.4.0 rxe-5.10.tsv
}

# alone: check that scripts/vm refuses options and arguments that conform would ignore
alone() {
	! scripts/vm --append quiet conform >"$tmp/out" 2>&1 && grep -q "conform takes no option but" "$tmp/out" &&
		! scripts/vm conform --kernel "$tmp/few" >"$tmp/out" 2>&1 && grep -q "conform takes no argument" "$tmp/out"
}

check "scripts/vm conform refuses options that it does not use, and options behind the word conform" alone
check "scripts/kernel refuses a directory that does not exist" refused "$tmp/missing" "there is no directory"
check "scripts/kernel refuses a directory without a kernel tree" refused "$tmp/none" "is no kernel tree"
check "scripts/kernel names the options that the configuration of a tree lacks" \
	refused "$tmp/few" "lacks RDMA_RXE RDMA_SIW=m"
check "scripts/vm conform: a kernel that does not build has status 125" skips
check "scripts/vm conform: a kernel without expected verdicts is compared with those of the next older one" nearest
t_end
