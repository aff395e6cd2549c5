// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Poll queues of a disk (option poll): a second set of hardware queues, whose CQs raise no
 * interrupts (IB_POLL_DIRECT).
 *
 * Tasks that poll, as io_uring does with IORING_SETUP_IOPOLL, reap their own completions. If no
 * task polls, requests still end. The test's thread polls the CQs when it checks that the
 * connections work, and when it drains the CQs. The timeout handler of a request polls the CQ, too.
 */
#include <linux/kernel.h>
#include <linux/rcupdate.h>

#include "diskio_req.h"
#include "wait.h"

/**
 * krping_diskio_reap() - handle completions for a task that waits for a request
 * @hctx: the poll queue
 *
 * On kernels before 5.16 (2022-01), a task may still poll after the last request of the disk has
 * ended, so krping_diskio_free() waits for such a task.
 *
 * Return: number of completions handled.
 */
int krping_diskio_reap(const struct blk_mq_hw_ctx *hctx)
{
	struct krping_diskio_queue *queue;
	int reaped = 0;

	rcu_read_lock();
	queue = READ_ONCE(hctx->driver_data);
	if (queue)
		reaped = krping_cq_share_poll(&queue->share);
	/* pairs with synchronize_rcu() in krping_diskio_free() */
	rcu_read_unlock();
	return reaped;
}

/**
 * krping_diskio_map_queues() - map each CPU to a hardware queue, and to a poll queue
 * @set: the tag set
 *
 * Implements &blk_mq_ops.map_queues. The map of READs gets no queues, so READs use the default map.
 * With the map that the block layer presets for READs, all READs would use the first queue.
 *
 * Return: as &blk_mq_ops.map_queues of this kernel.
 */
KRPING_MAP_QUEUES_RET krping_diskio_map_queues(struct blk_mq_tag_set *set)
{
	const struct krping_diskio *io = set->driver_data;
	struct blk_mq_queue_map *map = set->map;

	/* The block layer of a crash kernel reduces the hardware queues to one. */
	map[HCTX_TYPE_DEFAULT].nr_queues = min(io->thread->opts.qps, set->nr_hw_queues);
	map[HCTX_TYPE_DEFAULT].queue_offset = 0;
	blk_mq_map_queues(&map[HCTX_TYPE_DEFAULT]);
	if (set->nr_maps > HCTX_TYPE_POLL) {
		map[HCTX_TYPE_READ].nr_queues = 0;
		map[HCTX_TYPE_POLL].nr_queues = io->nr_queues - io->thread->opts.qps;
		map[HCTX_TYPE_POLL].queue_offset = io->thread->opts.qps;
		blk_mq_map_queues(&map[HCTX_TYPE_POLL]);
	}
	return krping_queues_mapped();
}

/**
 * krping_diskio_reap_late() - reap the completion of a request for which no task has polled
 * @rq: the request, which has timed out; the caller ensures that the request is not freed
 *
 * Context: process.
 *
 * Return: true if the request has ended or waits for another connection.
 */
bool krping_diskio_reap_late(struct request *rq)
{
	struct krping_diskio_queue *queue = rq->mq_hctx->driver_data;
	u32 polls = queue->io->tags.queue_depth;

	/* Bound the number of polls, because completions of new requests may arrive endlessly. */
	while (blk_mq_request_started(rq) && polls--)
		if (krping_cq_share_poll_wait(&queue->share) <= 0)
			break;
	return !blk_mq_request_started(rq);
}
