// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory that a server exports to one client, or to all.
 *
 *	client				server
 *	SEND buffer advert, empty --->	(request for the region)
 *				<---	SEND region: size, rights, list of pieces
 *	RDMA READ of the list	--->
 *	operations		--->
 *	SEND credit		--->	(keep-alive)
 *
 * The device handles the operations and enforces the rights; the server's thread sleeps. See
 * export_ask.c for the messages by which clients use each other's regions.
 *
 * The keys of a region belong to the PD of one connection, so that no other client can
 * use these keys, even if all clients use the same memory. Teardown destroys the QP and the MRs
 * before it frees the memory.
 */
#define pr_fmt(fmt) "krping: " fmt

#include <linux/kernel.h>
#include <linux/slab.h>

#include "export.h"
#include "wait.h"
#include "wr.h"

/* The log shows at most this many bytes of a message. */
#define KRPING_MESSAGE_LOG	64

static struct krping_export *krping_export(struct krping_queue *q)
{
	return q->priv;
}

/**
 * krping_export_setup() - allocate the region of a client, and post the RECVs
 * @thread: the server's thread for the client
 * @conn: the connection, with a QP that is not connected yet
 *
 * Context: the test's thread. After an error the caller calls krping_export_cleanup().
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
		ret = krping_attachment_alloc(&e->own, conn, thread->memory,
					      !thread->opts.ro);
	if (ret)
		return krping_status_set(thread->status, krping_alloc_errno(ret),
					 "no memory or MRs for export=%llu (error %d)",
					 thread->opts.export_size, ret);
	return krping_queue_start_recvs(&conn->queue);
}

/**
 * krping_export_cleanup() - free what krping_export_setup() has allocated
 * @conn: the connection, whose QP the caller has destroyed
 */
void krping_export_cleanup(struct krping_conn *conn)
{
	struct krping_export *e = krping_export(&conn->queue);

	krping_export_free_uses(e);
	krping_attachment_free(&e->own);
	krping_ctlmsg_free(&e->control);
	kfree(e);
	conn->queue.priv = NULL;
}

static u32 krping_export_rights(const struct krping_export *e)
{
	return (e->thread->opts.ro ? 0 : KRPING_REGION_WRITE) |
	       (e->thread->opts.shared ? KRPING_REGION_SHARED : 0);
}

/* Register the region and advertise it. The SEND follows all registrations on the SQ. */
static int krping_export_advertise(struct krping_export *e)
{
	const struct krping_options *opts = &e->thread->opts;
	struct krping_queue *q = &e->conn->queue;
	struct krping_advert list;
	struct ib_send_wr *wr;
	int ret;

	ret = krping_attachment_register(&e->own, opts->timeout, &e->thread->registered,
					 &list);
	if (ret)
		return ret;
	wr = krping_ctlmsg_region(&e->control, opts->export_size, &list,
				  krping_export_rights(e), e->own.mem->identity);
	WRITE_ONCE(e->advertised, true);
	krping_queue_prepare(q, wr);
	ret = krping_queue_submit(q, wr);
	/* krping_wait() classifies a connection that is already lost. */
	return ret == -ENOTCONN ? 0 : ret;
}

/**
 * krping_export_ctl() - handle a control message of the client
 * @q: the queue
 * @type: type of the message
 * @value: value of the message; of a credit: how many operations the client has completed
 * @ctl: the message
 *
 * This is a &typedef krping_ctl_fn.
 */
void krping_export_ctl(struct krping_queue *q, enum krping_ctl_type type, u64 value,
		       const union krping_ctl *ctl)
{
	struct krping_export *e = krping_export(q);

	/* While the thread waits for the device, the client must not extend the timeout. */
	if (!READ_ONCE(e->working))
		krping_cq_progress(q->cq);
	if (type == KRPING_CTL_BUF_ADVERT && !e->asked) {
		WRITE_ONCE(e->asked, true);
		wake_up_all(&q->status->wait);
	} else if (type == KRPING_CTL_ASK) {
		krping_export_ask(e, &ctl->ask);
	} else if (type == KRPING_CTL_CREDIT) {
		krping_u64_write(&e->thread->operations, value);
	} else {
		krping_status_set(q->status, -EPROTO,
				  "the client sent an unexpected control message of type %d",
				  type);
	}
}

/**
 * krping_export_look() - store and log a client's message for the server's user
 * @q: the queue
 * @data: the message
 * @wc: the completion of the RECV
 *
 * This is a &typedef krping_look_fn.
 */
void krping_export_look(struct krping_queue *q, void *data,
			const struct ib_wc *wc)
{
	struct krping_export *e = krping_export(q);
	u32 len = min_t(u32, wc->byte_len, KRPING_MESSAGE_MAX);

	krping_memop_receive(e->thread->memop, data, len);
	pr_info_ratelimited("test %u: message of %u byte%s from %pISpc: %*pE%s\n",
			    e->thread->id, wc->byte_len, krping_plural(wc->byte_len),
			    &e->conn->remote, min_t(int, len, KRPING_MESSAGE_LOG), data,
			    len > KRPING_MESSAGE_LOG ? "..." : "");
}

/**
 * krping_export_recv() - count a client's message for the server's user
 * @q: the queue
 * @msg: the first bytes of the message
 * @wc: the completion of the RECV
 *
 * This is a &typedef krping_recv_fn.
 */
void krping_export_recv(struct krping_queue *q, const struct krping_wire_msg *msg,
			const struct ib_wc *wc)
{
	struct krping_export *e = krping_export(q);
	struct krping_thread *thread = e->thread;

	if (!READ_ONCE(e->working))
		krping_cq_progress(q->cq);
	krping_u64_write(&thread->iterations, thread->iterations + 1);
}

/* Condition for krping_wait(): the client's empty buffer advert has arrived. */
static bool krping_export_asked(void *arg)
{
	struct krping_export *e = arg;

	return READ_ONCE(e->asked);
}

/*
 * Return the timeout in ms; 0: no timeout. The minimum is four keep-alive intervals, so that late
 * keep-alive messages do not end a connection.
 */
static u32 krping_export_timeout(const struct krping_thread *thread)
{
	u32 timeout = thread->opts.timeout;

	return timeout ? max_t(u32, timeout, 4 * KRPING_SESSION_ALIVE) : 0;
}

/* Serve the client's requests until it disconnects. */
static int krping_export_serve(struct krping_export *e)
{
	struct krping_queue *q = &e->conn->queue;
	int ret;

	/* From now on the client may disconnect at any time. */
	krping_queue_end(q);
	do {
		ret = krping_wait(q->cq, krping_export_has_work, e,
				  krping_export_timeout(e->thread));
		if (!ret)
			ret = krping_export_work(e);
	} while (!ret && !READ_ONCE(q->gone));
	if (READ_ONCE(q->event) >= 0)
		pr_info_ratelimited("test %u: the QP of client %pISpc has reported: %s\n",
				    e->thread->id, &e->conn->remote, ib_event_msg(q->event));
	/* Work that fails because the client has disconnected is no error. */
	return READ_ONCE(q->gone) ? 0 : ret;
}

/**
 * krping_export_end() - let no other client use this client's region
 * @thread: the server's thread for the client
 *
 * Context: the test's thread, before it ends the connection.
 */
void krping_export_end(struct krping_thread *thread)
{
	struct krping_export *e = krping_export(&thread->conns->queue);

	if (e)
		krping_export_hide(e);
}

/**
 * krping_export_loop() - serve one client until it disconnects
 * @thread: the server's thread for the client, connected
 *
 * Return: 0, or a negative errno; the status has the reason.
 */
int krping_export_loop(struct krping_thread *thread)
{
	struct krping_export *e = krping_export(&thread->conns->queue);
	int ret;

	ret = krping_wait(&thread->cq, krping_export_asked, e,
			  krping_export_timeout(thread));
	if (!ret) {
		WRITE_ONCE(e->working, true);
		ret = krping_export_advertise(e);
		WRITE_ONCE(e->working, false);
		krping_cq_progress(&thread->cq);
		if (ret == -ETIMEDOUT)
			return krping_status_set(thread->status, ret,
						 "registering the region took longer than timeout=%u ms",
						 thread->opts.timeout);
	}
	if (!ret)
		ret = krping_export_serve(e);
	if (ret == -ETIMEDOUT)
		return krping_status_set(thread->status, ret,
					 "the client was silent for timeout=%u ms",
					 krping_export_timeout(thread));
	if (ret == -ECONNRESET)
		return krping_status_set(thread->status, ret, "%s",
					 krping_status_loss(thread->status));
	return ret;
}
