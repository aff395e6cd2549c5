// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Post the requests of a disk.
 *
 * The task that submits a request also posts it, which is the fastest way for a device that works
 * on its own. A software provider, however, may do all work of a request on the CPU that posts it.
 * If the requests of a queue end inside their posts, and the user has several in flight, a worker
 * posts them instead, in chains. The submitter and the provider then work on two CPUs.
 *
 * With such a provider a queue never has more than one request in flight. So now and then the
 * submitter hands one request to the worker. If another request arrives before this one has ended,
 * the worker posts all requests, until they arrive one at a time.
 *
 * On iWARP a request has several WRs, and does not end inside its post. No worker posts it.
 */
#include <linux/kernel.h>
#include <linux/sched.h>

#include "diskio_req.h"
#include "trace.h"
#include "wr.h"

/* Number of requests that end inside their posts before the worker posts one. */
#define KRPING_DISKIO_PROBE	128

/* Number of requests in a row that arrive while the worker has none, before the submitters post. */
#define KRPING_DISKIO_ALONE	16

/* Note the CPU that posts a request, and trace the post. */
static void krping_diskio_note(const struct krping_diskio_req *req)
{
	const struct krping_queue *q = req->cqe.queue;

	if (trace_krping_post_enabled())
		trace_krping_post(q->status->id, q->conn_idx, q->qp_num,
				  req->cqe.op == KRPING_OP_WRITE ? "RDMA WRITE" : "RDMA READ", 1,
				  true);
	krping_place_note(q->cq->place->posted);
}

/*
 * Post WRs. local_bh_enable() runs pending softirqs at once. A software provider works in tasklets,
 * which would otherwise wait for ksoftirqd.
 */
static int krping_diskio_post_wrs(struct krping_queue *q, struct ib_send_wr *first,
				  const struct ib_send_wr **bad)
{
	int ret;

	local_bh_disable();
	ret = krping_queue_post_until(q, first, bad);
	local_bh_enable();
	return ret;
}

/*
 * Post the WRs of a request. If the post fails and the driver does not name the first WR as the
 * rejected one, WRs may still access the pages, so a work item drains the QPs and ends the request.
 * Otherwise this function ends the request itself.
 */
static void krping_diskio_post(struct krping_diskio_req *req, struct ib_send_wr *first)
{
	const struct ib_send_wr *bad = NULL;
	int ret;

	krping_diskio_note(req);
	atomic_set(&req->posted, 1);
	ret = krping_diskio_post_wrs(req->cqe.queue, first, &bad);
	if (likely(!ret) || !krping_diskio_take(req))
		return;
	if (bad == first)
		krping_diskio_failed(req->queue->io, blk_mq_rq_from_pdu(req));
	else
		krping_diskio_end_later(req);
}

/*
 * Handle the failure of krping_diskio_post_chain(). Requests in front of the rejected one are
 * posted: they may have ended, and may be in use again. Requests behind it are not posted yet. If
 * the driver names no request of the chain, each of them may be posted.
 */
static void krping_diskio_post_failed(struct krping_diskio_queue *queue,
				      struct krping_diskio_req **reqs, u32 nr,
				      const struct ib_send_wr *bad)
{
	u32 i, rejected = 0;

	while (rejected < nr && bad != &queue->chain[rejected].wr)
		rejected++;
	if (rejected == nr) {
		for (i = 0; i < nr; i++)
			if (krping_diskio_take(reqs[i]))
				krping_diskio_end_later(reqs[i]);
		return;
	}
	if (krping_diskio_take(reqs[rejected]))
		krping_diskio_failed(queue->io, blk_mq_rq_from_pdu(reqs[rejected]));
	for (i = rejected + 1; i < nr; i++)
		krping_diskio_post(reqs[i], &reqs[i]->rdma.wr);
}

/* Post requests of one WR each as a chain. */
static void krping_diskio_post_chain(struct krping_diskio_queue *queue,
				     struct krping_diskio_req **reqs, u32 nr)
{
	struct krping_queue *q = reqs[0]->cqe.queue;
	const struct ib_send_wr *bad = NULL;
	int ret;
	u32 i;

	for (i = 0; i < nr; i++) {
		krping_diskio_note(reqs[i]);
		queue->chain[i] = reqs[i]->rdma;
		queue->chain[i].wr.next = i + 1 < nr ? &queue->chain[i + 1].wr : NULL;
		atomic_set(&reqs[i]->posted, 1);
	}
	WRITE_ONCE(queue->poster, current);
	ret = krping_diskio_post_wrs(q, &queue->chain[0].wr, &bad);
	WRITE_ONCE(queue->poster, NULL);
	krping_diskio_end_succeeded(queue);
	if (unlikely(ret))
		krping_diskio_post_failed(queue, reqs, nr, bad);
}

/**
 * krping_diskio_post_handed() - post the requests that krping_diskio_submit() has handed over
 * @work: &krping_diskio_queue.post
 *
 * Context: process context.
 */
void krping_diskio_post_handed(struct work_struct *work)
{
	struct krping_diskio_queue *queue = container_of(work, struct krping_diskio_queue, post);
	struct krping_diskio_req *reqs[KRPING_DISKIO_CHAIN];
	struct krping_diskio_req *req, *next;
	struct llist_node *list;
	u32 nr = 0;

	while ((list = llist_del_all(&queue->handed))) {
		llist_for_each_entry_safe(req, next, llist_reverse_order(list), entry) {
			reqs[nr++] = req;
			if (nr < KRPING_DISKIO_CHAIN)
				continue;
			krping_diskio_post_chain(queue, reqs, nr);
			nr = 0;
		}
		if (nr)
			krping_diskio_post_chain(queue, reqs, nr);
		nr = 0;
		cond_resched();
	}
}

/*
 * Decide whether the worker posts a request. Tasks that submit at the same time may change the
 * numbers at the same time; a lost change only delays the decision.
 */
static bool krping_diskio_hands_over(struct krping_diskio_queue *queue)
{
	if (atomic_read(&queue->nr_handed)) {
		WRITE_ONCE(queue->alone, 0);
		WRITE_ONCE(queue->hands_over, true);
		return true;
	}
	if (READ_ONCE(queue->hands_over)) {
		u32 alone = READ_ONCE(queue->alone) + 1;

		WRITE_ONCE(queue->alone, alone);
		if (alone < KRPING_DISKIO_ALONE)
			return true;
		WRITE_ONCE(queue->hands_over, false);
		return false;
	}
	if (READ_ONCE(queue->inside) < KRPING_DISKIO_PROBE)
		return false;
	WRITE_ONCE(queue->inside, 0);
	return true;
}

/*
 * Count a request that the submitter has posted. The request may have ended, but its memory stays
 * until a grace period has passed: see krping_diskio_free().
 */
static void krping_diskio_posted(struct krping_diskio_queue *queue,
				 const struct krping_diskio_req *req)
{
	u32 inside = READ_ONCE(queue->inside);

	if (!atomic_read(&req->posted))
		WRITE_ONCE(queue->inside, inside + 1);
	else if (inside)
		WRITE_ONCE(queue->inside, inside - 1);
}

/**
 * krping_diskio_submit() - post a request, or let the worker post it
 * @queue: the request's queue
 * @req: the request, whose WRs are built; it ends when its last WR completes, or if the post fails
 * @first: the first WR
 *
 * Context: process context.
 */
void krping_diskio_submit(struct krping_diskio_queue *queue, struct krping_diskio_req *req,
			  struct ib_send_wr *first)
{
	req->by_worker = queue->io->posters && krping_diskio_hands_over(queue);
	if (!req->by_worker) {
		krping_diskio_post(req, first);
		krping_diskio_posted(queue, req);
		return;
	}
	atomic_inc(&queue->nr_handed);
	if (llist_add(&req->entry, &queue->handed))
		queue_work(queue->io->posters, &queue->post);
}

/**
 * krping_diskio_flush_posts() - wait until the worker has posted all requests
 * @io: the requests; the caller ensures that no more are submitted
 *
 * Context: process context.
 */
void krping_diskio_flush_posts(struct krping_diskio *io)
{
	u32 i;

	for (i = 0; i < io->nr_queues; i++)
		flush_work(&io->queues[i].post);
}
