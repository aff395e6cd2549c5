// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory that a server exports to one client, or to all.
 *
 *	client				server
 *	SEND buffer advert, empty --->
 *				<---	SEND region: size, rights, list of pieces
 *	RDMA READ of the list	--->
 *	operations		--->
 *	SEND credit		--->	(sign of life)
 *
 * The device alone handles the operations, and enforces the rights: the server's
 * thread sleeps. A region has as many MRs as the device needs for its size. The keys
 * of a region belong to the PD of one connection, so that no other client can use
 * them, also if the clients share the memory. Teardown destroys the QP and the MRs
 * before it frees the memory.
 */
#define pr_fmt(fmt) "krping: " fmt

#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "export.h"
#include "shared.h"
#include "wait.h"
#include "wr.h"

/* Bytes of a message that the log shows. */
#define KRPING_MESSAGE_LOG	64

static struct krping_export *krping_export(struct krping_queue *q)
{
	return q->priv;
}

/* Allocate memory and an MR; or an MR for memory that the clients share. */
static int krping_export_alloc_piece(struct krping_export *e,
				     struct krping_export_piece *piece, u64 size,
				     const struct krping_buf *shared)
{
	struct krping_queue *q = &e->conn->queue;
	int access = IB_ACCESS_REMOTE_READ;
	int ret = 0;

	if (!e->thread->opts.ro)
		access |= IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE;
	if (!shared)
		ret = krping_buf_alloc(&piece->buf, e->conn->pd->device, size, false,
				       DMA_BIDIRECTIONAL);
	if (ret)
		return ret;
	return krping_mr_alloc(&piece->mr, e->conn->pd, shared ?: &piece->buf, access,
			       krping_queue_cqe(q, KRPING_OP_REG),
			       krping_queue_cqe(q, KRPING_OP_INV));
}

/* A region may be as large as the machine's memory: a stop ends the allocation. */
static int krping_export_alloc_pieces(struct krping_export *e)
{
	struct krping_shared *shared = e->thread->shared;
	u64 piece = shared ? shared->piece : krping_piece_size(e->conn->pd->device);
	u64 left = e->thread->opts.export_size;
	u64 nr = div64_u64(left + piece - 1, piece);
	int ret = 0;

	e->pieces = kvcalloc(nr, sizeof(*e->pieces), GFP_KERNEL);
	if (!e->pieces)
		return -ENOMEM;
	for (; e->nr_pieces < nr && !ret; e->nr_pieces++) {
		u64 size = min(left, piece);

		ret = krping_export_alloc_piece(e, &e->pieces[e->nr_pieces], size,
						shared ? &shared->pieces[e->nr_pieces] : NULL);
		left -= size;
		if (!ret)
			ret = krping_status_stopped(e->thread->status);
		cond_resched();
	}
	return ret;
}

static int krping_export_alloc_list(struct krping_export *e)
{
	struct krping_queue *q = &e->conn->queue;
	int ret;

	ret = krping_buf_alloc(&e->list, e->conn->pd->device,
			       e->nr_pieces * sizeof(struct krping_wire_msg), false,
			       DMA_BIDIRECTIONAL);
	if (ret)
		return ret;
	return krping_mr_alloc(&e->list_mr, e->conn->pd, &e->list,
			       IB_ACCESS_REMOTE_READ,
			       krping_queue_cqe(q, KRPING_OP_REG),
			       krping_queue_cqe(q, KRPING_OP_INV));
}

/* Prepare the memory that the clients share, or check that there is enough. */
static int krping_export_begin(struct krping_export *e)
{
	struct krping_shared *shared = e->thread->shared;
	int ret;

	if (!shared) {
		get_random_bytes(&e->identity, sizeof(e->identity));
		return krping_piece_check(e->thread->opts.export_size,
					  e->thread->status);
	}
	e->identity = shared->identity;
	ret = krping_shared_use(shared, e->conn->pd->device, e->thread->status);
	e->uses_shared = !ret;
	return ret;
}

/**
 * krping_export_setup() - allocate a region
 * @thread: the client's thread on the server
 * @conn: the connection, with a QP that is not connected yet
 *
 * The test's thread. After an error krping_export_cleanup() frees what was allocated.
 *
 * Return: 0, or a negative errno; the status has the reason.
 */
int krping_export_setup(struct krping_thread *thread, struct krping_conn *conn)
{
	struct krping_export *e;
	int ret;

	e = kzalloc(sizeof(*e), GFP_KERNEL);
	if (!e)
		return krping_status_set(thread->status, -ENOMEM, "no memory");
	e->thread = thread;
	e->conn = conn;
	conn->queue.priv = e;
	ret = krping_ctlmsg_alloc(&e->control, conn);
	if (!ret)
		ret = krping_export_begin(e);
	if (!ret)
		ret = krping_export_alloc_pieces(e);
	if (!ret)
		ret = krping_export_alloc_list(e);
	if (ret)
		return krping_status_set(thread->status, krping_alloc_errno(ret),
					 "no memory or MRs for export=%llu (error %d)",
					 thread->opts.export_size, ret);
	return krping_queue_start_recvs(&conn->queue);
}

/**
 * krping_export_cleanup() - free what krping_export_setup() has allocated
 * @conn: the connection; its QP is destroyed
 */
void krping_export_cleanup(struct krping_conn *conn)
{
	struct krping_export *e = krping_export(&conn->queue);
	u32 i;

	krping_mr_free(&e->list_mr);
	krping_buf_free(&e->list);
	for (i = 0; i < e->nr_pieces; i++) {
		krping_mr_free(&e->pieces[i].mr);
		krping_buf_free(&e->pieces[i].buf);
		cond_resched();
	}
	kvfree(e->pieces);
	if (e->uses_shared)
		krping_shared_unuse(e->thread->shared);
	krping_ctlmsg_free(&e->control);
	kfree(e);
	conn->queue.priv = NULL;
}

static bool krping_export_has_room(void *arg)
{
	struct krping_export *e = arg;

	return !krping_queue_full(&e->conn->queue);
}

/* Post REG_MR. The SQ is short: wait while a chain is parked. */
static int krping_export_register(struct krping_export *e, struct krping_mr *mr)
{
	struct krping_queue *q = &e->conn->queue;
	int ret;

	ret = krping_mr_renew(mr);
	if (ret)
		return krping_status_set(q->status, ret,
					 "the device does not map a buffer of %zu bytes",
					 mr->buf->size);
	mr->reg.wr.next = NULL;
	krping_queue_prepare(q, &mr->reg.wr);
	ret = krping_queue_submit(q, &mr->reg.wr);
	if (!ret)
		ret = krping_wait(q->cq, krping_export_has_room, e,
				  e->thread->opts.timeout);
	return ret;
}

static void krping_export_fill_list(struct krping_export *e)
{
	u32 i;

	krping_buf_for_cpu(&e->list);
	for (i = 0; i < e->nr_pieces; i++) {
		const struct krping_mr *mr = &e->pieces[i].mr;
		struct krping_wire_msg msg;
		u32 b;

		krping_wire_msg_encode(&msg, mr->mr->iova, mr->mr->rkey,
				       mr->buf->size);
		/* An entry never crosses a chunk, whose size is a power of two. */
		b = i * sizeof(msg);
		memcpy(krping_buf_at(&e->list, b), &msg, sizeof(msg));
	}
	krping_buf_for_device(&e->list);
}

/* Register the region and advertise it. The SEND is behind all registrations. */
static int krping_export_advertise(struct krping_export *e)
{
	struct krping_queue *q = &e->conn->queue;
	struct krping_advert list = { .size = e->list.size };
	struct ib_send_wr *wr;
	int ret = 0;
	u32 i;

	for (i = 0; i < e->nr_pieces && !ret; i++)
		ret = krping_export_register(e, &e->pieces[i].mr);
	if (!ret)
		ret = krping_export_register(e, &e->list_mr);
	if (ret)
		return ret;
	krping_export_fill_list(e);
	list.addr = e->list_mr.mr->iova;
	list.rkey = e->list_mr.mr->rkey;
	wr = krping_ctlmsg_region(&e->control, e->thread->opts.export_size, &list,
				  e->thread->opts.ro ? 0 : KRPING_REGION_WRITE, e->identity);
	e->advertised = true;
	krping_queue_prepare(q, wr);
	return krping_queue_submit(q, wr);
}

/**
 * krping_export_ctl() - handle a control message of the client
 * @q: the queue
 * @type: its type
 * @value: its value
 * @ctl: the message
 *
 * A &typedef krping_ctl_fn.
 */
void krping_export_ctl(struct krping_queue *q, enum krping_ctl_type type, u64 value,
		       const union krping_ctl *ctl)
{
	struct krping_export *e = krping_export(q);

	krping_cq_progress(q->cq);
	if (type == KRPING_CTL_BUF_ADVERT && !e->asked) {
		WRITE_ONCE(e->asked, true);
		wake_up_all(&q->status->wait);
	} else if (type != KRPING_CTL_CREDIT) {
		krping_status_set(q->status, -EPROTO,
				  "the client sent an unexpected control message of type %d",
				  type);
	}
}

/**
 * krping_export_look() - store and log a message
 * @q: the queue
 * @data: the message
 * @wc: its completion
 *
 * A &typedef krping_look_fn.
 */
void krping_export_look(struct krping_queue *q, const void *data,
			const struct ib_wc *wc)
{
	struct krping_export *e = krping_export(q);
	u32 len = min_t(u32, wc->byte_len, KRPING_MESSAGE_MAX);

	krping_memop_receive(e->thread->memop, data, len);
	pr_info_ratelimited("message of %u bytes from %pISpc: %*pE%s\n", wc->byte_len,
			    &e->conn->remote, min_t(int, len, KRPING_MESSAGE_LOG), data,
			    len > KRPING_MESSAGE_LOG ? "..." : "");
}

/**
 * krping_export_recv() - count a message
 * @q: the queue
 * @msg: its first bytes
 * @wc: its completion
 *
 * A &typedef krping_recv_fn.
 */
void krping_export_recv(struct krping_queue *q, const struct krping_wire_msg *msg,
			const struct ib_wc *wc)
{
	struct krping_thread *thread = krping_export(q)->thread;

	krping_cq_progress(q->cq);
	WRITE_ONCE(thread->iterations, thread->iterations + 1);
}

static bool krping_export_asked(void *arg)
{
	struct krping_export *e = arg;

	return READ_ONCE(e->asked);
}

static bool krping_export_left(void *arg)
{
	struct krping_export *e = arg;

	return READ_ONCE(e->conn->queue.gone);
}

/* Return the timeout in milliseconds, longer than the interval of signs of life. */
static u32 krping_export_timeout(const struct krping_thread *thread)
{
	u32 timeout = thread->opts.timeout;

	return timeout ? max_t(u32, timeout, 4 * KRPING_SESSION_ALIVE) : 0;
}

/**
 * krping_export_loop() - serve one client until it disconnects
 * @thread: the client's thread on the server, connected
 *
 * Return: 0, or a negative errno; the status has the reason.
 */
int krping_export_loop(struct krping_thread *thread)
{
	struct krping_export *e = krping_export(&thread->conns->queue);
	int ret;

	ret = krping_wait(&thread->cq, krping_export_asked, e,
			  krping_export_timeout(thread));
	if (!ret)
		ret = krping_export_advertise(e);
	if (!ret) {
		/* From now on the client may disconnect at any time. */
		krping_queue_end(&thread->conns->queue);
		ret = krping_wait(&thread->cq, krping_export_left, e,
				  krping_export_timeout(thread));
	}
	if (ret == -ETIMEDOUT)
		return krping_status_set(thread->status, ret,
					 "the client was silent for timeout=%u ms",
					 krping_export_timeout(thread));
	if (ret == -ECONNRESET)
		return krping_status_set(thread->status, ret, "%s",
					 krping_status_loss(thread->status));
	return ret;
}
