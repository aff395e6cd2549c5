# shellcheck shell=sh disable=SC2154 # other files set lib, tmp and so on
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# krping doctor: check for common faults of the set-up, and print a remedy for each. POSIX sh.
#
# KRPING_ROOT is a directory whose sys and proc the checks read instead of those of this machine.

# shellcheck source=options.sh
. "$lib/options.sh"
# shellcheck source=doctor-module.sh
. "$lib/doctor-module.sh"
# shellcheck source=doctor-device.sh
. "$lib/doctor-device.sh"
# shellcheck source=doctor-host.sh
. "$lib/doctor-host.sh"
# shellcheck source=doctor-faults.sh
. "$lib/doctor-faults.sh"
# shellcheck source=doctor-path.sh
. "$lib/doctor-path.sh"
# shellcheck source=doctor-peer.sh
. "$lib/doctor-peer.sh"

root=${KRPING_ROOT-}
failures=0
warnings=0

cmd_doctor() {
	parse_options "bundle=" "$@"
	[ -z "$bundle" ] || case $bundle in
	*.tar | *.tar.gz | *.tgz) ;;
	*) usage "--bundle takes the name of a file that ends with .tar.gz or .tar" ;;
	esac
	# the checks take a while, so complain before them
	case $bundle in
	*/*) [ -d "${bundle%/*}/" ] || usage "there is no directory ${bundle%/*} for --bundle" ;;
	esac
	temporary
	on_signals doctor_interrupted
	: >"$tmp/doctor"
	check_module
	check_signing
	check_devices
	check_kernel
	check_firmware
	check_iommu
	check_numa
	check_governor
	check_idle
	check_interrupts
	check_memory
	check_limits
	check_clock
	check_firewall
	check_rp_filter
	if [ "$addr" ]; then
		check_name && check_path && check_peer
	fi
	[ -z "$bundle" ] || make_bundle
	say "$failures failed, $(counted $warnings warning)"
	[ $failures = 0 ] || exit "$st_worse"
	exit 0
}

# doctor_interrupted STATUS: end because of a signal; print the number of failed checks and of warnings up to the signal
doctor_interrupted() {
	working ""
	say "interrupted before the end of the checks; until then $failures failed, $(counted $warnings warning)"
	exit "$1"
}

# working TEXT: show TEXT on a terminal until the next finding
working() {
	! terminal || printf '\r%s\033[K' "$1" >&2
}

# finding OK|WARN|FAIL CHECK TEXT [REMEDY]: print a finding, and count warnings and failures. tee would need a process for
# each finding.
finding() {
	case $1 in
	WARN) warnings=$((warnings + 1)) ;;
	FAIL) failures=$((failures + 1)) ;;
	esac
	working ""
	# the reader of a pipe may have ended
	printf '%-4s %-12s %s%s\n' "$1" "$2" "$3" "${4:+: $4}" 2>/dev/null || exit 141
	printf '%-4s %-12s %s%s\n' "$1" "$2" "$3" "${4:+: $4}" >>"$tmp/doctor"
}

# first_line FILE: set line to the first line of $root/FILE, or to "" if FILE cannot be read
first_line() {
	line=
	[ ! -r "$root$1" ] || IFS= read -r line 2>/dev/null <"$root$1" || :
}

# make_bundle: write the files that a bug report needs into the archive $bundle, and print their names
make_bundle() {
	mkdir "$tmp/krping-report"
	cp "$tmp/doctor" "$tmp/krping-report/doctor.txt"
	{
		uname -a
		cat "$root/proc/cmdline"
		grep -i 'model name' "$root/proc/cpuinfo" | sort | uniq -c
	} >"$tmp/krping-report/machine.txt" 2>/dev/null
	dmesg 2>/dev/null | grep -iE 'krping|rdma|infiniband|rxe|siw|mlx|irdma|bnxt_re|hns|BUG|WARNING' >"$tmp/krping-report/kernel-log.txt"
	for _d in "$root"/sys/class/infiniband/*; do
		[ -e "$_d" ] || continue
		echo "${_d##*/}"
		for _f in fw_ver node_type board_id ports/1/state ports/1/rate ports/1/link_layer; do
			[ ! -r "$_d/$_f" ] || echo "  $_f $(cat "$_d/$_f")"
		done
	done >"$tmp/krping-report/devices.txt"
	if may_command; then
		command_run list && cp "$tmp/short" "$tmp/krping-report/tests.txt"
	fi
	for _f in "$results"/*; do
		[ ! -f "$_f" ] || cp "$_f" "$tmp/krping-report/result-${_f##*/}.txt"
	done
	case $bundle in
	*.tar) tar -C "$tmp" -cf "$bundle" krping-report ;;
	*) tar -C "$tmp" -czf "$bundle" krping-report ;;
	esac || fail "$st_failed" "cannot write $bundle"
	say "$bundle has these files; look at them before you send them:"
	for _f in "$tmp"/krping-report/*; do
		say "    ${_f##*/}: $(counted "$(wc -l <"$_f" | tr -d ' ')" line)"
	done
	say "they may name hosts and addresses; no other file of this machine is in the archive"
}
