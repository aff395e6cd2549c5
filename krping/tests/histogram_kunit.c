// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * KUnit tests of the histogram, whose results depend on the kernel's arithmetic. The unit tests
 * in user space also test distributions of values, with floating point.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/slab.h>

/* Compile a copy into this test, because histogram.c needs nothing of the rest of the module. */
#include "../histogram.c"

/* Give each test an empty histogram. */
static int hist_init(struct kunit *test)
{
	struct krping_hist *h;

	h = kunit_kzalloc(test, sizeof(*h), GFP_KERNEL);
	if (!h)
		return -ENOMEM;
	krping_hist_init(h);
	test->priv = h;
	return 0;
}

static void hist_empty(struct kunit *test)
{
	struct krping_hist *h = test->priv;

	KUNIT_EXPECT_EQ(test, krping_hist_min(h), 0ULL);
	KUNIT_EXPECT_EQ(test, krping_hist_max(h), 0ULL);
	KUNIT_EXPECT_EQ(test, krping_hist_mean(h), 0ULL);
	KUNIT_EXPECT_EQ(test, krping_hist_stddev(h), 0ULL);
	KUNIT_EXPECT_EQ(test, krping_hist_percentile(h, 50000), 0ULL);
}

/* Each value below 256 has a bucket of its own, and a bucket begins at each power of 2. */
static void hist_index(struct kunit *test)
{
	unsigned int bit, last = 0;
	u64 v;

	for (v = 0; v < 256; v++)
		KUNIT_EXPECT_EQ(test, krping_hist_index(v), (unsigned int)v);
	for (bit = 8; bit <= KRPING_HIST_MAX_BITS; bit++) {
		v = 1ULL << bit;
		KUNIT_EXPECT_EQ(test, krping_hist_index(v),
				krping_hist_index(v - 1) + 1);
		KUNIT_EXPECT_GT(test, krping_hist_index(v), last);
		last = krping_hist_index(v);
	}
	KUNIT_EXPECT_EQ(test, krping_hist_index(U64_MAX), KRPING_HIST_BUCKETS - 1U);
}

/*
 * Record the numbers from 1 to 100000. A share is a percentile in units of 1/100000, so the value
 * of a percentile is its share, with a relative error of at most 1/256.
 */
static void hist_uniform(struct kunit *test)
{
	static const u32 shares[] = { 1, 1000, 25000, 50000, 90000, 99000, 99990 };
	struct krping_hist *h = test->priv;
	u64 v, error;
	int i;

	for (v = 1; v <= 100000; v++)
		krping_hist_record(h, v);

	KUNIT_EXPECT_EQ(test, krping_hist_min(h), 1ULL);
	KUNIT_EXPECT_EQ(test, krping_hist_max(h), 100000ULL);
	KUNIT_EXPECT_EQ(test, krping_hist_mean(h), 50000ULL);
	/* sqrt((100000^2 - 1) / 12) is 28867.5 */
	KUNIT_EXPECT_GT(test, krping_hist_stddev(h), 28800ULL);
	KUNIT_EXPECT_LT(test, krping_hist_stddev(h), 28940ULL);
	for (i = 0; i < ARRAY_SIZE(shares); i++) {
		v = krping_hist_percentile(h, shares[i]);
		error = v > shares[i] ? v - shares[i] : shares[i] - v;
		KUNIT_EXPECT_LE_MSG(test, error * 256, (u64)shares[i],
				    "percentile of share %u is %llu", shares[i], v);
	}
}

/* The sum of the values, and the sum of their squares, exceed 64 bits. */
static void hist_extremes(struct kunit *test)
{
	struct krping_hist *h = test->priv;
	int i;

	for (i = 0; i < 1000; i++) {
		krping_hist_record(h, 0);
		krping_hist_record(h, U64_MAX);
	}
	KUNIT_EXPECT_EQ(test, krping_hist_min(h), 0ULL);
	KUNIT_EXPECT_EQ(test, krping_hist_max(h), U64_MAX);
	KUNIT_EXPECT_EQ(test, krping_hist_mean(h), U64_MAX / 2);
	KUNIT_EXPECT_GT(test, krping_hist_stddev(h), U64_MAX / 100 * 49);
	KUNIT_EXPECT_LT(test, krping_hist_stddev(h), U64_MAX / 100 * 51);
	KUNIT_EXPECT_EQ(test, krping_hist_percentile(h, 50000), 0ULL);
	KUNIT_EXPECT_EQ(test, krping_hist_percentile(h, 50001), U64_MAX);
	KUNIT_EXPECT_EQ(test, krping_hist_percentile(h, 100000), U64_MAX);
}

static void hist_merge(struct kunit *test)
{
	struct krping_hist *to = test->priv;
	struct krping_hist *from;

	from = kunit_kzalloc(test, sizeof(*from), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, from);
	krping_hist_init(from);

	krping_hist_record(from, 40);
	krping_hist_merge(to, from);
	KUNIT_EXPECT_EQ(test, krping_hist_min(to), 40ULL);

	krping_hist_init(from);
	krping_hist_merge(to, from);
	KUNIT_EXPECT_EQ(test, krping_hist_min(to), 40ULL);

	krping_hist_record(from, U64_MAX);
	krping_hist_record(from, U64_MAX);
	krping_hist_merge(to, from);
	KUNIT_EXPECT_EQ(test, to->count, 3ULL);
	KUNIT_EXPECT_EQ(test, to->sum_hi, 2ULL);
	KUNIT_EXPECT_EQ(test, to->sum, 38ULL);
	KUNIT_EXPECT_EQ(test, krping_hist_percentile(to, 33333), 40ULL);
	KUNIT_EXPECT_EQ(test, krping_hist_max(to), U64_MAX);
}

/* krping_hist_bucket() returns a bucket's count, and sets nsec only if the bucket is not empty. */
static void hist_bucket(struct kunit *test)
{
	struct krping_hist *h = test->priv;
	u64 nsec = 77, seen = 0;
	int i;

	for (i = 0; i < KRPING_HIST_BUCKETS; i++)
		seen += krping_hist_bucket(h, i, &nsec);
	KUNIT_EXPECT_EQ(test, seen, 0ULL);
	KUNIT_EXPECT_EQ(test, nsec, 77ULL);

	krping_hist_record(h, 40);
	krping_hist_record(h, 40);
	krping_hist_record(h, U64_MAX);
	KUNIT_EXPECT_EQ(test, krping_hist_bucket(h, 40, &nsec), 2ULL);
	KUNIT_EXPECT_EQ(test, nsec, 40ULL);
	KUNIT_EXPECT_EQ(test, krping_hist_bucket(h, KRPING_HIST_BUCKETS - 1, &nsec),
			1ULL);
	KUNIT_EXPECT_EQ(test, nsec, U64_MAX);
}

/* A bucket counts beyond 32 bits. */
static void hist_carry(struct kunit *test)
{
	struct krping_hist *h = test->priv;
	u64 nsec = 0;

	h->bucket[40] = U32_MAX;
	h->count = U32_MAX;
	krping_hist_record(h, 40);
	krping_hist_record(h, 41);
	KUNIT_EXPECT_EQ(test, krping_hist_bucket(h, 40, &nsec), 1ULL << 32);
	KUNIT_EXPECT_EQ(test, krping_hist_percentile(h, 99999), 40ULL);
}

static struct kunit_case hist_cases[] = {
	KUNIT_CASE(hist_empty),
	KUNIT_CASE(hist_index),
	KUNIT_CASE(hist_uniform),
	KUNIT_CASE(hist_extremes),
	KUNIT_CASE(hist_merge),
	KUNIT_CASE(hist_bucket),
	KUNIT_CASE(hist_carry),
	{}
};

static struct kunit_suite hist_suite = {
	.name = "krping_histogram",
	.init = hist_init,
	.test_cases = hist_cases,
};

kunit_test_suite(hist_suite);

MODULE_DESCRIPTION("KUnit tests of krping's histogram");
MODULE_LICENSE("Dual BSD/GPL");
