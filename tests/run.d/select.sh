# shellcheck shell=bash disable=SC2034,SC2154 # tests/run and its other parts use the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Choose the subjects (test files) to run. Part of tests/run.

# chosen GROUP SUBJECT: check whether the command line names the subject, or no subject at all
chosen() {
	local name
	((${#names[@]})) || return 0
	for name in "${names[@]}"; do
		case $name in
		"$2" | "$1/" | "$1/$2") return 0 ;;
		esac
	done
	return 1
}

# subjects GROUP: print the subjects of tests/GROUP to run. A subject with the line "# Runs: by name" runs only if
# the command line names it or its group.
subjects() {
	local file
	for file in tests/"$1"/*.sh; do
		file=${file##*/}
		if [ -e "tests/$1/$file" ] && chosen "$1" "${file%.sh}"; then
			((${#names[@]})) || ! grep -q '^# Runs: by name' "tests/$1/$file" || continue
			echo "${file%.sh}"
		fi
	done
}

# device of each GROUP/SUBJECT that runs on one device only
declare -A only_on=()

# today: print the number of the day, in days since 1970
today() {
	echo $(($(date +%s) / 86400))
}

# choose_day: set T_DAY to the number of the day, unless the command line names a device or a subject. Some
# subjects run only a part of their checks if T_DAY is set, another part each day.
choose_day() {
	unset T_DAY
	[ "$device" = all ] && ((!${#names[@]})) || return 0
	T_DAY=$(today)
	export T_DAY
}

# choose_devices GROUP SUBJECT...: let each subject that requires "any device" run on one device only, half
# of them on each device, and exchange the halves each day. If the command line names the device or
# subjects, restrict nothing.
choose_devices() {
	local group=$1 name turn=${T_DAY-}
	shift
	[ "$turn" ] || return 0
	for name; do
		grep -q '^# Requires: .* with any device' "tests/$group/$name.sh" || continue
		only_on[$group/$name]=${devices[turn++ % 2]}
	done
}

# on_device GROUP TYPE SUBJECT...: print those of the subjects that run on the device TYPE
on_device() {
	local group=$1 type=$2 name
	shift 2
	for name; do
		[ "${only_on[$group/$name]:-$type}" != "$type" ] || echo "$name"
	done
}

# emulated: check whether guests run in emulation, several times slower than with KVM. If KVM is there and does not
# work, which scripts/vm finds out by a boot, the answer is wrong.
emulated() {
	case ${KRPING_ACCEL-} in
	kvm) return 1 ;;
	tcg) return 0 ;;
	esac
	! kvm_here
}

# on_lab OFFSET SUBJECT...: print the subjects of guest to run on the lab device: all with KVM, an eighth in emulation
on_lab() {
	if emulated; then
		eighth "$@"
	else
		printf '%s\n' "${@:2}"
	fi
}

# eighth OFFSET SUBJECT...: print an eighth of the subjects, a different eighth on eight days in a row
eighth() {
	local turn=$(($1 + T_DAY)) name
	shift
	for name; do
		((turn++ % 8)) || echo "$name"
	done
}

# from_another SUBJECT...: print the subjects, and begin with another third of them each day. With --until a slow
# machine skips the last ones.
from_another() {
	local first=$(($(today) % 3 * $# / 3))
	printf '%s\n' "${@:first+1}" "${@:1:first}"
}

# short_first SUBJECT...: print the subjects of the group host, those of at most 12 s first, so that --until skips none of
# them, and the others as from_another does
short_first() {
	local name short=() long=()
	for name; do
		if grep -qE '^# Duration: ([0-9]|1[0-2]) s$' "tests/host/$name.sh"; then
			short+=("$name")
		else
			long+=("$name")
		fi
	done
	printf '%s\n' "${short[@]}"
	from_another "${long[@]}"
}

# all: print all selected subjects as GROUP/SUBJECT. Those of lab_guest and lab_iommu are in guest, too.
all() {
	printf '%s\n' "${host[@]/#/host/}" "${guest[@]/#/guest/}" "${two[@]/#/two/}" \
		"${lab[@]/#/lab/}" \
		"${calibration[@]/#/calibration/}" "${own_boot[@]/#/boot/}" "${debug[@]/#/debug/}" "${debug_boot[@]/#/debug-boot/}"
}

# select_subjects: set the array of each group (host, guest...) to the subjects to run, lab_device to the
# device of the group lab, and lab_guest and lab_iommu to the subjects of guest that also run on the lab
# device, without and with an IOMMU. Exit if a name of the command line matches no subject.
select_subjects() {
	local name listed
	choose_day
	mapfile -t host < <(subjects host)
	mapfile -t guest < <(subjects guest)
	choose_devices guest "${guest[@]}"
	mapfile -t calibration < <(subjects calibration)
	choose_devices calibration "${calibration[@]}"
	# The subjects of tests/two take long: they run only if the command line names them.
	two=()
	((!${#names[@]})) || mapfile -t two < <(subjects two)
	mapfile -t own_boot < <(subjects boot)
	choose_devices boot "${own_boot[@]}"
	# The lab device is an rxe that behaves like hardware, built from the source of the kernel.
	# Without names, its short subjects run on the stock kernel, 6.1, and the group guest, of which emulation runs
	# a part; make check-lab runs all.
	lab=()
	lab_guest=()
	lab_iommu=()
	case $kernel,$device,${#names[@]} in
	*,lab*,* | stock,all,[1-9]* | 5.10,all,[1-9]* | 6.1,all,[1-9]* | 6.12,all,[1-9]* | 7.x,all,[1-9]*)
		mapfile -t lab < <(subjects lab)
		;;
	stock,all,0)
		lab=(atomics inline mappings numa posts registration)
		mapfile -t lab_guest < <(on_lab 0 "${guest[@]}")
		mapfile -t lab_iommu < <(on_lab 4 "${guest[@]}")
		;;
	esac
	# The group calibration needs exact figures, which the lab device does not have. The group boot knows
	# rxe and siw only.
	case $device in
	lab*)
		calibration=()
		own_boot=()
		((${#names[@]})) || host=()
		;;
	esac
	lab_device=lab
	[ "$device" = all ] || lab_device=$device
	debug=()
	debug_boot=()
	case $kernel,${#names[@]} in
	debug,* | plain,[1-9]*)
		mapfile -t debug < <(subjects debug)
		mapfile -t debug_boot < <(subjects debug-boot)
		;;
	esac
	if [ "${T_UNTIL-}" ]; then
		((!${#host[@]})) || mapfile -t host < <(short_first "${host[@]}")
		((!${#guest[@]})) || mapfile -t guest < <(from_another "${guest[@]}")
	fi
	# No pipe: with pipefail, the pipe would fail if grep -q ends before all() does.
	listed=$(all)
	for name in "${names[@]}"; do
		grep -q -e "^$name" -e "/$name\$" <<<"$listed" ||
			die "there is no subject $name: see $prog --kernel $kernel --list"
	done
}
