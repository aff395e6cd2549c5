/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Why a test ends. Errors come from completions, from the connection manager,
 * from the thread and from whoever stops the test, in any order; the first one
 * that says something decides, and none is ever overwritten.
 */
#ifndef KRPING_STATUS_H
#define KRPING_STATUS_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <rdma/ib_verbs.h>

/* Room for what went wrong, in words, with its NUL. */
#define KRPING_DETAIL_MAX	192

/**
 * struct krping_status - the end of a test, or that it has not come yet
 * @lock: guards the fields below
 * @wait: where the test's thread sleeps; woken at every change
 * @error: 0 or the negative errno that decides
 * @closed: the test has done all that it should; nothing that comes later counts
 * @wc_status: wc_status of the failed WR, if @has_wc
 * @has_wc: @error came from a completion
 * @stop_error: somebody wants the test to end with this negative errno
 * @stop_why: @stop_error in words
 * @stop_at: since when, in jiffies
 * @disconnected: the peer has disconnected, in order or not
 * @flushed: a WR was flushed, which is a consequence and never a cause
 * @flushed_at: when that was first seen, in jiffies
 * @detail: @error in words for the user, "" without an error
 */
struct krping_status {
	spinlock_t lock; /* see above */
	wait_queue_head_t wait;
	int error;
	bool closed;
	enum ib_wc_status wc_status;
	bool has_wc;
	int stop_error;
	const char *stop_why;
	unsigned long stop_at;
	bool disconnected;
	bool flushed;
	unsigned long flushed_at;
	char detail[KRPING_DETAIL_MAX];
};

void krping_status_init(struct krping_status *status);
__printf(3, 4)
int krping_status_set(struct krping_status *status, int error, const char *fmt, ...);
__printf(4, 5)
int krping_status_set_wc(struct krping_status *status, int error,
			 enum ib_wc_status wc_status, const char *fmt, ...);
__printf(3, 4)
int krping_status_set_root(struct krping_status *status, int error,
			   const char *fmt, ...);
int krping_status_close(struct krping_status *status);
void krping_status_stop(struct krping_status *status, int error, const char *why);
int krping_status_stopped(struct krping_status *status);
void krping_status_disconnected(struct krping_status *status);
void krping_status_flushed(struct krping_status *status);

/**
 * krping_status_loss() - why a wait has ended with -ECONNRESET, in words
 * @status: the cause
 *
 * A QP can fail without a cause in any completion: rxe's do if the network
 * interface's queue refuses a packet.
 *
 * Any context. Return: the beginning of a sentence; it says what was lost.
 */
static inline const char *krping_status_loss(const struct krping_status *status)
{
	return READ_ONCE(status->disconnected) ? "the peer disconnected" :
	       "the connection broke without a word from the peer";
}

/**
 * krping_status_error() - has something gone wrong?
 * @status: the cause
 *
 * Any context, and cheap enough for every step of a test.
 *
 * Return: 0, or the negative errno that decides.
 */
static inline int krping_status_error(const struct krping_status *status)
{
	return READ_ONCE(status->error);
}

/**
 * krping_alloc_errno() - what to call it when the core or a device gives us no
 *	PD, CQ, QP, MR or id
 * @error: the negative errno that it says
 *
 * Providers say all kinds of things when they have run out of something. To the
 * writer of a command, -EINVAL would mean that the command was wrong.
 *
 * Return: -ENODEV or -ENOMEM.
 */
static inline int krping_alloc_errno(int error)
{
	return error == -ENODEV ? -ENODEV : -ENOMEM;
}

#endif /* KRPING_STATUS_H */
