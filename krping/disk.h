/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A block device whose data is in a server's memory.
 */
#ifndef KRPING_DISK_H
#define KRPING_DISK_H

#include <rdma/ib_verbs.h>

#include "disk_path.h"
#include "test_ops.h"

struct krping_disk;

#if IS_ENABLED(CONFIG_BLOCK)

/* Plan the queue of a disk's connection, which has at most @depth requests in flight. */
void krping_disk_attr(const struct ib_device *device, bool iwarp, u32 depth,
		      struct krping_queue_attr *attr);
/* Make the thread's disk, or give the suspended disk its new connections. */
int krping_disk_attach(struct krping_thread *thread, const struct krping_disk_path *paths);
/* Let the requests wait for the next krping_disk_attach(). */
void krping_disk_suspend(struct krping_disk *disk);
/* Remove the disk of a thread, if any. */
void krping_disk_remove(struct krping_thread *thread);

/* disk_reconnect.c: connect again after a lost connection. */
int krping_disk_reconnect(struct krping_thread *thread);

#else

static inline void krping_disk_attr(const struct ib_device *device, bool iwarp,
				    u32 depth, struct krping_queue_attr *attr)
{
}

static inline int krping_disk_attach(struct krping_thread *thread,
				     const struct krping_disk_path *paths)
{
	return krping_status_set(thread->status, -EOPNOTSUPP,
				 "disk: this kernel has no block layer");
}

static inline void krping_disk_remove(struct krping_thread *thread)
{
}

static inline int krping_disk_reconnect(struct krping_thread *thread)
{
	return -ENOTCONN;
}

#endif

#endif /* KRPING_DISK_H */
