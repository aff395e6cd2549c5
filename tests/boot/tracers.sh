#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Boot a guest that runs the trace-cmd session and the bpftrace program of
#   Documentation/troubleshooting.md. tests/boot/guest/tracers.sh has the checks.
# Requires: a guest with any device, which this file boots with scripts/vm; bpftrace, trace-cmd
# Duration: 30 s
# Runs: by name, so only if the command line of tests/run names this file or its group

cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=../lib-host.sh
. tests/lib-host.sh

for program in bpftrace trace-cmd; do
	command -v "$program" >/dev/null || skip_all "$program is not installed: see scripts/deps trace"
done
[ -z "${KRPING_KO-}" ] || set -- --krping "$KRPING_KO"
# Copy the document's line for each program to a file. The line for trace-cmd has two commands.
for program in trace-cmd bpftrace; do
	sed -n "s/^    \($program .*\)/\1/p" Documentation/troubleshooting.md >"$tmp/$program.line"
done
# One CPU: tracers make the kernel rewrite its own code, and in QEMU's emulation another CPU sometimes hangs
# meanwhile.
scripts/vm "$@" --kernel "$KERNEL" --device "$TYPE" --cpus 1 --mem 2048 --timeout 600 \
	--bin bpftrace --bin trace-cmd --file tests/lib-tap.sh --file tests/lib-krping.sh --file tests/lib-krping \
	--file tests/boot/guest --file tests/guest/cli.inc:guest/cli.inc --file "$tmp/trace-cmd.line" \
	--file "$tmp/bpftrace.line" --file scripts/krping:scripts/krping --file scripts/krping.d:scripts/krping.d \
	--file "$PROGRAMS/tools/kwrite":/usr/bin/kwrite -- 'sh guest/tracers.sh'
