// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A QP with a CQ of its own. Completions that nobody waits for are unsignaled;
 * every failed one ends the test through krping_wc_failed().
 */
#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/slab.h>

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

/*
 * After a flush, how long the connection manager may take to tell the cause.
 */
#define KRPING_FLUSH_GRACE	msecs_to_jiffies(1000)

/* How long a test may go on that shall stop, so that its peer sees an orderly end. */
#define KRPING_STOP_GRACE	msecs_to_jiffies(500)

static const char * const krping_op_name[] = {
	[KRPING_OP_SEND]	= "SEND",
	[KRPING_OP_READ]	= "RDMA READ",
	[KRPING_OP_READ_INV]	= "RDMA READ WITH INV",
	[KRPING_OP_WRITE]	= "RDMA WRITE",
	[KRPING_OP_REG]		= "REG MR",
	[KRPING_OP_INV]		= "LOCAL INV",
	[KRPING_OP_RECV]	= "RECV",
};

static_assert(ARRAY_SIZE(krping_op_name) == KRPING_OP_COUNT);

/* The one funnel for failed completions. */
static void krping_wc_failed(struct krping_queue *q, enum krping_op op,
			     const struct ib_wc *wc)
{
	const char *hint = "";
	int error = -EIO;

	switch (wc->status) {
	case IB_WC_WR_FLUSH_ERR:
		krping_cause_flushed(q->cause);
		return;
	case IB_WC_RETRY_EXC_ERR:
	case IB_WC_RNR_RETRY_EXC_ERR:
		error = -ECONNRESET;
		break;
	case IB_WC_LOC_LEN_ERR:
	case IB_WC_LOC_QP_OP_ERR:
		/* Our RECVs are well-formed: what came was too long for them. */
		if (op == KRPING_OP_RECV) {
			error = -EPROTO;
			hint = "; the peer sent a message that is too long";
		} else if (op == KRPING_OP_READ_INV) {
			error = -EOPNOTSUPP;
			hint = "; leave out read_inv";
		}
		break;
	default:
		break;
	}
	krping_cause_set_wc(q->cause, error, wc->status,
			    "%s failed: %s (vendor 0x%x)%s", krping_op_name[op],
			    ib_wc_status_msg(wc->status), wc->vendor_err, hint);
}

static void krping_send_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct krping_cqe *cqe = container_of(wc->wr_cqe, struct krping_cqe, cqe);
	struct krping_queue *q = cq->cq_context;

	trace_krping_complete(krping_op_name[cqe->op], wc);
	if (unlikely(wc->status != IB_WC_SUCCESS)) {
		krping_wc_failed(q, cqe->op, wc);
		return;
	}

	/* Work requests leave the SQ in order: all before this one are done. */
	WRITE_ONCE(q->reclaimed, q->signal_mark);
	/* pairs with krping_queue_prepare(): the mark may be moved now */
	smp_store_release(&q->signal_pending, false);
}

static int krping_post_recv(struct krping_queue *q, struct krping_recv *recv)
{
	int ret = ib_post_recv(q->qp, &recv->wr, NULL);

	if (unlikely(ret))
		krping_cause_set(q->cause, -EIO,
				 "the device refuses to post a RECV (error %d)",
				 ret);
	return ret;
}

static void krping_recv_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct krping_recv *recv = container_of(wc->wr_cqe, struct krping_recv,
						cqe.cqe);
	struct krping_queue *q = cq->cq_context;
	struct krping_wire_msg msg;

	trace_krping_complete(krping_op_name[KRPING_OP_RECV], wc);
	if (unlikely(wc->status != IB_WC_SUCCESS)) {
		krping_wc_failed(q, KRPING_OP_RECV, wc);
		return;
	}
	krping_count(&q->stats->recv, wc->byte_len);
	if (unlikely(READ_ONCE(q->closing) || krping_cause_error(q->cause)))
		return;
	if (unlikely(wc->byte_len != sizeof(msg))) {
		krping_cause_set(q->cause, -EPROTO,
				 "the peer sent a message of %u bytes instead of %zu",
				 wc->byte_len, sizeof(msg));
		return;
	}

	ib_dma_sync_single_for_cpu(cq->device, recv->sge.addr, sizeof(msg),
				   DMA_FROM_DEVICE);
	memcpy(&msg, recv->data, sizeof(msg));
	ib_dma_sync_single_for_device(cq->device, recv->sge.addr, sizeof(msg),
				      DMA_FROM_DEVICE);

	/* Before anything is sent that lets the peer go on. */
	if (likely(!krping_post_recv(q, recv)))
		q->recv_fn(q, &msg, wc);
}

/**
 * krping_queue_init() - make a queue that owns nothing yet
 * @q: to be initialised
 * @cause: where failures go
 * @stats: where operations are counted
 *
 * From here on krping_wait() works and krping_queue_free() may be called.
 */
void krping_queue_init(struct krping_queue *q, struct krping_cause *cause,
		       struct krping_stats *stats)
{
	int op;

	memset(q, 0, sizeof(*q));
	q->cause = cause;
	q->stats = stats;
	krping_queue_progress(q);
	for (op = 0; op < KRPING_OP_COUNT; op++) {
		q->op[op].cqe.done = krping_send_done;
		q->op[op].op = op;
	}
}

static int krping_queue_alloc_recvs(struct krping_queue *q)
{
	struct ib_device *dev = q->pd->device;
	size_t bytes = KRPING_RECV_DEPTH * KRPING_RECV_BYTES;
	int i;

	q->recv_buf = kzalloc(bytes, GFP_KERNEL);
	if (!q->recv_buf)
		return -ENOMEM;
	q->recv_dma = ib_dma_map_single(dev, q->recv_buf, bytes, DMA_FROM_DEVICE);
	if (ib_dma_mapping_error(dev, q->recv_dma)) {
		kfree(q->recv_buf);
		q->recv_buf = NULL;
		return -ENOMEM;
	}

	for (i = 0; i < KRPING_RECV_DEPTH; i++) {
		struct krping_recv *recv = &q->recv[i];

		recv->cqe.cqe.done = krping_recv_done;
		recv->cqe.op = KRPING_OP_RECV;
		recv->data = q->recv_buf + i * KRPING_RECV_BYTES;
		recv->sge.addr = q->recv_dma + i * KRPING_RECV_BYTES;
		recv->sge.length = KRPING_RECV_BYTES;
		recv->sge.lkey = q->pd->local_dma_lkey;
		recv->wr.wr_cqe = &recv->cqe.cqe;
		recv->wr.sg_list = &recv->sge;
		recv->wr.num_sge = 1;
	}
	return 0;
}

static void krping_queue_free_recvs(struct krping_queue *q)
{
	if (!q->recv_buf)
		return;
	ib_dma_unmap_single(q->pd->device, q->recv_dma,
			    KRPING_RECV_DEPTH * KRPING_RECV_BYTES,
			    DMA_FROM_DEVICE);
	kfree(q->recv_buf);
	q->recv_buf = NULL;
}

static int krping_queue_alloc_cq(struct krping_queue *q, u32 entries,
				 const struct krping_queue_attr *attr)
{
	struct ib_device *dev = q->pd->device;
	enum ib_poll_context ctx = IB_POLL_SOFTIRQ;
	struct ib_cq *cq;

	if (attr->poll)
		ctx = IB_POLL_DIRECT;
	else if (attr->workqueue)
		ctx = IB_POLL_WORKQUEUE;

	if (attr->cpu < 0)
		cq = ib_alloc_cq_any(dev, q, entries, ctx);
	else
		cq = ib_alloc_cq(dev, q, entries,
				 attr->cpu % max_t(int, dev->num_comp_vectors, 1),
				 ctx);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	q->cq = cq;
	return 0;
}

static void krping_qp_event(struct ib_event *event, void *context)
{
	struct krping_queue *q = context;

	/* Data came before the RTU did: the CM would wait for it in vain. */
	if (event->event == IB_EVENT_COMM_EST)
		rdma_notify(q->cm_id, IB_EVENT_COMM_EST);
}

static int krping_queue_create_qp(struct krping_queue *q)
{
	struct ib_qp_init_attr attr = {
		.event_handler	= krping_qp_event,
		.qp_context	= q,
		.send_cq	= q->cq,
		.recv_cq	= q->cq,
		.cap = {
			/* one more of each for ib_drain_qp() */
			.max_send_wr	= q->sq_size + 1,
			.max_recv_wr	= KRPING_RECV_DEPTH + 1,
			.max_send_sge	= 1,
			.max_recv_sge	= 1,
		},
		.sq_sig_type	= IB_SIGNAL_REQ_WR,
		.qp_type	= IB_QPT_RC,
	};
	int ret;

	ret = rdma_create_qp(q->cm_id, q->pd, &attr);
	if (!ret)
		q->qp = q->cm_id->qp;
	return ret;
}

/**
 * krping_queue_alloc() - get the CQ, the QP and the RECVs
 * @q: the queue, initialised
 * @cm_id: the connection, bound to a device
 * @pd: the connection's PD
 * @attr: what the test needs
 *
 * Process context. On error what was got is kept for krping_queue_free().
 *
 * Return: 0, or what the device or the allocator says. The cause is set.
 */
int krping_queue_alloc(struct krping_queue *q, struct rdma_cm_id *cm_id,
		       struct ib_pd *pd, const struct krping_queue_attr *attr)
{
	u32 entries;
	int ret;

	q->cm_id = cm_id;
	q->pd = pd;
	q->poll = attr->poll;
	q->recv_fn = attr->recv;
	q->priv = attr->priv;
	q->sq_size = min_t(u32, attr->sq_wrs * KRPING_SQ_TURNS,
			   pd->device->attrs.max_qp_wr - 1);

	ret = krping_queue_alloc_recvs(q);
	if (ret)
		return krping_cause_set(q->cause, krping_alloc_errno(ret),
					"no memory for RECVs");

	/* Any WR may fail and then completes, signaled or not. */
	entries = q->sq_size + 1 + KRPING_RECV_DEPTH + 1;
	ret = krping_queue_alloc_cq(q, entries, attr);
	if (ret)
		return krping_cause_set(q->cause, krping_alloc_errno(ret),
					"the device gives no CQ of %u entries (error %d)",
					entries, ret);
	ret = krping_queue_create_qp(q);
	if (ret)
		return krping_cause_set(q->cause, krping_alloc_errno(ret),
					"the device gives no QP for %u send WRs (error %d)",
					q->sq_size + 1, ret);
	return 0;
}

/**
 * krping_queue_drain() - wait until the device is done with all WRs
 * @q: the queue, with or without a QP
 *
 * Process context. Puts the QP into error. Nothing must be posted by the
 * test's thread any more; a step that is just running in the CQ's context may
 * still post, and its flushed WRs are reaped at the latest by ib_free_cq().
 */
void krping_queue_drain(struct krping_queue *q)
{
	WRITE_ONCE(q->closing, true);
	if (q->qp)
		ib_drain_qp(q->qp);
}

/**
 * krping_queue_free() - give back what krping_queue_alloc() got
 * @q: the queue, drained
 */
void krping_queue_free(struct krping_queue *q)
{
	if (q->qp)
		rdma_destroy_qp(q->cm_id);
	q->qp = NULL;
	if (q->cq)
		ib_free_cq(q->cq);
	q->cq = NULL;
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
	int i;

	for (i = 0; i < KRPING_RECV_DEPTH && !ret; i++)
		ret = krping_post_recv(q, &q->recv[i]);
	return ret;
}

static void krping_count_wr(struct krping_stats *stats,
			    const struct ib_send_wr *wr)
{
	switch (wr->opcode) {
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_INV:
		krping_count(&stats->send, wr->sg_list->length);
		break;
	case IB_WR_RDMA_READ:
	case IB_WR_RDMA_READ_WITH_INV:
		krping_count(&stats->read, wr->sg_list->length);
		break;
	case IB_WR_RDMA_WRITE:
		krping_count(&stats->write, wr->sg_list->length);
		break;
	default:
		break;
	}
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
 *
 * Return: 0, or -EIO if the SQ is full. The cause is set.
 */
int krping_queue_prepare(struct krping_queue *q, struct ib_send_wr *first)
{
	struct ib_send_wr *last = first;
	bool signal = false;
	u32 nr_wr = 1;

	krping_count_wr(q->stats, first);
	for (; last->next; last = last->next, nr_wr++)
		krping_count_wr(q->stats, last->next);

	if (unlikely(q->posted + nr_wr - READ_ONCE(q->reclaimed) > q->sq_size))
		return krping_cause_set(q->cause, -EIO,
					"the send queue of %u WRs is full: acknowledgments are missing",
					q->sq_size);

	q->posted += nr_wr;
	/* pairs with krping_send_done() */
	if (!smp_load_acquire(&q->signal_pending) &&
	    q->posted - q->signal_mark >= q->sq_size / 4) {
		q->signal_mark = q->posted;
		q->signal_pending = true;
		signal = true;
	}
	if (signal)
		last->send_flags |= IB_SEND_SIGNALED;
	else
		last->send_flags &= ~IB_SEND_SIGNALED;

	trace_krping_post(q->qp, nr_wr, signal);
	krping_queue_progress(q);
	return 0;
}

/**
 * krping_queue_submit() - post a chain that has been prepared
 * @q: the queue
 * @first: the chain
 *
 * Return: 0, or the cause, which is set. A chain that comes too late because
 * the connection is gone counts as flushed.
 */
int krping_queue_submit(struct krping_queue *q, struct ib_send_wr *first)
{
	const struct ib_send_wr *bad = first;
	int ret;

	ret = ib_post_send(q->qp, first, &bad);
	if (likely(!ret))
		return 0;
	if (ret == -ENOTCONN) {
		krping_cause_flushed(q->cause);
		return ret;
	}
	if (bad->opcode == IB_WR_RDMA_READ_WITH_INV)
		return krping_cause_set(q->cause, -EOPNOTSUPP,
					"the device refuses READ_WITH_INV (error %d); leave out read_inv",
					ret);
	return krping_cause_set(q->cause, -EIO,
				"the device refuses to post opcode %d (error %d)",
				bad->opcode, ret);
}

/*
 * Bottom halves are let through on purpose: a software provider works in
 * softirqs or tasklets, which local_bh_enable() runs at once, whereas a thread
 * that just spins would make them wait for the timer tick.
 */
static void krping_queue_poll(struct krping_queue *q)
{
	local_bh_disable();
	ib_process_cq_direct(q->cq, KRPING_POLL_BUDGET);
	local_bh_enable();
}

/* Jiffies from now until @after have passed since @since; 0: they have. */
static long krping_jiffies_left(unsigned long since, unsigned long after)
{
	unsigned long passed = jiffies - since;

	return passed < after ? after - passed : 0;
}

/* When the wait is over at the latest, in jiffies from now; 0: it is over. */
static long krping_wait_left(const struct krping_queue *q, u32 timeout_ms)
{
	const struct krping_cause *cause = q->cause;
	long left = MAX_SCHEDULE_TIMEOUT;

	if (timeout_ms)
		left = krping_jiffies_left(READ_ONCE(q->progress),
					   msecs_to_jiffies(timeout_ms));
	if (READ_ONCE(cause->flushed))
		left = min(left, krping_jiffies_left(cause->flushed_at,
						     KRPING_FLUSH_GRACE));
	if (READ_ONCE(cause->stop_error))
		left = min(left, krping_jiffies_left(cause->stop_at,
						     KRPING_STOP_GRACE));
	return left;
}

/* Has something happened that changes what is waited for, or how long? */
static bool krping_wait_changes(const struct krping_queue *q, bool flushed,
				int stop_error)
{
	const struct krping_cause *cause = q->cause;

	return READ_ONCE(cause->error) || READ_ONCE(cause->disconnected) ||
	       READ_ONCE(cause->flushed) != flushed ||
	       READ_ONCE(cause->stop_error) != stop_error;
}

/**
 * krping_wait() - wait for the test to get somewhere
 * @q: the queue, with or without a CQ
 * @done: what is waited for; called in this thread, often, must not sleep
 * @arg: for @done
 * @timeout_ms: how long the test may stand still, see krping_queue_progress();
 *	0: without bound
 *
 * The only place where a test's thread waits for its peer or for events. It
 * sleeps, or polls the CQ if the queue is a polled one. A test that shall stop
 * does so here; if it is @q->graceful, it has half a second to get done.
 *
 * Return: the cause's error if there is one; 0 if @done says so; -ECONNRESET when
 * the connection is gone without an error so far; -ETIMEDOUT. The cause is not set
 * by this function: the caller knows what it was waiting for.
 */
int krping_wait(struct krping_queue *q, bool (*done)(void *arg), void *arg,
		u32 timeout_ms)
{
	struct krping_cause *cause = q->cause;
	bool polling = q->poll && q->cq;

	for (;;) {
		bool flushed = READ_ONCE(cause->flushed);
		int stop_error = READ_ONCE(cause->stop_error);
		long left;

		if (polling)
			krping_queue_poll(q);
		if (stop_error && !q->graceful)
			krping_cause_stopped(cause);
		if (krping_cause_error(cause))
			return krping_cause_error(cause);
		if (done(arg))
			return 0;

		left = krping_wait_left(q, timeout_ms);
		if (!left || READ_ONCE(cause->disconnected))
			break;
		if (polling)
			cond_resched();
		else
			wait_event_idle_timeout(cause->wait,
						done(arg) ||
						krping_wait_changes(q, flushed,
								    stop_error),
						left);
	}

	/* A stop that was asked for comes before what may have come of it. */
	if (krping_cause_stopped(cause))
		return krping_cause_error(cause);
	if (READ_ONCE(cause->disconnected) || READ_ONCE(cause->flushed))
		return -ECONNRESET;
	return -ETIMEDOUT;
}
