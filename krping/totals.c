// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The totals of a test: the sums over all its threads and clients.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "totals.h"

/* Return the earlier time; 0 stands for a time that is not known yet. */
static u64 krping_earlier(u64 a, u64 b)
{
	return a && (!b || a < b) ? a : b;
}

/* Add the figures of a thread to the sums. */
static void krping_thread_totals(const struct krping_thread *thread, struct krping_totals *sum)
{
	u32 i;

	sum->iterations += krping_thread_iterations(thread);
	krping_stats_add(&sum->stats, &thread->stats);
	for (i = 1; i < krping_thread_nr_cqs(thread); i++)
		krping_stats_add(&sum->stats, &thread->cqs[i - 1].stats);
}

/**
 * krping_test_totals() - add up all threads and clients of a test
 * @test: the test, running or not
 * @sum: filled in
 */
void krping_test_totals(const struct krping_test *test, struct krping_totals *sum)
{
	u64 start = 0, end = 0;
	u32 i;

	memset(sum, 0, sizeof(*sum));
	for (i = 0; i < test->nr_threads; i++) {
		const struct krping_thread *thread = &test->threads[i];

		krping_thread_totals(thread, sum);
		start = krping_earlier(krping_u64_read(&thread->start_ns), start);
		end = max(krping_u64_read(&thread->end_ns), end);
	}
	/*
	 * With clients=1, each further connection of the client has its own test. Let the time
	 * begin with the first iteration of all connections, and end with the last one.
	 */
	if (test->opts.clients == 1) {
		start = krping_earlier(krping_u64_read(&test->clients.start_ns), start);
		end = max(krping_u64_read(&test->clients.end_ns), end);
	}
	if (end > start)
		sum->nsec = end - start;
	sum->iterations += krping_u64_read(&test->clients.iterations);
	krping_stats_add(&sum->stats, &test->clients.stats);
}
