// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Functions that both sides of the ping/pong loop use.
 */
#define pr_fmt(fmt) "krping: " fmt

#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "ping_post.h"

/* Maximum number of data bytes that the option verbose logs. */
#define KRPING_VERBOSE_BYTES	64

/**
 * krping_ping_hand_over() - end a step, and wake the test's thread to go on
 * @p: one side of the loop
 * @step: KRPING_THREAD or KRPING_DONE
 *
 * Context: any context that runs a step.
 */
void krping_ping_hand_over(struct krping_ping *p,
			   enum krping_ping_step step)
{
	krping_ping_next(p, step);
	wake_up_all(&p->thread->status->wait);
}

/**
 * krping_ping_unexpected() - record that the peer sent an unexpected message
 * @p: one side of the loop
 *
 * Context: any context that runs a step.
 */
void krping_ping_unexpected(struct krping_ping *p)
{
	krping_status_set(p->thread->status, -EPROTO,
			  "the peer sent an unexpected message in iteration %llu",
			  p->iteration);
}

/**
 * krping_ping_wrong_length() - record that a message has a wrong length
 * @p: one side of the loop
 * @bytes: length of the message
 *
 * Context: any context that runs a step.
 */
void krping_ping_wrong_length(struct krping_ping *p, u32 bytes)
{
	krping_status_set(p->thread->status, -EPROTO,
			  "the peer sent a message of %u byte%s instead of %zu",
			  bytes, krping_plural(bytes), sizeof(struct krping_wire_msg));
}

/**
 * krping_ping_log_data() - log the first bytes of the ping data, as verbose requests
 * @id: id of the test
 * @what: words between the id and the data in the log line
 * @data: the data, which is untrusted
 * @len: bytes of @data that may be read
 *
 * Context: any context.
 */
void krping_ping_log_data(u32 id, const char *what, const u8 *data, size_t len)
{
	len = min_t(size_t, len, KRPING_VERBOSE_BYTES);
	pr_info("test %u: %s (64B max): |%*pE|\n", id, what,
		(int)strnlen((const char *)data, len), data);
}

/**
 * krping_mr_renew_or_end() - prepare a REG_MR with a new key; on error, end the test
 * @p: one side of the loop
 * @mr: the memory region, whose last key was invalidated by this side or by the peer
 *
 * Context: the context that runs the steps.
 *
 * Return: 0 or -EIO, which the function has recorded in the test's status.
 */
int krping_mr_renew_or_end(struct krping_ping *p, struct krping_mr *mr)
{
	int ret = krping_mr_renew(mr);

	if (unlikely(ret))
		krping_status_set(p->thread->status, ret,
				  "the device does not map a buffer of %zu byte%s",
				  mr->buf->size, krping_plural(mr->buf->size));
	return ret;
}

/**
 * krping_ping_in_order() - check whether the peer may finish or disconnect now
 * @p: one side of the loop
 *
 * Context: any context.
 *
 * Return: true for a server that is between two iterations and has run the negotiated
 * count, if there is one.
 */
bool krping_ping_in_order(const struct krping_ping *p)
{
	const struct krping_thread *thread = p->thread;

	return !krping_is_client(thread) &&
	       krping_ping_step(p) == KRPING_AWAIT_SOURCE &&
	       (!thread->opts.count || thread->iterations == thread->opts.count);
}

/**
 * krping_ping_alloc_mr() - allocate a memory region on the connection's PD
 * @p: one side of the loop
 * @mr: filled in
 * @buf: the buffer, which must outlive @mr
 * @access: IB_ACCESS_* of each registration
 *
 * Context: process context.
 *
 * Return: 0 or a negative errno, which the caller records.
 */
int krping_ping_alloc_mr(struct krping_ping *p, struct krping_mr *mr,
			 const struct krping_buf *buf, int access)
{
	struct krping_queue *q = &p->conn->queue;

	return krping_mr_alloc(mr, p->conn->pd, buf, access,
			       krping_queue_cqe(q, KRPING_OP_REG),
			       krping_queue_cqe(q, KRPING_OP_INV));
}
