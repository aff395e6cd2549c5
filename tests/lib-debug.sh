# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# For guests of the debug kernel: leaks. Sourced. POSIX sh.

KMEMLEAK=/sys/kernel/debug/kmemleak

# module_range NAME: MODULE_START and MODULE_END are where its code is; the low
# half of the addresses, as numbers: all modules have the same high half, and the
# whole is too large for the shell
module_range() {
	MODULE_START='' MODULE_END=''
	while read -r _name _size _ _ _ _start _; do
		[ "$_name" = "$1" ] || continue
		MODULE_START=$((0x${_start#0xffffffff}))
		MODULE_END=$((MODULE_START + _size))
	done </proc/modules
	[ -n "$MODULE_START" ]
}

# leaks_of NAME: print the records that have code of this module in them, by its
# name, or by an address of module_range if it is not there any more
leaks_of() {
	awk -v name="\\\\[$1\\\\]" -v start="${MODULE_START:-0}" -v end="${MODULE_END:-0}" '
		function hex(s,    i, n) {
			for (i = 1; i <= length(s); i++)
				n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
			return n
		}
		function flush() {
			if (hit)
				printf "%s", record
			record = ""
			hit = 0
		}
		/^unreferenced object/ { flush() }
		{ record = record $0 "\n" }
		$0 ~ name { hit = 1 }
		match($0, /0xffffffff[0-9a-f]+/) && RLENGTH == 18 {
			at = hex(substr($0, RSTART + 10, 8))
			if (at >= start && at < end)
				hit = 1
		}
		END { flush() }' $KMEMLEAK
}

# leak_scan: what is unreferenced at a scan must still be at the next one, and must
# be five seconds old
leak_scan() {
	sleep 6
	echo scan >$KMEMLEAK
	echo scan >$KMEMLEAK
}

# no_leak: none that krping's code has to do with, behind module_range. T_WHY says which.
no_leak() {
	leak_scan
	T_WHY=$(leaks_of rdma_krping)
	[ -z "$T_WHY" ]
}

# leaves_nothing: no leak once the module has gone, which is then loaded again
leaves_nothing() {
	kr_stop
	until_ok 60 kr_none && module_range rdma_krping && rmmod rdma_krping || return 1
	no_leak
	_ret=$?
	insmod "$KR_KO" && return $_ret
}
