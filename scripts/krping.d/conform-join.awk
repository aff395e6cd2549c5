# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Join the results of several conformance runs. First print the lines that have no verdicts, from the
# last run that failed, or from the last run if none failed. Then print the cases of all runs, and the
# sums of their verdicts.

/^result / {
	keep = !failed || !/ errno=0( |$)/
	failed = failed || !/ errno=0( |$)/
	if (keep)
		others = ""
}

/^case / {
	cases = cases $0 "\n"
	next
}

/^conform / {
	for (i = 2; i <= NF; i++) {
		split($i, pair, "=")
		if (!(pair[1] in sum))
			order[++n] = pair[1]
		sum[pair[1]] += pair[2]
	}
	next
}

keep { others = others $0 "\n" }

END {
	printf "%s%s", others, cases
	if (!n)
		exit
	printf "conform"
	for (i = 1; i <= n; i++)
		printf " %s=%d", order[i], sum[order[i]]
	print ""
}
