# shellcheck shell=sh disable=SC2154 # other files set lib, tmp and so on
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# krping conform: run the cases of the specification against a server. POSIX sh.

# shellcheck source=run.sh
. "$lib/run.sh"

cmd_conform() {
	parse_options "json raw" "$@"
	want_one "--json and --raw" "$json" "$raw"
	want_addr
	need_module
	module_has conform ||
		fail "$st_unsupported" "this version of the module has no conformance run" "krping version"
	temporary
	command=client,addr=$addr,conform${options:+,$options}
	interval='' quiet=yes
	run_client "$command"
	if [ "$json" ] || [ "$raw" ]; then
		print_result "$tmp/result" "$command"
	else
		awk -f "$lib/conform.awk" "$tmp/result"
	fi
	[ -z "$interrupted" ] || exit "$interrupted"
	case $errno in
	0) exit 0 ;;
	52) fail "$st_worse" "the device deviates from the specification" ;;
	esac
	result_failed "$tmp/result"
}
