#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: make install installs each file in its place, and fails if a step fails; another
#   module builds against the installed files; the manual pages are complete.
# Requires: no guest; the headers of the stock kernel, the module built for it
# Duration: 40 s

set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/lib.sh

# shellcheck source=../lib-host.sh
. tests/lib-host.sh

kdir=$(scripts/kernel stock headers) || exit 1
release=$(scripts/kernel stock version) || exit 1
case $(PATH=$PATH:/usr/sbin:/sbin modinfo -F vermagic krping/rdma_krping.ko 2>/dev/null) in
"$release "*) ;;
*) skip_all "krping/rdma_krping.ko is not built for the stock kernel" ;;
esac
to=$tmp/to
module=$to/lib/modules/$release/extra/rdma_krping.ko
build=$to/usr/lib/krping/build/$release

# mk TARGET [VARIABLE]...: make for the stock kernel
mk() {
	make --no-print-directory KDIR="$kdir" OFED= "$@"
}

# has FILE...: check that these files are in the installation, and not empty
has() {
	for file; do
		[ -s "$to/$file" ] || {
			echo "there is no $file"
			find "$to" ! -type d
			return 1
		}
	done
}

# tools_are_there: check that programs, libraries and manuals are installed
tools_are_there() {
	has usr/lib/krping/awkit/results usr/lib/krping/sweep usr/lib/krping/softrdma usr/lib/krping/hardware-report \
		usr/share/man/man4/rdma_krping.4 usr/share/man/man7/krping-options.7 || return 1
	[ ! -e scripts/krping ] || has usr/bin/krping usr/share/man/man1/krping.1 || return 1
	[ ! -d scripts/krping.d ] || ! diff -r scripts/krping.d "$to/usr/lib/krping" |
		grep -v "^Only in $to/"
}

# completes: check that the completions of bash and zsh are installed where these shells search
completes() {
	has usr/share/bash-completion/completions/krping usr/share/zsh/site-functions/_krping &&
		cmp packaging/completion/krping.bash "$to/usr/share/bash-completion/completions/krping" &&
		cmp packaging/completion/_krping "$to/usr/share/zsh/site-functions/_krping"
}

# no_completion FILE: check that make install-tools fails in a tree without this completion, and names the file
no_completion() {
	rm -rf "$tmp/tree"
	mkdir "$tmp/tree" && cp -R Makefile README.md Documentation awkit krping packaging scripts "$tmp/tree/" || return 1
	rm "$tmp/tree/packaging/completion/$1" || return 1
	fails "packaging/completion/$1" make -C "$tmp/tree" install-tools KDIR=/nowhere OFED= DESTDIR="$tmp/incomplete"
}

# nothing_at_boot: check that files are installed below lib and usr only, and not below etc, whose files the
# machine may use at boot
nothing_at_boot() {
	find "$to" -mindepth 1 -maxdepth 1 ! -name lib ! -name usr >"$tmp/others"
	cat "$tmp/others"
	[ ! -s "$tmp/others" ]
}

# installed_sweep: check that the installed sweep makes the expected table
installed_sweep() {
	cp -r tests/sweep/first "$tmp/sweep"
	rm "$tmp/sweep/results.tsv"
	"$to/usr/lib/krping/sweep" --tables "$tmp/sweep" &&
		diff tests/sweep/first/results.tsv "$tmp/sweep/results.tsv"
}

# installed_command: check that the command finds its libraries where they were installed, outside the
# checkout
installed_command() {
	(cd "$tmp" && for words in --help "sweep --help" "help wlat"; do
		# shellcheck disable=SC2086 # words
		env PATH="$to/usr/bin:$PATH" krping $words || exit
	done)
}

# other_module: check that the sample builds against the installed files, with all symbols
other_module() {
	cp -r samples/krdma_test "$tmp/"
	make -C "$tmp/krdma_test" KDIR="$kdir" KRPING="$build" CONFIG_DEBUG_INFO_BTF_MODULES= || return 1
	! grep -q undefined "$tmp/krdma_test/"*.cmd && [ -s "$tmp/krdma_test/krdma_test.ko" ]
}

# fails TEXT COMMAND...: check that the command fails and prints TEXT
fails() {
	text=$1
	shift
	if "$@" >"$tmp/said" 2>&1; then
		echo "the command has succeeded"
		return 1
	fi
	grep -F -- "$text" "$tmp/said" || {
		cat "$tmp/said"
		return 1
	}
}

# Make headers of a kernel whose makefile succeeds but installs nothing, as kbuild does without
# modules.order.
mkdir -p "$tmp/idle/include/generated"
echo "#define UTS_RELEASE \"$release\"" >"$tmp/idle/include/generated/utsrelease.h"
printf 'modules modules_install:\n' >"$tmp/idle/Makefile"

# idle_failure: check that modules_install fails with these headers
idle_failure() {
	fails "has no rdma_krping.ko" \
		make modules_install KDIR="$tmp/idle" OFED= DESTDIR="$to" PREFIX=/usr || return 1
	[ ! -e "$module" ]
}

# indexed: check that the index of modules in another root directory has the module and its dependencies
indexed() {
	modules=$(scripts/kernel stock modules)
	mkdir -p "$tmp/root/lib/modules/$release"
	cp "$modules"/modules.order "$modules"/modules.builtin "$tmp/root/lib/modules/$release/"
	for name in ib_core rdma_cm ib_cm iw_cm; do
		find "$modules" -name "$name.ko*" -exec cp {} "$tmp/root/lib/modules/$release/" \;
	done
	mk modules_install INSTALL_MOD_PATH="$tmp/root" PREFIX="$tmp/prefix" || return 1
	grep '^extra/rdma_krping.ko: .*rdma_cm' "$tmp/root/lib/modules/$release/modules.dep"
}

# signed: make a key, and check that modules_install signs the module with this key
signed() {
	openssl req -new -x509 -newkey rsa:2048 -nodes -subj "/CN=krping test" -days 2 \
		-outform DER -keyout "$tmp/key" -out "$tmp/cert" || return 1
	mk modules_install DESTDIR="$to" PREFIX=/usr MODULE_SIG_KEY="$tmp/key" \
		MODULE_SIG_CERT="$tmp/cert" || return 1
	PATH=$PATH:/usr/sbin:/sbin modinfo -F signer "$module" | grep 'krping test'
}

# uninstalled: check that make uninstall leaves no file
uninstalled() {
	mk uninstall DESTDIR="$to" PREFIX=/usr || return 1
	[ ! "$(find "$to" ! -type d)" ] || {
		find "$to" ! -type d
		return 1
	}
}

#
# Manual pages
#

# lint: check that mandoc has no warning about the manual pages
lint() {
	packaging/man/fill 1.0 packaging/man/krping.1 >"$tmp/krping.1" || return 1
	mandoc -T lint -W warning "$to/usr/share/man/man4/rdma_krping.4" \
		"$to/usr/share/man/man7/krping-options.7" "$tmp/krping.1"
}

# every_option: check that the table of options and the manual page have the same options
every_option() {
	# shellcheck disable=SC2016 # backquotes of the table
	sed -n 's/^| `\([a-z0-9_]*\)`.*/\1/p' Documentation/options.md >"$tmp/rows"
	sed -n 's/^\.It Cm \([a-z0-9_]*\).*/\1/p' "$to/usr/share/man/man7/krping-options.7" >"$tmp/items"
	[ "$(wc -l <"$tmp/rows")" -gt 50 ] && diff "$tmp/rows" "$tmp/items"
}

# units_match: check that krping-options(7) has the table's unit for the operand of a time
units_match() {
	_page=$to/usr/share/man/man7/krping-options.7
	sed -n 's/^\.It Cm \(timeout\|wait\) Ns = Ns Ar /\1=/p' "$_page" >"$tmp/units"
	[ "$(cat "$tmp/units")" = "timeout=ms
wait=seconds" ] || why "$(cat "$tmp/units")"
}

# commands: print the commands that krping help lists
commands() {
	scripts/krping help | sed -n 's/^  \([a-z].*\)/\1/p' | sed 's/   *.*//;s/, /\n/g' | sed 's/ .*//;s/|/\n/g'
}

# plain: copy forms of commands without blanks and in lower case, as the page and --help differ in both
plain() {
	tr -d ' ' | tr '[:upper:]' '[:lower:]'
}

# synopses: check that the SYNOPSIS of krping(1) has each form of each command
synopses() {
	mandoc -T ascii -O width=200 "$to/usr/share/man/man1/krping.1" | sed 's/.\x08//g' |
		sed -n '/^SYNOPSIS/,/^DESCRIPTION/s/^ *krping /krping /p' | plain >"$tmp/synopsis"
	commands >"$tmp/commands"
	[ "$(wc -l <"$tmp/commands")" -gt 30 ] || return 1
	while read -r name; do
		scripts/krping "$name" --help </dev/null | sed -n '/^Usage: /,/^$/s/^.......krping/krping/p' >"$tmp/usage"
		[ -s "$tmp/usage" ] || why "krping $name --help has no usage" || return 1
		! plain <"$tmp/usage" | grep -vxFf "$tmp/synopsis" || why "krping(1) lacks a form of krping $name" || return 1
	done <"$tmp/commands"
}

check "make install succeeds with DESTDIR and PREFIX" mk install DESTDIR="$to" PREFIX=/usr
check "make install: programs, awk programs and manuals are in PREFIX" tools_are_there
check "make install: bash and zsh find the completion" completes
for file in krping.bash _krping; do
	check "make install-tools fails without packaging/completion/$file" no_completion $file
done
check "make install: the module is in the kernel's directory extra" has "lib/modules/$release/extra/rdma_krping.ko"
check "make install writes below lib and usr only" nothing_at_boot
check "make install with DESTDIR writes no index of modules" \
	test ! -e "$to/lib/modules/$release/modules.dep"
check "make install: the installed sweep finds its awk programs" installed_sweep
[ ! -e scripts/krping ] ||
	check "make install: the installed command finds its libraries" installed_command
check "make install installs krdma.h as an include file" has usr/include/krping/krdma.h
check "make install: another module builds against lib/krping/build/RELEASE" other_module
if command -v mandoc >/dev/null; then
	check "manual pages: mandoc -T lint has no warning" lint
	check "manual pages: krping(1) has the form of each command of krping help" synopses
else
	skip "manual pages: krping(1) has the form of each command of krping help" "mandoc is not installed: see scripts/deps package"
	skip "manual pages: mandoc -T lint has no warning" "mandoc is not installed: see scripts/deps package"
fi
check "manual pages: krping-options(7) has each option of the table" every_option
check "manual pages: krping-options(7) states the units of times" units_match
if command -v openssl >/dev/null; then
	check "modules_install signs with MODULE_SIG_KEY" signed
else
	skip "modules_install signs with MODULE_SIG_KEY" "openssl is not installed"
fi
check "make uninstall removes every file" uninstalled
check "modules_install fails if kbuild installs nothing" idle_failure
check "modules_install fails without headers" \
	fails "No such file" make modules_install KDIR="$tmp/nothing" OFED= DESTDIR="$to"
check "modules_install indexes the modules of INSTALL_MOD_PATH" indexed

t_end
