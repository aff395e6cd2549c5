#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The earlier subjects in the guest have left no unreferenced memory (kmemleak)
#   and no RDMA objects. This subject is the last one in each guest of the debug kernel. In
#   the first of two guests the subject also checks the other guest.
# Requires: one guest with the debug kernel (tests/run --kernel debug)
# Duration: 32 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=leaks.inc
. "${0%/*}/leaks.inc"

# no_objects: check that no RDMA object belongs to krping
no_objects() {
	for _what in qp cq pd mr cm_id srq; do
		rdma res show $_what 2>/dev/null
	done >"$T_TMP/objects"
	T_WHY=$(grep krping "$T_TMP/objects")
	[ -z "$T_WHY" ]
}

if [ ! -e $KMEMLEAK ]; then
	skip "the earlier subjects leak no memory" "this kernel has no kmemleak"
	t_end
	exit
fi

kr_stop
check "the earlier subjects leave no test" until_ok 60 kr_none
check "the earlier subjects leave no RDMA object" no_objects
check "/proc/modules has the address of the module" module_range rdma_krping
# KR_QUICK: no scan here; the scan after the unload finds the same leaks
[ "${KR_QUICK-}" ] || check "the earlier subjects leak no memory" no_leak
check "the module can be unloaded after all subjects" rmmod rdma_krping
check "the module leaks no memory when it is unloaded" no_leak
others=$(cat $KMEMLEAK)
[ -z "$others" ] || diag "other leaks: $others"
check "the module can be loaded after all subjects" insmod "$KR_KO"
if [ "${PEER-}" ]; then
	# shellcheck source=../two/other.inc
	. "${0%/*}/other.inc"
	check "leak: the other guest has no test or RDMA object left" other_clean
	check "the other guest leaks no memory" other leaves_nothing
fi

t_end
