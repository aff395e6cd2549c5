/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Requests of a disk, which become RDMA READs and WRITEs of the memory that a server exports.
 */
#ifndef KRPING_DISKIO_H
#define KRPING_DISKIO_H

#include <linux/llist.h>
#include <linux/workqueue.h>

#include "compat_block.h"
#include "disk_mr.h"
#include "disk_path.h"
#include "region.h"
#include "test_ops.h"

/**
 * struct krping_diskio_queue - a hardware queue of the block layer, and its connection
 * @io: the disk's requests
 * @path: the connection
 * @share: poll queue: lets tasks that wait for requests poll the connection's CQ
 * @iterations: counts the requests that have succeeded
 * @mrs: MRs of the connection, one for each tag, if requests register their pages
 * @unposted: requests whose posts have failed, although the device may have accepted WRs of them,
 *	and requests that have timed out
 * @end_unposted: drains the QP, and ends the requests of @unposted, or lets them wait for the next
 *	connection
 */
struct krping_diskio_queue {
	struct krping_diskio *io;
	struct krping_disk_path path;
	struct krping_cq_share share;
	u64 *iterations;
	struct krping_disk_mrs mrs;
	struct llist_head unposted;
	struct work_struct end_unposted;
};

/**
 * struct krping_diskio - state of all requests of a disk
 * @thread: the client's thread
 * @nr_queues: number of @queues
 * @queues: the hardware queues
 * @registers: each request registers its pages, as iWARP requires
 * @segments: maximum number of segments of a request
 * @dead: new requests fail without being posted
 * @requeues: failed requests wait for the next connections, and are posted there again
 * @suspended: there are no connections, and all requests wait for the next ones
 * @queue: the queue of the block layer
 * @tags: the tag set
 */
struct krping_diskio {
	struct krping_thread *thread;
	u32 nr_queues;
	struct krping_diskio_queue *queues;
	bool registers;
	u32 segments;
	bool dead;
	bool requeues;
	bool suspended;
	struct request_queue *queue;
	struct blk_mq_tag_set tags;
};

/**
 * krping_diskio_device() - return the device of a disk's connections
 * @io: the disk's requests
 *
 * Return: the device.
 */
static inline struct ib_device *krping_diskio_device(const struct krping_diskio *io)
{
	return io->queues->path.conn->pd->device;
}

/**
 * krping_diskio_sges() - return the maximum number of SGEs of a READ or WRITE without an MR
 * @device: the device
 *
 * Return: the number.
 */
static inline u32 krping_diskio_sges(const struct ib_device *device)
{
	const struct ib_device_attr *attr = &device->attrs;

	return min3((u32)attr->max_send_sge, (u32)attr->max_sge_rd,
		    (u32)KRPING_SGE_MAX);
}

/*
 * disk_limits.c: _attr() plans the queue of a connection, _limits() sets the limits of requests,
 * and _suits() checks whether new connections suit the allocated requests.
 */
void krping_diskio_attr(const struct ib_device *device, bool iwarp, u32 depth,
			struct krping_queue_attr *attr);
void krping_diskio_limits(const struct krping_diskio *io, struct queue_limits *lim);
bool krping_diskio_suits(const struct krping_diskio *io);

/*
 * disk_poll.c: krping_diskio_reap() and krping_diskio_map_queues() implement &struct blk_mq_ops.
 * krping_diskio_reap_late() reaps completions for which no task has polled.
 */
int krping_diskio_reap(const struct blk_mq_hw_ctx *hctx);
KRPING_MAP_QUEUES_RET krping_diskio_map_queues(struct blk_mq_tag_set *set);
bool krping_diskio_reap_late(struct request *rq);

/*
 * diskio.c: _alloc() and _free() allocate and free the requests. _connect() gives the requests
 * their connections, and _disconnect() takes the connections away. _end_lost() ends the requests
 * whose completions a faulty device has lost.
 */
int krping_diskio_alloc(struct krping_diskio *io, const struct krping_disk_path *paths);
void krping_diskio_free(struct krping_diskio *io);
int krping_diskio_connect(struct krping_diskio *io, const struct krping_disk_path *paths);
void krping_diskio_disconnect(struct krping_diskio *io);
void krping_diskio_end_lost(struct krping_diskio *io);

/* Reject new requests, and flush the posted ones. */
void krping_diskio_fail(struct krping_diskio *io);

/*
 * diskio_stop.c: _flush_unposted() waits for the work items &krping_diskio_queue.end_unposted.
 * _suspend() lets all requests wait for the next connections, and _resume() starts them again.
 * After _end_requeues() a failed request ends instead of waiting for the next connections.
 * _reap_flushed() waits for the completions of flushed requests.
 */
void krping_diskio_flush_unposted(struct krping_diskio *io);
void krping_diskio_suspend(struct krping_diskio *io);
void krping_diskio_resume(struct krping_diskio *io);
void krping_diskio_end_requeues(struct krping_diskio *io);
void krping_diskio_reap_flushed(struct krping_diskio *io);

#endif /* KRPING_DISKIO_H */
