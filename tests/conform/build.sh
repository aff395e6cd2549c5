# shellcheck shell=bash disable=SC2034,SC2154 # tests/check-conform uses and sets the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Build the drivers with the patches. Part of tests/check-conform, which sets these variables:
#   sources   directory with the source of each driver
#   patches   directory of the patches
#   chosen    names of the patches to build
#   kdir      headers of the kernel
#   version   version of the kernel
#   cache     cache directory of the project

# for each patch: file of the module that is built with the patch
declare -A ko=()

# compile TREE: build the driver in TREE, without debugging information, which no test uses
compile() {
	make -j "$(nproc)" -C "$kdir" M="$1" CONFIG_RDMA_RXE=m CONFIG_RDMA_SIW=m KCFLAGS=-g0 \
		CONFIG_DEBUG_INFO_BTF_MODULES= modules >"$1/log" 2>&1 && return
	tail -n 20 "$1/log" >&2
	return 1
}

# base DRIVER: print the directory in the cache for the driver that is built without a patch
base() {
	local key
	key=$(echo "$sources" | cksum)
	echo "$built/base-$1-${key%% *}"
}

# build_base DRIVER DIR: build the driver without a patch, and put its tree into DIR
build_base() {
	say "building $1"
	rm -rf "$built/tree-$1"
	cp -r "$sources/$1" "$built/tree-$1" || return 1
	compile "$built/tree-$1" || die "$1 does not build: see above"
	cp -a "$built/tree-$1" "$2/tree"
}

# build NAME DIR: build the driver with the patch NAME, and put the module into DIR. The tree has the objects
# of the driver without a patch, so make compiles only the files that the patch changes. The path of the
# tree is always the same, because make compiles all files of a tree that has moved.
build() {
	local name=$1 driver=${1%%-*} tree
	tree=$built/tree-$driver
	rm -rf "$tree"
	cp -a "$(base "$driver")/tree" "$tree" || return 1
	patch -s -p5 -d "$tree" <"$patches/$name.patch" || die "$name does not apply to $version"
	say "building $name"
	compile "$tree" || die "$name does not build: see above"
	strip --strip-debug -o "$2/$name.ko" "$tree/$(module "$driver")"
}

# module DRIVER: print the file name of the driver's module
module() {
	case $1 in
	rxe) echo rdma_rxe.ko ;;
	*) echo "$1.ko" ;;
	esac
}

# build_all: build the modules that the cache lacks, and set ko[NAME] to the file of each module
build_all() {
	local name key
	built=$cache/conform/$version
	mkdir -p "$built" || die "cannot write to $built"
	(
		flock 8
		for name in "${chosen[@]}"; do
			key=$(sed -n '/^---/,$p' "$patches/$name.patch" | cat - <(echo "$sources") | cksum)
			[ ! -d "$built/$name-${key%% *}" ] || continue
			cached "$(base "${name%%-*}")" build_base "${name%%-*}"
			cached "$built/$name-${key%% *}" build "$name"
		done
	) 8>"$built/lock" || exit 1
	for name in "${chosen[@]}"; do
		key=$(sed -n '/^---/,$p' "$patches/$name.patch" | cat - <(echo "$sources") | cksum)
		ko[$name]=$built/$name-${key%% *}/$name.ko
	done
}
