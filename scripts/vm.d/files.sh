# shellcheck shell=bash disable=SC2034,SC2154 # scripts/vm and its other parts use the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The guest's files. Part of scripts/vm.

# put FILE DEST: copy FILE into the guest; DEST is an absolute path there
put() {
	mkdir -p "$root${2%/*}"
	cp -rL "$1" "$root$2"
}

# libs PROGRAM: print the libraries of PROGRAM as ldd does, nothing for a static program
libs() {
	if [ "$sysroot" ]; then
		foreign_libs "$1"
	else
		ldd "$1" 2>/dev/null || true
	fi
}

# put_libs PROGRAM: copy the libraries of PROGRAM into the guest, to the same paths
put_libs() {
	local lib
	libs "$1" | awk '$3 ~ /^\// { print $3 } $1 ~ /^\// { print $1 }' |
		while read -r lib; do
			[ -e "$root${lib#"$sysroot"}" ] || put "$lib" "${lib#"$sysroot"}"
		done
}

# put_bin PROGRAM: copy a program of this machine (or of $sysroot) and its libraries into the guest
put_bin() {
	local path lib
	path=$(program "$1") ||
		die "there is no program $1 here: install it, or give its path"
	put "$path" "/usr/bin/${path##*/}"
	chmod 755 "$root/usr/bin/${path##*/}"
	put_libs "$path"
	# ldd does not list the libraries that libibverbs opens at run time
	lib=$(libs "$path" | awk '$1 ~ /^libibverbs\.so/ { print $3 }')
	if [ "$lib" ]; then
		put_verbs "$(readlink -f "$lib")"
	fi
}

# put_verbs LIBIBVERBS: copy the libibverbs providers of rxe and siw, and libgcc_s, which
# glibc loads when a thread ends
put_verbs() {
	local type provider libgcc
	[ ! -e "$root/etc/libibverbs.d" ] || return 0
	for type in rxe siw; do
		provider=$(compgen -G "${1%/*}/libibverbs/lib$type-rdmav*.so") ||
			die "no verbs provider for $type: run (as root) scripts/deps vm"
		put "$sysroot/etc/libibverbs.d/$type.driver" "/etc/libibverbs.d/$type.driver"
		put "$provider" "${provider#"$sysroot"}"
		put_libs "$provider"
	done
	[ -z "$sysroot" ] || return 0
	libgcc=$(ldconfig -p | awk '/libgcc_s\.so\.1 .*x86-64/ { print $NF }' | tail -n 1)
	[ -z "$libgcc" ] || put "$libgcc" "$libgcc"
}

# put_modules [-o] MODULE...: copy modules and their dependencies into the guest. A built-in
# module needs no file. A missing module is an error, except with -o. Some of Debian's kernels
# have no list of built-in modules; then a missing module is never an error.
put_modules() {
	local file optional='' built_in=$moddir/modules.builtin
	if [ "${1-}" = -o ]; then
		optional=yes
		shift
	fi
	if [ ! -e "$built_in" ]; then
		optional=yes
		built_in=/dev/null
	fi
	awk -v names="$*" -v builtin="$built_in" '
		function name(path) {
			sub(/.*\//, "", path); sub(/\.ko.*/, "", path); gsub(/-/, "_", path)
			return path
		}
		FILENAME == builtin { built_in[name($1)] = 1; next }
		{ sub(/:/, "", $1); at[name($1)] = $1; line[name($1)] = $0 }
		END {
			n = split(names, want, " ")
			for (i = 1; i <= n; i++) {
				m = name(want[i])
				if (m in at)
					print line[m]
				else if (!(m in built_in))
					print "missing " m
			}
		}' "$built_in" "$moddir/modules.dep" >"$run/wanted"
	file=$(sed -n 's/^missing //p' "$run/wanted" | paste -sd ' ')
	[ -z "$file" ] || [ "$optional" ] || die "the kernel $version has no module $file"
	sed '/^missing /d' "$run/wanted" | tr ' ' '\n' | sed '/^$/d' | sort -u | while read -r file; do
		put "$moddir/$file" "/lib/modules/$version/$file"
	done
}

# put_ko KO [CALLED]: copy the module file KO and its dependencies into the guest, for insmod.
# CALLED is the name of the file in error messages (default KO).
put_ko() {
	local made_for needs called=${2-$1}
	[ -f "$1" ] || die "there is no module $called"
	made_for=$(modinfo -F vermagic "$1") || die "$called is no kernel module"
	[ "${made_for%% *}" = "$version" ] ||
		die "$called was built for ${made_for%% *}, and the guest's kernel is $version: build it with make modules KDIR=\"\$(scripts/kernel $kernel headers)\""
	IFS=, read -ra needs <<<"$(modinfo -F depends "$1")"
	put_modules "${needs[@]}"
	kernel_modules+=("${needs[@]}")
	put "$1" "/lib/modules/extra/${1##*/}"
	# debug information and build ID contain paths of this machine
	[ -z "$exact" ] || objcopy --strip-debug --remove-section=.note.gnu.build-id \
		"$root/lib/modules/extra/${1##*/}"
	extra_modules+=("${1##*/}")
}

# make_root: write the files that all guests share, and the initrd root.cpio with them
make_root() {
	local file dest m
	root=$run/root
	# remove the files of the other guest, which may have another kernel
	rm -rf "$root"
	mkdir -p "$root"/usr/{bin,lib,lib64} "$root"/{etc,root,proc,sys,dev}
	# merged directories, so that paths of a host with or without merged /usr work
	ln -s usr/bin "$root/bin"
	ln -s usr/bin "$root/sbin"
	ln -s bin "$root/usr/sbin"
	ln -s usr/lib "$root/lib"
	ln -s usr/lib64 "$root/lib64"
	echo 'root:x:0:0:root:/root:/bin/sh' >"$root/etc/passwd"
	echo 'root:x:0:' >"$root/etc/group"
	printf '%s\n' '127.0.0.1 localhost' '::1 localhost' >"$root/etc/hosts"

	put "$(program busybox)" /usr/bin/busybox
	ldd "$root/usr/bin/busybox" >/dev/null 2>&1 &&
		die "this busybox needs libraries: run (as root) scripts/deps vm for the static one"
	put "$scripts/guest/init" /init
	put "$scripts/softrdma" /usr/bin/softrdma
	put "$scripts/trouble.sh" /usr/share/krping/trouble.sh
	# use dash: busybox's shell would run busybox's ip instead of iproute2's
	put_bin dash
	ln -s dash "$root/usr/bin/sh"
	put_shell
	put_bin ip
	put_bin rdma
	# busybox's versions would run busybox's ip as well
	for m in timeout setsid env xargs nice nohup; do
		put_bin "$m"
	done
	for m in "${bins[@]}"; do
		put_bin "$m"
	done

	# When a device is removed, the RDMA core notifies its clients in reverse order of their
	# registration. Load ib_uverbs first, so that the RDMA core notifies rdma_cm before ib_uverbs,
	# and rdma_cm lets user space release the device.
	kernel_modules=(ib_uverbs rdma_cm rdma_ucm)
	extra_modules=()
	put_modules "${kernel_modules[@]}" rdma_rxe dummy veth
	# rxe and siw up to 6.14 load their CRC by the name of the algorithm, so modules.dep
	# does not list it
	put_modules -o crc32_generic
	if [ "$lab" ]; then
		find "$root/lib/modules" -name 'rdma_rxe.ko*' -delete
		file=$("$scripts/kernel" "$kernel" lab)
		put "$file" "/lib/modules/$version/kernel/rdma_rxe.ko"
		echo "options rdma_rxe$lab_params" >"$root/etc/modprobe.conf"
	fi
	if [ "$device" = siw ]; then
		put_modules iw_cm
		put_modules -o libcrc32c crc32c_generic
		file=$("$scripts/kernel" "$kernel" siw)
		put "$file" "/lib/modules/$version/kernel/siw.ko"
	fi
	put_modules -o "${drivers[@]}"
	if ((${#pair[@]})); then
		put_modules -o virtio_pci
		put_modules virtio_net
		kernel_modules=(virtio_pci virtio_net "${kernel_modules[@]}")
		put "$scripts/guest/peer-tell" /usr/bin/peer-tell
		put "$scripts/guest/peer-wait" /usr/bin/peer-wait
		put "$scripts/guest/peer-stop" /usr/bin/peer-stop
		put "$scripts/guest/peer-reset" /usr/bin/peer-reset
	fi
	put_share_modules
	if [ "$krping" ]; then
		# modinfo needs the ending .ko
		cp "$krping" "$run/rdma_krping.ko"
		put_ko "$run/rdma_krping.ko" "$krping"
	fi
	for m in "${modules[@]}"; do
		case $m in
		*.ko | */*) put_ko "$m" ;;
		*) put_modules "$m" ;;
		esac
	done
	# depmod warns if one of these files is missing
	for file in order builtin builtin.modinfo; do
		if [ -e "$moddir/modules.$file" ]; then
			put "$moddir/modules.$file" "/lib/modules/$version/modules.$file"
		else
			: >"$root/lib/modules/$version/modules.$file"
		fi
	done
	# busybox's insmod does not decompress a module, and newer kernels reject a compressed one;
	# besides, decompression is slow in emulation
	find "$root/lib/modules/$version" -name '*.ko.xz' -exec xz -d {} +
	depmod -b "$root" "$version" || die "depmod failed: see above"

	for file in "${files[@]}" "${own_files[@]}"; do
		dest=${file#*:}
		[ "$dest" != "$file" ] || dest=$(basename "$file")
		file=${file%%:*}
		[ -e "$file" ] || die "there is no $file"
		[[ $dest == /* ]] || dest=/root/$dest
		[[ $dest != */ ]] || dest=$dest$(basename "$file")
		case $dest in
		/tmp | /tmp/* | /dev/* | /proc/* | /sys/*)
			die "$dest is hidden in the guest by a mounted file system: put $file elsewhere" ;;
		esac
		put "$file" "$dest"
		# COMMAND starts with this file: run the copy
		if ((${#command[@]})) && [ "${command[0]}" = "$file" ]; then
			command[0]=$dest
			[ ! -f "$file" ] || chmod +x "$root$dest"
		fi
	done
	archive "$root" >"$run/root.cpio"
}

# archive DIR: print an initrd with the files of DIR. With --exact the archive must be the
# same on each machine, because the kernel's instructions to parse the archive
# depend on each digit in it. So times, modes and the order of modules are fixed.
archive() {
	if [ "$exact" ]; then
		find "$1" -name 'modules.[a-z]*' ! -name '*.bin' -exec env LC_ALL=C sort -o {} {} \;
		find "$1" -name 'modules.*.bin' -delete
		chmod -R u=rwX,go=rX "$1"
		find "$1" -exec touch -h -d @1767225600 {} +
	fi
	(cd "$1" && find . | LC_ALL=C sort | cpio -o -H newc -R 0:0 --reproducible --quiet)
}

# make_guest NAME N: write the initrd of one guest: the shared files, its configuration for
# scripts/guest/init, and its command. N is 1, or 2 for the second guest of a pair.
make_guest() {
	local dir=$run/$1 netdev=d0 how=--dummy=d0 n=$2 script=
	mkdir -p "$dir/etc" "$dir/root"
	if ((${#pair[@]})); then
		netdev=eth0
		how='--netdev eth0'
		script=${pair[n - 1]}
		cp "$script" "$dir/root/$1.sh"
	fi
	{
		echo "vm_name=$1"
		echo "vm_lines='$lines_tty $lines_first ${drivers[*]}'"
		echo "vm_timeout=$limit"
		echo "vm_idle=$idle"
		echo "vm_pair=${pair[*]:+yes}"
		echo "vm_shell=$shell"
		echo "vm_mtu=$mtu"
		echo "vm_netdev=$netdev"
		echo "vm_device=$device"
		echo "vm_softrdma='${device}0 $how --addr 10.0.0.$n/24 --addr fd00::$n/64'"
		echo "vm_modules='${kernel_modules[*]}'"
		echo "vm_extra='${extra_modules[*]}'"
		((!${#shares[@]})) || printf 'vm_share=%s\n' "$(quote "$(share_names)")"
		[ -z "$shell" ] || echo "vm_size='$(terminal_size)'"
		((!${#gets[@]})) || printf 'vm_get=%s\n' "$(quote "$(get_names)")"
	} >"$dir/etc/vm.conf"
	{
		printf '%s' "$environment"
		if ((${#pair[@]})); then
			echo "export PEER=10.0.0.$((3 - n)) PEER6=fd00::$((3 - n))"
			if [[ $(head -c 2 "$script") = '#!' ]]; then
				chmod +x "$dir/root/$1.sh"
				echo "exec ./$1.sh"
			else
				echo "exec sh ./$1.sh"
			fi
		elif ((${#command[@]} == 1)); then
			printf '%s\n' "${command[0]}"
		elif [ -z "$shell" ]; then
			echo "exec $(quote "${command[@]}")"
		fi
	} >"$dir/etc/vm-command"
	archive "$dir" >"$run/$1.cpio"
	cat "$run/root.cpio" "$run/$1.cpio" >"$run/$1.initrd"
}
