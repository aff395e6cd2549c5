// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * One side of a case of the test conform. A case checks one rule of a specification by operations
 * between two QPs. The client and the server each have one side: a QP, its CQ, PD and memory. This
 * file allocates and frees a side, and records its completions, its events and the changed bytes of
 * its memory. Other files post the operations.
 *
 * conform_side_free() does not drain the QP, because a drain never ends on a device that does not
 * flush. Handlers of completions access only the side, which is freed after its QP and CQ, and the
 * test's status, which is freed after all sides.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../wait.h"
#include "side.h"

/* Let conform_side_wait() check its condition again. */
static void conform_wake(struct conform_side *side)
{
	wake_up_all(&side->thread->status->wait);
}

/*
 * Completions and events.
 */

#define CONFORM_FLAGS	(IB_WC_WITH_IMM | IB_WC_WITH_INVALIDATE)

/*
 * Record the immediate data or the invalidated rkey of a successful completion in @r->imm. Keep the
 * first value that is not 0.
 */
static void conform_note_imm(struct krping_conform_record *r, const struct ib_wc *wc)
{
	if (wc->status || !(wc->wc_flags & CONFORM_FLAGS) || r->imm)
		return;
	r->imm = wc->wc_flags & IB_WC_WITH_IMM ? be32_to_cpu(wc->ex.imm_data) :
		 wc->ex.invalidate_rkey;
}

/* Record the completion of a WR of the case. */
static void conform_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct conform_cqe *cqe = container_of(wc->wr_cqe, struct conform_cqe, cqe);
	struct conform_side *side = cqe->side;
	struct krping_conform_record *r = &side->record;
	unsigned long flags;

	spin_lock_irqsave(&side->lock, flags);
	conform_note_imm(r, wc);
	if (r->nr_wcs < KRPING_CONFORM_WCS) {
		struct krping_conform_wc *out = &r->wc[r->nr_wcs];

		out->id = cqe - side->cqe;
		out->status = wc->status;
		out->opcode = wc->status ? 0 : wc->opcode;
		out->flags = wc->status ? 0 : wc->wc_flags & CONFORM_FLAGS;
		out->vendor_err = wc->vendor_err;
		out->byte_len = wc->status ? 0 : wc->byte_len;
		conform_trace_wc(side, r->nr_wcs);
	}
	r->nr_wcs++;
	spin_unlock_irqrestore(&side->lock, flags);
	conform_wake(side);
}

/* Handle the completion of a WR of conform_side_own(), which the record leaves out. */
static void conform_own_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct conform_cqe *cqe = container_of(wc->wr_cqe, struct conform_cqe, cqe);

	WRITE_ONCE(cqe->side->own_done, 1 + wc->status);
	conform_wake(cqe->side);
}

/* Keep the first event. A CQ overrun replaces it, because a QP event may precede the CQ event. */
static void conform_note_event(struct conform_side *side, enum krping_conform_object object,
			       enum ib_event_type event)
{
	unsigned long flags;

	spin_lock_irqsave(&side->lock, flags);
	if (side->record.event < 0 || event == IB_EVENT_CQ_ERR)
		side->record.event = event;
	conform_trace_event(side, object, event);
	spin_unlock_irqrestore(&side->lock, flags);
	conform_wake(side);
}

static void conform_small_cq_event(struct ib_event *event, void *context)
{
	conform_note_event(context, KRPING_CONFORM_CQ, event->event);
}

static void conform_cq_event(struct ib_event *event, void *context)
{
	conform_trace_note(container_of(context, struct conform_side, cq), KRPING_CONFORM_CQ,
			   event->event);
}

static void conform_srq_event(struct ib_event *event, void *context)
{
	conform_note_event(context, KRPING_CONFORM_SRQ, event->event);
}

/* Record an error event of the QP, pass COMM_EST to rdma_cm, and trace any other event. */
static void conform_qp_event(struct ib_event *event, void *context)
{
	struct conform_side *side = context;

	switch (event->event) {
	case IB_EVENT_COMM_EST:
		rdma_notify(side->id, IB_EVENT_COMM_EST);
		break;
	case IB_EVENT_QP_FATAL:
	case IB_EVENT_QP_REQ_ERR:
	case IB_EVENT_QP_ACCESS_ERR:
	case IB_EVENT_QP_LAST_WQE_REACHED:
		conform_note_event(side, KRPING_CONFORM_QP, event->event);
		break;
	default:
		conform_trace_note(side, KRPING_CONFORM_QP, event->event);
		break;
	}
}

/*
 * Waiting.
 */

struct conform_wait {
	struct conform_side *side;
	bool (*done)(void *side);
};

/* Handle the completions of a CQ in direct context. */
static void conform_side_poll(struct conform_side *side)
{
	if (side->cq.poll)
		krping_cq_poll(&side->cq);
}

/* Check whether the control connection is lost. */
static bool conform_gone(const struct conform_side *side)
{
	return READ_ONCE(side->thread->conns->queue.gone);
}

static bool conform_wait_done(void *arg)
{
	const struct conform_wait *w = arg;

	return conform_gone(w->side) || w->done(w->side);
}

/**
 * conform_side_wait() - wait until a condition of a side holds
 * @side: the side
 * @done: the condition, which must not sleep; its argument is @side
 * @msec: timeout in milliseconds
 *
 * The function waits on the CQ of the control connection, so that errors and stops of the test end
 * the wait. &conform_side.cq has a status of its own, which records neither. In direct context, the
 * function polls &conform_side.cq, every one or two jiffies.
 *
 * Return: 0 if the condition holds; -ETIMEDOUT after @msec; -ECONNRESET if the control connection
 * is lost; else the error that ends the test.
 */
int conform_side_wait(struct conform_side *side, bool (*done)(void *side), u32 msec)
{
	struct conform_wait w = { side, done };
	struct krping_cq *cq = &side->thread->cq;
	unsigned long end = jiffies + msecs_to_jiffies(msec);
	int ret;

	do {
		conform_side_poll(side);
		krping_cq_progress(cq);
		ret = krping_wait(cq, conform_wait_done, &w, side->cq.poll ? 1 : msec);
	} while (ret == -ETIMEDOUT && side->cq.poll && time_before(jiffies, end));
	if (!ret && conform_gone(side))
		return -ECONNRESET;
	return ret;
}

static bool conform_never(void *side)
{
	return false;
}

/**
 * conform_side_pause() - wait for CONFORM_PAUSE milliseconds
 * @side: the side
 *
 * A loop that polls a condition calls this function between two checks. Completions and events of
 * the side do not end the pause.
 *
 * Return: -ETIMEDOUT after the pause; an error of conform_side_wait() if the pause ends early.
 */
int conform_side_pause(struct conform_side *side)
{
	return conform_side_wait(side, conform_never, CONFORM_PAUSE);
}

/* Count recorded completions: those of RECVs if @recvs is set, else those of WRs on the SQ. */
static u32 conform_count(struct conform_side *side, bool recvs)
{
	unsigned long flags;
	u32 nr;

	spin_lock_irqsave(&side->lock, flags);
	nr = conform_record_count(&side->record, recvs);
	spin_unlock_irqrestore(&side->lock, flags);
	return nr;
}

/**
 * conform_side_await_sends() - wait for completions of the SQ
 * @side: the side
 * @nr: number of completions since conform_side_begin()
 *
 * The function polls, because the condition of conform_side_wait() has no argument for @nr.
 *
 * Return: 0; -ETIMEDOUT after CONFORM_WAIT milliseconds; else as conform_side_wait().
 */
int conform_side_await_sends(struct conform_side *side, u32 nr)
{
	unsigned long end = jiffies + msecs_to_jiffies(CONFORM_WAIT);
	int ret;

	while (conform_count(side, false) < nr) {
		ret = conform_side_pause(side);
		if (ret != -ETIMEDOUT || time_after(jiffies, end))
			return ret;
	}
	return 0;
}

static bool conform_own_has_done(void *arg)
{
	const struct conform_side *side = arg;

	return READ_ONCE(side->own_done);
}

/**
 * conform_side_own() - post a WR that prepares a case, and wait for its completion
 * @side: the side, connected
 * @wr: the WR
 *
 * Return: 0 or a negative errno.
 */
int conform_side_own(struct conform_side *side, struct ib_send_wr *wr)
{
	int ret;

	WRITE_ONCE(side->own_done, 0);
	wr->wr_cqe = &side->own.cqe;
	wr->send_flags = IB_SEND_SIGNALED;
	ret = ib_post_send(side->qp, wr, NULL);
	if (!ret)
		ret = conform_side_wait(side, conform_own_has_done, CONFORM_WAIT);
	if (!ret && side->own_done != 1 + IB_WC_SUCCESS)
		ret = -EIO;
	return ret;
}

/*
 * The record.
 */

/**
 * conform_side_begin() - fill the memory with canaries (known bytes), and clear the record
 * @side: the side
 */
void conform_side_begin(struct conform_side *side)
{
	unsigned long flags;
	u32 i;

	/* Leave completions of earlier WRs out of the new record. */
	conform_side_poll(side);
	krping_buf_for_cpu(&side->mem);
	for (i = 0; i < CONFORM_BYTES; i++)
		*krping_buf_at(&side->mem, i) = conform_canary(side->fill, i);
	krping_buf_for_device(&side->mem);
	spin_lock_irqsave(&side->lock, flags);
	memset(&side->record, 0, sizeof(side->record));
	side->record.event = -1;
	side->record.state = -1;
	memset(&side->trace, 0, sizeof(side->trace));
	side->since = ktime_get_ns();
	spin_unlock_irqrestore(&side->lock, flags);
}

/* Return the state of the QP; -1 if the device does not report it. */
static int conform_side_state(struct conform_side *side)
{
	struct ib_qp_init_attr init = { 0 };
	struct ib_qp_attr attr;

	memset(&attr, 0, sizeof(attr));
	/* Set an invalid value, because some drivers, such as siw, do not set the state. */
	attr.qp_state = IB_QPS_ERR + 1;
	if (!side->qp || ib_query_qp(side->qp, &attr, IB_QP_STATE, &init) ||
	    attr.qp_state > IB_QPS_ERR)
		return -1;
	return attr.qp_state;
}

/**
 * conform_side_set_state() - move the QP to a state
 * @side: the side, connected
 * @state: the state
 *
 * Return: 0 or a negative errno.
 */
int conform_side_set_state(struct conform_side *side, enum ib_qp_state state)
{
	struct ib_qp_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.qp_state = state;
	return ib_modify_qp(side->qp, &attr, IB_QP_STATE);
}

/*
 * Count the bytes that differ from this side's canaries, and set the offset of the first of them.
 * Count a byte as garbled if it differs from the peer's canary as well.
 */
static void conform_side_compare(struct conform_side *side, struct krping_conform_record *out)
{
	u32 i;

	krping_buf_for_cpu(&side->mem);
	for (i = 0; i < CONFORM_BYTES; i++) {
		u8 byte = krping_buf_byte(&side->mem, i);

		if (byte == conform_canary(side->fill, i))
			continue;
		if (!out->changed++)
			out->first = i;
		if (byte != conform_canary(side->fill ^ CONFORM_PEER_FILL, i))
			out->garbled++;
	}
	krping_buf_for_device(&side->mem);
}

static u32 conform_side_changed(struct conform_side *side)
{
	struct krping_conform_record r = { 0 };

	conform_side_compare(side, &r);
	return r.changed;
}

/*
 * Check whether all effects of @until have occurred, except for @until->event: for the event,
 * conform_side_record() waits separately. If the device does not report the QP's state, ignore
 * @until->states.
 */
static bool conform_side_settled(struct conform_side *side, const struct conform_until *until)
{
	int state = conform_side_state(side);

	return conform_count(side, true) >= until->recvs &&
	       (!until->states || state < 0 || until->states & BIT(state)) &&
	       (!until->ended || READ_ONCE(side->ended)) &&
	       (!until->changed || conform_side_changed(side) >= until->changed);
}

static bool conform_has_event(void *arg)
{
	const struct conform_side *side = arg;

	return READ_ONCE(side->record.event) >= 0;
}

/**
 * conform_side_record() - wait for effects, and copy the record of a side
 * @side: the side
 * @until: the effects
 * @out: set to the record, without effects that have not occurred in time
 *
 * The function waits for the effects until CONFORM_STATE_WAIT milliseconds after @until->since, and
 * then for the event for at most CONFORM_EVENT_WAIT milliseconds.
 *
 * Return: 0, with @out set; else an error of conform_side_wait() other than -ETIMEDOUT.
 */
int conform_side_record(struct conform_side *side, const struct conform_until *until,
			struct krping_conform_record *out)
{
	unsigned long end = until->since + msecs_to_jiffies(CONFORM_STATE_WAIT);
	unsigned long flags;
	int ret = -ETIMEDOUT;

	conform_side_poll(side);
	while (!conform_side_settled(side, until) && time_before(jiffies, end)) {
		ret = conform_side_pause(side);
		if (ret != -ETIMEDOUT)
			return ret;
	}
	if (until->event)
		ret = conform_side_wait(side, conform_has_event, CONFORM_EVENT_WAIT);
	if (ret && ret != -ETIMEDOUT)
		return ret;
	spin_lock_irqsave(&side->lock, flags);
	*out = side->record;
	side->recorded = side->trace;
	spin_unlock_irqrestore(&side->lock, flags);
	out->state = conform_side_state(side);
	out->ended = READ_ONCE(side->ended);
	conform_side_compare(side, out);
	return 0;
}

/*
 * Set-up and teardown.
 */

/**
 * conform_side_create_qp() - create the QP
 * @side: the side; rdma_cm has bound @side->id to a device
 *
 * Return: 0 or a negative errno.
 */
int conform_side_create_qp(struct conform_side *side)
{
	struct ib_qp_init_attr init = {
		.event_handler	= conform_qp_event,
		.qp_context	= side,
		.send_cq	= side->cq.cq,
		.recv_cq	= side->small_cq ? side->small_cq : side->cq.cq,
		.srq		= side->srq,
		.cap = {
			.max_send_wr	= CONFORM_DEPTH,
			.max_recv_wr	= side->srq ? 0 : CONFORM_DEPTH,
			.max_send_sge	= CONFORM_SGES,
			.max_recv_sge	= side->srq ? 0 : 1,
			.max_inline_data = CONFORM_INLINE,
		},
		.sq_sig_type	= IB_SIGNAL_REQ_WR,
		.qp_type	= IB_QPT_RC,
	};
	int ret = rdma_create_qp(side->id, side->pd, &init);

	/* The device may support no inline data. */
	if (ret) {
		init.cap.max_inline_data = 0;
		ret = rdma_create_qp(side->id, side->pd, &init);
	}
	if (ret)
		return ret;
	side->qp = side->id->qp;
	side->max_sge = init.cap.max_send_sge;
	side->max_inline = init.cap.max_inline_data;
	return 0;
}

static int conform_side_create_srq(struct conform_side *side)
{
	struct ib_srq_init_attr init = {
		.event_handler	= conform_srq_event,
		.srq_context	= side,
		.srq_type	= IB_SRQT_BASIC,
		.attr.max_wr	= CONFORM_DEPTH,
		.attr.max_sge	= 1,
	};
	struct ib_srq *srq = ib_create_srq(side->pd, &init);

	if (IS_ERR(srq))
		return PTR_ERR(srq);
	side->srq = srq;
	return 0;
}

/* The CQ is never armed, so this handler does not run. */
static void conform_small_cq_done(struct ib_cq *cq, void *context)
{
}

/*
 * Create a CQ for RECVs that has fewer entries than the RQ and is never polled, so that the
 * completions of the RECVs overrun it.
 */
static int conform_side_create_small_cq(struct conform_side *side)
{
	const struct ib_cq_init_attr attr = { .cqe = 1 };
	struct ib_cq *cq = ib_create_cq(side->device, conform_small_cq_done, conform_small_cq_event,
					side, &attr);

	if (IS_ERR(cq))
		return PTR_ERR(cq);
	side->small_cq = cq;
	/* The device may have rounded the number of entries up. */
	return cq->cqe < CONFORM_DEPTH ? 0 : -EOPNOTSUPP;
}

/* Allocate all but the QP and the MRs: the PD, the CQ, the memory, and what @with requests. */
static int conform_side_fill_in(struct conform_side *side, u32 with)
{
	struct ib_pd *pd;
	int ret;

	pd = ib_alloc_pd(side->device,
			 with & CONFORM_WITH_DMA_KEY ? IB_PD_UNSAFE_GLOBAL_RKEY : 0);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	side->pd = pd;
	/* Allocate more entries than needed, because a faulty device may complete a WR twice. */
	ret = krping_cq_alloc(&side->cq, side->device, 8 * CONFORM_DEPTH,
			      with & CONFORM_WITH_POLLED_CQ ? IB_POLL_DIRECT : IB_POLL_SOFTIRQ, -1);
	if (!ret)
		side->cq.cq->event_handler = conform_cq_event;
	if (!ret && with & CONFORM_WITH_SRQ)
		ret = conform_side_create_srq(side);
	if (!ret && with & CONFORM_WITH_SMALL_CQ)
		ret = conform_side_create_small_cq(side);
	if (!ret)
		ret = krping_buf_alloc(&side->mem, side->device, CONFORM_BYTES, true,
				       DMA_BIDIRECTIONAL);
	return ret;
}

/**
 * conform_side_alloc() - allocate a side without a connection
 * @thread: the test's thread, connected
 * @fill: the bit of this side's canaries: CONFORM_PEER_FILL on the server, 0 on the client
 * @with: CONFORM_WITH_SRQ and the like, or 0: what the QP uses
 *
 * Return: the side or an ERR_PTR().
 */
struct conform_side *conform_side_alloc(struct krping_thread *thread, u8 fill, u32 with)
{
	struct conform_side *side;
	int i, ret;

	side = kzalloc(sizeof(*side), GFP_KERNEL);
	if (!side)
		return ERR_PTR(-ENOMEM);
	side->thread = thread;
	side->device = thread->conns->pd->device;
	side->fill = fill;
	spin_lock_init(&side->lock);
	krping_status_init(&side->status);
	krping_cq_init(&side->cq, &side->status, &side->stats, &thread->place);
	for (i = 0; i < ARRAY_SIZE(side->cqe); i++) {
		side->cqe[i].cqe.done = conform_done;
		side->cqe[i].side = side;
	}
	side->own.cqe.done = conform_own_done;
	side->own.side = side;
	ret = conform_side_fill_in(side, with);
	if (!ret) {
		conform_trace_device(side);
		conform_side_begin(side);
		return side;
	}
	conform_side_free(side);
	return ERR_PTR(ret);
}

/**
 * conform_side_free() - disconnect and free a side
 * @side: the side, or NULL
 *
 * A server first calls conform_listen_for() with NULL. Otherwise its listener might assign a new
 * connection to the freed side.
 */
void conform_side_free(struct conform_side *side)
{
	int i;

	if (!side)
		return;
	if (side->qp) {
		rdma_disconnect(side->id);
		rdma_destroy_qp(side->id);
	}
	conform_trace_device_end(side);
	if (side->small_cq)
		ib_destroy_cq(side->small_cq);
	krping_cq_free(&side->cq);
	for (i = 0; i < CONFORM_MRS; i++)
		if (side->mr[i].mr)
			ib_dereg_mr(side->mr[i].mr);
	if (side->srq)
		ib_destroy_srq(side->srq);
	krping_buf_free(&side->mem);
	if (side->id)
		krping_destroy_id(side->id);
	if (side->pd)
		ib_dealloc_pd(side->pd);
	kfree(side);
}
