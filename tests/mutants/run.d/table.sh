# shellcheck shell=bash disable=SC2034,SC2154 # tests/mutants/run and its other parts use the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print the verdicts and the score. Part of tests/mutants/run.

# plausible: check whether, by the binomial distribution, a suite with just the required score has
# as many survivors as this sample, or more, in at least one of 100 samples
plausible() {
	awk -v n="$judged" -v k="$survivors" -v score="$score_wanted" 'BEGIN {
		p = 1 - score / 100
		term = (1 - p) ^ n
		for (tail = 1; i < k; i++) {
			tail -= term
			term *= (n - i) / (i + 1) * p / (1 - p)
		}
		exit tail < 0.01
	}'
}

# print_table: print the verdict of each selected mutant, the score and the totals. Fail if a
# mutant has failed or none was judged.
print_table() {
	survivors=0
	errors=0
	equivalent=0
	left=0
	printf '%-34s %-10s %5s  %s\n' mutant verdict s "killed by, or reason"
	while read -r name; do
		if ! row=$(known "$name"); then
			left=$((left + 1))
			continue
		fi
		IFS=$'\t' read -r verdict killer seconds <<<"${row//$'\t'/$'\t '}"
		verdict=${verdict# } killer=${killer# } seconds=${seconds# }
		case $verdict in
		killed) passed=$((passed + 1)) ;;
		survived)
			survivors=$((survivors + 1))
			killer=$(field "$MUTANTS/$name.patch" Wrong)
			;;
		equivalent) equivalent=$((equivalent + 1)) ;;
		*) errors=$((errors + 1)) ;;
		esac
		printf '%-34s %-10s %5s  %s\n' "$name" "$verdict" "$seconds" "$killer"
	done < <(printf '%s\n' "${mutants[@]}" | sort)

	judged=$((passed + survivors))
	failed=$errors
	skipped=$equivalent
	if ((judged)); then
		printf 'score: %d of %d are killed, %d.%d %%' "$passed" "$judged" \
			$((passed * 100 / judged)) $((passed * 1000 / judged % 10))
		printf '; %d survived, %d are equivalent, %d errors, %d without a verdict\n' \
			$survivors $equivalent $errors $left
	fi
	if ((passed * 100 >= judged * score_wanted)) || { [ "$sample" ] && plausible; }; then
		skipped=$((skipped + survivors))
	else
		failed=$((failed + survivors))
	fi
	# a full run without all verdicts does not prove the score
	[ "$sample" ] || ((!left)) || failed=$((failed + left))
	printf '%d passed, %d failed, %d skipped\n' "$passed" $failed $skipped
	((failed == 0 && (passed > 0 || (${sample:-0} && survivors))))
}
