// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The QP of a connection of krdma.h: a test that no command of /proc/krping can start.
 *
 *	client				server
 *	SEND buffer advert	--->
 *				<---	SEND buffer advert
 *	SEND fragment		<-->	SEND fragment
 *	SEND credit		<-->	SEND credit (at least once a second)
 *	RDMA READ, RDMA WRITE	<-->	RDMA READ, RDMA WRITE
 *
 * A message consists of fragments, one per SEND. The receiver keeps fragments in a ring, and grants
 * a credit for each fragment that leaves the ring.
 *
 * The test's thread sets the connection up, sends the advert and the keep-alive messages (credits),
 * and tears the connection down. The owner, a module that uses krdma.h, posts SENDs, READs and
 * WRITEs by krdma_io.c. The CQ's context puts received fragments into the ring, and passes them to
 * the owner's handler, if there is one. &krdma_cb.post_lock serializes all posts.
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/slab.h>

#include "krdma_conn.h"
#include "registry.h"
#include "wait.h"
#include "wr.h"

/* Interval of keep-alive messages in ms, and for how many intervals a peer may be silent. */
#define KRDMA_ALIVE		1000
#define KRDMA_ALIVE_MISSING	4

/*
 * WRs for the owner's SENDs, and three more: for a READ or WRITE, for the READ that proves a WRITE
 * on iWARP (see krdma_post_rw()), and for the SEND of krdma_signal().
 */
#define KRDMA_OWN_WRS		(KRDMA_SLOTS + 3)

/* WRs for registrations, adverts and credits. */
#define KRDMA_OTHER_WRS		8

/* RECVs for messages that consume no credit: adverts and credits. */
#define KRDMA_OTHER_RECVS	8

/* Bytes at the end of &krdma_cb.stage for the data of the READ that proves a WRITE on iWARP. */
#define KRDMA_STAGE_SPARE	8

static struct krdma_cb *krdma_of(struct krping_queue *q)
{
	return q->priv;
}

/*
 * In the CQ's context. krdma_look() stores a fragment; krdma_recv() then wakes the receiver.
 */

static void krdma_ctl(struct krping_queue *q, enum krping_ctl_type type, u64 value,
		      const union krping_ctl *ctl)
{
	struct krdma_cb *cb = krdma_of(q);
	int ret = -EPROTO;

	WRITE_ONCE(cb->heard, jiffies);
	if (type == KRPING_CTL_BUF_ADVERT && !cb->advertised) {
		krping_wire_msg_decode(&ctl->buf_advert.msg, &cb->peer);
		/* pairs with krdma_advertised() */
		smp_store_release(&cb->advertised, true);
		wake_up_all(&q->status->wait);
		ret = 0;
	} else if (type == KRPING_CTL_CREDIT && cb->advertised) {
		ret = krdma_ring_credit(cb, value);
	}
	if (ret)
		krping_status_set(q->status, ret,
				  "the peer sent an unexpected control message of type %d",
				  type);
}

static void krdma_look(struct krping_queue *q, void *data, const struct ib_wc *wc)
{
	struct krdma_cb *cb = krdma_of(q);

	if (!cb->advertised || krdma_ring_put(cb, data, wc->byte_len))
		krping_status_set(q->status, -EPROTO,
				  "the peer sent an invalid fragment of %u byte%s",
				  wc->byte_len, krping_plural(wc->byte_len));
}

/*
 * Pass the fragments of the ring to the owner's handler. Do nothing before the test's thread has
 * called with @begin set, because until then the connection has no owner.
 */
static void krdma_handle(struct krdma_cb *cb, bool begin)
{
	const struct krdma_frag *frag;

	spin_lock_bh(&cb->handler_lock);
	cb->handles |= begin;
	/* pairs with krdma_ring_put() */
	while (cb->handles && smp_load_acquire(&cb->rx_head) != cb->rx_tail) {
		frag = &cb->rx[cb->rx_tail % KRDMA_SLOTS];
		cb->attr.handler(cb, cb->attr.handler_arg, frag->data, frag->len,
				 frag->left - frag->len);
		/* pairs with krdma_ring_put() */
		smp_store_release(&cb->rx_tail, cb->rx_tail + 1);
		if (krdma_owes_credit(cb))
			krdma_post_credit(cb);
	}
	spin_unlock_bh(&cb->handler_lock);
}

static void krdma_recv(struct krping_queue *q, const struct krping_wire_msg *msg,
		       const struct ib_wc *wc)
{
	struct krdma_cb *cb = krdma_of(q);
	struct krping_thread *thread = container_of(q->cq, struct krping_thread, cq);

	/* A WRITE with immediate data consumes a RECV, too, but is not passed to krdma_look(). */
	if (wc->opcode != IB_WC_RECV)
		krping_status_set(q->status, -EPROTO, "the peer sent immediate data");
	WRITE_ONCE(cb->heard, jiffies);
	krping_u64_write(&thread->iterations, thread->iterations + 1);
	if (cb->attr.handler)
		krdma_handle(cb, false);
	else
		krdma_cb_wake(cb, KRDMA_WAIT_RECEIVE);
}

static void krdma_sent(struct krping_queue *q, enum krping_op op)
{
	struct krdma_cb *cb = krdma_of(q);

	if (op != KRPING_OP_SEND) {
		/* pairs with krdma_rw_completed() */
		smp_store_release(&cb->rw_done, true);
		krdma_cb_wake(cb, KRDMA_WAIT_RW);
		return;
	}
	if (unlikely(cb->tx_reaped == READ_ONCE(cb->tx_marked)))
		return; /* a faulty device has completed a SEND twice */
	/* All SENDs up to the signaled one have completed. Pairs with krdma_tx_room(). */
	smp_store_release(&cb->tx_done, cb->tx_mark[cb->tx_reaped++ % KRDMA_MARKS]);
	krdma_cb_wake(cb, KRDMA_WAIT_SEND);
	/* Wake krdma_flush(). A barrier in krdma_cb_wake() orders tx_done before this read. */
	if (READ_ONCE(cb->released))
		wake_up_all(&q->status->wait);
}

/*
 * Functions that post. The callers are the CQ's context, the test's thread, and tasks between
 * krdma_cb_enter() and krdma_cb_leave(). On a lost connection the functions return 0, because the
 * next wait returns the error.
 */

/**
 * krdma_tx_room() - check whether a SEND can be posted
 * @cb: the connection
 *
 * Context: any context.
 *
 * Return: true if a SEND buffer is free and the peer has granted a credit.
 */
bool krdma_tx_room(struct krdma_cb *cb)
{
	u32 posted = READ_ONCE(cb->tx_posted);

	/* pairs with krdma_sent() */
	return posted - smp_load_acquire(&cb->tx_done) < KRDMA_SLOTS &&
	       posted - READ_ONCE(cb->tx_taken) < KRDMA_SLOTS;
}

/* SEND @len bytes of @mem. If @signaled, store tx_posted in tx_mark, for krdma_sent(). */
static int krdma_post_mem(struct krdma_cb *cb, const struct krping_dma *mem, u32 len,
			  bool signaled)
{
	struct krping_queue *q = &cb->conn->queue;
	struct ib_sge sge = {
		.addr = mem->addr,
		.length = len,
		.lkey = cb->conn->pd->local_dma_lkey,
	};
	struct ib_send_wr wr = {
		.wr_cqe = krping_queue_cqe(q, KRPING_OP_SEND),
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IB_WR_SEND,
		.send_flags = signaled ? IB_SEND_SIGNALED : 0,
	};

	ib_dma_sync_single_for_device(mem->device, mem->addr, len, DMA_TO_DEVICE);
	if (signaled)
		cb->tx_mark[cb->tx_marked++ % KRDMA_MARKS] = cb->tx_posted;
	krping_queue_count(q, &wr, 1, signaled);
	return krping_queue_post(q, &wr);
}

/* SEND a fragment and grant credits. The caller holds &krdma_cb.post_lock, and there is room. */
static int krdma_post_fragment(struct krdma_cb *cb, const void *data, u32 len, u32 left)
{
	const struct krping_dma *mem = &cb->tx[cb->tx_posted % KRDMA_SLOTS];
	struct krping_wire_frag *head = mem->data;
	/* Read the count under the lock, because the peer rejects a count that decreases. */
	u32 taken = READ_ONCE(cb->rx_tail);

	ib_dma_sync_single_for_cpu(mem->device, mem->addr, sizeof(*head) + len,
				   DMA_TO_DEVICE);
	head->left = cpu_to_be32(left);
	head->taken = cpu_to_be32(taken);
	memcpy(head + 1, data, len);
	/* Count before the post, because the peer's credit may arrive before the post returns. */
	WRITE_ONCE(cb->tx_posted, cb->tx_posted + 1);
	WRITE_ONCE(cb->rx_granted, taken);
	return krdma_post_mem(cb, mem, sizeof(*head) + len,
			      cb->tx_posted % KRDMA_SIGNAL == 0);
}

/**
 * krdma_post_send() - SEND a fragment if there is room
 * @cb: the connection
 * @data: the fragment, which is copied
 * @len: bytes of @data
 * @left: bytes of this fragment and of the fragments that follow in the message
 * @between: true if the caller does not hold &krdma_cb.tx_mutex; the fragment is then a whole
 *	message, and is not posted between the fragments of another message
 *
 * Context: process context, or the CQ's context.
 *
 * Return: 0; 1: nothing was posted, because there is no room, or, with @between, because another
 * message is incomplete; a negative errno, which is stored in the status.
 */
int krdma_post_send(struct krdma_cb *cb, const void *data, u32 len, u32 left, bool between)
{
	int ret = 1;

	spin_lock_bh(&cb->post_lock);
	if (!(between && cb->tx_partial) && krdma_tx_room(cb)) {
		cb->tx_partial = left > len;
		ret = krdma_post_fragment(cb, data, len, left);
	}
	spin_unlock_bh(&cb->post_lock);
	return ret == -ENOTCONN ? 0 : ret;
}

/**
 * krdma_post_rw() - READ the peer's region into &krdma_cb.stage, or WRITE the stage to the region
 * @cb: the connection; the caller holds &krdma_cb.rw_mutex
 * @write: true for a WRITE, false for a READ
 * @offset: offset in the region; the caller has checked the range
 * @len: bytes, at most KRDMA_RW_BYTES
 *
 * Context: process context. When the completion calls krdma_sent(), the data of a WRITE is in
 * the peer's memory. On iWARP a WRITE completes when TCP accepts the data, so a READ of one byte
 * follows, and only the READ is signaled.
 *
 * Return: 0 or a negative errno, which is stored in the status.
 */
int krdma_post_rw(struct krdma_cb *cb, bool write, u64 offset, u32 len)
{
	struct krping_queue *q = &cb->conn->queue;
	bool prove = write && cb->iwarp;
	struct ib_sge sge[2];
	struct ib_rdma_wr wr[2];
	int i, ret;

	memset(wr, 0, sizeof(wr));
	for (i = 0; i < 2; i++) {
		sge[i].addr = cb->stage_mr.mr ? cb->stage_mr.mr->iova :
						krping_buf_addr(&cb->stage);
		sge[i].lkey = cb->stage_mr.mr ? cb->stage_mr.mr->lkey :
						cb->conn->pd->local_dma_lkey;
		sge[i].length = i ? 1 : len;
		wr[i].wr.sg_list = &sge[i];
		wr[i].wr.num_sge = 1;
		wr[i].remote_addr = cb->peer.addr + offset;
		wr[i].rkey = cb->peer.rkey;
	}
	wr[0].wr.opcode = write ? IB_WR_RDMA_WRITE : IB_WR_RDMA_READ;
	wr[0].wr.wr_cqe = krping_queue_cqe(q, write ? KRPING_OP_WRITE : KRPING_OP_READ);
	wr[1].wr.opcode = IB_WR_RDMA_READ;
	wr[1].wr.wr_cqe = krping_queue_cqe(q, KRPING_OP_READ);
	sge[1].addr += KRDMA_RW_BYTES;
	wr[prove].wr.send_flags = IB_SEND_SIGNALED;

	cb->rw_done = false;
	spin_lock_bh(&cb->post_lock);
	krping_queue_count(q, &wr->wr, 1, true);
	if (prove)
		wr[0].wr.next = &wr[1].wr;
	/* The test's counters do not count the READ that proves a WRITE. */
	ret = krping_queue_post_counted(q, &wr->wr, 1);
	spin_unlock_bh(&cb->post_lock);
	return ret == -ENOTCONN ? 0 : ret;
}

/**
 * krdma_post_credit() - grant the peer credits for the fragments taken out of the ring
 * @cb: the connection
 *
 * Context: process context, or the CQ's context.
 *
 * Return: 0 or a negative errno, which is stored in the status.
 */
int krdma_post_credit(struct krdma_cb *cb)
{
	int ret;

	spin_lock_bh(&cb->post_lock);
	ret = krping_ctlmsg_credit(&cb->control, READ_ONCE(cb->rx_tail));
	spin_unlock_bh(&cb->post_lock);
	return ret == -ENOTCONN ? 0 : ret;
}

/*
 * Functions of the test's thread, and first the conditions for which the thread waits.
 */

static bool krdma_advertised(void *arg)
{
	struct krdma_cb *cb = arg;

	/* pairs with krdma_ctl() */
	return smp_load_acquire(&cb->advertised);
}

static bool krdma_released_or_due(void *arg)
{
	struct krdma_cb *cb = arg;

	return READ_ONCE(cb->released) || time_after_eq(jiffies, cb->alive_at);
}

static bool krdma_sent_or_gone(void *arg)
{
	struct krdma_cb *cb = arg;

	return READ_ONCE(cb->tx_done) == cb->tx_posted || READ_ONCE(cb->conn->queue.gone);
}

/* Store the reason why a wait failed, unless the status has one already. Return the error. */
static int krdma_failed(struct krping_thread *thread, int ret)
{
	if (ret == -ETIMEDOUT)
		return krping_status_set(thread->status, ret,
					 "the peer was silent for more than timeout=%u ms",
					 thread->opts.timeout);
	if (ret == -ECONNRESET)
		return krping_status_set(thread->status, ret, "%s",
					 krping_status_loss(thread->status));
	return ret;
}

/* Post a REG_MR for each buffer that has an MR, and SEND the advert of the region. */
static int krdma_advertise(struct krdma_cb *cb)
{
	struct krping_mr *mrs[] = { &cb->region_mr, &cb->stage_mr };
	struct krping_queue *q = &cb->conn->queue;
	struct krping_advert advert = { 0 };
	struct ib_send_wr *first, **link = &first;
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(mrs); i++) {
		if (!mrs[i]->mr)
			continue;
		ret = krping_mr_renew(mrs[i]);
		if (ret)
			return krping_status_set(q->status, ret,
						 "the device does not map a buffer of %zu bytes",
						 mrs[i]->buf->size);
		*link = &mrs[i]->reg.wr;
		link = &mrs[i]->reg.wr.next;
	}
	if (cb->region_mr.mr) {
		advert.addr = cb->region_mr.mr->iova;
		advert.rkey = cb->region_mr.mr->rkey;
		advert.size = cb->attr.region;
	}
	*link = krping_ctlmsg_buf_advert(&cb->control, &advert);
	krping_queue_prepare(q, first);
	ret = krping_queue_submit(q, first);
	return ret == -ENOTCONN ? 0 : ret;
}

/* Client: advertise the region, then wait for the server's advert. */
static int krdma_begin(struct krping_thread *thread)
{
	struct krdma_cb *cb = krdma_of(&thread->conns->queue);
	int ret;

	ret = krdma_advertise(cb);
	if (!ret)
		ret = krping_wait(&thread->cq, krdma_advertised, cb, thread->opts.timeout);
	if (!ret)
		krdma_cb_open(cb);
	if (!ret && cb->attr.handler)
		krdma_handle(cb, true);
	return krdma_failed(thread, ret);
}

/* Server: await the client's advert, SEND the server's, offer @cb to krdma_accept(). */
static int krdma_begin_server(struct krping_thread *thread)
{
	struct krdma_cb *cb = krdma_of(&thread->conns->queue);
	int ret;

	ret = krping_wait(&thread->cq, krdma_advertised, cb, thread->opts.timeout);
	if (!ret)
		ret = krdma_advertise(cb);
	if (ret)
		return krdma_failed(thread, ret);
	krdma_cb_open(cb);
	/* Take the owner's reference, which krdma_release_cb() drops. */
	kref_get(&thread->test->ref);
	ret = krdma_cb_offer(thread->krdma_listener, cb);
	if (!ret && cb->attr.handler)
		krdma_handle(cb, true);
	if (!ret)
		return 0;
	krping_test_put(thread->test);
	return krping_status_set(thread->status, ret,
				 "the backlog of krdma_accept() is full, or the listener was released");
}

/* Check that the peer has sent a message in time, and send a keep-alive message. */
static int krdma_alive(struct krping_thread *thread, struct krdma_cb *cb)
{
	u32 most = max_t(u32, thread->opts.timeout, KRDMA_ALIVE_MISSING * KRDMA_ALIVE);

	if (time_after(jiffies, READ_ONCE(cb->heard) + msecs_to_jiffies(most)))
		return krping_status_set(thread->status, -ETIMEDOUT,
					 "the peer was silent for more than %u ms", most);
	return krdma_post_credit(cb);
}

/* If the last SENDs are unsignaled, SEND a signaled credit, which completes after them. */
static void krdma_signal(struct krdma_cb *cb)
{
	const struct krping_dma *mem = &cb->tx[KRDMA_SLOTS];
	struct krping_wire_ctl *ctl = mem->data;

	spin_lock_bh(&cb->post_lock);
	if (cb->tx_posted % KRDMA_SIGNAL) {
		ib_dma_sync_single_for_cpu(mem->device, mem->addr, sizeof(*ctl), DMA_TO_DEVICE);
		krping_wire_ctl_encode(ctl, KRPING_CTL_CREDIT, READ_ONCE(cb->rx_tail));
		krdma_post_mem(cb, mem, sizeof(*ctl), true);
	}
	spin_unlock_bh(&cb->post_lock);
}

/* Wait until the SENDs that were posted before the release have completed. */
static int krdma_flush(struct krping_thread *thread, struct krdma_cb *cb)
{
	krdma_signal(cb);
	krping_queue_end(&cb->conn->queue);
	krping_cq_progress(&thread->cq);
	krping_wait(&thread->cq, krdma_sent_or_gone, cb, thread->opts.timeout);
	return 0;
}

static int krdma_loop(struct krping_thread *thread)
{
	struct krdma_cb *cb = krdma_of(&thread->conns->queue);
	int ret = 0;

	if (!krping_is_client(thread))
		ret = krdma_begin_server(thread);
	while (!ret) {
		cb->alive_at = jiffies + msecs_to_jiffies(KRDMA_ALIVE);
		krping_cq_progress(&thread->cq);
		ret = krping_wait(&thread->cq, krdma_released_or_due, cb, KRDMA_ALIVE);
		if (!ret && READ_ONCE(cb->released))
			return krdma_flush(thread, cb);
		if (!ret || ret == -ETIMEDOUT)
			ret = krdma_alive(thread, cb);
	}
	return krdma_failed(thread, ret);
}

/* End the owner's operations. Before krdma_setup(), only thread->krdma refers to the state. */
static void krdma_end(struct krping_thread *thread)
{
	struct krdma_cb *cb = krdma_of(&thread->conns->queue) ?: thread->krdma;

	if (cb)
		krdma_cb_close(cb);
}

static int krdma_alloc_buf(struct krdma_cb *cb, struct krping_buf *buf,
			   struct krping_mr *mr, u32 size, bool contiguous, bool reg)
{
	struct ib_pd *pd = cb->conn->pd;
	struct krping_queue *q = &cb->conn->queue;
	int ret;

	ret = krping_buf_alloc(buf, pd->device, size, contiguous, DMA_BIDIRECTIONAL);
	if (ret || !reg)
		return ret;
	return krping_mr_alloc(mr, pd, buf, IB_ACCESS_LOCAL_WRITE |
			       IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE,
			       krping_queue_cqe(q, KRPING_OP_REG),
			       krping_queue_cqe(q, KRPING_OP_INV));
}

static int krdma_alloc(struct krdma_cb *cb)
{
	int i, ret;

	cb->rx = kvcalloc(KRDMA_SLOTS, sizeof(*cb->rx), GFP_KERNEL);
	if (!cb->rx)
		return -ENOMEM;
	ret = krping_ctlmsg_alloc(&cb->control, cb->conn);
	for (i = 0; i < ARRAY_SIZE(cb->tx) && !ret; i++)
		ret = krping_dma_alloc(&cb->tx[i], cb->conn->pd->device,
				       KRDMA_SEND_BYTES, DMA_TO_DEVICE);
	if (!ret)
		ret = krdma_alloc_buf(cb, &cb->stage, &cb->stage_mr,
				      KRDMA_RW_BYTES + KRDMA_STAGE_SPARE, true,
				      cb->iwarp);
	/* One MR covers all chunks, because bounce buffers limit a mapping to 256 KiB. */
	if (!ret && cb->attr.region)
		ret = krdma_alloc_buf(cb, &cb->region, &cb->region_mr, cb->attr.region,
				      false, true);
	return ret;
}

static int krdma_setup(struct krping_thread *thread, struct krping_conn *conn)
{
	struct krdma_cb *cb = krdma_cb_get(thread->krdma);
	int ret;

	if (!cb)
		cb = krdma_cb_alloc(&thread->krdma_listener->attr);
	if (!cb)
		return krping_status_set(thread->status, -ENOMEM, "no memory");
	conn->queue.priv = cb;
	krdma_cb_attach(cb, thread->test, thread->status, false);
	cb->conn = conn;
	cb->iwarp = krping_conn_iwarp(conn);
	cb->heard = jiffies;
	ret = krdma_alloc(cb);
	if (ret)
		return krping_status_set(thread->status, krping_alloc_errno(ret),
					 "no memory or MRs for a connection of krdma (%d)",
					 ret);
	return krping_queue_start_recvs(&conn->queue);
}

static void krdma_cleanup(struct krping_thread *thread, struct krping_conn *conn)
{
	struct krdma_cb *cb = krdma_of(&conn->queue);
	int i;

	if (!cb)
		return;
	/* The CQ was freed, so no other call of the handler is under way or follows. */
	if (cb->handles)
		cb->attr.handler(cb, cb->attr.handler_arg, NULL, 0, 0);
	krping_mr_free(&cb->region_mr);
	krping_buf_free(&cb->region);
	krping_mr_free(&cb->stage_mr);
	krping_buf_free(&cb->stage);
	for (i = 0; i < ARRAY_SIZE(cb->tx); i++)
		krping_dma_free(&cb->tx[i]);
	krping_ctlmsg_free(&cb->control);
	cb->conn = NULL;
	conn->queue.priv = NULL;
	krdma_cb_put(cb);
}

static int krdma_plan(const struct krping_thread *thread, struct krping_plan *plan,
		      const char **why)
{
	struct ib_device *device = krping_conn_id(thread->conns)->device;

	plan->size_max = U64_MAX;
	if (krping_mem_reg_max(device) < KRDMA_RW_BYTES + PAGE_SIZE) {
		*why = "an MR of the device holds too few bytes";
		return -EOPNOTSUPP;
	}
	plan->queue.sq_own = KRDMA_OWN_WRS;
	plan->queue.sq_size = KRDMA_OWN_WRS + KRDMA_OTHER_WRS;
	plan->queue.recv_depth = KRDMA_SLOTS + KRDMA_OTHER_RECVS;
	plan->queue.recv_bytes = KRDMA_SEND_BYTES;
	plan->queue.ctl = krdma_ctl;
	plan->queue.look = krdma_look;
	plan->queue.recv = krdma_recv;
	plan->queue.sent = krdma_sent;
	return 0;
}

const struct krping_test_ops krping_krdma_ops = {
	.type		= KRPING_TEST_KRDMA,
	.streams	= true,
	.deep_reads	= true,
	.plan		= krdma_plan,
	.setup		= krdma_setup,
	.begin		= krdma_begin,
	.end		= krdma_end,
	.loop		= krdma_loop,
	.cleanup	= krdma_cleanup,
};
