/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Fit the plan of a test (its queue sizes, SGEs and maximum size) to the limits of the device.
 */
#ifndef KRPING_LIMITS_H
#define KRPING_LIMITS_H

#include "test_ops.h"

/* Reduce the connections of a disk, its hardware queues, to the number of completion vectors. */
void krping_limits_conns(struct krping_thread *thread, const struct ib_device *device);

/* Reduce a new plan to the limits of the device. */
void krping_limits_fit(struct krping_thread *thread);

/* Check a plan's WRs, CQEs, QPs, SGEs and SRQ against the device's limits. */
int krping_limits_queue(struct krping_thread *thread);

/* Check whether both devices of a connection permit the READs and atomics of a plan. */
int krping_limits_reads(const struct krping_thread *thread, const struct krping_conn *conn,
			const char **why);

/* Check the option vector against the device. */
int krping_limits_vector(struct krping_thread *thread, const struct ib_device *device);

#endif /* KRPING_LIMITS_H */
