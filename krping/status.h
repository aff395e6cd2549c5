/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The status of a test: its first error, and whether it was disconnected, flushed or stopped.
 *
 * Errors come from completions, from the connection manager, from the test's thread
 * and from stop, in any order. The status keeps the first error. Only
 * krping_status_set_root() replaces an error, and krping_status_forget() removes one.
 */
#ifndef KRPING_STATUS_H
#define KRPING_STATUS_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <rdma/ib_verbs.h>

/* Size of the text that explains an error, with its NUL. */
#define KRPING_DETAIL_MAX	192

/* Size of the text that explains a deferred error, with its NUL. */
#define KRPING_DEFERRED_MAX	96

/**
 * struct krping_status - status of a test
 * @id: id of the test; before the test has one, the id of its server, or 0
 * @lock: guards the fields below, except @wait, @removing, @parting and @hurry
 * @wait: wait queue of the test's threads; an error, a stop, a disconnect or a flush wakes them
 * @error: 0, or the first error, a negative errno
 * @closed: the test has ended, so the status ignores later errors
 * @wc_status: status of the failed WR, valid if @has_wc
 * @vendor_err: &ib_wc.vendor_err of the failed WR, valid if @has_wc
 * @has_wc: @error came from a completion
 * @stop_error: negative errno with which stop ends the test, or 0
 * @stop_why: @stop_error in words
 * @stop_at: time of the stop, in jiffies
 * @disconnected: a disconnect event has arrived
 * @flushed: a WR was flushed; an event with the reason may follow
 * @flushed_at: time of the first flush, in jiffies
 * @deferred: negative errno that becomes @error if no other error follows within the grace
 *	period; 0: none
 * @deferred_firm: use @deferred even if a disconnect follows
 * @deferred_why: text that explains @deferred
 * @removing: the device has failed or resets, and the driver may remove it
 * @parting: the teardown waits for the peers' answers to a disconnect
 * @hurry: the teardown shall not wait for these answers
 * @detail: text that explains @error to the user, "" without an error
 */
struct krping_status {
	u32 id;
	spinlock_t lock; /* see above */
	wait_queue_head_t wait;
	int error;
	bool closed;
	enum ib_wc_status wc_status;
	u32 vendor_err;
	bool has_wc;
	int stop_error;
	const char *stop_why;
	unsigned long stop_at;
	bool disconnected;
	bool flushed;
	unsigned long flushed_at;
	int deferred;
	bool deferred_firm;
	bool removing;
	bool parting;
	bool hurry;
	char deferred_why[KRPING_DEFERRED_MAX];
	char detail[KRPING_DETAIL_MAX];
};

void krping_status_init(struct krping_status *status);

/* Store an error, unless the test has one already. Return the test's error. */
__printf(3, 4)
int krping_status_set(struct krping_status *status, int error, const char *fmt, ...);

/* Store the error of a failed completion, as krping_status_set() does. */
__printf(4, 5)
int krping_status_set_wc(struct krping_status *status, int error,
			 const struct ib_wc *wc, const char *fmt, ...);

/* As krping_status_set(), but let the error replace -ECONNRESET, of which it is the cause. */
__printf(3, 4)
int krping_status_set_root(struct krping_status *status, int error,
			   const char *fmt, ...);

/* Remove the error of a lost connection, before the test connects again. */
void krping_status_forget(struct krping_status *status);

/* Ignore later errors, because the test has ended. Return the first error. */
int krping_status_close(struct krping_status *status);

/* Ask the test to end with @error, at once or within a grace period: see krping_wait(). */
void krping_status_stop(struct krping_status *status, int error, const char *why);

/* If the test was asked to stop, store the error of the stop. Return the first error. */
int krping_status_stopped(struct krping_status *status);

/* End the teardown's wait for the peers' answers to a disconnect. */
void krping_status_hurry(struct krping_status *status);

/* Note a disconnect event, or a flushed WR, and wake the test's thread. */
void krping_status_disconnected(struct krping_status *status);
void krping_status_flushed(struct krping_status *status);

/*
 * Note an error whose cause may follow. After a grace period the error becomes the test's error,
 * unless another error has followed. Without _firm, a disconnect also prevents this.
 */
__printf(3, 4)
void krping_status_defer(struct krping_status *status, int error, const char *fmt, ...);
__printf(3, 4)
void krping_status_defer_firm(struct krping_status *status, int error, const char *fmt, ...);

/* After the grace period, make the deferred error the test's error. Return the first error. */
int krping_status_deferred(struct krping_status *status);

/**
 * krping_status_loss() - explain why krping_wait() returned -ECONNRESET
 * @status: the test's status
 *
 * A QP can enter the error state without a failed completion. For example, a QP of rxe does
 * so if the network interface's queue drops a packet.
 *
 * Context: any context.
 *
 * Return: the first words of the detail.
 */
static inline const char *krping_status_loss(const struct krping_status *status)
{
	return READ_ONCE(status->disconnected) ? "the peer disconnected" :
	       "the connection was lost without a disconnect event";
}

/**
 * krping_status_ending() - check whether the test was asked to stop, or waits for peers at its end
 * @status: the test's status
 *
 * Context: any context.
 *
 * Return: true if a further stop is to end the wait of the teardown.
 */
static inline bool krping_status_ending(const struct krping_status *status)
{
	return READ_ONCE(status->stop_error) || READ_ONCE(status->parting);
}

/**
 * krping_status_error() - return the test's first error
 * @status: the test's status
 *
 * Context: any context. Cheap enough for each step of a test.
 *
 * Return: 0 or a negative errno.
 */
static inline int krping_status_error(const struct krping_status *status)
{
	return READ_ONCE(status->error);
}

/**
 * krping_alloc_errno() - map the error of a failed allocation of a PD, CQ, QP, MR or id
 * @error: the negative errno of the core or the device
 *
 * Providers return various errors when a resource is exhausted, among them -EINVAL,
 * which to the writer of a command would mean that the command is wrong.
 *
 * Return: -ENODEV or -ENOMEM.
 */
static inline int krping_alloc_errno(int error)
{
	return error == -ENODEV ? -ENODEV : -ENOMEM;
}

/**
 * krping_plural() - return the ending of a regular noun behind a number
 * @nr: the number
 */
static inline const char *krping_plural(u64 nr)
{
	return nr == 1 ? "" : "s";
}

#endif /* KRPING_STATUS_H */
