// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A thread's CQ and its QPs. Completions that nobody waits for are unsignaled;
 * every failed one ends the test through krping_wc_failed().
 */
#include <linux/interrupt.h>
#include <linux/irq_poll.h>
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "queue.h"
#include "trace.h"

/*
 * How many turns of the test's loop fit into the SQ before the first of them
 * must have been reclaimed. A signaled WR completes with its acknowledgment,
 * which a lossy network may delay for some turns.
 */
#define KRPING_SQ_TURNS		16

/* CQEs that a polling thread handles before it looks around. */
#define KRPING_POLL_BUDGET	16

/* Polls before a polled CQ is drained: as many CQEs as a large CQ has. */
#define KRPING_SETTLE_POLLS	4096

/*
 * After a flush, how long the connection manager may take to tell the cause.
 */
#define KRPING_FLUSH_GRACE	msecs_to_jiffies(1000)

/* How long a test may go on that shall stop, so that its peer sees an orderly end. */
#define KRPING_STOP_GRACE	msecs_to_jiffies(500)

/* For ib_drain_qp() of QPs whose CQ a test's thread polls. */
static struct workqueue_struct *krping_drain_wq;

static const char * const krping_op_name[] = {
	[KRPING_OP_SEND]	= "SEND",
	[KRPING_OP_READ]	= "RDMA READ",
	[KRPING_OP_READ_INV]	= "RDMA READ WITH INV",
	[KRPING_OP_WRITE]	= "RDMA WRITE",
	[KRPING_OP_ATOMIC]	= "atomic",
	[KRPING_OP_FR]		= "LOCAL INV",
	[KRPING_OP_REG]		= "REG MR",
	[KRPING_OP_INV]		= "LOCAL INV",
	[KRPING_OP_CTL]		= "SEND",
	[KRPING_OP_RECV]	= "RECV",
};

static_assert(ARRAY_SIZE(krping_op_name) == KRPING_OP_COUNT);

/* The local device refuses the WR, or what came for it. */
static bool krping_wc_refused(const struct ib_wc *wc)
{
	return wc->status == IB_WC_LOC_LEN_ERR || wc->status == IB_WC_LOC_QP_OP_ERR;
}

/* Is this a consequence of the connection's end, and no more? */
static bool krping_wc_flushed(const struct krping_queue *q, enum krping_op op,
			      const struct ib_wc *wc)
{
	if (wc->status == IB_WC_WR_FLUSH_ERR)
		return true;
	/* So says siw if it was just sending when TCP broke. */
	return krping_wc_refused(wc) && op != KRPING_OP_READ_INV &&
	       (op < KRPING_OP_REG || op == KRPING_OP_CTL) &&
	       rdma_protocol_iwarp(q->pd->device, q->cm_id->port_num);
}

/* The one funnel for failed completions. */
static void krping_wc_failed(struct krping_queue *q, enum krping_op op,
			     const struct ib_wc *wc)
{
	const char *hint = "";
	int error = -EIO;

	if (krping_queue_ended(q))
		return;
	if (krping_wc_flushed(q, op, wc)) {
		krping_status_flushed(q->status);
		return;
	}
	if (wc->status == IB_WC_RETRY_EXC_ERR ||
	    wc->status == IB_WC_RNR_RETRY_EXC_ERR) {
		error = -ECONNRESET;
	} else if (krping_wc_refused(wc) && op == KRPING_OP_RECV) {
		/* Our RECVs are well-formed: what came was too long for them. */
		error = -EPROTO;
		hint = "; the peer sent a message that is too long";
	} else if (krping_wc_refused(wc) && op == KRPING_OP_READ_INV) {
		error = -EOPNOTSUPP;
		hint = "; leave out read_inv";
	}
	krping_status_set_wc(q->status, error, wc->status,
			     "%s failed: %s (vendor 0x%x)%s", krping_op_name[op],
			     ib_wc_status_msg(wc->status), wc->vendor_err, hint);
}

/*
 * Steps run in the test's thread if that polls the CQ. ib_drain_qp(), which another
 * thread calls then, polls as well once its marker has been late by HZ/10. A
 * success that it reaps comes when the connection is gone, and starts no step.
 */
static bool krping_reaped_elsewhere(const struct krping_queue *q)
{
	return q->cq->poll && unlikely(current != q->cq->thread);
}

/**
 * krping_queue_post() - post a chain
 * @q: the queue
 * @first: the chain, which has room on the SQ: krping_queue_count() was called for
 *	WRs of &krping_queue_attr.sq_own
 *
 * Return: 0, or the cause, which is set. A chain that comes too late because
 * the connection is gone counts as flushed.
 */
int krping_queue_post(struct krping_queue *q, struct ib_send_wr *first)
{
	const struct ib_send_wr *bad = first;
	int ret;

	ret = ib_post_send(q->qp, first, &bad);
	if (likely(!ret))
		return 0;
	if (ret == -ENOTCONN) {
		krping_status_flushed(q->status);
		return ret;
	}
	if (bad->opcode == IB_WR_RDMA_READ_WITH_INV)
		return krping_status_set(q->status, -EOPNOTSUPP,
					 "the device refuses READ_WITH_INV (error %d); leave out read_inv",
					 ret);
	return krping_status_set(q->status, -EIO,
				 "the device refuses to post opcode %d (error %d)",
				 bad->opcode, ret);
}

static bool krping_queue_fits(const struct krping_queue *q)
{
	return q->posted - READ_ONCE(q->reclaimed) <= q->sq_size;
}

/* Post the parked chain if there is room. */
static int krping_queue_unpark(struct krping_queue *q)
{
	struct ib_send_wr *chain;

	if (!krping_queue_fits(q) || READ_ONCE(q->closing))
		return 0;
	chain = xchg(&q->parked, NULL);
	return chain ? krping_queue_post(q, chain) : 0;
}

/*
 * Keep a chain until completions have made room for it, behind a chain that is
 * parked already. xchg() gives the parked chain to one context at a time.
 */
static int krping_queue_park(struct krping_queue *q, struct ib_send_wr *first)
{
	struct ib_send_wr *chain = xchg(&q->parked, NULL);
	struct ib_send_wr *last = chain;

	while (last && last->next)
		last = last->next;
	if (last)
		last->next = first;
	xchg(&q->parked, chain ?: first);
	/*
	 * A completion may have made room before it could see the chain. xchg() is a
	 * full barrier and pairs with smp_mb() in krping_queue_reclaim().
	 */
	return krping_queue_unpark(q);
}

/* WRs leave the SQ in order: all up to the oldest mark are done. */
static void krping_queue_reclaim(struct krping_queue *q)
{
	WRITE_ONCE(q->reclaimed, q->mark[q->reaped % KRPING_SIGNALS]);
	/* pairs with krping_queue_signals(): the slot may be written again */
	smp_store_release(&q->reaped, q->reaped + 1);
	/* pairs with xchg() in krping_queue_park() */
	smp_mb();
	if (unlikely(krping_queue_full(q)))
		krping_queue_unpark(q);
}

static void krping_sent(struct ib_cq *cq, struct ib_wc *wc)
{
	struct krping_cqe *cqe = container_of(wc->wr_cqe, struct krping_cqe, cqe);
	struct krping_queue *q = cqe->queue;

	trace_krping_complete(q->qp_num, krping_op_name[cqe->op], wc);
	if (unlikely(wc->status != IB_WC_SUCCESS)) {
		krping_wc_failed(q, cqe->op, wc);
		return;
	}
	if (krping_reaped_elsewhere(q))
		return;
	if (q->sent_fn && cqe->op < KRPING_OP_REG) {
		if (likely(!READ_ONCE(q->closing)))
			q->sent_fn(q, cqe->op);
		return;
	}
	krping_queue_reclaim(q);
}

static int krping_post_recv(struct krping_queue *q, struct krping_recv *recv)
{
	int ret;

	if (q->srq)
		ret = ib_post_srq_recv(q->srq, &recv->wr, NULL);
	else
		ret = ib_post_recv(q->qp, &recv->wr, NULL);
	/* iWARP's way to say that the connection is going down */
	if (unlikely(ret == -ENOTCONN))
		krping_status_flushed(q->status);
	else if (unlikely(ret))
		krping_status_set(q->status, -EIO,
				  "the device refuses to post a RECV (error %d)",
				  ret);
	return ret;
}

/* Look at a message, as long as its buffer is ours. */
static enum krping_ctl_type krping_recv_look(struct krping_queue *q,
					     const struct krping_recv *recv,
					     const struct ib_wc *wc,
					     union krping_ctl *msg, u64 *value)
{
	u32 len = min_t(u32, wc->byte_len, recv->sge.length);
	enum krping_ctl_type type = KRPING_CTL_NONE;

	ib_dma_sync_single_for_cpu(q->pd->device, recv->sge.addr, len,
				   DMA_FROM_DEVICE);
	memset(&msg->msg, 0, sizeof(msg->msg));
	memcpy(&msg->msg, recv->data, min_t(u32, len, sizeof(msg->msg)));
	if (q->ctl_fn)
		type = krping_wire_ctl_decode(&msg->msg, len, value);
	if (type != KRPING_CTL_NONE)
		memcpy(msg, recv->data, len);
	else if (q->look_fn)
		q->look_fn(q, recv->data, wc);
	ib_dma_sync_single_for_device(q->pd->device, recv->sge.addr, len,
				      DMA_FROM_DEVICE);
	return type;
}

static void krping_recv_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct krping_recv *recv = container_of(wc->wr_cqe, struct krping_recv,
						cqe.cqe);
	struct krping_queue *q = recv->cqe.queue;
	enum krping_ctl_type type = KRPING_CTL_NONE;
	union krping_ctl msg;
	u64 value = 0;

	trace_krping_complete(q->qp_num, krping_op_name[KRPING_OP_RECV], wc);
	if (unlikely(wc->status != IB_WC_SUCCESS)) {
		krping_wc_failed(q, KRPING_OP_RECV, wc);
		return;
	}
	if (unlikely(READ_ONCE(q->closing) || krping_status_error(q->status)))
		return;
	if (krping_reaped_elsewhere(q))
		return;

	/* The data of a WRITE with immediate data is not here. */
	if (likely(wc->opcode == IB_WC_RECV))
		type = krping_recv_look(q, recv, wc, &msg, &value);
	/* Wrong data is no iteration. */
	if (unlikely(krping_status_error(q->status)))
		return;
	if (type == KRPING_CTL_NONE)
		krping_count(&q->stats->recv, wc->byte_len);

	/* Before anything is sent that lets the peer go on. */
	if (unlikely(krping_post_recv(q, recv)))
		return;
	if (type == KRPING_CTL_NONE)
		q->recv_fn(q, &msg.msg, wc);
	else
		q->ctl_fn(q, type, value, &msg);
}

/**
 * krping_cq_init() - make a CQ that owns nothing yet
 * @cq: to be initialised
 * @status: where failures go
 * @stats: where operations are counted
 *
 * From here on krping_wait() works and krping_cq_free() may be called.
 */
void krping_cq_init(struct krping_cq *cq, struct krping_status *status,
		    struct krping_stats *stats)
{
	memset(cq, 0, sizeof(*cq));
	cq->status = status;
	cq->stats = stats;
	INIT_LIST_HEAD(&cq->queues);
	krping_cq_progress(cq);
}

/**
 * krping_cq_alloc() - get the CQ
 * @cq: the CQ, initialised
 * @device: the device
 * @entries: WRs that may be under way at a time: any may fail and then
 *	completes, signaled or not
 * @context: where completions are handled; IB_POLL_DIRECT: by the thread, in
 *	krping_wait()
 * @cpu: completion vector that goes with this CPU; -1: any
 *
 * Process context.
 *
 * Return: 0, or what the device or the allocator says. The cause is set.
 */
int krping_cq_alloc(struct krping_cq *cq, struct ib_device *device, u32 entries,
		    enum ib_poll_context context, int cpu)
{
	struct ib_cq *ib_cq;

	cq->thread = current;
	cq->poll = context == IB_POLL_DIRECT;
	cq->softirq = context == IB_POLL_SOFTIRQ;
	if (cpu < 0)
		ib_cq = ib_alloc_cq_any(device, cq, entries, context);
	else
		ib_cq = ib_alloc_cq(device, cq, entries,
				    cpu % max_t(int, device->num_comp_vectors, 1),
				    context);
	if (IS_ERR(ib_cq))
		return krping_status_set(cq->status,
					 krping_alloc_errno(PTR_ERR(ib_cq)),
					 "the device gives no CQ of %u entries (error %ld)",
					 entries, PTR_ERR(ib_cq));
	cq->cq = ib_cq;
	return 0;
}

/*
 * Wait until no handler uses the CQ, whose QPs are gone. ib_free_cq() alone does
 * not: ib_poll_handler() re-arms the CQ after irq_poll_complete() has cleared
 * IRQ_POLL_F_SCHED, and irq_poll_disable() waits for that bit only, so that the
 * CQ can be freed while ib_req_notify_cq() uses it.
 *
 * irq_poll_disable() takes the bit: from then on no handler begins, and one that
 * re-arms the CQ cannot schedule another. A handler, and a provider's tasklet that
 * calls the CQ's comp_handler, is a softirq and thereby an RCU reader, also on
 * PREEMPT_RT, where local_bh_disable() is rcu_read_lock() as well. So no handler
 * runs behind the grace period. For a CQ in workqueue context the grace period
 * ends a tasklet that is just queueing the work; ib_free_cq() cancels the work.
 * A tasklet that is pending all the while, in a delayed ksoftirqd, is not covered.
 *
 * A normal grace period takes 10 to 30 ms, an expedited one less than a millisecond.
 */
static void krping_cq_quiesce(struct krping_cq *cq)
{
	/* A CQ in direct context is never armed, and has no handler. */
	if (cq->poll)
		return;
	if (cq->softirq)
		irq_poll_disable(&cq->cq->iop);
	synchronize_rcu_expedited();
	if (cq->softirq)
		irq_poll_enable(&cq->cq->iop);
}

/**
 * krping_cq_free() - free the CQ
 * @cq: the CQ; nothing happens if there is none. Its QPs are gone, their RECVs
 *	are not.
 *
 * Process context.
 */
void krping_cq_free(struct krping_cq *cq)
{
	if (!cq->cq)
		return;
	krping_cq_quiesce(cq);
	ib_free_cq(cq->cq);
	cq->cq = NULL;
}

/**
 * krping_queue_turns() - size of an SQ for a loop that never waits for it
 * @device: the device
 * @wrs: WRs that one turn of the loop posts at most
 *
 * Return: what &krping_queue_attr.sq_size shall be; more than the device has if
 * that has no room for one turn.
 */
u32 krping_queue_turns(const struct ib_device *device, u32 wrs)
{
	return max(wrs, min_t(u32, wrs * KRPING_SQ_TURNS,
			      device->attrs.max_qp_wr - 1));
}

/**
 * krping_queue_entries() - how much of the CQ a queue needs
 * @attr: what is asked of the queue
 *
 * Return: number of entries, those of ib_drain_qp() included.
 */
u32 krping_queue_entries(const struct krping_queue_attr *attr)
{
	return attr->sq_size + 1 + attr->recv_depth + 1;
}

/**
 * krping_queue_init() - make a queue that owns nothing yet
 * @q: to be initialised
 * @cq: the thread's CQ, initialised
 *
 * From here on krping_queue_free() may be called.
 */
void krping_queue_init(struct krping_queue *q, struct krping_cq *cq)
{
	int op;

	memset(q, 0, sizeof(*q));
	q->cq = cq;
	q->status = cq->status;
	q->stats = cq->stats;
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

static void krping_qp_event(struct ib_event *event, void *context)
{
	struct krping_queue *q = context;

	/* Data came before the RTU did: the CM would wait for it in vain. */
	if (event->event == IB_EVENT_COMM_EST)
		rdma_notify(q->cm_id, IB_EVENT_COMM_EST);
}

static int krping_queue_create_srq(struct krping_queue *q)
{
	struct ib_srq_init_attr attr = {
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
	if (ret)
		return ret;
	q->qp = q->cm_id->qp;
	q->qp_num = q->qp->qp_num;
	list_add_tail(&q->entry, &q->cq->queues);
	/* Some providers give what they have instead of an error. */
	return init.cap.max_inline_data < attr->inline_bytes ? -EINVAL : 0;
}

/* The CM gives no QP to a connection that has ended before it was accepted. */
static bool krping_queue_abandoned(struct rdma_cm_id *cm_id)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT };
	int mask;

	return rdma_init_qp_attr(cm_id, &attr, &mask);
}

/**
 * krping_queue_alloc() - get the QP and the RECVs
 * @q: the queue, initialised, whose CQ has been allocated
 * @cm_id: the connection, bound to a device
 * @pd: the connection's PD
 * @attr: what the test needs
 *
 * Process context. On error what was got is kept for krping_queue_free_qp() and
 * krping_queue_free().
 *
 * Return: 0, or what the device or the allocator says. The cause is set.
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
					 "no memory for %u RECVs of %u bytes",
					 attr->recv_depth, attr->recv_bytes);
	if (attr->srq)
		ret = krping_queue_create_srq(q);
	if (ret)
		return krping_status_set(q->status, krping_alloc_errno(ret),
					 "the device gives no SRQ of %u RECVs (error %d)",
					 attr->recv_depth, ret);
	ret = krping_queue_create_qp(q, attr);
	if (ret == -EINVAL && krping_queue_abandoned(cm_id))
		return krping_status_set(q->status, -ECONNRESET,
					 "the client went away before it was connected");
	if ((ret == -EINVAL || ret == -EOPNOTSUPP) && attr->inline_bytes)
		return krping_status_set(q->status, -EOPNOTSUPP,
					 "inline: the device does not take %u bytes of inline data (error %d)",
					 attr->inline_bytes, ret);
	if (ret)
		return krping_status_set(q->status, krping_alloc_errno(ret),
					 "the device gives no QP for %u send WRs (error %d)",
					 q->sq_size + 1, ret);
	return 0;
}

/*
 * With an SRQ, ib_drain_qp() of newer kernels (6.12 is one) waits a minute for the event
 * IB_EVENT_QP_LAST_WQE_REACHED. siw never raises it, and nobody does for a second call.
 * It is not needed here: the SRQ has no other QP and goes with it. What the device is
 * just receiving may still complete, and finds a queue that is closing: all that it
 * may touch stays until QP and CQ are gone.
 */
static void krping_queue_drain_qp(struct krping_queue *q)
{
	if (q->srq)
		ib_drain_sq(q->qp);
	else
		ib_drain_qp(q->qp);
}

/**
 * krping_queue_free_qp() - give the QP and the SRQ back
 * @q: the queue, drained
 *
 * Completions may still come, until the CQ is gone.
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
 * krping_queue_free() - give back the rest of what krping_queue_alloc() got
 * @q: the queue, without a QP; its CQ is gone
 */
void krping_queue_free(struct krping_queue *q)
{
	krping_queue_free_recvs(q);
}

/**
 * krping_queue_start_recvs() - post all RECVs for the first time
 * @q: the queue, with a QP that is not connected yet
 *
 * Return: 0, or what the device says. The cause is set.
 */
int krping_queue_start_recvs(struct krping_queue *q)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < q->recv_depth && !ret; i++)
		ret = krping_post_recv(q, &q->recv[i]);
	return ret;
}

static u32 krping_wr_bytes(const struct ib_send_wr *wr)
{
	u32 bytes = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++)
		bytes += wr->sg_list[i].length;
	return bytes;
}

static void krping_count_wr(struct krping_stats *stats,
			    const struct ib_send_wr *wr)
{
	if (container_of(wr->wr_cqe, struct krping_cqe, cqe)->op == KRPING_OP_CTL)
		return;
	switch (wr->opcode) {
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_INV:
	case IB_WR_SEND_WITH_IMM:
		krping_count(&stats->send, krping_wr_bytes(wr));
		break;
	case IB_WR_RDMA_READ:
	case IB_WR_RDMA_READ_WITH_INV:
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		krping_count(&stats->read, krping_wr_bytes(wr));
		break;
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
		krping_count(&stats->write, krping_wr_bytes(wr));
		break;
	default:
		break;
	}
}

/**
 * krping_queue_count() - count the operations of a chain that is about to be posted
 * @q: the queue
 * @first: the chain
 * @nr_wr: how many WRs it has
 * @signaled: is any of them signaled?
 *
 * For a test that does its own accounting, and then calls krping_queue_post();
 * krping_queue_prepare() does it too.
 */
void krping_queue_count(struct krping_queue *q, const struct ib_send_wr *first,
			u32 nr_wr, bool signaled)
{
	for (; first; first = first->next)
		krping_count_wr(q->stats, first);
	trace_krping_post(q->qp, nr_wr, signaled);
	krping_cq_progress(q->cq);
}

/* Signal a WR in every quarter of the SQ. Note which WRs its completion reclaims. */
static bool krping_queue_signals(struct krping_queue *q)
{
	if (q->posted - q->last_mark < q->signal_every)
		return false;
	/* pairs with krping_queue_reclaim() */
	if (q->marked - smp_load_acquire(&q->reaped) == KRPING_SIGNALS)
		return false;
	q->mark[q->marked++ % KRPING_SIGNALS] = q->posted;
	q->last_mark = q->posted;
	return true;
}

/**
 * krping_queue_prepare() - account for a chain that is about to be posted
 * @q: the queue
 * @first: the chain; whether its last WR is signaled is decided here
 *
 * Any context that takes a step. Separate from krping_queue_submit() because
 * all that the caller changes must have been changed before the first WR is on
 * its way: the peer's answer may run the next step on another CPU before
 * ib_post_send() has returned.
 */
void krping_queue_prepare(struct krping_queue *q, struct ib_send_wr *first)
{
	struct ib_send_wr *last = first;
	bool signal;
	u32 nr_wr = 1;

	krping_count_wr(q->stats, first);
	for (; last->next; last = last->next, nr_wr++)
		krping_count_wr(q->stats, last->next);

	q->posted += nr_wr;
	signal = krping_queue_signals(q);
	if (signal)
		last->send_flags |= IB_SEND_SIGNALED;
	else
		last->send_flags &= ~IB_SEND_SIGNALED;

	trace_krping_post(q->qp, nr_wr, signal);
	krping_cq_progress(q->cq);
}

/**
 * krping_queue_submit() - post a chain that has been prepared
 * @q: the queue
 * @first: the chain
 *
 * A full SQ is backpressure: the chain is parked, and posted by the completion that
 * makes room for it. A test that makes no progress meanwhile ends by its timeout.
 *
 * Return: 0, or the cause, which is set, as krping_queue_post().
 */
int krping_queue_submit(struct krping_queue *q, struct ib_send_wr *first)
{
	if (likely(krping_queue_fits(q) && !krping_queue_full(q)))
		return krping_queue_post(q, first);
	return krping_queue_park(q, first);
}

/**
 * krping_queue_parked() - check whether a WR waits for room on the SQ
 * @q: the queue
 * @wr: the WR
 *
 * The context that takes the steps, if completions are handled there.
 *
 * Return: true if so. Such a WR must not be submitted once more.
 */
bool krping_queue_parked(const struct krping_queue *q,
			 const struct ib_send_wr *wr)
{
	const struct ib_send_wr *parked;

	for (parked = READ_ONCE(q->parked); parked; parked = parked->next)
		if (parked == wr)
			return true;
	return false;
}

/*
 * Bottom halves are let through on purpose: a software provider works in
 * softirqs or tasklets, which local_bh_enable() runs at once, whereas a thread
 * that just spins would make them wait for the timer tick.
 */
static int krping_cq_poll(struct krping_cq *cq)
{
	int reaped;

	local_bh_disable();
	reaped = ib_process_cq_direct(cq->cq, KRPING_POLL_BUDGET);
	local_bh_enable();
	return reaped;
}

/* ib_drain_qp() of all QPs of a CQ, beside the thread that polls the CQ. */
struct krping_drain {
	struct work_struct work;
	struct krping_cq *cq;
	bool done;
};

static void krping_drain_work(struct work_struct *work)
{
	struct krping_drain *drain = container_of(work, struct krping_drain, work);
	struct krping_queue *q;

	list_for_each_entry(q, &drain->cq->queues, entry)
		krping_queue_drain_qp(q);
	/* pairs with krping_cq_drain_polled() */
	smp_store_release(&drain->done, true);
}

/*
 * On a CQ in direct context ib_drain_sq() and ib_drain_rq() wait for HZ/10 each
 * before they poll. A worker calls them, and the thread polls meanwhile, so that
 * they return at once.
 */
static void krping_cq_drain_polled(struct krping_cq *cq)
{
	struct krping_drain drain = { .cq = cq };
	int polls = 0;

	/*
	 * What has completed already starts its steps here, before the worker may
	 * reap it. A peer that goes on sending does not keep the thread here.
	 */
	while (krping_cq_poll(cq) > 0 && polls++ < KRPING_SETTLE_POLLS)
		cond_resched();
	INIT_WORK_ONSTACK(&drain.work, krping_drain_work);
	queue_work(krping_drain_wq, &drain.work);
	/* pairs with krping_drain_work() */
	while (!smp_load_acquire(&drain.done)) {
		krping_cq_poll(cq);
		cond_resched();
	}
	flush_work(&drain.work);
	destroy_work_on_stack(&drain.work);
}

static void krping_cq_drain_qps(struct krping_cq *cq)
{
	struct krping_queue *q;

	if (cq->poll && !list_empty(&cq->queues)) {
		krping_cq_drain_polled(cq);
		return;
	}
	list_for_each_entry(q, &cq->queues, entry)
		krping_queue_drain_qp(q);
}

/**
 * krping_cq_drain() - wait until the device is done with all WRs of all QPs
 * @cq: the thread's CQ, with or without QPs
 *
 * The test's thread. Puts the QPs into the error state, and ignores messages that
 * arrive. The thread posts nothing any more; a step that is just running in the
 * CQ's context may still post, and what is flushed then comes before
 * krping_cq_free() is done, or never.
 */
void krping_cq_drain(struct krping_cq *cq)
{
	struct krping_queue *q;

	list_for_each_entry(q, &cq->queues, entry) {
		krping_queue_end(q);
		WRITE_ONCE(q->closing, true);
	}
	krping_cq_drain_qps(cq);
}

/* Jiffies from now until @after have passed since @since; 0: they have. */
static long krping_jiffies_left(unsigned long since, long after)
{
	long passed = jiffies - since;

	/* another CPU may be a tick ahead */
	passed = max(passed, 0L);
	return passed < after ? after - passed : 0;
}

/* When the wait is over at the latest, in jiffies from now; 0: it is over. */
static long krping_wait_left(const struct krping_cq *cq, u32 timeout_ms)
{
	const struct krping_status *status = cq->status;
	long left = MAX_SCHEDULE_TIMEOUT;

	if (timeout_ms)
		left = krping_jiffies_left(READ_ONCE(cq->progress),
					   msecs_to_jiffies(timeout_ms));
	/* pairs with krping_status_flushed() */
	if (smp_load_acquire(&status->flushed))
		left = min(left, krping_jiffies_left(status->flushed_at,
						     KRPING_FLUSH_GRACE));
	/* pairs with krping_status_stop() */
	if (smp_load_acquire(&status->stop_error))
		left = min(left, krping_jiffies_left(status->stop_at,
						     KRPING_STOP_GRACE));
	return left;
}

/* Has something happened that changes what is waited for, or how long? */
static bool krping_wait_changes(const struct krping_cq *cq, bool flushed,
				int stop_error)
{
	const struct krping_status *status = cq->status;

	return READ_ONCE(status->error) || READ_ONCE(status->disconnected) ||
	       READ_ONCE(status->flushed) != flushed ||
	       READ_ONCE(status->stop_error) != stop_error;
}

/*
 * What has made the peer disconnect may stand in a completion that nobody has
 * looked at yet, and it comes before the disconnect.
 */
static int krping_wait_settle(struct krping_cq *cq)
{
	krping_cq_drain_qps(cq);
	return krping_status_error(cq->status);
}

/**
 * krping_wait() - wait for the test to get somewhere
 * @cq: the thread's CQ, allocated or not
 * @done: what is waited for; called in this thread, often, must not sleep
 * @arg: for @done
 * @timeout_ms: how long the test may stand still, see krping_cq_progress();
 *	0: without bound
 *
 * The only place where a test's thread waits for its peer or for events. It
 * sleeps, or polls the CQ if that is a polled one and the test runs. A test that
 * shall stop does so here; if it is @cq->graceful, it has half a second to get done.
 *
 * Return: the cause's error if there is one; 0 if @done says so; -ECONNRESET when
 * the connection is gone without an error so far; -ETIMEDOUT. The cause is not set
 * by this function: the caller knows what it was waiting for.
 */
int krping_wait(struct krping_cq *cq, bool (*done)(void *arg), void *arg,
		u32 timeout_ms)
{
	struct krping_status *status = cq->status;
	bool polling = cq->poll && cq->running;

	for (;;) {
		bool flushed = READ_ONCE(status->flushed);
		int stop_error = READ_ONCE(status->stop_error);
		long left;

		if (polling)
			krping_cq_poll(cq);
		if (stop_error && !cq->graceful)
			krping_status_stopped(status);
		if (krping_status_error(status))
			return krping_status_error(status);
		if (done(arg))
			return 0;

		left = krping_wait_left(cq, timeout_ms);
		if (!left || READ_ONCE(status->disconnected))
			break;
		if (polling || cq->spin)
			cond_resched();
		else
			wait_event_idle_timeout(status->wait,
						done(arg) ||
						krping_wait_changes(cq, flushed,
								    stop_error),
						left);
	}

	/* A stop that was asked for comes before what may have come of it. */
	if (krping_status_stopped(status))
		return krping_status_error(status);
	if (!READ_ONCE(status->disconnected) && !READ_ONCE(status->flushed))
		return -ETIMEDOUT;
	return krping_wait_settle(cq) ?: -ECONNRESET;
}

/**
 * krping_queues_init() - prepare for queues
 *
 * Return: 0 or -ENOMEM.
 */
int krping_queues_init(void)
{
	krping_drain_wq = alloc_workqueue("krping_drain", WQ_UNBOUND, 0);
	return krping_drain_wq ? 0 : -ENOMEM;
}

/**
 * krping_queues_exit() - undo krping_queues_init()
 *
 * There is no queue any more.
 */
void krping_queues_exit(void)
{
	destroy_workqueue(krping_drain_wq);
}
