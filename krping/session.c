// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The test `session`: a client accesses the memory that a server exports. The client
 * connects for one operation, for a disk, or for the operations that later commands put into the
 * thread's mailbox. The session's thread runs one operation at a time. One buffer, allocated at
 * set-up, holds the operation's data. export.c has the server's side, and lists the messages.
 */
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "disk.h"
#include "export.h"
#include "session_region.h"
#include "wait.h"
#include "wr.h"

/* Room on the SQ for control messages and for the buffer's registration, in WRs. */
#define KRPING_SESSION_OTHERS	8

/* Number of a server's RECVs: the messages that can arrive before the server posts a RECV again. */
#define KRPING_SESSION_RECVS	16

/*
 * Messages and completions.
 */

/*
 * Handle a control message of the server: an answer to a request, or the only advert of the region,
 * which has the address, length and key of the list of the region's pieces.
 */
static void krping_session_ctl(struct krping_queue *q, enum krping_ctl_type type,
			       u64 value, const union krping_ctl *ctl)
{
	struct krping_client_session *s = krping_client_session(q);

	krping_cq_progress(q->cq);
	if (type == KRPING_CTL_ANSWER) {
		krping_session_answer(s, &ctl->answer);
		return;
	}
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
	s->region.shared = be32_to_cpu(ctl->region.rights) & KRPING_REGION_SHARED;
	/* pairs with krping_session_advertised() */
	smp_store_release(&s->advertised, true);
	wake_up_all(&q->status->wait);
}

/* Fail on a message that is no control message: in this test the server sends no other. */
static void krping_session_recv(struct krping_queue *q,
				const struct krping_wire_msg *msg,
				const struct ib_wc *wc)
{
	krping_status_set(q->status, -EPROTO,
			  "the server sent an unexpected message of %u byte%s",
			  wc->byte_len, krping_plural(wc->byte_len));
}

static bool krping_session_advertised(void *arg)
{
	struct krping_client_session *s = arg;

	/* pairs with krping_session_ctl() */
	return smp_load_acquire(&s->advertised);
}

/*
 * Keep-alive messages, without which the server would disconnect a session that posts nothing.
 */

/*
 * Send a keep-alive message: a KRPING_CTL_CREDIT with the number of operations so far. If the
 * session knows its region, prove by a READ that the server responds. While the thread still
 * connects, no wait polls the CQ, so reap the completions of earlier messages here.
 */
static int krping_session_alive(struct krping_client_session *s)
{
	int ret;

	if (s->conn->queue.cq->poll)
		krping_cq_poll(s->conn->queue.cq);
	ret = krping_ctlmsg_credit(&s->control, krping_thread_iterations(s->thread));
	if (ret && ret != -ENOTCONN)
		return ret;
	return s->learned ? krping_session_round_trip(s) : 0;
}

/*
 * If keep-alive messages are due, send them on each established connection of the thread @arg. This
 * function has the type of the argument @alive of krping_wait_alive().
 */
static int krping_session_alive_due(void *arg)
{
	struct krping_thread *thread = arg;
	struct krping_client_session *first = krping_client_session(&thread->conns->queue);
	int ret = 0;
	u32 i;

	if (time_before(jiffies, first->alive_at))
		return jiffies_to_msecs(max_t(long, first->alive_at - jiffies, 1));
	for (i = 0; i < thread->nr_conns && !ret; i++)
		if (krping_conn_is(&thread->conns[i], KRPING_CONN_CONNECTED))
			ret = krping_session_alive(krping_client_session(&thread->conns[i].queue));
	first->alive_at = jiffies + msecs_to_jiffies(KRPING_SESSION_ALIVE);
	return ret ?: KRPING_SESSION_ALIVE;
}

/*
 * Begin a session: learn the addresses and keys of the region, which is the exported memory.
 */

/*
 * Send an advert of an empty buffer, which asks the server for the advert of its region, and wait
 * for the region's advert. Also register the session's buffer, if READs of this device need a key.
 */
static int krping_session_ask_region(struct krping_client_session *s)
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
	/*
	 * The server may register the region for longer than its timeout=. Meanwhile keep the
	 * thread's other connections alive.
	 */
	return krping_wait_alive(q->cq, krping_session_advertised, s, s->thread->opts.timeout,
				 krping_session_alive_due, s->thread);
}

/* Receive the advert of the region, and READ its list of pieces. */
static int krping_session_learn(struct krping_client_session *s)
{
	int ret = krping_session_ask_region(s);

	if (ret)
		return krping_session_failed(s, ret, "while the server registered its memory");
	ret = krping_session_read_region(s, &s->region, &s->list);
	s->learned = !ret;
	return ret;
}

/* Prove by READs that no connection has failed. */
static int krping_session_prove_all(struct krping_thread *thread)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < thread->nr_conns && !ret; i++)
		ret = krping_session_round_trip(krping_client_session(&thread->conns[i].queue));
	return ret;
}

/* Create the disk, or attach an existing one to the new connections, see disk_path.h. */
static int krping_session_attach_disk(struct krping_thread *thread)
{
	struct krping_disk_path *paths;
	int ret;
	u32 i;

	paths = kvcalloc(thread->nr_conns, sizeof(*paths), GFP_KERNEL);
	if (!paths)
		return krping_status_set(thread->status, -ENOMEM, "no memory");
	for (i = 0; i < thread->nr_conns; i++) {
		struct krping_client_session *s =
			krping_client_session(&thread->conns[i].queue);

		paths[i].conn = s->conn;
		paths[i].region = &s->region;
		krping_session_sge(s, &paths[i].sink, KRPING_MEMOP_MAX, 1);
	}
	ret = krping_disk_attach(thread, paths);
	kvfree(paths);
	return ret;
}

/*
 * Create the disk, and check that the kernel could read it; or attach a disk that connects again.
 */
static int krping_session_add_disk(struct krping_client_session *s)
{
	bool again = s->thread->block;
	int ret;

	ret = krping_session_attach_disk(s->thread);
	if (ret || again)
		return ret;
	/*
	 * The kernel reads the partition table only once, and ignores errors of these
	 * requests. If all connections still work afterwards, no request has failed.
	 */
	ret = krping_session_prove_all(s->thread);
	return krping_session_failed(s, ret, "while the kernel read the partition table");
}

/* Client: learn the region on each connection, and then open the mailbox or make the disk. */
static int krping_session_begin(struct krping_thread *thread)
{
	struct krping_client_session *s = krping_client_session(&thread->conns->queue);
	int ret = 0;
	u32 i;

	if (!krping_is_client(thread))
		return 0;
	for (i = 0; i < thread->nr_conns && !ret; i++) {
		/* If the CQ is in direct context, krping_wait() polls it from now on. */
		krping_thread_cq(thread, i)->running = true;
		ret = krping_session_learn(krping_client_session(&thread->conns[i].queue));
	}
	if (ret)
		return ret;
	krping_u64_write(&thread->region, s->region.size);
	if (thread->opts.memop == KRPING_MEMOP_SESSION)
		krping_mailbox_open(&thread->mailbox);
	return thread->opts.memop == KRPING_MEMOP_DISK ? krping_session_add_disk(s) : 0;
}

static void krping_session_end(struct krping_thread *thread)
{
	if (krping_is_client(thread))
		krping_disk_remove(thread);
	else
		krping_export_end(thread);
}

/*
 * Operations.
 */

static bool krping_session_has_mail(void *arg)
{
	struct krping_client_session *s = arg;

	return !krping_mailbox_empty(&s->thread->mailbox);
}

/*
 * Wait for the next operation. Send keep-alive messages, also if operations follow each other
 * without a pause, because a READ or WRITE runs no code on the server.
 */
static int krping_session_idle(struct krping_client_session *s)
{
	return krping_wait_alive(&s->thread->cq, krping_session_has_mail, s, 0,
				 krping_session_alive_due, s->thread);
}

/* Run one operation; return as krping_session_run() does. */
static int krping_session_carry_out(struct krping_client_session *s, struct krping_memop *op)
{
	const struct krping_region *r = &s->region;
	int ret = 0;

	if (krping_memop_is_request(op->type))
		return krping_session_manage(s, op);
	if (op->region)
		ret = krping_session_find_region(s, op, &r);
	if (ret || krping_memop_ended(op))
		return ret;
	return krping_session_run(s, r, op);
}

/* Run the operations that arrive in the mailbox, until the session ends. */
static int krping_session_serve(struct krping_client_session *s)
{
	int ret = krping_session_idle(s);

	while (!ret) {
		struct krping_memop *op = krping_mailbox_take(&s->thread->mailbox);

		if (op) {
			ret = krping_session_carry_out(s, op);
			krping_memop_put(op);
		}
		if (!ret)
			ret = krping_session_idle(s);
	}
	return krping_session_failed(s, ret, "between operations");
}

/*
 * Run the operation of the command, or the operations of the mailbox until the session ends. On a
 * server, serve the client.
 */
static int krping_session_loop(struct krping_thread *thread)
{
	struct krping_client_session *s;
	int ret;

	if (!krping_is_client(thread))
		return krping_export_loop(thread);
	s = krping_client_session(&thread->conns->queue);
	if (thread->memop) {
		ret = krping_session_carry_out(s, thread->memop);
		/* The error of a rejected operation becomes the result of the test. */
		if (!ret && thread->memop->error)
			ret = krping_status_set(thread->status, thread->memop->error,
						"%s", thread->memop->detail);
		return ret;
	}
	/* A disk with the option reconnect connects again when the connection is lost. */
	do
		ret = krping_session_serve(krping_client_session(&thread->conns->queue));
	while (!krping_disk_reconnect(thread));
	return ret;
}

/*
 * Set-up and clean-up.
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
	s->alive_at = jiffies + msecs_to_jiffies(KRPING_SESSION_ALIVE);
	conn->queue.priv = s;
	/*
	 * Before the server accepts, it may allocate MRs for longer than its timeout=. Meanwhile
	 * keep the thread's other connections alive.
	 */
	conn->alive = krping_session_alive_due;
	conn->alive_arg = thread;
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
	krping_session_free_regions(s);
	krping_mr_free(&s->mr);
	krping_buf_free(&s->buf);
	krping_ctlmsg_free(&s->control);
	kfree(s);
	conn->queue.priv = NULL;
}

/* Set the sizes and the handlers of the queue, for a client or for a server. */
static int krping_session_plan(const struct krping_thread *thread,
			       struct krping_plan *plan, const char **why)
{
	u64 reg_max = krping_mem_reg_max(krping_conn_id(thread->conns)->device);
	bool client = krping_is_client(thread);

	plan->size_max = U64_MAX;
	/* The client READs the list of the region's pieces before its first operation. */
	plan->posts_reads = client;
	plan->answers_reads = !client;
	/* The block layer uses at most one hardware queue for each CPU. */
	if (client && thread->opts.qps > nr_cpu_ids) {
		*why = "qps: a disk has at most one queue pair for each CPU";
		return -EINVAL;
	}
	if (reg_max < KRPING_REGION_PIECE_MIN) {
		*why = "the device registers less than 64 KiB by work request";
		return -EOPNOTSUPP;
	}
	plan->queue.sq_size = KRPING_SESSION_OTHERS;
	if (client) {
		plan->queue.sq_own = KRPING_SESSION_WRS;
		plan->queue.sq_size += KRPING_SESSION_WRS;
		/* A disk sends no inline data, and WQEs without room for such data are smaller. */
		if (thread->opts.memop != KRPING_MEMOP_DISK) {
			plan->queue.inline_bytes = KRPING_SESSION_INLINE;
			plan->queue.inline_optional = true;
		}
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
		plan->queue.sent = krping_export_sent;
		plan->queue.sq_own = KRPING_EXPORT_OWN;
		plan->queue.sq_size += KRPING_EXPORT_OWN;
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
