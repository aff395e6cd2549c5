// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Why a test ends: the first cause wins.
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>

#include "cause.h"
#include "trace.h"

/**
 * krping_cause_init() - start without a cause
 * @cause: to be initialised
 */
void krping_cause_init(struct krping_cause *cause)
{
	memset(cause, 0, sizeof(*cause));
	spin_lock_init(&cause->lock);
	init_waitqueue_head(&cause->wait);
}

__printf(5, 0)
static int krping_cause_vset(struct krping_cause *cause, int error, bool has_wc,
			     enum ib_wc_status status, const char *fmt,
			     va_list args)
{
	unsigned long flags;
	bool first;

	spin_lock_irqsave(&cause->lock, flags);
	first = !cause->error && !cause->closed;
	/* A stop that was asked for comes before what may have come of it. */
	if (first && error == -ECONNRESET && cause->stop_error) {
		strscpy(cause->detail, cause->stop_why, sizeof(cause->detail));
		WRITE_ONCE(cause->error, cause->stop_error);
	} else if (first) {
		cause->has_wc = has_wc;
		cause->wc_status = status;
		vsnprintf(cause->detail, sizeof(cause->detail), fmt, args);
		WRITE_ONCE(cause->error, error);
	}
	error = cause->error;
	spin_unlock_irqrestore(&cause->lock, flags);

	if (first) {
		trace_krping_cause(cause, error, cause->detail);
		wake_up_all(&cause->wait);
	}
	return error;
}

/**
 * krping_cause_set() - end the test with an error, unless it has one already
 * @cause: the test's cause
 * @error: negative errno, as write(2) shall return it
 * @fmt: what happened and what to do about it, in words for the user
 *
 * -ECONNRESET becomes the error of krping_cause_stop() if that was there before.
 * Any context. Wakes the test's thread.
 *
 * Return: the error that decides, be it this one or an earlier one; 0 if the
 * test has already done all that it should.
 */
int krping_cause_set(struct krping_cause *cause, int error, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	error = krping_cause_vset(cause, error, false, IB_WC_SUCCESS, fmt, args);
	va_end(args);
	return error;
}

/**
 * krping_cause_set_wc() - as krping_cause_set(), because of a completion
 * @cause: the test's cause
 * @error: negative errno
 * @status: the completion's status
 * @fmt: what happened
 *
 * Return: the error that decides.
 */
int krping_cause_set_wc(struct krping_cause *cause, int error,
			enum ib_wc_status status, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	error = krping_cause_vset(cause, error, true, status, fmt, args);
	va_end(args);
	return error;
}

/**
 * krping_cause_set_root() - end the test with what made the peer disconnect
 * @cause: the test's cause
 * @error: negative errno of another connection of the same peer
 * @fmt: what happened
 *
 * As krping_cause_set(), but an -ECONNRESET that was set before is replaced: one
 * connection fails, the peer ends its test, and disconnects the others.
 *
 * Return: the error that decides.
 */
int krping_cause_set_root(struct krping_cause *cause, int error,
			  const char *fmt, ...)
{
	unsigned long flags;
	va_list args;

	spin_lock_irqsave(&cause->lock, flags);
	if (cause->error == -ECONNRESET && error != -ECONNRESET) {
		cause->has_wc = false;
		WRITE_ONCE(cause->error, 0);
	}
	spin_unlock_irqrestore(&cause->lock, flags);

	va_start(args, fmt);
	error = krping_cause_vset(cause, error, false, IB_WC_SUCCESS, fmt, args);
	va_end(args);
	return error;
}

/**
 * krping_cause_close() - the test has done all that it should
 * @cause: the test's cause
 *
 * Any context. Unless the test has an error already it will have none.
 *
 * Return: 0, or the error that decides.
 */
int krping_cause_close(struct krping_cause *cause)
{
	unsigned long flags;
	int error;

	spin_lock_irqsave(&cause->lock, flags);
	cause->closed = true;
	error = cause->error;
	spin_unlock_irqrestore(&cause->lock, flags);
	return error;
}

/**
 * krping_cause_stop() - ask the test to end
 * @cause: the test's cause
 * @error: negative errno that it shall end with
 * @why: @error in words; a string that stays
 *
 * Any context; wakes the test's thread. It ends at once, or a little later if
 * that spares its peer an error: see krping_wait().
 */
void krping_cause_stop(struct krping_cause *cause, int error, const char *why)
{
	unsigned long flags;

	spin_lock_irqsave(&cause->lock, flags);
	if (!cause->stop_error) {
		cause->stop_why = why;
		cause->stop_at = jiffies;
		/* pairs with krping_cause_stopped() and krping_wait_left() */
		smp_store_release(&cause->stop_error, error);
	}
	spin_unlock_irqrestore(&cause->lock, flags);
	wake_up_all(&cause->wait);
}

/**
 * krping_cause_stopped() - a good moment to end, if somebody wants that
 * @cause: the test's cause
 *
 * Any context.
 *
 * Return: the error that decides; 0 if there is none and nobody wants one.
 */
int krping_cause_stopped(struct krping_cause *cause)
{
	/* pairs with krping_cause_stop() */
	int error = smp_load_acquire(&cause->stop_error);

	if (!error)
		return krping_cause_error(cause);
	return krping_cause_set(cause, error, "%s", cause->stop_why);
}

/**
 * krping_cause_disconnected() - note that the connection is gone
 * @cause: the test's cause
 *
 * Whether that is an error depends on where the test stands, which only its
 * thread can tell. Any context; wakes the thread.
 */
void krping_cause_disconnected(struct krping_cause *cause)
{
	unsigned long flags;

	spin_lock_irqsave(&cause->lock, flags);
	WRITE_ONCE(cause->disconnected, true);
	spin_unlock_irqrestore(&cause->lock, flags);
	wake_up_all(&cause->wait);
}

/**
 * krping_cause_flushed() - note that a WR was flushed
 * @cause: the test's cause
 *
 * The QP is in error and nothing more will come of it. The cause may still be
 * on its way through the connection manager. Any context; wakes the thread.
 */
void krping_cause_flushed(struct krping_cause *cause)
{
	unsigned long flags;
	bool first;

	spin_lock_irqsave(&cause->lock, flags);
	first = !cause->flushed;
	if (first) {
		cause->flushed_at = jiffies;
		/* pairs with krping_wait_left() */
		smp_store_release(&cause->flushed, true);
	}
	spin_unlock_irqrestore(&cause->lock, flags);
	if (first)
		wake_up_all(&cause->wait);
}
