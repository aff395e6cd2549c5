/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Give new data to slots that the peer has read. A slot is the part of the buffer that one
 * operation uses. Only the test rbw does this, with validate and a txdepth above 1.
 */
#ifndef KRPING_BENCH_REFILL_H
#define KRPING_BENCH_REFILL_H

#include "bench_data.h"

/*
 * Number of RECVs in addition to those for other control messages: three for the peer's credits,
 * and three for its refill messages. A credit covers half of the slots, rounded down, so no more
 * than three credits are in flight. The answer to each credit is one refill message.
 */
#define KRPING_REFILL_RECVS	6

/* Fill the slots of the first @value READs of the peer with new data, and send a refill message. */
void krping_bench_refill(struct krping_bench *b, u64 value);

#endif /* KRPING_BENCH_REFILL_H */
