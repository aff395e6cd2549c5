// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Test the histogram's 128-bit arithmetic, its statistics of few values, the limits of its
 * buckets, and the figures of an interval.
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

/* Record @v, and check that the value reported for its bucket is within 1/256 of @v. */
static bool reported_near(u64 v)
{
	u64 nsec = 0;

	krping_hist_record(&hist, v);
	krping_hist_bucket(&hist, krping_hist_index(v), &nsec);
	if (within_256th(nsec, v))
		return true;
	diag("%llu is reported as %llu", (unsigned long long)v, (unsigned long long)nsec);
	return false;
}

/*
 * Test the values around each border of buckets, which are the multiples of 1/128 of a power of
 * two. The test computes the borders without the constants of the histogram.
 */
static void test_borders(void)
{
	bool near = true;
	unsigned int shift;
	u64 v, border;

	krping_hist_init(&hist);
	krping_hist_record(&hist, 0);
	krping_hist_record(&hist, U64_MAX);
	for (v = 0; v < 1024 && near; v++)
		near &= reported_near(v);
	for (shift = 0; shift < 45 - 7; shift++) {
		for (border = 128ULL << shift; border < 256ULL << shift && near;
		     border += 1ULL << shift) {
			for (v = border - 2; v <= border + 1; v++)
				near &= reported_near(v);
			near &= reported_near(border + (1ULL << shift) / 2);
		}
	}
	near &= reported_near((1ULL << 45) - 1);
	ok(near, "each value around the borders of buckets is reported within 1/256");
}

/* Test that the limits of each bucket differ by at most 1/256 from the reported value. */
static void test_buckets(void)
{
	bool contiguous = true, close = true;
	unsigned int index, shift;
	u64 low, high, next = 0;

	for (index = 0; index < KRPING_HIST_BUCKETS - 1; index++) {
		shift = index < 256 ? 0 : index / 128 - 1;
		low = (u64)(index - shift * 128) << shift;
		high = low + ((1ULL << shift) - 1);
		contiguous &= low == next && krping_hist_index(low) == index &&
			      krping_hist_index(high) == index;
		next = high + 1;

		/* Record two more values, so that min and max do not clamp the result. */
		krping_hist_init(&hist);
		krping_hist_record(&hist, 0);
		krping_hist_record(&hist, low);
		krping_hist_record(&hist, U64_MAX);
		close &= within_256th(krping_hist_percentile(&hist, 50000), low) &&
			 within_256th(krping_hist_percentile(&hist, 50000), high);
	}
	ok(contiguous && next == 1ULL << 45, "the buckets cover 9.8 hours without a gap");
	ok(krping_hist_index(next) == KRPING_HIST_BUCKETS - 1 &&
	   krping_hist_index(U64_MAX) == KRPING_HIST_BUCKETS - 1,
	   "all longer times share the last bucket");
	ok(close, "each bucket reports a value within 1/256 of its ends");
	ok(sizeof(struct krping_hist) <= 20480, "a histogram has at most 20 KiB");
}

/* Test that the last bucket, which has no upper limit, is reported as the largest value. */
static void test_last_bucket(void)
{
	krping_hist_init(&hist);
	krping_hist_record(&hist, 1ULL << 45);
	krping_hist_record(&hist, 1ULL << 50);
	krping_hist_record(&hist, U64_MAX - 1);
	ok(krping_hist_percentile(&hist, 1) == U64_MAX - 1,
	   "times of more than 9.8 hours are reported as the largest one");
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
	test_borders();
	test_buckets();
	test_last_bucket();
	test_since();
	return tap_done();
}
