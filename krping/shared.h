/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory that all clients of a server use.
 */
#ifndef KRPING_SHARED_H
#define KRPING_SHARED_H

#include <linux/kref.h>
#include <linux/mutex.h>

#include "memory.h"
#include "status.h"

/**
 * struct krping_shared - memory that all clients of a server use
 * @ref: the server and its clients hold it
 * @size: its bytes
 * @identity: random number by which a client recognizes the memory
 * @lock: guards the fields below
 * @piece: bytes of a piece; the last one may be shorter
 * @nr: number of @pieces
 * @pieces: the memory, or NULL before the first client
 * @device: the device for which the pieces are mapped, while there are @users
 * @users: clients that use it
 */
struct krping_shared {
	struct kref ref;
	u64 size;
	u64 identity;
	struct mutex lock; /* see above */
	u64 piece;
	u32 nr;
	struct krping_buf *pieces;
	struct ib_device *device;
	u32 users;
};

struct krping_shared *krping_shared_create(u64 size);
struct krping_shared *krping_shared_get(struct krping_shared *shared);
void krping_shared_put(struct krping_shared *shared);
int krping_shared_use(struct krping_shared *shared, struct ib_device *device,
		      struct krping_status *status);
void krping_shared_unuse(struct krping_shared *shared);

u64 krping_piece_size(const struct ib_device *device);
int krping_piece_check(u64 size, struct krping_status *status);

#endif /* KRPING_SHARED_H */
