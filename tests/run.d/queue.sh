# shellcheck shell=bash disable=SC2034,SC2154 # tests/run and its other parts use the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Run subjects, and handle their output. Part of tests/run.

# run_host SUBJECT
run_host() {
	local status=1 text
	begin "$1"
	while IFS= read -r text; do
		case $text in
		"status "*) status=${text#status } ;;
		*) line "${text#|}" ;;
		esac
	done < <(
		timeout -k 10 "$subject_limit" "tests/host/$1.sh" </dev/null | sed -u 's/^/|/'
		echo "status ${PIPESTATUS[0]}"
	)
	end "$status"
}

# boot_own GROUP TYPE SUBJECT...: run subjects that boot guests, one after the other
boot_own() {
	local group=$1 name status began
	export TYPE=$2
	shift 2
	for name; do
		echo "%begin $name"
		began=$SECONDS
		status=0
		timeout -k 10 "$subject_limit" "tests/$group/$name.sh" </dev/null || status=$?
		echo "%end $status $((SECONDS - began))"
	done
}

# launch GROUP TYPE SUBJECT...: boot in the background, with the output in a file. TYPE is
# "none" for subjects that need no device.
launch() {
	# follow() reads the file at once
	: >"$tmp/$1-$2"
	{
		case $1 in
		boot | debug-boot) boot_own "$@" ;;
		*) boot_guest "$@" ;;
		esac
		echo "%vm $?"
	} >"$tmp/$1-$2" &
	launched=$!
}

# follow PID GROUP TYPE SUBJECT...: handle the output of launch(). Lines that begin with %
# mark the begin and the end of a subject. A subject without these lines was not run,
# because the guest died. The first of two guests runs the subjects; its lines begin
# with A.
follow() {
	local text status=127 pid=$1 group=$2 type=$3 suffix=/$3 left
	[ "$type" != none ] || suffix=
	shift 3
	left=" $* "
	subject=
	# A subject that boots guests names their logs itself.
	[ "$group" = boot ] || log=${logs:+$logs/$group-$type.log}
	while IFS= read -r text; do
		text=${text%$'\r'}
		[ "$group" != two ] || text=${text#A: }
		case $text in
		"%vm "*) status=${text#%vm } ;;
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
			# shellcheck disable=SC2086 # two words
			end ${text#%end }
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
	if [ "$status" = 0 ] && [[ $group = boot || $group = debug-boot ]]; then
		:
	elif [ "$status" = 0 ]; then
		result ok "$group/$type: the guest had no trouble"
	else
		result "not ok" "$group/$type: scripts/vm ended with status $status"
	fi
	log=
}

# guests to boot, with their subjects: "GROUP TYPE SUBJECT..."
queue=()

# in_guests GROUP SUBJECT...: queue guests of all devices. On the debug kernel the last
# subject of each guest is leak.
in_guests() {
	local group=$1 type todo=()
	shift
	(($#)) || return 0
	for name; do
		[ "$name" = leak ] || todo+=("$name")
	done
	if [ "$kernel" = debug ] && { [ -z "$only" ] || ((!${#todo[@]})); }; then
		todo+=(leak)
	fi
	for type in "${devices[@]}"; do
		queue+=("$group $type ${todo[*]}")
	done
}

# run_queue N: run the queue, N guests at a time
run_queue() {
	local i next=0 pids=()
	for i in "${!queue[@]}"; do
		while ((next < ${#queue[@]} && next < i + $1)); do
			# shellcheck disable=SC2086 # words
			launch ${queue[next]}
			pids+=("$launched")
			next=$((next + 1))
		done
		# shellcheck disable=SC2086
		follow "${pids[i]}" ${queue[i]}
	done
	queue=()
}
