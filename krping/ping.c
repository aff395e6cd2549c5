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
 * An advert is a message with the address, the rkey and the size of a buffer. A go-ahead is a
 * message that ends the READ or the WRITE.
 *
 * Each side is a state machine. A message that arrives starts a step. A step runs in
 * the CQ's context: in softirq, in a worker of a workqueue, or in the test's thread if
 * the thread polls. If a step takes long, the CQ's context only sets the state
 * KRPING_THREAD, and the thread runs the step.
 *
 * One step runs at a time, because one context at a time handles the CQ, and the peer
 * waits for a message while the thread runs a step. A step sets the next state just before
 * it posts its WRs, because the peer may answer at once. If a faulty peer sends a message
 * too early, this message is unexpected in the current state, and ends the test without
 * another step.
 */
#include <linux/kernel.h>
#include <linux/slab.h>

#include "peer_stats.h"
#include "ping_client.h"
#include "ping_server.h"
#include "wait.h"

/* Handle a control message: the client's finish message, or the server's report. */
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

/* Return true, which ends krping_wait(), if the thread must run a step or end the loop. */
static bool krping_ping_needs_thread(void *arg)
{
	struct krping_ping *p = arg;
	enum krping_ping_step step = krping_ping_step(p);

	if (step == KRPING_THREAD || step == KRPING_DONE)
		return true;
	/* After the last iteration krping_wait() does not report a lost connection. */
	if (READ_ONCE(p->conn->queue.gone))
		return true;
	return !krping_is_client(p->thread) && READ_ONCE(p->thread->expired);
}

/* Set the status after krping_wait() has returned the error @ret. Return the test's error, or 0. */
static int krping_ping_ended(struct krping_ping *p, int ret)
{
	struct krping_status *status = p->thread->status;

	/* All iterations are done, so a disconnect or a timeout is no error. */
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

/* Begin the first iteration, and run the steps that the CQ's context leaves to the thread. */
static int krping_ping_loop(struct krping_thread *thread)
{
	struct krping_ping *p = thread->conns->queue.priv;
	struct krping_cq *cq = &thread->cq;
	bool client = krping_is_client(thread);
	int ret;

	/*
	 * A stopped client finishes its iteration within a grace period. A stopped server cannot
	 * end the loop cleanly, because only a client sends the finish message.
	 */
	cq->graceful = client;
	if (client && krping_peer_stats_negotiated(p->conn))
		p->conn->queue.ctl_fn = krping_ping_ctl;
	if (client) {
		p->iter_start_ns = thread->start_ns;
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
			krping_client_iterate(p);
		else
			krping_server_thread(p);
	}
}

/* Allocate the messages, and build their SENDs. */
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
	p->plan = &thread->plan;
	p->step = client ? KRPING_DONE : KRPING_AWAIT_SOURCE;
	/* Long steps log data, or fill and compare more than a page. */
	p->in_thread = p->plan->logs_data ||
		       (client && thread->opts.size > PAGE_SIZE);
	conn->queue.priv = p;
	/* A client has not negotiated yet, so krping_ping_loop() sets a client's ctl_fn. */
	if (!client && krping_peer_stats_negotiated(conn))
		conn->queue.ctl_fn = krping_ping_ctl;

	ret = krping_ping_alloc_msgs(p);
	if (!ret)
		ret = client ? krping_client_alloc(p) : krping_server_alloc(p);
	if (ret)
		return krping_status_set(thread->status, krping_alloc_errno(ret),
					 "no memory or MRs for size=%llu (%d)",
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

/* Return the number of WRs that this side posts to the SQ in one iteration. */
static u32 krping_ping_sq_wrs(const struct krping_thread *thread)
{
	/* LOCAL_INV, REG_MR and SEND for each of two buffers; without MRs only the two SENDs */
	if (krping_is_client(thread))
		return krping_client_registers(thread) ? 2 * 3 : 2;
	/* REG_MR, READ, two LOCAL_INV, REG_MR and WRITE for each piece of data; and two SENDs */
	if (krping_server_registers_sink(thread))
		return krping_server_pieces(thread) * 6 + 2;
	/* All data is one piece, so READ, WRITE and two SENDs */
	return 4;
}

/* Check the options against the device, and compute the largest size and the size of the SQ. */
static int krping_ping_plan(const struct krping_thread *thread,
			    struct krping_plan *plan, const char **why)
{
	const struct ib_device *device = krping_conn_id(thread->conns)->device;
	const struct krping_options *opts = &thread->opts;
	u64 reg_max = krping_mem_reg_max(device);
	bool client = krping_is_client(thread);

	if (opts->read_inv && !krping_conn_iwarp(thread->conns)) {
		*why = "read_inv: only iWARP has READ_WITH_INV, and this device is not iWARP";
		return -EOPNOTSUPP;
	}
	if (!client)
		plan->size_max = krping_server_size_max(thread, reg_max);
	else if (krping_client_registers(thread))
		plan->size_max = reg_max;
	else
		plan->size_max = krping_mem_contiguous_max(device);
	if (!plan->size_max || (opts->server_inv && !reg_max)) {
		*why = "the device has no memory registration by work request; use mem_mode=dma";
		return -EOPNOTSUPP;
	}

	plan->global_rkey = client && !krping_client_registers(thread);
	/* The server READs the client's data. */
	plan->posts_reads = !client;
	plan->answers_reads = client;
	plan->compares = client && opts->validate;
	plan->logs_data = opts->verbose;
	plan->read_inv = opts->read_inv;
	plan->server_inv = opts->server_inv;
	plan->queue.sq_size = krping_queue_sq_size(device, krping_ping_sq_wrs(thread));
	plan->queue.sq_spare = plan->queue.sq_size - krping_ping_sq_wrs(thread);
	plan->queue.recv = client ? krping_client_recv : krping_server_recv;
	return 0;
}

const struct krping_test_ops krping_ping_ops = {
	.type		= KRPING_TEST_PING,
	.plan		= krping_ping_plan,
	.setup		= krping_ping_setup,
	.loop		= krping_ping_loop,
	.cleanup	= krping_ping_cleanup,
};
