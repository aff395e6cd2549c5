# shellcheck shell=bash disable=SC2154 # scripts/vm sets the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The choice between KVM and emulation. Part of scripts/vm.

# kvm_here: check whether this machine seems to have KVM
kvm_here() {
	grep -Eqw 'svm|vmx' /proc/cpuinfo && [ -w /dev/kvm ]
}

# choose_accel: set accel to kvm or tcg. First boot a kernel with KVM, because /dev/kvm may
# exist without the hardware, and nested KVM may hang. A file keeps the answer until this
# machine boots again.
choose_accel() {
	local answer
	answer=$cache/kvm.$(cat /proc/sys/kernel/random/boot_id)
	accel=${KRPING_ACCEL-}
	# only emulation counts instructions
	[ -z "$exact" ] || accel=tcg
	# KVM runs only kernels of this machine's architecture
	[ -z "$sysroot" ] || accel=tcg
	case $accel in
	'') ;;
	tcg | kvm) return 0 ;;
	*) die "KRPING_ACCEL is '$accel': make it tcg or kvm, or unset it" ;;
	esac
	accel=tcg
	kvm_here || return 0
	if [ ! -s "$answer" ]; then
		say "trying whether KVM works here"
		if probe_kvm; then echo kvm; else echo tcg; fi >"$run/kvm"
		mkdir -p "$cache"
		cp "$run/kvm" "$answer.$$"
		mv "$answer.$$" "$answer"
	fi
	accel=$(cat "$answer")
}

# probe_kvm: check whether a kernel boots with KVM and runs a program
probe_kvm() {
	mkdir -p "$run/probe/bin"
	cp "$(command -v busybox)" "$run/probe/bin/busybox"
	cat >"$run/probe/init" <<-'END'
		#!/bin/busybox sh
		/bin/busybox mkdir /dev
		/bin/busybox mount -t devtmpfs dev /dev
		echo alive >/dev/ttyS1
		/bin/busybox poweroff -f
	END
	chmod +x "$run/probe/init"
	(cd "$run/probe" && find . | cpio -o -H newc --quiet) >"$run/probe.cpio"
	timeout -k 1 20 qemu-system-x86_64 -accel kvm -cpu host -smp 2 -m 256 -nodefaults \
		-display none -no-reboot -kernel "$image" -initrd "$run/probe.cpio" \
		-append 'console=ttyS0 panic=-1 quiet' -serial null -serial "file:$run/probe.out" \
		</dev/null >/dev/null 2>&1 || return 1
	grep -qs alive "$run/probe.out"
}

# tsc_rate: print a kernel argument with the frequency of the TSC, which an emulated processor
# takes from this machine. Without the argument the guest's kernel calibrates the TSC, and on
# a busy machine the result may be wrong by any factor. Print nothing on hardware: there
# /proc/cpuinfo has the current frequency of a CPU instead of that of the TSC.
tsc_rate() {
	awk '
		/^cpu MHz/ { mhz = $NF }
		/^flags/ { if (/ hypervisor / && / constant_tsc /) printf " tsc_early_khz=%d", mhz * 1000; exit }
	' /proc/cpuinfo
}
