// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Reconnect a disk whose connection was lost.
 *
 * The test's thread suspends the requests, tears the connection down, and sets up another
 * connection by krping_thread_client(), as at the start of the test. krping_thread_client() ends
 * in krping_disk_attach(), which continues the requests. If no attempt succeeds in time, the test
 * ends as without the option reconnect, and the teardown fails the requests and removes the disk.
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/timer.h>

#include "compat.h"
#include "device.h"
#include "disk.h"
#include "thread.h"
#include "wait.h"

/* Pause before each attempt, so that a server that disconnects at once causes no load. */
#define KRPING_RECONNECT_PAUSE	250	/* milliseconds */

/**
 * struct krping_reconnect - the attempts after one loss of the connection
 * @thread: the client's thread
 * @timer: expires at @deadline, and ends the attempt that is then under way
 * @deadline: end of the time that the option reconnect allows, in jiffies
 * @expired: @timer has expired
 * @why: error that has ended the last connection or attempt
 */
struct krping_reconnect {
	struct krping_thread *thread;
	struct timer_list timer;
	unsigned long deadline;
	bool expired;
	char why[KRPING_DETAIL_MAX / 2];
};

/* End the time for attempts: set the error that ends the current attempt. */
static void krping_reconnect_expired(struct timer_list *timer)
{
	struct krping_reconnect *r = timer_container_of(r, timer, timer);

	/* The timer wheel expires very long timers early. */
	if (time_before(jiffies, r->deadline)) {
		mod_timer(timer, r->deadline);
		return;
	}
	WRITE_ONCE(r->expired, true);
	krping_status_set(r->thread->status, -ETIMEDOUT, "connecting took too long");
	/* Send a signal, because nothing else interrupts rdma_connect(). */
	send_sig(SIGINT, r->thread->task, 1);
}

/* Condition for krping_wait() in a pause, which only the timeout or an error ends. */
static bool krping_reconnect_never(void *arg)
{
	return false;
}

/* Sleep for the pause. Return 0, or the error of a test that was stopped meanwhile. */
static int krping_reconnect_pause(struct krping_thread *thread)
{
	int ret;

	krping_cq_progress(&thread->cq);
	ret = krping_wait(&thread->cq, krping_reconnect_never, NULL,
			  KRPING_RECONNECT_PAUSE);
	return ret == -ETIMEDOUT ? krping_status_error(thread->status) : ret;
}

/*
 * Tear the connection down and set up another one. On error the status has the reason. A stop
 * of the test ends the pause early.
 */
static int krping_reconnect_attempt(struct krping_reconnect *r)
{
	struct krping_thread *thread = r->thread;
	int ret;

	krping_thread_disconnect(thread);
	krping_thread_renew(thread);
	krping_status_forget(thread->status);
	ret = krping_reconnect_pause(thread);
	/* If the timer expired before krping_status_forget(), the timer's error is gone. */
	if (!ret && READ_ONCE(r->expired))
		ret = -ETIMEDOUT;
	if (!ret)
		ret = krping_thread_client(thread);
	if (!ret)
		thread->cq.running = true;
	return ret;
}

/*
 * Check whether the device is gone. The error -ENODEV of an attempt does not prove this, because
 * the error may also mean that the route now leads through another device.
 */
static bool krping_reconnect_device_removed(const struct krping_thread *thread)
{
	return krping_device_find(thread->conns->device) == -ENODEV;
}

/*
 * Check whether a later attempt can succeed after this error. -EIO may be temporary, because rxe
 * fails a SEND with a local error while the link is down. A request that causes -EIO on each
 * connection causes no endless loop: the request fails after KRPING_DISKIO_RETRIES reconnects.
 */
static bool krping_reconnect_helps(const struct krping_thread *thread, int error)
{
	switch (error) {
	case -ECONNRESET:
	case -ECONNREFUSED:
	case -ETIMEDOUT:
	case -EHOSTUNREACH:
	case -ENETUNREACH:
	case -EADDRNOTAVAIL:
	case -ENOMEM:
	case -EIO:
		return true;
	case -ENODEV:
		return !krping_reconnect_device_removed(thread);
	default:
		return false;
	}
}

/* Attempt to connect until an attempt succeeds, no attempt can succeed, or the time is over. */
static int krping_reconnect_loop(struct krping_reconnect *r)
{
	struct krping_status *status = r->thread->status;
	int ret = krping_status_error(status);

	while (ret && krping_reconnect_helps(r->thread, ret)) {
		if (READ_ONCE(r->expired)) {
			krping_status_forget(status);
			return krping_status_set(status, -ETIMEDOUT,
						 "no connection within reconnect=%u s: %s",
						 r->thread->opts.reconnect, r->why);
		}
		strscpy(r->why, status->detail, sizeof(r->why));
		ret = krping_reconnect_attempt(r);
	}
	return ret;
}

/**
 * krping_disk_reconnect() - connect again if the connection of a disk is lost
 * @thread: the client's thread, with or without a disk; the status has the error that
 *	has ended the thread's loop, or no error
 *
 * Context: the test's thread. Requests of the disk wait until there is a connection.
 *
 * Return: 0: there is a new connection; else a negative errno, after which the caller ends the
 * test. The status has the reason. Exception: if the status has no error before the call, the
 * function returns -ECONNRESET and sets no status.
 */
int krping_disk_reconnect(struct krping_thread *thread)
{
	struct krping_reconnect r = { .thread = thread };
	int error = krping_status_error(thread->status);
	int ret;

	if (!thread->block || !thread->opts.reconnect ||
	    !krping_reconnect_helps(thread, error))
		return error ?: -ECONNRESET;
	krping_disk_suspend(thread->block);
	r.deadline = jiffies + min_t(u64, (u64)thread->opts.reconnect * HZ,
				     MAX_JIFFY_OFFSET);
	timer_setup_on_stack(&r.timer, krping_reconnect_expired, 0);
	mod_timer(&r.timer, r.deadline);
	ret = krping_reconnect_loop(&r);
	timer_delete_sync(&r.timer);
	timer_destroy_on_stack(&r.timer);
	return ret;
}
