// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Post and count work requests, and handle their completions. A WR is signaled only if the
 * test needs its completion, or to reclaim slots of the SQ. If the SQ has no room for a chain of
 * WRs, the queue parks the chain until completions have made room. A step is what a test does in
 * response to a successful completion. krping_wc_failed() handles every failed completion.
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "trace.h"
#include "wr.h"

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

/* Check whether the local device rejected a WR, or a message for a RECV. */
static bool krping_wc_refused(const struct ib_wc *wc)
{
	return wc->status == IB_WC_LOC_LEN_ERR || wc->status == IB_WC_LOC_QP_OP_ERR;
}

/* Check whether a WR failed only because the connection has ended. */
static bool krping_wc_flushed(const struct krping_queue *q, enum krping_op op,
			      const struct ib_wc *wc)
{
	if (wc->status == IB_WC_WR_FLUSH_ERR)
		return true;
	/* siw also reports these errors for a WR during which TCP has failed. */
	return krping_wc_refused(wc) && (op < KRPING_OP_REG || op == KRPING_OP_CTL) &&
	       q->pd->device->ops.driver_id == RDMA_DRIVER_SIW;
}

/**
 * krping_wc_failed() - record the error of a failed completion, which ends the test
 * @q: the queue
 * @op: the operation
 * @wc: the completion
 *
 * Context: the CQ's context.
 */
void krping_wc_failed(struct krping_queue *q, enum krping_op op,
		      const struct ib_wc *wc)
{
	const char *hint = "";
	int error = -EIO;

	if (krping_queue_ended(q)) {
		/* On iWARP, RECVs may be flushed before the event of an orderly disconnect. */
		if (!READ_ONCE(q->closing) && !READ_ONCE(q->status->disconnected) &&
		    !rdma_protocol_iwarp(q->pd->device, q->cm_id->port_num))
			WRITE_ONCE(q->flushed, true);
		return;
	}
	if (krping_wc_flushed(q, op, wc)) {
		krping_status_flushed(q->status);
		return;
	}
	if (wc->status == IB_WC_RETRY_EXC_ERR ||
	    wc->status == IB_WC_RNR_RETRY_EXC_ERR) {
		error = -ECONNRESET;
	} else if (krping_wc_refused(wc) && op == KRPING_OP_RECV) {
		/* krping's RECVs are valid, so the message was too long. */
		error = -EPROTO;
		hint = "; the peer sent a message that is too long";
	} else if (krping_wc_refused(wc) && op == KRPING_OP_READ_INV) {
		error = -EOPNOTSUPP;
		hint = "; leave out read_inv";
	}
	krping_status_set_wc(q->status, error, wc,
			     "%s failed: %s (vendor 0x%x)%s", krping_op_name[op],
			     ib_wc_status_msg(wc->status), wc->vendor_err, hint);
}

/*
 * Check whether the caller runs in the drain worker, not in the task that polls the CQ. That task
 * runs the steps of a polled CQ: the test's thread or, with &krping_cq.share, the task that holds
 * &krping_cq_share.lock. When the thread drains the QPs, a worker may call the drain of a driver,
 * which polls the CQ if its WR takes longer than HZ/10. A successful completion that the worker
 * reaps starts no step, because the connection has already ended.
 */
static bool krping_reaped_elsewhere(const struct krping_queue *q)
{
	/* pairs with krping_cq_share_reap() */
	return q->cq->poll && unlikely(current != READ_ONCE(q->cq->poller));
}

static u32 krping_wr_bytes(const struct ib_send_wr *wr)
{
	u32 bytes = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++)
		bytes += wr->sg_list[i].length;
	return bytes;
}

/* Return the counter of a WR, or NULL for a WR that krping does not count. */
static struct krping_counter *krping_wr_counter(struct krping_stats *stats,
						const struct ib_send_wr *wr)
{
	if (container_of(wr->wr_cqe, struct krping_cqe, cqe)->op == KRPING_OP_CTL)
		return NULL;
	switch (wr->opcode) {
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_INV:
	case IB_WR_SEND_WITH_IMM:
		return &stats->send;
	case IB_WR_RDMA_READ:
	case IB_WR_RDMA_READ_WITH_INV:
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		return &stats->read;
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
		return &stats->write;
	default:
		return NULL;
	}
}

/* Return the name of a WR's operation, for the tracepoint. */
static const char *krping_wr_name(const struct ib_send_wr *wr)
{
	return krping_op_name[container_of(wr->wr_cqe, struct krping_cqe, cqe)->op];
}

static void krping_count_wr(struct krping_stats *stats, const struct ib_send_wr *wr)
{
	struct krping_counter *counter = krping_wr_counter(stats, wr);

	if (counter)
		krping_count(counter, krping_wr_bytes(wr));
}

/* The device has rejected @bad and later WRs. Undo the count of those among the first @nr WRs. */
static void krping_uncount_chain(struct krping_stats *stats, const struct ib_send_wr *wr, u32 nr,
				 const struct ib_send_wr *bad)
{
	bool rejected = false;

	for (; wr && nr; wr = wr->next, nr--) {
		struct krping_counter *counter = krping_wr_counter(stats, wr);

		rejected |= wr == bad;
		if (counter && rejected)
			krping_uncount(counter, krping_wr_bytes(wr));
	}
}

/*
 * Post a chain. After an error, @bad is the first WR that the device has rejected, or unchanged if
 * the driver has named none.
 */
static __always_inline int krping_post_chain(struct krping_queue *q,
					     struct ib_send_wr *first,
					     const struct ib_send_wr **bad)
{
	const struct ib_send_wr *wr;
	int ret;

	ret = ib_post_send(q->qp, first, bad);
	if (likely(!ret))
		return 0;
	wr = *bad ?: first;
	if (ret == -ENOTCONN) {
		krping_status_flushed(q->status);
		return ret;
	}
	/*
	 * A device that resets rejects WRs with -EIO, and the driver may remove the device. The
	 * caller proceeds as after a flush, and krping_wait() waits for the cause.
	 */
	if (ret == -EIO) {
		krping_status_defer_firm(q->status, ret, "cannot post a WR with opcode %d (%d)",
					 wr->opcode, ret);
		return -ENOTCONN;
	}
	if (wr->opcode == IB_WR_RDMA_READ_WITH_INV)
		return krping_status_set(q->status, -EOPNOTSUPP,
					 "the device rejects READ_WITH_INV (%d); leave out read_inv",
					 ret);
	if (wr->opcode == IB_WR_REG_MR && reg_wr(wr)->access & IB_ACCESS_REMOTE_ATOMIC)
		return krping_status_set(q->status, -EOPNOTSUPP,
					 "the device rejects a registration for atomics (%d); leave out atomic",
					 ret);
	return krping_status_set(q->status, -EIO,
				 "cannot post a WR with opcode %d (%d)",
				 wr->opcode, ret);
}

/*
 * Post a chain whose first @nr WRs are counted. Undo the count of WRs that the device rejects. If
 * the driver names none, the device has accepted all: see siw_post_send().
 */
static __always_inline int krping_post_counted(struct krping_queue *q, struct ib_send_wr *first,
					       u32 nr)
{
	const struct ib_send_wr *bad = NULL;
	int ret = krping_post_chain(q, first, &bad);

	if (unlikely(ret) && bad)
		krping_uncount_chain(q->stats, first, nr, bad);
	return ret;
}

/**
 * krping_queue_post() - post a chain
 * @q: the queue
 * @first: the chain, for which the SQ has room. A test that tracks its WRs itself
 *	(&krping_queue_attr.sq_own) has called krping_queue_count() or krping_queue_note().
 *
 * After the connection was lost, this function treats the chain as flushed.
 *
 * Return: 0; -ENOTCONN after the connection was lost; else a negative errno, which the function
 * has recorded in &krping_queue.status.
 */
int krping_queue_post(struct krping_queue *q, struct ib_send_wr *first)
{
	return krping_post_counted(q, first, U32_MAX);
}

/**
 * krping_queue_post_counted() - post a chain of which the caller has counted only the first WRs
 * @q: the queue
 * @first: the chain, as in krping_queue_post()
 * @nr: number of WRs for which the caller has called krping_queue_count()
 *
 * Return: as krping_queue_post().
 */
int krping_queue_post_counted(struct krping_queue *q, struct ib_send_wr *first, u32 nr)
{
	return krping_post_counted(q, first, nr);
}

/**
 * krping_queue_post_until() - post a chain, and return the WR that the device rejected
 * @q: the queue
 * @first: the chain, as in krping_queue_post()
 * @bad: NULL; after an error the first WR that the device rejected, or NULL if the driver
 *	has named none
 *
 * Unlike krping_queue_post(), this function leaves rejected WRs counted.
 *
 * Return: as krping_queue_post().
 */
int krping_queue_post_until(struct krping_queue *q, struct ib_send_wr *first,
			    const struct ib_send_wr **bad)
{
	return krping_post_chain(q, first, bad);
}

/* Check whether all counted WRs that have not left the SQ fit on the SQ. */
static bool krping_queue_fits(const struct krping_queue *q)
{
	return q->posted - READ_ONCE(q->reclaimed) <= q->sq_size;
}

/* Post the parked chain if the SQ has room for it. */
static int krping_queue_unpark(struct krping_queue *q)
{
	struct ib_send_wr *chain;

	if (!krping_queue_fits(q) || READ_ONCE(q->closing))
		return 0;
	chain = xchg(&q->parked, NULL);
	return chain ? krping_queue_post(q, chain) : 0;
}

/*
 * Append a chain to the parked chain, which krping_queue_reclaim() posts once completions
 * have made room on the SQ. xchg() hands the parked chain to one context at a time.
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
	 * A completion may have made room before its handler could see the
	 * chain. xchg() is a full barrier and pairs with smp_mb() in
	 * krping_queue_reclaim().
	 */
	return krping_queue_unpark(q);
}

/*
 * Reclaim the slots of the SQ up to a completed WR. @mark has the value of @posted at each signaled
 * WR, and these WRs complete in order of @mark. Post the parked chain if the SQ now has room.
 * Ignore a completion if no signaled WR is outstanding: a faulty device completes a WR twice.
 */
static void krping_queue_reclaim(struct krping_queue *q)
{
	if (unlikely(q->reaped == READ_ONCE(q->marked)))
		return;
	WRITE_ONCE(q->reclaimed, q->mark[q->reaped % KRPING_SIGNALS]);
	/* pairs with krping_queue_signals(), which may now reuse the slot of @mark */
	smp_store_release(&q->reaped, q->reaped + 1);
	/* pairs with xchg() in krping_queue_park() */
	smp_mb();
	if (unlikely(krping_queue_full(q))) {
		krping_queue_unpark(q);
		/* A thread may wait until no chain is parked. */
		wake_up_all(&q->status->wait);
	}
}

/* Trace a completion. While the tracepoint is disabled, read none of its arguments. */
static void krping_trace_complete(const struct krping_queue *q, enum krping_op op,
				  const struct ib_wc *wc)
{
	if (trace_krping_complete_enabled())
		trace_krping_complete(q->status->id, q->conn_idx, q->qp_num, krping_op_name[op],
				      wc);
}

static __always_inline void krping_trace_post(const struct krping_queue *q,
					      const struct ib_send_wr *first, u32 nr_wr,
					      bool signaled)
{
	if (trace_krping_post_enabled())
		trace_krping_post(q->status->id, q->conn_idx, q->qp_num, krping_wr_name(first),
				  nr_wr, signaled);
}

/**
 * krping_sent() - handle the completion of a WR on the SQ
 * @cq: the CQ
 * @wc: the completion; its wr_cqe is in &krping_queue.op
 *
 * Context: the CQ's context. The function records the error of a failed completion.
 */
void krping_sent(struct ib_cq *cq, struct ib_wc *wc)
{
	struct krping_cqe *cqe = container_of(wc->wr_cqe, struct krping_cqe, cqe);
	struct krping_queue *q = cqe->queue;

	krping_trace_complete(q, cqe->op, wc);
	if (unlikely(wc->status != IB_WC_SUCCESS)) {
		krping_wc_failed(q, cqe->op, wc);
		return;
	}
	if (krping_reaped_elsewhere(q))
		return;
	krping_place_note(q->cq->place->handled);
	if (q->sent_fn && cqe->op < KRPING_OP_REG) {
		if (likely(!READ_ONCE(q->closing)))
			q->sent_fn(q, cqe->op);
		return;
	}
	krping_queue_reclaim(q);
}

/**
 * krping_post_recv() - post a RECV to the QP or to the SRQ
 * @q: the queue
 * @recv: the RECV, which must not be outstanding
 *
 * Context: any context.
 *
 * Return: 0; -ENOTCONN if the connection goes down or the device resets, which krping_wait()
 * classifies; else a negative errno, which the function has recorded in &krping_queue.status.
 */
int krping_post_recv(struct krping_queue *q, struct krping_recv *recv)
{
	int ret;

	if (q->srq)
		ret = ib_post_srq_recv(q->srq, &recv->wr, NULL);
	else
		ret = ib_post_recv(q->qp, &recv->wr, NULL);
	/* iWARP devices return -ENOTCONN while the connection goes down. */
	if (unlikely(ret == -ENOTCONN)) {
		krping_status_flushed(q->status);
	} else if (unlikely(ret == -EIO)) {
		krping_status_defer_firm(q->status, ret, "cannot post a RECV (%d)", ret);
		ret = -ENOTCONN;
	} else if (unlikely(ret)) {
		krping_status_set(q->status, -EIO, "cannot post a RECV (%d)", ret);
	}
	return ret;
}

/*
 * Copy a message to @msg, and let look_fn() inspect a data message, before krping_recv_done() posts
 * the buffer again. Return the type of a control message, or KRPING_CTL_NONE.
 */
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

/**
 * krping_recv_done() - handle the completion of a RECV
 * @cq: the CQ
 * @wc: the completion; its wr_cqe is &krping_recv.cqe
 *
 * Context: the CQ's context. The function posts the RECV again and passes the message
 * to the test, or records the error of a failed completion.
 */
void krping_recv_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct krping_recv *recv = container_of(wc->wr_cqe, struct krping_recv,
						cqe.cqe);
	struct krping_queue *q = recv->cqe.queue;
	enum krping_ctl_type type = KRPING_CTL_NONE;
	union krping_ctl msg;
	u64 value = 0;
	int ret;

	krping_trace_complete(q, KRPING_OP_RECV, wc);
	if (unlikely(wc->status != IB_WC_SUCCESS)) {
		krping_wc_failed(q, KRPING_OP_RECV, wc);
		return;
	}
	if (unlikely(READ_ONCE(q->closing) || krping_status_error(q->status)))
		return;
	if (krping_reaped_elsewhere(q))
		return;
	krping_place_note(q->cq->place->handled);

	/* The data of a WRITE with immediate data is not in the RECV's buffer. */
	if (likely(wc->opcode == IB_WC_RECV))
		type = krping_recv_look(q, recv, wc, &msg, &value);
	/* Do not count a message in which look_fn() has found wrong data. */
	if (unlikely(krping_status_error(q->status)))
		return;

	/* Post the RECV before any SEND that lets the peer send its next message. */
	ret = krping_post_recv(q, recv);
	/* -ENOTCONN: the connection goes down, but the messages that have arrived are valid. */
	if (unlikely(ret && ret != -ENOTCONN))
		return;
	if (type != KRPING_CTL_NONE) {
		q->ctl_fn(q, type, value, &msg);
		return;
	}
	/* Count only messages that the test handles, so that iterations and counters match. */
	krping_count(&q->stats->recv, wc->byte_len);
	q->recv_fn(q, &msg.msg, wc);
}

static __always_inline void krping_note_post(struct krping_queue *q,
					     const struct ib_send_wr *first, u32 nr_wr,
					     bool signaled)
{
	krping_trace_post(q, first, nr_wr, signaled);
	krping_place_note(q->cq->place->posted);
	krping_cq_progress(q->cq);
}

/**
 * krping_queue_note() - note that the caller is about to post a chain that moves no data
 * @q: the queue
 * @first: the chain, of WRs that have no counter
 * @nr_wr: number of WRs in the chain
 * @signaled: one of the WRs is signaled
 *
 * As krping_queue_count(), but the function does not search for counters.
 */
void krping_queue_note(struct krping_queue *q, const struct ib_send_wr *first, u32 nr_wr,
		       bool signaled)
{
	krping_note_post(q, first, nr_wr, signaled);
}

/**
 * krping_queue_count() - count the operations of a chain that the caller is about to post
 * @q: the queue
 * @first: the chain
 * @nr_wr: number of WRs in the chain
 * @signaled: one of the WRs is signaled
 *
 * For a test that tracks its WRs itself and then calls krping_queue_post(). Other
 * tests call krping_queue_prepare(), which also counts.
 */
void krping_queue_count(struct krping_queue *q, const struct ib_send_wr *first,
			u32 nr_wr, bool signaled)
{
	const struct ib_send_wr *wr;

	for (wr = first; wr; wr = wr->next)
		krping_count_wr(q->stats, wr);
	krping_note_post(q, first, nr_wr, signaled);
}

/* Check whether to signal the last counted WR. If so, mark the WRs that its completion reclaims. */
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
 * krping_queue_prepare() - count a chain that the caller is about to post
 * @q: the queue
 * @first: the chain; the function sets or clears IB_SEND_SIGNALED of its last WR
 *
 * Context: a context that runs a step. The caller updates its state between this
 * function and krping_queue_submit(), because the peer's answer to the first WR may
 * start the next step on another CPU before ib_post_send() returns.
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

	krping_note_post(q, first, nr_wr, signal);
}

/**
 * krping_queue_submit() - post a prepared chain, or park it if the SQ is full
 * @q: the queue
 * @first: the chain
 *
 * The handler of the completion that makes room posts the parked chain. If no
 * completion arrives, krping_wait() returns -ETIMEDOUT.
 *
 * Return: 0 or a negative errno, which the function has recorded in &krping_queue.status.
 */
int krping_queue_submit(struct krping_queue *q, struct ib_send_wr *first)
{
	if (likely(krping_queue_fits(q) && !krping_queue_full(q)))
		return krping_queue_post(q, first);
	return krping_queue_park(q, first);
}

/**
 * krping_queue_parked() - check whether a WR is parked
 * @q: the queue
 * @wr: the WR
 *
 * Context: the CQ's context. The caller must not submit a parked WR again.
 *
 * Return: true if @wr is in the parked chain.
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
