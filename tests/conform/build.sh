# shellcheck shell=bash disable=SC2034,SC2154 # tests/check-conform uses and sets the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Build the drivers with the patches. Part of tests/check-conform.

# file of the module with each patch
declare -A ko=()

# build NAME DIR: build the driver with a patch. One tree per driver keeps the objects of the
# files that no patch changes.
build() {
	local name=$1 driver=${1%%-*} tree file status=0
	tree=$built/tree-$driver
	if [ ! -d "$tree" ]; then
		cp -r "$sources/$driver" "$tree.new" && mv "$tree.new" "$tree" || return 1
	fi
	patch -s -p5 -d "$tree" <"$patches/$name.patch" || die "$name does not apply to $version"
	say "building $name"
	make -C "$kdir" M="$tree" CONFIG_RDMA_RXE=m CONFIG_RDMA_SIW=m \
		CONFIG_DEBUG_INFO_BTF_MODULES= modules >"$tree/log" 2>&1 &&
		strip --strip-debug -o "$2/$name.ko" "$tree/$(module "$driver")" || status=1
	((status == 0)) || tail -n 20 "$tree/log" >&2
	# the next patch starts from the driver's own files, which are newer than the objects
	sed -n 's|^+++ b/.*/||p' "$patches/$name.patch" | while read -r file; do
		cp "$sources/$driver/$file" "$tree/$file"
	done
	rm -f "$tree"/*.orig "$tree"/*.rej
	((status == 0)) || die "$name does not build: see above"
}

# module DRIVER: print the name of its file
module() {
	case $1 in
	rxe) echo rdma_rxe.ko ;;
	*) echo "$1.ko" ;;
	esac
}

# build_all: set ko[NAME] to each module's file, and build those that the cache lacks
build_all() {
	local name key
	built=$cache/conform/$version
	mkdir -p "$built" || die "cannot write to $built"
	(
		flock 8
		for name in "${chosen[@]}"; do
			key=$(sed -n '/^---/,$p' "$patches/$name.patch" | cat - <(echo "$sources") | cksum)
			cached "$built/$name-${key%% *}" build "$name"
		done
	) 8>"$built/lock" || exit 1
	for name in "${chosen[@]}"; do
		key=$(sed -n '/^---/,$p' "$patches/$name.patch" | cat - <(echo "$sources") | cksum)
		ko[$name]=$built/$name-${key%% *}/$name.ko
	done
}
