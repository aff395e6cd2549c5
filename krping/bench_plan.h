/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Plan a microbenchmark that moves data: its operations and buffers, and the depths of a throughput
 * test.
 */
#ifndef KRPING_BENCH_PLAN_H
#define KRPING_BENCH_PLAN_H

#include "test_ops.h"

/*
 * Plan operations and buffers, and check the device's limits. On failure set @why to the reason.
 */
int krping_bench_plan(const struct krping_thread *thread, struct krping_plan *plan,
		      const char **why);

/*
 * Plan a throughput test: queue depth, batch (operations per post), cqmod (every Nth operation is
 * signaled) and RECVs.
 */
void krping_bench_plan_depths(const struct krping_thread *thread, struct krping_plan *plan);

#endif /* KRPING_BENCH_PLAN_H */
