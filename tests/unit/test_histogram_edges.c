// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Test the histogram's 128-bit arithmetic, its statistics of few values and of huge counts, the
 * limits of its buckets, and the figures of an interval.
 */
#include <linux/kernel.h>
#include <linux/string.h>

/* Include the source, to test its static functions. */
#include "../../krping/histogram.c"
#include "histogram_values.h"
#include "tap.h"

static struct krping_hist hist, other;

static void test_arithmetic(void)
{
	unsigned __int128 want = 0, got;
	struct u128 acc = { 0, 0 };
	bool mul = true, div = true;
	u64 a, b;
	int i;

	random_state = 88172645463325252ULL;
	for (i = 0; i < 100000; i++) {
		a = random_u64() >> (i % 64);
		b = random_u64() >> (i / 64 % 64);
		want += (unsigned __int128)a * b;
		u128_mul_add(&acc, a, b);
		got = (unsigned __int128)acc.hi << 64 | acc.lo;
		mul &= got == want;

		b |= 1;
		acc.hi %= b;
		want = (unsigned __int128)acc.hi << 64 | acc.lo;
		div &= u128_div(acc, b) == (u64)(want / b);
	}
	ok(mul, "the sum of 128-bit products is exact");
	ok(div, "the quotient of 128 bits is exact");
}

static void test_empty(void)
{
	u64 nsec = 77, seen = 0;
	unsigned int i;

	krping_hist_init(&hist);
	for (i = 0; i < KRPING_HIST_BUCKETS; i++)
		seen += krping_hist_bucket(&hist, i, &nsec);
	ok(!seen && nsec == 77, "krping_hist_bucket() of an empty bucket sets no value");
	ok(!krping_hist_min(&hist) && !krping_hist_max(&hist) &&
	   !krping_hist_mean(&hist) && !krping_hist_stddev(&hist) &&
	   !krping_hist_percentile(&hist, 0) &&
	   !krping_hist_percentile(&hist, 50000) &&
	   !krping_hist_percentile(&hist, 100000), "an empty histogram is all zeros");

	krping_hist_init(&other);
	krping_hist_record(&other, 77);
	krping_hist_merge(&other, &hist);
	ok(krping_hist_min(&other) == 77 && krping_hist_max(&other) == 77,
	   "merging an empty histogram changes nothing");
	krping_hist_merge(&hist, &other);
	ok(!memcmp(&hist, &other, sizeof(hist)),
	   "merging into an empty histogram copies");
}

/* Test that every statistic of a single value is exact, in any bucket. */
static void test_single(void)
{
	bool good = true;
	int bit, step;
	u64 v;

	for (bit = 0; bit < 64; bit++) {
		for (step = -1; step <= 1; step++) {
			v = (1ULL << bit) + step;
			krping_hist_init(&hist);
			krping_hist_record(&hist, v);
			good &= krping_hist_min(&hist) == v &&
				krping_hist_max(&hist) == v &&
				krping_hist_mean(&hist) == v &&
				krping_hist_stddev(&hist) == 0 &&
				krping_hist_percentile(&hist, 1) == v &&
				krping_hist_percentile(&hist, 99990) == v;
		}
	}
	ok(good, "a single value is exact");
}

static void test_rounding(void)
{
	krping_hist_init(&hist);
	krping_hist_record(&hist, 0);
	krping_hist_record(&hist, 0);
	krping_hist_record(&hist, 6);
	ok(krping_hist_stddev(&hist) == 3, "a deviation of 2.83 is rounded to 3");
	ok(krping_hist_percentile(&hist, 66666) == 0 &&
	   krping_hist_percentile(&hist, 66667) == 6,
	   "the rank of a percentile is rounded up");
}

/* Test that the limits of each bucket differ by at most 1/64 from the reported value. */
static void test_buckets(void)
{
	bool contiguous = true, close = true;
	unsigned int index, shift;
	u64 low, high, next = 0;

	for (index = 0; index < KRPING_HIST_BUCKETS; index++) {
		shift = index < 64 ? 0 : index / 32 - 1;
		low = (u64)(index - shift * 32) << shift;
		high = low + ((1ULL << shift) - 1);
		contiguous &= low == next && krping_hist_index(low) == index &&
			      krping_hist_index(high) == index;
		next = high + 1;

		/* Record two more values, so that min and max do not clamp the result. */
		krping_hist_init(&hist);
		krping_hist_record(&hist, 0);
		krping_hist_record(&hist, low);
		krping_hist_record(&hist, U64_MAX);
		close &= within_64th(krping_hist_percentile(&hist, 50000), low) &&
			 within_64th(krping_hist_percentile(&hist, 50000), high);
	}
	ok(contiguous && !next, "the buckets cover u64 without a gap");
	ok(close, "each bucket reports a value within 1/64 of its ends");
	ok(sizeof(struct krping_hist) <= 16384, "a histogram has at most 16 KiB");
}

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

	random_state = 88172645463325252ULL;
	krping_hist_init(&hist);
	for (i = 0; i < 999; i++)
		krping_hist_record(&hist, normal(i));
	other = hist;
	stddev = krping_hist_stddev(&hist);
	make_twice(&hist, 53);
	ok(krping_hist_stddev(&hist) == stddev &&
	   krping_hist_mean(&hist) == krping_hist_mean(&other) &&
	   krping_hist_percentile(&hist, 99000) == krping_hist_percentile(&other, 99000),
	   "2^53 times the same values have the same statistics");
}

/* Test that the figures of an interval are those of the values between two snapshots. */
static void test_since(void)
{
	struct krping_hist early;
	int i;

	krping_hist_init(&hist);
	krping_hist_record(&hist, 1);
	krping_hist_record(&hist, 1000000);
	hist.sum = U64_MAX - 5;
	early = hist;
	for (i = 0; i < 3; i++)
		krping_hist_record(&hist, 40);
	krping_hist_record(&hist, 60);
	krping_hist_since(&early, &hist);
	ok(early.count == 4 && early.sum == 180 && !early.sum_hi &&
	   krping_hist_mean(&early) == 45, "since: count, and a sum that has passed 64 bits");
	ok(krping_hist_min(&early) == 40 && krping_hist_max(&early) == 60 &&
	   krping_hist_percentile(&early, 75000) == 40 &&
	   krping_hist_percentile(&early, 76000) == 60,
	   "since: extremes and percentiles are those of the later values");
	early = hist;
	krping_hist_since(&early, &hist);
	ok(!early.count && !krping_hist_min(&early) && !krping_hist_max(&early) &&
	   !krping_hist_mean(&early), "since: nothing is between equal snapshots");
}

int main(void)
{
	test_arithmetic();
	test_empty();
	test_single();
	test_rounding();
	test_buckets();
	test_huge_counts();
	test_since();
	return tap_done();
}
