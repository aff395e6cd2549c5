/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * One connection of a microbenchmark, and its data: fill, check lengths, compare.
 */
#ifndef KRPING_BENCH_DATA_H
#define KRPING_BENCH_DATA_H

#include "ctlmsg.h"
#include "memory.h"
#include "test_ops.h"
#include "wr.h"

struct krping_bench_type;
struct krping_bench;

/**
 * enum krping_bench_step - where one side of a microbenchmark stands
 * @KRPING_BENCH_HELLO: the peer has not said where its buffer is
 * @KRPING_BENCH_RUN: operations are under way
 * @KRPING_BENCH_FINISH: client: all is done, the report is awaited
 * @KRPING_BENCH_DONE: the server has reported, the client has heard it
 */
enum krping_bench_step {
	KRPING_BENCH_HELLO,
	KRPING_BENCH_RUN,
	KRPING_BENCH_FINISH,
	KRPING_BENCH_DONE,
};

/**
 * struct krping_bench_ops - the part that is the test's own
 * @begin: both sides know each other's buffers: call krping_bench_run(), and then
 *	post. The CQ's context
 * @credit: the peer has taken so many messages; the CQ's context; or NULL
 * @finish: server: the client is done; the CQ's context
 */
struct krping_bench_ops {
	void (*begin)(struct krping_bench *b);
	void (*credit)(struct krping_bench *b, u64 value);
	void (*finish)(struct krping_bench *b);
};

/* An operation, of whatever kind; all begin with the same. */
union krping_wr {
	struct ib_send_wr wr;
	struct ib_rdma_wr rdma;
	struct ib_atomic_wr atomic;
};

/**
 * struct krping_bench - one connection of a microbenchmark
 * @thread: the test
 * @conn: the connection
 * @ops: the test's own part
 * @type: which test it is
 * @step: where it stands
 * @local: what this side sends or writes, or reads into
 * @local_mr: its registration, if it has one
 * @shared: what the peer writes to or reads from; a READ's expected data
 * @shared_mr: its registration, if it has one
 * @control: hello, finish, credit, report
 * @peer: the peer's shared buffer
 * @nr_sge: number of @sge
 * @sge: entries of all operations
 * @token: sent behind a WRITE that shall be validated
 * @token_sge: its one entry
 * @target: operations to do, those of the warm-up included; 0: until told
 * @alive: client: when to give the next sign of life, in jiffies
 * @done: operations that are done
 * @received: messages of data, or echoes, that have arrived
 */
struct krping_bench {
	struct krping_thread *thread;
	struct krping_conn *conn;
	const struct krping_bench_ops *ops;
	const struct krping_bench_type *type;
	enum krping_bench_step step;
	struct krping_buf local;
	struct krping_mr local_mr;
	struct krping_buf shared;
	struct krping_mr shared_mr;
	struct krping_ctlmsg control;
	struct krping_advert peer;
	u32 nr_sge;
	struct ib_sge sge[KRPING_SGE_MAX];
	struct krping_dma token;
	struct ib_sge token_sge;
	u64 target;
	unsigned long alive;
	u64 done;
	u64 received;
};

void krping_bench_fill(struct krping_bench *b);
bool krping_bench_length_ok(struct krping_bench *b, const struct ib_wc *wc,
			    u32 want);
void krping_bench_expect(struct krping_bench *b, u64 n);
bool krping_bench_compare(struct krping_bench *b, const struct krping_buf *got,
			  u64 n);
void krping_bench_look(struct krping_queue *q, const void *data,
		       const struct ib_wc *wc);

/**
 * krping_bench_step() - read the current step of a connection
 * @b: the connection; any context
 *
 * Return: the step; what was done before it was reached can be seen.
 */
static inline enum krping_bench_step
krping_bench_step(const struct krping_bench *b)
{
	/* pairs with krping_bench_next() */
	return smp_load_acquire(&b->step);
}

#endif /* KRPING_BENCH_DATA_H */
