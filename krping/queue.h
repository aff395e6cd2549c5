/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A thread's CQ and its QPs: how deep, posting, completion, the one wait, drain.
 */
#ifndef KRPING_QUEUE_H
#define KRPING_QUEUE_H

#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#include "status.h"
#include "memory.h"
#include "stats.h"
#include "wire.h"

/* RECVs for messages other than data: one in use, one that is being replaced. */
#define KRPING_RECV_DEPTH	2

/* Detail of -ETIMEDOUT while krping_queue_full(); with the timeout. */
#define KRPING_QUEUE_STUCK \
	"the send queue is full, and the device completed nothing for timeout=%u ms"

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
 * struct krping_cq - a thread's CQ, and what its queues have in common
 * @status: why the test ends, filled in by failed completions
 * @stats: the thread's counters
 * @cq: completion queue of all work queues
 * @queues: those that have a QP
 * @poll: the CQ is polled by the thread
 * @softirq: completions are handled in softirq context
 * @thread: the test's thread; NULL before krping_cq_alloc()
 * @running: all QPs are connected: a thread that polls need not sleep any more
 * @spin: the thread does not sleep, because it looks at memory
 * @graceful: a test that shall stop may finish what it is doing first
 * @progress: when the thread's loop last took a step, in jiffies
 *
 * The CQ is handled by one context at a time, and all steps of all queues are
 * taken there, so nothing here is locked.
 */
struct krping_cq {
	struct krping_status *status;
	struct krping_stats *stats;
	struct ib_cq *cq;
	struct list_head queues;
	bool poll;
	bool softirq;
	struct task_struct *thread;
	bool running;
	bool spin;
	bool graceful;
	unsigned long progress;
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

int krping_queues_init(void);
void krping_queues_exit(void);

void krping_cq_init(struct krping_cq *cq, struct krping_status *status,
		    struct krping_stats *stats);
int krping_cq_alloc(struct krping_cq *cq, struct ib_device *device, u32 entries,
		    enum ib_poll_context context, int cpu);
void krping_cq_free(struct krping_cq *cq);
u32 krping_queue_turns(const struct ib_device *device, u32 wrs);
u32 krping_queue_entries(const struct krping_queue_attr *attr);

void krping_queue_init(struct krping_queue *q, struct krping_cq *cq);
int krping_queue_alloc(struct krping_queue *q, struct rdma_cm_id *cm_id,
		       struct ib_pd *pd, const struct krping_queue_attr *attr);
void krping_queue_free_qp(struct krping_queue *q);
void krping_queue_free(struct krping_queue *q);
void krping_cq_drain(struct krping_cq *cq);

int krping_queue_start_recvs(struct krping_queue *q);
void krping_queue_count(struct krping_queue *q, const struct ib_send_wr *first,
			u32 nr_wr, bool signaled);
int krping_queue_post(struct krping_queue *q, struct ib_send_wr *first);
void krping_queue_prepare(struct krping_queue *q, struct ib_send_wr *first);
int krping_queue_submit(struct krping_queue *q, struct ib_send_wr *first);
bool krping_queue_parked(const struct krping_queue *q,
			 const struct ib_send_wr *wr);

int krping_wait(struct krping_cq *cq, bool (*done)(void *arg), void *arg,
		u32 timeout_ms);

/**
 * krping_cq_progress() - note that the thread has moved on
 * @cq: the thread's CQ
 *
 * The peer's silence is counted from here.
 */
static inline void krping_cq_progress(struct krping_cq *cq)
{
	WRITE_ONCE(cq->progress, jiffies);
}

/**
 * krping_queue_full() - check whether a chain waits for room on the SQ
 * @q: the queue
 *
 * Any context.
 *
 * Return: true if so: the device has not completed enough send WRs.
 */
static inline bool krping_queue_full(const struct krping_queue *q)
{
	return READ_ONCE(q->parked);
}

/**
 * krping_queue_lags() - check whether the device is slow to complete send WRs
 * @q: the queue
 *
 * Any context that takes a step.
 *
 * Return: true if half of the SQ or more is outstanding.
 */
static inline bool krping_queue_lags(const struct krping_queue *q)
{
	return q->posted - READ_ONCE(q->reclaimed) >= q->sq_size / 2;
}

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
