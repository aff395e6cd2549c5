// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Check the latencies of a result: the order of the percentiles, the sum, and the histogram.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "identity-check.h"

#define SUB_BUCKETS	128	/* buckets per power of 2 in the histogram */

/* keys of a line with latencies, in the order of their values */
static const char * const rising[] = {
	"min", "p50", "p90", "p99", "p99.9", "p99.99", "max",
};

/* Check that no percentile is below a lower one, and that min and max permit mean and stddev. */
void check_latency_order(struct check *c, const char *group)
{
	uint64_t min, max, mean, stddev, value, last = 0;
	size_t i;

	if (!result_line(c, group))
		return;
	for (i = 0; i < ARRAY_SIZE(rising); i++) {
		if (!get(c, group, rising[i], &value)) {
			broken(c, "%s has no %s", group, rising[i]);
			return;
		}
		if (value < last)
			broken(c, "%s: %s=%" PRIu64 " is below %s=%" PRIu64, group,
			       rising[i], value, rising[i - 1], last);
		last = value;
	}
	min = get_or_0(c, group, "min");
	max = last;
	mean = get_or_0(c, group, "mean");
	stddev = get_or_0(c, group, "stddev");
	if (mean < min || mean > max)
		broken(c, "%s: mean=%" PRIu64 " is not between min and max", group, mean);
	if (stddev > max - min)
		broken(c, "%s: stddev=%" PRIu64 " is above max - min", group, stddev);
}

/*
 * Return: the number of latencies that a side has measured in @iterations. @client is set for the
 * client's side. A ping server measures from one WRITE to the next, so it has one latency less.
 */
uint64_t measured(const struct check *c, bool client, uint64_t iterations)
{
	return c->ping && !client && iterations ? iterations - 1 : iterations;
}

/*
 * Check that the sum of @count latencies is the time @nsec, because one timestamp ends an operation
 * and begins the next one. krping rounds the mean down, so the sum falls short by up to 1 ns for
 * each round trip. A half round trip is also rounded down, by up to half a nanosecond, and both
 * errors are doubled: 3 ns. Do not check the sum with rate=, because a latency then begins when the
 * operation is due, nor with several connections, because their latencies overlap.
 */
void check_latency_sum(struct check *c, const char *group, uint64_t count, uint64_t nsec)
{
	bool half = word_is(result_find(result_line(c, group), "of"), "half_round_trip");
	uint64_t mean, rate;
	u128 sum, most;

	if (!get(c, group, "mean", &mean) || !count || c->conns != 1 ||
	    !get(c, "config", "rate", &rate) || rate)
		return;
	sum = (u128)mean * count * (half ? 2 : 1);
	most = sum + (u128)count * (half ? 3 : 1);
	if (nsec < sum || nsec > most)
		broken(c, "%s: %" PRIu64 " latencies of mean=%" PRIu64
		       " do not add up to nsec=%" PRIu64, group, count, mean, nsec);
}

struct bucket {
	uint64_t value;
	uint64_t count;
};

/*
 * Return: the value of the bucket that has the percentile @per_100000 / 1000 of @count latencies;
 * @nr is the number of buckets.
 */
static uint64_t percentile(const struct bucket *bucket, size_t nr, uint64_t count,
			   uint64_t per_100000)
{
	uint64_t rank = ((u128)count * per_100000 + 99999) / 100000;
	uint64_t seen = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		seen += bucket[i].count;
		if (seen >= rank)
			break;
	}
	return bucket[i < nr ? i : nr - 1].value;
}

/*
 * Check that the percentiles are those of the histogram, that min is in its first bucket, and max
 * in its last one.
 */
static void check_percentiles(struct check *c, const struct bucket *bucket, size_t nr,
			      uint64_t count)
{
	static const uint64_t share[] = { 50000, 90000, 99000, 99900, 99990 };
	uint64_t min = get_or_0(c, "latency_nsec", "min");
	uint64_t max = get_or_0(c, "latency_nsec", "max");
	size_t i;

	for (i = 0; i < ARRAY_SIZE(share); i++)
		equal(c, rising[i + 1], get_or_0(c, "latency_nsec", rising[i + 1]),
		      percentile(bucket, nr, count, share[i]));
	if (off_by_more(bucket[0].value, min, min / SUB_BUCKETS))
		broken(c, "min=%" PRIu64 " is not in the first bucket, %" PRIu64, min,
		       bucket[0].value);
	if (off_by_more(bucket[nr - 1].value, max, max / SUB_BUCKETS))
		broken(c, "max=%" PRIu64 " is not in the last bucket, %" PRIu64, max,
		       bucket[nr - 1].value);
}

/* Check that the histogram has the number, the mean and the percentiles of the latencies. */
void check_histogram(struct check *c)
{
	static struct bucket bucket[8192];
	const char *at = result_line(c, "histogram_nsec");
	uint64_t mean = get_or_0(c, "latency_nsec", "mean");
	uint64_t count = 0;
	u128 sum = 0, want, off;
	size_t nr = 0;
	char *end;

	if (!at)
		return;
	while (*at == ' ' && nr < ARRAY_SIZE(bucket)) {
		bucket[nr].value = strtoull(at, &end, 10);
		if (*end != '=')
			break;
		bucket[nr].count = strtoull(end + 1, &end, 10);
		at = end;
		if (nr && bucket[nr].value <= bucket[nr - 1].value)
			broken(c, "the histogram's buckets are not in order at %" PRIu64,
			       bucket[nr].value);
		count += bucket[nr].count;
		sum += (u128)bucket[nr].value * bucket[nr].count;
		nr++;
	}
	if (!nr || (*at && *at != '\n')) {
		broken(c, "the histogram cannot be read");
		return;
	}
	equal(c, "the histogram's count", count,
	      measured(c, c->client, c->iterations));
	want = (u128)mean * count;
	off = sum > want ? sum - want : want - sum;
	/*
	 * A latency differs from the value of its bucket by half the bucket's width at most, and
	 * the mean is rounded down.
	 */
	if (off > want / (2 * SUB_BUCKETS) + count)
		broken(c, "mean=%" PRIu64 " is not the histogram's mean, %" PRIu64, mean,
		       (uint64_t)(sum / count));
	check_percentiles(c, bucket, nr, count);
}
