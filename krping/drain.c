// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Drain QPs for a limited time.
 *
 * ib_drain_qp() waits for ever if the device does not flush the QP. krping therefore posts the WRs
 * of a drain itself, and their ib_cqe stay valid until the CQ is freed. If they do not complete in
 * time, krping moves the QP to the reset state, in which the device accesses no memory of its WRs.
 */
#define pr_fmt(fmt) "krping: " fmt

#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>

#include "drain.h"

/* Time for the device to flush one more QP. */
#define KRPING_DRAIN_WAIT	msecs_to_jiffies(15000)

/* Handle the completion of the WR of a drain. */
static void krping_drain_done(struct ib_cq *cq, struct ib_wc *wc)
{
	complete(&container_of(wc->wr_cqe, struct krping_drain, cqe)->done);
}

static void krping_drain_init(struct krping_drain *drain)
{
	drain->cqe.done = krping_drain_done;
	init_completion(&drain->done);
	drain->posted = false;
}

/*
 * Check whether the driver has a drain of its own, which it may need because it rejects WRs of a QP
 * in the error state. The time of this drain has no limit: the driver waits on the caller's stack,
 * so krping cannot leave the wait.
 */
static bool krping_drain_by_driver(const struct krping_queue *q)
{
	return q->qp->device->ops.drain_sq || q->qp->device->ops.drain_rq;
}

/*
 * Move the QP to the error state, and post a WR without data to each queue, as ib_drain_qp() does.
 *
 * If the QP has an SRQ, the function drains only the SQ. ib_drain_qp() of newer kernels, such as
 * 6.12, would wait a minute for IB_EVENT_QP_LAST_WQE_REACHED, which siw never raises and other
 * providers raise only once. As the SRQ is not drained, a message that the device is receiving may
 * still complete. krping_recv_done() ignores this message, and the caller keeps the RECV buffers
 * until it has destroyed the QP and the CQ.
 */
static int krping_drain_post(struct krping_queue *q)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	struct ib_rdma_wr send = {
		.wr.wr_cqe = &q->sq_drain.cqe,
		.wr.opcode = IB_WR_RDMA_WRITE,
	};
	struct ib_recv_wr recv = { .wr_cqe = &q->rq_drain.cqe };
	int ret;

	krping_drain_init(&q->sq_drain);
	krping_drain_init(&q->rq_drain);
	ret = ib_modify_qp(q->qp, &attr, IB_QP_STATE);
	if (!ret) {
		ret = ib_post_send(q->qp, &send.wr, NULL);
		q->sq_drain.posted = !ret;
	}
	if (!ret && !q->srq) {
		ret = ib_post_recv(q->qp, &recv, NULL);
		q->rq_drain.posted = !ret;
	}
	return ret;
}

/* Log that the device has not flushed the QP, and reset the QP. @error: of krping_drain_post(). */
static void krping_drain_failed(struct krping_queue *q, int error)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RESET };
	const char *device = dev_name(&q->qp->device->dev);

	WRITE_ONCE(q->unflushed, true);
	if (error)
		pr_warn_ratelimited("test %u: cannot drain QP %u of %s (%d); krping resets the QP\n",
				    q->status->id, q->qp_num, device, error);
	else
		pr_warn_ratelimited("test %u: %s has not flushed QP %u for %u s, a fault of the device; krping resets the QP\n",
				    q->status->id, device, q->qp_num,
				    jiffies_to_msecs(KRPING_DRAIN_WAIT) / 1000);
	error = ib_modify_qp(q->qp, &attr, IB_QP_STATE);
	if (!error)
		return;
	WRITE_ONCE(q->unsafe, true);
	pr_warn_ratelimited("test %u: cannot reset QP %u of %s (%d)\n", q->status->id, q->qp_num,
			    device, error);
}

/* Begin to drain the QP. */
static void krping_drain_begin(struct krping_queue *q)
{
	int ret;

	if (q->unflushed || krping_drain_by_driver(q))
		return;
	ret = krping_drain_post(q);
	if (ret)
		krping_drain_failed(q, ret);
}

/* Wait for the WR of a drain until @end, and set @end anew. Return false if @end has passed. */
static bool krping_drain_wait(struct krping_drain *drain, unsigned long *end)
{
	long left = max_t(long, *end - jiffies, 0);

	if (!drain->posted)
		return true;
	if (!wait_for_completion_timeout(&drain->done, left))
		return false;
	*end = jiffies + KRPING_DRAIN_WAIT;
	return true;
}

/* Wait until the QP is drained, or until @end. */
static void krping_drain_end(struct krping_queue *q, unsigned long *end)
{
	if (q->unflushed)
		return;
	if (!krping_drain_by_driver(q)) {
		if (!krping_drain_wait(&q->sq_drain, end) || !krping_drain_wait(&q->rq_drain, end))
			krping_drain_failed(q, 0);
		return;
	}
	if (q->srq)
		ib_drain_sq(q->qp);
	else
		ib_drain_qp(q->qp);
}

/**
 * krping_drain_queues() - move all QPs of a CQ to the error state and drain them
 * @cq: the CQ; the caller holds &krping_cq.drain_lock
 *
 * The function waits for %KRPING_DRAIN_WAIT after the last QP that the device has flushed, and so
 * waits only once for a device that flushes no QP.
 *
 * Context: process context. If the CQ is in direct context, another task polls the CQ meanwhile.
 *
 * Return: true if the device accesses no memory of WRs of these QPs any more; false if it may do so
 * until the caller has destroyed the QPs.
 */
bool krping_drain_queues(struct krping_cq *cq)
{
	unsigned long end = jiffies + KRPING_DRAIN_WAIT;
	struct krping_queue *q;
	bool safe = true;

	list_for_each_entry(q, &cq->queues, entry)
		krping_drain_begin(q);
	list_for_each_entry(q, &cq->queues, entry) {
		krping_drain_end(q, &end);
		safe = safe && !q->unsafe;
	}
	return safe;
}
