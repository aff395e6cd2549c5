# shellcheck shell=bash disable=SC2034,SC2154 # tests/mutants/run and its other parts use the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Test a mutant, and record its verdict. Part of tests/mutants/run.

# hash_of: print a short hash of standard input
hash_of() {
	sha256sum | cut -c 1-16
}

# hash_tree: set tree_hash to a hash of the sources and the tests
hash_tree() {
	tree_hash=$(sources | grep -E '^(krping|scripts|awkit|tests)/' | LC_ALL=C sort |
		xargs -d '\n' sha256sum | hash_of)
}

# hashes NAME: after hash_tree, set all to a hash of everything that the verdict depends on, and own to a hash
# of the diff alone
hashes() {
	own=$(sed -n '/^--- /,$p' "$MUTANTS/$1.patch" | hash_of)
	all=$({
		echo "$own"
		field "$MUTANTS/$1.patch" Equivalent
		subjects_of "$MUTANTS/$1.patch"
		echo "$tree_hash $device $kernel ${whole:-no}"
	} | hash_of)
}

# recorded NAME: check whether a line of $results begins with NAME. This starts no process, because a sample has a line for few
# of hundreds of mutants, and the hashes of each take a dozen processes.
recorded() {
	local rows IFS=$'\n'
	[ -e "$results" ] || return 1
	mapfile -t rows <"$results"
	[[ $'\n'"${rows[*]}" = *$'\n'"$1"$'\t'* ]]
}

# known NAME: print the verdict of an earlier run: "verdict TAB killer TAB seconds". Fail if
# there is no verdict
known() {
	recorded "$1" || return 1
	hashes "$1"
	awk -F '\t' -v OFS='\t' -v name="$1" -v all="$all" -v own="$own" -v trust="$trust" '
		$1 == name && ($5 == all || (trust && $2 == "killed" && $6 == own)) {
			row = $2 OFS $3 OFS $4
		}
		END {
			print row
			exit row == ""
		}' "$results"
}

# test_in DIR LOG ARG...: run these tests in DIR, and set verdict and killer. The verdict is "cut"
# if the time of a sample is over.
test_in() {
	local dir=$1 log=$2 type=$device word words status left end over=killed
	shift 2
	# split into words as a shell does, with quotes but without expansions
	mapfile -t words < <(printf '%s\n' "$*" | xargs -n 1 printf '%s\n')
	end=$((SECONDS + limit))
	if [ "$sample" ] && ((any && began + 2 * sample < end)); then
		end=$((began + 2 * sample))
		over='cut'
	fi
	verdict=survived
	killer=
	set -- "${words[@]}"
	: >"$log"
	while (($#)); do
		word=$1
		shift
		if [ "$word" = --device ]; then
			type=$1
			shift
			continue
		fi
		left=$((end - SECONDS))
		if ((left < 1)); then
			verdict=$over
			killer="the time limit of $limit s"
			return
		fi
		if [ "$word" = all ]; then
			run_subject "$dir" "$log.part" "$left" --device "$type"
		else
			run_subject "$dir" "$log.part" "$left" --device "$type" "$word"
		fi
		status=$?
		cat "$log.part" >>"$log"
		IFS=$'\t' read -r verdict killer < <(outcome "$log.part")
		[ -z "$verdict" ] || return
		if [ $status = 124 ] || [ $status = 137 ]; then
			verdict=$over
			killer="$word: the time limit of $limit s"
			return
		elif [ $status != 0 ]; then
			verdict=error
			killer="$word: $(grep . "$log.part" | tail -n 1 | tr '\t' ' ')"
			return
		fi
		verdict=survived
	done
}

# judge NAME DIR: build and test a mutant, and set verdict and killer
judge() {
	local patch=$MUTANTS/$1.patch dir=$2 log=$out/logs/$1.log file why
	IFS='|' read -r _ _ file killer _ < <(headers "$1")
	if [ "$killer" ]; then
		verdict=error
		return
	fi
	if ! plant "$patch" "$dir" >"$log" 2>&1; then
		verdict=error
		killer="does not apply: $(head -n 1 "$log" | tr '\t' ' ')"
		restore "$dir" "$file"
		return
	fi
	case $file in
	krping/*)
		if ! build_module "$dir" >"$log" 2>&1; then
			verdict=error
			killer="does not compile: $(grep -m 1 'error' "$log" | tr '\t' ' ')"
			restore "$dir" "$file"
			return
		fi
		;;
	esac
	why=$(field "$patch" Equivalent)
	if [ "$why" ]; then
		verdict=equivalent
		killer=$why
	else
		test_in "$dir" "$log" "$(subjects_of "$patch")${whole:+ all}"
	fi
	restore "$dir" "$file"
}

# record NAME VERDICT KILLER SECONDS: append a line to the results
record() {
	hashes "$1"
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "$all" "$own" >>"$results"
}
