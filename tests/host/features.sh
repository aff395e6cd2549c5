#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The feature tests of krping/Kbuild find what a kernel has and nothing else,
#   and the sources depend on each answer.
# Requires: no guest; the headers of a kernel
# Duration: 1 s
#
#   KDIRS   the kernels to build for (default: the stock one). With several of them the sources
#           are also compiled with each answer inverted. At least one kernel must reject that,
#           or nothing depends on the answer.

set -u
cd "$(dirname "$0")/../.." || exit 1
: "${KDIRS:=$(scripts/kernel stock headers)}"
[ "$KDIRS" ] || exit 1
# shellcheck source=../lib-host.sh
. tests/lib-host.sh

# make_in DIR KDIR
make_in() {
	make -C "$2" M="$1" CONFIG_DEBUG_INFO_BTF_MODULES= modules
}

# control KDIR: a file that compiles only if krping-has returns the right answers
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
		#error what is in every kernel was not found
		#endif
		#ifdef HAVE_ABSENT
		#error what is in no kernel was found
		#endif
		#ifdef HAVE_NO_HEADER
		#error something was found in a header that is not there
		#endif
		MODULE_LICENSE("Dual BSD/GPL");
	END
	make_in "$tmp/control" "$1" && [ -s "$tmp/control/krping_plant.ko" ]
}

# features: the macros that Kbuild may define
features() {
	sed -n 's/^ccflags-y += .*krping-has.*,\(HAVE_[A-Z0-9_]*\))$/\1/p' krping/Kbuild
}

# users: the sources that use compat.h, as objects
users() {
	grep -l '^#include "compat.h"' krping/*.c | sed 's|.*/||; s|c$|o|'
}

# builds_with FLAG KDIR: the sources that use compat.h compile. An unknown function
# is an error, as it would be when the module is linked.
builds_with() {
	rm -rf "$tmp/build"
	mkdir "$tmp/build"
	cp krping/Kbuild krping/*.[ch] "$tmp/build"
	# this definition of the macro overrides the one before
	echo "ccflags-y += $1" >>"$tmp/build/Kbuild"
	# shellcheck disable=SC2046 # words
	make -C "$2" M="$tmp/build" KCFLAGS=-Werror=implicit-function-declaration $(users)
}

# matters MACRO KDIR...: with the inverted answer, the sources fail to compile on one of the
# kernels. With the right answer they compile on all.
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
	echo "it compiles with and without $macro on all kernels"
	return 1
}

# used MACRO: compat.h asks for it
used() {
	grep -qw "$1" krping/compat.h || {
		echo "krping/compat.h does not use $1"
		return 1
	}
}

for kdir in $KDIRS; do
	check "what is there is found, what is not is not (${kdir##*/linux-headers-})" control "$kdir"
done
for macro in $(features); do
	check "compat.h asks for $macro" used "$macro"
done

# shellcheck disable=SC2086 # words
set -- $KDIRS
if [ $# -gt 1 ]; then
	for macro in $(features); do
		check "the wrong answer to $macro does not compile" matters "$macro" "$@"
	done
fi

t_end
