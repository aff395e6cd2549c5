/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Credits of a throughput test. By a credit, a side reports how many operations of the peer it has
 * handled. The functions return how many operations a side may post beyond the last credit, and how
 * many operations each credit covers.
 */
#ifndef KRPING_BENCH_CREDIT_H
#define KRPING_BENCH_CREDIT_H

#include "bench_data.h"

/* Return how many operations this side may post beyond the peer's last credit. */
u32 krping_bench_window(const struct krping_bench *b);

/* Return how many operations a credit covers. */
u32 krping_bench_credit_every(const struct krping_bench *b);

#endif /* KRPING_BENCH_CREDIT_H */
