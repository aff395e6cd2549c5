#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: make OFED=DIR builds a module against made-up headers of OFED, with their symbol versions,
#   and fails without headers. krping builds for the stock kernel against the RDMA headers of 6.12. make
#   finds the directory of OFED itself.
# Requires: no guest; the headers of the stock kernel and of 6.12
# Duration: 60 s

set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/lib.sh

# shellcheck source=../lib-host.sh
. tests/lib-host.sh

kdir=$(scripts/kernel stock headers) || exit 1

# no_headers: check that make fails if the directory has no headers, and names the missing file
no_headers() {
	! make modules KDIR="$kdir" OFED="$tmp/nothing" >"$tmp/said" 2>&1 &&
		grep -F "has no include/rdma/ib_verbs.h" "$tmp/said"
}

# stand_in: make up headers of OFED: one with a function that no kernel has, one that includes the kernel's
# header, and one that replaces the kernel's header. Make up a Module.symvers with other symbol versions
# than the kernel's, and a module that compiles only with these headers.
ofed=$tmp/ofed
stand_in() {
	mkdir -p "$ofed/include/rdma" "$ofed/include/linux"
	sed '/^#endif.*IB_VERBS_H/i void krping_only_in_ofed(void);' \
		"${kdir%-amd64}-common/include/rdma/ib_verbs.h" >"$ofed/include/rdma/ib_verbs.h"
	printf '#include_next <linux/completion.h>\n#define KRPING_ADDED 1\n' >"$ofed/include/linux/completion.h"
	printf '#define KRPING_REPLACES 1\n' >"$ofed/include/linux/btree.h"
	printf '#define KRPING_COMPAT 1\n' >"$ofed/include/linux/compat-2.6.h"
	sed -n 's|^0x[0-9a-f]*\t\(.*\)\tdrivers/infiniband|0xdeadbeef\t\1\t/ofed/drivers/infiniband|p' \
		"$kdir/Module.symvers" >"$ofed/Module.symvers"
	mkdir -p "$tmp/tree/krping"
	cp -r Makefile packaging scripts "$tmp/tree/"
	cp krping/main.c "$tmp/tree/krping/"
	cat krping/Kbuild - >"$tmp/tree/krping/Kbuild" <<-'END'
		obj-m := krping_ofed.o
		ccflags-y += $(call krping-has,completion.h,KRPING_ADDED,HAVE_ADDED)
		ccflags-y += $(call krping-has,completion.h,^struct completion \{,HAVE_INCLUDED)
		ccflags-y += $(call krping-has,btree.h,KRPING_REPLACES,HAVE_REPLACED)
		ccflags-y += $(call krping-has,btree.h,btree_insert,HAVE_OLD)
		ccflags-y += $(call krping-has,module.h,^struct module \{,HAVE_KERNEL)
	END
	cat >"$tmp/tree/krping/krping_ofed.c" <<-'END'
		#include <linux/completion.h>
		#include <linux/module.h>
		#include <rdma/ib_verbs.h>
		#if !defined(HAVE_ADDED) || !defined(HAVE_INCLUDED) || !defined(HAVE_REPLACED) || \
			!defined(HAVE_KERNEL) || defined(HAVE_OLD)
		#error krping-has does not search the headers of OFED, then those of the kernel
		#endif
		#if !defined(KRPING_ADDED) || !defined(KRPING_COMPAT)
		#error the headers of OFED are not used
		#endif
		void *krping_ofed_a = krping_only_in_ofed;
		void *krping_ofed_b = ib_dealloc_pd_user;
		MODULE_LICENSE("GPL");
	END
	echo "0x1	krping_only_in_ofed	/ofed/x	EXPORT_SYMBOL	" >>"$ofed/Module.symvers"
}

# builds_against_ofed: build a module against the made-up headers
builds_against_ofed() {
	stand_in
	make -C "$tmp/tree" KDIR="$kdir" OFED="$ofed" modules
}

# ofed_versions: check that the module requires the symbol versions of the made-up Module.symvers
ofed_versions() {
	PATH=$PATH:/usr/sbin:/sbin modprobe --dump-modversions "$tmp/tree/krping/krping_ofed.ko" |
		grep '^0xdeadbeef	ib_dealloc_pd_user'
}

# other_stack: make up headers of OFED with the RDMA headers of 6.12, and a Module.symvers with all symbols of
# its RDMA modules, in versions that no kernel has. include/linux has no header, as for an OFED that leaves
# the kernel's.
other_stack() {
	kdir_other=$(scripts/kernel 6.12 headers) || return 1
	mkdir -p "$other/include/linux" "$other/include/uapi" &&
		cp -r "${kdir_other%-amd64}-common/include/rdma" "$other/include/" &&
		cp -r "${kdir_other%-amd64}-common/include/uapi/rdma" "$other/include/uapi/" || return 1
	sed -n 's|^0x[0-9a-f]*\t\(.*\)\tdrivers/infiniband|0xdeadbeef\t\1\t/ofed/drivers/infiniband|p' \
		"$kdir_other/Module.symvers" >"$other/Module.symvers"
	! diff -rq "$other/include/rdma" "${kdir%-amd64}-common/include/rdma" >"$tmp/differ" &&
		grep 'ib_verbs.h' "$tmp/differ"
}

# builds_krping: build krping against the headers of other_stack, without debug information, which would take
# half the time. Check that its files include these headers, and that each symbol of the RDMA modules has the
# version of other_stack.
builds_krping() {
	mkdir "$tmp/krping" && cp -r Makefile packaging scripts krping "$tmp/krping/" || return 1
	find "$tmp/krping/krping" \( -name '*.o' -o -name '*.ko' -o -name '.*.cmd' \) -delete
	make -C "$tmp/krping" -j "$(nproc)" KDIR="$kdir" OFED="$other" KCFLAGS=-g0 modules || return 1
	grep -F " $other/include/rdma/ib_verbs.h" "$tmp/krping/krping/.cq.o.cmd" || return 1
	! grep -F -- "-common/include/rdma/" "$tmp/krping"/krping/.*.o.cmd || return 1
	PATH=$PATH:/usr/sbin:/sbin modprobe --dump-modversions "$tmp/krping/krping/rdma_krping.ko" >"$tmp/versions"
	cut -f 2 "$other/Module.symvers" | sort >"$tmp/ofed_symbols"
	awk '$1 != "0xdeadbeef" { print $2 }' "$tmp/versions" | sort | comm -12 - "$tmp/ofed_symbols" >"$tmp/kernels"
	eq "$(cat "$tmp/kernels")" "" "symbols with the version of the kernel" &&
		grep -q '^0xdeadbeef	rdma_connect' "$tmp/versions"
}

# uses VARIABLE...: print the directory of OFED for which make would build, or nothing
uses() {
	# shellcheck disable=SC2016 # make expands
	printf 'include Makefile\nprint:\n\t@echo $(if $(ofed),$(ofed-dir))\n' >"$tmp/print.mk"
	make -s -f "$tmp/print.mk" print "$@"
}

# found: check that make uses OFED_DEFAULT, if that exists, for a kernel in /lib/modules, but neither for the
# headers of other kernels nor with an empty OFED
found() {
	running=/lib/modules/krping-test/build
	eq "$(uses KDIR="$running" OFED_DEFAULT="$other")" "$other" "OFED of a kernel in /lib/modules" &&
		eq "$(uses KDIR="$running" OFED_DEFAULT="$tmp/nothing")" "" "OFED that is not installed" &&
		eq "$(uses KDIR="$running" OFED_DEFAULT="$other" OFED=)" "" "OFED with an empty variable" &&
		eq "$(uses KDIR="$kdir" OFED_DEFAULT="$other")" "" "OFED of other headers"
}

# default_path: check that OFED_DEFAULT is the directory in which OFED installs its headers
default_path() {
	# shellcheck disable=SC2016 # make expands
	printf 'include Makefile\nprint:\n\t@echo $(OFED_DEFAULT)\n' >"$tmp/print.mk"
	eq "$(make -s -f "$tmp/print.mk" print)" /usr/src/ofa_kernel/default OFED_DEFAULT
}

other=$tmp/other
check "OFED=DIR: the build uses the headers of the directory, and krping-has searches them first" builds_against_ofed
check "OFED=DIR: the symbols have the directory's versions" ofed_versions
check "OFED=DIR: the RDMA headers of 6.12 differ from those of the stock kernel" other_stack
check "OFED=DIR: krping builds for the stock kernel against the RDMA headers of 6.12" builds_krping
check "make finds OFED for a kernel in /lib/modules" found
check "make searches OFED in /usr/src/ofa_kernel/default" default_path
check "OFED=DIR without headers fails" no_headers

t_end
