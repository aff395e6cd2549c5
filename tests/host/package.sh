#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: lintian accepts the Debian packages, rpmlint accepts the RPMs, both have the right files,
#   and dkms builds the module for the stock kernel.
# Requires: no guest; the packages of scripts/deps package, else its checks are skipped
# Duration: 60 s
#
#   T_DAY          make check sets T_DAY; dkms then builds on each third day only
#   DKMS_KERNELS   the kernels for which dkms builds (default: stock)

set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/lib.sh

# shellcheck source=../lib-host.sh
. tests/lib-host.sh

version=$(sed -n 's/^#define KRPING_VERSION "\(.*\)"/\1/p' krping/version.h)

# with "PROGRAM..." DESC COMMAND...: make the check DESC, or skip it if a program is missing
with() {
	for program in $1; do
		PATH=$PATH:/usr/sbin:/sbin command -v "$program" >/dev/null || {
			skip "$2" "$program is not installed: see scripts/deps package"
			return
		}
	done
	shift
	check "$@"
}

# Build the packages in a copy, because the checkout must stay as it is.
copy=$tmp/copy
mkdir "$copy"
# shellcheck disable=SC2046 # names of this repository have no blanks
tar -c --ignore-failed-read $(git ls-files -co --exclude-standard 2>/dev/null ||
	find . -type f ! -path './build/*') 2>/dev/null | tar -x -C "$copy"
packages=$copy/build/package

# same_version: check that the packages have the version of the module
same_version() {
	eq "$(sed -n '1s/krping (\(.*\)).*/\1/p' packaging/debian/changelog)" "$version" "Debian's version" &&
		eq "$(sed -n 's/^Version: *//p' packaging/krping.spec)" "$version" "the spec's version"
}

# make_packages TARGET: build packages without a kernel's headers
make_packages() {
	make -C "$copy" "$1" KDIR=/nowhere
}

# linted: check the Debian packages by lintian
linted() {
	# do not fail on lintian's infos, which mistake awk functions for words of bash
	lintian --allow-root --fail-on error,warning "$packages"/*.changes
}

# deb_has PACKAGE FILE...: check that a Debian package has these files
deb_has() {
	dpkg-deb -c "$packages/$1" >"$tmp/content" || return 1
	shift
	for file; do
		grep -q " \./$file\$" "$tmp/content" || why "there is no $file: $(cat "$tmp/content")" || return 1
	done
}

# deb_source: check that the Debian source package has the files of the tree and those of packaging/debian
deb_source() {
	rm -rf "$tmp/source"
	dpkg-source --no-check -x "$packages/krping_$version.dsc" "$tmp/source" || return 1
	diff -r packaging/debian "$tmp/source/debian" || return 1
	# dpkg-source leaves .gitignore out
	(cd "$copy" && find . -type f ! -path './build/*' ! -name .gitignore | sort) >"$tmp/want"
	(cd "$tmp/source" && find . -type f ! -path './debian/*' | sort) | diff "$tmp/want" -
}

# deb_content: check that the Debian packages have programs, manuals and sources
deb_content() {
	deb_has "krping_${version}_all.deb" usr/lib/krping/awkit/results usr/lib/krping/softrdma \
		usr/share/man/man7/krping-options.7.gz usr/share/man/man4/rdma_krping.4.gz \
		usr/share/doc/krping/README.md usr/share/doc/krping/Documentation/quick-start.md || return 1
	[ ! -e scripts/krping ] || deb_has "krping_${version}_all.deb" usr/bin/krping || return 1
	deb_has "krping-dkms_${version}_all.deb" "usr/src/krping-$version/dkms.conf" \
		"usr/src/krping-$version/Makefile" "usr/src/krping-$version/krping/Kbuild" \
		usr/include/krping/krdma.h
}

# deb_sources: check that the package has every source of the module
deb_sources() {
	# shellcheck disable=SC2046 # names without blanks
	deb_has "krping-dkms_${version}_all.deb" $(git ls-files 'krping/*.[ch]' |
		grep -v /tests/ | sed "s|^|usr/src/krping-$version/|")
}

# rpm_linted: check the RPMs by rpmlint
rpm_linted() {
	rpmlint -c packaging/rpmlint.toml packaging/krping.spec "$packages"/*.rpm >"$tmp/rpmlint"
	grep ' 0 errors, 0 warnings' "$tmp/rpmlint" || why "$(cat "$tmp/rpmlint")"
}

# rpm_content: check that the RPM installs the same files as the Debian package
rpm_content() {
	rpm -qp --queryformat '[%{FILEMODES:perms} %{FILENAMES}\n]' \
		"$packages/krping-dkms-$version-1.noarch.rpm" | sed -n 's/^-[^ ]* //p' |
		grep -v -e /licenses/ -e COPYING | sort >"$tmp/rpm"
	dpkg-deb -c "$packages/krping-dkms_${version}_all.deb" | sed -n 's|^-.* \./|/|p' |
		grep -v /share/doc/ | sort | diff - "$tmp/rpm"
}

# removes SCRIPT ARGUMENT PROC: run a script of a package. PROC is /proc/krping for the script, and may be
# missing; $tmp/run is /run; dkms does nothing. Fail if the script fails, and write the output to $tmp/said.
removes() {
	mkdir -p "$tmp/bin" "$tmp/run"
	printf '#!/bin/sh\n' >"$tmp/bin/dkms"
	chmod 755 "$tmp/bin/dkms"
	# shellcheck disable=SC2016 # the inner shell expands
	PATH=$tmp/bin:$PATH unshare -rm sh -c 'mount -t tmpfs none /proc && mount --bind "$4" /run || exit
		[ ! -e "$3" ] || cp -R "$3" /proc/krping || exit
		exec sh "$1" "$2"' - "$1" "$2" "$3" "$tmp/run" >"$tmp/said" 2>&1
	status=$?
	cat "$tmp/said"
	eq "$status" 0 "the status of $1 $2"
}

# silent_removal SCRIPT ARGUMENT PROC: as removes, and check that the script prints nothing
silent_removal() {
	removes "$@" && eq "$(cat "$tmp/said")" "" "the output of $1 $2"
}

# reports_tests NAME SCRIPT REMOVE UPGRADE: check that the script prints one line if tests run and its
# argument is REMOVE, and nothing otherwise
reports_tests() {
	printf '0 listen\n1-rxe0 1 2 3 4 5 6 7 8\n' >"$tmp/two"
	: >"$tmp/none"
	mkdir -p "$tmp/unreadable"
	removes "$2" "$3" "$tmp/two" || return 1
	eq "$(wc -l <"$tmp/said")" 1 "lines of $2" &&
		grep "^$1: .* runs tests or servers: 2; .*: krping stop --all; krping unload " "$tmp/said" &&
		silent_removal "$2" "$4" "$tmp/two" && silent_removal "$2" "$3" "$tmp/none" &&
		silent_removal "$2" "$3" "$tmp/missing" && silent_removal "$2" "$3" "$tmp/unreadable"
}

# reports_devices SCRIPT REMOVE UPGRADE: check that the script prints how to remove the devices of softrdma up if its
# argument is REMOVE, and nothing otherwise
reports_devices() {
	rm -rf "$tmp/run"
	silent_removal "$1" "$2" "$tmp/missing" && mkdir "$tmp/run/softrdma" || return 1
	printf '%s\n' "netdev dummy-rxe0" "addr 198.18.0.1/24 dev dummy-rxe0" "link rxe0" >"$tmp/run/softrdma/rxe0"
	echo "link siw0" >"$tmp/run/softrdma/siw0"
	removes "$1" "$2" "$tmp/missing" &&
		eq "$(cat "$tmp/said")" "krping: the devices of krping softrdma up stay; to remove them: ip link delete dummy-rxe0; rdma link delete rxe0; rdma link delete siw0" message &&
		silent_removal "$1" "$3" "$tmp/missing"
	_status=$?
	rm -rf "$tmp/run"
	return "$_status"
}

# devices_stay: check the scripts of the package krping, as deb and as RPM
devices_stay() {
	rm -rf "$tmp/control"
	dpkg-deb -e "$packages/krping_${version}_all.deb" "$tmp/control" &&
		rpm -qp --queryformat '%{PREUN}' "$packages/krping-$version-1.noarch.rpm" >"$tmp/preun" || return 1
	reports_devices "$tmp/control/prerm" remove upgrade && reports_devices "$tmp/preun" 0 1
}

# deb_removal: check the prerm of the Debian package
deb_removal() {
	rm -rf "$tmp/control"
	dpkg-deb -e "$packages/krping-dkms_${version}_all.deb" "$tmp/control" || return 1
	reports_tests krping-dkms "$tmp/control/prerm" remove upgrade
}

# rpm_removal: check %preun of the RPM
rpm_removal() {
	rpm -qp --queryformat '%{PREUN}' "$packages/krping-dkms-$version-1.noarch.rpm" >"$tmp/preun" || return 1
	reports_tests krping-dkms "$tmp/preun" 0 1
}

# kmod_removal: check %preun of kmod-krping in the spec, because its package needs the headers of a kernel
kmod_removal() {
	rpmspec -P --with kmod packaging/krping.spec >"$tmp/spec" || return 1
	sed -n '/^%preun -n/,/^%post/{/^%/!p;}' "$tmp/spec" >"$tmp/preun"
	reports_tests kmod-krping "$tmp/preun" 0 1
}

# in_namespace PROGRAMS DESC COMMAND...: as with, or skip the check if root of a user namespace cannot mount
in_namespace() {
	if unshare -rm mount -t tmpfs none /proc 2>/dev/null; then
		with "$@"
	else
		skip "$2" "unshare -rm cannot mount"
	fi
}

#
# dkms, with all its directories below $tmp
#

# in_dkms ARGUMENT...: run dkms
in_dkms() {
	PATH=$PATH:/usr/sbin:/sbin dkms --dkmstree "$tmp/dkms" --sourcetree "$tmp/usr/src" \
		--installtree "$tmp/lib" --no-depmod "$@"
}

# dkms_adds: check that dkms accepts the source of the package
dkms_adds() {
	mkdir -p "$tmp/dkms" "$tmp/lib"
	dpkg-deb -x "$packages/krping-dkms_${version}_all.deb" "$tmp" 2>/dev/null ||
		make dkms-source DESTDIR="$tmp" || return 1
	in_dkms add -m krping -v "$version" && in_dkms status | grep "krping/$version: added"
}

# dkms_builds KIND: build and install missing modules for a new kernel, as the hook of a kernel's
# package does
dkms_builds() {
	release=$(scripts/kernel "$1" version) && headers=$(scripts/kernel "$1" headers) || return 1
	mkdir -p "$tmp/lib/$release"
	in_dkms autoinstall -k "$release" --kernelsourcedir "$headers" || {
		tail -n 20 "$tmp/dkms/krping/$version/build/make.log"
		return 1
	}
	find "$tmp/lib/$release" -name 'rdma_krping.ko*' | grep . &&
		in_dkms status | grep "krping/$version, $release, .*: installed"
}

# dkms_warnings: check that the build by dkms has printed no warning
dkms_warnings() {
	! grep -i 'warning' "$tmp/dkms/krping/$version"/*/*/log/make.log
}

# dkms_keeps: check that dkms keeps what other modules need to build: krdma.h and Module.symvers
dkms_keeps() {
	cmp krping/krdma.h "$tmp/dkms/krping/$version/$release"/*/krdma.h &&
		grep krdma_connect "$tmp/dkms/krping/$version/$release"/*/Module.symvers
}

# dkms_removes: check that dkms removes every file of the module
dkms_removes() {
	in_dkms remove -m krping -v "$version" --all || return 1
	! find "$tmp/lib" "$tmp/dkms" -name '*krping*' ! -type d | grep .
}

deb="dpkg-buildpackage dh_dkms fakeroot"
check "packages have the version of the module" same_version
with "$deb" "make deb builds the packages without a kernel" make_packages deb
with "$deb" "make deb: the source package has the files of the tree" deb_source
with "$deb" "make deb: the packages have the programs, the manuals and the source" deb_content
with "$deb" "make deb: krping-dkms has every source of the module" deb_sources
in_namespace "$deb" "make deb: the removal of krping-dkms reports running tests" deb_removal
with "$deb lintian" "make deb: lintian reports no error and no warning" linted
if command -v dpkg-buildpackage >/dev/null && [ -d "$packages" ]; then
	mkdir "$tmp/keep"
	mv "$packages"/*.deb "$tmp/keep/"
fi
with rpmbuild "make rpm builds the packages without a kernel" make_packages rpm
with "rpmbuild rpmlint" "make rpm: rpmlint reports only what packaging/rpmlint.toml permits" rpm_linted
in_namespace rpmbuild "make rpm: the removal of krping-dkms reports running tests" rpm_removal
in_namespace rpmspec "make rpm: the removal of kmod-krping reports running tests" kmod_removal
[ ! -d "$tmp/keep" ] || mv "$tmp/keep"/*.deb "$packages/"
in_namespace "rpmbuild $deb" "make deb, make rpm: the removal of krping prints how to remove devices of softrdma up" devices_stay
with "rpmbuild $deb" "make rpm: krping-dkms has the files of the Debian package" rpm_content

with dkms "dkms accepts the source" dkms_adds
if [ -z "${T_DAY-}" ] || [ $((T_DAY % 3)) = 0 ]; then
	for kind in ${DKMS_KERNELS:-stock}; do
		with dkms "dkms builds and installs the module for a new kernel ($kind)" dkms_builds "$kind"
	done
	with dkms "dkms builds without a warning" dkms_warnings
	with dkms "dkms keeps krdma.h and Module.symvers for other modules" dkms_keeps
fi
with dkms "dkms removes every file of the module" dkms_removes

t_end
