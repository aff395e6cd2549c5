// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Give new data to slots that the peer has read. The READs of rbw use several addresses (slots) in
 * turn. With validate the data of a slot changes after each READ of the slot, so that the peer
 * detects a READ that returns the slot's previous data:
 *
 *	requester			responder
 *	READs all slots
 *	compares the first N READs
 *	SEND credit N		--->	fills the slots of the first N READs
 *				<---	SEND refill N
 *	READs these slots again
 */
#include "bench_refill.h"

/**
 * krping_bench_refill() - fill the slots that the peer has read, and send a refill message
 * @b: the connection
 * @value: number of READs that the peer has compared since the start of the test, from the peer's
 *	credit; this function checks the number
 *
 * A keep-alive message has this number, too, and may arrive although the peer has compared no READ
 * since its last message. Then there is nothing to fill.
 *
 * Context: a completion handler of the CQ, see krping_cq_alloc().
 */
void krping_bench_refill(struct krping_bench *b, u64 value)
{
	u32 slots = b->plan->slots;

	if (value < b->refilled || value - b->refilled > slots) {
		krping_status_set(b->thread->status, -EPROTO,
				  "the peer reports %llu compared READs instead of %llu to %llu",
				  value, b->refilled, b->refilled + slots);
		return;
	}
	if (value == b->refilled)
		return;
	/* After READ N, the next READ of the same slot is READ N + slots. */
	for (; b->refilled < value; b->refilled++)
		krping_bench_put(b, &b->shared, b->refilled + slots);
	krping_ctlmsg_refill(&b->control, value);
}
