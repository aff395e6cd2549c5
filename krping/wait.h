/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Wait for the peer and for events, and drain QPs.
 */
#ifndef KRPING_WAIT_H
#define KRPING_WAIT_H

#include "cq.h"

/*
 * Time for the peer to answer a disconnect. The connection manager repeats a lost DREQ after
 * 4 to 6 s, so the peer can also answer the second DREQ.
 */
#define KRPING_DISCONNECT_GRACE	msecs_to_jiffies(8000)

/* Wait in the teardown for answers to disconnects, for a limited time. */
void krping_wait_gone(struct krping_status *status, bool (*done)(void *arg), void *arg,
		      unsigned long until);
/* Wait until @done returns true, the test ends or a timeout passes. */
int krping_wait(struct krping_cq *cq, bool (*done)(void *arg), void *arg,
		u32 timeout_ms);
/* Wait, and call @alive at intervals meanwhile. */
int krping_wait_alive(struct krping_cq *cq, bool (*done)(void *arg), void *arg, u32 timeout_ms,
		      int (*alive)(void *arg), void *alive_arg);
/* Drain all QPs of a CQ; before that, _drain() lets the test ignore further errors of the QPs. */
void krping_cq_drain(struct krping_cq *cq);
bool krping_cq_drain_qps(struct krping_cq *cq);

/* Create and destroy the workqueue that drains QPs whose CQ a thread polls. */
int krping_queues_init(void);
void krping_queues_exit(void);

#endif /* KRPING_WAIT_H */
