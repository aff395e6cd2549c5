#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The command krping conform runs selected cases, prints KTAP, and compares its
#   verdicts with those in a file. The checks run krping under dash, bash and busybox.
# Requires: one guest with any device
# Duration: 30 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=cli.inc
. "${0%/*}/cli.inc"
# Functions of cli.inc: ends STATUS ARGUMENT... runs the command krping and checks its exit status, prints REGEX
# checks its output, explains TEXT its standard error. serve starts krping server, and served ends it.

port=17400
# Cases whose verdict is the same on rxe, on siw and on each kernel.
VERDICTS=$T_TMP/verdicts.tsv
printf '%s\t%s\t%s\n' '# case' verdict differs \
	zero_write_bad_key ok - zero_read_bad_key ok - post_bad_opcode ok - >"$VERDICTS"

# conform STATUS OPTION...: run krping conform against a new server, and check its exit status
conform() {
	_status=$1
	shift
	port=$((port + 1))
	kr_bg cases "server,addr=$ADDR,port=$port,clients=0" || return 1
	ends "$_status" conform "$ADDR" --port $port "$@"
	_conformed=$?
	kr_result cases && kr "stop,id=$(kr_get id)" && kr_ended cases ECANCELED && return $_conformed
}

# The list of checks at the end of this file states what each of these functions checks.

selected() {
	conform 0 --raw --group zero:post_bad_opcode --skip zero_write_imm_bad_key &&
		eq "$(sed -n 's/^case name=\([^ ]*\) .*/\1/p' "$OUT" | tr '\n' ' ')" \
			"zero_write_bad_key zero_read_bad_key post_bad_opcode " cases &&
		prints '^conform ok=3 deviates=0 unsupported=0 failed=0$'
}

# The list of the selected cases exceeds the length of a command, so krping conform writes several
# commands.
several_commands() {
	ends 0 conform --list || return 1
	_cases=$(grep -cE '^(post|flush|zero) ' "$OUT")
	conform 0 --raw --group post:flush:zero:local --skip local --expect "$T_TMP/all.tsv" &&
		eq "$(grep -c '^case ' "$OUT")" "$_cases" "number of cases" &&
		eq "$(grep -c '^conform ' "$OUT")" 1 "number of summary lines"
}

safe() {
	conform 0 --raw --safe --group zero_write_bad_key:post_bad_opcode &&
		eq "$(sed -n 's/^case name=\([^ ]*\) .*/\1/p' "$OUT")" zero_write_bad_key cases
}

ktap() {
	conform 0 --ktap --group zero_write_bad_key:post_bad_opcode &&
		eq "$(cat "$OUT")" "KTAP version 1
1..2
ok 1 zero_write_bad_key
ok 2 post_bad_opcode" output
}

expected() {
	conform 0 --json --group zero_write_bad_key --expect "$VERDICTS" && prints '"verdict":"ok"'
}

unexpected() {
	sed 's/^zero_write_bad_key.*/zero_write_bad_key\tdeviates\tbytes/' "$VERDICTS" >"$T_TMP/other.tsv"
	conform 1 --group zero_write_bad_key --expect "$T_TMP/other.tsv" &&
		explains "zero_write_bad_key: ok instead of deviates (bytes)" &&
		explains "the verdicts are not those of"
}

# The first run saves its verdicts, and the second run must have the same.
saved() {
	conform 0 --group zero_write_bad_key:post_bad_opcode --save "$T_TMP/saved.tsv" &&
		eq "$(tr '\t' ' ' <"$T_TMP/saved.tsv")" "zero_write_bad_key ok -
post_bad_opcode ok -" "saved verdicts" && explains "2 verdicts in $T_TMP/saved.tsv" &&
		conform 0 --group zero_write_bad_key:post_bad_opcode --expect "$T_TMP/saved.tsv"
}

# The server of these checks runs without mem_mode=dma, so the cases of the group dma_key have no verdict. If the
# file expects a verdict of such a case, krping conform ends with status 10.
not_allowed() {
	{
		cat "$VERDICTS"
		printf 'dma_key_of_other_pd\tok\t-\n'
	} >"$T_TMP/dma.tsv"
	conform 10 --group zero_write_bad_key:dma_key_of_other_pd --expect "$T_TMP/dma.tsv" &&
		explains "the server does not allow dma_key_of_other_pd: start it by krping server mem_mode=dma" &&
		prints '^unsupported dma_key_of_other_pd: the server runs without mem_mode=dma ' &&
		conform 0 --group zero_write_bad_key:dma_key_of_other_pd --skip dma_key --expect "$T_TMP/dma.tsv"
}

refused() {
	ends 2 conform "$ADDR" --group nonsense && explains "there is no case or group nonsense" &&
		ends 2 conform "$ADDR" --safe case=keys && explains "case excludes --group, --skip and --safe"
}

nobody() {
	ends 5 conform "$ADDR" --port 17399 --ktap --group zero --expect "$VERDICTS" &&
		eq "$(cat "$OUT")" "" output
}

series=$(uname -r | cut -d . -f 1,2)
EXPECTED=${0%/*}/../conform/expected/$TYPE-$series.tsv
# checks: make all checks with the shell $shell
checks() {
	check "conform --group, --skip: the selected cases run: $shell" selected
	if [ -e "$EXPECTED" ]; then
		cp "$EXPECTED" "$T_TMP/all.tsv"
		check "conform --skip: a long list runs in several commands: $shell" several_commands
	else
		skip "conform --skip: a long list runs in several commands: $shell" "there is no $TYPE-$series.tsv"
	fi
	check "conform --safe leaves out malformed requests: $shell" safe
	check "conform --ktap: a line for each case: $shell" ktap
	check "conform --expect: equal verdicts are status 0: $shell" expected
	check "conform --expect: another verdict is status 1: $shell" unexpected
	check "conform --save writes the verdicts for --expect: $shell" saved
	check "conform --expect: a case that the server does not allow is status 10: $shell" not_allowed
	check "conform: wrong selections are refused: $shell" refused
	check "conform: without a server the status is 5, and nothing is printed: $shell" nobody
}
under_shells checks

t_end
