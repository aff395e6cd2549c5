# shellcheck shell=bash disable=SC2034,SC2154 # scripts/vm and its other parts use the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The differences between the architectures of guests. Part of scripts/vm.

# choose_machine: set these variables for the guest's kernel:
#   qemu      QEMU's program
#   console_tty  the kernel's console
#   lines_tty, lines_first  name and number of the first serial line after the console
#   drivers   modules of the serial lines
choose_machine() {
	qemu=qemu-system-x86_64 console_tty=ttyS0 lines_tty=ttyS lines_first=1 drivers=()
	case $kernel in
	s390x)
		qemu=qemu-system-s390x console_tty=ttysclp0 lines_tty=hvc lines_first=0
		drivers=(virtio_console)
		;;
	ppc64el)
		# the console is hvc0, so the other lines begin with hvc1
		qemu=qemu-system-ppc64 console_tty=hvc0 lines_tty=hvc lines_first=1
		;;
	arm64 | arm64-16k | arm64-64k)
		qemu=qemu-system-aarch64 console_tty=ttyAMA0 lines_tty=hvc lines_first=0
		drivers=(virtio_pci virtio_console)
		;;
	esac
}

# need_machine KIND: check that the emulator for the kernel KIND is installed
need_machine() {
	local kernel=$1 qemu console_tty lines_tty lines_first drivers
	choose_machine
	case $1 in
	s390x | ppc64el | arm64) need_commands "$1" "$qemu" readelf ;;
	arm64-16k | arm64-64k) need_commands arm64 "$qemu" readelf ;;
	i386-lowmem) need_commands i386 readelf ;;
	*) need_commands vm "$qemu" ;;
	esac
}

# machine_args: add QEMU's arguments for a machine of another architecture to args; fail for this
# machine's architecture
# shellcheck disable=SC2054 # QEMU's options have commas
machine_args() {
	case $kernel in
	s390x) args+=(-machine s390-ccw-virtio -cpu max -device virtio-serial-ccw) ;;
	# TCG lacks the mitigations that the machine pseries has by default
	ppc64el) args+=(-machine pseries,cap-cfpc=broken,cap-sbbc=broken,cap-ibs=broken -cpu POWER9) ;;
	# neoverse-n1 has pages of each size, cortex-a72 none of 16 KiB
	arm64-16k) args+=(-machine virt -cpu neoverse-n1 -device virtio-serial-pci) ;;
	arm64 | arm64-64k) args+=(-machine virt -cpu cortex-a72 -device virtio-serial-pci) ;;
	*) return 1 ;;
	esac
	args+=(-accel tcg,thread=multi)
}

# serial_line CHARDEV INDEX: add a serial line to args. Line 0 is the console.
# shellcheck disable=SC2054
serial_line() {
	local irq=''
	case $kernel in
	s390x)
		if [ "$2" = 0 ]; then
			args+=(-device "sclpconsole,chardev=$1")
		else
			args+=(-device "virtconsole,chardev=$1")
		fi
		;;
	ppc64el) args+=(-device "spapr-vty,chardev=$1,reg=0x3000${2}000") ;;
	arm64 | arm64-16k | arm64-64k)
		if [ "$2" = 0 ]; then
			args+=(-serial "chardev:$1")
		else
			args+=(-device "virtconsole,chardev=$1")
		fi
		;;
	# By default, four serial lines use two interrupts, but ISA devices cannot share an interrupt:
	# the third and the fourth line get the interrupts 5 and 7. The kernels that scripts/kernel-own
	# builds do not find 5 and 7, but let serial lines share the default interrupts.
	plain | debug | rt | i386-lowmem) args+=(-device "isa-serial,chardev=$1,index=$2") ;;
	*)
		case $2 in
		2) irq=,irq=5 ;;
		3) irq=,irq=7 ;;
		esac
		args+=(-device "isa-serial,chardev=$1,index=$2$irq")
		;;
	esac
}

# net_device: print QEMU's virtio network device
net_device() {
	case $kernel in
	s390x) echo virtio-net-ccw ;;
	*) echo virtio-net-pci,romfile= ;;
	esac
}

# program NAME: print the path of a program to copy into the guest, in $sysroot if it is set
program() {
	local dir
	if [ -z "$sysroot" ]; then
		type -P "$1"
		return
	fi
	for dir in usr/bin usr/sbin bin sbin; do
		if [ -e "$sysroot/$dir/$1" ]; then
			echo "$sysroot/$dir/$1"
			return
		fi
	done
	return 1
}

# foreign_libs FILE: print the loader and all direct and indirect libraries of a program of the
# sysroot, as ldd does: NAME => PATH
foreign_libs() {
	local files=("$1") file name path
	local -A seen=()
	while ((${#files[@]})); do
		file=${files[0]}
		files=("${files[@]:1}")
		while read -r name; do
			[ -z "${seen[$name]-}" ] || continue
			path=$sysroot$name
			[[ $name == /* ]] || path=$(compgen -G "$sysroot/usr/lib/*/$name" ||
				compgen -G "$sysroot/lib/*/$name") || continue
			path=${path%%$'\n'*}
			seen[$name]=$path
			files+=("$path")
		done < <(readelf -dl "$file" 2>/dev/null |
			sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p; s/.*program interpreter: \(.*\)\]/\1/p')
	done
	for name in "${!seen[@]}"; do
		echo "${name##*/} => ${seen[$name]}"
	done
}
