// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Wait for the peer, for events, and for the device to be done with all WRs.
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "qp.h"
#include "wait.h"

/* Polls before a polled CQ is drained: as many CQEs as a large CQ has. */
#define KRPING_SETTLE_POLLS	4096

/*
 * After a flush, how long the connection manager may take to tell the cause.
 */
#define KRPING_FLUSH_GRACE	msecs_to_jiffies(1000)

/* How long a test may go on that shall stop, so that its peer sees an orderly end. */
#define KRPING_STOP_GRACE	msecs_to_jiffies(500)

/* For ib_drain_qp() of QPs whose CQ a test's thread polls. */
static struct workqueue_struct *krping_drain_wq;

/* ib_drain_qp() of all QPs of a CQ, beside the thread that polls the CQ. */
struct krping_drain {
	struct work_struct work;
	struct krping_cq *cq;
	bool done;
};

static void krping_drain_work(struct work_struct *work)
{
	struct krping_drain *drain = container_of(work, struct krping_drain, work);
	struct krping_queue *q;

	list_for_each_entry(q, &drain->cq->queues, entry)
		krping_queue_drain_qp(q);
	/* pairs with krping_cq_drain_polled() */
	smp_store_release(&drain->done, true);
}

/*
 * On a CQ in direct context ib_drain_sq() and ib_drain_rq() wait for HZ/10 each
 * before they poll. A worker calls them, and the thread polls meanwhile, so that
 * they return at once.
 */
static void krping_cq_drain_polled(struct krping_cq *cq)
{
	struct krping_drain drain = { .cq = cq };
	int polls = 0;

	/*
	 * What has completed already starts its steps here, before the worker may
	 * reap it. A peer that goes on sending does not keep the thread here.
	 */
	while (krping_cq_poll(cq) > 0 && polls++ < KRPING_SETTLE_POLLS)
		cond_resched();
	INIT_WORK_ONSTACK(&drain.work, krping_drain_work);
	queue_work(krping_drain_wq, &drain.work);
	/* pairs with krping_drain_work() */
	while (!smp_load_acquire(&drain.done)) {
		krping_cq_poll(cq);
		cond_resched();
	}
	flush_work(&drain.work);
	destroy_work_on_stack(&drain.work);
}

static void krping_cq_drain_qps(struct krping_cq *cq)
{
	struct krping_queue *q;

	if (cq->poll && !list_empty(&cq->queues)) {
		krping_cq_drain_polled(cq);
		return;
	}
	list_for_each_entry(q, &cq->queues, entry)
		krping_queue_drain_qp(q);
}

/**
 * krping_cq_drain() - wait until the device is done with all WRs of all QPs
 * @cq: the thread's CQ, with or without QPs
 *
 * The test's thread. Puts the QPs into the error state, and ignores messages that
 * arrive. The thread posts nothing any more; a step that is just running in the
 * CQ's context may still post, and what is flushed then comes before
 * krping_cq_free() is done, or never.
 */
void krping_cq_drain(struct krping_cq *cq)
{
	struct krping_queue *q;

	list_for_each_entry(q, &cq->queues, entry) {
		krping_queue_end(q);
		WRITE_ONCE(q->closing, true);
	}
	krping_cq_drain_qps(cq);
}

/* Jiffies from now until @after have passed since @since; 0: they have. */
static long krping_jiffies_left(unsigned long since, long after)
{
	long passed = jiffies - since;

	/* another CPU may be a tick ahead */
	passed = max(passed, 0L);
	return passed < after ? after - passed : 0;
}

/* When the wait is over at the latest, in jiffies from now; 0: it is over. */
static long krping_wait_left(const struct krping_cq *cq, u32 timeout_ms)
{
	const struct krping_status *status = cq->status;
	long left = MAX_SCHEDULE_TIMEOUT;

	if (timeout_ms)
		left = krping_jiffies_left(READ_ONCE(cq->progress),
					   msecs_to_jiffies(timeout_ms));
	/* pairs with krping_status_flushed() */
	if (smp_load_acquire(&status->flushed))
		left = min(left, krping_jiffies_left(status->flushed_at,
						     KRPING_FLUSH_GRACE));
	/* pairs with krping_status_stop() */
	if (smp_load_acquire(&status->stop_error))
		left = min(left, krping_jiffies_left(status->stop_at,
						     KRPING_STOP_GRACE));
	return left;
}

/* Has something happened that changes what is waited for, or how long? */
static bool krping_wait_changes(const struct krping_cq *cq, bool flushed,
				int stop_error)
{
	const struct krping_status *status = cq->status;

	return READ_ONCE(status->error) || READ_ONCE(status->disconnected) ||
	       READ_ONCE(status->flushed) != flushed ||
	       READ_ONCE(status->stop_error) != stop_error;
}

/*
 * What has made the peer disconnect may stand in a completion that nobody has
 * looked at yet, and it comes before the disconnect.
 */
static int krping_wait_settle(struct krping_cq *cq)
{
	krping_cq_drain_qps(cq);
	return krping_status_error(cq->status);
}

/**
 * krping_wait() - wait for the test to get somewhere
 * @cq: the thread's CQ, allocated or not
 * @done: what is waited for; called in this thread, often, must not sleep
 * @arg: for @done
 * @timeout_ms: how long the test may stand still, see krping_cq_progress();
 *	0: without bound
 *
 * The only place where a test's thread waits for its peer or for events. It
 * sleeps, or polls the CQ if that is a polled one and the test runs. A test that
 * shall stop does so here; if it is @cq->graceful, it has half a second to get done.
 *
 * Return: the cause's error if there is one; 0 if @done says so; -ECONNRESET when
 * the connection is gone without an error so far; -ETIMEDOUT. The cause is not set
 * by this function: the caller knows what it was waiting for.
 */
int krping_wait(struct krping_cq *cq, bool (*done)(void *arg), void *arg,
		u32 timeout_ms)
{
	struct krping_status *status = cq->status;
	bool polling = cq->poll && cq->running;

	for (;;) {
		bool flushed = READ_ONCE(status->flushed);
		int stop_error = READ_ONCE(status->stop_error);
		long left;

		if (polling)
			krping_cq_poll(cq);
		if (stop_error && !cq->graceful)
			krping_status_stopped(status);
		if (krping_status_error(status))
			return krping_status_error(status);
		if (done(arg))
			return 0;

		left = krping_wait_left(cq, timeout_ms);
		if (!left || READ_ONCE(status->disconnected))
			break;
		if (polling || cq->spin)
			cond_resched();
		else
			wait_event_idle_timeout(status->wait,
						done(arg) ||
						krping_wait_changes(cq, flushed,
								    stop_error),
						left);
	}

	/* A stop that was asked for comes before what may have come of it. */
	if (krping_status_stopped(status))
		return krping_status_error(status);
	if (!READ_ONCE(status->disconnected) && !READ_ONCE(status->flushed))
		return -ETIMEDOUT;
	return krping_wait_settle(cq) ?: -ECONNRESET;
}

/**
 * krping_queues_init() - prepare for queues
 *
 * Return: 0 or -ENOMEM.
 */
int krping_queues_init(void)
{
	krping_drain_wq = alloc_workqueue("krping_drain", WQ_UNBOUND, 0);
	return krping_drain_wq ? 0 : -ENOMEM;
}

/**
 * krping_queues_exit() - undo krping_queues_init()
 *
 * There is no queue any more.
 */
void krping_queues_exit(void)
{
	destroy_workqueue(krping_drain_wq);
}
