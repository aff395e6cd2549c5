# shellcheck shell=bash disable=SC2034,SC2154 # tests/run and its other parts use the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Boot a guest with all files that its subjects (test files) need. Part of tests/run.

# boot_guest GROUP TYPE SUBJECT...: run subjects of GROUP in a guest with a device of this TYPE; those of
# the group two run in the first of two guests
boot_guest() {
	local group=$1 type=$2 args=() kmod limit
	shift 2
	limit=$((subject_limit * ($# + 1)))
	# On this kernel few subjects take long: 20 s on average, and several times that on a slow machine.
	[ "$kernel" != stock ] || limit=$((subject_limit * 2 + 120 * $#))
	args=(--kernel "$kernel" --device "$type" --timeout "$limit"
		"${environment[@]}" --file tests/lib-tap.sh
		--file tests/lib-krping.sh --file tests/lib-krping
		--file tests/lib-peer.sh --file tests/lib-peer
		--file "tests/$group" --file tests/run-guest
		--file tests/run.d/late.sh:run.d/late.sh
		--file "$programs/tools/kwrite":/usr/bin/kwrite --file "$programs/hostile/krping-peer":/usr/bin/krping-peer)
	# A check prints nothing for 1200 s at most, or 9000 s on the debug kernel: see T_LIMIT and check_within.
	# --idle needs CPU time in the guest, and so would change the instruction counts of the group calibration.
	# The group two runs with --pair, which excludes --idle.
	[ "$group" = calibration ] || [ "$group" = two ] ||
		args+=(--idle "$([ "$kernel" = debug ] && echo 10000 || echo 1350)")
	[ -z "$logs" ] || args+=(--log "$logs/$group-$type.log")
	[ -z "$krping" ] || args+=(--krping "$krping")
	for kmod in "${guest_kmods[@]}"; do
		[ ! -e "tests/kmod/$kmod.ko" ] ||
			args+=(--file "tests/kmod/$kmod.ko:/lib/modules/extra/$kmod.ko")
	done
	[ "$kernel" != debug ] || args+=(--file "tests/debug/leaks.inc:$group/leaks.inc"
		--file "tests/debug/leak.sh:$group/leak.sh")
	if [ "$group" = debug ]; then
		[ "$kernel" != debug ] || args+=(--file build/kunit:kunit
			--append kunit.enable=1)
		# Use one CPU: krping_fault patches functions, and meanwhile another CPU of an
		# emulated machine sometimes hangs. Use little memory, which kmemleak scans faster.
		scripts/vm "${args[@]}" --cpus 1 --mem 1024 \
			--module tests/kmod/krping_fault.ko \
			tests/run-guest "$group" "$subject_limit" "$@"
		return
	fi
	if [ "$group" = guest ] || [ "$group" = lab ]; then
		! kernel_has 8021q || args+=(--module 8021q)
		# The dd of busybox has an unaligned buffer for blocks smaller than a page. The kernel rejects direct
		# I/O with this buffer, and then the dd of busybox falls back to the page cache.
		scripts/vm "${args[@]}" --module tests/kmod/krping_delay.ko \
			--file tests/conform --file scripts/lib.sh:scripts/lib.sh \
			--file scripts/sweep:scripts/sweep --file awkit --bin rping --bin dd \
			--file scripts/krping:scripts/krping --file scripts/krping.d:scripts/krping.d \
			--file scripts/softrdma:scripts/softrdma \
			--file scripts/plot:scripts/plot --file scripts/report:scripts/report \
			--file scripts/hardware-report:scripts/hardware-report --bin bash \
			--bin setpriv --module veth --file "$programs/hostile/kstorm":/usr/bin/kstorm \
			tests/run-guest "$group" "$subject_limit" "$@"
		return
	fi
	if [ "$group" = calibration ]; then
		local module
		for module in sch_netem sch_tbf sch_prio cls_u32 act_gact act_police veth; do
			args+=(--module "$module")
		done
		scripts/vm "${args[@]}" --exact --bin tc \
			tests/run-guest "$group" "$subject_limit" "$@"
		return
	fi
	! kernel_has sch_netem || args+=(--module sch_netem)
	echo "exec sh ./run-guest $group $subject_limit $*" >"$tmp/first.sh"
	scripts/vm "${args[@]}" --bin tc \
		--file tests/conform \
		--pair "$tmp/first.sh" tests/run-other
}
