// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requests of a disk, which become RDMA READs and WRITEs of a server's region.
 *
 * A request completes only when its last WR completes, with success or flushed: the
 * device no longer accesses the pages then. The timeout of a request therefore moves
 * the QP to the error state, which flushes all requests, and ends none by itself.
 *
 * RoCE and InfiniBand: one WR per request, whose SGEs have the PD's local DMA lkey. The
 * acknowledgment of a WRITE proves its arrival.
 *
 * iWARP: the sink of a READ needs a key with remote rights, so each request registers
 * its pages, and READ_WITH_INV takes the key away again before the request completes.
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

/**
 * struct krping_diskio_req - a request of the disk
 * @cqe: its ib_cqe, of the last WR
 * @entry: in &krping_diskio.unposted
 * @nents: entries of @sgl, before the mapping
 * @rdma: the READ or WRITE
 * @proof: the READ that follows a WRITE
 * @mr: registration of the pages, or NULL
 * @reg: registers @mr
 * @inv: invalidates @mr
 * @uses: number of registrations
 * @valid: @mr is valid, without remote rights
 * @sge: SGEs of @rdma; one if @mr is used
 * @sgl: the pages
 *
 * The block layer allocates it with the request, so that no I/O allocates memory.
 */
struct krping_diskio_req {
	struct krping_cqe cqe;
	struct llist_node entry;
	int nents;
	struct ib_rdma_wr rdma;
	struct ib_rdma_wr proof;
	struct ib_mr *mr;
	struct ib_reg_wr reg;
	struct ib_send_wr inv;
	u32 uses;
	bool valid;
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
 * krping_diskio_attr() - add what requests need to the attributes of the queue
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
		/* The first page may be used in part only. */
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
	krping_diskio_unmap(io, rq);
	blk_mq_end_request(rq, status);
}

/*
 * Handle the completion of a request's last WR. Called in the CQ's context.
 *
 * A completion is no krping_cq_progress(): the thread waits for a quiet interval, and
 * sends a sign of life then, also while requests complete.
 */
static void krping_diskio_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct krping_diskio_req *req = container_of(wc->wr_cqe, struct krping_diskio_req,
						     cqe.cqe);
	struct request *rq = blk_mq_rq_from_pdu(req);
	struct krping_diskio *io = rq->q->queuedata;
	struct krping_queue *q = req->cqe.queue;
	blk_status_t status = BLK_STS_OK;

	if (likely(wc->status == IB_WC_SUCCESS)) {
		krping_count(rq_data_dir(rq) == WRITE ? &q->stats->write : &q->stats->read,
			     blk_rq_bytes(rq));
		WRITE_ONCE(io->thread->iterations, io->thread->iterations + 1);
		req->valid = rq_data_dir(rq) == WRITE;
	} else {
		krping_wc_failed(q, req->cqe.op, wc);
		status = BLK_STS_IOERR;
	}
	krping_diskio_end(io, rq, status);
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

/*
 * Register the pages under a new key. The iova keeps only the offset within the page, so
 * that the server learns no kernel address.
 */
static bool krping_diskio_register(struct krping_diskio_req *req, int mapped, int access)
{
	struct ib_mr *mr = req->mr;

	ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey));
	if (ib_map_mr_sg(mr, req->sgl, mapped, NULL, PAGE_SIZE) != mapped)
		return false;
	req->uses++;
	mr->iova = ((u64)req->uses << 32) | (mr->iova & ~PAGE_MASK);
	req->reg.key = mr->rkey;
	req->reg.access = access;
	req->sge->addr = mr->iova;
	req->sge->length = mr->length;
	req->sge->lkey = mr->lkey;
	return true;
}

/* Build the chain of iWARP, described above; NULL: the device cannot map the pages. */
static struct ib_send_wr *krping_diskio_build_registered(struct krping_diskio *io,
							 struct request *rq, int mapped)
{
	struct krping_diskio_req *req = blk_mq_rq_to_pdu(rq);
	bool write = rq_data_dir(rq) == WRITE;
	int access = IB_ACCESS_LOCAL_WRITE;

	req->inv.ex.invalidate_rkey = req->mr->rkey;
	if (!write)
		access |= IB_ACCESS_REMOTE_WRITE;
	if (!krping_diskio_register(req, mapped, access))
		return NULL;
	krping_diskio_build(io, rq, 1);
	if (write) {
		req->rdma.wr.wr_cqe = krping_queue_cqe(req->cqe.queue, KRPING_OP_WRITE);
		req->rdma.wr.send_flags = 0;
		req->rdma.wr.next = &req->proof.wr;
	} else {
		req->cqe.op = KRPING_OP_READ_INV;
		req->rdma.wr.wr_cqe = &req->cqe.cqe;
		req->rdma.wr.send_flags = IB_SEND_SIGNALED;
		req->rdma.wr.opcode = IB_WR_RDMA_READ_WITH_INV;
		req->rdma.wr.ex.invalidate_rkey = req->mr->rkey;
		req->rdma.wr.next = NULL;
	}
	return req->valid ? &req->inv : &req->reg.wr;
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
		krping_diskio_unmap(io, blk_mq_rq_from_pdu(req));
		return BLK_STS_IOERR;
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
		krping_diskio_end(io, blk_mq_rq_from_pdu(req), BLK_STS_IOERR);
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

/* End the test: its thread then removes the disk. The flush completes the requests. */
static enum blk_eh_timer_return krping_diskio_timeout(KRPING_TIMEOUT_PARAMS)
{
	struct krping_diskio *io = rq->q->queuedata;

	krping_status_set(io->thread->status, -ETIMEDOUT,
			  "a request of the disk did not complete within timeout=%u ms",
			  io->thread->opts.timeout);
	krping_diskio_fail(io);
	return BLK_EH_RESET_TIMER;
}

static int krping_diskio_init_mr(struct krping_diskio *io, struct krping_diskio_req *req)
{
	struct krping_queue *q = &io->conn->queue;
	struct ib_mr *mr;

	mr = ib_alloc_mr(io->conn->pd, IB_MR_TYPE_MEM_REG,
			 krping_mem_reg_max(krping_diskio_device(io)) / PAGE_SIZE);
	if (IS_ERR(mr))
		return krping_alloc_errno(PTR_ERR(mr));
	req->mr = mr;
	req->reg.wr.opcode = IB_WR_REG_MR;
	req->reg.wr.wr_cqe = krping_queue_cqe(q, KRPING_OP_REG);
	req->reg.wr.next = &req->rdma.wr;
	req->reg.mr = mr;
	req->inv.opcode = IB_WR_LOCAL_INV;
	req->inv.wr_cqe = krping_queue_cqe(q, KRPING_OP_INV);
	req->inv.next = &req->reg.wr;
	req->proof.wr.opcode = IB_WR_RDMA_READ;
	req->proof.wr.wr_cqe = &req->cqe.cqe;
	req->proof.wr.send_flags = IB_SEND_SIGNALED;
	req->proof.wr.sg_list = &io->sink;
	req->proof.wr.num_sge = 1;
	req->proof.remote_addr = io->region->pieces->addr;
	req->proof.rkey = io->region->pieces->rkey;
	return 0;
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
	return io->registers ? krping_diskio_init_mr(io, req) : 0;
}

static void krping_diskio_exit_request(struct blk_mq_tag_set *set, struct request *rq,
				       unsigned int hctx_idx)
{
	struct krping_diskio_req *req = blk_mq_rq_to_pdu(rq);

	if (req->mr)
		ib_dereg_mr(req->mr);
	req->mr = NULL;
}

static const struct blk_mq_ops krping_diskio_ops = {
	.queue_rq	= krping_diskio_queue_rq,
	.timeout	= krping_diskio_timeout,
	.init_request	= krping_diskio_init_request,
	.exit_request	= krping_diskio_exit_request,
};

/**
 * krping_diskio_alloc() - allocate the requests of a disk
 * @io: the requests; thread, conn, region and sink are set, the rest is zero
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
 * @io: the requests, all of which have ended; the QP still exists
 */
void krping_diskio_free(struct krping_diskio *io)
{
	cancel_work_sync(&io->end_unposted);
	blk_mq_free_tag_set(&io->tags);
}

/**
 * krping_diskio_fail() - end all requests with an error
 * @io: the requests
 *
 * Process context. The flush of the QP completes those that are posted.
 */
void krping_diskio_fail(struct krping_diskio *io)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };

	WRITE_ONCE(io->dead, true);
	ib_modify_qp(io->conn->queue.qp, &attr, IB_QP_STATE);
}
