// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requests of a disk, which become RDMA READs and WRITEs of the memory that a server exports.
 *
 * A request ends only when its last WR completes, with success or flushed, because the device may
 * access the pages until then. The timeout handler therefore ends no request itself, but moves the
 * QPs to the error state, which flushes all requests. A request whose completion a faulty device
 * loses ends after a drain of the QPs. With the option reconnect, a flushed request waits for the
 * next connection.
 *
 * RoCE and InfiniBand: one WR per request, whose SGEs have the PD's local DMA lkey. The
 * acknowledgment of a WRITE proves its arrival.
 *
 * iWARP: each request registers its pages, because the sink of a READ needs a key with remote
 * rights. READ_WITH_INV invalidates this key before the request ends. The key of a WRITE has
 * no remote rights, and stays valid until the next request with the same tag.
 * A WRITE completes when TCP has accepted the data, so a READ of one byte follows. The response
 * proves that the server has placed the data, and that TCP no longer needs the pages.
 */
#include <linux/kernel.h>

#include "diskio.h"
#include "qp.h"
#include "trace.h"
#include "wait.h"
#include "wr.h"

/* Maximum number of segments of a request that registers its pages. */
#define KRPING_DISKIO_SEGMENTS	128

/* Timeout of requests with timeout=0 (none), in seconds. The block layer needs a timeout. */
#define KRPING_DISKIO_NO_TIMEOUT	(7 * 24 * 3600)

/*
 * Handle the completion of a request's last WR. Called in the CQ's context.
 *
 * Do not call krping_cq_progress(). The thread's wait must time out even while requests complete,
 * because the thread then sends a keep-alive message.
 */
static void krping_diskio_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct krping_diskio_req *req = container_of(wc->wr_cqe, struct krping_diskio_req,
						     cqe.cqe);
	struct request *rq = blk_mq_rq_from_pdu(req);
	struct krping_diskio *io = req->queue->io;
	struct krping_queue *q = req->cqe.queue;

	if (unlikely(!krping_diskio_take(req)))
		return;
	if (unlikely(wc->status != IB_WC_SUCCESS)) {
		krping_wc_failed(q, req->cqe.op, wc);
		krping_diskio_failed(io, rq);
		return;
	}
	krping_place_note(q->cq->place->handled);
	krping_count(rq_data_dir(rq) == WRITE ? &q->stats->write : &q->stats->read,
		     blk_rq_bytes(rq));
	krping_u64_write(req->queue->iterations, *req->queue->iterations + 1);
	if (io->registers)
		req->queue->mrs.mr[rq->tag].valid = rq_data_dir(rq) == WRITE;
	krping_diskio_succeeded(io, rq);
}

/* Map the pages and return the number of DMA segments, or 0 if the pages cannot be mapped. */
static int krping_diskio_map(struct krping_diskio *io, struct request *rq)
{
	struct krping_diskio_req *req = blk_mq_rq_to_pdu(rq);

	req->nents = krping_blk_map_sg(rq, req->sgl);
	return ib_dma_map_sg(krping_diskio_device(io), req->sgl, req->nents,
			     krping_diskio_dir(rq));
}

/* Fill in the READ or WRITE of a request, except the SGEs. */
static void krping_diskio_build(const struct krping_region *region, struct request *rq,
				int nr_sge)
{
	struct krping_diskio_req *req = blk_mq_rq_to_pdu(rq);
	u64 offset = blk_rq_pos(rq) << SECTOR_SHIFT;
	const struct krping_region_piece *piece;
	u64 start;

	piece = krping_region_find(region, offset, &start);
	req->cqe.op = rq_data_dir(rq) == WRITE ? KRPING_OP_WRITE : KRPING_OP_READ;
	req->rdma.remote_addr = piece->addr + (offset - start);
	req->rdma.rkey = piece->rkey;
	req->rdma.wr.opcode = rq_data_dir(rq) == WRITE ? IB_WR_RDMA_WRITE :
			      IB_WR_RDMA_READ;
	req->rdma.wr.num_sge = nr_sge;
}

/* Build the chain of RoCE and InfiniBand: one WR, whose SGEs have the local DMA lkey. */
static struct ib_send_wr *krping_diskio_build_local(const struct krping_disk_path *path,
						    struct request *rq, int mapped)
{
	struct krping_diskio_req *req = blk_mq_rq_to_pdu(rq);
	struct scatterlist *sg;
	int i;

	for_each_sg(req->sgl, sg, mapped, i) {
		req->sge[i].addr = sg_dma_address(sg);
		req->sge[i].length = sg_dma_len(sg);
		req->sge[i].lkey = path->conn->pd->local_dma_lkey;
	}
	krping_diskio_build(path->region, rq, mapped);
	return &req->rdma.wr;
}

/* Build the READ that proves the arrival of a WRITE. */
static void krping_diskio_build_proof(struct krping_diskio_req *req)
{
	struct krping_disk_path *path = &req->queue->path;

	req->proof.wr.opcode = IB_WR_RDMA_READ;
	req->proof.wr.wr_cqe = &req->cqe.cqe;
	req->proof.wr.send_flags = IB_SEND_SIGNALED;
	req->proof.wr.sg_list = &path->sink;
	req->proof.wr.num_sge = 1;
	req->proof.remote_addr = path->region->pieces->addr;
	req->proof.rkey = path->region->pieces->rkey;
}

/* Build the chain of iWARP. Return its first WR, or NULL if the device cannot map the pages. */
static struct ib_send_wr *krping_diskio_build_registered(struct krping_diskio_queue *queue,
							 struct request *rq, int mapped)
{
	struct krping_diskio_req *req = blk_mq_rq_to_pdu(rq);
	struct krping_disk_mr *m = &queue->mrs.mr[rq->tag];
	bool write = rq_data_dir(rq) == WRITE;
	int access = IB_ACCESS_LOCAL_WRITE;

	m->inv.ex.invalidate_rkey = m->mr->rkey;
	if (!write)
		access |= IB_ACCESS_REMOTE_WRITE;
	if (!krping_disk_mr_renew(m, req->sgl, mapped, blk_rq_bytes(rq), access, req->sge))
		return NULL;
	m->reg.wr.next = &req->rdma.wr;
	krping_diskio_build(queue->path.region, rq, 1);
	if (write) {
		krping_diskio_build_proof(req);
		req->rdma.wr.wr_cqe = krping_queue_cqe(req->cqe.queue, KRPING_OP_WRITE);
		req->rdma.wr.send_flags = 0;
		req->rdma.wr.next = &req->proof.wr;
	} else {
		req->cqe.op = KRPING_OP_READ_INV;
		req->rdma.wr.wr_cqe = &req->cqe.cqe;
		req->rdma.wr.send_flags = IB_SEND_SIGNALED;
		req->rdma.wr.opcode = IB_WR_RDMA_READ_WITH_INV;
		req->rdma.wr.ex.invalidate_rkey = m->mr->rkey;
		req->rdma.wr.next = NULL;
	}
	return m->valid ? &m->inv : &m->reg.wr;
}

/* Map a request, build its WRs, and post them. Implements &blk_mq_ops.queue_rq. */
static blk_status_t krping_diskio_queue_rq(struct blk_mq_hw_ctx *hctx,
					   const struct blk_mq_queue_data *bd)
{
	struct krping_diskio_queue *queue = hctx->driver_data;
	struct krping_diskio *io = queue->io;
	struct request *rq = bd->rq;
	struct ib_send_wr *first;
	int mapped;

	if (unlikely(READ_ONCE(io->dead)))
		return BLK_STS_IOERR;
	if (unlikely(req_op(rq) != REQ_OP_READ && req_op(rq) != REQ_OP_WRITE))
		return BLK_STS_NOTSUPP;
	mapped = krping_diskio_map(io, rq);
	if (unlikely(!mapped))
		return BLK_STS_RESOURCE;
	if (io->registers)
		first = krping_diskio_build_registered(queue, rq, mapped);
	else
		first = krping_diskio_build_local(&queue->path, rq, mapped);
	if (unlikely(!first)) {
		krping_diskio_unmap(io, rq);
		return BLK_STS_IOERR;
	}
	blk_mq_start_request(rq);
	krping_diskio_submit(queue, blk_mq_rq_to_pdu(rq), first);
	return BLK_STS_OK;
}

/* Move the QPs to the error state, which flushes and so completes all posted requests. */
static void krping_diskio_flush(struct krping_diskio *io)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	u32 i;

	for (i = 0; i < io->nr_queues; i++) {
		struct ib_qp *qp = io->queues[i].path.conn->queue.qp;

		if (qp)
			ib_modify_qp(qp, &attr, IB_QP_STATE);
	}
}

/**
 * krping_diskio_fail() - reject new requests, and flush the posted ones
 * @io: the requests; the posted ones end, with an error, when their flushed WRs complete
 *
 * Context: process context.
 */
void krping_diskio_fail(struct krping_diskio *io)
{
	WRITE_ONCE(io->dead, true);
	krping_diskio_flush(io);
}

/*
 * If the request has a completion that no task has polled, reap the completion. Otherwise record
 * the error for the test's thread, and flush the QPs, which completes all requests. A faulty device
 * may have lost the completion of this request, so a work item ends the request after a drain. The
 * test's thread cannot end the request while the thread itself waits for requests, as in
 * krping_blk_add_disk().
 */
static enum blk_eh_timer_return krping_diskio_timeout(KRPING_TIMEOUT_PARAMS)
{
	struct krping_diskio_req *req = blk_mq_rq_to_pdu(rq);
	struct krping_diskio *io = rq->q->queuedata;

	if (krping_diskio_reap_late(rq))
		return BLK_EH_DONE;
	krping_status_set(io->thread->status, -ETIMEDOUT,
			  "a request of the disk did not complete within timeout=%u ms",
			  io->thread->opts.timeout);
	if (READ_ONCE(io->requeues))
		krping_diskio_flush(io);
	else
		krping_diskio_fail(io);
	if (krping_diskio_take(req))
		krping_diskio_end_later(req);
	return BLK_EH_RESET_TIMER;
}

/* Set the members that never change. The block layer has zeroed the request's memory. */
static int krping_diskio_init_request(struct blk_mq_tag_set *set, struct request *rq,
				      unsigned int hctx_idx, KRPING_NUMA_NODE node)
{
	struct krping_diskio_req *req = blk_mq_rq_to_pdu(rq);
	struct krping_diskio *io = set->driver_data;

	req->queue = &io->queues[hctx_idx];
	req->cqe.cqe.done = krping_diskio_done;
	req->cqe.queue = &req->queue->path.conn->queue;
	req->sge = (struct ib_sge *)&req->sgl[io->segments];
	/* Initialize the table only once, because blk_rq_map_sg() moves the table's end mark. */
	sg_init_table(req->sgl, io->segments);
	req->rdma.wr.wr_cqe = &req->cqe.cqe;
	req->rdma.wr.send_flags = IB_SEND_SIGNALED;
	req->rdma.wr.sg_list = req->sge;
	return 0;
}

static int krping_diskio_init_hctx(struct blk_mq_hw_ctx *hctx, void *data,
				   unsigned int hctx_idx)
{
	struct krping_diskio *io = data;

	hctx->driver_data = &io->queues[hctx_idx];
	return 0;
}

/* Let krping_diskio_reap() ignore a hardware queue that the block layer removes. */
static void krping_diskio_exit_hctx(struct blk_mq_hw_ctx *hctx, unsigned int hctx_idx)
{
	/* pairs with krping_diskio_reap() */
	WRITE_ONCE(hctx->driver_data, NULL);
}

static int krping_diskio_poll(KRPING_POLL_PARAMS)
{
	return krping_diskio_reap(hctx);
}

static const struct blk_mq_ops krping_diskio_ops = {
	.init_hctx	= krping_diskio_init_hctx,
	.exit_hctx	= krping_diskio_exit_hctx,
	.map_queues	= krping_diskio_map_queues,
	.poll		= krping_diskio_poll,
	.queue_rq	= krping_diskio_queue_rq,
	.timeout	= krping_diskio_timeout,
	.init_request	= krping_diskio_init_request,
};

static int krping_diskio_alloc_queues(struct krping_diskio *io,
				      const struct krping_disk_path *paths)
{
	u32 i;

	io->nr_queues = io->thread->nr_conns;
	io->queues = kvcalloc(io->nr_queues, sizeof(*io->queues), GFP_KERNEL);
	if (!io->queues)
		return -ENOMEM;
	for (i = 0; i < io->nr_queues; i++) {
		struct krping_diskio_queue *queue = &io->queues[i];

		queue->io = io;
		queue->path = paths[i];
		/* CQs may be handled at the same time, so each connection has its own counter. */
		queue->iterations = i ? &io->thread->cqs[i - 1].iterations :
					&io->thread->iterations;
		krping_cq_share_init(&queue->share);
		init_llist_head(&queue->unposted);
		INIT_WORK(&queue->end_unposted, krping_diskio_end_unposted);
		init_llist_head(&queue->handed);
		init_llist_head(&queue->succeeded);
		INIT_WORK(&queue->post, krping_diskio_post_handed);
	}
	return 0;
}

/**
 * krping_diskio_alloc() - allocate the requests of a disk
 * @io: the requests; the caller has set &krping_diskio.thread, the rest is zero
 * @paths: the thread's connections
 *
 * Context: process context. On error nothing stays allocated.
 *
 * Return: 0 or a negative errno.
 */
int krping_diskio_alloc(struct krping_diskio *io, const struct krping_disk_path *paths)
{
	struct blk_mq_tag_set *tags = &io->tags;
	u32 timeout = io->thread->opts.timeout;
	u32 nr_sge = 1;
	int ret;

	ret = krping_diskio_alloc_queues(io, paths);
	if (ret)
		return ret;
	io->registers = krping_conn_iwarp(paths->conn);
	io->segments = KRPING_DISKIO_SEGMENTS;
	if (!io->registers) {
		io->segments = krping_diskio_sges(krping_diskio_device(io));
		nr_sge = io->segments;
	}
	tags->ops = &krping_diskio_ops;
	tags->nr_hw_queues = io->nr_queues;
	tags->nr_maps = io->thread->opts.poll ? HCTX_MAX_TYPES : 1;
	tags->queue_depth = io->thread->opts.txdepth;
	tags->numa_node = ibdev_to_node(krping_diskio_device(io));
	tags->cmd_size = sizeof(struct krping_diskio_req) +
			 io->segments * sizeof(struct scatterlist) +
			 nr_sge * sizeof(struct ib_sge);
	tags->flags = BLK_MQ_F_SHOULD_MERGE | BLK_MQ_F_NO_SCHED_BY_DEFAULT;
	tags->timeout = timeout ? msecs_to_jiffies(timeout) : KRPING_DISKIO_NO_TIMEOUT * HZ;
	tags->driver_data = io;
	/* The worker needs a CPU of its own, and posts requests of one WR. */
	if (!io->registers && num_online_cpus() > 1) {
		io->posters = alloc_workqueue("krping_disk", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
		if (!io->posters) {
			ret = -ENOMEM;
			goto err_queues;
		}
	}
	ret = blk_mq_alloc_tag_set(tags);
	if (ret)
		goto err_posters;
	return 0;

err_posters:
	if (io->posters)
		destroy_workqueue(io->posters);
err_queues:
	kvfree(io->queues);
	return ret;
}

/**
 * krping_diskio_free() - free the requests of a disk
 * @io: the requests, all of which have ended
 */
void krping_diskio_free(struct krping_diskio *io)
{
	/* A task may still be in krping_diskio_reap(), or at the end of krping_diskio_submit(). */
	synchronize_rcu();
	blk_mq_free_tag_set(&io->tags);
	if (io->posters)
		destroy_workqueue(io->posters);
	kvfree(io->queues);
}

/**
 * krping_diskio_connect() - give the requests their connections, and MRs if they need MRs
 * @io: the requests
 * @paths: the thread's connections
 *
 * Context: the test's thread. The caller undoes the call by krping_diskio_disconnect(), also
 * after an error.
 *
 * Return: 0 or a negative errno.
 */
int krping_diskio_connect(struct krping_diskio *io, const struct krping_disk_path *paths)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < io->nr_queues && !ret; i++) {
		struct krping_diskio_queue *queue = &io->queues[i];

		queue->path = paths[i];
		if (io->registers)
			ret = krping_disk_mrs_alloc(&queue->mrs, paths[i].conn,
						    io->tags.queue_depth);
		if (krping_thread_polled(io->thread, i))
			krping_cq_share_open(&queue->share, paths[i].conn->queue.cq);
	}
	return ret;
}

/**
 * krping_diskio_disconnect() - undo krping_diskio_connect()
 * @io: the requests, none of which is posted; the QPs still exist
 *
 * Context: the test's thread. When the function returns, no other task polls a CQ.
 */
void krping_diskio_disconnect(struct krping_diskio *io)
{
	u32 i;

	for (i = 0; i < io->nr_queues; i++) {
		cancel_work_sync(&io->queues[i].post);
		cancel_work_sync(&io->queues[i].end_unposted);
		krping_cq_share_close(&io->queues[i].share);
		krping_disk_mrs_free(&io->queues[i].mrs);
	}
}
