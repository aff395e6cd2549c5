#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The scripts of krping conform select cases, join the results of several runs, print KTAP,
#   and compare a result with a file of verdicts. The scripts need no module for this.
# Requires: no guest; mawk, gawk, busybox
# Duration: 3 s

set -u
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=shells.inc
. tests/host/shells.inc

lib=scripts/krping.d

cat >"$tmp/list" <<'END'
result status=ok errno=0
case name=write_a group=keys source="x" needs=nothing expect="y"
case name=read_a group=keys source="x" needs=nothing expect="y"
case name=wraps group=bounds source="x" needs=nothing expect="y"
case name=post_a group=post source="x" needs=nothing expect="y"
END

cat >"$tmp/result" <<'END'
result id=2 status=failed errno=52
case name=one source="IBTA C9-222.1.1" verdict=ok expect="a" requester="a" responder="none" event="none" qp="b" bytes=unchanged
case name=two source="IBTA C10-56" verdict=deviates differs=event:bytes expect="error" requester="success" responder="none" event="none" qp="b" bytes=64@4160
case name=three source="x" verdict=unsupported
case name=four source="x" verdict=failed error=110 control=failed
conform ok=1 deviates=1 unsupported=1 failed=1
END

# select_of -v OPTION=VALUE...: print the cases that these options of krping conform select from the list
# above. The cases of one command form a line "chunk CASE:CASE...".
select_of() {
	awk "$@" -v groups="keys bounds" -v not="wraps" -f "$lib/value.awk" -f "$lib/conform-select.awk" "$tmp/list"
}

# The functions below without a comment are checks; each_check has their descriptions.

groups_and_cases() {
	eq "$(select_of -v group=post:read_a)" "chunk read_a:post_a" "group" &&
		eq "$(select_of -v skip=keys)" "chunk wraps:post_a" "skip" &&
		eq "$(select_of -v group=keys -v skip=read_a,post)" "chunk write_a" "group and skip"
}

safe() {
	eq "$(select_of -v safe=yes)" "chunk write_a:read_a" "selection"
}

unknown() {
	eq "$(select_of -v group=keys:nonsense)" "wrong --group: there is no case or group nonsense" group &&
		eq "$(select_of -v skip=nonsense)" "wrong --skip: there is no case or group nonsense" skip &&
		eq "$(select_of -v group=post -v safe=yes)" "wrong no case is left" nothing
}

# chunks: check that 20 names of 30 characters become several chunks, because the operand of an option has at
# most 255 characters
chunks() {
	seq 20 | awk '{ printf "case name=a_name_of_thirty_characters_%02d group=keys source=\"x\"\n", $1 }' >"$tmp/long"
	awk -v skip=a_name_of_thirty_characters_20 -f "$lib/value.awk" -f "$lib/conform-select.awk" "$tmp/long" >"$tmp/chunks"
	eq "$(awk '{ n = length($2) > n ? length($2) : n } END { print n <= 255 }' "$tmp/chunks")" 1 "fitting chunks" &&
		eq "$(sed 's/^chunk //' "$tmp/chunks" | tr ':' '\n' | wc -l)" 19 "number of cases"
}

join() {
	cat "$tmp/result" "$tmp/result" | awk -f "$lib/conform-join.awk" >"$tmp/joined"
	eq "$(grep -c '^case ' "$tmp/joined")" 8 "number of cases" &&
		eq "$(grep -c '^result ' "$tmp/joined")" 1 "number of results" &&
		eq "$(tail -n 1 "$tmp/joined")" "conform ok=2 deviates=2 unsupported=2 failed=2" sum
}

# join_errors: check that the joined result has the error of the run that failed
join_errors() {
	{
		cat "$tmp/result"
		printf '%s\n' 'result id=3 status=ok errno=0' 'case name=five source="x" verdict=ok' 'conform ok=1 deviates=0'
	} | awk -f "$lib/conform-join.awk" >"$tmp/joined"
	eq "$(head -n 1 "$tmp/joined")" "result id=2 status=failed errno=52" result &&
		eq "$(tail -n 1 "$tmp/joined")" "conform ok=2 deviates=1 unsupported=1 failed=1" sum
}

ktap() {
	awk -f "$lib/value.awk" -f "$lib/conform-ktap.awk" "$tmp/result" >"$tmp/out"
	cat >"$tmp/want" <<-'END'
		KTAP version 1
		1..4
		ok 1 one
		# source: IBTA C10-56
		# differs: event:bytes
		# expected: error
		# requester: success
		# responder: none
		# event: none
		# qp: b
		# bytes: 64@4160
		not ok 2 two
		ok 3 three # SKIP unsupported
		# source: x
		# errno: 110
		# control: failed
		not ok 4 four
	END
	diff -u "$tmp/want" "$tmp/out"
}

# verdicts DIFFERS: write the file of expected verdicts, in which the case two differs in the fields DIFFERS
verdicts() {
	printf '%s\t%s\t%s\n' '# case' verdict differs one ok - two deviates "$1" three unsupported - four failed - >"$tmp/verdicts.tsv"
}

ktap_expected() {
	verdicts event:bytes
	awk -f "$lib/value.awk" -f "$lib/conform-ktap.awk" "$tmp/verdicts.tsv" "$tmp/result" >"$tmp/out"
	grep -q '^ok 2 two # XFAIL deviates: event:bytes$' "$tmp/out" || return 1
	verdicts event
	awk -f "$lib/value.awk" -f "$lib/conform-ktap.awk" "$tmp/verdicts.tsv" "$tmp/result" >"$tmp/out"
	grep -q '^not ok 2 two$' "$tmp/out"
}

# compare WHOLE: compare the result with the file of verdicts; WHOLE is "yes" if all cases have run, or empty
compare() {
	awk -v whole="$1" -f "$lib/value.awk" -f "$lib/conform-expect.awk" "$tmp/verdicts.tsv" "$tmp/result" >"$tmp/out"
}

equal() {
	verdicts event:bytes
	compare yes && eq "$(cat "$tmp/out")" ""
}

other_verdict() {
	verdicts -
	sed -i 's/^two.*/two\tok\t-/' "$tmp/verdicts.tsv"
	! compare yes && eq "$(cat "$tmp/out")" "krping: two: deviates (event:bytes) instead of ok"
}

other_field() {
	verdicts event
	! compare yes && eq "$(cat "$tmp/out")" "krping: two: deviates (event:bytes) instead of deviates (event)"
}

# other_cases: check that a case of the file that is not in the result is a difference only if all cases have
# run, and that a case of the result that is not in the file is always a difference
other_cases() {
	verdicts event:bytes
	printf 'five\tok\t-\n' >>"$tmp/verdicts.tsv"
	! compare yes && eq "$(cat "$tmp/out")" "krping: five: no verdict instead of ok" && compare "" || return 1
	sed -i '/^one/d' "$tmp/verdicts.tsv"
	! compare "" && eq "$(cat "$tmp/out")" "krping: one: ok, which the file does not have"
}

# forbidden: check that a case which the server does not allow is neither equal nor a difference. If another case
# differs, the status is that of a difference. If the file also has "unsupported", the case is equal.
forbidden() {
	cp "$tmp/result" "$tmp/all"
	sed -i 's/^case name=three .*/& reason="the server runs without mem_mode=dma"/' "$tmp/result"
	verdicts event:bytes
	compare yes && eq "$(cat "$tmp/out")" "" "message if unsupported is expected" || return 1
	sed -i 's/^three.*/three\tok\t-/' "$tmp/verdicts.tsv"
	compare yes
	eq $? 3 "status" && eq "$(cat "$tmp/out")" \
		"krping: the server does not allow three: start it by krping server mem_mode=dma" || return 1
	sed -i 's/^two.*/two\tok\t-/' "$tmp/verdicts.tsv"
	compare yes
	eq $? 1 "status with a difference" && eq "$(wc -l <"$tmp/out")" 2 "number of messages" || return 1
	awk -f "$lib/value.awk" -f "$lib/conform-ktap.awk" "$tmp/result" >"$tmp/out"
	mv "$tmp/all" "$tmp/result"
	grep -q '^ok 3 three # SKIP the server runs without mem_mode=dma$' "$tmp/out"
}

# saved: check that the saved verdicts of the result are those that --expect accepts, without the failed case
saved() {
	awk -f "$lib/value.awk" -f "$lib/conform-save.awk" "$tmp/result" >"$tmp/verdicts.tsv"
	eq "$(tr '\t' ' ' <"$tmp/verdicts.tsv" | cut -d ' ' -f 1,2 | tr '\n' ' ')" \
		"one ok two deviates three unsupported " "saved verdicts" || return 1
	grep -v '^case name=four' "$tmp/result" >"$tmp/run"
	awk -v whole=yes -f "$lib/value.awk" -f "$lib/conform-expect.awk" "$tmp/verdicts.tsv" "$tmp/run" >"$tmp/out" ||
		why "$(cat "$tmp/out")"
}

# deviation: check the end of a run with deviations: krping does not call them an error, and states what to do next
deviation() {
	# shellcheck disable=SC2016 # for the other shell
	$shell -c 'lib=scripts/krping.d cmd=conform expect="" errno=52
		. $lib/common.sh; . $lib/proc.sh; . $lib/conform.sh
		tmp=$1; end_cases' sh "$tmp" >"$tmp/out" 2>&1
	eq $? 1 status || return 1
	{
		grep -qF "krping: the run is complete: in 1 of 4 cases a device breaks the rule of the specification (verdict deviates), and 1 case could not be run (verdict failed)" "$tmp/out" &&
			grep -q "^krping: next: conformance.md has " "$tmp/out" && ! grep error: "$tmp/out"
	} || why "$(cat "$tmp/out")"
}

# json: check that the JSON document has each case
json() {
	$shell scripts/krping show --json "$tmp/result" >"$tmp/out" || return 1
	tr -d '\n' <"$tmp/out" | grep -q '"cases":\[{"name":"one",.*},{"name":"two",.*},{"name":"three",.*},{"name":"four",[^]]*}\],"case":{"name":"four",' ||
		why "$(cat "$tmp/out")"
}

# refused STATUS TEXT ARGUMENT...: check that krping conform with these arguments prints TEXT and ends with
# STATUS
refused() {
	_status=$1 _text=$2
	shift 2
	$shell scripts/krping conform 192.0.2.1 "$@" >"$tmp/out" 2>&1
	eq $? "$_status" status && grep -qF -- "$_text" "$tmp/out"
}

wrong_options() {
	refused 2 "--json, --raw and --ktap exclude each other" --json --ktap &&
		refused 2 "there is no file" --expect "$tmp/none" &&
		refused 2 "has no verdicts" --expect "$tmp/list" &&
		refused 2 "cannot write $tmp/none/file" --save "$tmp/none/file" &&
		refused 2 "takes an operand" --group
}

# each_check: make all checks under one pair of a shell and an awk, which $under names
each_check() {
	check "--group and --skip take groups and cases: $under" groups_and_cases
	check "--safe leaves out groups and single cases: $under" safe
	check "a name that no case has is refused: $under" unknown
	check "many cases become several commands: $under" chunks
	check "results of several commands are joined: $under" join
	check "a joined result has the error of a command that failed: $under" join_errors
	check "KTAP: a line for each verdict: $under" ktap
	check "KTAP: a deviation is XFAIL only if it is the expected one: $under" ktap_expected
	check "--expect accepts equal verdicts: $under" equal
	check "--expect reports another verdict: $under" other_verdict
	check "--expect reports that another field deviates: $under" other_field
	check "--expect reports a case without a result, and one without an expected verdict: $under" other_cases
	check "--expect and KTAP report a case that the server does not allow: $under" forbidden
	check "--save writes the verdicts that --expect accepts: $under" saved
	check "a run with deviations is complete, and no error: $under" deviation
	check "the JSON document has each case: $under" json
	check "wrong options of conform are refused: $under" wrong_options
}

PATH=$tmp/awk:$PATH
each_shell each_check

t_end
