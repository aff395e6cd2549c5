# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Functions for medians, spreads and the Mann-Whitney test.

# Sort A[1..N] (heapsort: an awk may lack asort).
function sort(a, n,    i) {
	for (i = int(n / 2); i >= 1; i--)
		sift(a, i, n)
	for (i = n; i > 1; i--) {
		swap(a, 1, i)
		sift(a, 1, i - 1)
	}
}

function swap(a, i, j,    t) {
	t = a[i]
	a[i] = a[j]
	a[j] = t
}

# Let A[I] sink to its place in the heap A[I..N].
function sift(a, i, n,    child) {
	while ((child = 2 * i) <= n) {
		if (child < n && a[child + 1] > a[child])
			child++
		if (a[i] >= a[child])
			return
		swap(a, i, child)
		i = child
	}
}

# Return the median of the sorted A[1..N].
function median(a, n) {
	return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
}

# Return the largest distance of a sample of the sorted A[1..N] from the median MID, in percent.
function spread(a, n, mid,    low, high) {
	low = mid - a[1]
	high = a[n] - mid
	if (mid == 0)
		return 0
	return 100 * (low > high ? low : high) / mid
}

# Return e to the power of X, for X <= 0. The awk of busybox may lack exp() and sqrt().
function exp_of(x,    halved, term, sum, i) {
	if (x < -700)
		return 0
	for (; x < -0.1; x /= 2)
		halved++
	term = sum = 1
	for (i = 1; i <= 12; i++) {
		term *= x / i
		sum += term
	}
	for (; halved > 0; halved--)
		sum *= sum
	return sum
}

# Return the square root of X, by Newton's method.
function sqrt_of(x,    root, i) {
	root = x > 1 ? x : 1
	for (i = 0; i < 200; i++)
		root = (root + x / root) / 2
	return root
}

# Return 1 minus the error function of X, for X >= 0; relative error at most 1.2e-7 (Chebyshev).
function erfc(x,    t, k, i, n, c, sum) {
	t = 1 / (1 + x / 2)
	n = split("-1.26551223 1.00002368 0.37409196 0.09678418 -0.18628806 0.27886807 " \
		"-1.13520398 1.48851587 -0.82215223 0.17087277", c, " ")
	k = 1
	sum = -x * x
	for (i = 1; i <= n; i++) {
		sum += c[i] * k
		k *= t
	}
	return t * exp_of(sum)
}

# Return the two-sided p value of the Mann-Whitney test for X[1..N] and Y[1..M].
#
# Equal values have their mean rank. For up to EXACT_MAX values in all, exact() computes the p value
# from all choices of N ranks. For more values, approximate() computes it from the normal
# distribution, with corrections for ties and continuity.
function mann_whitney(x, n, y, m,    i, j, all, total, ties, sum, pooled) {
	all = n + m
	for (i = 1; i <= n; i++)
		pooled[i] = x[i]
	for (i = 1; i <= m; i++)
		pooled[n + i] = y[i]
	# sum and doubled[] have twice the ranks: a mean rank may end in .5
	for (i = 1; i <= n; i++)
		sum += rank(x[i], pooled, all)
	sort(pooled, all)
	for (i = 1; i <= all; i = j) {
		for (j = i; j <= all && pooled[j] == pooled[i]; j++)
			doubled[j] = 0
		total = j - i
		# the awk of busybox may lack the operator ^
		ties += total * total * total - total
		while (total-- > 0)
			doubled[i + total] = i + j - 1
	}
	if (all <= EXACT_MAX)
		return exact(all, n, sum)
	return approximate(n, m, sum / 2, ties)
}

# Return twice the mean rank of VALUE in A[1..N].
function rank(value, a, n,    i, less, equal) {
	for (i = 1; i <= n; i++) {
		less += a[i] < value
		equal += a[i] == value
	}
	return 2 * less + equal + 1
}

# Return the exact p value. Of all ways to choose N of the ALL ranks in doubled[], take the share
# with a sum of at most SUM, and the share with a sum of at least SUM. The p value is twice the
# smaller share, and at most 1.
function exact(all, n, sum,    i, k, s, most, ways, low, high, every) {
	ways[0, 0] = 1
	most = 0
	for (i = 1; i <= all; i++) {
		for (k = (i < n ? i : n); k >= 1; k--)
			for (s = most; s >= 0; s--)
				if ((k - 1, s) in ways)
					ways[k, s + doubled[i]] += ways[k - 1, s]
		most += doubled[i]
	}
	for (s = 0; s <= most; s++)
		if ((n, s) in ways) {
			every += ways[n, s]
			if (s <= sum)
				low += ways[n, s]
			if (s >= sum)
				high += ways[n, s]
		}
	low = 2 * (low < high ? low : high) / every
	return low > 1 ? 1 : low
}

# Return the p value of the normal approximation. SUM is the sum of the N ranks of the first sample,
# and TIES the sum of t^3 - t for each group of t equal values.
function approximate(n, m, sum, ties,    all, u, variance, z) {
	all = n + m
	u = sum - n * (n + 1) / 2 - n * m / 2
	variance = n * m / 12 * (all + 1 - ties / (all * (all - 1)))
	z = (u < 0 ? -u : u) - 0.5
	if (variance <= 0 || z <= 0)
		return 1
	z /= sqrt_of(variance)
	return erfc(z / sqrt_of(2))
}

BEGIN { EXACT_MAX = 30 }
