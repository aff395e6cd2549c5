#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: After a reset of the machine in the middle of a sweep, the same command continues the sweep.
# Requires: two guests that the subject boots with scripts/vm, one after the other; the kernel stock, which has 9p
# Duration: 30 s on rxe

cd "${0%/*}/../.." || exit 1
# shellcheck source=../lib-host.sh
. tests/lib-host.sh

[ "$KERNEL" = stock ] || skip_all "runs with the kernel stock only, which has 9p for scripts/vm --share"
[ "$TYPE" = rxe ] || skip_all "runs on rxe only: a reset does not depend on the device"

mkdir "$tmp/share"
out=$tmp/share/out
cat >"$tmp/command" <<'END'
sweep() {
	scripts/sweep --addr 10.0.0.1 --local --kinds rlat,bw --sizes 1,4k --modes dma --depths 4 --duration 1 share/out
}
if [ "$1" = continue ]; then
	sweep
	exit
fi
sweep &
tries=1000
until [ "$(grep -c '^# end$' share/out/results.txt)" -ge 2 ]; do
	tries=$((tries - 1))
	[ $tries -gt 0 ] || exit 1
	sleep 0.1
done
# the machine restarts at once: no process ends, and no file system is written
echo b >/proc/sysrq-trigger
sleep 60
END

# guest WORD: boot a guest that runs the sweep; WORD is reset or continue
guest() {
	scripts/vm ${KRPING_KO:+--krping "$KRPING_KO"} --kernel "$KERNEL" --device "$TYPE" --timeout 600 \
		--share "$tmp/share" --file scripts/sweep:scripts/sweep --file scripts/lib.sh:scripts/lib.sh \
		--file scripts/krping.d:scripts/krping.d --file awkit --file "$tmp/command:command" \
		-- "sh ./command $1" >"$tmp/$1" 2>&1
}

# is_reset: check that the guest ends without an exit status in the middle of its sweep
is_reset() {
	guest reset
	eq $? 126 status || why "$(cat "$tmp/reset")" || return 1
	before=$(grep -c '^# end$' "$out/results.txt")
	if [ "$before" -lt 2 ] || [ "$before" -ge 4 ]; then
		why "$before results before the reset"
		return 1
	fi
	cp "$out/results.txt" "$tmp/before"
}

# continues: check that the same command measures the rest, and names the number of results that exist
continues() {
	guest continue || why "$(cat "$tmp/continue")" || return 1
	grep -qF "$before of 4 results exist already" "$tmp/continue" || why "$(cat "$tmp/continue")" || return 1
	eq "$(grep -c '^# end$' "$out/results.txt")" 4 results && eq "$(wc -l <"$out/results.tsv")" 5 "lines of the table"
}

# keeps: check that the results from before the reset are the same after it
keeps() {
	awk '{ print } /^# end$/ && ++n == wanted { exit }' wanted="$before" "$tmp/before" >"$tmp/whole"
	head -n "$(wc -l <"$tmp/whole")" "$out/results.txt" | cmp - "$tmp/whole"
}

check "a reset ends a sweep that has some of its results" is_reset
check "after the reset the same command continues the sweep" continues
check "the sweep keeps the results from before the reset" keeps

t_end
