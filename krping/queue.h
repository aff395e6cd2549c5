/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A QP, its RECVs and its work requests: the types, for qp.c and wr.c.
 */
#ifndef KRPING_QUEUE_H
#define KRPING_QUEUE_H

#include <rdma/rdma_cm.h>

#include "cq.h"
#include "memory.h"
#include "wire.h"

/* RECVs for messages other than data: one in use, one that is being replaced. */
#define KRPING_RECV_DEPTH	2

/*
 * Signaled WRs that may be outstanding at a time. Every quarter of the SQ has one,
 * so a full SQ has at most five.
 */
#define KRPING_SIGNALS		8

/*
 * Room for a report, and enough to see that a message is longer than it should
 * be.
 */
#define KRPING_RECV_BYTES	192

static_assert(sizeof(struct krping_wire_report) < KRPING_RECV_BYTES);

/**
 * enum krping_op - what a WR is for
 * @KRPING_OP_SEND: a SEND, with or without invalidation
 * @KRPING_OP_READ: an RDMA READ
 * @KRPING_OP_READ_INV: an RDMA READ that invalidates its sink's key
 * @KRPING_OP_WRITE: an RDMA WRITE, with or without immediate data
 * @KRPING_OP_ATOMIC: an atomic operation
 * @KRPING_OP_FR: a local invalidation that ends a cycle of fr
 * @KRPING_OP_REG: a memory registration; from here on nothing
 *	that &typedef krping_sent_fn is told of
 * @KRPING_OP_INV: a local invalidation
 * @KRPING_OP_CTL: a SEND that belongs to no iteration
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
	KRPING_OP_ATOMIC,
	KRPING_OP_FR,
	KRPING_OP_REG,
	KRPING_OP_INV,
	KRPING_OP_CTL,
	KRPING_OP_RECV,
	KRPING_OP_COUNT
};

struct krping_queue;

/**
 * struct krping_cqe - the ib_cqe of one kind of WR
 * @cqe: what the WR points to
 * @queue: where the WR was posted. A completion must not ask its QP for that,
 *	which may be gone
 * @op: the kind
 */
struct krping_cqe {
	struct ib_cqe cqe;
	struct krping_queue *queue;
	enum krping_op op;
};

/**
 * struct krping_recv - one RECV and its buffer
 * @cqe: its completion
 * @wr: the RECV
 * @sge: its one entry
 * @mem: memory of its own, if it has that
 * @data: where the message lands
 */
struct krping_recv {
	struct krping_cqe cqe;
	struct ib_recv_wr wr;
	struct ib_sge sge;
	struct krping_dma mem;
	u8 *data;
};

/**
 * typedef krping_recv_fn - take a message that has arrived
 * @q: the queue
 * @msg: the first bytes of the message, zeros behind its end, until the
 *	function returns
 * @wc: its successful completion
 *
 * Called in the CQ's context, one message at a time, after the RECV has been
 * posted anew. Must not sleep.
 */
typedef void krping_recv_fn(struct krping_queue *q,
			    const struct krping_wire_msg *msg,
			    const struct ib_wc *wc);

/**
 * typedef krping_look_fn - look at a whole message
 * @q: the queue
 * @data: the message
 * @wc: its successful completion
 *
 * Called before the RECV is posted anew, and so before &typedef krping_recv_fn.
 * Must not sleep, and not post.
 */
typedef void krping_look_fn(struct krping_queue *q, const void *data,
			    const struct ib_wc *wc);

/* Any message that is not data. */
union krping_ctl {
	struct krping_wire_msg msg;
	struct krping_wire_ctl ctl;
	struct krping_wire_hello hello;
	struct krping_wire_report report;
};

/**
 * typedef krping_ctl_fn - take a control message that has arrived
 * @q: the queue
 * @type: what it is
 * @value: its value
 * @ctl: all of it, until the function returns
 *
 * As &typedef krping_recv_fn. Control messages are not counted.
 */
typedef void krping_ctl_fn(struct krping_queue *q, enum krping_ctl_type type,
			   u64 value, const union krping_ctl *ctl);

/**
 * typedef krping_sent_fn - note that a signaled WR of the SQ is done
 * @q: the queue
 * @op: the WR's kind
 *
 * Called in the CQ's context, in the order of the SQ, for operations that move
 * data: a test that has such a function accounts for those by itself. Must not
 * sleep.
 */
typedef void krping_sent_fn(struct krping_queue *q, enum krping_op op);

/**
 * struct krping_queue_attr - what a test needs of a queue
 * @sq_size: WRs on the SQ
 * @sq_own: of these, how many the test accounts for by itself
 * @recv_depth: RECVs
 * @recv_bytes: length of each
 * @recv_shared: data may overwrite data: all RECVs have the same memory
 * @send_sge: entries of a WR on the SQ
 * @read_sge: entries of an RDMA READ
 * @inline_bytes: inline data of a WR on the SQ
 * @srq: the RECVs stand on an SRQ
 * @recv: called with each message of data
 * @look: called with each message of data before; or NULL
 * @ctl: called with each control message; NULL: there are none
 * @sent: called for each signaled WR; or NULL
 */
struct krping_queue_attr {
	u32 sq_size;
	u32 sq_own;
	u32 recv_depth;
	u32 recv_bytes;
	bool recv_shared;
	u32 send_sge;
	u32 read_sge;
	u32 inline_bytes;
	bool srq;
	krping_recv_fn *recv;
	krping_look_fn *look;
	krping_ctl_fn *ctl;
	krping_sent_fn *sent;
};

/**
 * struct krping_queue - a QP and its RECVs
 * @cq: the thread's CQ
 * @status: why the test ends, filled in by failed completions
 * @stats: the thread's counters
 * @entry: in &krping_cq.queues
 * @cm_id: the connection that the QP belongs to
 * @pd: the connection's PD
 * @qp: the queue pair
 * @qp_num: its number, which stays when it is gone
 * @srq: where the RECVs stand, if they do not on the QP
 * @sq_size: WRs that krping_queue_prepare() may have on the SQ at a time
 * @posted: WRs that krping_queue_prepare() has accounted for so far
 * @reclaimed: of these, how many are known to have left the SQ
 * @mark: value of @posted at each signaled WR whose completion is outstanding
 * @last_mark: the latest of these values
 * @signal_every: WRs from one signaled WR to the next
 * @marked: signaled WRs so far; @mark is indexed by its lowest bits
 * @reaped: of these, how many have completed
 * @parked: chain that waits for room on the SQ, or NULL; taken by xchg()
 * @over: all is done here: what fails or ends from now on is no error
 * @gone: since then the connection has ended
 * @closing: messages that still arrive are ignored
 * @recv_fn: takes the messages
 * @look_fn: looks at them before
 * @ctl_fn: takes control messages, or NULL: the peer knows none
 * @sent_fn: notes what has left the SQ
 * @priv: the test kind's own
 * @op: completions of the WRs on the SQ, by kind
 * @recv_depth: number of @recv
 * @recv: the RECVs
 *
 * The step functions run in one context at a time, see ping.c, and so nothing
 * here is locked. @reclaimed and @reaped are written by the completion.
 */
struct krping_queue {
	struct krping_cq *cq;
	struct krping_status *status;
	struct krping_stats *stats;
	struct list_head entry;
	struct rdma_cm_id *cm_id;
	struct ib_pd *pd;
	struct ib_qp *qp;
	u32 qp_num;
	struct ib_srq *srq;
	u32 sq_size;
	u32 posted;
	u32 reclaimed;
	u32 mark[KRPING_SIGNALS];
	u32 last_mark;
	u32 signal_every;
	u32 marked;
	u32 reaped;
	struct ib_send_wr *parked;
	bool over;
	bool gone;
	bool closing;
	krping_recv_fn *recv_fn;
	krping_look_fn *look_fn;
	krping_ctl_fn *ctl_fn;
	krping_sent_fn *sent_fn;
	void *priv;
	struct krping_cqe op[KRPING_OP_COUNT];
	u32 recv_depth;
	struct krping_recv *recv;
};

/**
 * krping_queue_end() - note that all is done here
 * @q: the queue
 *
 * Any context. What fails or ends from now on is no error.
 */
static inline void krping_queue_end(struct krping_queue *q)
{
	WRITE_ONCE(q->over, true);
}

/**
 * krping_queue_ended() - something of the connection has failed or ended: does it matter?
 * @q: the queue
 *
 * Any context.
 *
 * Return: false if it does. If not, who still waits for the peer is told.
 */
static inline bool krping_queue_ended(struct krping_queue *q)
{
	if (likely(!READ_ONCE(q->over)))
		return false;
	WRITE_ONCE(q->gone, true);
	wake_up_all(&q->status->wait);
	return true;
}

#endif /* KRPING_QUEUE_H */
