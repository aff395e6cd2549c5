#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping compare refuses runs with different settings, and names the settings. If one side
#   lacks a setting, compare assumes the default of the option. If the option has no constant default,
#   compare reports a difference.
# Requires: no guest; mawk, gawk, busybox
# Duration: 20 s

set -u
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=shells.inc
. tests/host/shells.inc
# shellcheck source=compare.inc
. tests/host/compare.inc

results clock wlat clocksource=hpet 4400 4450 4500 4420

# The functions below without a comment are checks; each_check has their descriptions.

clock_differs() {
	compare 2 "$tmp/old" "$tmp/clock" && said "config clocksource: tsc in OLD, hpet in NEW" &&
		eq "$(cat "$tmp/out")" ""
}
forced() {
	compare 1 "$tmp/old" "$tmp/clock" --force &&
		grep -qF "differs: config clocksource: tsc in OLD, hpet in NEW" "$tmp/out"
}
kernel_differs() {
	sed 's/kernel=6.1.0/kernel=6.2.0/' "$tmp/slow" >"$tmp/kernel"
	compare 2 "$tmp/old" "$tmp/kernel" && said "kernel: 6.1.0 in OLD, 6.2.0 in NEW"
}
path_differs() {
	sed 's/mtu=1024/mtu=4096/' "$tmp/slow" >"$tmp/path"
	compare 2 "$tmp/old" "$tmp/path" && said "path mtu: 1024 in OLD, 4096 in NEW"
}
peer_differs() {
	sed '/^config /p; s/^config .*/peer_config poll=1/' "$tmp/old" >"$tmp/peer1"
	sed '/^config /p; s/^config .*/peer_config poll=0/' "$tmp/old" >"$tmp/peer2"
	compare 2 "$tmp/peer1" "$tmp/peer2" && said "peer_config poll: 1 in OLD, 0 in NEW"
}
lengths() {
	sed 's/^config .*/& count=100 duration=0 retry=7/' "$tmp/old" >"$tmp/short"
	sed 's/^config .*/& count=0 duration=10 retry=7/' "$tmp/slow" >"$tmp/long"
	compare 1 "$tmp/short" "$tmp/long" &&
		grep -qx "the tests have other lengths: 100 iterations in OLD, 10 s in NEW" "$tmp/out" || return 1
	sed -i 's/ count=0/ count=100/' "$tmp/long"
	compare 0 "$tmp/long" "$tmp/long" && ! grep "other lengths" "$tmp/out" || return 1
	sed -i 's/ retry=7/ retry=6/' "$tmp/long"
	compare 2 "$tmp/short" "$tmp/long" && said "config retry: 7 in OLD, 6 in NEW"
}
# keys A B: write $tmp/without, the results old with the keys A added to their line config, and $tmp/with, the
# results slow with the keys B added
keys() {
	sed "s/^config .*/& $1/" "$tmp/old" >"$tmp/without"
	sed "s/^config .*/& $2/" "$tmp/slow" >"$tmp/with"
}
# new_key: compare results of a new version of krping with results of an older version, which lacks some
# options. For a key that the older results lack, compare must assume the default of the option.
new_key() {
	keys "" "share=0 stride=0 rate=0 retry=7 cq=softirq atomic=none qps=1"
	compare 1 "$tmp/without" "$tmp/with" && ! grep differs "$tmp/out" "$tmp/err" &&
		compare 0 "$tmp/with" "$tmp/without" || return 1
	for pair in share=1:0 stride=4096:0 rate=100:0 retry=6:7 cq=workqueue:softirq atomic=cas:none qps=4:1; do
		key=${pair%%=*} value=${pair#*=}
		keys "" "$key=${value%:*}"
		compare 2 "$tmp/without" "$tmp/with" && said "config $key: ${value#*:} in OLD, ${value%:*} in NEW" &&
			compare 2 "$tmp/with" "$tmp/without" && said "config $key: ${value%:*} in OLD, ${value#*:} in NEW" ||
			return 1
	done
}
# unknown_default: compare two results, of which only one has a key without a constant default. The default
# depends on the device or on other options, or the key exists only if a command sets it.
unknown_default() {
	for key in reads=1 tos=0 cpu=0 batch=16; do
		keys "" "$key"
		compare 2 "$tmp/without" "$tmp/with" && said "config ${key%=*}: absent in OLD, ${key#*=} in NEW" || return 1
	done
	sed 's/^path .*/& vlan=5/' "$tmp/old" >"$tmp/vlan"
	compare 2 "$tmp/vlan" "$tmp/old" && said "path vlan: 5 in OLD, absent in NEW"
}
# local_follows: compare results with and without inline data, of which only the latter have the key local. A
# local of two values, and one whose inline does not differ, are differences.
local_follows() {
	for line in config peer_config; do
		sed "s/^config .*/&\n$line inline=0 local=dma/" "$tmp/old" >"$tmp/without"
		sed "s/^config .*/&\n$line inline=1/" "$tmp/slow" >"$tmp/with"
		compare 2 "$tmp/without" "$tmp/with" && said "$line inline: 0 in OLD, 1 in NEW" &&
			! grep local: "$tmp/err" &&
			compare 2 "$tmp/with" "$tmp/without" && said "$line inline: 1 in OLD, 0 in NEW" &&
			! grep local: "$tmp/err" || return 1
		sed -i 's/inline=1/inline=1 local=reg/' "$tmp/with"
		compare 2 "$tmp/without" "$tmp/with" && said "$line local: dma in OLD, reg in NEW" || return 1
		sed -i 's/inline=1 local=reg/inline=0/' "$tmp/with"
		compare 2 "$tmp/without" "$tmp/with" && said "$line local: dma in OLD, absent in NEW" || return 1
	done
}
# mixed_versions: let OLD have results with a key and, from an older krping, results without this key
mixed_versions() {
	keys "" "share=0"
	cat "$tmp/old" "$tmp/with" >"$tmp/mixed"
	compare 0 "$tmp/mixed" "$tmp/without" || return 1
	keys "" "share=1"
	cat "$tmp/old" "$tmp/with" >"$tmp/mixed"
	compare 2 "$tmp/mixed" "$tmp/without" && said "config share: 1, 0 in OLD, 0 in NEW"
}
absent() {
	for line in config path; do
		grep -v "^$line " "$tmp/old" >"$tmp/ancient"
		compare 2 "$tmp/ancient" "$tmp/slow" && said "differs: $line: absent in OLD" &&
			compare 2 "$tmp/slow" "$tmp/ancient" && said "differs: $line: absent in NEW" &&
			compare 1 "$tmp/ancient" "$tmp/slow" --force && row "differs: $line: absent in OLD" || return 1
	done
	grep -v '^when ' "$tmp/old" >"$tmp/ancient"
	compare 2 "$tmp/ancient" "$tmp/slow" && said "kernel: absent in OLD, 6.1.0 in NEW" || return 1
	grep -vE '^(path|when|config) ' "$tmp/slow" >"$tmp/ancient2"
	grep -vE '^(path|when|config) ' "$tmp/old" >"$tmp/ancient"
	compare 1 "$tmp/ancient" "$tmp/ancient2"
}
# each_check: make all checks under one pair of a shell and an awk, which $under names
each_check() {
	check "another clocksource is refused and named: $under" clock_differs
	check "--force compares and names what differs: $under" forced
	check "another kernel is refused: $under" kernel_differs
	check "another path is refused: $under" path_differs
	check "another peer_config is refused: $under" peer_differs
	check "compare accepts runs with another count and duration, and refuses runs with another retry: $under" lengths
	check "a key that one side lacks counts as its default: $under" new_key
	check "if one side lacks a key without a constant default, compare reports a difference: $under" unknown_default
	check "a local that one side lacks is no difference if inline differs: $under" local_follows
	check "results of two versions in one file are compared by their keys: $under" mixed_versions
	check "a line that one side lacks is a difference: $under" absent
}

PATH=$tmp/awk:$PATH
each_shell each_check

t_end
