// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The status of a test, which keeps the first error.
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>

#include "status.h"
#include "trace.h"

/**
 * krping_status_init() - initialise a status without an error
 * @status: initialised by this function
 */
void krping_status_init(struct krping_status *status)
{
	memset(status, 0, sizeof(*status));
	spin_lock_init(&status->lock);
	init_waitqueue_head(&status->wait);
}

/* Store an error, unless the status has one or is closed. Return the first error, or 0. */
__printf(4, 0)
static int krping_status_vset(struct krping_status *status, int error,
			      const struct ib_wc *wc, const char *fmt, va_list args)
{
	unsigned long flags;
	bool first;

	spin_lock_irqsave(&status->lock, flags);
	first = !status->error && !status->closed;
	/* A stop takes precedence over the disconnect that it caused. */
	if (first && error == -ECONNRESET && status->stop_error) {
		strscpy(status->detail, status->stop_why, sizeof(status->detail));
		WRITE_ONCE(status->error, status->stop_error);
	} else if (first) {
		status->has_wc = wc;
		status->wc_status = wc ? wc->status : IB_WC_SUCCESS;
		status->vendor_err = wc ? wc->vendor_err : 0;
		vsnprintf(status->detail, sizeof(status->detail), fmt, args);
		WRITE_ONCE(status->error, error);
	}
	error = status->error;
	spin_unlock_irqrestore(&status->lock, flags);

	if (first) {
		trace_krping_error(status->id, error, status->detail);
		wake_up_all(&status->wait);
	}
	return error;
}

/**
 * krping_status_set() - store the error of a test, unless it has one already
 * @status: the test's status
 * @error: negative errno, which write(2) returns
 * @fmt: text for the user: what failed, and what to do about it
 *
 * Context: any context. The function wakes the test's thread. After krping_status_stop(), the
 * function stores the error of the stop instead of an @error of -ECONNRESET.
 *
 * Return: the first error of the test, this one or an earlier one; 0 if the test
 * has already ended in order.
 */
int krping_status_set(struct krping_status *status, int error, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	error = krping_status_vset(status, error, NULL, fmt, args);
	va_end(args);
	return error;
}

/**
 * krping_status_set_wc() - store the error of a failed completion
 * @status: the test's status
 * @error: negative errno
 * @wc: the completion
 * @fmt: text for the user
 *
 * Context and return value as for krping_status_set().
 */
int krping_status_set_wc(struct krping_status *status, int error,
			 const struct ib_wc *wc, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	error = krping_status_vset(status, error, wc, fmt, args);
	va_end(args);
	return error;
}

/**
 * krping_status_set_root() - store the error that made the peer disconnect
 * @status: the test's status
 * @error: negative errno of another connection of the same peer
 * @fmt: text for the user
 *
 * As krping_status_set(), but @error also replaces -ECONNRESET, because the peer ends its
 * test and disconnects all connections when one connection has failed.
 *
 * Return: as krping_status_set().
 */
int krping_status_set_root(struct krping_status *status, int error,
			   const char *fmt, ...)
{
	unsigned long flags;
	va_list args;

	spin_lock_irqsave(&status->lock, flags);
	if (status->error == -ECONNRESET && error != -ECONNRESET) {
		status->has_wc = false;
		WRITE_ONCE(status->error, 0);
	}
	spin_unlock_irqrestore(&status->lock, flags);

	va_start(args, fmt);
	error = krping_status_vset(status, error, NULL, fmt, args);
	va_end(args);
	return error;
}

/**
 * krping_status_forget() - forget the error of a lost connection
 * @status: the test's status
 *
 * Context: the test's thread, which has no connection and connects again. A stop stays in
 * effect, and ends the next krping_wait().
 */
void krping_status_forget(struct krping_status *status)
{
	unsigned long flags;

	spin_lock_irqsave(&status->lock, flags);
	status->has_wc = false;
	status->vendor_err = 0;
	status->detail[0] = '\0';
	status->deferred = 0;
	status->deferred_firm = false;
	WRITE_ONCE(status->removing, false);
	status->deferred_why[0] = '\0';
	WRITE_ONCE(status->error, 0);
	WRITE_ONCE(status->disconnected, false);
	WRITE_ONCE(status->flushed, false);
	spin_unlock_irqrestore(&status->lock, flags);
}

/**
 * krping_status_close() - note that the test has ended
 * @status: the test's status
 *
 * Context: any context. If the test has no error, an error that krping_status_defer_firm() has
 * stored becomes its error. The status ignores later errors.
 *
 * Return: 0, or the first error of the test.
 */
int krping_status_close(struct krping_status *status)
{
	unsigned long flags;
	int error;

	spin_lock_irqsave(&status->lock, flags);
	if (!status->error && status->deferred_firm) {
		strscpy(status->detail, status->deferred_why, sizeof(status->detail));
		WRITE_ONCE(status->error, status->deferred);
	}
	status->closed = true;
	error = status->error;
	spin_unlock_irqrestore(&status->lock, flags);
	return error;
}

/**
 * krping_status_stop() - ask the test to end
 * @status: the test's status
 * @error: negative errno of the test's result
 * @why: text that explains @error; a string constant
 *
 * Context: any context; wakes the test's thread. The test ends at once, or within a grace
 * period in which its peer can end without an error: see krping_wait().
 */
void krping_status_stop(struct krping_status *status, int error, const char *why)
{
	unsigned long flags;

	spin_lock_irqsave(&status->lock, flags);
	if (!status->stop_error) {
		status->stop_why = why;
		status->stop_at = jiffies;
		/* pairs with krping_status_stopped() and krping_wait_left() */
		smp_store_release(&status->stop_error, error);
	}
	spin_unlock_irqrestore(&status->lock, flags);
	wake_up_all(&status->wait);
}

/**
 * krping_status_stopped() - end the test if it was asked to stop
 * @status: the test's status
 *
 * Context: any context. The test calls this function where it can end in order.
 *
 * Return: the first error of the test; 0 if it has none and was not asked to stop.
 */
int krping_status_stopped(struct krping_status *status)
{
	/* pairs with krping_status_stop() */
	int error = smp_load_acquire(&status->stop_error);

	if (!error)
		return krping_status_error(status);
	return krping_status_set(status, error, "%s", status->stop_why);
}

/**
 * krping_status_hurry() - end the teardown's wait for the peer
 * @status: the test's status
 *
 * Context: any context; wakes the test's thread. krping_wait_gone() returns at once.
 */
void krping_status_hurry(struct krping_status *status)
{
	WRITE_ONCE(status->hurry, true);
	wake_up_all(&status->wait);
}

/**
 * krping_status_disconnected() - note that the peer has disconnected
 * @status: the test's status
 *
 * Context: any context; wakes the test's thread. The thread decides whether the disconnect
 * is an error, because this depends on the state of the test.
 */
void krping_status_disconnected(struct krping_status *status)
{
	unsigned long flags;

	spin_lock_irqsave(&status->lock, flags);
	WRITE_ONCE(status->disconnected, true);
	spin_unlock_irqrestore(&status->lock, flags);
	wake_up_all(&status->wait);
}

/**
 * krping_status_flushed() - note that a WR was flushed
 * @status: the test's status
 *
 * Context: any context; wakes the test's thread. The QP is in the error state, but the event
 * with the reason may still be pending in the connection manager.
 */
void krping_status_flushed(struct krping_status *status)
{
	unsigned long flags;
	bool first;

	spin_lock_irqsave(&status->lock, flags);
	first = !status->flushed;
	if (first) {
		status->flushed_at = jiffies;
		/* pairs with krping_wait_left() */
		smp_store_release(&status->flushed, true);
	}
	spin_unlock_irqrestore(&status->lock, flags);
	if (first)
		wake_up_all(&status->wait);
}

/* Store a deferred error, unless there is one already. */
__printf(4, 0)
static void krping_status_vdefer(struct krping_status *status, int error, bool firm,
				 const char *fmt, va_list args)
{
	unsigned long flags;

	spin_lock_irqsave(&status->lock, flags);
	if (!status->deferred) {
		vsnprintf(status->deferred_why, sizeof(status->deferred_why), fmt, args);
		status->deferred_firm = firm;
		if (firm)
			WRITE_ONCE(status->removing, true);
		status->deferred = error;
	}
	spin_unlock_irqrestore(&status->lock, flags);
}

/**
 * krping_status_defer() - note an error whose cause may follow
 * @status: the test's status
 * @error: negative errno
 * @fmt: text for the user
 *
 * Context: any context; wakes the test's thread. The function calls krping_status_flushed(), which
 * starts the grace period. If neither an error nor a disconnect follows in this period, the test
 * ends with @error. The status keeps the first deferred error.
 */
void krping_status_defer(struct krping_status *status, int error, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	krping_status_vdefer(status, error, false, fmt, args);
	va_end(args);
	krping_status_flushed(status);
}

/**
 * krping_status_defer_firm() - defer an error that a disconnect does not replace
 * @status: the test's status
 * @error: negative errno
 * @fmt: text for the user
 *
 * As krping_status_defer(), but the test also ends with @error after a disconnect, or if the
 * test ends without another krping_wait(). The grace period is longer, because the driver may
 * remove the device.
 */
void krping_status_defer_firm(struct krping_status *status, int error, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	krping_status_vdefer(status, error, true, fmt, args);
	va_end(args);
	krping_status_flushed(status);
}

/**
 * krping_status_deferred() - end the test with its deferred error
 * @status: the test's status
 *
 * Context: the test's thread, after the grace period.
 *
 * Return: the first error of the test; 0 if it has neither an error nor a deferred one.
 */
int krping_status_deferred(struct krping_status *status)
{
	char why[KRPING_DEFERRED_MAX];
	unsigned long flags;
	int error;

	spin_lock_irqsave(&status->lock, flags);
	error = status->deferred;
	strscpy(why, status->deferred_why, sizeof(why));
	spin_unlock_irqrestore(&status->lock, flags);
	return error ? krping_status_set(status, error, "%s", why) : krping_status_error(status);
}
