// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requests of a disk, which become RDMA READs and WRITEs of a server's region.
 *
 * A request completes only when its last WR completes, with success or flushed: the
 * device no longer accesses the pages then. The timeout of a request therefore moves
 * the QP to the error state, which flushes all requests, and ends none by itself. With
 * reconnect, a request that was flushed waits for the next connection.
 *
 * RoCE and InfiniBand: one WR per request, whose SGEs have the PD's local DMA lkey. The
 * acknowledgment of a WRITE proves its arrival.
 *
 * iWARP: the sink of a READ needs a key with remote rights, so each request registers
 * its pages, and READ_WITH_INV invalidates the key before the request completes.
 * A WRITE completes when TCP has accepted the data, so a READ of one byte follows: its
 * response proves that the server has placed the data, and that TCP no longer needs the
 * pages.
 */
#include <linux/kernel.h>

#include "diskio.h"
#include "qp.h"
#include "trace.h"
#include "wr.h"

/* Largest request in bytes. */
#define KRPING_DISKIO_MAX	1048576U

/* Segments of a request that registers its pages. */
#define KRPING_DISKIO_SEGMENTS	128

/* Timeout of requests, in seconds, if the test has none: the block layer needs one. */
#define KRPING_DISKIO_NO_TIMEOUT	(7 * 24 * 3600)

/* Connections that a request may lose before it fails, as in nvme. */
#define KRPING_DISKIO_RETRIES	5

/**
 * struct krping_diskio_req - a request of the disk
 * @cqe: its ib_cqe, of the last WR
 * @entry: in &krping_diskio.unposted
 * @nents: entries of @sgl, before the mapping
 * @retries: connections that it has lost
 * @rdma: the READ or WRITE
 * @proof: the READ that follows a WRITE
 * @sge: SGEs of @rdma; one if an MR is used
 * @sgl: the pages
 *
 * Allocated with the request by the block layer, so that I/O allocates no memory.
 */
struct krping_diskio_req {
	struct krping_cqe cqe;
	struct llist_node entry;
	int nents;
	u32 retries;
	struct ib_rdma_wr rdma;
	struct ib_rdma_wr proof;
	struct ib_sge *sge;
	struct scatterlist sgl[];
};

static enum dma_data_direction krping_diskio_dir(struct request *rq)
{
	return rq_data_dir(rq) == WRITE ? DMA_TO_DEVICE : DMA_FROM_DEVICE;
}

static struct ib_device *krping_diskio_device(const struct krping_diskio *io)
{
	return io->conn->pd->device;
}

static u32 krping_diskio_sges(const struct ib_device *device)
{
	const struct ib_device_attr *attr = &device->attrs;

	return min3((u32)attr->max_send_sge, (u32)attr->max_sge_rd,
		    (u32)KRPING_SGE_MAX);
}

/**
 * krping_diskio_attr() - add the needs of requests to the attributes of the queue
 * @device: the device
 * @iwarp: the connection is an iWARP connection
 * @depth: requests in flight
 * @attr: the attributes
 */
void krping_diskio_attr(const struct ib_device *device, bool iwarp, u32 depth,
			struct krping_queue_attr *attr)
{
	/* iWARP: invalidate, register, WRITE, READ */
	u32 wrs = depth * (iwarp ? 4 : 1);

	attr->sq_size += wrs;
	attr->sq_own += wrs;
	if (iwarp)
		return;
	attr->send_sge = krping_diskio_sges(device);
	attr->read_sge = attr->send_sge;
}

/**
 * krping_diskio_limits() - set the limits of requests
 * @io: the requests
 * @lim: the limits, all zeros
 *
 * A piece of the region is a chunk of the block layer, so no request needs two keys.
 */
void krping_diskio_limits(const struct krping_diskio *io, struct queue_limits *lim)
{
	struct ib_device *device = krping_diskio_device(io);
	u64 bytes = min_t(u64, krping_region_stride(io->region), KRPING_DISKIO_MAX);

	lim->logical_block_size = SECTOR_SIZE;
	lim->max_segments = io->segments;
	lim->max_segment_size = ib_dma_max_seg_size(device);
	if (io->region->nr_pieces > 1)
		lim->chunk_sectors = krping_region_stride(io->region) >> SECTOR_SHIFT;
	if (io->registers) {
		lim->virt_boundary_mask = PAGE_SIZE - 1;
		/* The data may begin within the first page. */
		bytes = min_t(u64, bytes, krping_mem_reg_max(device) - PAGE_SIZE);
	}
	if (device->dma_device)
		bytes = min_t(u64, bytes, dma_max_mapping_size(device->dma_device));
	lim->max_hw_sectors = max_t(u64, bytes >> SECTOR_SHIFT, PAGE_SIZE >> SECTOR_SHIFT);
}

static void krping_diskio_unmap(struct krping_diskio *io, struct request *rq)
{
	struct krping_diskio_req *req = blk_mq_rq_to_pdu(rq);

	ib_dma_unmap_sg(krping_diskio_device(io), req->sgl, req->nents,
			krping_diskio_dir(rq));
}

static void krping_diskio_end(struct krping_diskio *io, struct request *rq,
			      blk_status_t status)
{
	struct krping_diskio_req *req = blk_mq_rq_to_pdu(rq);

	krping_diskio_unmap(io, rq);
	req->retries = 0;
	blk_mq_end_request(rq, status);
}

/*
 * End a request that has failed, or let it wait for the next connection. The device no
 * longer accesses its pages. The thread decides whether there is another connection.
 */
static void krping_diskio_failed(struct krping_diskio *io, struct request *rq)
{
	struct krping_diskio_req *req = blk_mq_rq_to_pdu(rq);

	if (!READ_ONCE(io->requeues) || req->retries == KRPING_DISKIO_RETRIES) {
		krping_diskio_end(io, rq, BLK_STS_IOERR);
		return;
	}
	krping_diskio_unmap(io, rq);
	req->retries++;
	blk_mq_requeue_request(rq, false);
	/* pairs with krping_diskio_end_requeues(): one of both starts the request again */
	smp_mb();
	if (!READ_ONCE(io->requeues))
		blk_mq_kick_requeue_list(io->queue);
}

/*
 * Handle the completion of a request's last WR. Called in the CQ's context.
 *
 * A completion does not call krping_cq_progress(): the thread must send keep-alive messages
 * at its interval even while requests complete.
 */
static void krping_diskio_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct krping_diskio_req *req = container_of(wc->wr_cqe, struct krping_diskio_req,
						     cqe.cqe);
	struct request *rq = blk_mq_rq_from_pdu(req);
	struct krping_diskio *io = rq->q->queuedata;
	struct krping_queue *q = req->cqe.queue;

	if (unlikely(wc->status != IB_WC_SUCCESS)) {
		krping_wc_failed(q, req->cqe.op, wc);
		krping_diskio_failed(io, rq);
		return;
	}
	krping_count(rq_data_dir(rq) == WRITE ? &q->stats->write : &q->stats->read,
		     blk_rq_bytes(rq));
	WRITE_ONCE(io->thread->iterations, io->thread->iterations + 1);
	if (io->registers)
		io->mrs.mr[rq->tag].valid = rq_data_dir(rq) == WRITE;
	krping_diskio_end(io, rq, BLK_STS_OK);
}

/* Map the pages and return the number of segments; 0: nothing is mapped. */
static int krping_diskio_map(struct krping_diskio *io, struct request *rq)
{
	struct krping_diskio_req *req = blk_mq_rq_to_pdu(rq);

	req->nents = krping_blk_map_sg(rq, req->sgl);
	return ib_dma_map_sg(krping_diskio_device(io), req->sgl, req->nents,
			     krping_diskio_dir(rq));
}

static void krping_diskio_build(struct krping_diskio *io, struct request *rq, int nr_sge)
{
	struct krping_diskio_req *req = blk_mq_rq_to_pdu(rq);
	u64 offset = blk_rq_pos(rq) << SECTOR_SHIFT;
	const struct krping_region_piece *piece;
	u64 start;

	piece = krping_region_find(io->region, offset, &start);
	req->cqe.op = rq_data_dir(rq) == WRITE ? KRPING_OP_WRITE : KRPING_OP_READ;
	req->rdma.remote_addr = piece->addr + (offset - start);
	req->rdma.rkey = piece->rkey;
	req->rdma.wr.opcode = rq_data_dir(rq) == WRITE ? IB_WR_RDMA_WRITE :
			      IB_WR_RDMA_READ;
	req->rdma.wr.num_sge = nr_sge;
}

/* Build a chain of one WR, whose SGEs have the local DMA lkey. */
static struct ib_send_wr *krping_diskio_build_local(struct krping_diskio *io,
						    struct request *rq, int mapped)
{
	struct krping_diskio_req *req = blk_mq_rq_to_pdu(rq);
	struct scatterlist *sg;
	int i;

	for_each_sg(req->sgl, sg, mapped, i) {
		req->sge[i].addr = sg_dma_address(sg);
		req->sge[i].length = sg_dma_len(sg);
		req->sge[i].lkey = io->conn->pd->local_dma_lkey;
	}
	krping_diskio_build(io, rq, mapped);
	return &req->rdma.wr;
}

/* Build the READ that proves the arrival of a WRITE. */
static void krping_diskio_build_proof(struct krping_diskio *io,
				      struct krping_diskio_req *req)
{
	req->proof.wr.opcode = IB_WR_RDMA_READ;
	req->proof.wr.wr_cqe = &req->cqe.cqe;
	req->proof.wr.send_flags = IB_SEND_SIGNALED;
	req->proof.wr.sg_list = &io->sink;
	req->proof.wr.num_sge = 1;
	req->proof.remote_addr = io->region->pieces->addr;
	req->proof.rkey = io->region->pieces->rkey;
}

/* Build the chain of iWARP, described above; NULL: the device cannot map the pages. */
static struct ib_send_wr *krping_diskio_build_registered(struct krping_diskio *io,
							 struct request *rq, int mapped)
{
	struct krping_diskio_req *req = blk_mq_rq_to_pdu(rq);
	struct krping_disk_mr *m = &io->mrs.mr[rq->tag];
	bool write = rq_data_dir(rq) == WRITE;
	int access = IB_ACCESS_LOCAL_WRITE;

	m->inv.ex.invalidate_rkey = m->mr->rkey;
	if (!write)
		access |= IB_ACCESS_REMOTE_WRITE;
	if (!krping_disk_mr_renew(m, req->sgl, mapped, blk_rq_bytes(rq), access, req->sge))
		return NULL;
	m->reg.wr.next = &req->rdma.wr;
	krping_diskio_build(io, rq, 1);
	if (write) {
		krping_diskio_build_proof(io, req);
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

/*
 * Post a chain. If the device has accepted a part of it only, that part may still access
 * the pages, so the request ends after a drain.
 */
static blk_status_t krping_diskio_post(struct krping_diskio *io,
				       struct krping_diskio_req *req,
				       struct ib_send_wr *first)
{
	const struct ib_send_wr *bad = first;
	int ret;

	/*
	 * local_bh_enable() runs pending softirqs at once. A software provider works in
	 * tasklets, which would otherwise wait for ksoftirqd.
	 */
	local_bh_disable();
	ret = krping_queue_post_until(req->cqe.queue, first, &bad);
	local_bh_enable();
	if (likely(!ret))
		return BLK_STS_OK;
	if (bad == first) {
		krping_diskio_failed(io, blk_mq_rq_from_pdu(req));
		return BLK_STS_OK;
	}
	llist_add(&req->entry, &io->unposted);
	schedule_work(&io->end_unposted);
	return BLK_STS_OK;
}

static void krping_diskio_end_unposted(struct work_struct *work)
{
	struct krping_diskio *io = container_of(work, struct krping_diskio, end_unposted);
	struct krping_diskio_req *req, *next;
	struct llist_node *list;

	krping_queue_drain_qp(&io->conn->queue);
	list = llist_del_all(&io->unposted);
	llist_for_each_entry_safe(req, next, list, entry)
		krping_diskio_failed(io, blk_mq_rq_from_pdu(req));
}

static blk_status_t krping_diskio_queue_rq(struct blk_mq_hw_ctx *hctx,
					   const struct blk_mq_queue_data *bd)
{
	struct krping_diskio *io = hctx->queue->queuedata;
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
		first = krping_diskio_build_registered(io, rq, mapped);
	else
		first = krping_diskio_build_local(io, rq, mapped);
	if (unlikely(!first)) {
		krping_diskio_unmap(io, rq);
		return BLK_STS_IOERR;
	}
	blk_mq_start_request(rq);
	trace_krping_post(io->conn->queue.qp, 1, true);
	return krping_diskio_post(io, blk_mq_rq_to_pdu(rq), first);
}

/* Move the QP to the error state. The flush completes the requests that are posted. */
static void krping_diskio_flush(struct krping_diskio *io)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };

	if (io->conn->queue.qp)
		ib_modify_qp(io->conn->queue.qp, &attr, IB_QP_STATE);
}

/* Let the test's thread connect again, or remove the disk. The flush ends the requests. */
static enum blk_eh_timer_return krping_diskio_timeout(KRPING_TIMEOUT_PARAMS)
{
	struct krping_diskio *io = rq->q->queuedata;

	krping_status_set(io->thread->status, -ETIMEDOUT,
			  "a request of the disk did not complete within timeout=%u ms",
			  io->thread->opts.timeout);
	if (READ_ONCE(io->requeues))
		krping_diskio_flush(io);
	else
		krping_diskio_fail(io);
	return BLK_EH_RESET_TIMER;
}

/* A request's memory is all zeros before. */
static int krping_diskio_init_request(struct blk_mq_tag_set *set, struct request *rq,
				      unsigned int hctx_idx, KRPING_NUMA_NODE node)
{
	struct krping_diskio_req *req = blk_mq_rq_to_pdu(rq);
	struct krping_diskio *io = set->driver_data;

	req->cqe.cqe.done = krping_diskio_done;
	req->cqe.queue = &io->conn->queue;
	req->sge = (struct ib_sge *)&req->sgl[io->segments];
	/* blk_rq_map_sg() moves the end mark of the table. */
	sg_init_table(req->sgl, io->segments);
	req->rdma.wr.wr_cqe = &req->cqe.cqe;
	req->rdma.wr.send_flags = IB_SEND_SIGNALED;
	req->rdma.wr.sg_list = req->sge;
	return 0;
}

static const struct blk_mq_ops krping_diskio_ops = {
	.queue_rq	= krping_diskio_queue_rq,
	.timeout	= krping_diskio_timeout,
	.init_request	= krping_diskio_init_request,
};

/**
 * krping_diskio_alloc() - allocate the requests of a disk
 * @io: the requests; thread and conn are set, the rest is zero
 *
 * Process context. On error nothing stays allocated.
 *
 * Return: 0 or a negative errno.
 */
int krping_diskio_alloc(struct krping_diskio *io)
{
	struct blk_mq_tag_set *tags = &io->tags;
	u32 timeout = io->thread->opts.timeout;
	u32 nr_sge = 1;

	io->registers = krping_conn_iwarp(io->conn);
	io->segments = KRPING_DISKIO_SEGMENTS;
	if (!io->registers) {
		io->segments = krping_diskio_sges(krping_diskio_device(io));
		nr_sge = io->segments;
	}
	init_llist_head(&io->unposted);
	INIT_WORK(&io->end_unposted, krping_diskio_end_unposted);
	tags->ops = &krping_diskio_ops;
	tags->nr_hw_queues = 1;
	tags->queue_depth = io->thread->opts.txdepth;
	tags->numa_node = ibdev_to_node(krping_diskio_device(io));
	tags->cmd_size = sizeof(struct krping_diskio_req) +
			 io->segments * sizeof(struct scatterlist) +
			 nr_sge * sizeof(struct ib_sge);
	tags->flags = BLK_MQ_F_SHOULD_MERGE | BLK_MQ_F_NO_SCHED_BY_DEFAULT;
	tags->timeout = timeout ? msecs_to_jiffies(timeout) : KRPING_DISKIO_NO_TIMEOUT * HZ;
	tags->driver_data = io;
	return blk_mq_alloc_tag_set(tags);
}

/**
 * krping_diskio_free() - free the requests of a disk
 * @io: the requests, all of which have ended
 */
void krping_diskio_free(struct krping_diskio *io)
{
	blk_mq_free_tag_set(&io->tags);
}

/**
 * krping_diskio_connect() - give the requests a connection
 * @io: the requests
 * @region: the server's memory
 * @sink: one byte, into which a READ proves that a WRITE is placed
 *
 * The test's thread. krping_diskio_disconnect() undoes the call, also after an error.
 *
 * Return: 0 or a negative errno.
 */
int krping_diskio_connect(struct krping_diskio *io, const struct krping_region *region,
			  const struct ib_sge *sink)
{
	io->region = region;
	io->sink = *sink;
	if (!io->registers)
		return 0;
	return krping_disk_mrs_alloc(&io->mrs, io->conn, io->tags.queue_depth);
}

/**
 * krping_diskio_disconnect() - take the connection from the requests
 * @io: the requests, none of which is posted; the QP still exists
 *
 * The test's thread.
 */
void krping_diskio_disconnect(struct krping_diskio *io)
{
	cancel_work_sync(&io->end_unposted);
	krping_disk_mrs_free(&io->mrs);
}

/**
 * krping_diskio_suits() - check whether the connection suits the requests
 * @io: the requests, with another connection than at first
 *
 * Another device may have the route to the server meanwhile.
 *
 * Return: true if the requests, which were laid out for the first device, suit this one.
 */
bool krping_diskio_suits(const struct krping_diskio *io)
{
	if (krping_conn_iwarp(io->conn) != io->registers)
		return false;
	return io->registers || krping_diskio_sges(krping_diskio_device(io)) >= io->segments;
}

/**
 * krping_diskio_suspend() - let all requests wait for the next connection
 * @io: the requests, whose connection is lost; the QP still exists
 *
 * The test's thread. When the function returns, the device accesses no pages of
 * requests, and no request is posted before krping_diskio_resume().
 */
void krping_diskio_suspend(struct krping_diskio *io)
{
	WRITE_ONCE(io->suspended, true);
	/* From now on no request is posted. */
	blk_mq_quiesce_queue(io->queue);
	krping_queue_end(&io->conn->queue);
	krping_queue_drain_qp(&io->conn->queue);
	flush_work(&io->end_unposted);
	/*
	 * No request is in flight, so none times out from now on. A timeout that is being
	 * handled still uses the QP and the status.
	 */
	blk_sync_queue(io->queue);
	krping_diskio_disconnect(io);
}

/**
 * krping_diskio_resume() - start the requests that wait
 * @io: the requests, suspended; they have a connection or are dead
 */
void krping_diskio_resume(struct krping_diskio *io)
{
	WRITE_ONCE(io->suspended, false);
	blk_mq_unquiesce_queue(io->queue);
	blk_mq_kick_requeue_list(io->queue);
}

/**
 * krping_diskio_end_requeues() - let requests fail with the connection from now on
 * @io: the requests
 */
void krping_diskio_end_requeues(struct krping_diskio *io)
{
	WRITE_ONCE(io->requeues, false);
	/* pairs with krping_diskio_failed() */
	smp_mb();
	blk_mq_kick_requeue_list(io->queue);
}

/**
 * krping_diskio_fail() - end all requests with an error
 * @io: the requests
 *
 * Process context.
 */
void krping_diskio_fail(struct krping_diskio *io)
{
	WRITE_ONCE(io->dead, true);
	krping_diskio_flush(io);
}
