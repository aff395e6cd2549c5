// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What both sides of the ping/pong loop do in a step: post, hand over to the
 * thread, check a message, register.
 */
#define pr_fmt(fmt) "krping: " fmt

#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "ping_post.h"

/* Bytes of data that verbose logs. */
#define KRPING_VERBOSE_BYTES	64

/* Wake the thread, for work that takes long or at the end. */
void krping_ping_hand_over(struct krping_ping *p,
			   enum krping_ping_step step)
{
	krping_ping_next(p, step);
	wake_up_all(&p->thread->status->wait);
}

void krping_ping_unexpected(struct krping_ping *p)
{
	krping_status_set(p->thread->status, -EPROTO,
			  "the peer sent a message out of turn in iteration %llu",
			  p->iteration);
}

void krping_ping_wrong_length(struct krping_ping *p, u32 bytes)
{
	krping_status_set(p->thread->status, -EPROTO,
			  "the peer sent a message of %u bytes instead of %zu",
			  bytes, sizeof(struct krping_wire_msg));
}

void krping_ping_log_data(const char *what, const u8 *data, size_t len)
{
	len = min_t(size_t, len, KRPING_VERBOSE_BYTES);
	pr_info("%s (64B max): |%*pE|\n", what,
		(int)strnlen((const char *)data, len), data);
}

int krping_mr_renew_or_end(struct krping_ping *p, struct krping_mr *mr)
{
	int ret = krping_mr_renew(mr);

	if (unlikely(ret))
		krping_status_set(p->thread->status, ret,
				  "the device does not map a buffer of %zu bytes",
				  mr->buf->size);
	return ret;
}

/* Check whether the peer may finish or disconnect in this step. */
bool krping_ping_in_order(const struct krping_ping *p)
{
	const struct krping_thread *thread = p->thread;

	return !krping_is_client(thread) &&
	       krping_ping_step(p) == KRPING_AWAIT_SOURCE &&
	       (!thread->opts.count || thread->iterations == thread->opts.count);
}

int krping_ping_alloc_mr(struct krping_ping *p, struct krping_mr *mr,
			 const struct krping_buf *buf, int access)
{
	struct krping_queue *q = &p->conn->queue;

	return krping_mr_alloc(mr, p->conn->pd, buf, access,
			       krping_queue_cqe(q, KRPING_OP_REG),
			       krping_queue_cqe(q, KRPING_OP_INV));
}
