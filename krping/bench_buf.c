// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Set up and clean up a microbenchmark's connection: buffers, MRs, control messages and RECVs. Fill
 * in the SGEs of operations. With a stride, operations use several addresses of the buffer (slots)
 * in turn.
 */
#include <linux/kernel.h>
#include <linux/scatterlist.h>

#include "bench_buf.h"

/*
 * Return the access rights of a buffer's MR. If @shared is true, the peer accesses the buffer; else
 * the buffer is the local one, the source or sink of this side's operations. On iWARP the sink of a
 * READ needs remote write access.
 */
static int krping_bench_access(const struct krping_bench *b, bool shared)
{
	bool read = b->op == KRPING_OP_READ;

	if (!shared)
		return IB_ACCESS_LOCAL_WRITE |
		       (read && krping_conn_iwarp(b->conn) ?
			IB_ACCESS_REMOTE_WRITE : 0);
	if (b->thread->opts.atomic)
		return IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_ATOMIC;
	return read ? IB_ACCESS_REMOTE_READ :
	       IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE;
}

/* Allocate a buffer, and, if @registered, an MR for the buffer. */
static int krping_bench_alloc_buf(struct krping_bench *b, struct krping_buf *buf,
				  struct krping_mr *mr, bool registered)
{
	struct ib_device *device = b->conn->pd->device;
	struct krping_queue *q = &b->conn->queue;
	u64 size = b->plan->span;
	int ret;

	if (buf == &b->local && !registered && b->plan->pieces)
		ret = krping_buf_alloc_pieces(buf, device, size, b->plan->pieces,
					      DMA_BIDIRECTIONAL);
	else
		ret = krping_buf_alloc(buf, device, size, !registered,
				       DMA_BIDIRECTIONAL);
	if (ret || !registered)
		return ret;
	return krping_mr_alloc(mr, b->conn->pd, buf,
			       krping_bench_access(b, buf == &b->shared),
			       krping_queue_cqe(q, KRPING_OP_REG),
			       krping_queue_cqe(q, KRPING_OP_INV));
}

/*
 * With the option share, one MR covers the buffers of all connections. Use those of this connection
 * instead of allocating buffers.
 */
static int krping_bench_take(struct krping_bench *b)
{
	const struct krping_plan *plan = b->plan;
	struct krping_share *share = b->conn->share;
	struct krping_share_need need = { .size = plan->span, .parts = plan->parts };
	u32 nr;
	int ret;

	if (plan->local_reg)
		need.access = krping_bench_access(b, false);
	if (plan->shared_reg)
		need.access |= krping_bench_access(b, true);
	ret = krping_share_take(share, &b->conn->queue, &need, &nr);
	if (ret)
		return ret;
	nr *= plan->parts;
	if (plan->local_reg) {
		b->local = share->bufs[nr];
		b->local_key = &share->mr;
		b->local_off = krping_share_offset(share->size, nr++);
	}
	if (plan->shared_reg) {
		b->shared = share->bufs[nr];
		b->shared_key = &share->mr;
		b->shared_off = krping_share_offset(share->size, nr);
	}
	return 0;
}

/* Allocate the control messages, and the buffers and MRs that the plan needs. */
static int krping_bench_alloc(struct krping_bench *b)
{
	const struct krping_plan *plan = b->plan;
	int ret;

	ret = krping_ctlmsg_alloc(&b->control, b->conn);
	if (!ret && b->conn->share)
		ret = krping_bench_take(b);
	if (!ret && plan->local && !b->local_key)
		ret = krping_bench_alloc_buf(b, &b->local, &b->local_mr,
					     plan->local_reg);
	if (!ret && plan->shared && !b->shared_key)
		ret = krping_bench_alloc_buf(b, &b->shared, &b->shared_mr,
					     plan->shared_reg);
	if (b->local_mr.mr)
		b->local_key = &b->local_mr;
	if (b->shared_mr.mr)
		b->shared_key = &b->shared_mr;
	if (!ret && plan->notifies)
		ret = krping_dma_alloc(&b->notify, b->conn->pd->device,
				       sizeof(struct krping_wire_msg),
				       DMA_TO_DEVICE);
	return ret;
}

/**
 * krping_bench_setup() - allocate a connection's buffers, MRs and messages, and post its RECVs
 * @b: all zeros; filled in
 * @thread: the test
 * @conn: the connection, with a QP that is not connected yet
 * @ops: functions of the microbenchmark
 *
 * The function also initializes the data of the buffers. After an error, too, the caller calls
 * krping_bench_cleanup().
 *
 * Context: the test's thread.
 *
 * Return: 0, or a negative errno; the status has the reason.
 */
int krping_bench_setup(struct krping_bench *b, struct krping_thread *thread,
		       struct krping_conn *conn,
		       const struct krping_bench_ops *ops)
{
	int ret;

	b->thread = thread;
	b->conn = conn;
	b->plan = &thread->plan;
	b->op = thread->ops->op;
	b->ops = ops;
	if (krping_is_client(thread) && thread->opts.count)
		b->target = thread->opts.warmup + thread->opts.count;

	ret = krping_bench_alloc(b);
	if (ret == -EPROTO)
		return krping_status_set(thread->status, ret,
					 "share: the client's connections differ, or are too many");
	if (ret)
		return krping_status_set(thread->status, krping_alloc_errno(ret),
					 "no memory or MRs for buffers of %llu byte%s (%d)",
					 thread->plan.span, krping_plural(thread->plan.span), ret);
	krping_bench_fill(b);
	return krping_queue_start_recvs(&conn->queue);
}

/*
 * Free a buffer and its MR. If @key is not @mr but the MR of all connections, do nothing, because
 * krping_share_leave() frees that MR and its buffers.
 */
static void krping_bench_free_buf(struct krping_buf *buf, struct krping_mr *mr,
				  const struct krping_mr *key)
{
	bool own = !key || key == mr;

	krping_mr_free(mr);
	if (own)
		krping_buf_free(buf);
}

/**
 * krping_bench_cleanup() - free what krping_bench_setup() has allocated
 * @b: the connection, whose QP and CQ the caller has freed
 */
void krping_bench_cleanup(struct krping_bench *b)
{
	krping_dma_free(&b->notify);
	krping_bench_free_buf(&b->shared, &b->shared_mr, b->shared_key);
	krping_bench_free_buf(&b->local, &b->local_mr, b->local_key);
	krping_ctlmsg_free(&b->control);
}

/* Divide the first slot, at @addr, into nr_sge SGEs of about the same length. */
static void krping_bench_cut_sge(struct krping_bench *b, u64 addr, u32 lkey)
{
	u64 left = b->thread->opts.size;
	u32 i;

	for (i = 0; i < b->plan->nr_sge; i++) {
		b->sge[i].addr = addr;
		b->sge[i].length = div_u64(left, b->plan->nr_sge - i);
		b->sge[i].lkey = lkey;
		addr += b->sge[i].length;
		left -= b->sge[i].length;
	}
}

/**
 * krping_bench_init_sge() - fill in the SGEs of an operation in the first slot
 * @b: the connection; if the local buffer has an MR, the caller has prepared the REG_MR
 */
void krping_bench_init_sge(struct krping_bench *b)
{
	u32 lkey = b->conn->pd->local_dma_lkey;
	struct scatterlist *sg;
	int i;

	if (b->local_key) {
		krping_bench_cut_sge(b, b->local_key->mr->iova + b->local_off,
				     b->local_key->mr->lkey);
		return;
	}
	/* The provider copies inline data, which has one SGE, from the CPU's address. */
	if (b->thread->opts.inline_data) {
		krping_bench_cut_sge(b, (uintptr_t)krping_buf_data(&b->local), lkey);
		return;
	}
	if (!b->plan->pieces) {
		krping_bench_cut_sge(b, krping_buf_addr(&b->local), lkey);
		return;
	}
	for_each_sg(b->local.sgl, sg, b->local.nents, i) {
		b->sge[i].addr = sg_dma_address(sg);
		b->sge[i].length = sg->length;
		b->sge[i].lkey = lkey;
	}
}
