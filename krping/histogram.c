// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Compute statistics of a histogram. No function here runs in a measured loop.
 *
 * The sum of the values, the sum of their squared distances from the mean, and the number of
 * values times 100000 may exceed 64 bits. This file has 128-bit operations of its own, because
 * not all architectures have a 128-bit type, and the kernel's helpers differ between versions.
 */
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "histogram.h"

struct u128 {
	u64 hi;
	u64 lo;
};

/* acc += a * b */
static void u128_mul_add(struct u128 *acc, u64 a, u64 b)
{
	u64 lo = (a & U32_MAX) * (b & U32_MAX);
	u64 mid1 = (a >> 32) * (b & U32_MAX);
	u64 mid2 = (a & U32_MAX) * (b >> 32);
	u64 hi = (a >> 32) * (b >> 32);
	u64 carry = (lo >> 32) + (mid1 & U32_MAX) + (mid2 & U32_MAX);

	lo = (lo & U32_MAX) | carry << 32;
	hi += (mid1 >> 32) + (mid2 >> 32) + (carry >> 32);

	acc->lo += lo;
	acc->hi += hi + (acc->lo < lo);
}

/*
 * Compute n / d by binary long division. The callers ensure n.hi < d, so that the quotient fits
 * u64.
 */
static u64 u128_div(struct u128 n, u64 d)
{
	bool carry;
	int i;

	for (i = 0; i < 64; i++) {
		carry = n.hi >> 63;
		n.hi = n.hi << 1 | n.lo >> 63;
		n.lo <<= 1;
		if (carry || n.hi >= d) {
			n.hi -= d;
			n.lo |= 1;
		}
	}
	return n.lo;
}

/*
 * Return the middle of a bucket, limited to the range from @h->min to @h->max. The last bucket
 * has no upper limit, so its value is @h->max.
 */
static u64 bucket_value(const struct krping_hist *h, unsigned int index)
{
	unsigned int shift = 0;
	u64 middle;

	if (index == KRPING_HIST_BUCKETS - 1)
		return h->max;
	if (index >= 2 * KRPING_HIST_SUB)
		shift = (index >> KRPING_HIST_SUB_BITS) - 1;
	middle = (u64)(index - (shift << KRPING_HIST_SUB_BITS)) << shift;
	middle += (1ULL << shift) >> 1;
	return clamp(middle, h->min, h->max);
}

/* Return the number of values in a bucket. */
static u64 bucket_count(const struct krping_hist *h, unsigned int index)
{
	unsigned int i;

	for (i = 0; i < h->nr_upper; i++)
		if (h->upper[i].index == index)
			return (u64)h->upper[i].bits << 32 | h->bucket[index];
	return h->bucket[index];
}

/* Set the number of values in a bucket. The number saturates if no element of @h->upper is free. */
static void bucket_set(struct krping_hist *h, unsigned int index, u64 count)
{
	unsigned int i;

	for (i = 0; i < h->nr_upper && h->upper[i].index != index; i++)
		;
	if (i == h->nr_upper && count > U32_MAX) {
		if (i == KRPING_HIST_UPPER) {
			h->bucket[index] = U32_MAX;
			return;
		}
		h->upper[i].index = index;
		h->nr_upper++;
	}
	if (i < h->nr_upper)
		h->upper[i].bits = count >> 32;
	h->bucket[index] = count;
}

/**
 * krping_hist_carry() - add 2^32 to the number of values in a bucket
 * @h: the histogram
 * @index: number of the bucket; its counter, krping_hist.bucket[@index], has just wrapped to 0
 */
void krping_hist_carry(struct krping_hist *h, unsigned int index)
{
	bucket_set(h, index, bucket_count(h, index) + (1ULL << 32));
}

/**
 * krping_hist_bucket() - return how many values one bucket has, and the bucket's middle
 * @h: the histogram
 * @index: number of the bucket, below KRPING_HIST_BUCKETS
 * @nsec: set to the middle of the bucket; unchanged if the bucket is empty
 *
 * Return: number of values in the bucket.
 */
u64 krping_hist_bucket(const struct krping_hist *h, unsigned int index,
		       u64 *nsec)
{
	u64 count = bucket_count(h, index);

	if (count)
		*nsec = bucket_value(h, index);
	return count;
}

/**
 * krping_hist_alloc() - allocate an empty histogram
 *
 * The function uses __vmalloc(), because kvmalloc() would round the size up to a power of two.
 *
 * Context: process context, may sleep.
 *
 * Return: the histogram, or NULL if there is no memory.
 */
struct krping_hist *krping_hist_alloc(void)
{
	struct krping_hist *h = __vmalloc(sizeof(*h), GFP_KERNEL | __GFP_NOWARN);

	if (h)
		krping_hist_init(h);
	return h;
}

/**
 * krping_hist_free() - free a histogram
 * @h: the histogram of krping_hist_alloc(), or NULL
 */
void krping_hist_free(struct krping_hist *h)
{
	vfree(h);
}

/**
 * krping_hist_init() - empty a histogram
 * @h: the histogram
 */
void krping_hist_init(struct krping_hist *h)
{
	memset(h, 0, sizeof(*h));
	h->min = U64_MAX;
}

/**
 * krping_hist_merge() - add the values of one histogram to another
 * @to: the histogram that grows; no other context writes to it
 * @from: the histogram whose values are added
 */
void krping_hist_merge(struct krping_hist *to, const struct krping_hist *from)
{
	int i;

	for (i = 0; i < KRPING_HIST_BUCKETS; i++)
		bucket_set(to, i, bucket_count(to, i) + bucket_count(from, i));
	to->count += from->count;
	to->sum += from->sum;
	to->sum_hi += from->sum_hi + (to->sum < from->sum);
	to->min = min(to->min, from->min);
	to->max = max(to->max, from->max);
}

/**
 * krping_hist_since() - compute the histogram of the values between two snapshots
 * @early: a snapshot; replaced by the histogram of the values recorded after it
 * @late: a later snapshot of the same histogram
 *
 * The exact minimum and maximum of the new values are unknown. The function uses the middles of
 * the first and the last bucket with new values, limited to the minimum and maximum of @late. A
 * snapshot is read without a lock, so its count may differ from the sum of its buckets. The new
 * count is the sum of the new buckets.
 */
void krping_hist_since(struct krping_hist *early, const struct krping_hist *late)
{
	int i, first = -1, last = -1;
	u64 count;

	early->count = 0;
	for (i = 0; i < KRPING_HIST_BUCKETS; i++) {
		count = bucket_count(late, i) - bucket_count(early, i);
		bucket_set(early, i, count);
		if (!count)
			continue;
		early->count += count;
		first = first < 0 ? i : first;
		last = i;
	}
	early->sum_hi = late->sum_hi - early->sum_hi - (late->sum < early->sum);
	early->sum = late->sum - early->sum;
	if (last < 0) {
		krping_hist_init(early);
		return;
	}
	early->min = bucket_value(late, first);
	early->max = bucket_value(late, last);
}

/**
 * krping_hist_min() - return the smallest value
 * @h: the histogram
 *
 * Return: nanoseconds, exact unless @h is a result of krping_hist_since(); 0 if the histogram is
 * empty.
 */
u64 krping_hist_min(const struct krping_hist *h)
{
	return h->count ? h->min : 0;
}

/**
 * krping_hist_max() - return the largest value
 * @h: the histogram
 *
 * Return: nanoseconds, exact unless @h is a result of krping_hist_since(); 0 if the histogram is
 * empty.
 */
u64 krping_hist_max(const struct krping_hist *h)
{
	return h->max;
}

/**
 * krping_hist_mean() - compute the arithmetic mean
 * @h: the histogram
 *
 * Return: nanoseconds, rounded down; 0 if the histogram is empty.
 */
u64 krping_hist_mean(const struct krping_hist *h)
{
	struct u128 sum = { h->sum_hi, h->sum };

	return h->count ? u128_div(sum, h->count) : 0;
}

/**
 * krping_hist_stddev() - compute the standard deviation
 * @h: the histogram
 *
 * The histogram has all values, not a sample, so the divisor is n, not n - 1. The mean is
 * computed from the exact sum. Each value counts as the middle of its bucket, so the result does
 * not show differences within a bucket. The width of a bucket is at most 1/128 of its values.
 *
 * Return: nanoseconds, rounded; 0 if the histogram is empty.
 */
u64 krping_hist_stddev(const struct krping_hist *h)
{
	u64 mean = krping_hist_mean(h);
	struct u128 squares = { 0, 0 };
	u64 count, value, delta, root;
	int shift, i;

	if (!h->count)
		return 0;

	/*
	 * Scale the distances from the mean so that the largest one has at most 32
	 * bits. Then each square and the mean of the squares fit u64. Small distances
	 * gain up to 16 fractional bits, because an integer root is too coarse.
	 */
	shift = max(fls64(max(h->max - mean, mean - h->min)) - 32, -16);

	for (i = 0; i < KRPING_HIST_BUCKETS; i++) {
		count = krping_hist_bucket(h, i, &value);
		if (!count)
			continue;
		delta = value > mean ? value - mean : mean - value;
		delta = shift > 0 ? delta >> shift : delta << -shift;
		u128_mul_add(&squares, delta * delta, count);
	}

	root = int_sqrt64(u128_div(squares, h->count));
	if (shift > 0)
		return root << shift;
	return (root + ((1ULL << -shift) >> 1)) >> -shift;
}

/**
 * krping_hist_percentile() - compute a percentile
 * @h: the histogram
 * @per_100000: the percentile in units of 1/100000: 99000 is p99, 99990 is p99.99
 *
 * The method is nearest rank (https://en.wikipedia.org/wiki/Percentile), without
 * interpolation. The result is the smallest value V such that at least @per_100000 / 100000
 * of all values are at most V.
 *
 * Return: nanoseconds, within 1/256 of the true value and between the minimum and the
 * maximum; the minimum if @per_100000 is 0; the maximum if @per_100000 is 100000 or more;
 * 0 if the histogram is empty.
 */
u64 krping_hist_percentile(const struct krping_hist *h, u32 per_100000)
{
	struct u128 product = { 0, KRPING_HIST_ALL - 1 };	/* so that the division rounds up */
	u64 rank, seen = 0;
	int i;

	if (!h->count || per_100000 >= KRPING_HIST_ALL)
		return h->max;
	if (!per_100000)
		return h->min;

	u128_mul_add(&product, h->count, per_100000);
	rank = u128_div(product, KRPING_HIST_ALL);

	for (i = 0; i < KRPING_HIST_BUCKETS; i++) {
		seen += bucket_count(h, i);
		if (seen >= rank)
			return bucket_value(h, i);
	}
	return h->max;
}
