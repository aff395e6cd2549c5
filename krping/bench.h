/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the connections of all microbenchmarks do: both sides exchange buffer adverts at the
 * beginning, and at the end the client sends a finish message and the server a report.
 */
#ifndef KRPING_BENCH_H
#define KRPING_BENCH_H

#include "bench_buf.h"
#include "bench_data.h"
#include "bench_plan.h"

/* Plan SQ, RECVs, SGEs and control messages of each connection's queue. */
void krping_bench_plan_queue(const struct krping_thread *thread,
			     struct krping_plan *plan, u32 recvs);

/* Build the WR of an operation, without the peer's address and rkey. */
void krping_bench_init_wr(struct krping_bench *b, union krping_wr *wr);

/* With validate: build the WR of the SEND that makes the peer compare the data of a WRITE. */
void krping_bench_init_notify(struct krping_bench *b, struct ib_send_wr *wr);

/* Write the peer's address and rkey into an operation. */
void krping_bench_set_peer(struct krping_bench *b, union krping_wr *wr);

/* One connection. */

/* Allow operations to be posted and to arrive. */
void krping_bench_run(struct krping_bench *b);

/* Send the server a keep-alive message at intervals. */
void krping_bench_alive(struct krping_bench *b);

/* Check whether the client has to send its finish message. */
bool krping_bench_over(const struct krping_bench *b);

/* Send the finish message to the server. */
void krping_bench_finish(struct krping_bench *b);

/* End the server's side of a connection, and answer the finish message. */
void krping_bench_report(struct krping_bench *b);

/* All connections of a thread. */

/* Check whether all connections have ended. */
bool krping_bench_all_done(struct krping_thread *thread);

/* Start a microbenchmark and wait for its end. */
int krping_bench_loop(struct krping_thread *thread, bool (*done)(void *arg));

#endif /* KRPING_BENCH_H */
