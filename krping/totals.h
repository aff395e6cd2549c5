/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The totals of a test: all of its threads and clients.
 */
#ifndef KRPING_TOTALS_H
#define KRPING_TOTALS_H

#include "registry.h"
#include "stats.h"

/**
 * struct krping_totals - what all threads and clients of a test have done
 * @iterations: measured, without the warm-up
 * @nsec: from the first beginning to the last end of a measured iteration
 * @stats: the counters
 */
struct krping_totals {
	u64 iterations;
	u64 nsec;
	struct krping_stats stats;
};

void krping_test_totals(const struct krping_test *test,
			struct krping_totals *sum);

#endif /* KRPING_TOTALS_H */
