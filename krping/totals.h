/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The totals of a test: the sums over all its threads and clients.
 */
#ifndef KRPING_TOTALS_H
#define KRPING_TOTALS_H

#include "registry.h"
#include "stats.h"

/**
 * struct krping_totals - sums over all threads and clients of a test
 * @iterations: number of measured iterations, warm-up excluded
 * @nsec: ns from the start of the first measured iteration to the end of the last one; a server
 *	counts the time of its clients only with clients=1
 * @stats: sums of the counters
 */
struct krping_totals {
	u64 iterations;
	u64 nsec;
	struct krping_stats stats;
};

void krping_test_totals(const struct krping_test *test,
			struct krping_totals *sum);

#endif /* KRPING_TOTALS_H */
