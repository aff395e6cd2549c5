// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Credits of a throughput test. By a credit, the peer reports how many operations of this side it
 * has handled so far. The functions return how many operations a side may post beyond those that
 * the last credit reports, and how many operations each credit covers. A slot is a part of the
 * buffer, with the data of one operation.
 */
#include <linux/minmax.h>

#include "bench_credit.h"

/**
 * krping_bench_window() - return how many operations may be posted beyond the last credit
 * @b: the connection; this side posts operations, and has received the peer's parameters
 *
 * The peer must have a RECV, and with validate also a slot, for each operation that it has not
 * handled. With duplex, the number of operations that a side has posted exceeds the number that it
 * has received by at most its window. When this side has received N operations, it may have posted
 * N + (this side's window). The peer, which has posted at least N, may have received only N - (the
 * peer's window). So the number of operations that are not handled is at most the sum of both
 * windows. This sum must not exceed the number of RECVs, and with validate the number of slots.
 *
 * Return: the number; 0: this side may post only as many operations as it has received.
 */
u32 krping_bench_window(const struct krping_bench *b)
{
	const struct krping_options *opts = &b->thread->opts;
	u32 window = b->conn->peer.recvs;

	if (b->plan->refills)
		return b->plan->slots;
	if (opts->duplex)
		window = min(window, b->plan->recvs);
	if (opts->validate)
		window = min(window, b->plan->slots);
	if (!opts->duplex)
		return window;
	/* Round up on the client, which sends first and so needs a window even with one slot. */
	return (window + (opts->validate && krping_is_client(b->thread))) / 2;
}

/**
 * krping_bench_credit_every() - return how many operations a credit covers
 * @b: the connection
 *
 * Without validate a credit covers txdepth operations, half of the RECVs, so that the peer can keep
 * txdepth operations in flight. With validate a credit covers half of the slots, so that operations
 * remain in flight while a credit is sent. Because the half is rounded down, up to three credits
 * may be in flight.
 *
 * Return: the number, at least 1.
 */
u32 krping_bench_credit_every(const struct krping_bench *b)
{
	const struct krping_plan *plan = b->plan;

	if (!b->thread->opts.validate)
		return plan->depth;
	if (plan->refills)
		return max_t(u32, plan->slots / 2, 1);
	return max_t(u32, min(plan->recvs, plan->slots) / 2, 1);
}
