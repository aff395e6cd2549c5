/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Give new data to slots that the peer has read.
 */
#ifndef KRPING_BENCH_REFILL_H
#define KRPING_BENCH_REFILL_H

#include "bench_data.h"

/*
 * RECVs for credits and refills, in addition to those for other control messages: three for the
 * peer's credits and three for refills. No more are in flight, because a credit covers half of the
 * slots, and a refill answers each credit.
 */
#define KRPING_REFILL_RECVS	6

void krping_bench_refill(struct krping_bench *b, u64 value);

#endif /* KRPING_BENCH_REFILL_H */
