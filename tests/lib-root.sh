# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Functions for tests that install the packages in a new root of Debian and boot a guest with this root. A test
# file sources this file from the top directory of the checkout, behind scripts/lib.sh, sets subject, which is
# the prefix of its checks, and root, the directory of the root, and calls root_needs and root_begins. Bash.

. scripts/vm.d/accel.sh

mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
n=0 failed=0 skipped=0

# root_needs: install the programs that the test needs; end the test unless the user is root
root_needs() {
	is_root || die "debootstrap needs root: sudo $0"
	scripts/deps package vm fresh || exit 1
	PATH=$PATH:/usr/sbin:/sbin
}

# root_begins: make $tmp, a temporary directory of the test. The root is in it unless root is set.
root_begins() {
	tmp=$(mktemp -d "${TMPDIR:-/tmp}/krping-root.XXXXXX") || die "cannot make a temporary directory: set TMPDIR"
	root=${root:-$tmp/root}
	trap 'rm -rf --one-file-system "$tmp"' EXIT
	trap 'exit 130' INT TERM HUP
}

# check DESC COMMAND...: run COMMAND, and print a line of TAP. If COMMAND fails, print the end of its
# output before this line. The whole output remains in $tmp/out until the next check.
check() {
	desc=$1
	shift
	n=$((n + 1))
	begun=$(date +%s)
	if "$@" >"$tmp/out" 2>&1; then
		echo "ok $n - $subject: $desc"
	else
		tail -n 40 "$tmp/out" | sed 's/^/# /'
		echo "not ok $n - $subject: $desc"
		failed=$((failed + 1))
	fi
	echo "# $(($(date +%s) - begun)) s"
}

# skip DESC REASON: print a line of TAP for a check that is skipped
skip() {
	n=$((n + 1)) skipped=$((skipped + 1))
	echo "ok $n - $subject: $1 # SKIP $2"
}

# root_ends: print the plan and the totals; return 1 if a check has failed
root_ends() {
	echo "1..$n"
	echo "$((n - failed - skipped)) passed, $failed failed, $skipped skipped"
	[ $failed = 0 ]
}

# make_root: install Debian with a kernel into the directory of the root
make_root() {
	debootstrap --variant=minbase --include=initramfs-tools,iproute2,kmod,linux-headers-amd64,linux-image-amd64,man-db,udev \
		bookworm "$root" "$mirror"
}

# in_root COMMAND: run COMMAND in the root, without the terminal of this machine. /proc is mounted for this
# command only.
in_root() {
	# shellcheck disable=SC2016 # the inner shell expands them
	DEBIAN_FRONTEND=noninteractive LC_ALL=C unshare --mount sh -c \
		'mount -t proc proc "$1/proc" && exec chroot "$1" sh -c "$2"' sh "$root" "$1" </dev/null
}

# install_packages: install the packages of krping with apt in the root
install_packages() {
	# dpkg need not sync each file: nobody needs this root after a crash
	echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io" || return 1
	cp build/package/*.deb "$root/root/" &&
		in_root 'apt-get install -y /root/krping*.deb'
}

# first_process NAME: write standard input, the commands of a user, into /root/NAME of the root. NAME is the
# guest's first process. "step STEP COMMAND..." runs a command, and prints the command and its exit status.
first_process() {
	{
		cat <<-'END'
			#!/bin/sh
			PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb LC_ALL=C
			export PATH HOME TERM LC_ALL
			mount -t proc proc /proc
			mount -t sysfs sysfs /sys
			mount -t tmpfs tmpfs /run
			cd /root
			step() {
				name=$1
				shift
				echo "\$ $*"
				"$@"
				echo "step $name $?"
			}
		END
		cat
		cat <<-'END'
			echo o >/proc/sysrq-trigger
			sleep 60
		END
	} >"$root/root/$1" && chmod 755 "$root/root/$1"
}

# make_image: make a disk image of the root
make_image() {
	rm -f "$tmp/image" && truncate -s 4G "$tmp/image" && mkfs.ext4 -q -d "$root" "$tmp/image"
}

# boot_image RELEASE NAME: boot the image in QEMU with the kernel RELEASE and the first process /root/NAME, and
# print the guest's console
boot_image() {
	local image=$root/boot/vmlinuz-$1 exact='' sysroot='' run=$tmp accel cpu=host fixed=
	# choose_accel reads some of these variables, and sets accel
	choose_accel
	# random addresses of programs slow down only an emulated guest: scripts/vm says why
	[ "$accel" = kvm ] || cpu=qemu64 fixed=norandmaps
	timeout -k 5 1800 qemu-system-x86_64 -accel "$accel" -cpu $cpu -m 2048 -smp 2 -nographic -nodefaults \
		-no-reboot -serial stdio -kernel "$image" -initrd "$root/boot/initrd.img-$1" \
		-append "root=/dev/vda rw console=ttyS0 loglevel=4 $fixed init=/root/$2" \
		-drive "file=$tmp/image,format=raw,if=virtio" </dev/null 2>&1 | stdbuf -oL tr -d '\r'
}

# step NAME [REGEX [STATUS]]: print the output of the guest's step NAME. Check that a line of the output matches
# REGEX, and that the step has ended with STATUS (default 0). Call the function only with check, which puts
# the output into $tmp/out, where grep reads it.
step() {
	awk -v name="$1" -v want="${3-0}" '
		/^\$ / { text = "" }
		{ text = text $0 "\n" }
		$1 == "step" && $2 == name { printf "%s", text; status = $3; found = 1 }
		END { exit !(found && status == want) }' "$tmp/console.txt" || return 1
	[ -z "${2-}" ] || grep -Eq -- "$2" "$tmp/out"
}

# shown NAME REGEX DESC [STATUS]: check a step, and print its output as comments
shown() {
	check "$3" step "$1" "$2" "${4-0}"
	sed '/^step /d; s/^/# /' "$tmp/out"
}
