# shellcheck shell=bash disable=SC2154 # scripts/vm sets the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The command conform: run all cases of the test conform on rxe and siw of a kernel, and compare the verdicts
# with the expected ones. Part of scripts/vm.

# the status that makes git bisect run skip a commit
conform_skip=125

# conform_expected DEVICE VERSION [DIR]: print the file of DIR with the verdicts of DEVICE on the kernel VERSION.
# Without such a file print the one of the next older series, or of the oldest.
conform_expected() {
	local series
	series=$(cut -d . -f 1,2 <<<"${2%%-*}")
	(cd "${3:-$top/tests/conform/expected}" && printf '%s\n' "$1"-*.tsv) | sort -V | awk -F '[-.]' -v series="$series" '
		BEGIN { split(series, want, ".") }
		NR == 1 || $2 < want[1] || $2 == want[1] && $3 <= want[2] { file = $0 }
		END { print file }'
}

# conform_build DIR: build krping for the kernel in DIR, with copies of the sources of this checkout. A second
# build compiles what has changed.
conform_build() {
	local kdir
	kdir=$("$scripts/kernel" "$kernel" headers) || exit "$conform_skip"
	(cd "$top" && find krping \( -name '*.[ch]' ! -name '*.mod.c' -o -name 'Kbuild*' \) \
		-exec cp -pu --parents -t "$1" {} +) || exit "$conform_skip"
	say "building krping"
	make -j "$(nproc)" -C "$kdir" M="$1/krping" CONFIG_DEBUG_INFO_BTF_MODULES= modules >"$1/log" 2>&1 || {
		tail -n 20 "$1/log" >&2
		say "error: krping does not build for $kernel: see above"
		exit "$conform_skip"
	}
	krping=$1/krping/rdma_krping.ko
}

# conform_boot DEVICE FILE: run the cases in a guest, and compare with the verdicts in FILE
conform_boot() {
	exec "$0" --kernel "$kernel" --device "$1" --krping "$krping" ${limit:+--timeout "$limit"} \
		--cpus "$cpus" ${mem:+--mem "$mem"} ${log:+--log "$log.$1"} \
		--file "$scripts:/usr/share/krping/scripts" --file "$top/awkit:/usr/share/krping/awkit" --file "$2" -- \
		"{ exec 3<>/proc/krping && echo server,addr=10.0.0.1,mem_mode=dma,background >&3; } || exit 14
		/usr/share/krping/scripts/krping conform 10.0.0.1 --expect ${2##*/}"
}

# conform_show DEVICE STATUS FILE: print the output of the run on DEVICE, in FILE, and a summary
conform_show() {
	local name=${expected[$1]##*/}
	printf '%s on %s:\n' "$1" "$version"
	cat "$3"
	case $2 in
	0) echo "$1: as expected in $name" ;;
	1) echo "$1: not as expected in $name, see above" ;;
	*) echo "$1: the run ended with status $2, see above" ;;
	esac
}

# conform_all: build kernel and krping, run all cases on the devices at once, and end with the highest status
conform_all() {
	local dir devices=(rxe siw) device version status=0 dev_status
	local -A pids=() expected=()
	((${#command[@]} == 1)) || die "conform takes no argument: put the options before it"
	[ -z "$mtu$append$environment$console$exact$plugin$pcap$keep$shell${pair[*]}${gets[*]}${shares[*]}" ] ||
		die "conform takes no option but --kernel, --device, --cpus, --mem, --timeout and --log"
	[ -z "$device_given" ] || devices=("$device_given")
	[ "$device_given" != none ] || die "conform needs a device"
	version=$("$scripts/kernel" "$kernel" version) || exit "$conform_skip"
	# the steps below use the kernel that is built now
	export KRPING_TREE_BUILT=yes
	[[ $kernel != */* ]] || kernel=$(realpath "$kernel")
	dir=$top/build/vm-conform/$(echo "$kernel" | cksum | cut -d ' ' -f 1)
	mkdir -p "$dir" || exit "$conform_skip"
	# Another call for the same kernel waits until this one has ended.
	exec 8>"$dir/lock"
	flock 8
	conform_build "$dir"
	# the shell lets processes in the background ignore SIGINT
	trap 'kill "${pids[@]}" 2>/dev/null || :; wait; exit 130' INT TERM HUP
	say "running all cases on ${devices[*]} of $version"
	for device in "${devices[@]}"; do
		expected[$device]=$top/tests/conform/expected/$(conform_expected "${device/#lab*/rxe}" "$version")
		conform_boot "$device" "${expected[$device]}" >"$dir/$device.out" 2>&1 &
		pids[$device]=$!
	done
	for device in "${devices[@]}"; do
		dev_status=0
		wait "${pids[$device]}" || dev_status=$?
		conform_show "$device" "$dev_status" "$dir/$device.out"
		((dev_status <= status)) || status=$dev_status
	done
	exit "$status"
}
