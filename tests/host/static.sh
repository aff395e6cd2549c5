#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Static checks of the sources: warnings of gcc, clang and sparse,
#   checkpatch, shellcheck, licences.
# Requires: no guest; gcc, clang, sparse, shellcheck, the headers of a kernel
# Duration: 139 s
#
#   KDIR      the kernel to build for (default: the stock one)
#   CHANGED   a commit: check only the files that differ from it, and do not build
#             with clang or for the tests (make check-fast)

set -u
cd "$(dirname "$0")/../.." || exit 1
: "${KDIR:=$(scripts/kernel stock headers)}"
: "${CHANGED:=}"
# shellcheck source=../lib-host.sh
. tests/lib-host.sh
# checkpatch looks here for the kernel's names in CamelCase
mkdir "$tmp/include"

# silent COMMAND...: the command prints nothing
silent() {
	"$@" >"$tmp/complaints" 2>&1
	cat "$tmp/complaints"
	[ ! -s "$tmp/complaints" ]
}

# clean DESC COMMAND...: check that the command prints nothing
clean() {
	desc=$1
	shift
	check "$desc" silent "$@"
}

# build NAME [VARIABLE]...: build in a directory of its own, and print warnings and errors. A
# build without a module is an error.
build() {
	name=$1
	shift
	mkdir "$tmp/$name"
	cp krping/Kbuild krping/*.[ch] "$tmp/$name"
	rm -f "$tmp/$name"/*.mod.c
	make -C "$KDIR" M="$tmp/$name" W=1 "$@" modules >"$tmp/$name.log" 2>&1
	grep -E 'warning|error|Error' "$tmp/$name.log"
	[ -s "$tmp/$name/rdma_krping.ko" ] || tail -n 20 "$tmp/$name.log"
}

# gcc has built the kernel of these headers. Take back what their configuration found out
# about gcc.
build_clang() {
	build clang CC=clang CONFIG_CC_IS_GCC= CONFIG_CC_IS_CLANG=y \
		CONFIG_CC_IMPLICIT_FALLTHROUGH=-Wimplicit-fallthrough \
		CONFIG_FTRACE_MCOUNT_USE_CC= CONFIG_INIT_STACK_ALL_ZERO= \
		CONFIG_RETHUNK= CONFIG_SLS= CONFIG_DEBUG_INFO_BTF_MODULES= \
		KCFLAGS='-Wno-unknown-warning-option -Wno-address-of-packed-member'
}

# The modules of the tests, likewise.
build_kmods() {
	mkdir "$tmp/kmod"
	cp tests/kmod/Kbuild tests/kmod/*.c "$tmp/kmod"
	rm -f "$tmp/kmod"/*.mod.c
	make -C "$KDIR" M="$tmp/kmod" W=1 C=2 modules >"$tmp/kmod.log" 2>&1
	grep -E 'warning|error|Error' "$tmp/kmod.log"
	[ -s "$tmp/kmod/krping_fault.ko" ] || tail -n 20 "$tmp/kmod.log"
}

# sources [PATTERN]...: the files to check
sources() {
	{
		if [ "$CHANGED" ]; then
			git diff --name-only "$CHANGED" -- "$@"
			git ls-files -o --exclude-standard "$@"
		else
			git ls-files -co --exclude-standard "$@"
		fi
	} | while read -r f; do
		[ ! -f "$f" ] || echo "$f"
	done
}

# checkpatch writes files to its working directory.
checkpatch_on() {
	top=$PWD
	while read -r f; do
		(cd "$tmp" && perl "$checkpatch" --no-tree --root="$tmp" --strict \
			--terse --show-types "$@" -f "$top/$f" 2>&1)
	done | grep -v '^total: 0 '
}

# The programs of the tests are user space's and use its type names.
style() {
	sources 'krping/*.[ch]' | checkpatch_on
	sources 'tests/*.c' | checkpatch_on --ignore \
		PREFER_KERNEL_TYPES,PREFER_DEFINED_ATTRIBUTE_MACRO,CAMELCASE
}

# SC2317: functions that are called by their name in a variable look unused.
shell_pitfalls() {
	sources scripts tests .ci packaging | while read -r f; do
		head -n 1 "$f" |
			grep -qE '^(#!.*/(env )?(ba|da)?sh|# shellcheck shell=)' &&
			echo "$f"
	done | xargs -r shellcheck -x -e SC2317 -P SCRIPTDIR
}

without_licence() {
	sources | grep -vE '^(COPYING|LICENSES/|packaging/debian/|tests/sweep/|Documentation/sweep/)|\.(md|svg|png|pcap|txt|log|dict|patch)$' |
		while read -r f; do
			head -n 3 "$f" | grep -q SPDX-License-Identifier || echo "$f"
		done
}

version_questions() {
	git grep -nE 'LINUX_VERSION_CODE|KERNEL_VERSION' -- krping ':!krping/compat.h'
}

# Each option of the module has to stand in the table of the storm, too.
storm_misses() {
	sed -n 's/^\t\t\.\(name\|alias\) = "\(.*\)",$/\2/p' krping/option_table.c |
		sort >"$tmp/options"
	[ -s "$tmp/options" ] || echo "krping/option_table.c has no options"
	sed -n 's/^\t{ "\([a-z0-9_-]*\)".*/\1/p' tests/hostile/lines.c | sort |
		diff "$tmp/options" -
}

# Print the lines by which Documentation/options.md and the options of the module differ.
outdated_table() {
	make -s -C tests/unit O="$tmp/unit" table >"$tmp/table"
	[ -s "$tmp/table" ] || echo "make -C tests/unit table prints nothing"
	sed '1,/^<!-- options: begin/d; /^<!-- options: end/,$d' Documentation/options.md |
		diff - "$tmp/table"
}

checkpatch=$(scripts/kernel stock checkpatch) || exit 1

if [ -z "$CHANGED" ]; then
	clean "gcc with W=1, and sparse" build gcc C=2
	clean "clang with W=1" build_clang
	clean "modules of the tests, with W=1, and sparse" build_kmods
elif [ "$(sources krping)" ]; then
	clean "gcc with W=1, and sparse" build gcc C=2
fi
clean "checkpatch --strict" style
clean "shellcheck" shell_pitfalls
clean "a licence in the first three lines of every file" without_licence
clean "the storm writes every option that there is" storm_misses
clean "Documentation/options.md has the table of the options (make options-table)" outdated_table
clean "no question for the kernel's version outside compat.h" version_questions

t_end
