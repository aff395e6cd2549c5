// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Slots of a throughput test with validate: parts of a buffer, one for each operation in flight.
 */
#include <inttypes.h>
#include <string.h>

#include "peer.h"

/*
 * Return the number of slots. Without a stride or without validate, this side has one slot. With
 * both, a server has as many slots as the client's txdepth. A client that sends options (--options)
 * has OPTIONS_DEPTH slots, and another client has one.
 */
uint32_t nr_slots(const struct peer *p)
{
	if (!p->stride || !(p->flags & FLAG_VALIDATE))
		return 1;
	if (p->opt.role == SERVER)
		return p->depth;
	return p->opt.config ? OPTIONS_DEPTH : 1;
}

/* Return the offset of the slot of operation @n in the buffer, in bytes. */
uint64_t slot_off(const struct peer *p, uint64_t n)
{
	return n % nr_slots(p) * p->stride;
}

/* Return the bytes from the start of the first slot to the end of the last one. */
uint64_t buffer_bytes(const struct peer *p)
{
	return p->size + (uint64_t)(nr_slots(p) - 1) * p->stride;
}

/*
 * Fill the slot that the client will READ in operation @n. The fault corrupt= spoils the new data,
 * or keeps the former data (corrupt=again).
 */
static void fill_slot(struct peer *p, uint64_t n)
{
	uint64_t off = slot_off(p, n);
	struct extent all;

	if (fault_is(p, FAULT_CORRUPT, n) && p->opt.spoil == SPOIL_AGAIN) {
		p->spoiled = true;
		say("fault: operation %" PRIu64 " finds the data of a former one", n);
		return;
	}
	fill_pattern(p->source + off, p->size, n);
	if (!fault_is(p, FAULT_CORRUPT, n))
		return;
	/* spoil_data() changes the data at p->source, which is the slot during the call. */
	p->source += off;
	spoil_data(p, n, true, &all);
	p->source -= off;
}

void fill_slots(struct peer *p)
{
	uint64_t n;

	for (n = 0; n < nr_slots(p); n++)
		fill_slot(p, n);
}

/*
 * Fill the slots of the first @value READs, which are done, with the data of later READs, and send
 * the refill message. The fault credit= sends a wrong number in the message.
 */
void refill_slots(struct peer *p, uint64_t value)
{
	if (value == p->refilled)
		return;
	for (; p->refilled < value; p->refilled++)
		fill_slot(p, p->refilled + nr_slots(p));
	if (p->opt.fault == FAULT_CREDIT) {
		say("fault: refill %" PRIu64, p->opt.number);
		value = p->opt.number;
	}
	send_ctl(p, CTL_REFILL, value, 16);
}
