// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Credits of a throughput test. A credit is a message that tells a side how many of its operations
 * the peer has handled. The functions return how many more operations the side may post, and how
 * many operations each credit covers.
 */
#include <linux/minmax.h>

#include "bench_credit.h"

/**
 * krping_bench_window() - return how many operations may be ahead of the last credit
 * @b: the connection; this side posts operations, and has received the peer's parameters
 *
 * With duplex the messages of the peer imply the credits, and each side may be ahead of the
 * other by a window. So the sum of both windows is at most the number of RECVs, and with validate
 * also at most the number of slots.
 *
 * Return: the number; 0: this side may post as many operations as the peer has sent.
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
	/* Round up for the client, which has to begin even if there is only one slot. */
	return (window + (opts->validate && krping_is_client(b->thread))) / 2;
}

/**
 * krping_bench_credit_every() - return how many operations a credit covers
 * @b: the connection
 *
 * With validate a credit covers half of a window, so that operations remain in flight while the
 * credit is sent, and that no more than three credits are in flight.
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
