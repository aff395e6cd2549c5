// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Wait for the peer and for events, and drain QPs.
 */
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "drain.h"
#include "trace.h"
#include "wait.h"

/*
 * Maximum number of polls before krping drains a polled CQ. The number suffices to empty a large
 * CQ, and bounds the loop if the peer goes on sending.
 */
#define KRPING_SETTLE_POLLS	4096

/* Time for the connection manager to report the reason of a flushed WR. */
#define KRPING_FLUSH_GRACE	msecs_to_jiffies(1000)

/* Time for the driver to remove a device that has failed. */
#define KRPING_REMOVAL_GRACE	msecs_to_jiffies(10000)

/* Grace period for an orderly end after stop. */
#define KRPING_STOP_GRACE	msecs_to_jiffies(500)

/* Drains QPs whose CQ a test's thread polls. */
static struct workqueue_struct *krping_drain_wq;

/* Drains all QPs of a CQ while the test's thread polls the CQ. */
struct krping_polled_drain {
	struct work_struct work;
	struct krping_cq *cq;
	bool safe;
	bool done;
};

/* Drain the QPs of a CQ in a worker, for krping_cq_drain_polled(). */
static void krping_drain_work(struct work_struct *work)
{
	struct krping_polled_drain *drain = container_of(work, struct krping_polled_drain, work);

	drain->safe = krping_drain_queues(drain->cq);
	/* pairs with krping_cq_drain_polled() */
	smp_store_release(&drain->done, true);
}

/*
 * Completions of a CQ in direct context arrive only while a task polls. So a worker waits for the
 * drain while this task polls.
 */
static bool krping_cq_drain_polled(struct krping_cq *cq)
{
	struct krping_polled_drain drain = { .cq = cq };
	struct krping_queue *q;
	int polls = 0;

	/*
	 * Reap pending completions here, because krping_sent() and
	 * krping_recv_done() ignore successful completions that the worker reaps.
	 */
	while (krping_cq_poll(cq) > 0 && polls++ < KRPING_SETTLE_POLLS)
		cond_resched_tasks_rcu_qs();
	/*
	 * If the worker reaps and ignores a message, the thread must not handle a later one. The
	 * drain of one QP may reap messages of another QP, so mark all QPs first.
	 */
	list_for_each_entry(q, &cq->queues, entry)
		WRITE_ONCE(q->closing, true);
	INIT_WORK_ONSTACK(&drain.work, krping_drain_work);
	queue_work(krping_drain_wq, &drain.work);
	/* pairs with krping_drain_work() */
	while (!smp_load_acquire(&drain.done)) {
		krping_cq_poll(cq);
		cond_resched_tasks_rcu_qs();
	}
	flush_work(&drain.work);
	destroy_work_on_stack(&drain.work);
	return drain.safe;
}

/**
 * krping_cq_drain_qps() - move all QPs to the error state and drain them
 * @cq: the CQ, with or without QPs
 *
 * Context: process context. Failed completions still become errors of the test, unless the caller
 * has called krping_queue_end(), as krping_cq_drain() does.
 *
 * Return: as krping_drain_queues().
 */
bool krping_cq_drain_qps(struct krping_cq *cq)
{
	bool safe;

	mutex_lock(&cq->drain_lock);
	if (cq->poll && !list_empty(&cq->queues))
		safe = krping_cq_drain_polled(cq);
	else
		safe = krping_drain_queues(cq);
	mutex_unlock(&cq->drain_lock);
	return safe;
}

/**
 * krping_cq_drain() - ignore further errors of all QPs, and drain the QPs
 * @cq: the thread's CQ, with or without QPs
 *
 * Context: the test's thread, which posts no WR afterwards. krping_recv_done() ignores
 * messages that still arrive. A handler that is running in the CQ's context may still
 * post a WR. The device flushes this WR. Nobody needs its completion, and no handler runs
 * after krping_cq_free().
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

/* Return the jiffies left until @since + @after; 0 if that time has passed. */
static long krping_jiffies_left(unsigned long since, long after)
{
	long passed = jiffies - since;

	/* Another CPU may write @since, so it may be newer than the jiffies read here. */
	passed = max(passed, 0L);
	return passed < after ? after - passed : 0;
}

/*
 * Return the jiffies left until the nearest deadline of the wait; 0 if it has passed. With
 * @full_grace, the timeout does not shorten the grace period of a flushed WR.
 */
static long krping_wait_left(const struct krping_cq *cq, u32 timeout_ms, bool full_grace)
{
	const struct krping_status *status = cq->status;
	/* pairs with krping_status_flushed() */
	bool flushed = smp_load_acquire(&status->flushed);
	long left = MAX_SCHEDULE_TIMEOUT;

	if (timeout_ms && !(flushed && full_grace))
		left = krping_jiffies_left(READ_ONCE(cq->progress),
					   msecs_to_jiffies(timeout_ms));
	if (flushed)
		left = min(left, krping_jiffies_left(status->flushed_at,
						     READ_ONCE(status->removing) ?
						     KRPING_REMOVAL_GRACE :
						     KRPING_FLUSH_GRACE));
	/* pairs with krping_status_stop() */
	if (smp_load_acquire(&status->stop_error))
		left = min(left, krping_jiffies_left(status->stop_at,
						     KRPING_STOP_GRACE));
	return left;
}

/* Check whether the status has changed since the caller has read @flushed and @stop_error. */
static bool krping_wait_changes(const struct krping_cq *cq, bool flushed,
				int stop_error)
{
	const struct krping_status *status = cq->status;

	return READ_ONCE(status->error) || READ_ONCE(status->disconnected) ||
	       READ_ONCE(status->flushed) != flushed ||
	       READ_ONCE(status->stop_error) != stop_error;
}

/*
 * Drain the thread's QPs, because a pending completion may have the cause of the lost connection.
 * Return the test's error, or 0.
 */
static int krping_wait_settle(struct krping_cq *cq)
{
	struct krping_cq *other = cq;

	do {
		krping_cq_drain_qps(other);
		other = list_next_entry(other, group);
	} while (other != cq);
	return krping_status_error(cq->status);
}

/* Wait as krping_wait() does, without the tracepoints. See krping_wait_left() for @full_grace. */
static int krping_wait_for(struct krping_cq *cq, bool (*done)(void *arg), void *arg,
			   u32 timeout_ms, bool full_grace)
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

		left = krping_wait_left(cq, timeout_ms, full_grace);
		if (!left || READ_ONCE(status->disconnected))
			break;
		if (polling || cq->spin)
			cond_resched_tasks_rcu_qs();
		else
			wait_event_idle_timeout(status->wait,
						done(arg) ||
						krping_wait_changes(cq, flushed,
								    stop_error),
						left);
	}

	/* A stop takes precedence over a disconnect or a flush that it caused. */
	if (krping_status_stopped(status))
		return krping_status_error(status);
	if (!READ_ONCE(status->disconnected) && !READ_ONCE(status->flushed))
		return -ETIMEDOUT;
	if (krping_wait_settle(cq))
		return krping_status_error(status);
	/*
	 * After a disconnect, -ECONNRESET replaces an error of krping_status_defer(), because the
	 * disconnect explains more. An error of krping_status_defer_firm() stays.
	 */
	if ((!READ_ONCE(status->disconnected) || READ_ONCE(status->deferred_firm)) &&
	    krping_status_deferred(status))
		return krping_status_error(status);
	return -ECONNRESET;
}

static int krping_wait_traced(struct krping_cq *cq, bool (*done)(void *arg), void *arg,
			      u32 timeout_ms, bool full_grace)
{
	int ret;

	trace_krping_wait_begin(cq->status->id, timeout_ms);
	ret = krping_wait_for(cq, done, arg, timeout_ms, full_grace);
	trace_krping_wait_end(cq->status->id, ret);
	return ret;
}

/**
 * krping_wait() - wait until a condition holds or the test ends
 * @cq: the thread's CQ after krping_cq_init(), also before krping_cq_alloc()
 * @done: returns true once the condition holds; called often, in this thread;
 *	must not sleep
 * @arg: argument of @done
 * @timeout_ms: maximum time since krping_cq_progress() in ms; 0: no timeout
 *
 * Until its teardown, a test's thread waits for its peer and for events only here.
 * The thread sleeps, or polls the CQ if @cq->poll and @cq->running are set. A stop
 * ends the wait at once, or after a grace period if @cq->graceful is set.
 *
 * Return: 0 if the condition holds; the test's error if the status has one;
 * -ECONNRESET if the connection is lost and the status has no error; -ETIMEDOUT after
 * @timeout_ms. The caller records -ECONNRESET and -ETIMEDOUT, because only the
 * caller can name the event that did not arrive.
 */
int krping_wait(struct krping_cq *cq, bool (*done)(void *arg), void *arg,
		u32 timeout_ms)
{
	return krping_wait_traced(cq, done, arg, timeout_ms, false);
}

/**
 * krping_wait_alive() - wait as krping_wait() does, and send keep-alive messages meanwhile
 * @cq: as for krping_wait()
 * @done: as for krping_wait()
 * @arg: argument of @done
 * @timeout_ms: maximum time in ms since the last krping_cq_progress() before the call; 0: no
 *	timeout
 * @alive: sends the keep-alive messages that are due, and returns the ms until more are due, at
 *	least 1; or a negative errno, which ends the wait; or NULL
 * @alive_arg: argument of @alive
 *
 * Return: as krping_wait(), or the error of @alive.
 */
int krping_wait_alive(struct krping_cq *cq, bool (*done)(void *arg), void *arg, u32 timeout_ms,
		      int (*alive)(void *arg), void *alive_arg)
{
	unsigned long start = READ_ONCE(cq->progress);
	u32 waited;
	int ret;

	if (!alive)
		return krping_wait(cq, done, arg, timeout_ms);
	do {
		int pause = alive(alive_arg);

		if (pause < 0)
			return pause;
		/* Another CPU may write cq->progress, so @start may be newer than jiffies. */
		waited = jiffies_to_msecs(max_t(long, jiffies - start, 0));
		if (timeout_ms && waited >= timeout_ms)
			return done(arg) ? 0 : -ETIMEDOUT;
		krping_cq_progress(cq);
		if (timeout_ms)
			pause = min_t(u32, timeout_ms - waited, pause);
		ret = krping_wait_traced(cq, done, arg, pause, true);
		/* The test's error may be -ETIMEDOUT, too. */
	} while (ret == -ETIMEDOUT && !krping_status_error(cq->status));
	return ret;
}

/**
 * krping_wait_gone() - wait in the teardown for answers to disconnects, for a limited time
 * @status: the test's status
 * @done: as for krping_wait()
 * @arg: argument of @done
 * @until: when the wait ends at the latest, in jiffies
 *
 * Context: the test's thread, in the teardown, where krping_wait() would return at once because
 * the test has ended. krping_status_hurry() ends the wait.
 */
void krping_wait_gone(struct krping_status *status, bool (*done)(void *arg), void *arg,
		      unsigned long until)
{
	unsigned long now = jiffies;

	/* A lost or silent peer does not answer, and a removed device receives no answer. */
	switch (krping_status_error(status)) {
	case -ECONNRESET:
	case -ENODEV:
	case -ETIMEDOUT:
		return;
	default:
		WRITE_ONCE(status->parting, true);
		wait_event_idle_timeout(status->wait, done(arg) || READ_ONCE(status->hurry),
					time_before(now, until) ? until - now : 0);
	}
}

/**
 * krping_queues_init() - create the workqueue that drains polled CQs
 *
 * Return: 0 or -ENOMEM.
 */
int krping_queues_init(void)
{
	krping_drain_wq = alloc_workqueue("krping_drain", WQ_UNBOUND, 0);
	return krping_drain_wq ? 0 : -ENOMEM;
}

/**
 * krping_queues_exit() - destroy the workqueue of krping_queues_init()
 *
 * The caller has freed all CQs.
 */
void krping_queues_exit(void)
{
	destroy_workqueue(krping_drain_wq);
}
