// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Functions that all microbenchmarks use: plan the queue of a connection, build WRs, exchange
 * control messages, and wait for the end.
 *
 *	client				server
 *	SEND buffer advert	--->
 *				<---	SEND buffer advert
 *	operations		<-->
 *	SEND finish		--->
 *				<---	SEND report
 *
 * If the peer is going to READ or WRITE a buffer, the buffer advert has the address, key and size
 * of the buffer; else zeros. With mem_mode=reg, the REG_MR of the buffer precedes the advert.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "bench.h"
#include "peer_stats.h"
#include "wait.h"

/*
 * Number of WRs on the SQ for control messages and registrations, and its minimum, for a device
 * with a small SQ.
 */
#define KRPING_BENCH_CONTROLS	32
#define KRPING_BENCH_CONTROLS_MIN	8

/* Number of RECVs for control messages. */
#define KRPING_BENCH_CTL_RECVS	4

/* Interval of keep-alive messages to a server that receives no other message, in jiffies. */
#define KRPING_BENCH_ALIVE	(HZ / 2)

/* Minimum timeout of a server, longer than the interval of keep-alive messages. */
#define KRPING_BENCH_PATIENCE	2000	/* milliseconds */

static void krping_bench_ctl(struct krping_queue *q, enum krping_ctl_type type,
			     u64 value, const union krping_ctl *ctl);

/**
 * krping_bench_plan_queue() - plan SQ, RECVs, SGEs and control messages of each connection's queue
 * @thread: the test
 * @plan: the plan. The function fills in members of @plan->queue; the caller has filled in all
 *	other members
 * @recvs: number of RECVs in addition to the KRPING_BENCH_CTL_RECVS for control messages
 */
void krping_bench_plan_queue(const struct krping_thread *thread,
			     struct krping_plan *plan, u32 recvs)
{
	const struct krping_options *opts = &thread->opts;
	struct krping_queue_attr *attr = &plan->queue;

	attr->sq_size = attr->sq_own + KRPING_BENCH_CONTROLS;
	attr->sq_spare = KRPING_BENCH_CONTROLS - KRPING_BENCH_CONTROLS_MIN;
	attr->recv_depth = recvs + KRPING_BENCH_CTL_RECVS;
	if (thread->ops->op == KRPING_OP_SEND && recvs) {
		attr->recv_bytes = max_t(u32, opts->size, KRPING_RECV_BYTES);
		/* The payload is never read, so all RECVs share one buffer. */
		attr->recv_shared = !opts->validate &&
				    opts->size > KRPING_RECV_BYTES;
	}
	if (opts->validate && thread->ops->op == KRPING_OP_SEND)
		attr->look = krping_bench_look;
	if (plan->posts) {
		attr->send_sge = plan->nr_sge;
		if (thread->ops->op == KRPING_OP_READ)
			attr->read_sge = attr->send_sge;
		if (opts->inline_data)
			attr->inline_bytes = opts->size;
	}
	attr->ctl = krping_bench_ctl;
}

/* Change the step of a connection. */
static void krping_bench_next(struct krping_bench *b, enum krping_bench_step step)
{
	/* pairs with krping_bench_step() */
	smp_store_release(&b->step, step);
}

static void krping_bench_wake(struct krping_bench *b)
{
	wake_up_all(&b->thread->status->wait);
}

/* Return the opcode of operations, which depends on the options imm and atomic. */
static enum ib_wr_opcode krping_bench_opcode(const struct krping_bench *b)
{
	const struct krping_options *opts = &b->thread->opts;

	switch (b->op) {
	case KRPING_OP_SEND:
		return opts->imm ? IB_WR_SEND_WITH_IMM : IB_WR_SEND;
	case KRPING_OP_READ:
		if (opts->atomic == KRPING_ATOMIC_CAS)
			return IB_WR_ATOMIC_CMP_AND_SWP;
		return opts->atomic ? IB_WR_ATOMIC_FETCH_AND_ADD :
				      IB_WR_RDMA_READ;
	default:
		return opts->imm ? IB_WR_RDMA_WRITE_WITH_IMM : IB_WR_RDMA_WRITE;
	}
}

/**
 * krping_bench_init_wr() - build the WR of an operation, without the peer's address and rkey
 * @b: the connection
 * @wr: the WR, all zeros; filled in
 */
void krping_bench_init_wr(struct krping_bench *b, union krping_wr *wr)
{
	enum krping_op op = b->thread->opts.atomic ? KRPING_OP_ATOMIC : b->op;

	wr->wr.wr_cqe = krping_queue_cqe(&b->conn->queue, op);
	wr->wr.opcode = krping_bench_opcode(b);
	wr->wr.sg_list = b->sge;
	wr->wr.num_sge = b->plan->nr_sge;
	if (b->thread->opts.inline_data)
		wr->wr.send_flags = IB_SEND_INLINE;
}

/**
 * krping_bench_init_notify() - build the WR of a SEND that follows a WRITE
 * @b: the connection
 * @wr: the WR, all zeros; filled in
 *
 * With validate, the SEND makes the peer compare the WRITE's data. The data of the SEND itself does
 * not matter, so all SENDs have the same data.
 */
void krping_bench_init_notify(struct krping_bench *b, struct ib_send_wr *wr)
{
	b->notify_sge.addr = b->notify.addr;
	b->notify_sge.length = b->notify.size;
	b->notify_sge.lkey = b->conn->pd->local_dma_lkey;
	wr->wr_cqe = krping_queue_cqe(&b->conn->queue, KRPING_OP_SEND);
	wr->opcode = IB_WR_SEND;
	wr->sg_list = &b->notify_sge;
	wr->num_sge = 1;
}

/**
 * krping_bench_set_peer() - write the peer's address and rkey into an operation
 * @b: the connection, whose peer has sent its buffer advert
 * @wr: the operation
 */
void krping_bench_set_peer(struct krping_bench *b, union krping_wr *wr)
{
	if (b->thread->opts.atomic) {
		wr->atomic.remote_addr = b->peer.addr;
		wr->atomic.rkey = b->peer.rkey;
	} else if (b->op != KRPING_OP_SEND) {
		wr->rdma.remote_addr = b->peer.addr;
		wr->rdma.rkey = b->peer.rkey;
	}
}

/* Map the buffer of @mr for the device, and prepare the REG_MR with a new key. */
static int krping_bench_renew(struct krping_bench *b, struct krping_mr *mr)
{
	int ret = krping_mr_renew(mr);

	if (ret)
		return krping_status_set(b->thread->status, ret,
					 "the device does not map a buffer of %zu byte%s",
					 mr->buf->size, krping_plural(mr->buf->size));
	return 0;
}

/* Post REG_MR for each registered buffer, and SEND the buffer advert. */
static int krping_bench_advertise(struct krping_bench *b)
{
	struct krping_queue *q = &b->conn->queue;
	struct krping_advert advert = { 0 };
	struct ib_send_wr *first;
	int ret = 0;

	if (b->local_mr.mr)
		ret = krping_bench_renew(b, &b->local_mr);
	if (!ret && b->shared_mr.mr)
		ret = krping_bench_renew(b, &b->shared_mr);
	if (ret)
		return ret;
	if (b->local.sgl)
		krping_bench_init_sge(b);

	if (b->plan->advertises) {
		advert.size = b->plan->span;
		advert.addr = b->shared_key ? b->shared_key->mr->iova + b->shared_off :
					      krping_buf_addr(&b->shared);
		advert.rkey = b->shared_key ? b->shared_key->mr->rkey :
					      b->conn->pd->unsafe_global_rkey;
	}
	first = krping_ctlmsg_buf_advert(&b->control, &advert);
	if (b->shared_mr.mr) {
		b->shared_mr.reg.wr.next = first;
		first = &b->shared_mr.reg.wr;
	}
	if (b->local_mr.mr) {
		b->local_mr.reg.wr.next = first;
		first = &b->local_mr.reg.wr;
	}
	krping_queue_prepare(q, first);
	return krping_queue_submit(q, first);
}

/*
 * Check and store the peer's buffer advert, and start the operations. A server first sends its own
 * buffer advert.
 */
static void krping_bench_advertised(struct krping_bench *b,
				    const struct krping_wire_msg *msg)
{
	bool needs = b->plan->posts && (b->op == KRPING_OP_READ ||
					b->op == KRPING_OP_WRITE);

	krping_wire_msg_decode(msg, &b->peer);
	if (needs && (b->peer.size < b->plan->span ||
		      (!b->peer.addr && !b->peer.rkey))) {
		krping_status_set(b->thread->status, -EPROTO,
				  "the peer advertised a buffer of %u byte%s at 0x%llx; %llu byte%s would be right",
				  b->peer.size, krping_plural(b->peer.size), b->peer.addr,
				  b->plan->span, krping_plural(b->plan->span));
		return;
	}
	if (!krping_is_client(b->thread) && krping_bench_advertise(b))
		return;
	b->alive = jiffies + KRPING_BENCH_ALIVE;
	b->ops->begin(b);
}

/*
 * On iWARP, end the measured time of a throughput test when the server's report arrives, because a
 * completion proves only that TCP has accepted the data. With a warm-up the measured time starts at
 * a completion, and so ends at the last completion.
 */
static void krping_bench_arrived(struct krping_bench *b)
{
	struct krping_thread *thread = b->thread;

	if (thread->ops->streams && krping_conn_iwarp(b->conn) &&
	    (b->op == KRPING_OP_WRITE || b->op == KRPING_OP_SEND) &&
	    thread->iterations && !thread->opts.warmup)
		krping_u64_write(&thread->end_ns, ktime_get_ns());
}

/* Handle a control message. */
static void krping_bench_ctl(struct krping_queue *q, enum krping_ctl_type type,
			     u64 value, const union krping_ctl *ctl)
{
	struct krping_bench *b = q->priv;
	enum krping_bench_step step = krping_bench_step(b);
	bool client = krping_is_client(b->thread);

	krping_cq_progress(q->cq);
	if (type == KRPING_CTL_BUF_ADVERT && step == KRPING_BENCH_AWAIT_ADVERT) {
		krping_bench_advertised(b, &ctl->buf_advert.msg);
	} else if (type == KRPING_CTL_CREDIT && step >= KRPING_BENCH_RUN) {
		if (b->ops->credit)
			b->ops->credit(b, value);
	} else if (type == KRPING_CTL_REFILL && step >= KRPING_BENCH_RUN && b->plan->refills) {
		b->ops->refill(b, value);
	} else if (type == KRPING_CTL_FINISH && step == KRPING_BENCH_RUN &&
		   !client) {
		b->ops->finish(b);
	} else if (type == KRPING_CTL_REPORT && step == KRPING_BENCH_FINISH) {
		krping_peer_stats_take(b->thread, &ctl->report);
		krping_bench_arrived(b);
		krping_queue_end(&b->conn->queue);
		krping_bench_next(b, KRPING_BENCH_DONE);
		krping_bench_wake(b);
	} else {
		krping_status_set(b->thread->status, -EPROTO,
				  "the peer sent an unexpected control message of type %d",
				  type);
	}
}

/**
 * krping_bench_run() - allow operations to be posted and to arrive
 * @b: the connection
 *
 * The caller must have prepared the connection's state, because a thread that polls memory may
 * handle the first operation before this function returns.
 *
 * Context: the CQ's.
 */
void krping_bench_run(struct krping_bench *b)
{
	krping_bench_next(b, KRPING_BENCH_RUN);
}

/**
 * krping_bench_alive() - send the server a keep-alive message at intervals
 * @b: the client's connection
 *
 * During READs and WRITEs a server receives no message, and would time out. If operations consume
 * the server's RECVs, the server needs no keep-alive message, and the function does nothing. Nor
 * does it send while at least half of the WRs for control messages are outstanding.
 *
 * Context: the CQ's, or a thread that polls the CQ or memory.
 */
void krping_bench_alive(struct krping_bench *b)
{
	if (likely(time_before(jiffies, b->alive)) ||
	    b->plan->by_recv ||
	    krping_queue_lags(&b->conn->queue))
		return;
	b->alive = jiffies + KRPING_BENCH_ALIVE;
	krping_ctlmsg_credit(&b->control, b->done);
}

/**
 * krping_bench_over() - check whether the client has to send its finish message
 * @b: the connection
 *
 * Context: any.
 *
 * Return: true if all operations are done, the duration has expired, or the
 * test has been stopped.
 */
bool krping_bench_over(const struct krping_bench *b)
{
	return (b->target && b->done >= b->target) ||
	       READ_ONCE(b->thread->expired) ||
	       READ_ONCE(b->thread->status->stop_error);
}

/**
 * krping_bench_finish() - send the finish message to the server
 * @b: the client's connection
 *
 * The server answers with its report. The function also records whether a stop has ended the test
 * before the last operation.
 *
 * Context: the CQ's, or a thread that polls the CQ or memory.
 */
void krping_bench_finish(struct krping_bench *b)
{
	if (READ_ONCE(b->thread->status->stop_error) &&
	    (!b->target || b->done < b->target))
		b->thread->cut_short = true;
	krping_bench_next(b, KRPING_BENCH_FINISH);
	krping_ctlmsg_finish(&b->control);
	krping_bench_wake(b);
}

/**
 * krping_bench_report() - end the server's side of a connection, and answer the finish message
 * @b: the server's connection
 *
 * The answer is the report. From now on failures and a disconnect are no errors.
 *
 * Context: the CQ's, or a thread that polls the CQ or memory.
 */
void krping_bench_report(struct krping_bench *b)
{
	struct krping_peer_stats report;

	krping_queue_end(&b->conn->queue);
	krping_peer_stats_make(b->thread, &report);
	krping_bench_next(b, KRPING_BENCH_DONE);
	krping_ctlmsg_report(&b->control, &report);
}

/**
 * krping_bench_all_done() - check whether all connections have ended
 * @thread: the test
 *
 * Return: true if all connections have ended, or if this is a server whose duration has expired.
 */
bool krping_bench_all_done(struct krping_thread *thread)
{
	bool client = krping_is_client(thread);
	u32 i;

	if (!client && READ_ONCE(thread->expired))
		return true;
	for (i = 0; i < thread->nr_conns; i++) {
		struct krping_queue *q = &thread->conns[i].queue;
		const struct krping_bench *b = q->priv;

		/* A client ends with the report, a server when its client disconnects. */
		if (client ? krping_bench_step(b) != KRPING_BENCH_DONE :
			     !READ_ONCE(q->gone))
			return false;
	}
	return true;
}

/* Return the timeout in milliseconds; 0: no bound. */
static u32 krping_bench_timeout(const struct krping_thread *thread)
{
	u32 timeout = thread->opts.timeout;

	if (krping_is_client(thread) || !timeout)
		return timeout;
	return max_t(u32, timeout, KRPING_BENCH_PATIENCE);
}

/*
 * Record why krping_wait() has returned the error @ret. Return the error of the test, or 0 if the
 * test has ended in order.
 */
static int krping_bench_ended(struct krping_thread *thread, int ret)
{
	bool over = true, full = false;
	u32 i;

	for (i = 0; i < thread->nr_conns; i++) {
		over &= READ_ONCE(thread->conns[i].queue.over);
		full |= krping_queue_full(&thread->conns[i].queue);
	}

	/* All operations are done, so a disconnect or a timeout is no error. */
	if (over)
		return krping_status_error(thread->status);
	if (ret == -ETIMEDOUT)
		return krping_status_set(thread->status, ret,
					 full ? KRPING_QUEUE_STUCK :
					 "the peer was silent for timeout=%u ms",
					 krping_bench_timeout(thread));
	if (ret == -ECONNRESET)
		return krping_status_set(thread->status, ret,
					 "%s after %llu iteration%s",
					 krping_status_loss(thread->status),
					 thread->iterations, krping_plural(thread->iterations));
	return ret;
}

/**
 * krping_bench_loop() - start a microbenchmark and wait for its end
 * @thread: the test, whose connections are established
 * @done: condition that ends the wait, with @thread as its argument; @done may poll memory
 *
 * A client starts by sending its buffer adverts. A server waits for them.
 *
 * Context: the test's thread.
 *
 * Return: 0, or a negative errno; the status has the reason.
 */
int krping_bench_loop(struct krping_thread *thread, bool (*done)(void *arg))
{
	bool client = krping_is_client(thread);
	int ret = 0;
	u32 i;

	thread->cq.graceful = client;
	for (i = 0; i < thread->nr_conns && client && !ret; i++)
		ret = krping_bench_advertise(thread->conns[i].queue.priv);
	/* -ENOTCONN: the connection is lost, and krping_wait() returns the reason. */
	if (!ret || ret == -ENOTCONN)
		ret = krping_wait(&thread->cq, done, thread,
				  krping_bench_timeout(thread));
	return ret ? krping_bench_ended(thread, ret) : krping_status_error(thread->status);
}
