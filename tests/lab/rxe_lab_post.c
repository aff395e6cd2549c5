// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The lab device (rxe with planted faults): reject, lose or change work requests, raise events.
 */
#include <linux/slab.h>
#include <rdma/ib_mad.h>

#include "rxe.h"
#include "rxe_loc.h"

/* Work requests. */
static unsigned int lab_reg_no_atomic;
module_param_named(reg_no_atomic, lab_reg_no_atomic, uint, 0644);
MODULE_PARM_DESC(reg_no_atomic, "REG_MR with REMOTE_ATOMIC fails at post");

static unsigned int lab_inline_first;
module_param_named(inline_first, lab_inline_first, uint, 0644);
MODULE_PARM_DESC(inline_first, "an inline WR sends only the data of its first SGE");

static unsigned int lab_chain_fails;
module_param_named(chain_fails, lab_chain_fails, uint, 0644);
MODULE_PARM_DESC(chain_fails, "N: the second WR of the Nth RC chain fails at post; counts down");

static unsigned int lab_post_eio;
module_param_named(post_eio, lab_post_eio, uint, 0644);
MODULE_PARM_DESC(post_eio, "N: posting fails with EIO from the Nth RC WR on; counts down to 1");

static unsigned int lab_post_bytes;
module_param_named(post_bytes, lab_post_bytes, uint, 0644);
MODULE_PARM_DESC(post_bytes, "post_eio counts only WRs of this many bytes; 0: all");

static unsigned int lab_post_unnamed;
module_param_named(post_unnamed, lab_post_unnamed, uint, 0644);
MODULE_PARM_DESC(post_unnamed,
		 "N: the Nth RC post fails without a bad_wr, and all its WRs run; counts down");

static unsigned int lab_unnamed_errno;
module_param_named(unnamed_errno, lab_unnamed_errno, uint, 0644);
MODULE_PARM_DESC(unnamed_errno, "errno of post_unnamed; 0: ENOMEM");

static unsigned int lab_stall;
module_param_named(stall, lab_stall, uint, 0644);
MODULE_PARM_DESC(stall, "RC QPs begin no WR; a QP continues at the first post after stall=0");

static unsigned int lab_writes;
module_param_named(writes, lab_writes, uint, 0644);
MODULE_PARM_DESC(writes, "counts the RDMA WRITEs of RC WRs that the device has accepted");

/* Events. */
static unsigned int lab_event;
module_param_named(event, lab_event, uint, 0644);
MODULE_PARM_DESC(event, "type of the event that event_after raises");

static unsigned int lab_event_after;
module_param_named(event_after, lab_event_after, uint, 0644);
MODULE_PARM_DESC(event_after,
		 "N: raise the event at the Nth RC WR, then lose the QP's WRs; counts down");

static unsigned int lab_event_qp;
module_param_named(event_qp, lab_event_qp, uint, 0644);
MODULE_PARM_DESC(event_qp, "event_after counts the WRs of this QP only");

static unsigned int lab_lose;
module_param_named(lose, lab_lose, uint, 0644);
MODULE_PARM_DESC(lose, "lose the next message of the connection manager with this attribute id");

struct lab_event {
	struct work_struct work;
	struct rxe_qp *qp;
	enum ib_event_type type;
};

/* Raise the event: call the handler of the CQ, the SRQ or the QP, or dispatch a device event. */
static void lab_raise(struct work_struct *work)
{
	struct lab_event *lab = container_of(work, struct lab_event, work);
	struct ib_qp *qp = &lab->qp->ibqp;
	struct ib_event event = {
		.device = qp->device,
		.event = lab->type,
	};

	switch (lab->type) {
	case IB_EVENT_CQ_ERR:
		event.element.cq = qp->send_cq;
		if (qp->send_cq->event_handler)
			qp->send_cq->event_handler(&event, qp->send_cq->cq_context);
		break;
	case IB_EVENT_SRQ_ERR:
		event.element.srq = qp->srq;
		if (qp->srq && qp->srq->event_handler)
			qp->srq->event_handler(&event, qp->srq->srq_context);
		break;
	case IB_EVENT_DEVICE_FATAL:
	case IB_EVENT_PORT_ERR:
	case IB_EVENT_PORT_ACTIVE:
		event.element.port_num = 1;
		ib_dispatch_event(&event);
		break;
	default:
		event.element.qp = qp;
		if (qp->event_handler)
			qp->event_handler(&event, qp->qp_context);
		break;
	}
	rxe_put(lab->qp);
	kfree(lab);
}

/* Let a work item raise the event, because the caller posts, perhaps in atomic context. */
static void lab_raise_later(struct rxe_qp *qp)
{
	struct lab_event *lab = kzalloc(sizeof(*lab), GFP_ATOMIC);

	if (!lab)
		return;
	INIT_WORK(&lab->work, lab_raise);
	lab->qp = qp;
	lab->type = lab_event;
	rxe_get(qp);
	schedule_work(&lab->work);
}

/* Count the parameter N down to 1. Return true from the Nth call on, or never if N is 0. */
static bool lab_due(unsigned int *param)
{
	unsigned int n = READ_ONCE(*param);

	if (n > 1)
		WRITE_ONCE(*param, n - 1);
	return n == 1;
}

/* Check whether the parameter post_eio demands that a WR fails. */
static bool lab_fails(const struct ib_send_wr *wr)
{
	u32 bytes = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++)
		bytes += wr->sg_list[i].length;
	return (!lab_post_bytes || lab_post_bytes == bytes) && lab_due(&lab_post_eio);
}

/* Return 0 to accept WR @nr of a chain; an errno to reject the WR; 1 if the WR never completes. */
int lab_post(struct rxe_qp *qp, const struct ib_send_wr *wr, int nr)
{
	/* Accept each WR of a QP in another state than RTS: krping drains a QP in such a state. */
	if (qp->ibqp.qp_type != IB_QPT_RC || qp->attr.qp_state != IB_QPS_RTS)
		return 0;
	if (to_rdev(qp->ibqp.device)->attr.atomic_cap == IB_ATOMIC_NONE &&
	    (wr->opcode == IB_WR_ATOMIC_CMP_AND_SWP || wr->opcode == IB_WR_ATOMIC_FETCH_AND_ADD))
		return -EINVAL;
	if (lab_reg_no_atomic && wr->opcode == IB_WR_REG_MR &&
	    reg_wr(wr)->access & IB_ACCESS_REMOTE_ATOMIC)
		return -EINVAL;
	if (lab_chain_fails && nr == 1 && lab_due(&lab_chain_fails)) {
		WRITE_ONCE(lab_chain_fails, 0);
		return -ENOMEM;
	}
	if (lab_fails(wr))
		return -EIO;
	if ((!lab_event_qp || lab_event_qp == qp_num(qp)) && lab_due(&lab_event_after)) {
		WRITE_ONCE(lab_event_after, 0);
		/* A QP survives events of its port. */
		if (lab_event != IB_EVENT_PORT_ERR && lab_event != IB_EVENT_PORT_ACTIVE)
			WRITE_ONCE(qp->lab_dead, true);
		lab_raise_later(qp);
	}
	if (wr->opcode == IB_WR_RDMA_WRITE)
		WRITE_ONCE(lab_writes, lab_writes + 1);
	return READ_ONCE(qp->lab_dead);
}

/* Return the errno that post_unnamed gives to a post whose WRs all were accepted; 0: none. */
int lab_posted(const struct rxe_qp *qp)
{
	if (qp->ibqp.qp_type != IB_QPT_RC || qp->attr.qp_state != IB_QPS_RTS ||
	    !lab_due(&lab_post_unnamed))
		return 0;
	WRITE_ONCE(lab_post_unnamed, 0);
	return lab_unnamed_errno ? -(int)lab_unnamed_errno : -ENOMEM;
}

/* Check whether a QP begins no WR. */
bool lab_stalls(const struct rxe_qp *qp)
{
	return lab_stall && !qp->is_user && qp->ibqp.qp_type == IB_QPT_RC;
}

/* Return the number of SGEs whose data an inline WR sends. */
int lab_inline_sges(int num_sge)
{
	return lab_inline_first ? min(num_sge, 1) : num_sge;
}

/*
 * Check whether rxe must drop a packet, because it has the message that the parameter lose names.
 * Then reset the parameter, so that rxe drops one message only.
 */
bool lab_loses(struct rxe_qp *qp, const void *payload)
{
	const struct ib_mad_hdr *mad = payload;
	unsigned int lose = READ_ONCE(lab_lose);

	if (!lose || qp->ibqp.qp_type != IB_QPT_GSI || mad->mgmt_class != IB_MGMT_CLASS_CM ||
	    be16_to_cpu(mad->attr_id) != lose)
		return false;
	return cmpxchg(&lab_lose, lose, 0) == lose;
}
