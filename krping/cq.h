/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A thread's CQ.
 */
#ifndef KRPING_CQ_H
#define KRPING_CQ_H

#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

#include "status.h"
#include "stats.h"

/**
 * struct krping_cq - a thread's CQ, and what its queues have in common
 * @status: why the test ends, filled in by failed completions
 * @stats: the thread's counters
 * @cq: completion queue of all work queues
 * @queues: those that have a QP
 * @poll: the CQ is polled by the thread
 * @softirq: completions are handled in softirq context
 * @thread: the test's thread; NULL before krping_cq_alloc()
 * @running: all QPs are connected: a thread that polls need not sleep any more
 * @spin: the thread does not sleep, because it looks at memory
 * @graceful: a test that shall stop may finish what it is doing first
 * @progress: when the thread's loop last took a step, in jiffies
 *
 * The CQ is handled by one context at a time, and all steps of all queues are
 * taken there, so nothing here is locked.
 */
struct krping_cq {
	struct krping_status *status;
	struct krping_stats *stats;
	struct ib_cq *cq;
	struct list_head queues;
	bool poll;
	bool softirq;
	struct task_struct *thread;
	bool running;
	bool spin;
	bool graceful;
	unsigned long progress;
};

/**
 * krping_cq_progress() - note that the thread has moved on
 * @cq: the thread's CQ
 *
 * The peer's silence is counted from here.
 */
static inline void krping_cq_progress(struct krping_cq *cq)
{
	WRITE_ONCE(cq->progress, jiffies);
}

void krping_cq_init(struct krping_cq *cq, struct krping_status *status,
		    struct krping_stats *stats);
int krping_cq_alloc(struct krping_cq *cq, struct ib_device *device, u32 entries,
		    enum ib_poll_context context, int cpu);
int krping_cq_poll(struct krping_cq *cq);
void krping_cq_free(struct krping_cq *cq);

#endif /* KRPING_CQ_H */
