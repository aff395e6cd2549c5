/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The memory of a region, which a server exports to its clients.
 */
#ifndef KRPING_REGION_MEM_H
#define KRPING_REGION_MEM_H

#include <linux/kref.h>
#include <linux/mutex.h>

#include "memory.h"
#include "status.h"
#include "u64.h"

/**
 * enum krping_region_state - what other clients may do with a client's region
 * @KRPING_REGION_CLOSED: nothing
 * @KRPING_REGION_OPEN_RO: read
 * @KRPING_REGION_OPEN_RW: read and write
 */
enum krping_region_state {
	KRPING_REGION_CLOSED,
	KRPING_REGION_OPEN_RO,
	KRPING_REGION_OPEN_RW,
};

/**
 * struct krping_region_mem - the memory of a region
 * @ref: held by the server, its clients' tests, registrations, and users of an open region
 * @size: size in bytes
 * @identity: random number by which a client recognizes the memory
 * @lock: guards the fields below, except @open, which only the thread of the region's owner writes;
 *	result.c reads @allocated without @lock
 * @keep: keep @pieces while @users is 0, for the server's next client
 * @piece: bytes of a piece; the last piece may be shorter
 * @nr: number of @pieces
 * @pieces: the memory, or NULL before the first use
 * @allocated: bytes of @pieces that are allocated
 * @device: the device for which the pieces are mapped, while there are @users
 * @users: number of registrations of the memory, see attachment.c
 * @open: what other clients may do with the region; only the list of tests reads this member
 */
struct krping_region_mem {
	struct kref ref;
	u64 size;
	u64 identity;
	struct mutex lock; /* see above */
	bool keep;
	u64 piece;
	u32 nr;
	struct krping_buf *pieces;
	aligned_u64 allocated;
	struct ib_device *device;
	u32 users;
	enum krping_region_state open;
};

/* Create the memory of a region. */
struct krping_region_mem *krping_region_mem_create(u64 size, bool keep);

/* Take a reference. */
struct krping_region_mem *krping_region_mem_get(struct krping_region_mem *mem);

/* Drop a reference. */
void krping_region_mem_put(struct krping_region_mem *mem);

/*
 * A registration of the memory begins with _use() or _use_registered(), and ends with _unuse(). A
 * server that ends calls _end().
 */

/* Allocate or map the memory for a registration. */
int krping_region_mem_use(struct krping_region_mem *mem, struct ib_device *device,
			  struct krping_status *status);

/* Use memory that a test has registered; return false if it is not registered with @device. */
bool krping_region_mem_use_registered(struct krping_region_mem *mem,
				      const struct ib_device *device);

/* Return the number of MRs that @device needs for @mem, if @mem is not allocated yet. */
u64 krping_region_mem_pieces(const struct krping_region_mem *mem,
			     const struct ib_device *device);

/* End a registration's use of the memory. */
void krping_region_mem_unuse(struct krping_region_mem *mem);

/* Free the memory, or let its last registration free it. */
void krping_region_mem_end(struct krping_region_mem *mem);

#endif /* KRPING_REGION_MEM_H */
