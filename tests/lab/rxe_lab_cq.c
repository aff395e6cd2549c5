// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The lab device: hold back, repeat, lose or change completions.
 */
#include "rxe.h"
#include "rxe_loc.h"
#include "rxe_queue.h"

static unsigned int lab_vendor_err;
module_param_named(vendor_err, lab_vendor_err, uint, 0644);
MODULE_PARM_DESC(vendor_err, "vendor_err of failed completions");

static unsigned int lab_flush_twice;
module_param_named(flush_twice, lab_flush_twice, uint, 0644);
MODULE_PARM_DESC(flush_twice,
		 "a flushed WR of an RC QP's SQ completes twice; CQs created meanwhile have room for it");

static unsigned int lab_twice;
module_param_named(twice, lab_twice, uint, 0644);
MODULE_PARM_DESC(twice, "counts the second completions of flush_twice and success_twice");

static unsigned int lab_success_twice;
module_param_named(success_twice, lab_success_twice, uint, 0644);
MODULE_PARM_DESC(success_twice,
		 "N: the Nth success from now on an RC QP's SQ completes twice; counts down");

static unsigned int lab_lose_cqe;
module_param_named(lose_cqe, lab_lose_cqe, uint, 0644);
MODULE_PARM_DESC(lose_cqe,
		 "N: the Nth completion from now of an RC READ or WRITE with data is lost; counts down");

static unsigned int lab_lose_flush;
module_param_named(lose_flush, lab_lose_flush, uint, 0644);
MODULE_PARM_DESC(lose_flush, "no flushed WR of a kernel's RC QP completes, not even that of a drain");

static unsigned int lab_mapped;
module_param_named(mapped, lab_mapped, uint, 0644);
MODULE_PARM_DESC(mapped, "behind an IOMMU, warn if the memory of a flushed WR is not mapped");

static unsigned int lab_hold;
module_param_named(hold, lab_hold, uint, 0644);
MODULE_PARM_DESC(hold, "N: a CQ hands over N completions at once, or fewer after hold_us");

static unsigned int lab_hold_us;
module_param_named(hold_us, lab_hold_us, uint, 0644);
MODULE_PARM_DESC(hold_us, "N: hold holds completions back for N us, and up to two ticks more");

static unsigned int lab_batch;
module_param_named(batch, lab_batch, uint, 0644);
MODULE_PARM_DESC(batch, "the largest number of completions that hold has handed over at once");

/* Set the vendor_err of a failed completion to the parameter. */
void lab_complete(struct rxe_cqe *cqe)
{
	if (lab_vendor_err && cqe->ibwc.status != IB_WC_SUCCESS &&
	    cqe->ibwc.status != IB_WC_WR_FLUSH_ERR)
		cqe->ibwc.vendor_err = lab_vendor_err;
}

/* Return the number of entries of a new CQ: with flush_twice, the CQ needs room for two per WR. */
int lab_cq_size(int entries)
{
	return lab_flush_twice ? 2 * entries : entries;
}

/* Count a parameter down to 0. Return true for the call that reaches 0. */
static bool lab_reaches(unsigned int *param)
{
	unsigned int n;

	do
		n = READ_ONCE(*param);
	while (n && cmpxchg(param, n, n - 1) != n);
	return n == 1;
}

/*
 * Check whether a WR completes twice. Leave out the WRITE without data by which ib_drain_sq()
 * waits: its ib_cqe is on the stack of the caller, which returns after the first completion.
 */
static bool lab_repeats(const struct rxe_qp *qp, const struct rxe_send_wqe *wqe)
{
	if (qp->is_user || qp->ibqp.qp_type != IB_QPT_RC)
		return false;
	if (wqe->status == IB_WC_SUCCESS)
		return lab_reaches(&lab_success_twice);
	if (!lab_flush_twice || wqe->status != IB_WC_WR_FLUSH_ERR)
		return false;
	return wqe->wr.opcode != IB_WR_RDMA_WRITE || wqe->dma.length;
}

/* Warn if the memory of a flushed WR is not mapped: it must be until the WR has completed. */
static void lab_check_mapped(const struct rxe_qp *qp, const struct rxe_send_wqe *wqe)
{
	int i;

	if (!lab_mapped || qp->is_user || qp->ibqp.qp_type != IB_QPT_RC ||
	    wqe->status != IB_WC_WR_FLUSH_ERR || wqe->wr.send_flags & IB_SEND_INLINE ||
	    (wqe->wr.opcode != IB_WR_RDMA_WRITE && wqe->wr.opcode != IB_WR_RDMA_READ))
		return;
	for (i = 0; i < wqe->dma.num_sge; i++)
		if (wqe->dma.sge[i].lkey == qp->ibqp.pd->local_dma_lkey)
			lab_va(wqe->dma.sge[i].addr);
}

/* Put a completion on the CQ once more, if the parameters demand this and the CQ has room. */
void lab_repeat(struct rxe_qp *qp, const struct rxe_send_wqe *wqe, struct rxe_cqe *cqe)
{
	struct rxe_cq *cq = qp->scq;
	unsigned long flags;
	bool full;

	lab_check_mapped(qp, wqe);
	if (!lab_repeats(qp, wqe))
		return;
	spin_lock_irqsave(&cq->cq_lock, flags);
	full = queue_full(cq->queue, QUEUE_TYPE_TO_CLIENT);
	spin_unlock_irqrestore(&cq->cq_lock, flags);
	if (full)
		return;
	WRITE_ONCE(lab_twice, lab_twice + 1);
	rxe_cq_post(cq, cqe, 0);
}

/* Check whether the completion of a WR never reaches the CQ. */
bool lab_loses_cqe(const struct rxe_qp *qp, const struct rxe_send_wqe *wqe)
{
	return !qp->is_user && qp->ibqp.qp_type == IB_QPT_RC && wqe->dma.length &&
	       (wqe->wr.opcode == IB_WR_RDMA_WRITE || wqe->wr.opcode == IB_WR_RDMA_READ) &&
	       lab_reaches(&lab_lose_cqe);
}

/* Check whether the completion of a flushed WR never reaches the CQ. */
bool lab_loses_flush(const struct rxe_cq *cq, const struct rxe_cqe *cqe)
{
	return lab_lose_flush && !cq->is_user && cqe->ibwc.status == IB_WC_WR_FLUSH_ERR &&
	       cqe->ibwc.qp && cqe->ibwc.qp->qp_type == IB_QPT_RC;
}

/* Note in the parameter batch how many completions the CQ hands over at once. */
static void lab_batch_is(struct rxe_cq *cq)
{
	if (cq->lab_held > lab_batch)
		WRITE_ONCE(lab_batch, cq->lab_held);
	cq->lab_held = 0;
}

/* Handle the timer of a CQ: hand over the completions that lab_holds() has held back. */
static void lab_release(struct timer_list *timer)
{
	struct rxe_cq *cq = container_of(timer, struct rxe_cq, lab_timer);
	struct rxe_queue *q = cq->queue;
	unsigned long flags;

	spin_lock_irqsave(&cq->cq_lock, flags);
	if (cq->lab_held) {
		lab_batch_is(cq);
		/* as queue_advance_producer() */
		smp_store_release(&q->buf->producer_index, q->index);
		if (cq->notify) {
			cq->notify = 0;
			lab_cq_notify(cq);
		}
	}
	spin_unlock_irqrestore(&cq->cq_lock, flags);
}

/* Check whether to hold back a new completion until there are as many as the parameter hold. */
bool lab_holds(struct rxe_cq *cq)
{
	struct rxe_queue *q = cq->queue;

	if (cq->is_user || (!lab_hold && !cq->lab_held))
		return false;
	if (++cq->lab_held >= lab_hold) {
		lab_batch_is(cq);
		return false;
	}
	/* The completion is in the queue, but the consumer does not see it yet. */
	q->index = (q->index + 1) & q->index_mask;
	if (!timer_pending(&cq->lab_timer))
		mod_timer(&cq->lab_timer, jiffies + 1 + usecs_to_jiffies(lab_hold_us));
	return true;
}

/* Set up and stop the timer of a CQ that hands over the completions. */
void lab_cq_init(struct rxe_cq *cq)
{
	cq->lab_held = 0;
	timer_setup(&cq->lab_timer, lab_release, 0);
}

void lab_cq_exit(struct rxe_cq *cq)
{
	timer_delete_sync(&cq->lab_timer);
	lab_cq_flush(cq);
}
