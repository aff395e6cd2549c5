#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The table of scripts/bench has medians, ratios with their ranges, and bars (required
#   ratios). Some rows signal WRs and choose addresses as perftest does. scripts/bench --disk measures
#   krping's disk beside nvme-rdma, bw and null_blk.
# Requires: a guest that the subject boots with scripts/vm, fio
# Duration: 40 s

set -u
cd "$(dirname "$0")/../.." || exit 1
: "${KERNEL:=stock}"
export KERNEL
# shellcheck source=../lib-host.sh
. tests/lib-host.sh

need fio
need_module nvme-rdma
need_module nvmet-rdma
need_module null_blk

#
# The table
#

# shellcheck disable=SC2034 # for bench-table
dev=rxe0 rounds=3 only=
# shellcheck source=../../scripts/guest/bench-table
. scripts/guest/bench-table

# figures ROW METRIC OURS THEIRS...: add the figures of several rounds, for each round a pair OURS THEIRS
figures() {
	_row=$1
	_metric=$2
	shift 2
	round=0
	while [ $# -gt 0 ]; do
		round=$((round + 1))
		printf '%s %s %s %s %s\n' "$_row" "$_metric" ours $round "$1" \
			"$_row" "$_metric" theirs $round "$2" >>"$tmp/figures"
		shift 2
	done
}

# shows REGEX: check that a line of the table matches
shows() {
	cat "$tmp/table"
	grep -qE "^$1\$" "$tmp/table"
}

figures fast mean_usec 30 100 20 100 90 100
figures slow mean_usec 50 100 40 100 60 100
figures high io_per_sec 250 100 200 100 300 100
figures low io_per_sec 100 100 190 100 150 100
figures free io_per_sec 10 20 10 20 10 20
cat >"$tmp/bars" <<-END
	fast mean_usec 0.35
	slow mean_usec 0.35
	high io_per_sec 2.5
	low io_per_sec 2.0
END
print_table >"$tmp/table"

check "bench: a time below its bar is met, with the median and the range of the ratios" \
	shows 'fast +mean_usec +30\.0 +100\.0 +0\.30 +\(0\.20-0\.90\) +<= 0\.35  met'
check "bench: a time above its bar is missed" \
	shows 'slow +mean_usec +50\.0 +100\.0 +0\.50 +\(0\.40-0\.60\) +<= 0\.35  MISSED'
check "bench: a rate at its bar is met" \
	shows 'high +io_per_sec +250\.0 +100\.0 +2\.50 +\(2\.00-3\.00\) +>= 2\.5  met'
check "bench: a rate below its bar is missed" \
	shows 'low +io_per_sec +150\.0 +100\.0 +1\.50 +\(1\.00-1\.90\) +>= 2\.0  MISSED'
check "bench: a row without a bar has its ratio" \
	shows 'free +io_per_sec +10\.0 +20\.0 +0\.50 +\(0\.50-0\.50\) *'

#
# The rows
#

# has_row ROW PROGRAM CLIENT SERVER: check that ROW compares PROGRAM with a test of krping whose client and
# server have these options
has_row() {
	scripts/bench --list >"$tmp/list" || return 1
	grep -qx "$(printf '%s\t%s\t%s\t%s' "$@")" "$tmp/list" || {
		cat "$tmp/list"
		return 1
	}
}

# The option cqmod=1 has an effect only on the side that has the option, so both sides have it.
check "bench: the row wlat compares krping's default signaling with ib_write_lat" \
	has_row wlat 'ib_write_lat -s 64' wlat,inline ,poll,inline
check "bench: wlat_signaled signals each WR on both sides, as ib_write_lat does" \
	has_row wlat_signaled 'ib_write_lat -s 64' wlat,inline,cqmod=1 ,poll,inline,cqmod=1
check "bench: slat_signaled signals each WR on both sides, as ib_send_lat does" \
	has_row slat_signaled 'ib_send_lat -s 64' slat,inline,cqmod=1 ,poll,inline,cqmod=1
check "bench: bw_64_stride uses the addresses of ib_write_bw, 64 operations in a page" \
	has_row bw_64_stride 'ib_write_bw -s 64 -t 64' bw,stride=64,txdepth=64 ''

#
# One round
#

# measured: check that one round of three rows prints a figure for each
measured() {
	RUNTIME=2 scripts/bench --disk 1 read_4k_qd1 write_4k_bw read_4k_null >"$tmp/table" 2>"$tmp/log" || {
		cat "$tmp/log"
		return 1
	}
	_number='[1-9][0-9]*\.[0-9]'
	shows "read_4k_qd1 +mean_usec +$_number +$_number +.*" &&
		shows "write_4k_bw +io_per_sec +$_number +$_number +.*" &&
		shows "read_4k_null +io_per_sec +$_number +$_number +.*" &&
		[ "$(grep -cE '^(read|write)_' "$tmp/table")" = 3 ]
}
check "bench --disk measures the chosen rows beside nvme-rdma, bw and null_blk" measured

t_end
