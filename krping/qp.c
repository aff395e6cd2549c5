// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Allocate and free a QP with its RECVs and its SRQ.
 */
#include <linux/kernel.h>
#include <linux/slab.h>

#include "qp.h"
#include "qp_create.h"
#include "wr.h"

/*
 * Number of iterations of the test's loop whose WRs fit into the SQ. WRs stay on the SQ until a
 * signaled WR completes, which needs the peer's acknowledgment. A lossy network may delay the
 * acknowledgment by some iterations.
 */
#define KRPING_SQ_ITERATIONS		16

/**
 * krping_queue_sq_size() - compute an SQ size that lets a loop post without waiting
 * @device: the device
 * @wrs: maximum number of WRs that one iteration of the loop posts
 *
 * One WR of the device's limit stays free for the drain.
 *
 * Return: the value for &krping_queue_attr.sq_size. The value exceeds the device's limit
 * if that limit is too low for one iteration.
 */
u32 krping_queue_sq_size(const struct ib_device *device, u32 wrs)
{
	return max(wrs, min_t(u32, wrs * KRPING_SQ_ITERATIONS,
			      device->attrs.max_qp_wr - 1));
}

/**
 * krping_queue_entries() - compute the number of CQEs that a queue needs
 * @attr: attributes of the queue
 *
 * Return: number of CQEs: one per WR and RECV, and two for the WRs of the drain.
 */
u32 krping_queue_entries(const struct krping_queue_attr *attr)
{
	return attr->sq_size + 1 + attr->recv_depth + 1;
}

/**
 * krping_queue_init() - initialise a queue without allocating it
 * @q: the queue
 * @cq: the thread's CQ, initialised
 *
 * From now on the caller may call krping_queue_free(), even if krping_queue_alloc() has failed or
 * was never called.
 */
void krping_queue_init(struct krping_queue *q, struct krping_cq *cq)
{
	int op;

	memset(q, 0, sizeof(*q));
	q->cq = cq;
	q->status = cq->status;
	q->stats = cq->stats;
	q->event = -1;
	INIT_LIST_HEAD(&q->entry);
	for (op = 0; op < KRPING_OP_COUNT; op++) {
		q->op[op].cqe.done = krping_sent;
		q->op[op].queue = q;
		q->op[op].op = op;
	}
}

/* Build a RECV of the whole buffer @mem. */
static void krping_recv_init(struct krping_queue *q, struct krping_recv *recv,
			     const struct krping_dma *mem)
{
	recv->cqe.cqe.done = krping_recv_done;
	recv->cqe.queue = q;
	recv->cqe.op = KRPING_OP_RECV;
	recv->data = mem->data;
	recv->sge.addr = mem->addr;
	recv->sge.length = mem->size;
	recv->sge.lkey = q->pd->local_dma_lkey;
	recv->wr.wr_cqe = &recv->cqe.cqe;
	recv->wr.sg_list = &recv->sge;
	recv->wr.num_sge = 1;
}

/* Allocate the RECVs, each with a buffer, or all with one buffer if @attr->recv_shared. */
static int krping_queue_alloc_recvs(struct krping_queue *q,
				    const struct krping_queue_attr *attr)
{
	u32 i;

	q->recv = kvcalloc(attr->recv_depth, sizeof(*q->recv), GFP_KERNEL);
	if (!q->recv)
		return -ENOMEM;
	q->recv_depth = attr->recv_depth;
	for (i = 0; i < q->recv_depth; i++) {
		struct krping_dma *mem = &q->recv[attr->recv_shared ? 0 : i].mem;

		if (!mem->data &&
		    krping_dma_alloc(mem, q->pd->device, attr->recv_bytes,
				     DMA_FROM_DEVICE))
			return -ENOMEM;
		krping_recv_init(q, &q->recv[i], mem);
	}
	return 0;
}

static void krping_queue_free_recvs(struct krping_queue *q)
{
	u32 i;

	for (i = 0; i < q->recv_depth; i++)
		krping_dma_free(&q->recv[i].mem);
	kvfree(q->recv);
	q->recv = NULL;
	q->recv_depth = 0;
}

/**
 * krping_queue_alloc() - allocate the QP and the RECVs
 * @q: the queue, initialised, whose CQ the caller has allocated
 * @cm_id: the connection, bound to a device
 * @pd: the connection's PD
 * @attr: attributes of the queue
 *
 * Context: process context. After an error, the caller calls krping_queue_free_qp() and
 * krping_queue_free().
 *
 * Return: 0 or a negative errno, which the function has recorded in &krping_queue.status.
 */
int krping_queue_alloc(struct krping_queue *q, struct rdma_cm_id *cm_id,
		       struct ib_pd *pd, const struct krping_queue_attr *attr)
{
	int ret;

	q->cm_id = cm_id;
	q->pd = pd;
	q->recv_fn = attr->recv;
	q->look_fn = attr->look;
	q->ctl_fn = attr->ctl;
	q->sent_fn = attr->sent;
	krping_queue_set_size(q, attr);

	ret = krping_queue_alloc_recvs(q, attr);
	if (ret)
		return krping_status_set(q->status, krping_alloc_errno(ret),
					 "cannot allocate %u RECV%s of %u byte%s",
					 attr->recv_depth, krping_plural(attr->recv_depth),
					 attr->recv_bytes, krping_plural(attr->recv_bytes));
	return krping_qp_create(q, attr);
}

/**
 * krping_queue_free_qp() - destroy the QP and the SRQ
 * @q: the queue, which the caller has drained
 *
 * Completion handlers may still run until the caller has freed the CQ.
 */
void krping_queue_free_qp(struct krping_queue *q)
{
	if (q->qp) {
		list_del_init(&q->entry);
		rdma_destroy_qp(q->cm_id);
	}
	q->qp = NULL;
	if (q->srq)
		ib_destroy_srq(q->srq);
	q->srq = NULL;
}

/**
 * krping_queue_free() - free the RECVs
 * @q: the queue, whose QP and CQ the caller has freed
 */
void krping_queue_free(struct krping_queue *q)
{
	krping_queue_free_recvs(q);
}

/**
 * krping_queue_start_recvs() - post all RECVs for the first time
 * @q: the queue, with a QP that is not connected yet
 *
 * Return: 0 or a negative errno, which the function has recorded in &krping_queue.status.
 */
int krping_queue_start_recvs(struct krping_queue *q)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < q->recv_depth && !ret; i++)
		ret = krping_post_recv(q, &q->recv[i]);
	return ret;
}
