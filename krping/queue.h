/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A QP with a CQ of its own: how deep, posting, completion, the one wait, drain.
 */
#ifndef KRPING_QUEUE_H
#define KRPING_QUEUE_H

#include <linux/jiffies.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#include "cause.h"
#include "stats.h"
#include "wire.h"

/* RECVs that stand ready: one in use, one that is being replaced. */
#define KRPING_RECV_DEPTH	2

/* Long enough to see that a message is longer than it should be. */
#define KRPING_RECV_BYTES	64

/**
 * enum krping_op - what a WR is for
 * @KRPING_OP_SEND: a SEND, with or without invalidation
 * @KRPING_OP_READ: an RDMA READ
 * @KRPING_OP_READ_INV: an RDMA READ that invalidates its sink's key
 * @KRPING_OP_WRITE: an RDMA WRITE
 * @KRPING_OP_REG: a memory registration
 * @KRPING_OP_INV: a local invalidation
 * @KRPING_OP_RECV: a RECV
 * @KRPING_OP_COUNT: how many there are
 *
 * A failed completion carries no opcode, so each kind has an ib_cqe of its own.
 */
enum krping_op {
	KRPING_OP_SEND,
	KRPING_OP_READ,
	KRPING_OP_READ_INV,
	KRPING_OP_WRITE,
	KRPING_OP_REG,
	KRPING_OP_INV,
	KRPING_OP_RECV,
	KRPING_OP_COUNT
};

/**
 * struct krping_cqe - the ib_cqe of one kind of WR
 * @cqe: what the WR points to
 * @op: the kind
 */
struct krping_cqe {
	struct ib_cqe cqe;
	enum krping_op op;
};

/**
 * struct krping_recv - one RECV and its buffer
 * @cqe: its completion
 * @wr: the RECV
 * @sge: its one entry
 * @data: where the message lands
 */
struct krping_recv {
	struct krping_cqe cqe;
	struct ib_recv_wr wr;
	struct ib_sge sge;
	u8 *data;
};

struct krping_queue;

/**
 * typedef krping_recv_fn - take a message that has arrived
 * @q: the queue
 * @msg: the message, of the right length, until the function returns
 * @wc: its successful completion
 *
 * Called in the CQ's context, one message at a time, after the RECV has been
 * posted anew. Must not sleep.
 */
typedef void krping_recv_fn(struct krping_queue *q,
			    const struct krping_wire_msg *msg,
			    const struct ib_wc *wc);

/**
 * struct krping_queue_attr - what a test needs of its queue
 * @sq_wrs: WRs on the SQ that one turn of the test's loop posts at most
 * @poll: the test's thread polls the CQ
 * @workqueue: completions are handled by a kernel worker, not in softirq
 * @cpu: completion vector that goes with this CPU; -1: any
 * @recv: called with each message
 * @priv: for @recv, see &krping_queue.priv
 */
struct krping_queue_attr {
	u32 sq_wrs;
	bool poll;
	bool workqueue;
	int cpu;
	krping_recv_fn *recv;
	void *priv;
};

/**
 * struct krping_queue - a QP, its CQ and the RECVs
 * @cause: why the test ends, filled in by failed completions
 * @stats: the test's counters
 * @cm_id: the connection that the QP belongs to
 * @pd: the connection's PD
 * @cq: completion queue of both work queues
 * @qp: the queue pair
 * @poll: the CQ is polled by the test's thread
 * @sq_size: WRs that fit into the SQ beside the one that drains it
 * @posted: WRs posted to the SQ so far
 * @reclaimed: of these, how many are known to have left it
 * @signal_mark: @posted when the last signaled WR was posted
 * @signal_pending: its completion is awaited
 * @graceful: a test that shall stop may finish what it is doing first
 * @closing: the test is over, messages that still arrive are ignored
 * @progress: when the test's loop last took a step, in jiffies
 * @recv_fn: takes the messages
 * @priv: the test kind's own
 * @op: completions of the WRs on the SQ, by kind
 * @recv: the RECVs
 * @recv_buf: their buffers, one after the other
 * @recv_dma: DMA address of @recv_buf
 *
 * The step functions run in one context at a time, see ping.c, and so nothing
 * here is locked. @reclaimed and @signal_pending are written by the completion.
 */
struct krping_queue {
	struct krping_cause *cause;
	struct krping_stats *stats;
	struct rdma_cm_id *cm_id;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	bool poll;
	u32 sq_size;
	u32 posted;
	u32 reclaimed;
	u32 signal_mark;
	bool signal_pending;
	bool graceful;
	bool closing;
	unsigned long progress;
	krping_recv_fn *recv_fn;
	void *priv;
	struct krping_cqe op[KRPING_OP_COUNT];
	struct krping_recv recv[KRPING_RECV_DEPTH];
	u8 *recv_buf;
	u64 recv_dma;
};

void krping_queue_init(struct krping_queue *q, struct krping_cause *cause,
		       struct krping_stats *stats);
int krping_queue_alloc(struct krping_queue *q, struct rdma_cm_id *cm_id,
		       struct ib_pd *pd, const struct krping_queue_attr *attr);
void krping_queue_free(struct krping_queue *q);
void krping_queue_drain(struct krping_queue *q);

int krping_queue_start_recvs(struct krping_queue *q);
int krping_queue_prepare(struct krping_queue *q, struct ib_send_wr *first);
int krping_queue_submit(struct krping_queue *q, struct ib_send_wr *first);

int krping_wait(struct krping_queue *q, bool (*done)(void *arg), void *arg,
		u32 timeout_ms);

/**
 * krping_queue_progress() - note that the test has moved on
 * @q: the queue
 *
 * The peer's silence is counted from here.
 */
static inline void krping_queue_progress(struct krping_queue *q)
{
	WRITE_ONCE(q->progress, jiffies);
}

/**
 * krping_queue_cqe() - the completion of a WR on the SQ
 * @q: the queue
 * @op: the WR's kind
 *
 * Return: what &ib_send_wr.wr_cqe shall point to.
 */
static inline struct ib_cqe *krping_queue_cqe(struct krping_queue *q,
					      enum krping_op op)
{
	return &q->op[op].cqe;
}

#endif /* KRPING_QUEUE_H */
