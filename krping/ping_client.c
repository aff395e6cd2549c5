// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The client's steps of the ping/pong loop, which ping.c describes. In each iteration the client
 * advertises its source, which the server READs, and then its sink, to which the server WRITEs the
 * same data. The server sends a message, the go-ahead, after the READ and after the WRITE.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>

#include "peer_stats.h"
#include "ping_client.h"

/*
 * Advertise the buffer of @phase. With the global rkey, only post the SEND. Otherwise post a chain:
 * LOCAL_INV of the other phase's MR, unless the peer has invalidated that MR; REG_MR of this
 * phase's MR; SEND. One MR for both phases would not do, because ib_map_mr_sg() changes an MR at
 * once, even while a LOCAL_INV of the MR is outstanding.
 */
static int krping_client_advertise(struct krping_ping *p,
				   enum krping_phase phase,
				   enum krping_ping_step next)
{
	struct krping_mr *old = &p->mr[!phase];
	struct krping_mr *mr = &p->mr[phase];
	struct krping_chain chain;
	u64 dma = p->send_sge[phase].addr;
	int ret;

	if (p->plan->global_rkey) {
		p->send[phase].next = NULL;
		return krping_ping_post(p, &p->send[phase], next);
	}

	krping_chain_init(&chain);
	if (old->valid) {
		old->valid = false;
		krping_chain_add(&chain, &old->inv);
	}
	ret = krping_mr_renew_or_end(p, mr);
	if (unlikely(ret))
		return ret;
	krping_chain_add(&chain, &mr->reg.wr);

	ib_dma_sync_single_for_cpu(mr->buf->device, dma, sizeof(*p->msg),
				   DMA_TO_DEVICE);
	krping_wire_msg_encode(&p->msg[phase], mr->mr->iova, mr->mr->rkey,
			       mr->buf->size);
	ib_dma_sync_single_for_device(mr->buf->device, dma, sizeof(*p->msg),
				      DMA_TO_DEVICE);
	krping_chain_add(&chain, &p->send[phase]);
	return krping_ping_post(p, chain.first, next);
}

/**
 * krping_client_begin() - begin an iteration: fill and advertise the source
 * @p: the client
 *
 * Context: the context that runs the steps (see ping.c); for the first iteration, the test's
 * thread.
 *
 * Return: 0 or a negative errno, which the function has recorded in the test's status.
 */
int krping_client_begin(struct krping_ping *p)
{
	struct krping_buf *source = &p->buf[KRPING_READ];
	struct krping_buf *sink = &p->buf[KRPING_WRITE];

	krping_buf_for_cpu(source);
	krping_buf_fill(source, p->iteration);
	krping_buf_for_device(source);
	if (p->plan->compares) {
		krping_buf_for_cpu(sink);
		krping_buf_poison(sink);
		krping_buf_for_device(sink);
	}
	return krping_client_advertise(p, KRPING_READ, KRPING_AWAIT_READ);
}

/* Check that the server has returned the data of the source to the sink. */
static bool krping_client_data_ok(struct krping_ping *p)
{
	const struct krping_buf *source = &p->buf[KRPING_READ];
	const struct krping_buf *sink = &p->buf[KRPING_WRITE];
	size_t off;

	krping_buf_for_cpu(sink);
	off = krping_buf_mismatch(source, sink);
	if (likely(off == source->size))
		return true;
	krping_status_set(p->thread->status, -EBADMSG,
			  "iteration %llu: data differs at offset %zu: sent 0x%02x, got 0x%02x",
			  p->iteration, off, krping_buf_byte(source, off),
			  krping_buf_byte(sink, off));
	return false;
}

/* Record the latency. One reading of the clock ends this iteration and starts the next one. */
static void krping_client_measure(struct krping_ping *p)
{
	struct krping_thread *thread = p->thread;
	u64 now = ktime_get_ns();

	if (p->iteration >= thread->opts.warmup) {
		krping_hist_record(thread->hist, now - p->iter_start_ns);
		krping_u64_write(&thread->iterations, thread->iterations + 1);
		krping_u64_write(&thread->end_ns, now);
	} else {
		krping_u64_write(&thread->start_ns, now);
	}
	p->iter_start_ns = now;
	p->iteration++;
}

/* End the loop, and request the server's report if both sides have negotiated a report. */
static void krping_client_finish(struct krping_ping *p)
{
	krping_queue_end(&p->conn->queue);
	if (!krping_peer_stats_negotiated(p->conn)) {
		krping_ping_hand_over(p, KRPING_DONE);
		return;
	}
	krping_ping_next(p, KRPING_AWAIT_REPORT);
	krping_ctlmsg_finish(&p->control);
}

/**
 * krping_client_iterate() - end an iteration and begin the next one, if any
 * @p: the client, which has received the go-ahead that follows the WRITE
 *
 * The function records an error in the test's status. After a stop, it begins no iteration.
 *
 * Context: the context that runs the steps.
 */
void krping_client_iterate(struct krping_ping *p)
{
	struct krping_thread *thread = p->thread;

	if (p->plan->compares && !krping_client_data_ok(p))
		return;
	if (p->plan->logs_data) {
		krping_buf_for_cpu(&p->buf[KRPING_WRITE]);
		krping_ping_log_data(p->thread->id, "ping data",
				     krping_buf_data(&p->buf[KRPING_WRITE]),
				     p->buf[KRPING_WRITE].sgl->length);
	}
	krping_client_measure(p);
	if (READ_ONCE(thread->expired) ||
	    (thread->opts.count && thread->iterations >= thread->opts.count)) {
		krping_client_finish(p);
	} else if (!krping_status_stopped(thread->status)) {
		krping_client_begin(p);
	}
}

/* Note whether the server has invalidated the key. If not, the next advert posts a LOCAL_INV. */
static void krping_client_note_inv(struct krping_mr *mr, const struct ib_wc *wc)
{
	if ((wc->wc_flags & IB_WC_WITH_INVALIDATE) && mr->mr &&
	    wc->ex.invalidate_rkey == mr->mr->rkey)
		mr->valid = false;
}

/**
 * krping_client_recv() - handle a go-ahead of the server
 * @q: the connection's queue
 * @msg: the message, whose content is ignored
 * @wc: the completion of its RECV
 *
 * Context: see &typedef krping_recv_fn.
 */
void krping_client_recv(struct krping_queue *q,
			const struct krping_wire_msg *msg,
			const struct ib_wc *wc)
{
	struct krping_ping *p = q->priv;

	if (!krping_ping_length_ok(p, wc) || !krping_ping_expects_message(p))
		return;
	switch (krping_ping_step(p)) {
	case KRPING_AWAIT_READ:
		krping_client_note_inv(&p->mr[KRPING_READ], wc);
		krping_client_advertise(p, KRPING_WRITE, KRPING_AWAIT_WRITE);
		break;
	case KRPING_AWAIT_WRITE:
		krping_client_note_inv(&p->mr[KRPING_WRITE], wc);
		if (p->in_thread)
			krping_ping_hand_over(p, KRPING_THREAD);
		else
			krping_client_iterate(p);
		break;
	default:
		krping_ping_unexpected(p);
		break;
	}
}

/**
 * krping_client_alloc() - allocate the client's source and sink, and their MRs or adverts
 * @p: the client, with a PD and memory for messages
 *
 * Context: process context.
 *
 * Return: 0 or a negative errno, which the caller records; the caller calls
 * krping_client_free() in both cases.
 */
int krping_client_alloc(struct krping_ping *p)
{
	/*
	 * krping_client_begin() poisons the sink. If the device uses a bounce buffer, the DMA API
	 * copies the poison there only if the mapping is bidirectional.
	 */
	static const enum dma_data_direction dir[] = {
		[KRPING_READ]	= DMA_TO_DEVICE,
		[KRPING_WRITE]	= DMA_BIDIRECTIONAL,
	};
	static const int access[] = {
		[KRPING_READ]	= IB_ACCESS_REMOTE_READ,
		[KRPING_WRITE]	= IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE,
	};
	const struct krping_thread *thread = p->thread;
	struct ib_pd *pd = p->conn->pd;
	bool reg = krping_client_registers(thread);
	int ret = 0;
	int i;

	for (i = 0; i < KRPING_PHASES && !ret; i++) {
		ret = krping_buf_alloc(&p->buf[i], pd->device, thread->opts.size,
				       !reg, dir[i]);
		if (ret)
			break;
		if (reg)
			ret = krping_ping_alloc_mr(p, &p->mr[i], &p->buf[i],
						   access[i]);
		else
			krping_wire_msg_encode(&p->msg[i],
					       krping_buf_addr(&p->buf[i]),
					       pd->unsafe_global_rkey,
					       thread->opts.size);
	}
	if (!reg)
		ib_dma_sync_single_for_device(pd->device, p->msg_mem.addr,
					      p->msg_mem.size, DMA_TO_DEVICE);
	return ret;
}

/**
 * krping_client_free() - free the client's source and sink
 * @p: the client, whose QP the caller has destroyed; krping_client_alloc() may have failed
 *
 * Context: process context.
 */
void krping_client_free(struct krping_ping *p)
{
	int i;

	for (i = 0; i < KRPING_PHASES; i++) {
		krping_mr_free(&p->mr[i]);
		krping_buf_free(&p->buf[i]);
	}
}
