// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The test session: a client that stays connected to a server with export, or that
 * connects for one operation. The file export.c has the messages.
 *
 * The session's thread carries out one operation at a time: that of the command, or
 * those of the mailbox. A buffer that is allocated once has the data of each.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "disk.h"
#include "export.h"
#include "region.h"
#include "wait.h"
#include "wr.h"

/*
 * Pieces that one operation may touch: each piece but the last has at least
 * KRPING_REGION_PIECE_MIN bytes, which is as much as an operation has.
 */
#define KRPING_SESSION_PIECES	2

/* WRs of one operation: its pieces, and a READ that proves the arrival. */
#define KRPING_SESSION_WRS	(KRPING_SESSION_PIECES + 1)

/* WRs for control messages and for the buffer's registration. */
#define KRPING_SESSION_OTHERS	8

/* RECVs of a server for messages, which the client need not wait for. */
#define KRPING_SESSION_RECVS	16

/* Bytes behind the data: the sink of the READ that proves the arrival. */
#define KRPING_SESSION_SPARE	8

/**
 * struct krping_client_session - a client's connection to a region
 * @thread: the session's thread
 * @conn: the connection
 * @control: request for the advert, signs of life
 * @buf: data of an operation
 * @mr: registration of @buf, if READs need one
 * @advertised: the server has advertised the region
 * @completed: the operation has completed
 * @list: where the list of pieces is
 * @region: the region
 * @disk: the disk, or NULL
 * @wr: WRs of an operation
 * @sge: their SGEs
 */
struct krping_client_session {
	struct krping_thread *thread;
	struct krping_conn *conn;
	struct krping_ctlmsg control;
	struct krping_buf buf;
	struct krping_mr mr;
	bool advertised;
	bool completed;
	struct krping_advert list;
	struct krping_region region;
	struct krping_disk *disk;
	struct ib_rdma_wr wr[KRPING_SESSION_WRS];
	struct ib_sge sge[KRPING_SESSION_WRS];
};

static struct krping_client_session *krping_client_session(struct krping_queue *q)
{
	return q->priv;
}

/*
 * Messages and completions.
 */

static void krping_session_ctl(struct krping_queue *q, enum krping_ctl_type type,
			       u64 value, const union krping_ctl *ctl)
{
	struct krping_client_session *s = krping_client_session(q);

	krping_cq_progress(q->cq);
	if (type != KRPING_CTL_REGION || READ_ONCE(s->advertised)) {
		krping_status_set(q->status, -EPROTO,
				  "the server sent an unexpected control message of type %d",
				  type);
		return;
	}
	krping_wire_msg_decode(&ctl->region.list, &s->list);
	s->region.size = value;
	s->region.identity = be64_to_cpu(ctl->region.identity);
	s->region.writable = be32_to_cpu(ctl->region.rights) & KRPING_REGION_WRITE;
	/* pairs with krping_session_advertised() */
	smp_store_release(&s->advertised, true);
	wake_up_all(&q->status->wait);
}

static void krping_session_recv(struct krping_queue *q,
				const struct krping_wire_msg *msg,
				const struct ib_wc *wc)
{
	krping_status_set(q->status, -EPROTO,
			  "the server sent an unexpected message of %u bytes",
			  wc->byte_len);
}

static void krping_session_sent(struct krping_queue *q, enum krping_op op)
{
	struct krping_client_session *s = krping_client_session(q);

	/* pairs with krping_session_completed() */
	smp_store_release(&s->completed, true);
	wake_up_all(&q->status->wait);
}

static bool krping_session_advertised(void *arg)
{
	struct krping_client_session *s = arg;

	/* pairs with krping_session_ctl() */
	return smp_load_acquire(&s->advertised);
}

static bool krping_session_completed(void *arg)
{
	struct krping_client_session *s = arg;

	/* pairs with krping_session_sent() */
	return smp_load_acquire(&s->completed);
}

/*
 * Work requests.
 */

static void krping_session_sge(const struct krping_client_session *s,
			       struct ib_sge *sge, u32 at, u32 len)
{
	sge->addr = (s->mr.mr ? s->mr.mr->iova : krping_buf_addr(&s->buf)) + at;
	sge->lkey = s->mr.mr ? s->mr.mr->lkey : s->conn->pd->local_dma_lkey;
	sge->length = len;
}

static void krping_session_add(struct krping_client_session *s, u32 nr,
			       enum krping_op op, u32 at, u32 len)
{
	static const enum ib_wr_opcode opcodes[] = {
		[KRPING_OP_SEND]	= IB_WR_SEND,
		[KRPING_OP_READ]	= IB_WR_RDMA_READ,
		[KRPING_OP_READ_INV]	= IB_WR_RDMA_READ_WITH_INV,
		[KRPING_OP_WRITE]	= IB_WR_RDMA_WRITE,
	};
	struct ib_send_wr *wr = &s->wr[nr].wr;
	struct ib_sge *sge = &s->sge[nr];

	memset(&s->wr[nr], 0, sizeof(s->wr[nr]));
	krping_session_sge(s, sge, at, len);
	wr->wr_cqe = krping_queue_cqe(&s->conn->queue, op);
	wr->opcode = opcodes[op];
	wr->sg_list = sge;
	wr->num_sge = 1;
	if (nr)
		s->wr[nr - 1].wr.next = wr;
}

/* Post the first @nr WRs, which the caller has counted, and wait for the last. */
static int krping_session_post(struct krping_client_session *s, u32 nr)
{
	struct krping_queue *q = &s->conn->queue;
	int ret;

	s->completed = false;
	s->wr[nr - 1].wr.send_flags = IB_SEND_SIGNALED;
	krping_cq_progress(q->cq);
	ret = krping_queue_post(q, &s->wr->wr);
	/* krping_wait() classifies a connection that is already lost. */
	if (ret && ret != -ENOTCONN)
		return ret;
	return krping_wait(q->cq, krping_session_completed, s,
			   s->thread->opts.timeout);
}

/* Store the reason why a wait has ended, unless the status has one. */
static int krping_session_failed(struct krping_client_session *s, int ret,
				 const char *what)
{
	struct krping_status *status = s->thread->status;

	if (ret == -ETIMEDOUT)
		return krping_status_set(status, ret,
					 "the server was silent for timeout=%u ms, %s",
					 s->thread->opts.timeout, what);
	if (ret == -ECONNRESET)
		return krping_status_set(status, ret, "%s, %s",
					 krping_status_loss(status), what);
	return ret;
}

/*
 * The beginning: learn where the region is.
 */

/* Register the buffer if this device's READs need that, and ask for the region. */
static int krping_session_ask(struct krping_client_session *s)
{
	struct krping_queue *q = &s->conn->queue;
	struct krping_advert none = { 0 };
	struct ib_send_wr *first;
	int ret;

	first = krping_ctlmsg_buf_advert(&s->control, &none);
	if (s->mr.mr) {
		ret = krping_mr_renew(&s->mr);
		if (ret)
			return krping_status_set(q->status, ret,
						 "the device does not map a buffer of %zu bytes",
						 s->buf.size);
		s->mr.reg.wr.next = first;
		first = &s->mr.reg.wr;
	}
	krping_queue_prepare(q, first);
	ret = krping_queue_submit(q, first);
	if (ret && ret != -ENOTCONN)
		return ret;
	return krping_wait(q->cq, krping_session_advertised, s, s->thread->opts.timeout);
}

static int krping_session_bad_region(struct krping_client_session *s)
{
	return krping_status_set(s->thread->status, -EPROTO,
				 "the server's region of %llu bytes has a wrong list of %u bytes",
				 s->region.size, s->list.size);
}

/* READ the list of pieces through the buffer. */
static int krping_session_read_list(struct krping_client_session *s)
{
	u32 done, len;
	int ret;

	for (done = 0; done < s->list.size; done += len) {
		len = min_t(u32, s->list.size - done, KRPING_MEMOP_MAX);
		krping_session_add(s, 0, KRPING_OP_READ, 0, len);
		s->wr->remote_addr = s->list.addr + done;
		s->wr->rkey = s->list.rkey;
		ret = krping_session_post(s, 1);
		if (ret)
			return ret;
		krping_buf_for_cpu(&s->buf);
		ret = krping_region_add(&s->region, sg_virt(s->buf.sgl),
					len / sizeof(struct krping_wire_msg));
		krping_buf_for_device(&s->buf);
		if (ret)
			return krping_session_bad_region(s);
	}
	return 0;
}

static int krping_session_add_disk(struct krping_client_session *s)
{
	struct krping_disk *disk;
	struct ib_sge sink;

	krping_session_sge(s, &sink, KRPING_MEMOP_MAX, 1);
	disk = krping_disk_add(s->thread, s->conn, &s->region, &sink);
	s->disk = IS_ERR(disk) ? NULL : disk;
	return PTR_ERR_OR_ZERO(disk);
}

static int krping_session_begin(struct krping_thread *thread)
{
	struct krping_client_session *s = krping_client_session(&thread->conns->queue);
	int ret;

	if (!krping_is_client(thread))
		return 0;
	ret = krping_session_ask(s);
	if (ret)
		return krping_session_failed(s, ret, "while it registered its memory");
	ret = krping_region_count(&s->region, s->list.size);
	if (ret < 0)
		return krping_session_bad_region(s);
	s->region.nr_pieces = ret;
	s->region.pieces = kvcalloc(ret, sizeof(*s->region.pieces), GFP_KERNEL);
	if (!s->region.pieces)
		return krping_status_set(thread->status, -ENOMEM,
					 "no memory for %d pieces of the region", ret);
	ret = krping_session_read_list(s);
	if (ret)
		return krping_session_failed(s, ret, "while this side read the list of pieces");
	WRITE_ONCE(thread->region, s->region.size);
	if (thread->opts.memop == KRPING_MEMOP_SESSION)
		krping_mailbox_open(&thread->mailbox);
	return thread->opts.memop == KRPING_MEMOP_DISK ? krping_session_add_disk(s) : 0;
}

static void krping_session_end(struct krping_thread *thread)
{
	struct krping_client_session *s = krping_client_session(&thread->conns->queue);

	if (krping_is_client(thread) && s && s->disk) {
		krping_disk_remove(s->disk);
		s->disk = NULL;
	}
}

/*
 * Operations.
 */

/* Build the READs or WRITEs of an operation, one for each piece; return their number. */
static u32 krping_session_build(struct krping_client_session *s,
				const struct krping_memop *op, enum krping_op what)
{
	u64 offset = op->offset;
	u32 done = 0, nr = 0;

	while (done < op->len) {
		u64 start;
		const struct krping_region_piece *piece =
			krping_region_find(&s->region, offset, &start);
		u32 len = op->len - done;

		/* An unchecked operation goes beyond the end of the last piece. */
		if (offset < piece->end && piece->end != s->region.size)
			len = min_t(u64, len, piece->end - offset);
		krping_session_add(s, nr, what, done, len);
		s->wr[nr].remote_addr = piece->addr + (offset - start);
		s->wr[nr].rkey = piece->rkey;
		offset += len;
		done += len;
		nr++;
	}
	return nr;
}

/*
 * Add a READ, which no counter counts. Its response proves that the server lives. On
 * iWARP, where a WRITE or SEND completes when TCP has accepted the data, the response
 * also proves that the server has placed what came before.
 */
static void krping_session_prove(struct krping_client_session *s, u32 nr)
{
	krping_session_add(s, nr, KRPING_OP_READ, KRPING_MEMOP_MAX, 1);
	s->wr[nr].remote_addr = s->region.pieces->addr;
	s->wr[nr].rkey = s->region.pieces->rkey;
}

/* Refuse what the device should never see. */
static int krping_session_check(struct krping_client_session *s,
				struct krping_memop *op)
{
	char why[KRPING_DETAIL_MAX];

	if (op->type == KRPING_MEMOP_SEND || op->unchecked)
		return 0;
	if (!krping_region_has(&s->region, op->offset, op->len)) {
		snprintf(why, sizeof(why),
			 "%u bytes at offset=%llu exceed the region, which has %llu bytes",
			 op->len, op->offset, s->region.size);
	} else if (op->type == KRPING_MEMOP_PUT && !s->region.writable) {
		snprintf(why, sizeof(why), "the region is read-only");
	} else {
		return 0;
	}
	krping_memop_end(op, -EINVAL, why);
	return -EINVAL;
}

static int krping_session_transfer(struct krping_client_session *s,
				   struct krping_memop *op)
{
	u32 nr = 1;

	krping_buf_for_cpu(&s->buf);
	if (op->type != KRPING_MEMOP_GET)
		memcpy(sg_virt(s->buf.sgl), op->data, op->len);
	krping_buf_for_device(&s->buf);

	if (op->type == KRPING_MEMOP_GET)
		nr = krping_session_build(s, op, KRPING_OP_READ);
	else if (op->type == KRPING_MEMOP_PUT)
		nr = krping_session_build(s, op, KRPING_OP_WRITE);
	else
		krping_session_add(s, 0, KRPING_OP_SEND, 0, op->len);
	krping_queue_count(&s->conn->queue, &s->wr->wr, nr, true);
	if (op->type != KRPING_MEMOP_GET && krping_conn_iwarp(s->conn))
		krping_session_prove(s, nr++);
	return krping_session_post(s, nr);
}

/*
 * Carry out one operation. Return 0, also if it was refused: the session goes on. After
 * a failed completion the QP is in the error state, and the session ends.
 */
static int krping_session_run(struct krping_client_session *s, struct krping_memop *op)
{
	struct krping_thread *thread = s->thread;
	const struct krping_status *status = thread->status;
	int ret;

	if (krping_session_check(s, op))
		return 0;
	ret = krping_session_transfer(s, op);
	if (ret) {
		ret = krping_session_failed(s, ret, "during an operation");
		op->posted = status->has_wc;
		op->wc_status = status->wc_status;
		krping_memop_end(op, ret, status->detail);
		return ret;
	}
	krping_buf_for_cpu(&s->buf);
	if (op->type == KRPING_MEMOP_GET)
		memcpy(op->data, sg_virt(s->buf.sgl), op->len);
	krping_buf_for_device(&s->buf);
	WRITE_ONCE(thread->iterations, thread->iterations + 1);
	op->posted = true;
	op->wc_status = IB_WC_SUCCESS;
	krping_memop_end(op, 0, NULL);
	return 0;
}

static bool krping_session_has_mail(void *arg)
{
	struct krping_client_session *s = arg;

	return !krping_mailbox_empty(&s->thread->mailbox);
}

/* Tell the server that this side lives, and prove that the server does. */
static int krping_session_alive(struct krping_client_session *s)
{
	int ret = krping_ctlmsg_credit(&s->control, s->thread->iterations);

	if (ret && ret != -ENOTCONN)
		return ret;
	krping_session_prove(s, 0);
	return krping_session_post(s, 1);
}

/* Wait for the next operation, and exchange signs of life meanwhile. */
static int krping_session_idle(struct krping_client_session *s)
{
	struct krping_cq *cq = &s->thread->cq;
	int ret;

	do {
		krping_cq_progress(cq);
		ret = krping_wait(cq, krping_session_has_mail, s, KRPING_SESSION_ALIVE);
		if (ret != -ETIMEDOUT)
			return ret;
		ret = krping_session_alive(s);
	} while (!ret);
	return ret;
}

static int krping_session_serve(struct krping_client_session *s)
{
	int ret = krping_session_idle(s);

	while (!ret) {
		struct krping_memop *op = krping_mailbox_take(&s->thread->mailbox);

		if (op) {
			ret = krping_session_run(s, op);
			krping_memop_put(op);
		}
		if (!ret)
			ret = krping_session_idle(s);
	}
	return krping_session_failed(s, ret, "between operations");
}

static int krping_session_loop(struct krping_thread *thread)
{
	struct krping_client_session *s;
	int ret;

	if (!krping_is_client(thread))
		return krping_export_loop(thread);
	s = krping_client_session(&thread->conns->queue);
	if (thread->memop) {
		ret = krping_session_run(s, thread->memop);
		/* The test's result has the error of an operation that was refused. */
		if (!ret && thread->memop->error)
			ret = krping_status_set(thread->status, thread->memop->error,
						"%s", thread->memop->detail);
		return ret;
	}
	return krping_session_serve(s);
}

/*
 * Set-up and its mirror image.
 */

static int krping_session_alloc(struct krping_client_session *s)
{
	struct krping_queue *q = &s->conn->queue;
	bool reg = krping_conn_iwarp(s->conn);
	int ret;

	ret = krping_ctlmsg_alloc(&s->control, s->conn);
	if (!ret)
		ret = krping_buf_alloc(&s->buf, s->conn->pd->device,
				       KRPING_MEMOP_MAX + KRPING_SESSION_SPARE, true,
				       DMA_BIDIRECTIONAL);
	if (!ret && reg)
		ret = krping_mr_alloc(&s->mr, s->conn->pd, &s->buf,
				      IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE,
				      krping_queue_cqe(q, KRPING_OP_REG),
				      krping_queue_cqe(q, KRPING_OP_INV));
	return ret;
}

static int krping_session_setup(struct krping_thread *thread, struct krping_conn *conn)
{
	struct krping_client_session *s;
	int ret;

	if (!krping_is_client(thread))
		return krping_export_setup(thread, conn);
	s = kzalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		return krping_status_set(thread->status, -ENOMEM, "no memory");
	s->thread = thread;
	s->conn = conn;
	conn->queue.priv = s;
	ret = krping_session_alloc(s);
	if (ret)
		return krping_status_set(thread->status, krping_alloc_errno(ret),
					 "no memory or MR for the data of operations (error %d)",
					 ret);
	return krping_queue_start_recvs(&conn->queue);
}

static void krping_session_cleanup(struct krping_thread *thread,
				   struct krping_conn *conn)
{
	struct krping_client_session *s;

	if (!conn->queue.priv)
		return;
	if (!krping_is_client(thread)) {
		krping_export_cleanup(conn);
		return;
	}
	s = krping_client_session(&conn->queue);
	krping_mailbox_close(&thread->mailbox, -ECONNRESET, "the session has ended");
	kvfree(s->region.pieces);
	krping_mr_free(&s->mr);
	krping_buf_free(&s->buf);
	krping_ctlmsg_free(&s->control);
	kfree(s);
	conn->queue.priv = NULL;
}

static int krping_session_plan(const struct krping_thread *thread,
			       struct krping_plan *plan, const char **why)
{
	u64 reg_max = krping_mem_reg_max(krping_conn_id(thread->conns)->device);
	bool client = krping_is_client(thread);

	plan->size_max = U64_MAX;
	if (reg_max < KRPING_REGION_PIECE_MIN) {
		*why = "the device registers less than 64 KiB by work request";
		return -EOPNOTSUPP;
	}
	plan->queue.sq_size = KRPING_SESSION_OTHERS;
	if (client) {
		plan->queue.sq_own = KRPING_SESSION_WRS;
		plan->queue.sq_size += KRPING_SESSION_WRS;
		plan->queue.ctl = krping_session_ctl;
		plan->queue.recv = krping_session_recv;
		plan->queue.sent = krping_session_sent;
		if (thread->opts.memop == KRPING_MEMOP_DISK)
			krping_disk_attr(krping_conn_id(thread->conns)->device,
					 krping_conn_iwarp(thread->conns),
					 thread->opts.txdepth, &plan->queue);
	} else {
		plan->queue.recv_depth = KRPING_SESSION_RECVS;
		plan->queue.recv_bytes = KRPING_MESSAGE_MAX;
		plan->queue.ctl = krping_export_ctl;
		plan->queue.recv = krping_export_recv;
		plan->queue.look = krping_export_look;
	}
	return 0;
}

const struct krping_test_ops krping_session_ops = {
	.type		= KRPING_TEST_SESSION,
	.streams	= true,
	.deep_reads	= true,
	.plan		= krping_session_plan,
	.setup		= krping_session_setup,
	.begin		= krping_session_begin,
	.end		= krping_session_end,
	.loop		= krping_session_loop,
	.cleanup	= krping_session_cleanup,
};
