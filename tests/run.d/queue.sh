# shellcheck shell=bash disable=SC2034,SC2154 # tests/run and its other parts use the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Run subjects (test files), and handle their output. Part of tests/run.

# run_here GROUP TYPE SUBJECT...: run subjects on this machine, one after the other. TYPE is "none" for
# subjects that boot no guests or choose the device of their guests themselves.
run_here() {
	local group=$1 name status began
	[ "$2" = none ] || export TYPE=$2
	shift 2
	for name; do
		if late; then
			skip_late "$name"
			continue
		fi
		echo "%begin $name"
		began=$SECONDS
		status=0
		timeout -k 10 "$subject_limit" "tests/$group/$name.sh" </dev/null || status=$?
		echo "%end $status $((SECONDS - began))"
	done
}

# launch GROUP TYPE SUBJECT...: run subjects, with the output in $tmp/GROUP-TYPE, whose last line is "%vm"
# and the status, or "late" if no guest was booted because of --until. The output has the errors, too: the kernel log of a
# guest that dies belongs to the subject that was running.
launch() {
	{
		case $1 in
		host | boot | debug-boot) run_here "$@" ;;
		*)
			if late; then
				skip_late "${@:3}"
				echo "%vm late"
				return
			fi
			boot_guest "$@"
			;;
		esac
		echo "%vm $?"
	} >"$tmp/$1-$2" 2>&1
}

# follow PID GROUP TYPE SUBJECT...: handle the output of launch() until its line "%vm", or until the end of
# the process PID, which calls launch(). The lines "%begin" and "%end" mark the beginning and the end of a
# subject. A subject without "%begin" was not run, because the guest died. With two guests, the lines of
# the first one, which runs the subjects, begin with "A: ".
follow() {
	local text status=127 pid=$1 group=$2 type=$3 suffix=/$3 left
	[ "$type" != none ] || suffix=
	shift 3
	left=" $* "
	subject=
	# A subject that boots guests names their logs itself.
	[[ $group = boot || $group = host ]] || log=${logs:+$logs/$group-$type.log}
	while IFS= read -r text; do
		text=${text%$'\r'}
		[ "$group" != two ] || text=${text#A: }
		case $text in
		"%vm "*)
			status=${text#%vm }
			break
			;;
		"%begin "*)
			[ -z "$subject" ] || end died
			text=${text#%begin }
			begin "$text$suffix"
			left=${left/ $text / }
			;;
		"%count "*)
			[ -z "$counts" ] || echo "${text#%count }" >>"$counts/$group-$type.counts"
			;;
		"%end "*)
			# A guest under load may lose a part of %begin: the loop below then reports "was not run".
			# shellcheck disable=SC2086 # two words
			[ -z "$subject" ] || end ${text#%end }
			;;
		*)
			if [ "$subject" ]; then
				line "$text"
			else
				printf '# %s\n' "$text"
			fi
			;;
		esac
	done < <(tail -n +1 -s 0.2 --pid="$pid" -f "$tmp/$group-$type")
	[ -z "$subject" ] || end died
	for text in $left; do
		result "not ok" "$text/$type: was not run"
	done
	if [ "$status" = 0 ] && [[ $group = host || $group = boot || $group = debug-boot ]]; then
		:
	elif [ "$status" = late ]; then
		result ok "$group/$type: the guest had no trouble # SKIP $too_late"
	elif [ "$status" = 0 ]; then
		result ok "$group/$type: the guest had no trouble"
	else
		result "not ok" "$group/$type: scripts/vm ended with status $status"
	fi
	log=
}

# items to run: "GROUP TYPE SUBJECT..."
queue=()

# in_guests GROUP SUBJECT...: queue the subjects for each chosen device, in one item per device. On the
# debug kernel the last subject of each guest is leak.
in_guests() {
	local group=$1 type name todo
	shift
	(($#)) || return 0
	for type in "${devices[@]}"; do
		todo=()
		for name in $(on_device "$group" "$type" "$@"); do
			[ "$name" = leak ] || todo+=("$name")
		done
		# a subject of boot boots guests of its own, without leak
		if [ "$kernel" = debug ] && [ "$group" != boot ] && { [ -z "$only" ] || ((!${#todo[@]})); }; then
			todo+=(leak)
		fi
		((!${#todo[@]})) || queue+=("$group $type ${todo[*]}")
	done
}

# turn_queue: every other day, move the items of the guests with rxe and siw to the end of the queue. With --until a slow
# machine skips the last items.
turn_queue() {
	local item turned=() guests=()
	(($(today) % 2)) || return 0
	for item in "${queue[@]}"; do
		case $item in
		"guest rxe "* | "guest siw "*) guests+=("$item") ;;
		*) turned+=("$item") ;;
		esac
	done
	queue=("${turned[@]}" "${guests[@]}")
}

# dispatch N: run the queue, N items at a time. The next item begins as soon as a running one ends. Each
# line in a FIFO stands for an item that may begin.
dispatch() {
	local item free
	mkfifo "$tmp/free"
	exec {free}<>"$tmp/free"
	rm "$tmp/free"
	for ((item = 0; item < $1; item++)); do
		echo >&"$free"
	done
	for item in "${queue[@]}"; do
		read -r -u "$free" _
		# shellcheck disable=SC2086 # words
		{
			launch $item
			echo >&"$free"
		} &
	done
	wait
}

# run_queue N: run the queue, N items at a time, and handle the output in the order of the queue
run_queue() {
	local item words pid
	((${#queue[@]})) || return 0
	for item in "${queue[@]}"; do
		read -ra words <<<"$item"
		# follow() may read the file before launch() writes it
		: >"$tmp/${words[0]}-${words[1]}"
	done
	dispatch "$1" &
	pid=$!
	for item in "${queue[@]}"; do
		# shellcheck disable=SC2086 # words
		follow "$pid" $item
	done
	wait "$pid"
	queue=()
}
