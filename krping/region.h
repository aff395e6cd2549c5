/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A client's view of a region, the memory that its server exports in pieces. This
 * file and region.c use no RDMA types and also build in user space for the tests.
 */
#ifndef KRPING_REGION_H
#define KRPING_REGION_H

#include <linux/types.h>

#include "wire.h"

/**
 * struct krping_region_piece - a piece of a region, whose bytes one remote key covers
 * @end: offset of the first byte after the piece
 * @addr: remote address of the piece
 * @rkey: remote key of the piece
 */
struct krping_region_piece {
	u64 end;
	u64 addr;
	u32 rkey;
};

/**
 * struct krping_region - a region
 * @size: size in bytes
 * @identity: random number of the server, by which a client that connects again recognizes the
 *	region
 * @writable: the client may WRITE
 * @shared: the memory outlives the connection
 * @nr_pieces: number of @pieces
 * @nr_known: number of @pieces that krping_region_add() has stored
 * @pieces: the pieces, in the order of their offsets; the caller allocates and frees the array
 */
struct krping_region {
	u64 size;
	u64 identity;
	bool writable;
	bool shared;
	u32 nr_pieces;
	u32 nr_known;
	struct krping_region_piece *pieces;
};

/* Check the region's size and the length of its list. Return the number of pieces, or -EPROTO. */
int krping_region_count(const struct krping_region *r, u32 list_bytes);

/* Store the next @nr pieces of the list, which the client has READ from the server into @msg. */
int krping_region_add(struct krping_region *r, const struct krping_wire_msg *msg, u32 nr);

/* Return the distance between the offsets of successive pieces. */
u64 krping_region_stride(const struct krping_region *r);

/* Check whether bytes are within the region. */
bool krping_region_has(const struct krping_region *r, u64 offset, u32 len);

/* Find the piece that holds the byte at @offset; set @start to the offset of the piece. */
const struct krping_region_piece *
krping_region_find(const struct krping_region *r, u64 offset, u64 *start);

#endif /* KRPING_REGION_H */
