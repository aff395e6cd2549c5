#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: gcc, clang, sparse, checkpatch and shellcheck report nothing; every file has a
#   licence, and the documentation and the tests have every option of the module.
# Requires: no guest; gcc, clang, sparse, shellcheck, the headers of a kernel
# Duration: 90 s
#
#   KDIR      directory with the headers of a kernel (default: those of the stock kernel)
#   CHANGED   a commit: check only the files that differ from it. Skip the build with clang, and
#             the build of the modules of the tests (make check-fast)
#   STATIC_ALL   if set, check all files (tests/check-deep static). By default gcc, sparse,
#             checkpatch and shellcheck read the files that the last 20 commits changed and a
#             sixth of the others. clang reads a sixth of the module's files. The sixths change
#             each day

set -u
cd "$(dirname "$0")/../.." || exit 1
: "${KDIR:=$(scripts/kernel stock headers)}"
: "${CHANGED:=}" "${STATIC_ALL:=}"
# shellcheck source=../lib-host.sh
. tests/lib-host.sh
# checkpatch searches this directory for headers with CamelCase names. Without the directory, the
# search prints an error.
mkdir "$tmp/include"

# silent COMMAND...: fail if the command prints something
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

# build NAME [VARIABLE]...: build in the directory $tmp/NAME, and print warnings and errors. With
# STATIC_ALL or CHANGED, build the module. By default, compile only the files of the list
# $tmp/NAME.files, because tests/run has built the whole module, though without W=1. If an object or
# the module is missing, print the end of the output.
build() {
	name=$1
	shift
	mkdir "$tmp/$name"
	cp -r krping/Kbuild krping/*.[ch] krping/conform "$tmp/$name"
	rm -f "$tmp/$name"/*.mod.c
	wanted=rdma_krping.ko goal=modules
	if [ -z "$STATIC_ALL$CHANGED" ]; then
		wanted=$(sed -n 's|^krping/\(.*\)\.c$|\1.o|p' "$tmp/$name.files")
		goal=$wanted
	fi
	# shellcheck disable=SC2086 # words
	make -C "$KDIR" M="$tmp/$name" W=1 "$@" $goal >"$tmp/$name.log" 2>&1
	grep -E 'warning|error|Error' "$tmp/$name.log"
	for file in $wanted; do
		[ -s "$tmp/$name/$file" ] || echo "there is no $file: $(tail -n 20 "$tmp/$name.log")"
	done
}

# compiled: print the C files of the module
compiled() {
	git ls-files -co --exclude-standard 'krping/*.c' | grep -v -e /tests/ -e '_kunit\.c$' -e '\.mod\.c$'
}

# The kernel of these headers was built with gcc. Override the parts of its configuration that
# clang does not support.
build_clang() {
	build clang CC=clang CONFIG_CC_IS_GCC= CONFIG_CC_IS_CLANG=y \
		CONFIG_CC_IMPLICIT_FALLTHROUGH=-Wimplicit-fallthrough \
		CONFIG_FTRACE_MCOUNT_USE_CC= CONFIG_INIT_STACK_ALL_ZERO= \
		CONFIG_RETHUNK= CONFIG_SLS= CONFIG_DEBUG_INFO_BTF_MODULES= \
		KCFLAGS='-Wno-unknown-warning-option -Wno-address-of-packed-member'
}

# build_kmods: build the modules of the tests, and print warnings and errors
build_kmods() {
	mkdir -p "$tmp/tests/kmod" "$tmp/krping"
	cp tests/kmod/Kbuild tests/kmod/*.[ch] "$tmp/tests/kmod"
	rm -f "$tmp/tests/kmod"/*.mod.c
	# Some of the modules include headers of ../../krping.
	cp krping/*.h "$tmp/krping"
	symbols=$tmp/gcc/Module.symvers
	[ -e "$symbols" ] || symbols=$PWD/krping/Module.symvers
	make -C "$KDIR" M="$tmp/tests/kmod" W=1 C=2 KBUILD_EXTRA_SYMBOLS="$symbols" \
		modules >"$tmp/kmod.log" 2>&1
	grep -E 'warning|error|Error' "$tmp/kmod.log"
	[ -s "$tmp/tests/kmod/krping_fault.ko" ] || tail -n 20 "$tmp/kmod.log"
}

# sources [PATTERN]...: print the files to check
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

# checkpatch_on [OPTION]...: run checkpatch on the files of standard input. checkpatch writes files
# to its working directory, so it runs in $tmp. Each run reads checkpatch's lists of words, so xargs
# passes many files to one run.
checkpatch_on() {
	sed "s|^|$PWD/|" | (cd "$tmp" && xargs -r perl "$checkpatch" --no-tree --root="$tmp" --strict \
		--terse --show-types "$@" -f 2>&1) | grep -v '^total: 0 '
}

# style: run checkpatch on the module and on the C files of the tests. The programs of the tests run in user
# space and use type names of user space.
style() {
	grep '^krping/' "$tmp/style" | checkpatch_on
	grep '^tests/' "$tmp/style" | checkpatch_on --ignore \
		PREFER_KERNEL_TYPES,PREFER_DEFINED_ATTRIBUTE_MACRO,CAMELCASE
}

# scripts_in: print the shell scripts to check
scripts_in() {
	sources scripts tests .ci packaging | while read -r f; do
		head -n 1 "$f" |
			grep -qE '^(#!.*/(env )?(ba|da)?sh|# shellcheck shell=)' &&
			echo "$f"
	done
}

# recent: write the files that the last 20 commits changed, and new files, to $tmp/recent. Fail if the
# history is shorter.
recent() {
	since=$(git rev-parse -q --verify 'HEAD~20') || return
	{
		git diff --name-only "$since"
		git ls-files -o --exclude-standard
	} >"$tmp/recent"
}

# some [RECENT]: print those of the files of standard input that are checked today: the files of the
# list RECENT (default: $tmp/recent), and a sixth of the others, another sixth each day. With
# STATIC_ALL or CHANGED, or if $tmp/recent does not exist, print all files. Fewer scripts save time,
# because shellcheck spends most of its time on reading the libraries again for each script.
some() {
	if [ "$STATIC_ALL" ] || [ "$CHANGED" ] || [ ! -e "$tmp/recent" ]; then
		cat
		return
	fi
	awk -v day="$(($(date +%s) / 86400))" '
		FILENAME != "-" { recent[$0] = 1; next }
		recent[$0] || (day + n++) % 6 == 0' "${1-$tmp/recent}" -
}

# count FILE: print the number of lines
count() {
	wc -l <"$1"
}

# shell_pitfalls: run shellcheck on the chosen scripts, without SC2317, which reports a function as
# unreachable if its name is only an argument of check. A library in tests/ names the files that it
# sources relative to its own directory. shellcheck does not search there, so -P adds the directory
# of the checked script and the two directories above it.
shell_pitfalls() {
	xargs -r shellcheck -x -e SC2317 -P SCRIPTDIR -P SCRIPTDIR/.. -P SCRIPTDIR/../.. <"$tmp/scripts"
}

# without_licence: print the files without a licence, apart from files that cannot have one
without_licence() {
	sources | grep -vE '^(COPYING|LICENSES/|packaging/debian/|tests/sweep/|Documentation/sweep/)|\.(md|svg|png|pcap|txt|log|dict|patch)$' |
		while read -r f; do
			head -n 3 "$f" | grep -q SPDX-License-Identifier || echo "$f"
		done
}

# version_checks: print the lines outside compat.h that compare kernel versions
version_checks() {
	git grep -nE 'LINUX_VERSION_CODE|KERNEL_VERSION' -- krping ':!krping/compat.h'
}

# storm_misses: print the options that either the module or tests/hostile/lines.c has, but not both
storm_misses() {
	sed -n -e 's/^\t\t\.\(name\|alias\) = "\(.*\)",$/\2/p' \
		-e 's/^\t\tKEYWORD("\([^"]*\)".*/\1/p' krping/option_table.c |
		sort >"$tmp/options"
	[ -s "$tmp/options" ] || echo "krping/option_table.c has no options"
	sed -n 's/^\t{ "\([a-z0-9_-]*\)".*/\1/p' tests/hostile/lines.c | sort |
		diff "$tmp/options" -
}

# outdated_table: print the lines by which the table of Documentation/options.md differs from the options of
# the module
outdated_table() {
	make -s -C tests/unit O="$tmp/unit" table >"$tmp/table"
	[ -s "$tmp/table" ] || echo "make -C tests/unit table prints nothing"
	sed '1,/^<!-- options: begin/d; /^<!-- options: end/,$d' Documentation/options.md |
		diff - "$tmp/table"
}

# unknown_faults: print the faults that krping doctor knows and Documentation/known-issues.md does not have
unknown_faults() {
	sed -n 's/^kernel //p; s/^note //p' scripts/krping.d/faults >"$tmp/faults"
	[ -s "$tmp/faults" ] || echo "scripts/krping.d/faults has no line that begins with kernel or note"
	while read -r of driver text; do
		[ "$of" != '*' ] || of=all
		sed -n "/^### $driver\$/,/^### /p" Documentation/known-issues.md | grep -qE "^\\| [^|]*\\b$of\\b" ||
			echo "$of $driver $text"
	done <"$tmp/faults"
}

checkpatch=$(scripts/kernel stock checkpatch) || exit 1

recent || rm -f "$tmp/recent"
compiled >"$tmp/compiled"
some <"$tmp/compiled" >"$tmp/gcc.files"
# clang reads today's sixth only, without the recent files
some /dev/null <"$tmp/compiled" >"$tmp/clang.files"
sources 'krping/*.[ch]' 'tests/*.c' >"$tmp/all-style"
some <"$tmp/all-style" >"$tmp/style"
scripts_in >"$tmp/all-scripts"
some <"$tmp/all-scripts" >"$tmp/scripts"

if [ -z "$CHANGED" ]; then
	files="$(count "$tmp/compiled") files"
	clean "gcc with W=1, and sparse, on $(count "$tmp/gcc.files") of $files" build gcc C=1
	clean "clang with W=1 on $(count "$tmp/clang.files") of $files" build_clang
	clean "gcc with W=1, and sparse: the modules of the tests" build_kmods
elif [ "$(sources krping)" ]; then
	clean "gcc with W=1, and sparse" build gcc C=1
fi
clean "checkpatch --strict on $(count "$tmp/style") of $(count "$tmp/all-style") files" style
clean "shellcheck on $(count "$tmp/scripts") of $(count "$tmp/all-scripts") files" shell_pitfalls
clean "every file has a licence in its first three lines" without_licence
clean "tests/hostile/lines.c has every option of the module" storm_misses
clean "Documentation/options.md has the table of the options (make options-table)" outdated_table
clean "Documentation/known-issues.md has the faults that krping doctor knows" unknown_faults
clean "only compat.h compares kernel versions" version_checks

t_end
