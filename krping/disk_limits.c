// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The sizes of a disk's requests and of its connections' queues, which depend on the device and
 * on the server's region.
 */
#include <linux/kernel.h>

#include "diskio_req.h"

/* Largest request in bytes. */
#define KRPING_DISKIO_MAX	1048576U

/**
 * krping_diskio_attr() - plan a connection's queue for the WRs and SGEs of requests
 * @device: the device
 * @iwarp: the connection is an iWARP connection
 * @depth: maximum number of requests in flight on the connection
 * @attr: attributes of the queue, updated
 */
void krping_diskio_attr(const struct ib_device *device, bool iwarp, u32 depth,
			struct krping_queue_attr *attr)
{
	/* On iWARP a request has up to four WRs: invalidate, register, WRITE, READ. */
	u32 wrs = depth * (iwarp ? 4 : 1);

	attr->depth = depth;
	attr->depth_wrs = iwarp ? 4 : 1;
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
 * Each piece of the region has a key of its own. Make each piece a chunk, because the block layer
 * sends no request that spans two chunks.
 */
void krping_diskio_limits(const struct krping_diskio *io, struct queue_limits *lim)
{
	const struct krping_region *region = io->queues->path.region;
	struct ib_device *device = krping_diskio_device(io);
	u64 bytes = min_t(u64, krping_region_stride(region), KRPING_DISKIO_MAX);

	lim->logical_block_size = SECTOR_SIZE;
	lim->max_segments = io->segments;
	lim->max_segment_size = ib_dma_max_seg_size(device);
	if (region->nr_pieces > 1)
		lim->chunk_sectors = krping_region_stride(region) >> SECTOR_SHIFT;
	if (io->registers) {
		lim->virt_boundary_mask = PAGE_SIZE - 1;
		/* Data that begins within a page needs one more page. */
		bytes = min_t(u64, bytes, krping_mem_reg_max(device) - PAGE_SIZE);
	}
	if (device->dma_device)
		bytes = min_t(u64, bytes, dma_max_mapping_size(device->dma_device));
	/* The block layer accepts no limit below a page. */
	lim->max_hw_sectors = max_t(u64, bytes >> SECTOR_SHIFT, PAGE_SIZE >> SECTOR_SHIFT);
}

/**
 * krping_diskio_suits() - check whether new connections suit the requests
 * @io: the requests, which have their new connections
 *
 * The requests are allocated for the device of the first connections. After a reconnect, the route
 * to the server may lead through another device.
 *
 * Return: true if the requests suit the device of the new connections.
 */
bool krping_diskio_suits(const struct krping_diskio *io)
{
	if (krping_conn_iwarp(io->queues->path.conn) != io->registers)
		return false;
	return io->registers || krping_diskio_sges(krping_diskio_device(io)) >= io->segments;
}
