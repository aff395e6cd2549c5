# shellcheck shell=sh disable=SC2154 # other files set lib, tmp and so on
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# krping load, unload, version: the kernel module. POSIX sh.

cmd_module() {
	[ $# = 0 ] || usage "$cmd takes no argument, and '$1' is one"
	case $cmd in
	version)
		version
		exit 0
		;;
	esac
	is_root || fail "$st_permission" "only root can $cmd a module" "sudo $again"
	"module_$cmd"
}

version() {
	echo "krping $krping_version"
	if [ -d /sys/module/rdma_krping ]; then
		_version=$(cat /sys/module/rdma_krping/version 2>/dev/null)
		echo "rdma_krping ${_version:-of unknown version}, loaded"
	else
		echo "rdma_krping is not loaded"
	fi
	echo "kernel $(uname -r)"
}

module_load() {
	[ ! -d /sys/module/rdma_krping ] || {
		say "rdma_krping is loaded already"
		exit 0
	}
	temporary
	if ! modprobe rdma_krping 2>"$tmp/why"; then
		# in a checkout, the module may be built but not installed
		ko=$bin/../krping/rdma_krping.ko
		[ -e "$ko" ] || {
			sed 's/^/krping: /' "$tmp/why" >&2
			fail "$st_module" "the module rdma_krping is not installed for the kernel $(uname -r)" \
				"install the package krping-dkms; in a checkout: make && krping load"
		}
		if ! { modprobe -a ib_core rdma_cm && insmod "$ko"; } 2>"$tmp/why"; then
			sed 's/^/krping: /' "$tmp/why" >&2
			fail "$st_module" "cannot load $ko" "krping log; krping doctor"
		fi
	fi
	say "rdma_krping is loaded"
}

module_unload() {
	[ -d /sys/module/rdma_krping ] || {
		say "rdma_krping is not loaded"
		exit 0
	}
	temporary
	rmmod rdma_krping 2>"$tmp/why" || {
		sed 's/^/krping: /' "$tmp/why" >&2
		fail "$st_none" "the module is in use" "krping stop --all"
	}
	say "rdma_krping is unloaded"
}
