// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The server side of the test `conform` does what the client requests, one step of a case at a
 * time.
 *
 * The server does not trust the client. It checks each argument that selects memory, a memory
 * region, rights or a state, so a step accesses only the memory and memory regions of the case.
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/slab.h>

#include "../wait.h"
#include "../wr.h"
#include "message.h"
#include "pair.h"
#include "server.h"

/* Maximum time from one request of a client to the next, in milliseconds. */
#define CONFORM_IDLE	60000

/**
 * struct conform_server - the server's state for one client
 * @thread: the server's thread for this client
 * @message: message that sends the answers
 * @listener: accepts the QPs of cases
 * @port: port of @listener
 * @ask: the client's last request
 * @pending: the server has not carried out @ask yet
 * @side: the server's side of the case; NULL: no case is open
 * @recvs: number of RECVs that the server has posted since it opened the case, or since the last
 *	KRPING_CONFORM_BEGIN
 */
struct conform_server {
	struct krping_thread *thread;
	struct conform_message message;
	struct conform_listener listener;
	u16 port;
	struct krping_conform_ask ask;
	bool pending;
	struct conform_side *side;
	u32 recvs;
};

static struct conform_server *conform_server(const struct krping_thread *thread)
{
	return thread->conns->queue.priv;
}

/**
 * conform_server_ctl() - store a request
 * @q: the control connection's queue
 * @type: type of the message
 * @value: value of the message
 * @ctl: the message
 *
 * Context: see &typedef krping_ctl_fn.
 */
void conform_server_ctl(struct krping_queue *q, enum krping_ctl_type type, u64 value,
			const union krping_ctl *ctl)
{
	struct conform_server *s = q->priv;

	krping_cq_progress(q->cq);
	if (type != KRPING_CTL_CONFORM_ASK || READ_ONCE(s->pending)) {
		krping_status_set(q->status, -EPROTO,
				  "the client sent an unexpected control message of type %d",
				  type);
		return;
	}
	krping_wire_conform_ask_decode(&ctl->conform_ask, &s->ask);
	/* pairs with conform_server_has_work() */
	smp_store_release(&s->pending, true);
	wake_up_all(&q->status->wait);
}

static bool conform_server_has_work(void *arg)
{
	const struct conform_server *s = arg;

	if (s->side && conform_requested(s->side))
		return true;
	/* pairs with conform_server_ctl() */
	return smp_load_acquire(&s->pending) || READ_ONCE(s->thread->conns->queue.gone);
}

/*
 * Steps.
 */

static void conform_server_close(struct conform_server *s)
{
	conform_listen_for(&s->listener, NULL);
	conform_side_free(s->side);
	s->side = NULL;
}

/* Return the bits CONFORM_WITH_* of a step that begins a case; -1: the step begins no case. */
static int conform_opens_with(u32 step)
{
	switch (step) {
	case KRPING_CONFORM_OPEN:
		return 0;
	case KRPING_CONFORM_OPEN_SRQ:
		return CONFORM_WITH_SRQ;
	case KRPING_CONFORM_OPEN_SMALL_CQ:
		return CONFORM_WITH_SMALL_CQ;
	case KRPING_CONFORM_OPEN_POLLED:
		return CONFORM_WITH_POLLED_CQ;
	case KRPING_CONFORM_OPEN_DMA_KEY:
		return CONFORM_WITH_DMA_KEY;
	default:
		return -1;
	}
}

/* Begin a case: allocate a side, and let the listener accept the client's QP for it. */
static int conform_server_open(struct conform_server *s, u32 with,
			       struct krping_conform_answer *answer)
{
	struct conform_side *side;
	int ret;

	conform_server_close(s);
	if (with & CONFORM_WITH_DMA_KEY && !s->thread->plan.global_rkey)
		return -EOPNOTSUPP;
	if (!s->listener.id) {
		ret = conform_listen(&s->listener, s->thread->conns, &s->port);
		if (ret) {
			conform_listen_end(&s->listener);
			return ret;
		}
	}
	side = conform_side_alloc(s->thread, CONFORM_PEER_FILL, with);
	if (IS_ERR(side))
		return PTR_ERR(side);
	s->side = side;
	s->recvs = 0;
	conform_listen_for(&s->listener, side);
	answer->key = s->listener.cookie;
	answer->addr = s->port;
	return 0;
}

/* Check that a range is not empty and within the memory of a side. */
static bool conform_in_memory(u32 off, u32 len)
{
	return len && off < CONFORM_BYTES && len <= CONFORM_BYTES - off;
}

/*
 * Carry out KRPING_CONFORM_MR: register a part of the memory, in the PD of the case or, if the last
 * argument is 1, in the PD of the control connection.
 */
static int conform_server_mr(struct conform_server *s, const u32 *args,
			     struct krping_conform_answer *answer)
{
	u32 nr = args[0], rights = args[1], off = args[2], len = args[3], elsewhere = args[4];
	int ret;

	if (nr >= CONFORM_MRS || rights & ~KRPING_CONFORM_RIGHTS || elsewhere > 1 ||
	    !conform_in_memory(off, len))
		return -EINVAL;
	if (elsewhere)
		ret = conform_side_reg_elsewhere(s->side, nr, rights, off, len);
	else
		ret = conform_side_reg(s->side, nr, rights, off, len);
	answer->key = s->side->mr[nr].key;
	answer->addr = s->side->mr[nr].addr;
	return ret;
}

/*
 * Carry out KRPING_CONFORM_DMA_KEY: return the key for all memory of the case's PD or, if the last
 * argument is 1, of the control connection's PD. The case's PD has such a key only if the server's
 * command has mem_mode=dma, which permits the client to use the keys of both PDs.
 */
static int conform_server_dma_key(const struct conform_server *s, const u32 *args,
				  struct krping_conform_answer *answer)
{
	const struct ib_pd *pd = args[1] ? s->thread->conns->pd : s->side->pd;
	u32 off = args[0];

	if (off >= CONFORM_BYTES || args[1] > 1 ||
	    !(s->side->pd->flags & IB_PD_UNSAFE_GLOBAL_RKEY))
		return -EINVAL;
	answer->key = pd->unsafe_global_rkey;
	answer->addr = krping_buf_addr(&s->side->mem) + off;
	return 0;
}

/* Carry out KRPING_CONFORM_REREG: invalidate and register a memory region several times. */
static int conform_server_rereg(struct conform_server *s, const u32 *args,
				struct krping_conform_answer *answer)
{
	u32 nr = args[0], times = args[1];
	int ret;

	if (nr >= CONFORM_MRS || !times || times > KRPING_CONFORM_TIMES)
		return -EINVAL;
	ret = conform_side_rereg(s->side, nr, times);
	answer->key = s->side->mr[nr].key;
	answer->addr = s->side->mr[nr].addr;
	return ret;
}

/* Carry out KRPING_CONFORM_STATE: move the QP to a state. */
static int conform_server_state(struct conform_server *s, u32 state)
{
	if (state != IB_QPS_ERR && state != IB_QPS_RESET)
		return -EINVAL;
	return conform_side_set_state(s->side, state);
}

/* Carry out KRPING_CONFORM_RECV: post a RECV. */
static int conform_server_recv(struct conform_server *s, const u32 *args)
{
	u32 off = args[0], len = args[1], mr = args[2];

	if (!conform_in_memory(off, len) || mr > CONFORM_MRS || s->recvs >= CONFORM_DEPTH ||
	    (mr && !s->side->mr[mr - 1].key))
		return -EINVAL;
	return conform_side_recv(s->side, s->recvs++, off, len, mr);
}

/*
 * Carry out KRPING_CONFORM_RECORD: wait a bounded time for the effects that the arguments name, and
 * copy the record of completions and events into the answer.
 */
static int conform_server_record(struct conform_server *s, const u32 *args,
				 struct krping_conform_answer *answer)
{
	struct conform_until until = {
		.recvs	= args[0],
		.states	= args[1],
		.event	= args[2],
		.ended	= args[3],
		.changed = args[4],
		.since	= jiffies,
	};

	return conform_side_record(s->side, &until, &answer->record);
}

/* Carry out a step that needs a connected QP. */
static int conform_server_case_step(struct conform_server *s, struct krping_conform_answer *answer)
{
	const u32 *args = s->ask.args;

	if (!s->side || !s->side->qp)
		return -ENOTCONN;
	/* Times in the trace count from the last step that can have effects. */
	if (s->ask.step != KRPING_CONFORM_RECORD)
		conform_trace_since(s->side);
	switch (s->ask.step) {
	case KRPING_CONFORM_MR:
		return conform_server_mr(s, args, answer);
	case KRPING_CONFORM_INV:
		return args[0] < CONFORM_MRS ? conform_side_inv(s->side, args[0]) : -EINVAL;
	case KRPING_CONFORM_DEREG:
		return args[0] < CONFORM_MRS ? conform_side_dereg(s->side, args[0]) : -EINVAL;
	case KRPING_CONFORM_RECV:
		return conform_server_recv(s, args);
	case KRPING_CONFORM_BEGIN:
		conform_side_begin(s->side);
		s->recvs = 0;
		return 0;
	case KRPING_CONFORM_RECORD:
		return conform_server_record(s, args, answer);
	case KRPING_CONFORM_STATE:
		return conform_server_state(s, args[0]);
	case KRPING_CONFORM_REREG:
		return conform_server_rereg(s, args, answer);
	case KRPING_CONFORM_ACCESS:
		return args[0] & ~KRPING_CONFORM_RIGHTS ? -EINVAL :
		       conform_side_set_access(s->side, args[0]);
	case KRPING_CONFORM_SRQ_LIMIT:
		return args[0] && args[0] <= CONFORM_DEPTH ?
		       conform_side_srq_limit(s->side, args[0]) : -EINVAL;
	case KRPING_CONFORM_DMA_KEY:
		return conform_server_dma_key(s, args, answer);
	default:
		return -EOPNOTSUPP;
	}
}

/* Carry out the client's last request, and send the answer. */
static int conform_server_step(struct conform_server *s)
{
	struct krping_conform_answer answer = {
		.nr		= s->ask.nr,
		.record.event	= -1,
		.record.state	= -1,
	};
	bool traces = s->ask.step == KRPING_CONFORM_TRACE && conform_trace_exists(s->side);
	int with = conform_opens_with(s->ask.step);

	if (with >= 0)
		answer.error = conform_server_open(s, with, &answer);
	else if (s->ask.step == KRPING_CONFORM_CLOSE)
		conform_server_close(s);
	else if (!traces)
		answer.error = conform_server_case_step(s, &answer);
	if (s->ask.step == KRPING_CONFORM_CLOSE)
		krping_u64_write(&s->thread->iterations, s->thread->iterations + 1);
	/* Clear the flag before the answer, because after it the client sends its next request. */
	WRITE_ONCE(s->pending, false);
	if (krping_status_error(s->thread->status))
		return krping_status_error(s->thread->status);
	if (traces)
		return conform_message_trace(&s->message, answer.nr, &s->side->recorded);
	return conform_message_answer(&s->message, &answer);
}

/* Accept the client's QP if its REQ waits, and carry out a request if one has arrived. */
static int conform_server_work(struct conform_server *s)
{
	int ret = 0;

	if (s->side && conform_requested(s->side)) {
		/* Do not report a failure, because the client reports that it could not connect. */
		if (conform_accept(s->side))
			conform_server_close(s);
	}
	if (READ_ONCE(s->pending))
		ret = conform_server_step(s);
	return ret;
}

/**
 * conform_server_loop() - serve one client until it disconnects
 * @thread: the server's thread for this client; the control connection is connected
 *
 * Return: 0, or a negative errno; the status has the reason.
 */
int conform_server_loop(struct krping_thread *thread)
{
	struct conform_server *s = conform_server(thread);
	struct krping_queue *q = &thread->conns->queue;
	int ret;

	/* Only the client ends the test, so its disconnect is no error from now on. */
	krping_queue_end(q);
	do {
		ret = krping_wait(&thread->cq, conform_server_has_work, s, CONFORM_IDLE);
		if (!ret && !READ_ONCE(q->gone))
			ret = conform_server_work(s);
	} while (!ret && !READ_ONCE(q->gone));
	if (READ_ONCE(q->gone) && !krping_status_error(thread->status))
		return 0;
	if (ret == -ETIMEDOUT)
		return krping_status_set(thread->status, ret,
					 "the client was silent for %u ms", CONFORM_IDLE);
	if (ret == -ECONNRESET)
		return krping_status_set(thread->status, ret, "%s",
					 krping_status_loss(thread->status));
	return ret;
}

/*
 * Set-up and teardown.
 */

/**
 * conform_server_setup() - allocate the server's state for one client
 * @thread: the server's thread for this client
 * @conn: the control connection, with a QP that is not connected yet
 *
 * Return: 0 or a negative errno; the status has the reason.
 */
int conform_server_setup(struct krping_thread *thread, struct krping_conn *conn)
{
	struct conform_server *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return krping_status_set(thread->status, -ENOMEM, "no memory");
	s->thread = thread;
	conn->queue.priv = s;
	if (conform_message_alloc(&s->message, conn, KRPING_CONFORM_ANSWER_BYTES))
		return krping_status_set(thread->status, -ENOMEM, "no memory");
	return krping_queue_start_recvs(&conn->queue);
}

/**
 * conform_server_end() - free the server's side of the case and the listener
 * @thread: the server's thread for this client; the control connection still exists
 */
void conform_server_end(struct krping_thread *thread)
{
	struct conform_server *s = conform_server(thread);

	if (!s)
		return;
	conform_server_close(s);
	conform_listen_end(&s->listener);
}

/**
 * conform_server_cleanup() - free the server's state for one client
 * @conn: the control connection, without a QP
 */
void conform_server_cleanup(struct krping_conn *conn)
{
	struct conform_server *s = conn->queue.priv;

	conform_message_free(&s->message);
	kfree(s);
	conn->queue.priv = NULL;
}
