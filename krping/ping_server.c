// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The server's steps of the ping/pong loop, which ping.c describes. In each iteration the client
 * advertises its source, which the server READs, and then its sink, to which the server WRITEs the
 * same data. The server sends a message, the go-ahead, after the READ and after the WRITE.
 */
#define pr_fmt(fmt) "krping: " fmt

#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include "peer_stats.h"
#include "ping_server.h"

/* Maximum number of pieces of the server's data, see struct krping_piece. */
#define KRPING_PIECES_MAX	16

/* Check the last advert: its size, and that its address or its rkey is not 0. */
static bool krping_server_advert_ok(struct krping_ping *p, const char *what,
				    u64 least, u64 most)
{
	const struct krping_advert *advert = &p->advert;

	if (likely(advert->size && advert->size >= least &&
		   advert->size <= most && (advert->addr || advert->rkey)))
		return true;
	krping_status_set(p->thread->status, -EPROTO,
			  "the client advertised a %s of %u byte%s at 0x%llx; %llu to %llu bytes are valid",
			  what, advert->size, krping_plural(advert->size), advert->addr, least,
			  most);
	return false;
}

/* Add a LOCAL_INV if the MR is valid. */
static void krping_server_inv(struct krping_chain *chain, struct krping_mr *mr)
{
	if (!mr->valid)
		return;
	mr->valid = false;
	krping_chain_add(chain, &mr->inv);
}

/*
 * Add a LOCAL_INV of each valid MR. The fence of the LOCAL_INV delays the invalidation until the
 * READs have completed. By then the WRITEs of the previous iteration have completed, too, because
 * the WRs of a QP complete in order.
 */
static void krping_server_inv_all(struct krping_ping *p,
				  struct krping_chain *chain)
{
	int i;

	for (i = 0; i < p->nr_pieces; i++) {
		struct krping_piece *piece = &p->piece[i];

		krping_server_inv(chain, &piece->mr[KRPING_WRITE]);
		/* READ_WITH_INV invalidates the MR of its sink. */
		if (p->plan->read_inv)
			piece->mr[KRPING_READ].valid = false;
		krping_server_inv(chain, &piece->mr[KRPING_READ]);
	}
}

/* Add the READ or WRITE of a piece, behind a REG_MR if the phase uses MRs. */
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

/* Post the READs or WRITEs of @len bytes, and the SEND of the go-ahead. */
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
	if (p->plan->server_inv)
		send->ex.invalidate_rkey = advert->rkey;
	krping_chain_add(&chain, send);
	return krping_ping_post(p, chain.first, next);
}

/* Post the READs of the source that the client has advertised. */
static void krping_server_read(struct krping_ping *p)
{
	struct krping_thread *thread = p->thread;

	if (!krping_server_advert_ok(p, "source", 1, thread->opts.size))
		return;
	p->read_len = p->advert.size;
	krping_server_transfer(p, KRPING_READ, p->read_len, KRPING_AWAIT_SINK);
}

/* Record the iteration, and post the WRITEs of the same data to the client's sink. */
static void krping_server_write(struct krping_ping *p)
{
	struct krping_thread *thread = p->thread;
	u64 now = ktime_get_ns();

	/* A server's latency is the time between two WRITEs. */
	if (p->iteration)
		krping_hist_record(thread->hist, now - p->iter_start_ns);
	else
		krping_u64_write(&thread->start_ns, now);
	p->iter_start_ns = now;
	p->iteration++;
	krping_u64_write(&thread->iterations, p->iteration);
	krping_u64_write(&thread->end_ns, now);
	krping_server_transfer(p, KRPING_WRITE, p->read_len,
			       KRPING_AWAIT_SOURCE);
}

/**
 * krping_server_report() - end the loop, and send the report to the client
 * @p: the server, between two iterations
 *
 * Context: the CQ's context.
 */
void krping_server_report(struct krping_ping *p)
{
	struct krping_peer_stats report;

	krping_queue_end(&p->conn->queue);
	krping_peer_stats_make(p->thread, &report);
	krping_ping_next(p, KRPING_AWAIT_REPORT);
	krping_ctlmsg_report(&p->control, &report);
}

/**
 * krping_server_recv() - handle an advert of the client
 * @q: the connection's queue
 * @msg: the message
 * @wc: the completion of its RECV
 *
 * Context: see &typedef krping_recv_fn.
 */
void krping_server_recv(struct krping_queue *q,
			const struct krping_wire_msg *msg,
			const struct ib_wc *wc)
{
	struct krping_ping *p = q->priv;

	if (!krping_ping_length_ok(p, wc) || !krping_ping_expects_message(p))
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

/**
 * krping_server_thread() - log the data of the READ, then post the WRITE
 * @p: the server, in step KRPING_THREAD
 *
 * Context: the test's thread.
 */
void krping_server_thread(struct krping_ping *p)
{
	const struct krping_buf *buf = &p->piece->buf;

	krping_buf_for_cpu(buf);
	krping_ping_log_data(p->thread->id, "server ping data", krping_buf_data(buf),
			     min_t(size_t, p->read_len, buf->sgl->length));
	krping_buf_for_device(buf);
	krping_server_write(p);
}

/* Check whether the size or the options require MRs for the READ's sink and the WRITE's source. */
static bool krping_server_registers_all(const struct krping_thread *thread)
{
	const struct krping_options *opts = &thread->opts;

	if (opts->size > krping_mem_contiguous_max(krping_conn_id(thread->conns)->device))
		return true;
	return opts->mem_mode_given && opts->mem_mode == KRPING_MEM_REG &&
	       !opts->local_dma_lkey;
}

/**
 * krping_server_registers_sink() - check whether the server registers the READ's sink
 * @thread: the test's thread, whose connection is bound to a device
 *
 * READ_WITH_INV needs a key to invalidate. On iWARP, a READ request carries the STag of the sink,
 * so every sink needs an MR.
 *
 * Return: true if the sink is registered; false if the READ uses the PD's local DMA lkey.
 */
bool krping_server_registers_sink(const struct krping_thread *thread)
{
	return krping_server_registers_all(thread) || thread->opts.read_inv ||
	       krping_conn_iwarp(thread->conns);
}

/* Return the size of a piece: as much as one MR, or one contiguous buffer, covers. */
static u64 krping_server_piece_size(const struct krping_thread *thread)
{
	const struct ib_device *device = krping_conn_id(thread->conns)->device;
	u64 max = krping_mem_reg_max(device);

	if (!krping_server_registers_sink(thread))
		max = krping_mem_contiguous_max(device);
	return min(max, thread->opts.size);
}

/**
 * krping_server_pieces() - compute the number of pieces of the server's data
 * @thread: the test's thread, whose connection is bound to a device
 *
 * Return: the number of pieces, each of which takes one READ and one WRITE in an iteration.
 */
u32 krping_server_pieces(const struct krping_thread *thread)
{
	u64 piece = krping_server_piece_size(thread);

	return div64_u64(thread->opts.size + piece - 1, piece);
}

/* Build the READ or the WRITE of a piece. */
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

/* Allocate the buffer and the MRs of a piece, and build its READ and its WRITE. */
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

	if (p->plan->read_inv)
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

/**
 * krping_server_alloc() - allocate the server's data and its work requests
 * @p: the server, with a PD and memory for messages
 *
 * Context: process context.
 *
 * Return: 0 or a negative errno, which the caller records; the caller calls
 * krping_server_free() in both cases.
 */
int krping_server_alloc(struct krping_ping *p)
{
	const struct krping_options *opts = &p->thread->opts;
	u64 piece = krping_server_piece_size(p->thread);
	u64 left = opts->size;
	int ret = 0;
	int i;

	p->registered[KRPING_READ] = krping_server_registers_sink(p->thread);
	p->registered[KRPING_WRITE] = krping_server_registers_all(p->thread);
	if (opts->local_dma_lkey && p->registered[KRPING_READ])
		pr_info_once("test %u: local_dma_lkey: the sinks of RDMA READs are registered nevertheless, because the provider or the size requires an MR\n",
			     p->thread->id);

	p->nr_pieces = krping_server_pieces(p->thread);
	p->piece = kcalloc(p->nr_pieces, sizeof(*p->piece), GFP_KERNEL);
	if (!p->piece)
		return -ENOMEM;
	for (i = 0; i < p->nr_pieces && !ret; i++) {
		size_t size = min(left, piece);

		ret = krping_server_alloc_piece(p, &p->piece[i], size);
		left -= size;
	}

	/* Fence the go-ahead, because it lets the client reuse the source, which the READs read. */
	p->send[KRPING_READ].send_flags = IB_SEND_FENCE;
	if (p->plan->server_inv) {
		p->send[KRPING_READ].opcode = IB_WR_SEND_WITH_INV;
		p->send[KRPING_WRITE].opcode = IB_WR_SEND_WITH_INV;
	}
	return ret;
}

/**
 * krping_server_free() - free the server's data
 * @p: the server, whose QP the caller has destroyed; krping_server_alloc() may have failed
 *
 * Context: process context.
 */
void krping_server_free(struct krping_ping *p)
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

/**
 * krping_server_size_max() - return the largest size that the server accepts
 * @thread: the test's thread, whose connection is bound to a device
 * @reg_max: size of the largest buffer that one MR covers, in bytes
 *
 * With mem_mode=reg, the limit is the size of one MR, and with mem_mode=dma that of a contiguous
 * buffer. Without mem_mode, the client chooses the mode, so the larger of these limits applies.
 * If the READs' sink needs an MR, the server divides the data into at most KRPING_PIECES_MAX
 * pieces, each at most as large as an MR.
 *
 * Return: the limit in bytes.
 */
u64 krping_server_size_max(const struct krping_thread *thread, u64 reg_max)
{
	const struct krping_options *opts = &thread->opts;
	u64 max = krping_mem_contiguous_max(krping_conn_id(thread->conns)->device);

	if (opts->mem_mode_given && opts->mem_mode == KRPING_MEM_REG)
		return reg_max;
	if (!opts->mem_mode_given)
		max = max(max, reg_max);
	if (krping_server_registers_sink(thread))
		max = min(max, reg_max * KRPING_PIECES_MAX);
	return max;
}
