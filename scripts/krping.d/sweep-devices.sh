# shellcheck shell=sh disable=SC2154 # scripts/sweep sets the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# scripts/sweep --devices: a sweep for each device, one after the other. POSIX sh.

# with_results: print the devices that have results, in the order of --devices
with_results() {
	for _pair in $(printf '%s\n' "$devices" | tr ',' ' '); do
		[ ! -e "$out/${_pair%%=*}/results.tsv" ] || printf '%s\n' "${_pair%%=*}"
	done
}

# await_child: wait until the child has ended, and set code to its status. A signal to this shell
# ends wait early, so repeat wait.
await_child() {
	code=0
	wait "$child" || code=$?
	while kill -0 "$child" 2>/dev/null; do
		code=0
		wait "$child" || code=$?
	done
}

# pass_on STATUS: after a signal, set the exit status of this script, and stop the child by SIGTERM,
# because a child in the background ignores SIGINT.
pass_on() {
	interrupted=$1
	[ -z "$child" ] || kill "$child" 2>/dev/null
}

# sweep_devices: run scripts/sweep for each device, with OUTDIR/DEVICE as its OUTDIR, and exit
sweep_devices() {
	child=
	trap 'pass_on 130' INT
	trap 'pass_on 143' TERM
	trap 'pass_on 129' HUP
	status=0
	for _pair in $(printf '%s\n' "$devices" | tr ',' ' '); do
		_device=${_pair%%=*}
		[ -z "$interrupted" ] || break
		say "$_device at ${_pair#*=}"
		_address=${_pair#*=}
		_label=${label:+$label, $_device}
		eval "\"\$0\" $rest --addr \"\$_address\" --device \"\$_device\" --label \"\$_label\" \"\$out/\$_device\" &"
		child=$!
		await_child
		child=
		[ $code = 0 ] || status=1
		with_results >"$tmp/devices"
		publish devices <"$tmp/devices"
	done
	[ -z "$interrupted" ] || exit "$interrupted"
	_report=scripts/report
	[ -z "${KRPING-}" ] || _report="krping report"
	say "$_report $(quote "$out") makes one page of all devices"
	exit $status
}
