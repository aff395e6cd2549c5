// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A CQ of a thread: allocate, poll, let several tasks poll, free. Record events of the device.
 */
#include <linux/interrupt.h>
#include <linux/irq_poll.h>
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "cq.h"
#include "memory.h"
#include "mr.h"

/* Maximum number of CQEs that a polling task handles per poll. */
#define KRPING_POLL_BUDGET	16

/**
 * krping_cq_init() - initialise a CQ without allocating it
 * @cq: the CQ
 * @status: status of the test, which records failures
 * @stats: the counters of operations
 * @place: the CPUs that post and that handle completions; the caller allocates the
 *	bitmaps of @place before the first operation
 *
 * Even before krping_cq_alloc(), the caller may call krping_wait() and krping_cq_free().
 */
void krping_cq_init(struct krping_cq *cq, struct krping_status *status,
		    struct krping_stats *stats, struct krping_place *place)
{
	memset(cq, 0, sizeof(*cq));
	cq->status = status;
	cq->stats = stats;
	cq->place = place;
	INIT_LIST_HEAD(&cq->group);
	INIT_LIST_HEAD(&cq->queues);
	mutex_init(&cq->drain_lock);
	krping_cq_progress(cq);
}

/* Record that an event of the device ends the test. */
static void krping_cq_failed(struct krping_cq *cq, const struct ib_event *event)
{
	krping_status_defer(cq->status, -EIO, "the device reports: %s",
			    ib_event_msg(event->event));
}

/* Handle an event of the CQ. After an overrun the CQ reports no more completions. */
static void krping_cq_event(struct ib_event *event, void *context)
{
	if (event->event == IB_EVENT_CQ_ERR)
		krping_cq_failed(context, event);
}

/* Handle an event of the device: a fatal error, or a change of the state of a port. */
static void krping_device_event(struct ib_event_handler *handler, struct ib_event *event)
{
	struct krping_cq *cq = container_of(handler, struct krping_cq, events);

	switch (event->event) {
	case IB_EVENT_DEVICE_FATAL:
		/*
		 * The driver may remove the device now, which takes seconds. Because of this flag,
		 * krping_wait() waits longer for the event that explains flushed WRs.
		 */
		WRITE_ONCE(cq->status->removing, true);
		krping_cq_failed(cq, event);
		break;
	case IB_EVENT_PORT_ERR:
	case IB_EVENT_PORT_ACTIVE:
		/* Connections may survive, so set no error. Of several events, keep PORT_ERR. */
		if (event->element.port_num == cq->port &&
		    (event->event == IB_EVENT_PORT_ERR || !cq->port_event))
			WRITE_ONCE(cq->port_event, event->event);
		break;
	default:
		break;
	}
}

/* Allocate a CQ. @vector counts modulo the number of vectors; for -1 the core chooses a vector. */
static struct ib_cq *krping_cq_try(struct krping_cq *cq, struct ib_device *device, u32 entries,
				   enum ib_poll_context context, int vector)
{
	if (vector < 0)
		return ib_alloc_cq_any(device, cq, entries, context);
	return ib_alloc_cq(device, cq, entries, vector % max_t(int, device->num_comp_vectors, 1),
			   context);
}

/*
 * After a failure, find out for the user how many entries the device accepts: halve @entries until
 * the device accepts the number. Return the number; 0: the device accepts none.
 */
static u32 krping_cq_accepted(struct krping_cq *cq, struct ib_device *device, u32 entries,
			      enum ib_poll_context context, int vector)
{
	struct ib_cq *ib_cq;

	while (entries /= 2) {
		ib_cq = krping_cq_try(cq, device, entries, context, vector);
		if (IS_ERR(ib_cq))
			continue;
		ib_free_cq(ib_cq);
		break;
	}
	return entries;
}

/* Record why the device has rejected the CQ. @most: number of entries that it accepts, or 0. */
static int krping_cq_rejected(struct krping_cq *cq, u32 entries, u32 most, int error)
{
	if (most)
		return krping_status_set(cq->status, -EINVAL,
					 "the device rejects a CQ of %u entries (%d) and accepts %u; try a smaller txdepth, or fewer qps",
					 entries, error, most);
	return krping_status_set(cq->status, krping_alloc_errno(error),
				 "cannot allocate CQ of %u entries (%d)", entries, error);
}

/**
 * krping_cq_alloc() - allocate the CQ
 * @cq: the CQ, initialised
 * @device: the device
 * @entries: maximum number of outstanding WRs; unsignaled WRs count, because a
 *	failed WR always completes
 * @context: where completions are handled; with IB_POLL_DIRECT in krping_cq_poll(), which
 *	krping_wait() calls for the thread's CQ
 * @vector: number of the completion vector, or of a CPU, modulo the number of vectors;
 *	-1: any vector
 *
 * Context: process context.
 *
 * Return: 0 or a negative errno, which is recorded in &krping_cq.status.
 */
int krping_cq_alloc(struct krping_cq *cq, struct ib_device *device, u32 entries,
		    enum ib_poll_context context, int vector)
{
	struct ib_cq *ib_cq;
	int error;

	cq->poller = current;
	cq->poll = context == IB_POLL_DIRECT;
	cq->softirq = context == IB_POLL_SOFTIRQ;
	ib_cq = krping_cq_try(cq, device, entries, context, vector);
	if (IS_ERR(ib_cq) && PTR_ERR(ib_cq) != -ENODEV) {
		u32 most = krping_cq_accepted(cq, device, entries, context, vector);

		/* Try again, because memory may have been short only for a moment. */
		error = PTR_ERR(ib_cq);
		ib_cq = krping_cq_try(cq, device, entries, context, vector);
		if (IS_ERR(ib_cq))
			return krping_cq_rejected(cq, entries, most, error);
	}
	if (IS_ERR(ib_cq))
		return krping_cq_rejected(cq, entries, 0, PTR_ERR(ib_cq));
	cq->cq = ib_cq;
	ib_cq->event_handler = krping_cq_event;
	INIT_IB_EVENT_HANDLER(&cq->events, device, krping_device_event);
	ib_register_event_handler(&cq->events);
	return 0;
}

/*
 * Wait until no completion handler uses the CQ. The caller has destroyed the QPs.
 *
 * ib_free_cq() alone does not wait long enough. Its irq_poll_disable() waits until
 * IRQ_POLL_F_SCHED is clear, but ib_poll_handler() still calls ib_req_notify_cq() after
 * irq_poll_complete() has cleared this bit.
 *
 * After this function's irq_poll_disable(), no handler starts. Handlers run in softirq context. So
 * do the tasklets of providers, which call the CQ's comp_handler. Code in softirq context is an RCU
 * reader, also on PREEMPT_RT, where local_bh_disable() includes rcu_read_lock(). So none of this
 * code runs after the grace period. If a tasklet has queued the work of a CQ in workqueue context,
 * ib_free_cq() cancels the work. A tasklet that stays pending during the whole grace period is not
 * covered.
 *
 * A normal grace period takes 10 to 30 ms, an expedited one less than a millisecond.
 */
static void krping_cq_quiesce(struct krping_cq *cq)
{
	/* A CQ in direct context is never armed and has no handler. */
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
 * @cq: the CQ, allocated or not
 *
 * Context: process context. The caller has destroyed the QPs, but not freed their RECV
 * buffers, because handlers may run until this function returns.
 */
void krping_cq_free(struct krping_cq *cq)
{
	if (!cq->cq)
		return;
	ib_unregister_event_handler(&cq->events);
	krping_cq_quiesce(cq);
	ib_free_cq(cq->cq);
	cq->cq = NULL;
}

/*
 * Handle completions, with bottom halves disabled. local_bh_enable() then runs pending softirqs at
 * once. A software provider works in softirqs or tasklets, which would otherwise wait for the timer
 * tick while the caller spins. On a device where a registration may sleep, bottom halves stay
 * enabled, because a completion handler may register memory.
 */
static int krping_cq_reap(struct krping_cq *cq)
{
	int reaped;

	if (krping_map_mr_sleeps(cq->cq->device))
		return ib_process_cq_direct(cq->cq, KRPING_POLL_BUDGET);
	local_bh_disable();
	reaped = ib_process_cq_direct(cq->cq, KRPING_POLL_BUDGET);
	local_bh_enable();
	return reaped;
}

/*
 * Handle completions of the shared CQ, if any. The caller holds the share's lock. Unlike
 * krping_cq_reap(), do not disable bottom halves: a completion handler may put the bio of a polled
 * request into the block layer's per-CPU cache, which is permitted only outside softirq context.
 */
static int krping_cq_share_reap(struct krping_cq_share *share)
{
	struct krping_cq *cq = share->cq;

	if (!cq)
		return 0;
	/* pairs with krping_reaped_elsewhere() */
	WRITE_ONCE(cq->poller, current);
	return ib_process_cq_direct(cq->cq, KRPING_POLL_BUDGET);
}

/**
 * krping_cq_share_init() - initialise a share, by which several tasks poll a CQ
 * @share: the share; must outlive each CQ for which the caller opens the share
 */
void krping_cq_share_init(struct krping_cq_share *share)
{
	spin_lock_init(&share->lock);
	share->cq = NULL;
}

/**
 * krping_cq_share_open() - let any task poll a CQ by krping_cq_share_poll()
 * @share: the share
 * @cq: the CQ, in direct context
 *
 * Context: the test's thread, which still polls the CQ in krping_wait(), too.
 */
void krping_cq_share_open(struct krping_cq_share *share, struct krping_cq *cq)
{
	cq->share = share;
	spin_lock(&share->lock);
	share->cq = cq;
	spin_unlock(&share->lock);
}

/**
 * krping_cq_share_close() - let only the test's thread poll a CQ
 * @share: the share, with or without a CQ
 *
 * Context: the test's thread. When the function returns, no other task polls the CQ by the share.
 */
void krping_cq_share_close(struct krping_cq_share *share)
{
	struct krping_cq *cq = share->cq;

	if (!cq)
		return;
	spin_lock(&share->lock);
	share->cq = NULL;
	spin_unlock(&share->lock);
	WRITE_ONCE(cq->poller, current);
	cq->share = NULL;
}

/**
 * krping_cq_share_poll() - handle completions of a CQ that several tasks poll
 * @share: the share
 *
 * Context: process context of any task. The function does not wait for another task that polls.
 *
 * Return: number of completions handled; 0: the CQ was empty, the share has no CQ, or another task
 * polls the CQ.
 */
int krping_cq_share_poll(struct krping_cq_share *share)
{
	int reaped;

	if (!spin_trylock(&share->lock))
		return 0;
	reaped = krping_cq_share_reap(share);
	spin_unlock(&share->lock);
	/* local_bh_enable() runs pending softirqs, in which a software provider works. */
	local_bh_disable();
	local_bh_enable();
	return reaped;
}

/**
 * krping_cq_share_poll_wait() - handle completions of a CQ; first wait until no other task polls it
 * @share: the share
 *
 * Context: process context.
 *
 * Return: number of completions handled; 0: the CQ was empty, or the share has no CQ.
 */
int krping_cq_share_poll_wait(struct krping_cq_share *share)
{
	int reaped;

	spin_lock(&share->lock);
	reaped = krping_cq_share_reap(share);
	spin_unlock(&share->lock);
	return reaped;
}

/**
 * krping_cq_poll() - handle completions of a CQ in direct context
 * @cq: the CQ, allocated
 *
 * Context: the test's thread. If the CQ has a share, also other tasks.
 *
 * Return: number of completions handled; 0 also if another task polls the CQ.
 */
int krping_cq_poll(struct krping_cq *cq)
{
	return cq->share ? krping_cq_share_poll(cq->share) : krping_cq_reap(cq);
}
