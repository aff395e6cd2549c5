// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Fill, compare and spoil the data of an operation.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

/* Fill in the data of iteration @n, as Documentation/wire.md defines it. */
void fill_pattern(uint8_t *data, uint32_t size, uint64_t n)
{
	char text[48];
	uint32_t len = snprintf(text, sizeof(text), "rdma-ping-%" PRIu64 ": ", n);
	uint32_t i;

	if (len > size - 1)
		len = size - 1;
	memcpy(data, text, len);
	for (i = len; i < size - 1; i++)
		data[i] = 65 + (n + i - len) % 58;
	data[size - 1] = '\0';
}

/* Return: true if @data is the data of iteration @n. */
bool data_is(const uint8_t *data, uint32_t size, uint64_t n)
{
	uint8_t *want = alloc_zeroed(size);
	uint32_t i;

	fill_pattern(want, size, n);
	for (i = 0; i < size; i++)
		if (data[i] != want[i])
			break;
	if (i < size)
		say("error: operation %" PRIu64 ", offset %u: 0x%02x instead of 0x%02x",
		    n, i, data[i], want[i]);
	free(want);
	return i == size;
}

static void swap_pages(uint8_t *a, uint8_t *b)
{
	uint8_t page[SPOIL_PAGE];

	memcpy(page, a, SPOIL_PAGE);
	memcpy(a, b, SPOIL_PAGE);
	memcpy(b, page, SPOIL_PAGE);
}

/*
 * Spoil the data of operation @n, or reduce @e, the part of the data that the operation moves. With
 * @shared, this side does not choose the part that moves, so "short" and "shift" change the data.
 */
void spoil_data(struct peer *p, uint64_t n, bool shared, struct extent *e)
{
	uint32_t quarter = (p->size + 3) / 4;

	switch (p->opt.spoil) {
	case SPOIL_BYTE:
		if (p->opt.number < p->size)
			p->source[p->opt.number] ^= 0x01;
		break;
	case SPOIL_FIRST:
		p->source[0] ^= 0x01;
		break;
	case SPOIL_LAST:
		p->source[p->size - 1] ^= 0x01;
		break;
	case SPOIL_BIT:
		p->source[p->size / 2] ^= 0x10;
		break;
	case SPOIL_PAGES:
		if (p->size < 3 * SPOIL_PAGE)
			die("%u bytes are no three pages", p->size);
		swap_pages(p->source + SPOIL_PAGE, p->source + 2 * SPOIL_PAGE);
		break;
	case SPOIL_STALE:
		/* In ping, the server returns the client's data. It has kept the previous data. */
		if (p->test == TEST_PING && p->opt.role == SERVER)
			memcpy(p->source, p->before, p->size);
		else
			fill_pattern(p->source, p->size, n ? n - 1 : 1);
		break;
	case SPOIL_AGAIN:
		if (n < nr_slots(p))
			die("the slot of operation %" PRIu64 " has no former data", n);
		fill_pattern(p->source, p->size, n - nr_slots(p));
		break;
	case SPOIL_SWAP:
		fill_pattern(p->source, p->size, n + 1);
		break;
	case SPOIL_LATE:
		e->len = 0;
		break;
	case SPOIL_SHORT:
		if (shared)
			memset(p->source + p->size - quarter, 0, quarter);
		else
			e->len -= quarter;
		break;
	case SPOIL_SHIFT:
		if (shared) {
			memmove(p->source + 1, p->source, p->size - 1);
		} else {
			e->off += 1;
			e->len -= 1;
		}
		break;
	}
	p->spoiled = true;
	say("fault: corrupt %s, operation %" PRIu64, spoil_name[p->opt.spoil], n);
}
