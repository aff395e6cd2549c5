# shellcheck shell=bash disable=SC2034,SC2154 # tests/run and its other parts use the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Build the module and the programs of the tests. Part of tests/run.

# kernel_has MODULE: check that the kernel has MODULE, loadable or built in
kernel_has() {
	local dir
	dir=$(scripts/kernel "$kernel" modules) &&
		grep -qs "/$1\.ko" "$dir/modules.dep" "$dir/modules.builtin"
}

# build_kmods OBJECT...: build these objects of tests/kmod, each a module
build_kmods() {
	local kdir
	kdir=$(scripts/kernel "$kernel" headers) || return
	# Remove the symbols to make modpost run: since 5.19 it does not run if only KBUILD_EXTRA_SYMBOLS has
	# changed.
	rm -f tests/kmod/Module.symvers
	make -C "$kdir" M="$PWD/tests/kmod" KMODS="$*" CONFIG_DEBUG_INFO_BTF_MODULES= \
		KBUILD_EXTRA_SYMBOLS="$PWD/krping/Module.symvers" modules
}

# the modules of tests/kmod that subjects load in a guest
guest_kmods=(krping_corrupt krping_krdma krping_route krping_vectors krping_ask krping_fragments krping_tasks krping_driver)

# build_debug: build all modules of the tests and, for the kernel debug, the KUnit suites
build_debug() {
	local kdir
	kdir=$(scripts/kernel "$kernel" headers) || return
	build_kmods krping_fault.o krping_plant.o krping_delay.o "${guest_kmods[@]/%/.o}" || return
	[ "$kernel" = debug ] || return 0
	make modules KDIR="$kdir" CONFIG_KRPING_KUNIT_TEST=m || return
	rm -rf build/kunit
	mkdir -p build/kunit && cp krping/*_kunit.ko build/kunit
}

# choose_compiler: set the array "compiler" to the arguments by which make builds for the architecture of
# the guests
choose_compiler() {
	local cross root
	compiler=()
	[ "$programs" != build ] || return 0
	{
		read -r cross
		read -r root
	} < <(scripts/kernel "$kernel" cross root)
	compiler=("CC=${cross}gcc --sysroot=$root")
}
