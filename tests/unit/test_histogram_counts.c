// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Test the histogram's allocation, and buckets with so many values that 32 bits do not suffice. */
#include <linux/kernel.h>
#include <linux/string.h>

/* Include the source, to test its static functions. */
#include "../../krping/histogram.c"
#include "histogram_values.h"
#include "tap.h"

static struct krping_hist hist, other;

/* Double the number of values @times times, because a loop cannot record so many. */
static void make_twice(struct krping_hist *h, int times)
{
	static struct krping_hist copy;

	while (times--) {
		copy = *h;
		krping_hist_merge(h, &copy);
	}
}

static void test_huge_counts(void)
{
	u64 stddev;
	int i;

	krping_hist_init(&hist);
	for (i = 1; i <= 4; i++)
		krping_hist_record(&hist, i);
	make_twice(&hist, 61);
	ok(hist.count == 1ULL << 63, "2^63 values are counted");
	ok(krping_hist_percentile(&hist, 25000) == 1 &&
	   krping_hist_percentile(&hist, 25001) == 2 &&
	   krping_hist_percentile(&hist, 75000) == 3 &&
	   krping_hist_percentile(&hist, 99999) == 4,
	   "2^63 values have percentiles");
	ok(krping_hist_mean(&hist) == 2 && krping_hist_stddev(&hist) == 1,
	   "2^63 values have a mean and a deviation");

	/* The values fill 16 buckets, fewer than KRPING_HIST_UPPER, so each may exceed 32 bits. */
	random_state = 88172645463325252ULL;
	krping_hist_init(&hist);
	for (i = 0; i < 999; i++)
		krping_hist_record(&hist, 100000 + normal(i) / 10);
	other = hist;
	stddev = krping_hist_stddev(&hist);
	make_twice(&hist, 53);
	ok(krping_hist_stddev(&hist) == stddev &&
	   krping_hist_mean(&hist) == krping_hist_mean(&other) &&
	   krping_hist_percentile(&hist, 99000) == krping_hist_percentile(&other, 99000),
	   "2^53 times the same values have the same statistics");
}

/* Test that a bucket counts beyond 32 bits, and that an interval across the limit is right. */
static void test_carry(void)
{
	unsigned int index = krping_hist_index(40);
	u64 nsec = 0;

	krping_hist_init(&hist);
	krping_hist_record(&hist, 40);
	make_twice(&hist, 31);
	other = hist;
	krping_hist_merge(&hist, &other);
	ok(krping_hist_bucket(&hist, index, &nsec) == 1ULL << 32 && nsec == 40,
	   "a merge exceeds 32 bits of a bucket");

	hist = other;
	hist.bucket[index] = U32_MAX;
	hist.count = U32_MAX;
	other = hist;
	krping_hist_record(&hist, 40);
	ok(krping_hist_bucket(&hist, index, &nsec) == 1ULL << 32,
	   "a bucket counts to 2^32");
	krping_hist_record(&hist, 40);
	krping_hist_since(&other, &hist);
	ok(other.count == 2 && krping_hist_bucket(&other, index, &nsec) == 2,
	   "the difference of two histograms has the two values that exceed 32 bits");
	hist.bucket[index] = U32_MAX;
	krping_hist_record(&hist, 40);
	ok(krping_hist_bucket(&hist, index, &nsec) == 2ULL << 32,
	   "a bucket exceeds 32 bits again");
}

/* Test that a bucket saturates if too many others exceed 32 bits. */
static void test_saturation(void)
{
	bool exact = true, saturated = true;
	u64 nsec = 0;
	u64 v;

	krping_hist_init(&hist);
	for (v = 0; v < KRPING_HIST_UPPER + 2; v++)
		krping_hist_record(&hist, v);
	make_twice(&hist, 33);
	krping_hist_record(&hist, v - 1);
	for (v = 0; v < KRPING_HIST_UPPER; v++)
		exact &= krping_hist_bucket(&hist, v, &nsec) == 1ULL << 33;
	for (; v < KRPING_HIST_UPPER + 2; v++)
		saturated &= krping_hist_bucket(&hist, v, &nsec) == U32_MAX;
	ok(exact, "56 buckets exceed 32 bits");
	ok(saturated, "further buckets saturate");
}

static void test_alloc(void)
{
	struct krping_hist *h = krping_hist_alloc();

	krping_hist_init(&hist);
	ok(h && !memcmp(h, &hist, sizeof(hist)), "an allocated histogram is empty");
	krping_hist_free(h);
	krping_hist_free(NULL);
}

int main(void)
{
	test_alloc();
	test_huge_counts();
	test_carry();
	test_saturation();
	return tap_done();
}
