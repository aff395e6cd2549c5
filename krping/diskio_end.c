// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * End requests of a disk: after their completions, or after a drain of the QPs.
 */
#include <linux/kernel.h>

#include "diskio_req.h"
#include "wait.h"

/* A request survives this number of lost connections, as in nvme. The next loss fails it. */
#define KRPING_DISKIO_RETRIES	5

/**
 * krping_diskio_unmap() - unmap the pages of a request
 * @io: the requests
 * @rq: the request, whose pages are mapped
 *
 * Context: any.
 */
void krping_diskio_unmap(struct krping_diskio *io, struct request *rq)
{
	struct krping_diskio_req *req = blk_mq_rq_to_pdu(rq);

	ib_dma_unmap_sg(krping_diskio_device(io), req->sgl, req->nents,
			krping_diskio_dir(rq));
}

/**
 * krping_diskio_end() - unmap the pages of a request, and end the request
 * @io: the requests
 * @rq: the request; the device no longer accesses the pages
 * @status: the request's result
 *
 * Context: any.
 */
void krping_diskio_end(struct krping_diskio *io, struct request *rq, blk_status_t status)
{
	struct krping_diskio_req *req = blk_mq_rq_to_pdu(rq);

	krping_diskio_unmap(io, rq);
	req->retries = 0;
	blk_mq_end_request(rq, status);
}

/**
 * krping_diskio_succeeded() - end a request that has succeeded, or leave it to the worker
 * @io: the requests
 * @rq: the request
 *
 * If the worker is posting a chain, and the provider completes requests in a softirq on top of the
 * worker, the worker ends these requests together after the post. The user then wakes once for all.
 *
 * Context: any.
 */
void krping_diskio_succeeded(struct krping_diskio *io, struct request *rq)
{
	struct krping_diskio_req *req = blk_mq_rq_to_pdu(rq);

	if (READ_ONCE(req->queue->poster) == current)
		llist_add(&req->entry, &req->queue->succeeded);
	else
		krping_diskio_end(io, rq, BLK_STS_OK);
}

/**
 * krping_diskio_end_succeeded() - end the requests that krping_diskio_succeeded() has left
 * @queue: their queue
 *
 * Context: the worker that has posted a chain, and has reset &krping_diskio_queue.poster.
 */
void krping_diskio_end_succeeded(struct krping_diskio_queue *queue)
{
	struct llist_node *list = llist_reverse_order(llist_del_all(&queue->succeeded));
	struct krping_diskio_req *req, *next;

	llist_for_each_entry_safe(req, next, list, entry)
		krping_diskio_end(queue->io, blk_mq_rq_from_pdu(req), BLK_STS_OK);
}

/**
 * krping_diskio_failed() - end a request that has failed, or let it wait for the next connection
 * @io: the requests
 * @rq: the request; the device no longer accesses the pages
 *
 * The test's thread decides whether to connect again.
 *
 * Context: any.
 */
void krping_diskio_failed(struct krping_diskio *io, struct request *rq)
{
	struct krping_diskio_req *req = blk_mq_rq_to_pdu(rq);

	if (!READ_ONCE(io->requeues) || req->retries == KRPING_DISKIO_RETRIES) {
		krping_diskio_end(io, rq, BLK_STS_IOERR);
		return;
	}
	krping_diskio_unmap(io, rq);
	req->retries++;
	blk_mq_requeue_request(rq, false);
	/* pairs with krping_diskio_end_requeues(): one of both functions kicks the requeue list */
	smp_mb();
	if (!READ_ONCE(io->requeues))
		blk_mq_kick_requeue_list(io->queue);
}

/**
 * krping_diskio_end_later() - let a work item drain the QPs and then end a request
 * @req: the request, which the caller has taken
 *
 * Context: any.
 */
void krping_diskio_end_later(struct krping_diskio_req *req)
{
	llist_add(&req->entry, &req->queue->unposted);
	schedule_work(&req->queue->end_unposted);
}

/**
 * krping_diskio_end_unposted() - drain the QPs, then end the requests of krping_diskio_end_later()
 * @work: &krping_diskio_queue.end_unposted
 *
 * Context: process context.
 */
void krping_diskio_end_unposted(struct work_struct *work)
{
	struct krping_diskio_queue *queue = container_of(work, struct krping_diskio_queue,
							 end_unposted);
	struct krping_diskio_req *req, *next;
	struct llist_node *list;

	/* If the device may still access the pages, the requests never end. */
	if (!krping_cq_drain_qps(queue->path.conn->queue.cq))
		return;
	list = llist_del_all(&queue->unposted);
	llist_for_each_entry_safe(req, next, list, entry)
		krping_diskio_failed(queue->io, blk_mq_rq_from_pdu(req));
}

/* End a posted request. Implements &busy_tag_iter_fn. */
static bool krping_diskio_end_lost_one(KRPING_BUSY_TAG_PARAMS)
{
	if (krping_diskio_take(blk_mq_rq_to_pdu(rq)))
		krping_diskio_failed(data, rq);
	return true;
}

/**
 * krping_diskio_end_lost() - end all posted requests whose completions a faulty device has lost
 * @io: the requests
 *
 * Context: process context. The caller has drained the QPs, and no request is being posted, so a
 * request that has not completed never completes.
 */
void krping_diskio_end_lost(struct krping_diskio *io)
{
	blk_mq_tagset_busy_iter(&io->tags, krping_diskio_end_lost_one, io);
}
