// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Test the histogram against the sorted values. */
#include <linux/kernel.h>
#include <linux/string.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Include the source, to test its static functions. */
#include "../../krping/histogram.c"
#include "tap.h"

#define VALUES	200000

static const u32 shares[] = {
	1, 10, 1000, 10000, 25000, 33333, 50000, 66667, 75000, 90000, 95000, 99000,
	99900, 99990, 99999,
};

static u64 values[VALUES];
static struct krping_hist hist, other;

/* xorshift64* (Vigna 2016): the same values on every machine. */
static u64 random_state;

static u64 random_u64(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return random_state * 2685821657736338717ULL;
}

static double random_unit(void)
{
	return (random_u64() >> 11) / 9007199254740992.0; /* 2^53 */
}

static u64 constant(size_t i)
{
	(void)i;
	return 123457;
}

static u64 small(size_t i)
{
	return i % 64;
}

static u64 uniform(size_t i)
{
	(void)i;
	return random_u64() % 1000000;
}

static u64 normal(size_t i)
{
	double r = sqrt(-2 * log(1 - random_unit()));

	(void)i;
	return 100000 + 12000 * r * cos(6.283185307179586 * random_unit());
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

/* Two in a thousand wait for a timer tick. */
static u64 two_peaks(size_t i)
{
	return i % 1000 < 2 ? 4000000 + random_u64() % 100000 :
			      105000 + random_u64() % 20000;
}

static u64 every_magnitude(size_t i)
{
	return random_u64() >> (i % 64);
}

static u64 full_range(size_t i)
{
	(void)i;
	return random_u64();
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
	{ "0 to 63", small },
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

static bool within_64th(u64 got, u64 want)
{
	u64 error = got > want ? got - want : want - got;

	return want < 64 ? !error : error <= want / 64;
}

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
	if (!ok(fabsl(got - want) <= want * 0.02L + 0.5L, "%s: stddev", name))
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
		if (within_64th(got, want) && got >= values[0] &&
		    got <= values[VALUES - 1])
			continue;
		diag("share %u: %" PRIu64 " instead of %" PRIu64, shares[i], got, want);
		good = false;
	}
	ok(good, "%s: percentiles are within 1/64", name);
	ok(rising, "%s: percentiles rise", name);
	ok(krping_hist_percentile(&hist, 0) == values[0] &&
	   krping_hist_percentile(&hist, 100000) == values[VALUES - 1] &&
	   krping_hist_percentile(&hist, U32_MAX) == values[VALUES - 1],
	   "%s: the lowest and the highest are exact", name);
}

/* Merging two histograms with half of the values each results in the same histogram. */
static void test_merge(const char *name)
{
	static struct krping_hist half;
	size_t i;

	krping_hist_init(&other);
	krping_hist_init(&half);
	for (i = 0; i < VALUES; i++)
		krping_hist_record(i % 3 ? &other : &half, values[i]);
	krping_hist_merge(&other, &half);
	ok(!memcmp(&other, &hist, sizeof(hist)), "%s: merge", name);
}

/* The buckets have all values, in order, each within the error of its bucket. */
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
		close &= within_64th(nsec, values[seen]) &&
			 within_64th(nsec, values[seen + n - 1]);
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
	ok(!seen && nsec == 77, "an empty bucket leaves its value alone");
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

/* A single value is exact in every statistic, whatever its bucket. */
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

/* The ends of each bucket are within 1/64 of the reported value. */
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

		/* Two more values, so that min and max do not clamp the result. */
		krping_hist_init(&hist);
		krping_hist_record(&hist, 0);
		krping_hist_record(&hist, low);
		krping_hist_record(&hist, U64_MAX);
		close &= within_64th(krping_hist_percentile(&hist, 50000), low) &&
			 within_64th(krping_hist_percentile(&hist, 50000), high);
	}
	ok(contiguous && !next, "the buckets cover u64 without a gap");
	ok(close, "each bucket reports a value within 1/64 of its ends");
	ok(sizeof(struct krping_hist) <= 16384, "the size is at most 16 KiB");
}

/* More values than a loop can record: set the counters directly. */
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

int main(void)
{
	size_t i;

	test_arithmetic();
	test_empty();
	test_single();
	test_rounding();
	test_buckets();
	test_huge_counts();
	for (i = 0; i < ARRAY_SIZE(distributions); i++)
		test_distribution(&distributions[i]);
	return tap_done();
}
