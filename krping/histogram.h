/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A histogram of nanoseconds. Recording a value takes a few instructions and never
 * allocates. The histogram covers u64 with a relative error of at most 1/64.
 *
 * The buckets are log-linear as in HdrHistogram (Gil Tene,
 * https://hdrhistogram.org): each octave, from one power of two to the next, has
 * 32 buckets of the same width. A value is reported as the middle of its bucket. The
 * error is at most half the width of the bucket, 1/64 of the value. Values below 64
 * have a bucket each and are exact.
 */
#ifndef KRPING_HISTOGRAM_H
#define KRPING_HISTOGRAM_H

#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/types.h>

#define KRPING_HIST_SUB_BITS	5
#define KRPING_HIST_SUB		32	/* buckets of an octave */
/* 32 buckets for the values below 32, and 32 for each octave from 2^5 to 2^63 */
#define KRPING_HIST_BUCKETS	((64 - KRPING_HIST_SUB_BITS + 1) * KRPING_HIST_SUB)

static_assert(KRPING_HIST_SUB == 1 << KRPING_HIST_SUB_BITS);

/* 100 % in the unit of percentiles, 1/100000: 99.9 % is 99900. */
#define KRPING_HIST_ALL		100000

/**
 * struct krping_hist - the histogram
 * @count: number of values
 * @sum: lower 64 bits of the sum of the values
 * @sum_hi: upper 64 bits of the sum
 * @min: the smallest value; U64_MAX if the histogram is empty
 * @max: the largest value
 * @bucket: number of values in each bucket
 *
 * The struct is too large for the stack. No function takes a lock. The callers allow one
 * writer at a time. A concurrent reader may see a value in some of the fields only.
 */
struct krping_hist {
	u64 count;
	u64 sum;
	u64 sum_hi;
	u64 min;
	u64 max;
	u64 bucket[KRPING_HIST_BUCKETS];
};

static_assert(sizeof(struct krping_hist) <= 16384);

/**
 * krping_hist_index() - find the bucket of a value
 * @nsec: the value
 *
 * For a value v from 2^e to 2^(e+1) - 1 with e >= 5, the number of the bucket is
 * 32 * (e - 5) + (v >> (e - 5)). The second term is 32 to 63. For values below 32
 * the function uses e = 5, so the number is the value itself.
 *
 * Return: a number below KRPING_HIST_BUCKETS, which grows with the value.
 */
static inline unsigned int krping_hist_index(u64 nsec)
{
	unsigned int shift = fls64(nsec | KRPING_HIST_SUB) - KRPING_HIST_SUB_BITS - 1;

	return (shift << KRPING_HIST_SUB_BITS) + (unsigned int)(nsec >> shift);
}

/**
 * krping_hist_record() - count a value
 * @h: the histogram
 * @nsec: the value, in nanoseconds
 *
 * Context: any context. The caller ensures that no other context writes to @h.
 */
static inline void krping_hist_record(struct krping_hist *h, u64 nsec)
{
	h->bucket[krping_hist_index(nsec)]++;
	h->sum += nsec;
	h->sum_hi += h->sum < nsec;
	if (nsec < h->min)
		h->min = nsec;
	if (nsec > h->max)
		h->max = nsec;
	/* Last, so that a concurrent reader rarely sees the count without the minimum. */
	h->count++;
}

u64 krping_hist_bucket(const struct krping_hist *h, unsigned int index,
		       u64 *nsec);
void krping_hist_init(struct krping_hist *h);
void krping_hist_merge(struct krping_hist *to, const struct krping_hist *from);
/* Replace the snapshot @early by the values recorded between @early and @late. */
void krping_hist_since(struct krping_hist *early, const struct krping_hist *late);
u64 krping_hist_min(const struct krping_hist *h);
u64 krping_hist_max(const struct krping_hist *h);
u64 krping_hist_mean(const struct krping_hist *h);
u64 krping_hist_stddev(const struct krping_hist *h);
u64 krping_hist_percentile(const struct krping_hist *h, u32 per_100000);

#endif /* KRPING_HISTOGRAM_H */
