/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Fit a plan to the limits of the device.
 */
#ifndef KRPING_LIMITS_H
#define KRPING_LIMITS_H

#include "test_ops.h"

/* Reduce the connections of a disk, or a plan's spare WRs and size, to the device's limits. */
void krping_limits_conns(struct krping_thread *thread, const struct ib_device *device);
void krping_limits_fit(struct krping_thread *thread);
/* Check a plan, or the option vector. On error the status names the limit. */
int krping_limits_queue(struct krping_thread *thread);
int krping_limits_vector(struct krping_thread *thread, const struct ib_device *device);

#endif /* KRPING_LIMITS_H */
