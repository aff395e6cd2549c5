// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The ping/pong loop of krping and rping:
 *
 *	client				server
 *	SEND source advert	--->
 *				<---	RDMA READ of the source
 *				<---	SEND go-ahead, fenced behind the READ
 *	SEND sink advert	--->
 *				<---	RDMA WRITE to the sink
 *				<---	SEND go-ahead, behind the WRITE
 *
 * Each side is a state machine whose steps are the messages that arrive. A step
 * runs where the CQ is handled: in softirq, in a worker, or in the test's
 * thread if that polls. Work that takes long is handed over to the thread,
 * which then takes the same step.
 *
 * One step runs at a time. The CQ is handled by one context at a time, and
 * while the thread is at work the peer has to wait for us. A peer that sends
 * too early nevertheless ends its own test and harms nothing: the last thing a
 * step does before its WRs are on their way is to say what comes next.
 */
#define pr_fmt(fmt) "krping: " fmt

#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "ctlmsg.h"
#include "test_ops.h"
#include "memory.h"
#include "peer_stats.h"

/* What the log shows of the data. */
#define KRPING_VERBOSE_BYTES	64

/* An advertised buffer that is larger than one MR is moved in pieces. */
#define KRPING_PIECES_MAX	16

/* The two halves of an iteration, and what belongs to each. */
enum krping_phase {
	KRPING_READ,
	KRPING_WRITE,
	KRPING_PHASES
};

/**
 * enum krping_ping_step - what happens next
 * @KRPING_AWAIT_SOURCE: server: the client advertises its source
 * @KRPING_AWAIT_SINK: server: the client advertises its sink
 * @KRPING_AWAIT_READ: client: the server says that it has read
 * @KRPING_AWAIT_WRITE: client: the server says that it has written
 * @KRPING_THREAD: the thread does what takes long
 * @KRPING_AWAIT_REPORT: client: all iterations are done, the server tells its own
 * @KRPING_DONE: all iterations are done
 */
enum krping_ping_step {
	KRPING_AWAIT_SOURCE,
	KRPING_AWAIT_SINK,
	KRPING_AWAIT_READ,
	KRPING_AWAIT_WRITE,
	KRPING_THREAD,
	KRPING_AWAIT_REPORT,
	KRPING_DONE,
};

/**
 * struct krping_piece - what a server moves with one READ and one WRITE
 * @buf: the data
 * @mr: its registrations as READ sink and as WRITE source
 * @rdma: the READ and the WRITE
 * @sge: their one entry
 */
struct krping_piece {
	struct krping_buf buf;
	struct krping_mr mr[KRPING_PHASES];
	struct ib_rdma_wr rdma[KRPING_PHASES];
	struct ib_sge sge[KRPING_PHASES];
};

/**
 * struct krping_ping - one side of the loop
 * @thread: the test
 * @conn: its connection
 * @step: what happens next; written by the one who takes the step
 * @in_thread: the long part of an iteration belongs into the thread
 * @iteration: number of the iteration, from 0, warm-up included
 * @turn_ns: client: when the iteration began
 * @buf: client: source and sink
 * @mr: client: their registrations
 * @advert: server: the advertised sink that the thread shall write to
 * @read_len: server: bytes that it has read in this iteration
 * @registered: server: is the local side of READ and WRITE registered?
 * @nr_pieces: server: number of @piece
 * @piece: server: the data
 * @msg: the two messages of an iteration
 * @msg_mem: the memory of @msg
 * @control: the messages at the end
 * @send: the SENDs of @msg
 * @send_sge: their one entry
 */
struct krping_ping {
	struct krping_thread *thread;
	struct krping_conn *conn;
	enum krping_ping_step step;
	bool in_thread;
	u64 iteration;
	u64 turn_ns;

	struct krping_buf buf[KRPING_PHASES];
	struct krping_mr mr[KRPING_PHASES];

	struct krping_advert advert;
	u32 read_len;
	bool registered[KRPING_PHASES];
	int nr_pieces;
	struct krping_piece *piece;

	struct krping_wire_msg *msg;
	struct krping_dma msg_mem;
	struct krping_ctlmsg control;
	struct ib_send_wr send[KRPING_PHASES];
	struct ib_sge send_sge[KRPING_PHASES];
};

/* A chain of WRs under construction. */
struct krping_chain {
	struct ib_send_wr *first;
	struct ib_send_wr **tail;
};

static void krping_chain_init(struct krping_chain *chain)
{
	chain->first = NULL;
	chain->tail = &chain->first;
}

static void krping_chain_add(struct krping_chain *chain, struct ib_send_wr *wr)
{
	wr->next = NULL;
	*chain->tail = wr;
	chain->tail = &wr->next;
}

static bool krping_client_registers(const struct krping_thread *thread)
{
	return thread->opts.mem_mode == KRPING_MEM_REG;
}

static enum krping_ping_step krping_ping_step(const struct krping_ping *p)
{
	/* pairs with krping_ping_next() */
	return smp_load_acquire(&p->step);
}

/* Whoever takes the next step sees all that was done in this one. */
static void krping_ping_next(struct krping_ping *p, enum krping_ping_step step)
{
	/* pairs with krping_ping_step() */
	smp_store_release(&p->step, step);
}

/* Say what comes next, then let the chain go. */
static int krping_ping_post(struct krping_ping *p, struct ib_send_wr *first,
			    enum krping_ping_step next)
{
	struct krping_queue *q = &p->conn->queue;

	krping_queue_prepare(q, first);
	krping_ping_next(p, next);
	return krping_queue_submit(q, first);
}

/* The thread is needed, because work takes long or because all is done. */
static void krping_ping_hand_over(struct krping_ping *p,
				  enum krping_ping_step step)
{
	krping_ping_next(p, step);
	wake_up_all(&p->thread->status->wait);
}

static void krping_ping_unexpected(struct krping_ping *p)
{
	krping_status_set(p->thread->status, -EPROTO,
			  "the peer sent a message out of turn in iteration %llu",
			  p->iteration);
}

/*
 * A peer that answers a chain which is still parked has not waited for it. The
 * WRs of that chain must not be linked again.
 */
static bool krping_ping_in_turn(struct krping_ping *p)
{
	if (likely(!krping_queue_full(&p->conn->queue)))
		return true;
	krping_ping_unexpected(p);
	return false;
}

static bool krping_ping_length_ok(struct krping_ping *p, const struct ib_wc *wc)
{
	if (likely(wc->byte_len == sizeof(struct krping_wire_msg)))
		return true;
	krping_status_set(p->thread->status, -EPROTO,
			  "the peer sent a message of %u bytes instead of %zu",
			  wc->byte_len, sizeof(struct krping_wire_msg));
	return false;
}

static void krping_ping_log_data(const char *what, const u8 *data, size_t len)
{
	len = min_t(size_t, len, KRPING_VERBOSE_BYTES);
	pr_info("%s (64B max): |%*pE|\n", what,
		(int)strnlen((const char *)data, len), data);
}

/*
 * The client.
 */

static int krping_mr_renew_or_end(struct krping_ping *p, struct krping_mr *mr)
{
	int ret = krping_mr_renew(mr);

	if (unlikely(ret))
		krping_status_set(p->thread->status, ret,
				  "the device does not map a buffer of %zu bytes",
				  mr->buf->size);
	return ret;
}

/*
 * LOCAL_INV of what was registered in the other phase, REG_MR, SEND. The two
 * phases have an MR each, because ib_map_mr_sg() rewrites one at once while its
 * LOCAL_INV is still on its way.
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

	if (!krping_client_registers(p->thread)) {
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

static int krping_client_begin(struct krping_ping *p)
{
	struct krping_buf *source = &p->buf[KRPING_READ];
	struct krping_buf *sink = &p->buf[KRPING_WRITE];

	krping_buf_for_cpu(source);
	krping_buf_fill(source, p->iteration);
	krping_buf_for_device(source);
	if (p->thread->opts.validate) {
		krping_buf_for_cpu(sink);
		krping_buf_poison(sink);
		krping_buf_for_device(sink);
	}
	return krping_client_advertise(p, KRPING_READ, KRPING_AWAIT_READ);
}

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

/* One look at the clock ends this iteration and begins the next. */
static void krping_client_measure(struct krping_ping *p)
{
	struct krping_thread *thread = p->thread;
	u64 now = ktime_get_ns();

	if (p->iteration >= thread->opts.warmup) {
		krping_hist_record(thread->hist, now - p->turn_ns);
		WRITE_ONCE(thread->iterations, thread->iterations + 1);
		WRITE_ONCE(thread->end_ns, now);
	} else {
		WRITE_ONCE(thread->start_ns, now);
	}
	p->turn_ns = now;
	p->iteration++;
}

/* All iterations are done. */
static void krping_client_finish(struct krping_ping *p)
{
	krping_queue_end(&p->conn->queue);
	if (!krping_peer_stats_agreed(p->conn)) {
		krping_ping_hand_over(p, KRPING_DONE);
		return;
	}
	krping_ping_next(p, KRPING_AWAIT_REPORT);
	krping_ctlmsg_finish(&p->control);
}

/* The end of an iteration, and the beginning of the next if there is one. */
static void krping_client_turn(struct krping_ping *p)
{
	struct krping_thread *thread = p->thread;

	if (thread->opts.validate && !krping_client_data_ok(p))
		return;
	if (thread->opts.verbose) {
		krping_buf_for_cpu(&p->buf[KRPING_WRITE]);
		krping_ping_log_data("ping data",
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

/* Has the server invalidated our key? What it left is invalidated by us. */
static void krping_client_note_inv(struct krping_mr *mr, const struct ib_wc *wc)
{
	if ((wc->wc_flags & IB_WC_WITH_INVALIDATE) && mr->mr &&
	    wc->ex.invalidate_rkey == mr->mr->rkey)
		mr->valid = false;
}

static void krping_client_recv(struct krping_queue *q,
			       const struct krping_wire_msg *msg,
			       const struct ib_wc *wc)
{
	struct krping_ping *p = q->priv;

	if (!krping_ping_length_ok(p, wc) || !krping_ping_in_turn(p))
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
			krping_client_turn(p);
		break;
	default:
		krping_ping_unexpected(p);
		break;
	}
}

/*
 * The server.
 */

static bool krping_server_advert_ok(struct krping_ping *p, const char *what,
				    u64 least, u64 most)
{
	const struct krping_advert *advert = &p->advert;

	if (likely(advert->size && advert->size >= least &&
		   advert->size <= most && (advert->addr || advert->rkey)))
		return true;
	krping_status_set(p->thread->status, -EPROTO,
			  "the client advertised a %s of %u bytes at 0x%llx; %llu to %llu bytes would be right",
			  what, advert->size, advert->addr, least, most);
	return false;
}

static void krping_server_inv(struct krping_chain *chain, struct krping_mr *mr)
{
	if (!mr->valid)
		return;
	mr->valid = false;
	krping_chain_add(chain, &mr->inv);
}

/*
 * Invalidate what was registered, fenced behind the READ: when that is done so
 * is all that was posted before it, the last iteration's WRITE included.
 */
static void krping_server_inv_all(struct krping_ping *p,
				  struct krping_chain *chain)
{
	int i;

	for (i = 0; i < p->nr_pieces; i++) {
		struct krping_piece *piece = &p->piece[i];

		krping_server_inv(chain, &piece->mr[KRPING_WRITE]);
		if (p->thread->opts.read_inv)
			piece->mr[KRPING_READ].valid = false;
		krping_server_inv(chain, &piece->mr[KRPING_READ]);
	}
}

static int krping_server_add_piece(struct krping_ping *p,
				   struct krping_piece *piece,
				   enum krping_phase phase,
				   struct krping_chain *chain)
{
	struct krping_mr *mr = &piece->mr[phase];
	int ret;

	if (p->registered[phase]) {
		ret = krping_mr_renew_or_end(p, mr);
		if (unlikely(ret))
			return ret;
		piece->sge[phase].addr = mr->mr->iova;
		piece->sge[phase].lkey = mr->mr->lkey;
		krping_chain_add(chain, &mr->reg.wr);
	}
	krping_chain_add(chain, &piece->rdma[phase].wr);
	return 0;
}

/* READ or WRITE @len bytes at what is advertised, and the go-ahead behind it. */
static int krping_server_transfer(struct krping_ping *p, enum krping_phase phase,
				  u32 len, enum krping_ping_step next)
{
	const struct krping_advert *advert = &p->advert;
	struct ib_send_wr *send = &p->send[phase];
	struct krping_chain chain;
	u32 off = 0;
	int ret;
	int i;

	krping_chain_init(&chain);
	for (i = 0; off < len; i++) {
		struct krping_piece *piece = &p->piece[i];
		struct ib_rdma_wr *rdma = &piece->rdma[phase];

		piece->sge[phase].length = min_t(u32, len - off, piece->buf.size);
		rdma->remote_addr = advert->addr + off;
		rdma->rkey = advert->rkey;
		off += piece->sge[phase].length;
		ret = krping_server_add_piece(p, piece, phase, &chain);
		if (unlikely(ret))
			return ret;
	}
	if (phase == KRPING_READ)
		krping_server_inv_all(p, &chain);
	if (p->thread->opts.server_inv)
		send->ex.invalidate_rkey = advert->rkey;
	krping_chain_add(&chain, send);
	return krping_ping_post(p, chain.first, next);
}

static void krping_server_read(struct krping_ping *p)
{
	struct krping_thread *thread = p->thread;

	if (!krping_server_advert_ok(p, "source", 1, thread->opts.size))
		return;
	p->read_len = p->advert.size;
	krping_server_transfer(p, KRPING_READ, p->read_len, KRPING_AWAIT_SINK);
}

static void krping_server_write(struct krping_ping *p)
{
	struct krping_thread *thread = p->thread;
	u64 now = ktime_get_ns();

	/* From one WRITE to the next: the first one follows none. */
	if (p->iteration)
		krping_hist_record(thread->hist, now - p->turn_ns);
	else
		WRITE_ONCE(thread->start_ns, now);
	p->turn_ns = now;
	p->iteration++;
	WRITE_ONCE(thread->iterations, p->iteration);
	WRITE_ONCE(thread->end_ns, now);
	krping_server_transfer(p, KRPING_WRITE, p->read_len,
			       KRPING_AWAIT_SOURCE);
}

static void krping_server_report(struct krping_ping *p)
{
	struct krping_peer_stats report;

	krping_queue_end(&p->conn->queue);
	krping_peer_stats_make(p->thread, &report);
	krping_ping_next(p, KRPING_AWAIT_REPORT);
	krping_ctlmsg_report(&p->control, &report);
}

static void krping_server_recv(struct krping_queue *q,
			       const struct krping_wire_msg *msg,
			       const struct ib_wc *wc)
{
	struct krping_ping *p = q->priv;

	if (!krping_ping_length_ok(p, wc) || !krping_ping_in_turn(p))
		return;
	switch (krping_ping_step(p)) {
	case KRPING_AWAIT_SOURCE:
		krping_wire_msg_decode(msg, &p->advert);
		krping_server_read(p);
		break;
	case KRPING_AWAIT_SINK:
		krping_wire_msg_decode(msg, &p->advert);
		if (!krping_server_advert_ok(p, "sink", p->read_len, U32_MAX))
			break;
		if (p->in_thread)
			krping_ping_hand_over(p, KRPING_THREAD);
		else
			krping_server_write(p);
		break;
	default:
		krping_ping_unexpected(p);
		break;
	}
}

/* Is it all right for the peer to finish or to disconnect here? */
static bool krping_ping_in_order(const struct krping_ping *p)
{
	const struct krping_thread *thread = p->thread;

	return !krping_is_client(thread) &&
	       krping_ping_step(p) == KRPING_AWAIT_SOURCE &&
	       (!thread->opts.count || thread->iterations == thread->opts.count);
}

static void krping_ping_ctl(struct krping_queue *q, enum krping_ctl_type type,
			    u64 value, const union krping_ctl *ctl)
{
	struct krping_ping *p = q->priv;

	if (type == KRPING_CTL_FINISH && krping_ping_in_order(p)) {
		krping_server_report(p);
	} else if (type == KRPING_CTL_REPORT && krping_is_client(p->thread) &&
		   krping_ping_step(p) == KRPING_AWAIT_REPORT) {
		krping_peer_stats_take(p->thread, &ctl->report);
		krping_ping_hand_over(p, KRPING_DONE);
	} else {
		krping_ping_unexpected(p);
	}
}

static void krping_server_thread(struct krping_ping *p)
{
	const struct krping_buf *buf = &p->piece->buf;

	krping_buf_for_cpu(buf);
	krping_ping_log_data("server ping data", krping_buf_data(buf),
			     min_t(size_t, p->read_len, buf->sgl->length));
	krping_buf_for_device(buf);
	krping_server_write(p);
}

/*
 * Both: the thread's loop.
 */

static bool krping_ping_needs_thread(void *arg)
{
	struct krping_ping *p = arg;
	enum krping_ping_step step = krping_ping_step(p);

	if (step == KRPING_THREAD || step == KRPING_DONE)
		return true;
	/* The peer that is awaited has gone. */
	if (READ_ONCE(p->conn->queue.gone))
		return true;
	return !krping_is_client(p->thread) && READ_ONCE(p->thread->expired);
}

/* Put in words why the wait has ended. */
static int krping_ping_ended(struct krping_ping *p, int ret)
{
	struct krping_status *status = p->thread->status;

	/* All iterations are done: nothing of this is an error. */
	if (READ_ONCE(p->conn->queue.over))
		return krping_status_error(status);

	switch (ret) {
	case -ETIMEDOUT:
		if (krping_queue_full(&p->conn->queue))
			return krping_status_set(status, ret, KRPING_QUEUE_STUCK,
						 p->thread->opts.timeout);
		return krping_status_set(status, ret,
					 "the peer was silent for timeout=%u ms in iteration %llu",
					 p->thread->opts.timeout, p->iteration);
	case -ECONNRESET:
		if (krping_ping_in_order(p)) {
			krping_queue_end(&p->conn->queue);
			return krping_status_error(status);
		}
		return krping_status_set(status, ret,
					 "%s in iteration %llu",
					 krping_status_loss(status), p->iteration);
	default:
		return ret;
	}
}

static int krping_ping_loop(struct krping_thread *thread)
{
	struct krping_ping *p = thread->conns->queue.priv;
	struct krping_cq *cq = &thread->cq;
	bool client = krping_is_client(thread);
	int ret;

	/* A server that waits for its client is not going to be done soon. */
	cq->graceful = client;
	if (client && krping_peer_stats_agreed(p->conn))
		p->conn->queue.ctl_fn = krping_ping_ctl;
	if (client) {
		p->turn_ns = thread->start_ns;
		krping_client_begin(p);
	}

	for (;;) {
		ret = krping_wait(cq, krping_ping_needs_thread, p,
				  thread->opts.timeout);
		if (ret)
			return krping_ping_ended(p, ret);
		if (krping_ping_step(p) != KRPING_THREAD)
			return krping_status_error(thread->status);
		if (client)
			krping_client_turn(p);
		else
			krping_server_thread(p);
	}
}

/*
 * Set-up and its mirror image.
 */

static int krping_ping_alloc_msgs(struct krping_ping *p)
{
	struct krping_conn *conn = p->conn;
	int ret;
	int i;

	ret = krping_dma_alloc(&p->msg_mem, conn->pd->device,
			       KRPING_PHASES * sizeof(*p->msg), DMA_TO_DEVICE);
	if (!ret)
		ret = krping_ctlmsg_alloc(&p->control, conn);
	if (ret)
		return ret;

	p->msg = p->msg_mem.data;
	for (i = 0; i < KRPING_PHASES; i++) {
		p->send_sge[i].addr = p->msg_mem.addr + i * sizeof(*p->msg);
		p->send_sge[i].length = sizeof(*p->msg);
		p->send_sge[i].lkey = conn->pd->local_dma_lkey;
		p->send[i].wr_cqe = krping_queue_cqe(&conn->queue, KRPING_OP_SEND);
		p->send[i].sg_list = &p->send_sge[i];
		p->send[i].num_sge = 1;
		p->send[i].opcode = IB_WR_SEND;
	}
	return 0;
}

static int krping_ping_alloc_mr(struct krping_ping *p, struct krping_mr *mr,
				const struct krping_buf *buf, int access)
{
	struct krping_queue *q = &p->conn->queue;

	return krping_mr_alloc(mr, p->conn->pd, buf, access,
			       krping_queue_cqe(q, KRPING_OP_REG),
			       krping_queue_cqe(q, KRPING_OP_INV));
}

static int krping_client_alloc(struct krping_ping *p)
{
	static const enum dma_data_direction dir[] = {
		[KRPING_READ]	= DMA_TO_DEVICE,
		[KRPING_WRITE]	= DMA_FROM_DEVICE,
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

static void krping_client_free(struct krping_ping *p)
{
	int i;

	for (i = 0; i < KRPING_PHASES; i++) {
		krping_mr_free(&p->mr[i]);
		krping_buf_free(&p->buf[i]);
	}
}

/* The local side is registered if the user wants that, or needs it. */
static bool krping_server_registers_all(const struct krping_thread *thread)
{
	const struct krping_options *opts = &thread->opts;

	if (opts->size > KRPING_CONTIGUOUS_MAX)
		return true;
	return opts->mem_mode_given && opts->mem_mode == KRPING_MEM_REG &&
	       !opts->local_dma_lkey;
}

/* A READ's sink on iWARP is put on the wire and needs a key of its own. */
static bool krping_server_registers_sink(const struct krping_thread *thread)
{
	return krping_server_registers_all(thread) || thread->opts.read_inv ||
	       krping_conn_iwarp(thread->conns);
}

static u64 krping_server_piece_size(const struct krping_thread *thread)
{
	u64 max = krping_mem_reg_max(krping_conn_id(thread->conns)->device);

	if (!krping_server_registers_sink(thread))
		max = KRPING_CONTIGUOUS_MAX;
	return min(max, thread->opts.size);
}

static u32 krping_server_pieces(const struct krping_thread *thread)
{
	u64 piece = krping_server_piece_size(thread);

	return div64_u64(thread->opts.size + piece - 1, piece);
}

static void krping_server_init_rdma(struct krping_ping *p,
				    struct krping_piece *piece,
				    enum krping_phase phase,
				    enum ib_wr_opcode opcode, enum krping_op op)
{
	struct krping_conn *conn = p->conn;
	struct ib_rdma_wr *rdma = &piece->rdma[phase];

	rdma->wr.wr_cqe = krping_queue_cqe(&conn->queue, op);
	rdma->wr.opcode = opcode;
	rdma->wr.sg_list = &piece->sge[phase];
	rdma->wr.num_sge = 1;
	if (!p->registered[phase]) {
		piece->sge[phase].addr = krping_buf_addr(&piece->buf);
		piece->sge[phase].lkey = conn->pd->local_dma_lkey;
	}
	piece->mr[phase].inv.send_flags = IB_SEND_FENCE;
}

static int krping_server_alloc_piece(struct krping_ping *p,
				     struct krping_piece *piece, size_t size)
{
	const struct krping_thread *thread = p->thread;
	int sink = IB_ACCESS_LOCAL_WRITE;
	int ret;

	if (krping_conn_iwarp(thread->conns))
		sink |= IB_ACCESS_REMOTE_WRITE;

	ret = krping_buf_alloc(&piece->buf, p->conn->pd->device, size,
			       !p->registered[KRPING_WRITE], DMA_BIDIRECTIONAL);
	if (!ret && p->registered[KRPING_READ])
		ret = krping_ping_alloc_mr(p, &piece->mr[KRPING_READ],
					   &piece->buf, sink);
	if (!ret && p->registered[KRPING_WRITE])
		ret = krping_ping_alloc_mr(p, &piece->mr[KRPING_WRITE],
					   &piece->buf, IB_ACCESS_LOCAL_WRITE);
	if (ret)
		return ret;

	if (thread->opts.read_inv)
		krping_server_init_rdma(p, piece, KRPING_READ,
					IB_WR_RDMA_READ_WITH_INV,
					KRPING_OP_READ_INV);
	else
		krping_server_init_rdma(p, piece, KRPING_READ, IB_WR_RDMA_READ,
					KRPING_OP_READ);
	krping_server_init_rdma(p, piece, KRPING_WRITE, IB_WR_RDMA_WRITE,
				KRPING_OP_WRITE);
	return 0;
}

static int krping_server_alloc(struct krping_ping *p)
{
	const struct krping_options *opts = &p->thread->opts;
	u64 piece = krping_server_piece_size(p->thread);
	u64 left = opts->size;
	int ret = 0;
	int i;

	p->registered[KRPING_READ] = krping_server_registers_sink(p->thread);
	p->registered[KRPING_WRITE] = krping_server_registers_all(p->thread);
	if (opts->local_dma_lkey && p->registered[KRPING_READ])
		pr_info_once("local_dma_lkey: RDMA READ sinks are registered nevertheless, where the provider's rules or the size demand it\n");

	p->nr_pieces = krping_server_pieces(p->thread);
	p->piece = kcalloc(p->nr_pieces, sizeof(*p->piece), GFP_KERNEL);
	if (!p->piece)
		return -ENOMEM;
	for (i = 0; i < p->nr_pieces && !ret; i++) {
		size_t size = min(left, piece);

		ret = krping_server_alloc_piece(p, &p->piece[i], size);
		left -= size;
	}

	/* Before the go-ahead the data must have arrived. */
	p->send[KRPING_READ].send_flags = IB_SEND_FENCE;
	if (opts->server_inv) {
		p->send[KRPING_READ].opcode = IB_WR_SEND_WITH_INV;
		p->send[KRPING_WRITE].opcode = IB_WR_SEND_WITH_INV;
	}
	return ret;
}

static void krping_server_free(struct krping_ping *p)
{
	int i;

	for (i = 0; p->piece && i < p->nr_pieces; i++) {
		struct krping_piece *piece = &p->piece[i];

		krping_mr_free(&piece->mr[KRPING_READ]);
		krping_mr_free(&piece->mr[KRPING_WRITE]);
		krping_buf_free(&piece->buf);
	}
	kfree(p->piece);
}

static int krping_ping_setup(struct krping_thread *thread, struct krping_conn *conn)
{
	bool client = krping_is_client(thread);
	struct krping_ping *p;
	int ret;

	p = kzalloc(sizeof(*p), GFP_KERNEL);
	if (!p)
		return krping_status_set(thread->status, -ENOMEM, "no memory");
	p->thread = thread;
	p->conn = conn;
	p->step = client ? KRPING_DONE : KRPING_AWAIT_SOURCE;
	p->in_thread = thread->opts.verbose ||
		       (client && thread->opts.size > PAGE_SIZE);
	conn->queue.priv = p;
	/* A client does not know yet what its server is. */
	if (!client && krping_peer_stats_agreed(conn))
		conn->queue.ctl_fn = krping_ping_ctl;

	ret = krping_ping_alloc_msgs(p);
	if (!ret)
		ret = client ? krping_client_alloc(p) : krping_server_alloc(p);
	if (ret)
		return krping_status_set(thread->status, krping_alloc_errno(ret),
					 "no memory or MRs for size=%llu (error %d)",
					 thread->opts.size, ret);
	return krping_queue_start_recvs(&conn->queue);
}

static void krping_ping_cleanup(struct krping_thread *thread, struct krping_conn *conn)
{
	struct krping_ping *p = conn->queue.priv;

	if (!p)
		return;
	if (krping_is_client(thread))
		krping_client_free(p);
	else
		krping_server_free(p);
	krping_ctlmsg_free(&p->control);
	krping_dma_free(&p->msg_mem);
	kfree(p);
	conn->queue.priv = NULL;
}

static u32 krping_ping_sq_wrs(const struct krping_thread *thread)
{
	/* LOCAL_INV, REG_MR, SEND for each buffer */
	if (krping_is_client(thread))
		return krping_client_registers(thread) ? 2 * 3 : 2;
	/* REG_MR, READ, 2 LOCAL_INV, REG_MR, WRITE; and the SENDs */
	if (krping_server_registers_sink(thread))
		return krping_server_pieces(thread) * 6 + 2;
	return 4;
}

static void krping_ping_queue_attr(const struct krping_thread *thread,
				   struct krping_queue_attr *attr)
{
	const struct ib_device *device = krping_conn_id(thread->conns)->device;

	attr->sq_size = krping_queue_turns(device, krping_ping_sq_wrs(thread));
	attr->recv = krping_is_client(thread) ? krping_client_recv :
					     krping_server_recv;
}

static bool krping_ping_global_rkey(const struct krping_thread *thread)
{
	return krping_is_client(thread) && !krping_client_registers(thread);
}

/*
 * What the user has asked for has the limit that the client's has. Otherwise the
 * client may take either mode, and is given no more than one of them has.
 */
static u64 krping_server_size_max(const struct krping_thread *thread, u64 reg_max)
{
	const struct krping_options *opts = &thread->opts;
	u64 max = KRPING_CONTIGUOUS_MAX;

	if (opts->mem_mode_given && opts->mem_mode == KRPING_MEM_REG)
		return reg_max;
	if (!opts->mem_mode_given)
		max = max(max, reg_max);
	if (krping_server_registers_sink(thread))
		max = min(max, reg_max * KRPING_PIECES_MAX);
	return max;
}

static int krping_ping_check(const struct krping_thread *thread, u64 *size_max,
			     const char **why)
{
	u64 reg_max = krping_mem_reg_max(krping_conn_id(thread->conns)->device);
	const struct krping_options *opts = &thread->opts;

	if (opts->read_inv && !krping_conn_iwarp(thread->conns)) {
		*why = "read_inv: only iWARP has READ_WITH_INV, and this device is not iWARP";
		return -EOPNOTSUPP;
	}
	if (!krping_is_client(thread))
		*size_max = krping_server_size_max(thread, reg_max);
	else if (krping_client_registers(thread))
		*size_max = reg_max;
	else
		*size_max = KRPING_CONTIGUOUS_MAX;

	if (!*size_max || (opts->server_inv && !reg_max)) {
		*why = "the device has no memory registration by work request; use mem_mode=dma";
		return -EOPNOTSUPP;
	}
	return 0;
}

const struct krping_test_ops krping_ping_ops = {
	.type		= KRPING_TEST_PING,
	.check		= krping_ping_check,
	.queue_attr	= krping_ping_queue_attr,
	.global_rkey	= krping_ping_global_rkey,
	.setup		= krping_ping_setup,
	.loop		= krping_ping_loop,
	.cleanup	= krping_ping_cleanup,
};
