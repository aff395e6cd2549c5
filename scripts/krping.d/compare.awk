# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Compare the results of two files, OLD and NEW:
#
#   awk -v metric=p50 -v alpha=0.05 -v devices= -v force= -v options=FILE -v old=NAME -v new=NAME \
#       -f digits.awk -f stats.awk -f results.awk -f compare-settings.awk -f compare-match.awk -f compare.awk OLD NEW
#
# With devices=yes, compare tests only with tests of the same device; with force=yes, also tests of different
# sizes, memory modes or depths. NAME is the name of OLD or NEW in a remark. Print lines whose fields are separated by
# tabs. The first field is "row" (a test's figures: see row()), "only" (a test that one file lacks), "unmatched" (see unmatched()),
# "differs" (a setting that differs), "setting" (a setting's values) or "note" (a remark).

# End a result. Store its figure, and the settings on which the figure depends, under the result's
# point: a key that all repetitions of a test share.
function finish(    point, depth, value, how, k, parts) {
	if (v["result", "test"] == "" || v["result", "role"] != "client")
		return
	point = (devices ? v["result", "device"] : "") "\t" v["result", "test"] "\t" v["result", "size"] "\t" \
		v["result", "mem_mode"]
	ran_depth = depth_of(point)
	repetition[side, file, point, ran_depth]++
	if (v["result", "status"] != "ok") {
		dropped[side]++
		lacking(point, "has failed", v["error", "detail"] == "" ? "errno " v["result", "errno"] : v["error", "detail"])
		return
	}
	# how: "less" if less is better, as of a latency; else the unit of the throughput
	how = "less"
	if (("throughput", "bytes_per_sec") in v)
		value = v["throughput", "bytes_per_sec"]
	else if (("throughput", "cycles_per_sec") in v)
		value = v["throughput", "cycles_per_sec"]
	if (value != "") {
		how = ("throughput", "cycles_per_sec") in v ? "cycles" : "bytes"
		depth = v["config", "txdepth"]
	} else {
		value = v["latency_nsec", metric]
	}
	if (value !~ /^[0-9]+(\.[0-9]+)?$/) {
		empty[side]++
		lacking(point, "has measured nothing", nothing(value))
		return
	}
	measured[side, point] = 1
	if (one_machine(v["result", "local"], v["result", "remote"]))
		shared = 1
	point = point "\t" (depth == "" ? "-" : depth)
	if (!(point in kind)) {
		kind[point] = how
		order[++points] = point
	}
	sample[side, point, ++count[side, point]] = value + 0
	add_length(v["config", "count"], v["config", "duration"])
	for (k in v) {
		split(k, parts, SUBSEP)
		# the length of a test is no setting on which a figure depends; a remark names lengths that differ
		if (parts[1] == "config" && (parts[2] == "count" || parts[2] == "duration"))
			continue
		if (parts[1] == "config" || parts[1] == "peer_config" || parts[1] == "path" ||
		    (parts[1] == "when" && parts[2] == "kernel"))
			setting(parts[1] " " parts[2], point, v[k])
	}
	for (k in environment)
		setting(k, point, environment[k])
	end_settings(point)
}

# Remember the length of the current result: COUNT iterations or SECONDS, whichever end first. 0 and "" are no limit.
function add_length(count, seconds,    s) {
	s = (count + 0 ? counted(count, "iteration") : "") (count + 0 && seconds + 0 ? " or " : "") (seconds + 0 ? seconds " s" : "")
	if (s == "" || index(", " lengths[side] ", ", ", " s ", "))
		return
	lengths[side] = lengths[side] (lengths[side] == "" ? "" : ", ") s
}

# Return whether the addresses LOCAL and REMOTE, which has a port, are equal: server and client run on one machine.
function one_machine(local, remote) {
	sub(/:[0-9]*$/, "", remote)
	gsub(/[][]/, "", remote)
	return local != "" && local == remote
}

# Return the depth of the current result of POINT, or "" for a test that has none. A failed result may have no
# line with its depth: then it is that of the sweep, or of the result before.
function depth_of(point) {
	if (v["result", "test"] !~ /^(r|s)?bw$|^fr$/)
		return ""
	if (("config", "txdepth") in v)
		last_depth[side, file, point] = v["config", "txdepth"]
	else if (swept_depth != "")
		last_depth[side, file, point] = swept_depth
	return last_depth[side, file, point]
}

# Remember that the current result of POINT (a point without its depth) has no figure. The remark about the
# result ends with WHAT, a verb such as "has failed", and WHY, the reason.
function lacking(point, what, why) {
	unmeasured[side, point] = unmeasured[side, point "\t" ran_depth] = 1
	if (++lacks[side] > 5)
		return
	remark[side, lacks[side]] = "repetition " repetition[side, file, point, ran_depth] " of " words_of(point) \
		(ran_depth != "" ? " txdepth=" ran_depth : "") " in " file " " what ": " why
}

# Return why the current result has no figure; VALUE is what the result has instead.
function nothing(value) {
	if (value != "")
		return "its figure is " value
	if (has_latencies)
		return "it has no " metric
	if (v["result", "iterations"] + 0 == 0 && v["config", "warmup"] + 0 > 0)
		return "the warm-up of " v["config", "warmup"] " iterations took the whole time"
	if (v["result", "iterations"] == "0")
		return "no iteration ended in its time"
	return "it has neither latencies nor a throughput"
}

# Return POINT as words. A point with a depth has five parts.
function words_of(point,    part) {
	if (split(point, part, "\t") == 5) {
		sub(/\t[^\t]*$/, "", point)
		if (part[5] != "-")
			point = point "\ttxdepth=" part[5]
	}
	gsub(/\t/, " ", point)
	sub(/^ /, "", point)
	return point
}

# Print that POINT, whose words are TEXT, is only on the side HAS. If the other side, whose number is S and whose name
# is LACKS, has results of POINT but no figure, add this reason. Such a result may lack its depth, too, so a result
# of any depth counts if side S has no figure of any depth.
function only(has, lacks, s, point, text,    any) {
	any = point
	sub(/\t[^\t]*$/, "", any)
	print "only\t" has "\t" text ((s, point) in unmeasured || ((s, any) in unmeasured && !((s, any) in measured)) \
		? ": no repetition of " lacks " has a figure" : "")
}

# Return the spread S of N samples; one sample has none.
function percent(s, n) {
	return n == 1 ? "-" : sprintf("%.1f", s)
}

# Print the row of POINT: the parts of the point, the metric, both medians, each with its spread, the
# change in percent, the p value, the numbers of samples, and the verdict.
function row(point,    i, n, m, x, y, a, b, p, change, verdict, old_spread, new_spread) {
	n = count[1, point]
	m = count[2, point]
	for (i = 1; i <= n; i++)
		x[i] = sample[1, point, i]
	for (i = 1; i <= m; i++)
		y[i] = sample[2, point, i]
	sort(x, n)
	sort(y, m)
	a = median(x, n)
	b = median(y, m)
	p = mann_whitney(x, n, y, m)
	change = a == 0 ? 0 : 100 * (b - a) / a
	old_spread = spread(x, n, a)
	new_spread = spread(y, m, b)
	verdict = "~"
	if (p <= alpha && a != b)
		verdict = ((b < a) == (kind[point] == "less")) ? "better" : "worse"
	else
		noisy(point, n > m ? n : m, old_spread > new_spread ? old_spread : new_spread)
	printf "row\t%s\t%s\t%.15g\t%s\t%.15g\t%s\t%.2f\t%.4f\t%d\t%d\t%s\n", point,
		kind[point] == "less" ? metric : kind[point], a, percent(old_spread, n), b, percent(new_spread, m), change, p, n, m, verdict
	if (least_p(n, m) > alpha && ++weaks == 1)
		weak = too_few(point, n, m)
}

# Return a remark that N repetitions of POINT in OLD and M in NEW are too few.
function too_few(point, n, m,    need, which) {
	for (need = 1; least_p(need, need) > alpha; need++)
		if (need > 100)
			break
	which = n >= need ? "NEW" : m >= need ? "OLD" : "OLD and NEW"
	return "no difference can be significant with " n (n == 1 ? " repetition" : " repetitions") " of " words_of(point) \
		" in OLD (" old ") and " m " in NEW (" new ")" (lacks[1] + lacks[2] ? ", those without a figure left out" : "") \
		": measure " which " at least " need " times (krping bench-suite -n " need ")"
}

# Remember a row without a significant change if SPREAD_OF, the larger spread of OLD and NEW with at most N repetitions,
# hides even a large change.
function noisy(point, n, spread_of) {
	if (spread_of <= NOISY)
		return
	noise++
	if (n > repeats)
		repeats = n
	if (spread_of > most) {
		most = spread_of
		noisiest = words_of(point)
	}
}

# Return the smallest p value that the test can give for N and M samples.
function least_p(n, m,    i, ways) {
	ways = 1
	for (i = 1; i <= n; i++)
		ways = ways * (m + i) / i
	return 2 / ways
}

# The largest spread in percent that compare accepts without a remark.
BEGIN { NOISY = 20 }

FNR == 1 {
	if (side)
		finish()
	side++
	split("", v)
	split("", environment)
}

{ sub(/\r$/, "") }

/^result / {
	finish()
	split("", v)
	has_latencies = 0
}

/^latency_nsec / { has_latencies = 1 }

# The results up to the next line of this kind are those of a file.
/^file / {
	finish()
	split("", v)
	file = substr($0, 6)
	swept_depth = ""
}

/^# kind=/ {
	finish()
	split("", v)
	swept_depth = swept($0)
}

/^(result|time|config|peer_config|path|when|latency_nsec|throughput|error) / { store() }

# The environment of a sweep holds for all results up to the next line of this kind.
/^environment( |$)/ {
	finish()
	split("", v)
	split("", environment)
	# keep the release, the first word; the build of the kernel follows a blank
	gsub(/="/, "=")
	for (i = 2; i <= NF; i++) {
		eq = index($i, "=")
		if ($i ~ /^(server_)?kernel=/)
			environment[substr($i, 1, eq - 1)] = substr($i, eq + 1)
	}
}

END {
	finish()
	common = any_common()
	if (!common)
		unmatched()
	for (i = 3; i <= 5; i++)
		match_part(i, common)
	differences()
	show_settings()
	for (i = 1; i <= points; i++) {
		point = order[i]
		if (point == "")
			continue
		if (!((1, point) in count))
			only("NEW", "OLD", 1, point, words_of(point))
		else if (!((2, point) in count))
			only("OLD", "NEW", 2, point, words_of(point))
		else
			row(point)
	}
	if (weaks)
		print "note\t" weak (weaks == 1 ? "" : "; " weaks - 1 (weaks == 2 ? " other row has" : " other rows have") " too few, too")
	else if (noise)
		printf "note\tof the rows with ~, repetitions differ by up to %.0f %% (%s)%s, which hides smaller changes: repeat more often" \
			" (krping bench-suite -n %d), on a machine that does nothing else%s\n", most, noisiest,
			noise == 1 ? "" : ", and by more than " NOISY " % in " noise " rows", 2 * repeats,
			shared ? "; here server and client took CPU time from each other, as they ran on one machine" : ""
	if (lengths[1] != "" && lengths[2] != "" && lengths[1] != lengths[2])
		print "note\tthe tests have other lengths: " lengths[1] " in OLD, " lengths[2] " in NEW"
	for (side = 1; side <= 2; side++) {
		uncounted(side, dropped[side], "failed")
		uncounted(side, empty[side], "measured nothing")
		for (i = 1; i <= lacks[side] && i <= 5; i++)
			print "note\t" remark[side, i]
		if (lacks[side] > 5)
			print "note\tand " lacks[side] - 5 " more of " (side == 1 ? "OLD" : "NEW")
	}
}

# Print a note about N results that do not count because of WHAT they have done.
function uncounted(side, n, what) {
	if (n)
		print "note\t" n (n == 1 ? " result" : " results") " of " (side == 1 ? "OLD" : "NEW") \
			(n == 1 ? " has " what " and does not count" : " have " what " and do not count")
}
