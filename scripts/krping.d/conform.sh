# shellcheck shell=sh disable=SC2154 # other files set lib, tmp and so on
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# krping conform: run the cases of the specification against a server. POSIX sh.

# shellcheck source=run.sh
. "$lib/run.sh"

# --safe runs the groups of the first list, whose requests any peer may send at any time, without the cases
# of the second list, which post malformed WRs or overrun a CQ.
safe_groups='keys bounds rights zero request flush'
safe_not='write_address_wraps read_address_wraps atomic_misaligned write_beyond_2g cq_overrun'

cmd_conform() {
	parse_options "json raw ktap list group= skip= safe expect= save=" "$@"
	want_one "--json, --raw and --ktap" "$json" "$raw" "$ktap"
	if [ "$list" ]; then
		need_module
		list_cases
		awk -f "$lib/value.awk" -f "$lib/conform-names.awk" "$tmp/short"
		exit 0
	fi
	want_addr
	expected_file
	[ -z "$save" ] || want_writable "$save"
	need_module
	module_has conform ||
		fail "$st_unsupported" "this version of the module has no conformance run" "krping version"
	temporary
	interval='' quiet=yes
	if [ "$group$skip$safe" ]; then
		select_cases
		run_selected
	else
		command=client,addr=$addr,conform${options:+,$options}
		run_client "$command"
	fi
	show_cases
	[ -z "$interrupted" ] || exit "$interrupted"
	[ -z "$save" ] || save_verdicts
	end_cases
}

# expected_file: end if --expect names a file without verdicts
expected_file() {
	[ "$expect" ] || return 0
	want_readable "$expect"
	grep -Eq '^[a-z0-9_]+	(ok|deviates|unsupported)	' "$expect" ||
		usage "'$expect' has no verdicts: no line is CASE<tab>VERDICT<tab>DIFFERENCE"
}

# list_cases: let the module write all cases into $tmp/short
list_cases() {
	command_run conform,list || fail "$st_failed" "cannot list the cases" "krping log"
}

# select_cases: set chunks to the selected cases. Each word of chunks is a list of cases, the value
# of the option case for one command. The value has a maximum length, so there may be several words.
select_cases() {
	case ,$options, in
	*,case=*) usage "case excludes --group, --skip and --safe" ;;
	esac
	list_cases
	awk -v group="$group" -v skip="$skip" -v safe="$safe" -v groups="$safe_groups" -v not="$safe_not" \
		-f "$lib/value.awk" -f "$lib/conform-select.awk" "$tmp/short" >"$tmp/select"
	wrong=$(sed -n 's/^wrong //p' "$tmp/select")
	[ -z "$wrong" ] || usage "$wrong" "krping conform --list"
	chunks=$(sed -n 's/^chunk //p' "$tmp/select")
}

# run_selected: run the cases of each chunk, and join the results in $tmp/result. The server has
# to serve a client for each chunk.
run_selected() {
	worst=0
	: >"$tmp/parts"
	for _chunk in $chunks; do
		command=client,addr=$addr,conform,case=$_chunk${options:+,$options}
		run_client "$command"
		cat "$tmp/result" >>"$tmp/parts"
		# EBADE (52), for a deviation, yields to any other errno
		case $errno in
		0) ;;
		52) [ "$worst" != 0 ] || worst=52 ;;
		*) worst=$errno ;;
		esac
		# a result without cases means that the connection or the command has failed
		if [ "$interrupted" ] || ! grep -q '^case ' "$tmp/result"; then
			break
		fi
	done
	# if the last result has no cases, its errno is the reason why the run has ended
	awk -f "$lib/conform-join.awk" "$tmp/parts" >"$tmp/joined"
	if grep -q '^case ' "$tmp/result"; then
		errno=$worst
	fi
	mv "$tmp/joined" "$tmp/result"
}

# show_cases: print the cases of $tmp/result as KTAP, JSON, the module's lines, or text
show_cases() {
	if [ "$ktap" ]; then
		! grep -q '^case ' "$tmp/result" ||
			awk -f "$lib/value.awk" -f "$lib/conform-ktap.awk" ${expect:+"$expect"} "$tmp/result"
	elif [ "$json" ] || [ "$raw" ]; then
		print_result "$tmp/result" "$command"
	elif [ "$errno" = 0 ] || grep -q '^case ' "$tmp/result"; then
		awk -v errnos="$lib/errnos" -f "$lib/errno.awk" -f "$lib/value.awk" -f "$lib/conform.awk" "$tmp/result"
	fi
}

# save_verdicts: write the verdicts of $tmp/result to the file $save, in the form that --expect reads
save_verdicts() {
	awk -f "$lib/value.awk" -f "$lib/conform-save.awk" "$tmp/result" >"$tmp/verdicts"
	cp "$tmp/verdicts" "$save" || fail "$st_failed" "cannot write $save"
	say "$(counted "$(wc -l <"$tmp/verdicts" | tr -d ' ')" verdict) in $save"
}

# end_cases: end with the exit status that the verdicts yield
end_cases() {
	if [ "$expect" ] && grep -q '^case ' "$tmp/result"; then
		case $errno in
		# 5 and 52 stand for failed cases and deviations; any other errno has ended the run early
		0 | 5 | 52) ;;
		*) run_failed ;;
		esac
		whole=yes
		[ -z "$group$skip$safe" ] || whole=''
		case ,$options, in
		*,case=*) whole='' ;;
		esac
		# status 3: the server does not allow some cases, and nothing else differs
		awk -v whole="$whole" -f "$lib/value.awk" -f "$lib/conform-expect.awk" "$expect" "$tmp/result" >&2
		case $? in
		0) exit 0 ;;
		3)
			fail "$st_unsupported" "cases of $expect have no verdict" \
				"start the server with mem_mode=dma, or compare the other cases with --skip dma_key"
			;;
		esac
		fail "$st_worse" "the verdicts are not those of $expect"
	fi
	case $errno in
	0) exit 0 ;;
	52) deviates ;;
	esac
	run_failed
}

# deviates: end because devices have broken rules. The run itself has not failed, so print no "error:".
deviates() {
	_text="the run is complete: in $(grep -c '^case .* verdict=deviates ' "$tmp/result")"
	_text="$_text of $(counted "$(grep -c '^case ' "$tmp/result")" case) a device breaks the rule of the specification (verdict deviates)"
	_failed=$(grep -c '^case .* verdict=failed ' "$tmp/result")
	[ "$_failed" = 0 ] || _text="$_text, and $(counted "$_failed" case) could not be run (verdict failed)"
	say "$_text"
	say "next: conformance.md has the rules and the known deviations of rxe and siw, known-issues.md the reports about them;" \
		"--expect FILE accepts the verdicts in FILE"
	exit "$st_worse"
}

# run_failed: end with the exit status for errno, and print the error of the result
run_failed() {
	advise "$(detail_of "$tmp/result")"
	fail "$class" "${_detail:-$cmd has failed: $(words_of "$errno")}" "$next"
}
