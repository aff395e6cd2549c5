/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The state of one side of the ping/pong loop, and functions that both sides use. ping.c describes
 * the loop: the server READs the client's source and WRITEs to the client's sink. An advert is a
 * message with the address, the rkey and the size of the source or sink. A message of the server,
 * the go-ahead, follows the READ and the WRITE.
 */
#ifndef KRPING_PING_POST_H
#define KRPING_PING_POST_H

#include "ctlmsg.h"
#include "memory.h"
#include "mr.h"
#include "test_ops.h"
#include "wr.h"

/**
 * enum krping_phase - the two halves of an iteration
 * @KRPING_READ: the server reads the client's source
 * @KRPING_WRITE: the server writes to the client's sink
 * @KRPING_PHASES: number of phases
 *
 * Each phase has its own buffers, MRs and messages. The phase is the index of their arrays.
 */
enum krping_phase {
	KRPING_READ,
	KRPING_WRITE,
	KRPING_PHASES
};

/**
 * enum krping_ping_step - the next step of one side
 * @KRPING_AWAIT_SOURCE: server: wait for the advert of the client's source
 * @KRPING_AWAIT_SINK: server: wait for the advert of the client's sink
 * @KRPING_AWAIT_READ: client: wait for the go-ahead that follows the READ
 * @KRPING_AWAIT_WRITE: client: wait for the go-ahead that follows the WRITE
 * @KRPING_THREAD: a message has arrived, and the test's thread is to run the message's step
 * @KRPING_AWAIT_REPORT: all iterations are done; the client waits for the server's report, and
 *	the server, which has sent the report, for the end of the connection
 * @KRPING_DONE: all iterations are done, and this side awaits no message; also the initial value of
 *	a client, before the first iteration
 */
enum krping_ping_step {
	KRPING_AWAIT_SOURCE,
	KRPING_AWAIT_SINK,
	KRPING_AWAIT_READ,
	KRPING_AWAIT_WRITE,
	KRPING_THREAD,
	KRPING_AWAIT_REPORT,
	KRPING_DONE,
};

/**
 * struct krping_piece - a part of the server's data, for one READ and one WRITE
 * @buf: memory of the part
 * @mr: the MRs of the READ's sink and of the WRITE's source
 * @rdma: the READ and the WRITE of @buf
 * @sge: SGEs of @rdma
 *
 * If the server registers the READ's sink, a piece is at most as large as one MR. Otherwise all
 * data is one piece.
 */
struct krping_piece {
	struct krping_buf buf;
	struct krping_mr mr[KRPING_PHASES];
	struct ib_rdma_wr rdma[KRPING_PHASES];
	struct ib_sge sge[KRPING_PHASES];
};

/**
 * struct krping_ping - one side of the loop
 * @thread: the test's thread
 * @conn: the thread's connection
 * @plan: the thread's plan
 * @step: the next step; only the context that runs a step writes this field
 * @in_thread: the test's thread runs the steps that take long, see KRPING_THREAD; set once
 * @iteration: number of the iteration from 0, warm-up included
 * @iter_start_ns: client: ktime_get_ns() at the start of the iteration; server: at the last WRITE
 * @buf: client: source and sink
 * @mr: client: MRs of @buf
 * @advert: server: the last advert of the client
 * @read_len: server: number of bytes that the READs of this iteration fetch
 * @registered: server: the READs or WRITEs of a phase use MRs instead of the local DMA lkey
 * @nr_pieces: server: number of elements of @piece
 * @piece: server: the data
 * @msg: the messages that this side sends in an iteration
 * @msg_mem: the memory of @msg
 * @control: the finish message or the report, which this side sends after the loop
 * @send: the SENDs of @msg
 * @send_sge: SGEs of @send
 */
struct krping_ping {
	struct krping_thread *thread;
	struct krping_conn *conn;
	const struct krping_plan *plan;
	enum krping_ping_step step;
	bool in_thread;
	u64 iteration;
	u64 iter_start_ns;

	struct krping_buf buf[KRPING_PHASES];
	struct krping_mr mr[KRPING_PHASES];

	struct krping_advert advert;
	u32 read_len;
	bool registered[KRPING_PHASES];
	int nr_pieces;
	struct krping_piece *piece;

	struct krping_wire_msg *msg;
	struct krping_dma msg_mem;
	struct krping_ctlmsg control;
	struct ib_send_wr send[KRPING_PHASES];
	struct ib_sge send_sge[KRPING_PHASES];
};

/**
 * struct krping_chain - a chain of WRs under construction
 * @first: the first WR, or NULL
 * @tail: pointer that the next WR is stored in
 */
struct krping_chain {
	struct ib_send_wr *first;
	struct ib_send_wr **tail;
};

/**
 * krping_chain_init() - empty a chain
 * @chain: the chain
 */
static inline void krping_chain_init(struct krping_chain *chain)
{
	chain->first = NULL;
	chain->tail = &chain->first;
}

/**
 * krping_chain_add() - append a WR to a chain
 * @chain: the chain
 * @wr: the WR, which is in no chain
 */
static inline void krping_chain_add(struct krping_chain *chain, struct ib_send_wr *wr)
{
	wr->next = NULL;
	*chain->tail = wr;
	chain->tail = &wr->next;
}

/**
 * krping_client_registers() - check whether the client registers its buffers
 * @thread: the test's thread
 *
 * Return: true: the client registers its buffers; false: it advertises the PD's unsafe global rkey.
 */
static inline bool krping_client_registers(const struct krping_thread *thread)
{
	return thread->opts.mem_mode == KRPING_MEM_REG;
}

/**
 * krping_ping_step() - return the next step
 * @p: one side of the loop
 *
 * Context: any context. The caller sees all writes of the step that called krping_ping_next().
 *
 * Return: the step that this side waits for or runs next.
 */
static inline enum krping_ping_step
krping_ping_step(const struct krping_ping *p)
{
	/* pairs with krping_ping_next() */
	return smp_load_acquire(&p->step);
}

/**
 * krping_ping_next() - set the next step
 * @p: one side of the loop
 * @step: the next step; the context that runs it sees all writes of the current step
 *
 * Context: the context that runs the current step, at the end of the step.
 */
static inline void krping_ping_next(struct krping_ping *p, enum krping_ping_step step)
{
	/* pairs with krping_ping_step() */
	smp_store_release(&p->step, step);
}

/* Set the next step, and wake the test's thread. */
void krping_ping_hand_over(struct krping_ping *p, enum krping_ping_step step);
/* Record that the peer sent a message at the wrong time, or of a wrong length. */
void krping_ping_unexpected(struct krping_ping *p);
void krping_ping_wrong_length(struct krping_ping *p, u32 bytes);
/* Check whether the peer may finish or disconnect now without an error. */
bool krping_ping_in_order(const struct krping_ping *p);
/* Log data, as the option verbose requests. */
void krping_ping_log_data(u32 id, const char *what, const u8 *data, size_t len);
/* Prepare a REG_MR with a new key, or end the test; allocate an MR for such registrations. */
int krping_mr_renew_or_end(struct krping_ping *p, struct krping_mr *mr);
int krping_ping_alloc_mr(struct krping_ping *p, struct krping_mr *mr,
			 const struct krping_buf *buf, int access);

/**
 * krping_ping_post() - set the next step and post a chain
 * @p: one side of the loop
 * @first: the chain
 * @next: the next step, which the function sets before it posts, because the peer may answer at
 *	once
 *
 * Context: the context that runs the step. The caller writes nothing to @p afterwards, because
 * another context may already run the next step.
 *
 * Return: 0 or a negative errno, which the function has recorded in the test's status.
 */
static inline int krping_ping_post(struct krping_ping *p,
				   struct ib_send_wr *first,
				   enum krping_ping_step next)
{
	struct krping_queue *q = &p->conn->queue;

	krping_queue_prepare(q, first);
	krping_ping_next(p, next);
	return krping_queue_submit(q, first);
}

/**
 * krping_ping_length_ok() - check the length of a message
 * @p: one side of the loop
 * @wc: the completion of the message's RECV
 *
 * Return: true if the length is right; else the function has recorded -EPROTO in the test's status.
 */
static inline bool krping_ping_length_ok(struct krping_ping *p,
					 const struct ib_wc *wc)
{
	if (likely(wc->byte_len == sizeof(struct krping_wire_msg)))
		return true;
	krping_ping_wrong_length(p, wc->byte_len);
	return false;
}

/**
 * krping_ping_expects_message() - check that the peer may send a message now
 * @p: one side of the loop, which has received a message
 *
 * While the SQ has no room, a chain waits in &krping_queue.parked. The peer may send its next
 * message only in answer to this chain, so a message that arrives while the chain waits is a
 * protocol error. The step of this message must not run, because it would reuse the waiting WRs.
 *
 * Return: true if no chain waits; else the function has recorded -EPROTO in the test's status.
 */
static inline bool krping_ping_expects_message(struct krping_ping *p)
{
	if (likely(!krping_queue_full(&p->conn->queue)))
		return true;
	krping_ping_unexpected(p);
	return false;
}

#endif /* KRPING_PING_POST_H */
