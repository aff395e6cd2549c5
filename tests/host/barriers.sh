#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: When wlat has found a WRITE by polling memory, a barrier that also holds for accesses of
#   devices orders its further reads. On arm64 dma_rmb() is an instruction of its own, dmb oshld; smp_rmb()
#   is dmb ishld, which holds between CPUs only. The subject reads the compiled module.
# Requires: no guest; the module for arm64: --kernel arm64, arm64-16k or arm64-64k
# Duration: 2 s
# Runs: by name

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=../lib-host.sh
. tests/lib-host.sh

case $KERNEL in
arm64*) ;;
*) skip_all "the module is not for arm64, where the barriers are different instructions" ;;
esac

# polls_code: print the instructions of the functions of wlat, and of those into which they are inlined
polls_code() {
	awk '/^[0-9a-f]+ </ { inside = $2 ~ /^<krping_(wlat|latency)_/ } inside' "$tmp/code"
}

# has_barrier: check that there is code, and that it has the barrier
has_barrier() {
	polls_code >"$tmp/polls"
	[ -s "$tmp/polls" ] || why "the module has no function krping_latency_*" || return 1
	grep -q 'dmb[[:space:]]*oshld' "$tmp/polls" || why "barriers: $(grep 'dmb' "$tmp/polls" || echo none)"
}

need aarch64-linux-gnu-objdump
aarch64-linux-gnu-objdump --disassemble --no-show-raw-insn "${KRPING_KO:-krping/rdma_krping.ko}" >"$tmp/code" || exit 1

check "wlat orders its reads behind the poll of memory by dma_rmb()" has_barrier

t_end
