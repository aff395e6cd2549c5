# shellcheck shell=bash disable=SC2154 # scripts/vm and its other parts use the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# --share: let the guest use directories of this machine, by 9p over virtio. Part of scripts/vm.

# check_shares: find wrong arguments before the guest boots
check_shares() {
	local spec
	((${#shares[@]})) || return 0
	[ -z "$exact" ] || die "--share excludes --exact: give --file, and --get"
	for spec in "${shares[@]}"; do
		[ -d "${spec%%:*}" ] || die "--share: there is no directory ${spec%%:*}"
		# QEMU's options have commas
		[[ $spec != *[,$'\n']* ]] || die "--share: a comma or a line break in '$spec'"
	done
}

# share_dest SPEC: print the path in the guest
share_dest() {
	local dest=${1#*:}
	[ "$dest" != "$1" ] || dest=$(basename "$(realpath "$1")")
	[[ $dest == /* ]] || dest=/root/$dest
	printf '%s\n' "$dest"
}

# share_names: print tag and path of each directory, as words for the guest's shell
share_names() {
	local i words=()
	for i in "${!shares[@]}"; do
		words+=("share$i" "$(share_dest "${shares[i]}")")
	done
	quote "${words[@]}"
}

# put_share_modules: copy the modules of the file system 9p into the guest, which loads them
put_share_modules() {
	((${#shares[@]})) || return 0
	grep -qE '/9p\.ko' "$moddir/modules.dep" "$moddir/modules.builtin" 2>/dev/null ||
		die "--share: the kernel $version has no file system 9p: give --file to copy files into the guest, and --get to copy them back"
	put_modules -o virtio_pci
	put_modules 9p 9pnet_virtio
	kernel_modules+=(9pnet_virtio 9p)
	[ "$kernel" = s390x ] || kernel_modules=(virtio_pci "${kernel_modules[@]}")
}

# share_args: add QEMU's arguments for the directories to args
# shellcheck disable=SC2054 # QEMU's options have commas
share_args() {
	local i device=virtio-9p-pci
	[ "$kernel" != s390x ] || device=virtio-9p-ccw
	for i in "${!shares[@]}"; do
		# security_model=none: files that the guest makes belong to the user of scripts/vm, not to root
		args+=(-fsdev "local,id=share$i,security_model=none,path=$(realpath "${shares[i]%%:*}")"
			-device "$device,fsdev=share$i,mount_tag=share$i")
	done
}
