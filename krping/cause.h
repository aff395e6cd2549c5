/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Why a test ends. Errors come from completions, from the connection manager,
 * from the thread and from whoever stops the test, in any order; the first one
 * that says something decides, and none is ever overwritten.
 */
#ifndef KRPING_CAUSE_H
#define KRPING_CAUSE_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <rdma/ib_verbs.h>

/* Room for what went wrong, in words, with its NUL. */
#define KRPING_DETAIL_MAX	192

/**
 * struct krping_cause - the end of a test, or that it has not come yet
 * @lock: guards the fields below
 * @wait: where the test's thread sleeps; woken at every change
 * @error: 0 or the negative errno that decides
 * @closed: the test has done all that it should; nothing that comes later counts
 * @wc_status: status of the failed WR, if @has_wc
 * @has_wc: @error came from a completion
 * @stop_error: somebody wants the test to end with this negative errno
 * @stop_why: @stop_error in words
 * @stop_at: since when, in jiffies
 * @disconnected: the peer has disconnected, in order or not
 * @flushed: a WR was flushed, which is a consequence and never a cause
 * @flushed_at: when that was first seen, in jiffies
 * @detail: @error in words for the user, "" without an error
 */
struct krping_cause {
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

void krping_cause_init(struct krping_cause *cause);
__printf(3, 4)
int krping_cause_set(struct krping_cause *cause, int error, const char *fmt, ...);
__printf(4, 5)
int krping_cause_set_wc(struct krping_cause *cause, int error,
			enum ib_wc_status status, const char *fmt, ...);
__printf(3, 4)
int krping_cause_set_root(struct krping_cause *cause, int error,
			  const char *fmt, ...);
int krping_cause_close(struct krping_cause *cause);
void krping_cause_stop(struct krping_cause *cause, int error, const char *why);
int krping_cause_stopped(struct krping_cause *cause);
void krping_cause_disconnected(struct krping_cause *cause);
void krping_cause_flushed(struct krping_cause *cause);

/**
 * krping_cause_loss() - why a wait has ended with -ECONNRESET, in words
 * @cause: the cause
 *
 * A QP can fail without a cause in any completion: rxe's do if the network
 * interface's queue refuses a packet.
 *
 * Any context. Return: the beginning of a sentence; it says what was lost.
 */
static inline const char *krping_cause_loss(const struct krping_cause *cause)
{
	return READ_ONCE(cause->disconnected) ? "the peer disconnected" :
	       "the connection broke without a word from the peer";
}

/**
 * krping_cause_error() - has something gone wrong?
 * @cause: the cause
 *
 * Any context, and cheap enough for every step of a test.
 *
 * Return: 0, or the negative errno that decides.
 */
static inline int krping_cause_error(const struct krping_cause *cause)
{
	return READ_ONCE(cause->error);
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

#endif /* KRPING_CAUSE_H */
