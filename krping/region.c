// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A client's view of the memory that its server exports. The client does not trust the server's
 * list of pieces: it checks the number and the sizes of the pieces before it uses them. The
 * server's device checks the address and the rkey of each request.
 */
#include <linux/kernel.h>

#include "region.h"

/* Maximum length of a list of pieces that a client accepts, in bytes. */
#define KRPING_REGION_LIST_MAX	(16U << 20)

/**
 * krping_region_count() - check the region's size and the length of its list of pieces
 * @r: the region, whose size the caller has set
 * @list_bytes: length of the list in bytes
 *
 * Return: the number of pieces, at least 1; -EPROTO if the region is empty, or if the list is
 * empty, too long or not a whole number of adverts.
 */
int krping_region_count(const struct krping_region *r, u32 list_bytes)
{
	if (!r->size || !list_bytes || list_bytes > KRPING_REGION_LIST_MAX ||
	    list_bytes % sizeof(struct krping_wire_msg))
		return -EPROTO;
	return list_bytes / sizeof(struct krping_wire_msg);
}

/**
 * krping_region_add() - store the next pieces of the list
 * @r: the region
 * @msg: adverts of the next pieces (address, rkey and size), aligned
 * @nr: number of adverts
 *
 * Return: 0; -EPROTO if @nr exceeds the number of missing pieces, if a piece is empty, if a piece
 * other than the last one is smaller than KRPING_REGION_PIECE_MIN, or if the sizes of all pieces
 * do not add up to the size of the region.
 */
int krping_region_add(struct krping_region *r, const struct krping_wire_msg *msg, u32 nr)
{
	u64 end = r->nr_known ? r->pieces[r->nr_known - 1].end : 0;
	u32 i;

	if (nr > r->nr_pieces - r->nr_known)
		return -EPROTO;
	for (i = 0; i < nr; i++) {
		struct krping_region_piece *piece = &r->pieces[r->nr_known];
		bool last = ++r->nr_known == r->nr_pieces;
		struct krping_advert advert;

		krping_wire_msg_decode(&msg[i], &advert);
		if (!advert.size || (!last && advert.size < KRPING_REGION_PIECE_MIN))
			return -EPROTO;
		end += advert.size;
		if (end > r->size || (last && end != r->size))
			return -EPROTO;
		piece->addr = advert.addr;
		piece->rkey = advert.rkey;
		piece->end = end;
	}
	return 0;
}

/**
 * krping_region_stride() - return the distance between the offsets of successive pieces
 * @r: the region, complete
 *
 * Return: the size of the first piece in bytes, if all pieces have this size, except the last
 * one, which may be smaller; else 0.
 */
u64 krping_region_stride(const struct krping_region *r)
{
	u64 stride = r->pieces->end;
	u32 i;

	for (i = 1; i < r->nr_pieces; i++) {
		u64 size = r->pieces[i].end - r->pieces[i - 1].end;

		if (size > stride || (size != stride && i != r->nr_pieces - 1))
			return 0;
	}
	return stride;
}

/**
 * krping_region_has() - check whether bytes are within the region
 * @r: the region
 * @offset: first byte
 * @len: number of bytes
 *
 * Return: true if all bytes are within the region.
 */
bool krping_region_has(const struct krping_region *r, u64 offset, u32 len)
{
	return len <= r->size && offset <= r->size - len;
}

/**
 * krping_region_find() - find the piece of a byte
 * @r: the region, complete
 * @offset: offset of the byte
 * @start: set to the offset of the piece's first byte
 *
 * Return: the piece; the last one for an offset beyond the region.
 */
const struct krping_region_piece *
krping_region_find(const struct krping_region *r, u64 offset, u64 *start)
{
	u32 low = 0, high = r->nr_pieces - 1;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (offset < r->pieces[middle].end)
			high = middle;
		else
			low = middle + 1;
	}
	*start = low ? r->pieces[low - 1].end : 0;
	return &r->pieces[low];
}
