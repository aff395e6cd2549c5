// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Suspend the requests of a disk, start them again, and wait for flushed requests.
 */
#include <linux/kernel.h>

#include "diskio.h"
#include "qp.h"
#include "wait.h"

/**
 * krping_diskio_flush_unposted() - wait for the work items that drain QPs and then end requests
 * @io: the requests; the caller ensures that no more are posted
 *
 * The work items end requests whose posts have failed, and requests that have timed out.
 *
 * Context: process context.
 */
void krping_diskio_flush_unposted(struct krping_diskio *io)
{
	u32 i;

	for (i = 0; i < io->nr_queues; i++)
		flush_work(&io->queues[i].end_unposted);
}

/*
 * Drain the QPs, and end the requests whose completions a faulty device has lost. If the device may
 * still access their pages, these requests never end.
 */
static void krping_diskio_drain(struct krping_diskio *io)
{
	bool safe = true;
	u32 i;

	/* A request that is posted after the drain would not end. */
	krping_diskio_flush_posts(io);
	for (i = 0; i < io->nr_queues; i++)
		safe &= krping_cq_drain_qps(io->queues[i].path.conn->queue.cq);
	if (safe)
		krping_diskio_end_lost(io);
}

/**
 * krping_diskio_suspend() - let all requests wait for the next connections
 * @io: the requests, a connection of which is lost; the QPs still exist
 *
 * Context: the test's thread. When the function returns, the device accesses no pages of
 * requests, and the block layer passes no request to krping before krping_diskio_resume().
 */
void krping_diskio_suspend(struct krping_diskio *io)
{
	u32 i;

	WRITE_ONCE(io->suspended, true);
	/* When this call returns, no task submits a request, nor will until the resume. */
	blk_mq_quiesce_queue(io->queue);
	for (i = 0; i < io->nr_queues; i++)
		krping_queue_end(&io->queues[i].path.conn->queue);
	krping_diskio_drain(io);
	/*
	 * Wait for the timeout handler, which may be running and uses the QPs and the status. The
	 * handler may have given a request to a work item, and have armed the timer again. So wait
	 * for the work items, too, and then cancel the timer, because no request is in flight.
	 */
	blk_sync_queue(io->queue);
	krping_diskio_flush_unposted(io);
	blk_sync_queue(io->queue);
	krping_diskio_disconnect(io);
}

/**
 * krping_diskio_resume() - start the requests that wait
 * @io: the suspended requests; the caller has set up new connections, or called
 *	krping_diskio_fail()
 */
void krping_diskio_resume(struct krping_diskio *io)
{
	WRITE_ONCE(io->suspended, false);
	blk_mq_unquiesce_queue(io->queue);
	blk_mq_kick_requeue_list(io->queue);
}

/**
 * krping_diskio_end_requeues() - let failed requests end from now on
 * @io: the requests
 *
 * Until this call, a failed request waits for the next connection. The block layer now starts the
 * waiting requests again.
 */
void krping_diskio_end_requeues(struct krping_diskio *io)
{
	WRITE_ONCE(io->requeues, false);
	/* pairs with krping_diskio_failed() */
	smp_mb();
	blk_mq_kick_requeue_list(io->queue);
}

/**
 * krping_diskio_reap_flushed() - wait for the completions of flushed requests
 * @io: the requests, which krping_diskio_fail() has flushed; the QPs still exist
 *
 * Two cases need this call. The completions of poll queues may stay on the CQs, because no task has
 * to poll. And a device may complete a request twice: the second completion must be reaped before
 * the block layer frees the request, which holds the ib_cqe.
 *
 * Context: the test's thread. When the function returns, all posted requests have ended, except
 * those that a work item ends, and the CQs have no completion of a request.
 */
void krping_diskio_reap_flushed(struct krping_diskio *io)
{
	/* Wait for requests that are being posted, because they would complete after the drain. */
	blk_mq_quiesce_queue(io->queue);
	krping_diskio_drain(io);
	blk_mq_unquiesce_queue(io->queue);
}
