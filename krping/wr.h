/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Post work requests and handle their completions. If the SQ has no room for a chain, the
 * queue parks the chain, and the handler of a later completion posts the parked chain.
 */
#ifndef KRPING_WR_H
#define KRPING_WR_H

#include "queue.h"

/*
 * Format of the error detail of a timeout while a chain is parked. The argument is the
 * timeout in milliseconds.
 */
#define KRPING_QUEUE_STUCK \
	"the send queue is full, and the device completed nothing for timeout=%u ms"

/**
 * krping_queue_full() - check whether a chain waits for room on the SQ
 * @q: the queue
 *
 * Context: any context.
 *
 * Return: true if a chain is parked.
 */
static inline bool krping_queue_full(const struct krping_queue *q)
{
	return READ_ONCE(q->parked);
}

/**
 * krping_queue_lags() - check whether outstanding WRs occupy at least half of the SQ
 * @q: the queue
 *
 * Context: as for krping_queue_prepare().
 *
 * Return: true if at least half of the SQ is occupied.
 */
static inline bool krping_queue_lags(const struct krping_queue *q)
{
	return q->posted - READ_ONCE(q->reclaimed) >= q->sq_size / 2;
}

/**
 * krping_queue_cqe() - return the ib_cqe for a WR on the SQ
 * @q: the queue
 * @op: the WR's operation
 *
 * Return: the value for &ib_send_wr.wr_cqe.
 */
static inline struct ib_cqe *krping_queue_cqe(struct krping_queue *q,
					      enum krping_op op)
{
	return &q->op[op].cqe;
}

/*
 * A test that tracks its WRs itself (&krping_queue_attr.sq_own) calls _count() or _note(), and then
 * a variant of _post(). For other WRs a test calls _prepare() and _submit().
 */

/* Count the operations of a chain before its post; _note() is for WRs that have no counter. */
void krping_queue_count(struct krping_queue *q, const struct ib_send_wr *first,
			u32 nr_wr, bool signaled);
void krping_queue_note(struct krping_queue *q, const struct ib_send_wr *first, u32 nr_wr,
		       bool signaled);

/*
 * Post a chain. The caller of _post() has counted all WRs of the chain, and the caller of
 * _post_counted() only the first @nr. _post_until() returns in @bad the first WR that the device
 * rejected.
 */
int krping_queue_post(struct krping_queue *q, struct ib_send_wr *first);
int krping_queue_post_counted(struct krping_queue *q, struct ib_send_wr *first, u32 nr);
int krping_queue_post_until(struct krping_queue *q, struct ib_send_wr *first,
			    const struct ib_send_wr **bad);

/* Record the error of a failed completion, which ends the test. */
void krping_wc_failed(struct krping_queue *q, enum krping_op op,
		      const struct ib_wc *wc);

/* Count a chain, then post the chain or park it; check whether a WR is still parked. */
void krping_queue_prepare(struct krping_queue *q, struct ib_send_wr *first);
int krping_queue_submit(struct krping_queue *q, struct ib_send_wr *first);
bool krping_queue_parked(const struct krping_queue *q,
			 const struct ib_send_wr *wr);

/*
 * For qp.c, which sets up the RECVs and the ib_cqes: post a RECV; handle the completion of a RECV;
 * handle the completion of a WR on the SQ.
 */
int krping_post_recv(struct krping_queue *q, struct krping_recv *recv);
void krping_recv_done(struct ib_cq *cq, struct ib_wc *wc);
void krping_sent(struct ib_cq *cq, struct ib_wc *wc);

#endif /* KRPING_WR_H */
