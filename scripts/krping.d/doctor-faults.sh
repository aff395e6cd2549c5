# shellcheck shell=sh disable=SC2154 # other files set lib, tmp and so on
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# krping doctor: kernels and firmware with known faults. POSIX sh.

# faults KIND: print the lines of both fault files that begin with KIND, without this word
faults() {
	for _file in "$lib/faults" "$root/etc/krping/faults"; do
		[ ! -r "$_file" ] || sed -n "s/^$1  *//p" "$_file"
	done
}

# check_kernel: warn about faults that the running kernel has with a device of this machine, and name those that need no
# action
check_kernel() {
	release
	_found=
	kernel_faults kernel WARN ""
	kernel_faults note OK "nothing to do now, but if tests fail: "
	[ "$_found" ] || finding OK kernel "$_release: no known fault of these devices"
}

# kernel_faults KIND OK|WARN PREFIX: print the faults of the lines that begin with KIND with this verdict, PREFIX before
# each. Set _found if there is one.
kernel_faults() {
	faults "$1" >"$tmp/faults"
	while read -r _of _driver _text; do
		case $_of,$_release in
		'*',* | "$_of,$_of".*) ;;
		*) continue ;;
		esac
		for _d in "$root/sys/class/infiniband/$_driver"*; do
			[ -e "$_d" ] || continue
			finding "$2" kernel "$_release, ${_d##*/}" "$3$_text (see $(document known-issues.md))"
			_found=yes
		done
	done <"$tmp/faults"
}

# check_firmware: check the firmware of adapters; software devices have no firmware
check_firmware() {
	_found=
	_n=0
	: >"$tmp/boards"
	faults firmware >"$tmp/faults"
	for _d in "$root"/sys/class/infiniband/*; do
		[ -e "$_d/device" ] || continue
		[ -r "$_d/fw_ver" ] || continue
		IFS= read -r _fw 2>/dev/null <"$_d/fw_ver" || continue
		_n=$((_n + 1))
		IFS= read -r _board 2>/dev/null <"$_d/board_id" || _board=
		firmware_fault "${_d##*/}"
		firmware_twin "${_d##*/}"
	done
	[ $_n -gt 0 ] || {
		finding OK firmware "there is no adapter with firmware"
		return
	}
	[ "$_found" ] || finding OK firmware "that of $(counted $_n adapter) has no known fault"
}

# firmware_fault DEVICE: warn if the fault files list its board and firmware
firmware_fault() {
	while read -r _of _version _text; do
		# shellcheck disable=SC2254 # patterns
		case $_board in
		$_of)
			case $_fw in
			$_version)
				finding WARN firmware "$1 has $_fw" "$_text"
				_found=yes
				;;
			esac
			;;
		esac
	done <"$tmp/faults"
}

# firmware_twin DEVICE: warn if an adapter checked before has the same board and other firmware
firmware_twin() {
	[ "$_board" ] || return 0
	while read -r _other _version _of; do
		if [ "$_of" = "$_board" ] && [ "$_version" != "$_fw" ]; then
			finding WARN firmware "$1 has $_fw, and $_other of the same board $_version" "update the older one"
			_found=yes
			break
		fi
	done <"$tmp/boards"
	printf '%s %s %s\n' "$1" "$_fw" "$_board" >>"$tmp/boards"
}
