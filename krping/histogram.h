/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A histogram of nanoseconds. Recording a value takes a few instructions and never
 * allocates. The relative error of a value is at most 1/256.
 *
 * The buckets are log-linear as in HdrHistogram (Gil Tene,
 * https://hdrhistogram.org): each octave, from one power of two to the next, has
 * 128 buckets of the same width. A value is reported as the middle of its bucket. The
 * error is at most half the width of the bucket, 1/256 of the value. Values below 256
 * have a bucket each and are exact. The values from 2^45 ns (9.8 hours) share the last
 * bucket, which is reported as the largest value.
 */
#ifndef KRPING_HISTOGRAM_H
#define KRPING_HISTOGRAM_H

#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/types.h>

#define KRPING_HIST_SUB_BITS	7
#define KRPING_HIST_SUB		128	/* buckets of an octave */
#define KRPING_HIST_MAX_BITS	45
/* 128 buckets for the values below 128, 128 for each octave from 2^7 to 2^44, and the last one */
#define KRPING_HIST_BUCKETS \
	((KRPING_HIST_MAX_BITS - KRPING_HIST_SUB_BITS + 1) * KRPING_HIST_SUB + 1)
/* number of buckets that may have 2^32 values or more */
#define KRPING_HIST_UPPER	56

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
 * @bucket: lower 32 bits of the number of values in each bucket
 * @nr_upper: number of used elements of @upper
 * @upper: upper 32 bits of the numbers that exceed 32 bits
 * @upper.index: number of the bucket
 * @upper.bits: the upper 32 bits
 *
 * Counters of 64 bits would double the memory, and few buckets get so many values. If more
 * than KRPING_HIST_UPPER buckets exceed 32 bits, the counters of the others saturate.
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
	u32 bucket[KRPING_HIST_BUCKETS];
	u32 nr_upper;
	struct {
		u32 index;
		u32 bits;
	} upper[KRPING_HIST_UPPER];
};

static_assert(sizeof(struct krping_hist) <= 20480);

/**
 * krping_hist_index() - find the bucket of a value
 * @nsec: the value
 *
 * For a value v from 2^e to 2^(e+1) - 1 with e >= 7, the number of the bucket is
 * 128 * (e - 7) + (v >> (e - 7)). The second term is 128 to 255. For values below 128
 * the function uses e = 7, so the number is the value itself.
 *
 * Return: a number below KRPING_HIST_BUCKETS, which grows with the value.
 */
static inline unsigned int krping_hist_index(u64 nsec)
{
	unsigned int shift = fls64(nsec | KRPING_HIST_SUB) - KRPING_HIST_SUB_BITS - 1;
	unsigned int index = (shift << KRPING_HIST_SUB_BITS) + (unsigned int)(nsec >> shift);

	return min(index, KRPING_HIST_BUCKETS - 1U);
}

/* Add 2^32 to a bucket whose 32-bit counter has just wrapped to 0. */
void krping_hist_carry(struct krping_hist *h, unsigned int index);

/**
 * krping_hist_record() - count a value
 * @h: the histogram
 * @nsec: the value, in nanoseconds
 *
 * Context: any context. The caller ensures that no other context writes to @h.
 */
static inline void krping_hist_record(struct krping_hist *h, u64 nsec)
{
	unsigned int index = krping_hist_index(nsec);
	u32 lower = ++h->bucket[index];

	h->sum += nsec;
	h->sum_hi += h->sum < nsec;
	if (nsec < h->min)
		h->min = nsec;
	if (nsec > h->max)
		h->max = nsec;
	/* Count last, so that a concurrent reader rarely sees a count without a minimum. */
	h->count++;
	if (unlikely(!lower))
		krping_hist_carry(h, index);
}

/* Return the number of values in a bucket; if not 0, set @nsec to the bucket's value. */
u64 krping_hist_bucket(const struct krping_hist *h, unsigned int index,
		       u64 *nsec);

struct krping_hist *krping_hist_alloc(void);
void krping_hist_free(struct krping_hist *h);

/* Empty the histogram. */
void krping_hist_init(struct krping_hist *h);

/* Add the values of @from to @to. */
void krping_hist_merge(struct krping_hist *to, const struct krping_hist *from);

/* Replace the snapshot @early by the values recorded between @early and @late. */
void krping_hist_since(struct krping_hist *early, const struct krping_hist *late);

/* Return a figure in nanoseconds; 0 if the histogram is empty. 99.9 % is @per_100000 = 99900. */
u64 krping_hist_min(const struct krping_hist *h);
u64 krping_hist_max(const struct krping_hist *h);
u64 krping_hist_mean(const struct krping_hist *h);
u64 krping_hist_stddev(const struct krping_hist *h);
u64 krping_hist_percentile(const struct krping_hist *h, u32 per_100000);

#endif /* KRPING_HISTOGRAM_H */
