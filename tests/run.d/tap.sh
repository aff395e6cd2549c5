# shellcheck shell=bash disable=SC2034,SC2154 # tests/run and its other parts use the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Merge the TAP of all subjects, which are test files, and print the summary. Part of tests/run.

nr=0
passed=0
failed=0
skipped=0

# for the summary: "SUBJECT PASSED FAILED SKIPPED SECONDS" of each subject, and the failed checks
summary=()
failures=()
# file with the kernel log of the guest whose output is handled; empty if --log is not given
log=

# result ok|"not ok" DESC: print a check with the next number, and count it
result() {
	nr=$((nr + 1))
	printf '%s %d - %s\n' "$1" $nr "$2"
	case $1,$2 in
	"not ok",*)
		failed=$((failed + 1))
		failures+=("$nr - $2${log:+ ($log)}")
		;;
	*"# SKIP"* | *"# skip"*) skipped=$((skipped + 1)) ;;
	*) passed=$((passed + 1)) ;;
	esac
}

# with SUBJECT:NAME on the command line: descriptions of the subject's checks that match NAME
declare -A matching=()

# begin SUBJECT: announce a subject, and reset the state that line() and end() keep of it, such as cause: why its
# guest died, in the words of scripts/vm
begin() {
	subject=$1
	seen=0
	bad=0
	plan=
	last=
	cause=
	matching=()
	exact=
	began=$SECONDS
	before=("$passed" "$failed" "$skipped")
	subject_nr=$((subject_nr + 1))
	echo "# $subject"
	[ -z "$progress" ] || say "$subject ($subject_nr of $subjects_in_all, $SECONDS s)"
}

# wanted DESC: check whether the command line requests the check DESC: it has no NAME (of SUBJECT:NAME), or
# DESC contains NAME. Keep such a DESC in matching. lib-tap.sh itself skips the checks that are not
# requested, but some subjects do not use lib-tap.sh. Always succeed for the line of a skipped subject and
# for a hang.
wanted() {
	local desc=$1
	case $desc in
	"all # SKIP"* | *"# hangs") return 0 ;;
	*"$only"*) ;;
	*) return 1 ;;
	esac
	[ "$only" ] || return 0
	desc=${desc%% # *}
	[ "$desc" != "$only" ] || exact=yes
	matching[$desc]=yes
}

# line TEXT: handle a line of output of a subject
line() {
	local how
	case $1 in
	"ok "[0-9]* | "not ok "[0-9]*)
		[[ $1 =~ ^(ok|not ok)\ [0-9]+(\ -)?\ *(.*)$ ]]
		last=${BASH_REMATCH[3]}
		seen=$((seen + 1))
		how=${BASH_REMATCH[1]}
		wanted "$last" || return 0
		[ "$how" = ok ] || bad=$((bad + 1))
		result "$how" "$subject: $last"
		;;
	1..[0-9]*) plan=${1#1..} ;;
	"TAP version"*) ;;
	"vm: "*": the kernel had trouble"* | "vm: "*": ended without a report"* | "vm: "*": killed at"*)
		cause=${1#vm: }
		printf '# %s\n' "$1"
		;;
	"#"*) printf '%s\n' "$1" ;;
	*) printf '# %s\n' "$1" ;;
	esac
}

# end STATUS [SECONDS]: handle the end of a subject after SECONDS; STATUS is its exit status, or "died".
# Report a failure if the plan, the number of checks or STATUS is wrong.
end() {
	plan=${plan%% *}
	if [ -z "$plan" ]; then
		result "not ok" "$subject: ended without a plan, with status $1${last:+, after \"$last\"}${cause:+; $cause}"
	elif [ "$plan" != "$seen" ]; then
		result "not ok" "$subject: printed $seen tests, and its plan has $plan"
	elif [ "$only" ] && ((!${#matching[@]})); then
		result "not ok" "no check of $subject matches '$only'"
	elif [ "$only" ] && [ -z "$exact" ] && ((${#matching[@]} > 1)); then
		result "not ok" "${#matching[@]} checks of $subject match '$only'"
	elif ((seen == 0)); then
		result "not ok" "$subject: had no test"
	elif [ "$1" != 0 ] && ((bad == 0)) && [ -z "$only" ]; then
		result "not ok" "$subject: ended with status $1"
	fi
	echo "# $subject: ${2:-$((SECONDS - began))} s"
	summary+=("$subject $((passed - before[0])) $((failed - before[1])) $((skipped - before[2])) ${2:-$((SECONDS - began))}")
	subject=
}

# summarise: if there were several subjects, print a table of them, and repeat the failed checks
summarise() {
	((${#summary[@]} > 1)) || return 0
	printf '%s\n' "subject passed failed skipped seconds" "${summary[@]}" |
		awk '{ printf "# %-28s %8s %8s %8s %8s\n", $1, $2, $3, $4, $5 }'
	((!${#failures[@]})) || printf '# failed: %s\n' "${failures[@]}"
}

# finish: print the summary and the plan, and exit; fail if a check has failed or none has passed
finish() {
	summarise
	printf '1..%d\n' $nr
	printf '%d passed, %d failed, %d skipped\n' $passed $failed $skipped
	((passed > 0 && failed == 0))
	exit
}

# prepare DESC COMMAND...: run a command that the tests need. If it fails, print the end of its
# output, and finish the run.
prepare() {
	local desc=$1 output
	shift
	output=$("$@" 2>&1) && return
	printf '%s\n' "$output" | tail -n 40 | sed 's/^/# /'
	result "not ok" "prepare: $desc"
	finish
}
