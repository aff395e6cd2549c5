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

void krping_bench_plan_queue(const struct krping_thread *thread,
			     struct krping_plan *plan, u32 recvs);

/* Build the WR of an operation, and of the SEND that follows a WRITE. */
void krping_bench_init_wr(struct krping_bench *b, union krping_wr *wr);
void krping_bench_init_notify(struct krping_bench *b, struct ib_send_wr *wr);
void krping_bench_set_peer(struct krping_bench *b, union krping_wr *wr);

/* One connection: allow operations, send keep-alive messages, check for the end, and end. */
void krping_bench_run(struct krping_bench *b);
void krping_bench_alive(struct krping_bench *b);
bool krping_bench_over(const struct krping_bench *b);
void krping_bench_finish(struct krping_bench *b);
void krping_bench_report(struct krping_bench *b);

/* All connections of a thread: check for the end; start, and wait for the end. */
bool krping_bench_all_done(struct krping_thread *thread);
int krping_bench_loop(struct krping_thread *thread, bool (*done)(void *arg));

#endif /* KRPING_BENCH_H */
