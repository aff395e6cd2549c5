#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The make function krping-has of krping/Kbuild detects which interfaces a kernel has, and
#   the sources depend on each of its answers.
# Requires: no guest; the headers of a kernel
# Duration: 1 s
#
#   KDIRS   directories with the headers of kernels (default: those of the stock kernel). With several
#           kernels the sources are also compiled with each answer inverted. For each answer the
#           build has to fail on at least one kernel; otherwise no source depends on the answer.

set -u
cd "$(dirname "$0")/../.." || exit 1
: "${KDIRS:=$(scripts/kernel stock headers)}"
[ "$KDIRS" ] || exit 1
# shellcheck source=../lib-host.sh
. tests/lib-host.sh

# make_in DIR KDIR: build the modules of DIR
make_in() {
	make -C "$2" M="$1" CONFIG_DEBUG_INFO_BTF_MODULES= modules
}

# control KDIR: check that a file which needs the right answers of krping-has compiles
control() {
	rm -rf "$tmp/control"
	mkdir "$tmp/control"
	cat krping/Kbuild - >"$tmp/control/Kbuild" <<-'END'
		obj-m := krping_plant.o
		ccflags-y += $(call krping-has,module.h,^struct module \{,HAVE_PRESENT)
		ccflags-y += $(call krping-has,module.h,krping_is_not_in_the_kernel,HAVE_ABSENT)
		ccflags-y += $(call krping-has,krping_no_header.h,.,HAVE_NO_HEADER)
	END
	cat >"$tmp/control/krping_plant.c" <<-'END'
		#include <linux/module.h>
		#ifndef HAVE_PRESENT
		#error krping-has does not find a symbol that every kernel has
		#endif
		#ifdef HAVE_ABSENT
		#error krping-has finds a symbol that no kernel has
		#endif
		#ifdef HAVE_NO_HEADER
		#error krping-has finds a symbol in a missing header
		#endif
		MODULE_LICENSE("Dual BSD/GPL");
	END
	make_in "$tmp/control" "$1" && [ -s "$tmp/control/krping_plant.ko" ]
}

# features: print the macros that Kbuild defines after a positive answer of krping-has
features() {
	sed -n 's/^ccflags-y += .*krping-has.*,\(HAVE_[A-Z0-9_]*\))$/\1/p' krping/Kbuild
}

# users: print the objects of the sources that include compat.h
users() {
	grep -l '^#include "compat.h"' krping/*.c | sed 's|.*/||; s|c$|o|'
}

# builds_with FLAG KDIR: compile the sources that include compat.h, with the compiler's option FLAG. A call
# of an undeclared function is an error, because the module could not be loaded.
builds_with() {
	rm -rf "$tmp/build"
	mkdir "$tmp/build"
	cp -r krping/Kbuild krping/*.[ch] krping/conform "$tmp/build"
	# the last definition of the macro holds
	echo "ccflags-y += $1" >>"$tmp/build/Kbuild"
	# shellcheck disable=SC2046 # split into words
	make -C "$2" M="$tmp/build" KCFLAGS=-Werror=implicit-function-declaration $(users)
}

# matters MACRO KDIR...: check that on one of the kernels the sources do not compile with MACRO undefined,
# or do not compile with MACRO defined, and print the compiler's error
matters() {
	macro=$1
	shift
	for kdir; do
		for flag in -U -D; do
			builds_with "$flag$macro" "$kdir" >"$tmp/log" 2>&1 && continue
			grep 'error:' "$tmp/log" && return 0
			tail -n 20 "$tmp/log"
			return 1
		done
	done
	echo "the sources compile with and without $macro on all kernels"
	return 1
}

# used MACRO: check that compat.h uses the macro
used() {
	grep -qw "$1" krping/compat.h || {
		echo "krping/compat.h does not use $1"
		return 1
	}
}

for kdir in $KDIRS; do
	check "krping-has finds symbols of the kernel, and no symbols that the kernel lacks (${kdir##*/linux-headers-})" control "$kdir"
done
for macro in $(features); do
	check "compat.h uses $macro" used "$macro"
done

# shellcheck disable=SC2086 # split into words
set -- $KDIRS
if [ $# -gt 1 ]; then
	for macro in $(features); do
		check "the sources do not compile with the wrong value of $macro" matters "$macro" "$@"
	done
fi

t_end
