/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Requests of a disk, which become RDMA READs and WRITEs of a server's region.
 */
#ifndef KRPING_DISKIO_H
#define KRPING_DISKIO_H

#include <linux/llist.h>
#include <linux/workqueue.h>

#include "compat_block.h"
#include "disk_mr.h"
#include "region.h"
#include "test_ops.h"

/**
 * struct krping_diskio - state that the requests of a disk share
 * @thread: the client's thread
 * @conn: the connection
 * @region: the server's memory
 * @sink: SGE of one byte, into which a READ proves that a WRITE is placed
 * @registers: each request registers its pages, as iWARP requires
 * @segments: segments of a request
 * @mrs: MRs of the connection, one for each tag, if @registers
 * @dead: no request is posted any more
 * @requeues: a request that fails is repeated after the connection was made again
 * @suspended: there is no connection, and requests wait
 * @queue: the queue of the block layer
 * @tags: the tag set
 * @unposted: requests whose chain the device has accepted in part
 * @end_unposted: drains the QP, and ends the requests of @unposted
 */
struct krping_diskio {
	struct krping_thread *thread;
	struct krping_conn *conn;
	const struct krping_region *region;
	struct ib_sge sink;
	bool registers;
	u32 segments;
	struct krping_disk_mrs mrs;
	bool dead;
	bool requeues;
	bool suspended;
	struct request_queue *queue;
	struct blk_mq_tag_set tags;
	struct llist_head unposted;
	struct work_struct end_unposted;
};

int krping_diskio_alloc(struct krping_diskio *io);
void krping_diskio_free(struct krping_diskio *io);
void krping_diskio_attr(const struct ib_device *device, bool iwarp, u32 depth,
			struct krping_queue_attr *attr);
void krping_diskio_limits(const struct krping_diskio *io, struct queue_limits *lim);
int krping_diskio_connect(struct krping_diskio *io, const struct krping_region *region,
			  const struct ib_sge *sink);
void krping_diskio_disconnect(struct krping_diskio *io);
bool krping_diskio_suits(const struct krping_diskio *io);
void krping_diskio_suspend(struct krping_diskio *io);
void krping_diskio_resume(struct krping_diskio *io);
void krping_diskio_end_requeues(struct krping_diskio *io);
void krping_diskio_fail(struct krping_diskio *io);

#endif /* KRPING_DISKIO_H */
