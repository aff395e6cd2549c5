/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Drain QPs for a limited time.
 */
#ifndef KRPING_DRAIN_H
#define KRPING_DRAIN_H

#include "queue.h"

/* Drain all QPs of a CQ. Return false if the device may still access memory of their WRs. */
bool krping_drain_queues(struct krping_cq *cq);

#endif /* KRPING_DRAIN_H */
