/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * State of the requests of a disk, and the functions that limit, post, poll for and end a request.
 */
#ifndef KRPING_DISKIO_REQ_H
#define KRPING_DISKIO_REQ_H

#include <linux/llist.h>
#include <linux/workqueue.h>

#include "compat_block.h"
#include "disk_mr.h"
#include "disk_path.h"
#include "region.h"
#include "test_ops.h"

/* Maximum number of requests that a worker posts as one chain. */
#define KRPING_DISKIO_CHAIN	16

/**
 * struct krping_diskio_queue - a hardware queue of the block layer, and its connection
 * @io: the disk's requests
 * @path: the connection
 * @share: poll queue: lets tasks that wait for requests poll the connection's CQ
 * @iterations: counts the requests that have succeeded
 * @mrs: MRs of the connection, one for each tag, if requests register their pages
 * @unposted: requests whose posts have failed, although the device may have accepted WRs of them,
 *	and requests that have timed out
 * @handed: requests that a worker is to post
 * @post: posts the requests of @handed
 * @chain: copies of the WRs that @post posts; a request of a chain may end, and its WR may be used
 *	again, before the driver has read the whole chain
 * @nr_handed: number of requests that were handed to the worker and have not ended
 * @inside: number of requests that ended inside their posts, less those that did not
 * @alone: number of requests in a row that found @nr_handed 0
 * @hands_over: the worker posts all requests
 * @poster: worker's task while it posts a chain, else NULL
 * @succeeded: requests that have succeeded while @poster posted a chain, and that @poster ends
 * @end_unposted: drains the QP, and ends the requests of @unposted, or lets them wait for the next
 *	connection
 */
struct krping_diskio_queue {
	struct krping_diskio *io;
	struct krping_disk_path path;
	struct krping_cq_share share;
	u64 *iterations;
	struct krping_disk_mrs mrs;
	struct llist_head handed;
	struct work_struct post;
	struct ib_rdma_wr chain[KRPING_DISKIO_CHAIN];
	atomic_t nr_handed;
	u32 inside;
	u32 alone;
	bool hands_over;
	struct task_struct *poster;
	struct llist_head succeeded;
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
 * @posters: runs &krping_diskio_queue.post; NULL: the submitters post all requests
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
	struct workqueue_struct *posters;
	bool dead;
	bool requeues;
	bool suspended;
	struct request_queue *queue;
	struct blk_mq_tag_set tags;
};

/**
 * struct krping_diskio_req - a request of the disk
 * @cqe: ib_cqe of the request's last WR
 * @queue: hardware queue of the request
 * @entry: in &krping_diskio_queue.handed, &krping_diskio_queue.succeeded or
 *	&krping_diskio_queue.unposted
 * @posted: 1: a completion, a failed post, a timeout or krping_diskio_end_lost() has to end the
 *	request; else 0
 * @by_worker: a worker posts the request, which counts in &krping_diskio_queue.nr_handed
 * @nents: entries of @sgl, before the DMA mapping
 * @retries: how often the request has lost its connection
 * @rdma: the READ or WRITE
 * @proof: iWARP: the READ that follows a WRITE
 * @sge: SGEs of @rdma; one if an MR is used
 * @sgl: the pages
 *
 * The block layer allocates this struct with the request, so I/O allocates no memory.
 */
struct krping_diskio_req {
	struct krping_cqe cqe;
	struct krping_diskio_queue *queue;
	struct llist_node entry;
	atomic_t posted;
	bool by_worker;
	int nents;
	u32 retries;
	struct ib_rdma_wr rdma;
	struct ib_rdma_wr proof;
	struct ib_sge *sge;
	struct scatterlist sgl[];
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
 * krping_diskio_dir() - return the direction of the DMA of a request
 * @rq: the request
 *
 * Return: the direction, for the mapping of the pages.
 */
static inline enum dma_data_direction krping_diskio_dir(struct request *rq)
{
	return rq_data_dir(rq) == WRITE ? DMA_TO_DEVICE : DMA_FROM_DEVICE;
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

/**
 * krping_diskio_take() - check whether the caller is to end a request
 * @req: the request
 *
 * A device may complete a request twice: siw does so with a READ that it flushes before it has sent
 * the READ's first byte. siw may also accept WRs although its post function returns an error.
 *
 * Context: any.
 *
 * Return: true, or false if another context has ended the request, or will.
 */
static inline bool krping_diskio_take(struct krping_diskio_req *req)
{
	if (!atomic_xchg(&req->posted, 0))
		return false;
	if (req->by_worker)
		atomic_dec(&req->queue->nr_handed);
	return true;
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
 * diskio_end.c: _unmap() unmaps the pages of a request that was not posted. _end() ends a request.
 * _succeeded() ends a request that has succeeded, or leaves it to _end_succeeded(). _failed() ends
 * a request, or lets it wait for the next connection, when the device no longer accesses the pages.
 * _end_later() lets the work item _end_unposted() do the same after a drain. _end_lost() ends all
 * posted requests whose completions a faulty device has lost.
 */
void krping_diskio_unmap(struct krping_diskio *io, struct request *rq);
void krping_diskio_end(struct krping_diskio *io, struct request *rq, blk_status_t status);
void krping_diskio_succeeded(struct krping_diskio *io, struct request *rq);
void krping_diskio_end_succeeded(struct krping_diskio_queue *queue);
void krping_diskio_failed(struct krping_diskio *io, struct request *rq);
void krping_diskio_end_later(struct krping_diskio_req *req);
void krping_diskio_end_unposted(struct work_struct *work);
void krping_diskio_end_lost(struct krping_diskio *io);

/*
 * diskio_post.c: _submit() posts a request, or lets the worker _post_handed() do so. _flush_posts()
 * waits until the worker has posted all requests.
 */
void krping_diskio_submit(struct krping_diskio_queue *queue, struct krping_diskio_req *req,
			  struct ib_send_wr *first);
void krping_diskio_post_handed(struct work_struct *work);
void krping_diskio_flush_posts(struct krping_diskio *io);

#endif /* KRPING_DISKIO_REQ_H */
