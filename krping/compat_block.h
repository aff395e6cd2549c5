/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Differences of the block layer between kernel versions, for krping's disk. They are not in
 * compat.h, because only the files of the disk include the block layer's headers. krping/Kbuild
 * searches the headers of the kernel, and defines HAVE_*.
 */
#ifndef KRPING_COMPAT_BLOCK_H
#define KRPING_COMPAT_BLOCK_H

#include <linux/blk-mq.h>
#include <linux/blkdev.h>

/* 6.14 (2025-03) removed the flag, because the block layer now always merges requests. */
#ifndef HAVE_BLK_MQ_F_SHOULD_MERGE
#define BLK_MQ_F_SHOULD_MERGE		0
#endif

/*
 * 5.14 (2021-08) added the flag. With the flag, a queue has no scheduler until the user chooses
 * one. In older kernels the disk never has a scheduler.
 */
#ifndef HAVE_BLK_MQ_F_NO_SCHED_BY_DEFAULT
#define BLK_MQ_F_NO_SCHED_BY_DEFAULT	BLK_MQ_F_NO_SCHED
#endif

/* 6.0 (2022-10) removed the last parameter of blk_mq_ops.timeout, and of busy_tag_iter_fn. */
#ifdef HAVE_BLK_TIMEOUT_RESERVED
#define KRPING_TIMEOUT_PARAMS		struct request *rq, bool reserved
#define KRPING_BUSY_TAG_PARAMS		struct request *rq, void *data, bool reserved
#else
#define KRPING_TIMEOUT_PARAMS		struct request *rq
#define KRPING_BUSY_TAG_PARAMS		struct request *rq, void *data
#endif

/* Since 6.1 (2022-12) blk_mq_ops.map_queues returns nothing. Before, it returned 0 on success. */
#ifdef HAVE_INT_MAP_QUEUES
#define KRPING_MAP_QUEUES_RET		int
#define krping_queues_mapped()		0
#else
#define KRPING_MAP_QUEUES_RET		void
#define krping_queues_mapped()
#endif

/* Since 5.16 (2022-01) blk_mq_ops.poll has a parameter for a batch of completed requests. */
#ifdef HAVE_BLK_POLL_BATCH
#define KRPING_POLL_PARAMS		struct blk_mq_hw_ctx *hctx, struct io_comp_batch *batch
#else
#define KRPING_POLL_PARAMS		struct blk_mq_hw_ctx *hctx
#endif

/* 7.2 (2026) changed the type of the parameter for the NUMA node of blk_mq_ops.init_request. */
#ifdef HAVE_INT_NUMA_NODE
#define KRPING_NUMA_NODE		int
#else
#define KRPING_NUMA_NODE		unsigned int
#endif

/*
 * Since 6.5 (2023-08) block_device_operations.open has a parameter for the disk instead of the
 * block device, and block_device_operations.release has none for the mode. krping_open_disk()
 * returns the disk in both cases.
 */
#ifdef HAVE_OPEN_OF_GENDISK
#define KRPING_OPEN_PARAMS		struct gendisk *opened, blk_mode_t mode
#define KRPING_RELEASE_PARAMS		struct gendisk *gendisk
#define krping_open_disk(disk)		(disk)
#else
#define KRPING_OPEN_PARAMS		struct block_device *opened, fmode_t mode
#define KRPING_RELEASE_PARAMS		struct gendisk *gendisk, fmode_t mode
#define krping_open_disk(bdev)		((bdev)->bd_disk)
#endif

/* 6.16 (2025-07) removed the parameter of blk_rq_map_sg() for the queue. */
static inline int krping_blk_map_sg(struct request *rq, struct scatterlist *sgl)
{
#ifdef HAVE_BLK_RQ_MAP_SG_OF_REQUEST
	return blk_rq_map_sg(rq, sgl);
#else
	return blk_rq_map_sg(rq->q, rq, sgl);
#endif
}

#ifndef BLK_FEAT_STABLE_WRITES
/* Before 6.11 (2024-09) features were flags of the queue, not of its limits. */
static inline void krping_blk_set_features(struct request_queue *q, bool stable_writes)
{
	blk_queue_flag_set(QUEUE_FLAG_NONROT, q);
	if (stable_writes)
		blk_queue_flag_set(QUEUE_FLAG_STABLE_WRITES, q);
}
#endif

#ifndef HAVE_BLK_ALLOC_WITH_LIMITS
/* Before 6.9 (2024-05) a driver set the limits one by one, after it had allocated the queue. */
static inline void krping_blk_set_limits(struct request_queue *q,
					 const struct queue_limits *lim)
{
	blk_queue_logical_block_size(q, lim->logical_block_size);
	blk_queue_max_hw_sectors(q, lim->max_hw_sectors);
	blk_queue_max_segments(q, lim->max_segments);
	if (lim->virt_boundary_mask)
		blk_queue_virt_boundary(q, lim->virt_boundary_mask);
	else
		blk_queue_max_segment_size(q, lim->max_segment_size);
	if (lim->chunk_sectors)
		blk_queue_chunk_sectors(q, lim->chunk_sectors);
}
#endif

/**
 * krping_blk_alloc_disk() - allocate a disk and its queue
 * @set: the tag set
 * @lim: the limits
 * @stable_writes: the block layer's users must not change a page while the device reads it
 * @queuedata: value of &request_queue.queuedata
 *
 * Return: the disk, which krping_blk_free_disk() frees; or an ERR_PTR.
 */
static inline struct gendisk *krping_blk_alloc_disk(struct blk_mq_tag_set *set,
						    struct queue_limits *lim,
						    bool stable_writes, void *queuedata)
{
	struct gendisk *disk;
#ifdef BLK_FEAT_STABLE_WRITES
	if (stable_writes)
		lim->features |= BLK_FEAT_STABLE_WRITES;
#endif
#ifdef HAVE_BLK_ALLOC_WITH_LIMITS
	disk = blk_mq_alloc_disk(set, lim, queuedata);
	if (IS_ERR(disk))
		return disk;
#elif defined(HAVE_BLK_MQ_ALLOC_DISK)
	disk = blk_mq_alloc_disk(set, queuedata);
	if (IS_ERR(disk))
		return disk;
	krping_blk_set_limits(disk->queue, lim);
#else
	/* Before 5.14 (2021-08) a driver allocated the disk and the queue one by one. */
	struct request_queue *q = blk_mq_init_queue_data(set, queuedata);

	if (IS_ERR(q))
		return ERR_CAST(q);
	disk = alloc_disk_node(0, set->numa_node);
	if (!disk) {
		blk_cleanup_queue(q);
		return ERR_PTR(-ENOMEM);
	}
	disk->queue = q;
	disk->flags |= GENHD_FL_EXT_DEVT;
	krping_blk_set_limits(q, lim);
#endif
#ifndef BLK_FEAT_STABLE_WRITES
	krping_blk_set_features(disk->queue, stable_writes);
#endif
	return disk;
}

/**
 * krping_blk_add_disk() - make a disk visible to users
 * @disk: the disk
 * @groups: the disk's own attributes in sysfs
 *
 * Return: 0 or a negative errno.
 */
static inline int krping_blk_add_disk(struct gendisk *disk,
				      const struct attribute_group **groups)
{
#ifdef HAVE_ADD_DISK_ERROR
	return device_add_disk(NULL, disk, groups);
#else
	/* Before 5.15 (2021-10) device_add_disk() returned no error. */
	device_add_disk(NULL, disk, groups);
	return 0;
#endif
}

/**
 * krping_blk_free_disk() - drop the driver's reference to a disk
 * @disk: the disk; if krping_blk_add_disk() has added it, the caller has called del_gendisk()
 */
static inline void krping_blk_free_disk(struct gendisk *disk)
{
#if !defined(HAVE_BLK_MQ_ALLOC_DISK)
	blk_cleanup_queue(disk->queue);
	put_disk(disk);
#elif defined(HAVE_BLK_CLEANUP_DISK)
	blk_cleanup_disk(disk);
#else
	put_disk(disk);
#endif
}

#endif /* KRPING_COMPAT_BLOCK_H */
