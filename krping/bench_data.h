/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The state of one connection of a microbenchmark, the functions that each microbenchmark defines,
 * and functions that fill and check data.
 */
#ifndef KRPING_BENCH_DATA_H
#define KRPING_BENCH_DATA_H

#include "ctlmsg.h"
#include "memory.h"
#include "mr.h"
#include "slot.h"
#include "test_ops.h"
#include "wr.h"

struct krping_bench;

/**
 * enum krping_bench_step - state of one side of a connection
 * @KRPING_BENCH_AWAIT_ADVERT: the peer's buffer advert has not arrived
 * @KRPING_BENCH_RUN: operations are under way
 * @KRPING_BENCH_FINISH: client: all operations are done, the server's report has not arrived
 * @KRPING_BENCH_DONE: server: the report is sent; client: the report has arrived
 */
enum krping_bench_step {
	KRPING_BENCH_AWAIT_ADVERT,
	KRPING_BENCH_RUN,
	KRPING_BENCH_FINISH,
	KRPING_BENCH_DONE,
};

/**
 * struct krping_bench_ops - functions of one microbenchmark
 * @begin: called in the CQ's context when the peer's buffer advert has arrived; calls
 *	krping_bench_run(), then posts the first operations
 * @credit: called in the CQ's context with the value of the peer's credit or keep-alive message:
 *	the number of messages that the peer has handled, or of READs that the peer has compared;
 *	NULL if the test needs no credits
 * @refill: called in the CQ's context with the number of this side's READs whose slots the peer
 *	has filled with new data; NULL if the test has no refill messages
 * @finish: server: called in the CQ's context when the client's finish message has arrived
 */
struct krping_bench_ops {
	void (*begin)(struct krping_bench *b);
	void (*credit)(struct krping_bench *b, u64 value);
	void (*refill)(struct krping_bench *b, u64 value);
	void (*finish)(struct krping_bench *b);
};

/* The WR of an operation; all members start with the struct ib_send_wr. */
union krping_wr {
	struct ib_send_wr wr;
	struct ib_rdma_wr rdma;
	struct ib_atomic_wr atomic;
};

/**
 * struct krping_bench - one connection of a microbenchmark
 * @thread: the test
 * @conn: the connection
 * @ops: the functions of this microbenchmark
 * @plan: plan of the thread's test
 * @op: operation that moves the data
 * @step: what this side does or waits for
 * @local: source of SENDs and WRITEs, sink of READs
 * @local_mr: registration of @local, if this connection has its own
 * @local_key: the MR that covers @local: @local_mr, or with the option share the MR of all
 *	connections; NULL: none
 * @local_off: offset of @local in the memory of @local_key, in bytes
 * @shared: buffer that the peer WRITEs or READs
 * @shared_mr: registration of @shared, if this connection has its own
 * @shared_key: the MR that covers @shared: @shared_mr, or with the option share the MR of all
 *	connections; NULL: none
 * @shared_off: offset of @shared in the memory of @shared_key, in bytes
 * @control: control messages: buffer advert, finish, credit, refill, report
 * @peer: the peer's buffer advert
 * @sge: SGEs of an operation in the first slot of @local. Operation N uses slot N modulo the number
 *	of slots, see stride.h
 * @notify: with the option validate: data of the SENDs that follow WRITEs
 * @notify_sge: SGE of @notify
 * @target: client: number of operations to do, warm-up included; 0: no limit
 * @alive: client: when to send the next keep-alive message, in jiffies
 * @done: number of this side's completed operations
 * @received: number of the peer's operations that have arrived
 * @refilled: number of the peer's READs whose slots have new data
 */
struct krping_bench {
	struct krping_thread *thread;
	struct krping_conn *conn;
	const struct krping_bench_ops *ops;
	const struct krping_plan *plan;
	enum krping_op op;
	enum krping_bench_step step;
	struct krping_buf local;
	struct krping_mr local_mr;
	const struct krping_mr *local_key;
	u64 local_off;
	struct krping_buf shared;
	struct krping_mr shared_mr;
	const struct krping_mr *shared_key;
	u64 shared_off;
	struct krping_ctlmsg control;
	struct krping_advert peer;
	struct ib_sge sge[KRPING_SGE_MAX];
	struct krping_dma notify;
	struct ib_sge notify_sge;
	u64 target;
	unsigned long alive;
	u64 done;
	u64 received;
	u64 refilled;
};

/*
 * Before the test, fill the sources with data. Poison the sinks that a comparison reads: fill them
 * with bytes that no operation sends.
 */
void krping_bench_fill(struct krping_bench *b);

/* Check a received message's length. If the length is wrong, fail the test, and return false. */
bool krping_bench_length_ok(struct krping_bench *b, const struct ib_wc *wc);

/* Fill the slot (the part of @buf that operation @n uses) with the data of this operation. */
void krping_bench_put(struct krping_bench *b, const struct krping_buf *buf, u64 n);

/*
 * Compare the slot that operation @n uses in @got with the data of this operation. If they differ,
 * fail the test, and return false; else poison the slot.
 */
bool krping_bench_compare(struct krping_bench *b, const struct krping_buf *got,
			  u64 n);

/*
 * Compare @data, which a SEND has carried. If the data is wrong, fail the test of @q; else poison
 * the RECV's buffer.
 */
void krping_bench_look(struct krping_queue *q, void *data, const struct ib_wc *wc);

/**
 * krping_bench_step() - read the current step of a connection
 * @b: the connection
 *
 * Context: any. The caller also sees all writes that preceded the change to this step.
 *
 * Return: the step.
 */
static inline enum krping_bench_step
krping_bench_step(const struct krping_bench *b)
{
	/* pairs with smp_store_release() in krping_bench_next() */
	return smp_load_acquire(&b->step);
}

#endif /* KRPING_BENCH_DATA_H */
