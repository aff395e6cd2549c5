/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A CQ of a thread: allocate, poll, let several tasks poll, free.
 */
#ifndef KRPING_CQ_H
#define KRPING_CQ_H

#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

#include "place.h"
#include "status.h"
#include "stats.h"

/**
 * struct krping_cq - a CQ of a test's thread, and state that concerns all its QPs
 * @status: status of the test, in which failed completions record errors
 * @stats: counters of the operations
 * @place: CPUs that post for the thread, and CPUs that handle its completions
 * @group: links all CQs of the thread in a ring without a head
 * @cq: send and receive CQ of all QPs
 * @events: receives the device's events
 * @port: number of the device's port that the connections use
 * @port_event: event of @port: IB_EVENT_PORT_ERR, or, if that has not occurred,
 *	IB_EVENT_PORT_ACTIVE; 0: none
 * @queues: the &struct krping_queue that have a QP
 * @drain_lock: held while a task drains the QPs, because an SQ has room for one drain at a time
 * @poll: the CQ is in direct context (IB_POLL_DIRECT): the thread polls the CQ
 * @share: lets other tasks poll the CQ, too; NULL: only the thread polls the CQ
 * @softirq: completions are handled in softirq context
 * @poller: with @poll, the task that handles completions: the test's thread, or with @share the
 *	task that has polled last
 * @running: all QPs are connected, so with @poll the thread polls instead of
 *	sleeping
 * @spin: the thread polls memory, so krping_wait() must not sleep
 * @graceful: a stop begins a grace period for an orderly end, instead of ending the test at once
 * @progress: when the timeout of krping_wait() starts, in jiffies
 *
 * One context at a time handles the completions of all QPs and posts their WRs, so
 * the fields need no lock.
 */
struct krping_cq {
	struct krping_status *status;
	struct krping_stats *stats;
	struct krping_place *place;
	struct list_head group;
	struct ib_cq *cq;
	struct ib_event_handler events;
	u32 port;
	enum ib_event_type port_event;
	struct list_head queues;
	struct mutex drain_lock; /* see above */
	bool poll;
	struct krping_cq_share *share;
	bool softirq;
	struct task_struct *poller;
	bool running;
	bool spin;
	bool graceful;
	unsigned long progress;
};

/**
 * struct krping_cq_share - lets several tasks poll a CQ in direct context, one at a time
 * @lock: guards @cq; the task that holds the lock handles the completions
 * @cq: the CQ; NULL: the share is not open, or is closed again
 */
struct krping_cq_share {
	spinlock_t lock; /* see above */
	struct krping_cq *cq;
};

/**
 * krping_cq_progress() - restart the timeout of krping_wait() after progress of the test
 * @cq: CQ of the connection
 */
static inline void krping_cq_progress(struct krping_cq *cq)
{
	WRITE_ONCE(cq->progress, jiffies);
}

/* Initialise a CQ without allocating it. */
void krping_cq_init(struct krping_cq *cq, struct krping_status *status,
		    struct krping_stats *stats, struct krping_place *place);

/* Allocate the CQ. */
int krping_cq_alloc(struct krping_cq *cq, struct ib_device *device, u32 entries,
		    enum ib_poll_context context, int vector);

/* Handle completions of a CQ in direct context. */
int krping_cq_poll(struct krping_cq *cq);

/* Free the CQ. */
void krping_cq_free(struct krping_cq *cq);

/*
 * Polling by several tasks, such as the users of a disk.
 */

/* Initialise a share, by which several tasks poll a CQ. */
void krping_cq_share_init(struct krping_cq_share *share);

/* Let any task poll a CQ by krping_cq_share_poll(). */
void krping_cq_share_open(struct krping_cq_share *share, struct krping_cq *cq);

/* Let only the test's thread poll a CQ. */
void krping_cq_share_close(struct krping_cq_share *share);

/* Handle completions of a CQ that several tasks poll. */
int krping_cq_share_poll(struct krping_cq_share *share);

/* As krping_cq_share_poll(), but first wait until no other task polls the CQ. */
int krping_cq_share_poll_wait(struct krping_cq_share *share);

#endif /* KRPING_CQ_H */
