/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Give new data to slots that the peer has read: rbw with validate.
 */
#ifndef KRPING_BENCH_REFILL_H
#define KRPING_BENCH_REFILL_H

#include "bench_data.h"

/*
 * Number of RECVs for the peer's credits (three) and refill messages (three), in addition to those
 * for other control messages. A credit covers half of the slots, rounded down, so at most three
 * credits cover all slots. Each credit has one refill message as its answer.
 */
#define KRPING_REFILL_RECVS	6

void krping_bench_refill(struct krping_bench *b, u64 value);

#endif /* KRPING_BENCH_REFILL_H */
