// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A thread's CQ: allocate, poll, free.
 */
#include <linux/interrupt.h>
#include <linux/irq_poll.h>
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "cq.h"
#include "memory.h"

/* CQEs that a polling thread handles before it looks around. */
#define KRPING_POLL_BUDGET	16

/**
 * krping_cq_init() - make a CQ that owns nothing yet
 * @cq: to be initialised
 * @status: where failures go
 * @stats: where operations are counted
 *
 * From here on krping_wait() works and krping_cq_free() may be called.
 */
void krping_cq_init(struct krping_cq *cq, struct krping_status *status,
		    struct krping_stats *stats)
{
	memset(cq, 0, sizeof(*cq));
	cq->status = status;
	cq->stats = stats;
	INIT_LIST_HEAD(&cq->queues);
	krping_cq_progress(cq);
}

/**
 * krping_cq_alloc() - get the CQ
 * @cq: the CQ, initialised
 * @device: the device
 * @entries: WRs that may be under way at a time: any may fail and then
 *	completes, signaled or not
 * @context: where completions are handled; IB_POLL_DIRECT: by the thread, in
 *	krping_wait()
 * @cpu: completion vector that goes with this CPU; -1: any
 *
 * Process context.
 *
 * Return: 0, or what the device or the allocator says. The cause is set.
 */
int krping_cq_alloc(struct krping_cq *cq, struct ib_device *device, u32 entries,
		    enum ib_poll_context context, int cpu)
{
	struct ib_cq *ib_cq;

	cq->thread = current;
	cq->poll = context == IB_POLL_DIRECT;
	cq->softirq = context == IB_POLL_SOFTIRQ;
	if (cpu < 0)
		ib_cq = ib_alloc_cq_any(device, cq, entries, context);
	else
		ib_cq = ib_alloc_cq(device, cq, entries,
				    cpu % max_t(int, device->num_comp_vectors, 1),
				    context);
	if (IS_ERR(ib_cq))
		return krping_status_set(cq->status,
					 krping_alloc_errno(PTR_ERR(ib_cq)),
					 "the device gives no CQ of %u entries (error %ld)",
					 entries, PTR_ERR(ib_cq));
	cq->cq = ib_cq;
	return 0;
}

/*
 * Wait until no handler uses the CQ, whose QPs are gone. ib_free_cq() alone does
 * not: ib_poll_handler() re-arms the CQ after irq_poll_complete() has cleared
 * IRQ_POLL_F_SCHED, and irq_poll_disable() waits for that bit only, so that the
 * CQ can be freed while ib_req_notify_cq() uses it.
 *
 * irq_poll_disable() takes the bit: from then on no handler begins, and one that
 * re-arms the CQ cannot schedule another. A handler, and a provider's tasklet that
 * calls the CQ's comp_handler, is a softirq and thereby an RCU reader, also on
 * PREEMPT_RT, where local_bh_disable() is rcu_read_lock() as well. So no handler
 * runs behind the grace period. For a CQ in workqueue context the grace period
 * ends a tasklet that is just queueing the work; ib_free_cq() cancels the work.
 * A tasklet that is pending all the while, in a delayed ksoftirqd, is not covered.
 *
 * A normal grace period takes 10 to 30 ms, an expedited one less than a millisecond.
 */
static void krping_cq_quiesce(struct krping_cq *cq)
{
	/* A CQ in direct context is never armed, and has no handler. */
	if (cq->poll)
		return;
	if (cq->softirq)
		irq_poll_disable(&cq->cq->iop);
	synchronize_rcu_expedited();
	if (cq->softirq)
		irq_poll_enable(&cq->cq->iop);
}

/**
 * krping_cq_free() - free the CQ
 * @cq: the CQ; nothing happens if there is none. Its QPs are gone, their RECVs
 *	are not.
 *
 * Process context.
 */
void krping_cq_free(struct krping_cq *cq)
{
	if (!cq->cq)
		return;
	krping_cq_quiesce(cq);
	ib_free_cq(cq->cq);
	cq->cq = NULL;
}

/*
 * Bottom halves are let through on purpose: a software provider works in
 * softirqs or tasklets, which local_bh_enable() runs at once, whereas a thread
 * that just spins would make them wait for the timer tick.
 */
int krping_cq_poll(struct krping_cq *cq)
{
	int reaped;

	local_bh_disable();
	reaped = ib_process_cq_direct(cq->cq, KRPING_POLL_BUDGET);
	local_bh_enable();
	return reaped;
}
