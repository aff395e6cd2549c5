# shellcheck shell=sh disable=SC2154 # other files set root, line and krping_version
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# krping doctor: the module, its signature, the running kernel. POSIX sh.

# release: set _release to the release of the running kernel
release() {
	first_line /proc/sys/kernel/osrelease
	_release=$line
}

# module_of_checkout: check whether this command is in a checkout in which the module is built, because krping load
# then needs no installed module. A made-up machine has no checkout.
module_of_checkout() {
	[ -z "$root" ] && [ -e "$bin/../krping/rdma_krping.ko" ]
}

# Check whether the module is loaded and has the version of this command. If the module is not loaded, check
# whether it was built for the running kernel.
check_module() {
	if [ -d "$root/sys/module/rdma_krping" ]; then
		first_line /sys/module/rdma_krping/version
		if [ "$line" = "$krping_version" ]; then
			finding OK module "rdma_krping $line is loaded"
		else
			finding WARN module "rdma_krping ${line:-of unknown version} is loaded, and this command is $krping_version" \
				"krping unload; krping load"
		fi
		return
	fi
	_magic=$("$(program modinfo)" -F vermagic rdma_krping 2>/dev/null) || _magic=
	_for=${_magic%% *}
	release
	if [ -z "$_for" ] && ! module_of_checkout; then
		not_installed "$_release" "$root"
		finding FAIL module "$_reason" "$_remedy"
	elif [ -z "$_for" ] || [ "$_for" = "$_release" ]; then
		finding FAIL module "rdma_krping is not loaded" "krping load"
	else
		finding FAIL module "rdma_krping is built for $_for, and $_release runs" \
			"build it again: dkms autoinstall, or make && krping load"
	fi
}

# Signatures matter only while the module is not loaded.
check_signing() {
	_why=
	for _f in "$root"/sys/firmware/efi/efivars/SecureBoot-*; do
		[ -r "$_f" ] || continue
		# the value follows four bytes of attributes
		case $(od -An -tu1 "$_f" | tr -s ' ') in
		*" 1" | *" 1 ") _why="secure boot is on" ;;
		esac
	done
	first_line /sys/module/module/parameters/sig_enforce
	[ "$line" != Y ] || _why="the kernel enforces signatures"
	first_line /sys/kernel/security/lockdown
	case $line in
	*"[integrity]"* | *"[confidentiality]"*) _why="the kernel is locked down" ;;
	esac
	if [ "$_why" ] && [ ! -d "$root/sys/module/rdma_krping" ]; then
		finding WARN signing "$_why" "sign the module with a key of the machine owner (mokutil)"
	else
		finding OK signing "${_why:-no signature is needed}"
	fi
}
