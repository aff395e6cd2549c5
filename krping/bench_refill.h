/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * New data for slots that the peer has read.
 */
#ifndef KRPING_BENCH_REFILL_H
#define KRPING_BENCH_REFILL_H

#include "bench_data.h"

/*
 * RECVs for credits and refills, beside those of other control messages. A side has at most
 * three credits of READs without an answer, because a credit covers half of the slots.
 */
#define KRPING_REFILL_RECVS	6

void krping_bench_refill(struct krping_bench *b, u64 value);

#endif /* KRPING_BENCH_REFILL_H */
