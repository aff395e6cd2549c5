/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Set up and clean up a microbenchmark's connection: buffers, MRs, control messages and RECVs. Fill
 * in the SGEs of operations.
 */
#ifndef KRPING_BENCH_BUF_H
#define KRPING_BENCH_BUF_H

#include "bench_data.h"

/* Allocate the buffers, MRs and messages of a connection, and post its RECVs. */
int krping_bench_setup(struct krping_bench *b, struct krping_thread *thread,
		       struct krping_conn *conn,
		       const struct krping_bench_ops *ops);
/* Free what krping_bench_setup() has allocated. */
void krping_bench_cleanup(struct krping_bench *b);
/*
 * Let the SGEs of an operation cover the first slot of the local buffer. A slot is the part of the
 * buffer that one operation uses.
 */
void krping_bench_init_sge(struct krping_bench *b);

#endif /* KRPING_BENCH_BUF_H */
