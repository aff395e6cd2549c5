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
	_modprobe=$(program modprobe)
	if ! "$_modprobe" rdma_krping 2>"$tmp/why"; then
		# in a checkout, the module may be built but not installed
		ko=$bin/../krping/rdma_krping.ko
		[ -e "$ko" ] || cannot_load
		if ! { "$_modprobe" -a ib_core rdma_cm && "$(program insmod)" "$ko"; } 2>"$tmp/why"; then
			sed 's/^/krping: /' "$tmp/why" >&2
			fail "$st_module" "cannot load $ko" "krping log; krping doctor"
		fi
	fi
	say "rdma_krping is loaded"
}

# cannot_load: print the reason in $tmp/why for which modprobe has failed, and the next step
cannot_load() {
	sed 's/^/krping: /' "$tmp/why" >&2
	_release=$(uname -r)
	case $(cat "$tmp/why") in
	*"odule rdma_krping not found"*)
		not_installed "$_release"
		fail "$st_module" "$_reason" "$_remedy"
		;;
	*ey\ was\ rejected* | *"Required key"*)
		fail "$st_module" "the kernel accepts signed modules only (secure boot), and not this signature" \
			"mokutil --import /var/lib/dkms/mok.pub (package mokutil), and boot again"
		;;
	esac
	fail "$st_module" "the module rdma_krping is installed, and the kernel does not load it" "dmesg | tail shows the reason"
}

# test_runs: check that a test runs
test_runs() {
	may_command && command_run list && grep -q '^id=' "$tmp/short"
}

module_unload() {
	[ -d /sys/module/rdma_krping ] || {
		say "rdma_krping is not loaded"
		exit 0
	}
	temporary
	# the command krping of a test that has just ended still has /proc/krping open, to read the result
	_tries=10
	until "$(program rmmod)" rdma_krping 2>"$tmp/why"; do
		! test_runs || fail "$st_none" "the module is in use: a test runs" "krping stop --all"
		_tries=$((_tries - 1))
		if [ $_tries = 0 ]; then
			sed 's/^/krping: /' "$tmp/why" >&2
			fail "$st_none" "the module is in use" \
				"lsmod names modules that use it, and fuser $proc (package psmisc) programs that have the file open"
		fi
		sleep 0.5
	done
	say "rdma_krping is unloaded"
}
