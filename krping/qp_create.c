// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Create a QP and its SRQ, and find out which limit of the device a rejected QP exceeds.
 *
 * A device may reject a QP although no value exceeds the device attributes. The more SGEs and
 * inline data a WR may have, the fewer WRs fit into the SQ, and some drivers return -ENOMEM if
 * there is no room. Only attempts with smaller values show what the device accepts.
 */
#include <linux/kernel.h>

#include "qp_create.h"

/*
 * Defer the error of an event, because a completion or a disconnect that follows explains more. If
 * neither follows, as on a responder without completions, the test ends with the event's error.
 * Context: any context.
 */
static void krping_qp_failed(struct krping_queue *q, const struct ib_event *event)
{
	if (!krping_queue_ended(q))
		krping_status_defer(q->status, -EIO, "the device reports: %s",
				    ib_event_msg(event->event));
}

/* Handle an event of the QP: let the CM proceed, or record an error. */
static void krping_qp_event(struct ib_event *event, void *context)
{
	struct krping_queue *q = context;

	switch (event->event) {
	case IB_EVENT_COMM_EST:
		/* Data has arrived before the RTU, which may be lost. Let the CM proceed. */
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

/* Try to create the QP. If inline data is optional, try again without inline data. */
static int krping_qp_try(struct krping_queue *q, const struct krping_queue_attr *attr)
{
	struct ib_qp_init_attr init = {
		.event_handler	= krping_qp_event,
		.qp_context	= q,
		.send_cq	= q->cq->cq,
		.recv_cq	= q->cq->cq,
		.srq		= q->srq,
		.cap = {
			/* one more send and one more receive WR for the drain */
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
	/* Some providers grant less inline data without an error. Then fail, but keep the QP. */
	return q->inline_max < attr->inline_bytes && !attr->inline_optional ? -EINVAL : 0;
}

/* Check whether the client has disconnected, in which case rdma_init_qp_attr() fails. */
static bool krping_queue_abandoned(struct rdma_cm_id *cm_id)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT };
	int mask;

	return rdma_init_qp_attr(cm_id, &attr, &mask);
}

/* Check whether the device accepts a QP with @attr, by creating and destroying the QP. */
static bool krping_qp_accepted(struct krping_queue *q, const struct krping_queue_attr *attr)
{
	int ret = krping_qp_try(q, attr);

	if (q->qp) {
		list_del_init(&q->entry);
		rdma_destroy_qp(q->cm_id);
		q->qp = NULL;
	}
	return !ret;
}

/* Return the attributes of the same QP, but with only @depth operations in flight. */
static struct krping_queue_attr krping_qp_shallow(const struct krping_queue_attr *attr,
						  u32 depth)
{
	struct krping_queue_attr shallow = *attr;

	shallow.sq_size -= (attr->depth - depth) * attr->depth_wrs;
	shallow.recv_depth -= (attr->depth - depth) * attr->depth_recvs;
	return shallow;
}

/* Return the largest depth below @attr->depth that the device accepts; 0: none. */
static u32 krping_qp_depth(struct krping_queue *q, const struct krping_queue_attr *attr)
{
	u32 least = 0, most = attr->depth;

	while (most > least + 1) {
		u32 depth = least + (most - least) / 2;
		struct krping_queue_attr shallow = krping_qp_shallow(attr, depth);

		if (krping_qp_accepted(q, &shallow))
			least = depth;
		else
			most = depth;
	}
	return least;
}

/* Return the largest number of SGEs, below that of @attr, that the device accepts; 0: none. */
static u32 krping_qp_sges(struct krping_queue *q, const struct krping_queue_attr *attr)
{
	struct krping_queue_attr narrow = *attr;

	for (narrow.send_sge = max_t(u32, attr->send_sge, 1) - 1; narrow.send_sge;
	     narrow.send_sge--)
		if (krping_qp_accepted(q, &narrow))
			break;
	return narrow.send_sge;
}

/* Set the status: the device has granted less inline data than requested. */
static int krping_qp_less_inline(struct krping_queue *q, const struct krping_queue_attr *attr)
{
	return krping_status_set(q->status, -EOPNOTSUPP,
				 "inline: the device does not support %u byte%s of inline data",
				 attr->inline_bytes, krping_plural(attr->inline_bytes));
}

/* Find out why the device has rejected the QP and what it accepts, and set the status. */
static int krping_qp_rejected(struct krping_queue *q, const struct krping_queue_attr *attr,
			      int error)
{
	struct krping_queue_attr plain = *attr;
	u32 recvs = attr->srq ? 0 : attr->recv_depth;
	u32 most;

	plain.inline_bytes = 0;
	most = krping_qp_depth(q, attr);
	if (most)
		return krping_status_set(q->status, -EINVAL,
					 "txdepth=%u: the device rejects a QP of %u send and %u receive WRs (%d); try txdepth=%u%s",
					 attr->depth, attr->sq_size + 1, recvs + 1, error, most,
					 attr->inline_bytes ? ", or leave out inline" : "");
	if (attr->inline_bytes && krping_qp_accepted(q, &plain))
		return krping_status_set(q->status, -EOPNOTSUPP,
					 "inline: the device does not support %u byte%s of inline data (%d)",
					 attr->inline_bytes, krping_plural(attr->inline_bytes),
					 error);
	most = krping_qp_sges(q, attr);
	if (most)
		return krping_status_set(q->status, -EINVAL,
					 "sge=%u: the device rejects a QP of %u send WRs with so many entries (%d); try sge=%u",
					 attr->send_sge, attr->sq_size + 1, error, most);
	return krping_status_set(q->status, krping_alloc_errno(error),
				 "cannot create QP for %u send and %u receive WRs (%d)",
				 attr->sq_size + 1, recvs + 1, error);
}

/**
 * krping_qp_create() - create the QP, and the SRQ if @attr requests one
 * @q: the queue, whose cm_id, PD and CQ exist
 * @attr: attributes of the queue
 *
 * Context: process context. If the device rejects the QP, the function tries again with a smaller
 * SQ, without the &krping_queue_attr.sq_spare WRs that the test does not need.
 *
 * Return: 0 or a negative errno, which the function has recorded in &krping_queue.status.
 */
int krping_qp_create(struct krping_queue *q, const struct krping_queue_attr *attr)
{
	struct krping_queue_attr least = *attr;
	int ret = 0;

	if (attr->srq)
		ret = krping_queue_create_srq(q);
	if (ret)
		return krping_status_set(q->status, krping_alloc_errno(ret),
					 "cannot create SRQ of %u RECVs (%d)",
					 attr->recv_depth, ret);
	ret = krping_qp_try(q, attr);
	if (!ret)
		return 0;
	if (ret == -EINVAL && krping_queue_abandoned(q->cm_id))
		return krping_status_set(q->status, -ECONNRESET,
					 "the client disconnected before it was connected");
	/* The QP exists, but with less inline data. */
	if (q->qp)
		return krping_qp_less_inline(q, attr);
	if (ret != -EINVAL && ret != -ENOMEM && ret != -EOPNOTSUPP)
		return krping_status_set(q->status, krping_alloc_errno(ret),
					 "cannot create QP (%d)", ret);
	/* Try again without spare WRs. Do so even if there are none: memory may have been short. */
	least.sq_size -= attr->sq_spare;
	if (krping_qp_try(q, &least))
		return q->qp ? krping_qp_less_inline(q, attr) :
			       krping_qp_rejected(q, &least, ret);
	krping_queue_set_size(q, &least);
	return 0;
}
