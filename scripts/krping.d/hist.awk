# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Draw the latency histograms of results. Each range of latencies has a line with the number of its
# iterations, the cumulative share and a bar. The ranges are logarithmic, four for each power of two. The bars
# are linear; a dot stands for iterations whose bar would be shorter than half a character. A terminal shows a whole
# histogram: consecutive ranges with less than 0.05 % of the iterations each share a line, and if there are more than
# ROWS lines, 2, 4, 8 and so on ranges become one. The edges and the cumulative shares stay exact.
#
# The caller may set three variables: "histograms" is the number of histograms, and "only" the number of the one to draw
# (default: all). If there are several, the title begins with the number. With "every", each range has a line.

function usec(nsec) {
	return sprintf("%.3f", nsec / 1000)
}

# Set these variables: sum[RANGE], the iterations of each range; "all", the total; "first" and "last", the
# lowest and the highest range with iterations.
function ranges(    i, eq, nsec, count, exp2, low, r) {
	split("", sum)
	first = last = -1
	all = 0
	for (i = 2; i <= NF; i++) {
		eq = index($i, "=")
		nsec = substr($i, 1, eq - 1) + 0
		count = substr($i, eq + 1) + 0
		if (!eq || count <= 0)
			continue
		# 0 ns, which a coarse clock measures, counts as 1 ns
		if (nsec < 1)
			nsec = 1
		low = 1
		for (exp2 = 0; low * 2 <= nsec; exp2++)
			low *= 2
		r = exp2 * 4 + int((nsec - low) * 4 / low)
		sum[r] += count
		all += count
		if (first < 0 || r < first)
			first = r
		if (r > last)
			last = r
	}
}

# Return the lower edge of range R in nanoseconds.
function edge(r,    i, low) {
	low = 1
	for (i = 0; i < int(r / 4); i++)
		low *= 2
	return low + low * (r % 4) / 4
}

# Merge each two ranges into one, and update the variables of ranges().
function merge(    r, n) {
	for (r = first; r <= last; r++) {
		n = sum[r]
		delete sum[r]
		sum[int(r / 2)] += n
	}
	first = int(first / 2)
	last = int(last / 2)
	width *= 2
}

# Return the largest number of iterations of a range.
function largest(    r, n) {
	for (r = first; r <= last; r++)
		if (sum[r] > n)
			n = sum[r]
	return n
}

# Return the number of lines of the histogram.
function lines(    r, n) {
	for (r = first; r <= last; r = end_of_line(r) + 1)
		n++
	return n
}

# Return the last range of the line that begins with range R.
function end_of_line(r) {
	if (every || sum[r] * 2000 >= all)
		return r
	while (r < last && sum[r + 1] * 2000 < all)
		r++
	return r
}

BEGIN { ROWS = 20 }

/^result / {
	title = ""
	for (i = 2; i <= NF; i++)
		if ($i ~ /^(test|role|size|mem_mode|id)=/)
			title = title (title == "" ? "" : ", ") $i
}

# The start of the test tells the last test from older ones.
/^when / {
	for (i = 2; i <= NF; i++)
		if ($i ~ /^start=/)
			title = title ", " $i
}

/^histogram_nsec / {
	number++
	if (only && only != number)
		next
	ranges()
	if (!all)
		next
	# the number of ranges that merge() has made one
	width = 1
	while (!every && lines() > ROWS)
		merge()
	most = largest()
	if (drawn++)
		print ""
	gsub(/[\001-\037\177]/, "?", title)
	print (histograms > 1 ? number " of " histograms ": " : "") title
	printf "%12s  %12s  %10s  %s\n", "from [usec]", "iterations", "cumulative",
		"ranges logarithmic" (width > 1 ? " (" width " in one; --all draws each)" : "") ", bars linear"
	done = 0
	for (r = first; r <= last; r = upto + 1) {
		upto = end_of_line(r)
		inside = 0
		for (i = r; i <= upto; i++)
			inside += sum[i]
		done += inside
		bar = ""
		n = int(inside * 40 / most + 0.5)
		for (i = 0; i < n; i++)
			bar = bar "#"
		if (bar == "" && inside)
			bar = "."
		if (upto > r)
			bar = bar (bar == "" ? "" : " ") "to " usec(edge((upto + 1) * width)) ": " (upto - r + 1) " ranges"
		line = sprintf("%12s  %12.0f  %9.3f%%  %s", usec(edge(r * width)), inside, done * 100 / all, bar)
		sub(/ +$/, "", line)
		print line
	}
}

END { exit !drawn }
