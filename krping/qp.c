// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Allocate, drain and free a QP, its RECVs and its SRQ.
 */
#include <linux/kernel.h>
#include <linux/slab.h>

#include "qp.h"
#include "wr.h"

/*
 * SQ depth in iterations of the test's loop. A signaled WR completes when it is
 * acknowledged, which a lossy network may delay for some iterations.
 */
#define KRPING_SQ_ITERATIONS		16

/**
 * krping_queue_sq_size() - compute an SQ size for which a loop need not wait
 * @device: the device
 * @wrs: maximum number of WRs that one iteration of the loop posts
 *
 * Return: the value for &krping_queue_attr.sq_size. It exceeds the device's limit
 * if the limit is too low for one iteration.
 */
u32 krping_queue_sq_size(const struct ib_device *device, u32 wrs)
{
	return max(wrs, min_t(u32, wrs * KRPING_SQ_ITERATIONS,
			      device->attrs.max_qp_wr - 1));
}

/**
 * krping_queue_entries() - compute the CQEs that a queue needs
 * @attr: attributes of the queue
 *
 * Return: number of CQEs, including those of ib_drain_qp().
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
 * krping_queue_free() may be called afterwards.
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

/*
 * An event may be all that reports the end of a QP: a responder has no completion. A completion
 * or a disconnect that follows explains more. Called in any context.
 */
static void krping_qp_failed(struct krping_queue *q, const struct ib_event *event)
{
	if (!krping_queue_ended(q))
		krping_status_defer(q->status, -EIO, "the device reports: %s",
				    ib_event_msg(event->event));
}

static void krping_qp_event(struct ib_event *event, void *context)
{
	struct krping_queue *q = context;

	switch (event->event) {
	case IB_EVENT_COMM_EST:
		/* Data arrived before the RTU, which may be lost: notify the CM. */
		rdma_notify(q->cm_id, IB_EVENT_COMM_EST);
		break;
	case IB_EVENT_QP_FATAL:
	case IB_EVENT_QP_REQ_ERR:
	case IB_EVENT_QP_ACCESS_ERR:
		WRITE_ONCE(q->event, event->event);
		krping_qp_failed(q, event);
		break;
	default:
		break;
	}
}

static void krping_srq_event(struct ib_event *event, void *context)
{
	if (event->event == IB_EVENT_SRQ_ERR)
		krping_qp_failed(context, event);
}

static int krping_queue_create_srq(struct krping_queue *q)
{
	struct ib_srq_init_attr attr = {
		.event_handler	= krping_srq_event,
		.srq_context	= q,
		.srq_type	= IB_SRQT_BASIC,
		.attr = {
			.max_wr		= q->recv_depth,
			.max_sge	= 1,
		},
	};
	struct ib_srq *srq;

	srq = ib_create_srq(q->pd, &attr);
	if (IS_ERR(srq))
		return PTR_ERR(srq);
	q->srq = srq;
	return 0;
}

static int krping_queue_create_qp(struct krping_queue *q,
				  const struct krping_queue_attr *attr)
{
	struct ib_qp_init_attr init = {
		.event_handler	= krping_qp_event,
		.qp_context	= q,
		.send_cq	= q->cq->cq,
		.recv_cq	= q->cq->cq,
		.srq		= q->srq,
		.cap = {
			/* one more of each for ib_drain_qp() */
			.max_send_wr	= attr->sq_size + 1,
			.max_recv_wr	= q->srq ? 0 : attr->recv_depth + 1,
			.max_send_sge	= max_t(u32, attr->send_sge, 1),
			.max_recv_sge	= q->srq ? 0 : 1,
			.max_inline_data = attr->inline_bytes,
		},
		.sq_sig_type	= IB_SIGNAL_REQ_WR,
		.qp_type	= IB_QPT_RC,
	};
	int ret;

	ret = rdma_create_qp(q->cm_id, q->pd, &init);
	if (ret && attr->inline_optional) {
		init.cap.max_inline_data = 0;
		ret = rdma_create_qp(q->cm_id, q->pd, &init);
	}
	if (ret)
		return ret;
	q->qp = q->cm_id->qp;
	q->qp_num = q->qp->qp_num;
	list_add_tail(&q->entry, &q->cq->queues);
	q->inline_max = init.cap.max_inline_data;
	/* Some providers grant less inline data instead of returning an error. */
	return q->inline_max < attr->inline_bytes && !attr->inline_optional ? -EINVAL : 0;
}

/* Check whether the client has gone: rdma_init_qp_attr() fails in that case. */
static bool krping_queue_abandoned(struct rdma_cm_id *cm_id)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT };
	int mask;

	return rdma_init_qp_attr(cm_id, &attr, &mask);
}

/**
 * krping_queue_alloc() - allocate the QP and the RECVs
 * @q: the queue, initialised; its CQ is allocated
 * @cm_id: the connection, bound to a device
 * @pd: the connection's PD
 * @attr: attributes of the queue
 *
 * Process context. On error, krping_queue_free_qp() and krping_queue_free() free
 * what was allocated.
 *
 * Return: 0 or a negative errno, which is recorded in &krping_queue.status.
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
	q->sq_size = attr->sq_size - attr->sq_own;
	q->signal_every = max_t(u32, q->sq_size / 4, 1);

	ret = krping_queue_alloc_recvs(q, attr);
	if (ret)
		return krping_status_set(q->status, krping_alloc_errno(ret),
					 "cannot allocate %u RECVs of %u bytes",
					 attr->recv_depth, attr->recv_bytes);
	if (attr->srq)
		ret = krping_queue_create_srq(q);
	if (ret)
		return krping_status_set(q->status, krping_alloc_errno(ret),
					 "cannot create SRQ of %u RECVs (%d)",
					 attr->recv_depth, ret);
	ret = krping_queue_create_qp(q, attr);
	if (ret == -EINVAL && krping_queue_abandoned(cm_id))
		return krping_status_set(q->status, -ECONNRESET,
					 "the client disconnected before it was connected");
	if ((ret == -EINVAL || ret == -EOPNOTSUPP) && attr->inline_bytes &&
	    !attr->inline_optional)
		return krping_status_set(q->status, -EOPNOTSUPP,
					 "inline: the device does not support %u bytes of inline data (%d)",
					 attr->inline_bytes, ret);
	if (ret)
		return krping_status_set(q->status, krping_alloc_errno(ret),
					 "cannot create QP for %u send WRs (%d)",
					 q->sq_size + 1, ret);
	return 0;
}

/**
 * krping_queue_drain_qp() - move the QP to the error state and drain it
 * @q: the queue, with a QP
 *
 * Process context.
 *
 * Drain only the SQ if the QP has an SRQ: in newer kernels, such as 6.12,
 * ib_drain_qp() waits a minute for IB_EVENT_QP_LAST_WQE_REACHED, which siw never
 * raises and other providers raise only once. The SRQ need not be drained: no
 * other QP uses it. A message that the device is receiving may still complete;
 * krping_recv_done() ignores it, and its buffer stays until the QP and the CQ are
 * destroyed.
 */
void krping_queue_drain_qp(struct krping_queue *q)
{
	if (q->srq)
		ib_drain_sq(q->qp);
	else
		ib_drain_qp(q->qp);
}

/**
 * krping_queue_free_qp() - destroy the QP and the SRQ
 * @q: the queue, drained
 *
 * Completions may still be handled until the CQ is freed.
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
 * @q: the queue; its QP and its CQ are freed
 */
void krping_queue_free(struct krping_queue *q)
{
	krping_queue_free_recvs(q);
}

/**
 * krping_queue_start_recvs() - post all RECVs for the first time
 * @q: the queue, with a QP that is not connected yet
 *
 * Return: 0 or a negative errno, which is recorded in &krping_queue.status.
 */
int krping_queue_start_recvs(struct krping_queue *q)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < q->recv_depth && !ret; i++)
		ret = krping_post_recv(q, &q->recv[i]);
	return ret;
}
