/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The queue of a connection: its QP, its RECVs and its outstanding work requests. qp.c allocates
 * and frees a queue; wr.c posts work requests to a queue and handles their completions.
 */
#ifndef KRPING_QUEUE_H
#define KRPING_QUEUE_H

#include <rdma/rdma_cm.h>

#include "cq.h"
#include "memory.h"
#include "wire.h"
#include "wire_conform.h"

/* Number of RECVs unless the test plans more. One is posted while krping handles the other. */
#define KRPING_RECV_DEPTH	2

/*
 * Maximum number of outstanding signaled WRs that krping_queue_prepare() has counted. A latency
 * test with cqmod=1 signals each WR, and its SQ has 32 WRs; other tests signal one WR per quarter
 * of the SQ.
 */
#define KRPING_SIGNALS		32

/*
 * Bytes of a RECV for control messages: more than a report, the longest control message. A message
 * that is slightly too long therefore still fits, and krping rejects the message by its length.
 */
#define KRPING_RECV_BYTES	192

static_assert(sizeof(struct krping_wire_report) < KRPING_RECV_BYTES);

/**
 * enum krping_op - the operations that krping posts
 * @KRPING_OP_SEND: a SEND, with or without invalidation
 * @KRPING_OP_READ: an RDMA READ
 * @KRPING_OP_READ_INV: an RDMA READ that invalidates its sink's key
 * @KRPING_OP_WRITE: an RDMA WRITE, with or without immediate data
 * @KRPING_OP_ATOMIC: an atomic operation
 * @KRPING_OP_FR: a local invalidation whose completion &typedef krping_sent_fn handles
 * @KRPING_OP_REG: a memory registration. krping calls &typedef krping_sent_fn neither for
 *	this operation nor for those that follow in this enum.
 * @KRPING_OP_INV: a local invalidation that is not KRPING_OP_FR
 * @KRPING_OP_CTL: the SEND of a control message, which the thread's counters leave out
 * @KRPING_OP_RECV: a RECV
 * @KRPING_OP_COUNT: number of operations
 *
 * A failed completion has no valid opcode, so each operation has its own ib_cqe.
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
 * struct krping_cqe - the ib_cqe of one operation
 * @cqe: &ib_send_wr.wr_cqe or &ib_recv_wr.wr_cqe points here
 * @queue: the queue of the WR. &ib_wc.qp cannot be used, because it may be destroyed already.
 * @op: the operation
 */
struct krping_cqe {
	struct ib_cqe cqe;
	struct krping_queue *queue;
	enum krping_op op;
};

/**
 * struct krping_recv - one RECV and its buffer
 * @cqe: ib_cqe of the RECV
 * @wr: the RECV
 * @sge: SGE of the RECV
 * @mem: memory of the buffer; if all RECVs share one buffer, only the first RECV has memory
 * @data: the buffer
 */
struct krping_recv {
	struct krping_cqe cqe;
	struct ib_recv_wr wr;
	struct ib_sge sge;
	struct krping_dma mem;
	u8 *data;
};

/**
 * typedef krping_recv_fn - handle a data message
 * @q: the queue
 * @msg: a copy of the first bytes of the message, padded with zeros, valid until
 *	the function returns
 * @wc: the successful completion of its RECV
 *
 * Context: the CQ's context, for one message at a time, after krping_recv_done() has
 * posted the RECV again. The function must not sleep.
 */
typedef void krping_recv_fn(struct krping_queue *q,
			    const struct krping_wire_msg *msg,
			    const struct ib_wc *wc);

/**
 * typedef krping_look_fn - inspect a whole data message in its RECV buffer
 * @q: the queue
 * @data: the message
 * @wc: the successful completion of its RECV
 *
 * Context: the CQ's context, before krping_recv_done() posts the RECV again and then calls
 * &typedef krping_recv_fn. The function may overwrite the message. It must not sleep or post.
 */
typedef void krping_look_fn(struct krping_queue *q, void *data, const struct ib_wc *wc);

/* Any control message. */
union krping_ctl {
	struct krping_wire_msg msg;
	struct krping_wire_ctl ctl;
	struct krping_wire_buf_advert buf_advert;
	struct krping_wire_region region;
	struct krping_wire_ask ask;
	struct krping_wire_answer answer;
	struct krping_wire_conform_ask conform_ask;
	struct krping_wire_conform_answer conform_answer;
	struct krping_wire_conform_trace conform_trace;
	struct krping_wire_report report;
};

/**
 * typedef krping_ctl_fn - handle a control message
 * @q: the queue
 * @type: type of the message
 * @value: value of the message
 * @ctl: a copy of the message, valid until the function returns
 *
 * Context: as for &typedef krping_recv_fn. The thread's counters leave out control messages.
 */
typedef void krping_ctl_fn(struct krping_queue *q, enum krping_ctl_type type,
			   u64 value, const union krping_ctl *ctl);

/**
 * typedef krping_sent_fn - handle the completion of a signaled WR of the SQ
 * @q: the queue
 * @op: the WR's operation
 *
 * Context: the CQ's context, in SQ order, for operations that precede KRPING_OP_REG in the enum. A
 * test with such a function counts by itself how many of these WRs are on the SQ, see
 * &krping_queue_attr.sq_own. The function must not sleep.
 */
typedef void krping_sent_fn(struct krping_queue *q, enum krping_op op);

/**
 * struct krping_queue_attr - attributes of a queue
 * @sq_size: depth of the SQ in WRs
 * @sq_own: WRs of @sq_size that the test counts by itself, without krping_queue_prepare()
 * @sq_spare: WRs of @sq_size that only reduce waits for room on the SQ; the test works without them
 * @depth: value of txdepth= for which @sq_size and @recv_depth are computed; 0: neither
 *	depends on txdepth
 * @depth_wrs: WRs of @sq_size per operation of @depth
 * @depth_recvs: RECVs of @recv_depth per operation of @depth
 * @recv_depth: number of RECVs
 * @recv_bytes: buffer size of a RECV, in bytes
 * @recv_shared: all RECVs share one buffer, because the payload is never read
 * @signal_every: maximum number of WRs, counted by krping_queue_prepare(), from one signaled WR to
 *	the next; 0: a quarter of the SQ, which is also the maximum of this value
 * @send_sge: SGEs of a WR on the SQ
 * @read_sge: SGEs of an RDMA READ
 * @inline_bytes: inline data of a WR on the SQ, in bytes
 * @inline_optional: create a QP without inline data if the device does not support @inline_bytes
 * @srq: post the RECVs to an SRQ
 * @recv: handles each data message
 * @look: inspects each data message before @recv, or NULL
 * @ctl: handles each control message; NULL: every message is data
 * @sent: handles the completions for which &typedef krping_sent_fn is called, or NULL
 */
struct krping_queue_attr {
	u32 sq_size;
	u32 sq_own;
	u32 sq_spare;
	u32 depth;
	u32 depth_wrs;
	u32 depth_recvs;
	u32 recv_depth;
	u32 recv_bytes;
	bool recv_shared;
	u32 signal_every;
	u32 send_sge;
	u32 read_sge;
	u32 inline_bytes;
	bool inline_optional;
	bool srq;
	krping_recv_fn *recv;
	krping_look_fn *look;
	krping_ctl_fn *ctl;
	krping_sent_fn *sent;
};

/**
 * struct krping_drain - a WR that completes when a queue of the QP has been flushed
 * @cqe: of the WR
 * @done: completed by @cqe
 * @posted: the device has accepted the WR
 */
struct krping_drain {
	struct ib_cqe cqe;
	struct completion done;
	bool posted;
};

/**
 * struct krping_queue - a QP and its RECVs
 * @cq: the thread's CQ
 * @status: &krping_cq.status
 * @stats: the thread's counters
 * @entry: in &krping_cq.queues
 * @cm_id: the connection that the QP belongs to
 * @pd: the connection's PD
 * @qp: the queue pair
 * @conn_idx: index of the connection among all connections of the client's test
 * @qp_num: number of the QP, which stays valid after the QP is destroyed
 * @srq: the SRQ of the RECVs, or NULL if they are posted to the QP
 * @inline_max: inline data of a WR that the QP supports, in bytes
 * @sq_size: maximum number of outstanding WRs that krping_queue_prepare() has counted
 * @posted: number of WRs that krping_queue_prepare() has counted so far
 * @reclaimed: number of these WRs that are known to have left the SQ
 * @mark: ring of the values of @posted at the outstanding signaled WRs
 * @last_mark: the latest value in @mark
 * @signal_every: number of WRs from one signaled WR to the next
 * @marked: number of signaled WRs so far; modulo KRPING_SIGNALS, the index in @mark of the next one
 * @reaped: number of signaled WRs that have completed
 * @parked: chain of WRs that waits for room on the SQ, or NULL; wr.c takes the chain by xchg()
 * @event: &ib_event.event of the QP's last event that is an error; -1: none
 * @flushed: a WR failed after @over was set, but before a disconnect event; never on iWARP
 * @over: the test is done, so failures and a disconnect are no errors from now on
 * @gone: the connection has ended since @over was set
 * @closing: krping drains the QP, and ignores messages that arrive
 * @unflushed: the device has not flushed the QP, so krping drains it no more
 * @unsafe: the device has neither flushed nor reset the QP, and may access memory until the QP is
 *	destroyed
 * @sq_drain: drains the SQ
 * @rq_drain: drains the RQ
 * @recv_fn: &krping_queue_attr.recv
 * @look_fn: &krping_queue_attr.look
 * @ctl_fn: &krping_queue_attr.ctl
 * @sent_fn: &krping_queue_attr.sent
 * @priv: private data of the test
 * @op: ib_cqe of each operation on the SQ
 * @recv_depth: number of RECVs
 * @recv: the RECVs
 *
 * One context at a time posts, and one context at a time handles completions, so the fields
 * need no lock. The completion handler writes @reclaimed and @reaped.
 */
struct krping_queue {
	struct krping_cq *cq;
	struct krping_status *status;
	struct krping_stats *stats;
	struct list_head entry;
	struct rdma_cm_id *cm_id;
	struct ib_pd *pd;
	struct ib_qp *qp;
	u32 conn_idx;
	u32 qp_num;
	struct ib_srq *srq;
	u32 inline_max;
	u32 sq_size;
	u32 posted;
	u32 reclaimed;
	u32 mark[KRPING_SIGNALS];
	u32 last_mark;
	u32 signal_every;
	u32 marked;
	u32 reaped;
	struct ib_send_wr *parked;
	int event;
	bool flushed;
	bool over;
	bool gone;
	bool closing;
	bool unflushed;
	bool unsafe;
	struct krping_drain sq_drain;
	struct krping_drain rq_drain;
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
 * krping_queue_set_size() - set the size of the SQ for krping_queue_prepare(), and when to signal
 * @q: the queue, without outstanding WRs
 * @attr: attributes of the queue
 *
 * krping signals at least one WR per quarter of the SQ, so that completions make room before the SQ
 * is full.
 */
static inline void krping_queue_set_size(struct krping_queue *q,
					 const struct krping_queue_attr *attr)
{
	q->sq_size = attr->sq_size - attr->sq_own;
	q->signal_every = max_t(u32, q->sq_size / 4, 1);
	if (attr->signal_every)
		q->signal_every = min(q->signal_every, attr->signal_every);
}

/**
 * krping_queue_end() - ignore failures and a disconnect from now on
 * @q: the queue
 *
 * Context: any context.
 */
static inline void krping_queue_end(struct krping_queue *q)
{
	WRITE_ONCE(q->over, true);
}

/**
 * krping_queue_ended() - check whether to ignore a failure or a disconnect
 * @q: the queue
 *
 * After krping_queue_end(), the function notes that the connection has ended, and wakes the thread,
 * which may still wait for the peer.
 *
 * Context: any context, after a failure or a disconnect.
 *
 * Return: true after krping_queue_end().
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
