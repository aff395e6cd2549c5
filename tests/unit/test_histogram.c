// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Compare the statistics of the histogram with those of the sorted values. */
#include <linux/kernel.h>
#include <linux/string.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Include the source, to test its static functions. */
#include "../../krping/histogram.c"
#include "histogram_values.h"
#include "tap.h"

#define VALUES	200000

/* Percentiles, in thousandths of a percent. */
static const u32 shares[] = {
	1, 10, 1000, 10000, 25000, 33333, 50000, 66667, 75000, 90000, 95000, 99000,
	99900, 99990, 99999,
};

static u64 values[VALUES];
static struct krping_hist hist, other;

static u64 constant(size_t i)
{
	(void)i;
	return 123457;
}

static u64 small(size_t i)
{
	return i % 256;
}

static u64 uniform(size_t i)
{
	(void)i;
	return random_u64() % 1000000;
}

static u64 exponential(size_t i)
{
	(void)i;
	return -20000 * log(1 - random_unit());
}

/* Latencies like those of round trips: a base, noise, and a long tail. */
static u64 long_tail(size_t i)
{
	(void)i;
	return 8000 + 1000 * pow(1 - random_unit(), -0.8);
}

/* Latencies of which two in a thousand wait for a timer tick of 4 ms. */
static u64 two_peaks(size_t i)
{
	return i % 1000 < 2 ? 4000000 + random_u64() % 100000 :
			      105000 + random_u64() % 20000;
}

static u64 every_magnitude(size_t i)
{
	return random_u64() >> (19 + i % 45);
}

/* Latencies up to 9.8 hours, the limit of the last bucket. */
static u64 full_range(size_t i)
{
	(void)i;
	return random_u64() >> 19;
}

static u64 two_extremes(size_t i)
{
	return i & 1 ? U64_MAX : 0;
}

static const struct distribution {
	const char *name;
	u64 (*draw)(size_t i);
} distributions[] = {
	{ "constant", constant },
	{ "0 to 255", small },
	{ "uniform", uniform },
	{ "normal", normal },
	{ "exponential", exponential },
	{ "long tail", long_tail },
	{ "two peaks", two_peaks },
	{ "every magnitude", every_magnitude },
	{ "full range", full_range },
	{ "two extremes", two_extremes },
};

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* Test the statistics that the histogram keeps exactly. */
static void test_exact(const char *name)
{
	unsigned __int128 sum = 0;
	size_t i;

	for (i = 0; i < VALUES; i++)
		sum += values[i];
	ok(hist.count == VALUES, "%s: count", name);
	ok(hist.sum == (u64)sum && hist.sum_hi == (u64)(sum >> 64), "%s: sum", name);
	ok(krping_hist_min(&hist) == values[0], "%s: min", name);
	ok(krping_hist_max(&hist) == values[VALUES - 1], "%s: max", name);
	ok(krping_hist_mean(&hist) == (u64)(sum / VALUES), "%s: mean", name);
}

static void test_stddev(const char *name)
{
	long double mean = 0, squares = 0, want, got;
	size_t i;

	for (i = 0; i < VALUES; i++)
		mean += (long double)values[i] / VALUES;
	for (i = 0; i < VALUES; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	want = sqrtl(squares / VALUES);
	got = krping_hist_stddev(&hist);
	/* The histogram uses the middles of its buckets, which are within 1/256 of the values. */
	if (!ok(fabsl(got - want) <= want * 0.005L + 0.5L, "%s: stddev", name))
		diag("%.1Lf instead of %.1Lf", got, want);
}

static void test_percentiles(const char *name)
{
	bool good = true, rising = true;
	u64 got, want, last = 0;
	size_t i, rank;

	for (i = 0; i < ARRAY_SIZE(shares); i++) {
		rank = ((u64)VALUES * shares[i] + 99999) / 100000;
		want = values[rank - 1];
		got = krping_hist_percentile(&hist, shares[i]);
		rising &= got >= last;
		last = got;
		if (within_256th(got, want) && got >= values[0] &&
		    got <= values[VALUES - 1])
			continue;
		diag("share %u: %" PRIu64 " instead of %" PRIu64, shares[i], got, want);
		good = false;
	}
	ok(good, "%s: percentiles are within 1/256", name);
	ok(rising, "%s: percentiles rise", name);
	ok(krping_hist_percentile(&hist, 0) == values[0] &&
	   krping_hist_percentile(&hist, 100000) == values[VALUES - 1] &&
	   krping_hist_percentile(&hist, U32_MAX) == values[VALUES - 1],
	   "%s: the lowest and the highest percentile are exact", name);
}

/*
 * Test the merge of two histograms, one with a third of the values and one with the others. The
 * result must equal the histogram of all values.
 */
static void test_merge(const char *name)
{
	static struct krping_hist third;
	size_t i;

	krping_hist_init(&other);
	krping_hist_init(&third);
	for (i = 0; i < VALUES; i++)
		krping_hist_record(i % 3 ? &other : &third, values[i]);
	krping_hist_merge(&other, &third);
	ok(!memcmp(&other, &hist, sizeof(hist)), "%s: merge", name);
}

/*
 * Test that the buckets list all values in increasing order, and that no value differs from
 * the middle of its bucket by more than 1/256.
 */
static void test_listing(const char *name)
{
	bool rising = true, close = true, same = true;
	u64 nsec = 0, last = 0, n, seen = 0;
	unsigned int i;

	for (i = 0; i < KRPING_HIST_BUCKETS; i++) {
		n = krping_hist_bucket(&hist, i, &nsec);
		same &= n == hist.bucket[i];
		if (!n)
			continue;
		rising &= !seen || nsec > last;
		close &= within_256th(nsec, values[seen]) &&
			 within_256th(nsec, values[seen + n - 1]);
		last = nsec;
		seen += n;
	}
	ok(same && seen == VALUES, "%s: the buckets have all values", name);
	ok(rising && close, "%s: the buckets are in order, and near their values",
	   name);
}

static void test_distribution(const struct distribution *d)
{
	size_t i;

	random_state = 88172645463325252ULL;
	krping_hist_init(&hist);
	for (i = 0; i < VALUES; i++) {
		values[i] = d->draw(i);
		krping_hist_record(&hist, values[i]);
	}
	qsort(values, VALUES, sizeof(values[0]), compare);

	test_exact(d->name);
	test_stddev(d->name);
	test_percentiles(d->name);
	test_merge(d->name);
	test_listing(d->name);
}

int main(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(distributions); i++)
		test_distribution(&distributions[i]);
	return tap_done();
}
