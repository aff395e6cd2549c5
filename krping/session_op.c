// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Run the operations of a session: check them, build their WRs, post, and wait for
 * the completion. One operation at a time uses the session's buffer.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "conn.h"
#include "session_op.h"
#include "wait.h"
#include "wr.h"

/**
 * krping_session_sent() - handle the completion of an operation's last WR
 * @q: the queue
 * @op: the last WR's operation
 *
 * Context: see &typedef krping_sent_fn.
 */
void krping_session_sent(struct krping_queue *q, enum krping_op op)
{
	struct krping_client_session *s = krping_client_session(q);

	/* pairs with krping_session_completed() */
	smp_store_release(&s->completed, true);
	wake_up_all(&q->status->wait);
}

static bool krping_session_completed(void *arg)
{
	struct krping_client_session *s = arg;

	/* pairs with krping_session_sent() */
	return smp_load_acquire(&s->completed);
}

/**
 * krping_session_sge() - fill in an SGE of the session's buffer
 * @s: the session
 * @sge: filled in
 * @at: offset of the SGE's first byte in the buffer
 * @len: bytes
 */
void krping_session_sge(const struct krping_client_session *s, struct ib_sge *sge,
			u32 at, u32 len)
{
	sge->addr = (s->mr.mr ? s->mr.mr->iova : krping_buf_addr(&s->buf)) + at;
	sge->lkey = s->mr.mr ? s->mr.mr->lkey : s->conn->pd->local_dma_lkey;
	sge->length = len;
}

/* Fill in WR @nr for @len bytes at offset @at of the buffer, and chain it to the previous WR. */
static void krping_session_add(struct krping_client_session *s, u32 nr,
			       enum krping_op op, u32 at, u32 len)
{
	static const enum ib_wr_opcode opcodes[] = {
		[KRPING_OP_SEND]	= IB_WR_SEND,
		[KRPING_OP_READ]	= IB_WR_RDMA_READ,
		[KRPING_OP_READ_INV]	= IB_WR_RDMA_READ_WITH_INV,
		[KRPING_OP_WRITE]	= IB_WR_RDMA_WRITE,
	};
	struct ib_send_wr *wr = &s->wr[nr].wr;
	struct ib_sge *sge = &s->sge[nr];

	memset(&s->wr[nr], 0, sizeof(s->wr[nr]));
	krping_session_sge(s, sge, at, len);
	wr->wr_cqe = krping_queue_cqe(&s->conn->queue, op);
	wr->opcode = opcodes[op];
	wr->sg_list = sge;
	wr->num_sge = 1;
	if (nr)
		s->wr[nr - 1].wr.next = wr;
}

/*
 * Post the first @nr WRs, and wait for the completion of the last one. The caller has added the
 * first @counted WRs to the counters.
 */
static int krping_session_post(struct krping_client_session *s, u32 nr, u32 counted)
{
	struct krping_queue *q = &s->conn->queue;
	int ret;

	s->completed = false;
	s->wr[nr - 1].wr.send_flags |= IB_SEND_SIGNALED;
	krping_cq_progress(q->cq);
	ret = krping_queue_post_counted(q, &s->wr->wr, counted);
	s->rejected = ret;
	/* If the connection is already lost, krping_wait() returns the reason. */
	if (ret && ret != -ENOTCONN)
		return ret;
	return krping_wait(q->cq, krping_session_completed, s,
			   s->thread->opts.timeout);
}

/**
 * krping_session_read() - READ into the session's buffer, without counting the READ
 * @s: the session
 * @addr: address at the server
 * @rkey: key of @addr
 * @len: bytes, at most KRPING_MEMOP_MAX
 *
 * Context: the session's thread. After a return of 0 the CPU may access the buffer.
 *
 * Return: 0; or a negative errno, for krping_session_failed().
 */
int krping_session_read(struct krping_client_session *s, u64 addr, u32 rkey, u32 len)
{
	int ret;

	krping_session_add(s, 0, KRPING_OP_READ, 0, len);
	s->wr->remote_addr = addr;
	s->wr->rkey = rkey;
	ret = krping_session_post(s, 1, 0);
	if (!ret)
		krping_buf_for_cpu(&s->buf);
	return ret;
}

/**
 * krping_session_failed() - store the reason why a wait has failed
 * @s: the session
 * @ret: return value of the wait
 * @what: end of the error text: what one side was doing, as in "during an operation"
 *
 * If @ret is neither -ETIMEDOUT nor -ECONNRESET, the status already has the reason.
 *
 * Return: 0 if @ret is 0; else the test's first error.
 */
int krping_session_failed(struct krping_client_session *s, int ret, const char *what)
{
	struct krping_status *status = s->thread->status;

	if (ret == -ETIMEDOUT)
		return krping_status_set(status, ret,
					 "the server was silent for timeout=%u ms, %s",
					 s->thread->opts.timeout, what);
	if (ret == -ECONNRESET)
		return krping_status_set(status, ret, "%s, %s",
					 krping_status_loss(status), what);
	return ret;
}

/* Build the READs or WRITEs of an operation, one for each piece; return their number. */
static u32 krping_session_build(struct krping_client_session *s,
				const struct krping_region *r,
				const struct krping_memop *op, enum krping_op what)
{
	u64 offset = op->offset;
	u32 done = 0, nr = 0;

	while (done < op->len) {
		u64 start;
		const struct krping_region_piece *piece =
			krping_region_find(r, offset, &start);
		u32 len = op->len - done;

		/* An operation with the option unchecked may exceed the last piece. */
		if (offset < piece->end && piece->end != r->size)
			len = min_t(u64, len, piece->end - offset);
		krping_session_add(s, nr, what, done, len);
		s->wr[nr].remote_addr = piece->addr + (offset - start);
		s->wr[nr].rkey = piece->rkey;
		offset += len;
		done += len;
		nr++;
	}
	return nr;
}

/*
 * Add WR @nr, a READ that the counters leave out. Its response proves that the server responds.
 * On iWARP, where a WRITE or SEND completes when TCP has accepted the data, the response also
 * proves that the server has placed the data of earlier operations.
 */
static void krping_session_prove(struct krping_client_session *s, u32 nr)
{
	krping_session_add(s, nr, KRPING_OP_READ, KRPING_MEMOP_MAX, 1);
	s->wr[nr].remote_addr = s->region.pieces->addr;
	s->wr[nr].rkey = s->region.pieces->rkey;
}

/**
 * krping_session_round_trip() - prove by a READ that the server responds
 * @s: the session
 *
 * Context: the session's thread.
 *
 * Return: 0; or a negative errno, for krping_session_failed().
 */
int krping_session_round_trip(struct krping_client_session *s)
{
	krping_session_prove(s, 0);
	return krping_session_post(s, 1, 0);
}

/* Reject an operation that the server's device would have to reject. */
static int krping_session_check(const struct krping_region *r, struct krping_memop *op)
{
	char why[KRPING_DETAIL_MAX];

	if (op->type == KRPING_MEMOP_SEND || op->unchecked)
		return 0;
	if (!krping_region_has(r, op->offset, op->len)) {
		snprintf(why, sizeof(why),
			 "%u byte%s at offset=%llu exceed%s the region, which has %llu byte%s",
			 op->len, krping_plural(op->len), op->offset, op->len == 1 ? "s" : "",
			 r->size, krping_plural(r->size));
	} else if (op->type == KRPING_MEMOP_PUT && !r->writable) {
		snprintf(why, sizeof(why), "the region is read-only");
	} else {
		return 0;
	}
	krping_memop_end(op, -EINVAL, why);
	return -EINVAL;
}

/* Reject inline data that the QP has no room for. */
static int krping_session_check_inline(const struct krping_client_session *s,
				       struct krping_memop *op)
{
	u32 max = s->conn->queue.inline_max;
	char why[KRPING_DETAIL_MAX];

	if (!op->inline_data || op->len <= max)
		return 0;
	snprintf(why, sizeof(why), "inline: %u byte%s; the device supports %u in a session",
		 op->len, krping_plural(op->len), max);
	krping_memop_end(op, -EOPNOTSUPP, why);
	return -EOPNOTSUPP;
}

/*
 * Make the first @nr WRs inline. With IB_SEND_INLINE the driver copies the data from the SGEs, so
 * the SGEs of these WRs have kernel addresses.
 */
static void krping_session_set_inline(struct krping_client_session *s, u32 nr)
{
	u8 *data = sg_virt(s->buf.sgl);
	u32 i;

	for (i = 0; i < nr; i++) {
		s->sge[i].addr = (uintptr_t)data;
		s->wr[i].wr.send_flags |= IB_SEND_INLINE;
		data += s->sge[i].length;
	}
}

/* Build the WRs of a PUT, GET or SEND, post them, and wait for the last completion. */
static int krping_session_transfer(struct krping_client_session *s,
				   const struct krping_region *r, struct krping_memop *op)
{
	u32 nr = 1, counted;

	krping_buf_for_cpu(&s->buf);
	if (op->type != KRPING_MEMOP_GET)
		memcpy(sg_virt(s->buf.sgl), op->data, op->len);
	krping_buf_for_device(&s->buf);

	if (op->type == KRPING_MEMOP_GET)
		nr = krping_session_build(s, r, op, KRPING_OP_READ);
	else if (op->type == KRPING_MEMOP_PUT)
		nr = krping_session_build(s, r, op, KRPING_OP_WRITE);
	else
		krping_session_add(s, 0, KRPING_OP_SEND, 0, op->len);
	if (op->inline_data)
		krping_session_set_inline(s, nr);
	counted = nr;
	krping_queue_count(&s->conn->queue, &s->wr->wr, nr, true);
	if (op->type != KRPING_MEMOP_GET && krping_conn_iwarp(s->conn))
		krping_session_prove(s, nr++);
	return krping_session_post(s, nr, counted);
}

/* Record in @op the state and the last event of the QP, and the vendor_err of a failed WR. */
static void krping_session_look(struct krping_client_session *s, struct krping_memop *op)
{
	struct krping_queue *q = &s->conn->queue;
	struct ib_qp_init_attr init_attr = { };
	struct ib_qp_attr attr = { };

	if (!ib_query_qp(q->qp, &attr, IB_QP_STATE, &init_attr))
		op->qp_state = attr.qp_state;
	op->event = READ_ONCE(q->event);
	op->vendor_err = s->thread->status->vendor_err;
}

/**
 * krping_session_broken() - end an operation during which the connection has failed
 * @s: the session
 * @op: the operation
 * @ret: negative errno that a wait has returned
 * @what: as for krping_session_failed()
 *
 * Context: the session's thread.
 *
 * Return: the error of the test.
 */
int krping_session_broken(struct krping_client_session *s, struct krping_memop *op, int ret,
			  const char *what)
{
	const struct krping_status *status = s->thread->status;

	ret = krping_session_failed(s, ret, what);
	op->posted = status->has_wc || (status->flushed && !s->rejected);
	op->wc_status = status->has_wc ? status->wc_status : IB_WC_WR_FLUSH_ERR;
	krping_session_look(s, op);
	krping_memop_end(op, ret, status->detail);
	return ret;
}

/**
 * krping_session_run() - run a PUT, GET or SEND
 * @s: the session
 * @r: the region of a PUT or GET
 * @op: the operation, which this function ends
 *
 * Context: the session's thread. After a failed completion the QP is in the error state, and the
 * session ends.
 *
 * Return: 0, also for a rejected operation; else a negative errno, and the status has the
 * reason.
 */
int krping_session_run(struct krping_client_session *s, const struct krping_region *r,
		       struct krping_memop *op)
{
	struct krping_thread *thread = s->thread;
	int ret;

	if (krping_session_check(r, op) || krping_session_check_inline(s, op))
		return 0;
	ret = krping_session_transfer(s, r, op);
	if (ret)
		return krping_session_broken(s, op, ret, "during an operation");
	krping_buf_for_cpu(&s->buf);
	if (op->type == KRPING_MEMOP_GET)
		memcpy(op->data, sg_virt(s->buf.sgl), op->len);
	krping_buf_for_device(&s->buf);
	krping_u64_write(&thread->iterations, thread->iterations + 1);
	op->posted = true;
	op->kept = r != &s->region || r->shared;
	op->wc_status = IB_WC_SUCCESS;
	if (op->unchecked)
		krping_session_look(s, op);
	krping_memop_end(op, 0, NULL);
	return 0;
}

