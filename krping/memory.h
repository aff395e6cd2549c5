/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory that a device accesses: buffers for the data of tests (struct krping_buf), and memory for
 * messages (struct krping_dma).
 */
#ifndef KRPING_MEMORY_H
#define KRPING_MEMORY_H

#include <linux/scatterlist.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

/* Bytes of the largest block of the page allocator in common configurations. */
#define KRPING_CONTIGUOUS_MAX	(4UL << 20)

/* Overwrites old data. No data that a test compares has this byte. */
#define KRPING_POISON	0xff

/**
 * struct krping_buf - a data buffer: one chunk, several chunks, or scattered pieces
 * @device: the device of the mapping
 * @dir: direction of the device's accesses
 * @size: bytes
 * @sgl: the data's part of the chunks, each page-aligned, all but the last of the same size; or the
 *	pieces of krping_buf_alloc_pieces(). The DMA addresses and lengths are those of the DMA
 *	segments, the last of which ends with the data
 * @map: the same chunks, the last one extended to whole pages, for the functions of the DMA API
 * @nents: number of chunks or pieces
 * @mapped: number of DMA segments of the mapping; 0: not mapped
 *
 * Each chunk or piece is contiguous, so one SGE with the PD's local DMA lkey covers it. A buffer
 * of several chunks needs an MR. A buffer of pieces is for WRs with several SGEs.
 */
struct krping_buf {
	struct ib_device *device;
	enum dma_data_direction dir;
	size_t size;
	struct scatterlist *sgl;
	struct scatterlist *map;
	int nents;
	int mapped;
};

/**
 * struct krping_dma - contiguous memory for messages
 * @device: the device of the mapping
 * @dir: direction of the device's accesses
 * @size: bytes
 * @data: the memory, or NULL
 * @addr: DMA address of @data
 */
struct krping_dma {
	struct ib_device *device;
	enum dma_data_direction dir;
	size_t size;
	void *data;
	u64 addr;
};

int krping_dma_alloc(struct krping_dma *mem, struct ib_device *device,
		     size_t size, enum dma_data_direction dir);
void krping_dma_free(struct krping_dma *mem);

/* Limits of a device: page size of an MR, and the largest buffer of one MR and of one SGE. */
u32 krping_mem_page_size(const struct ib_device *device);
u64 krping_mem_reg_max(const struct ib_device *device);
size_t krping_mem_contiguous_max(const struct ib_device *device);

int krping_buf_alloc(struct krping_buf *buf, struct ib_device *device,
		     size_t size, bool contiguous, enum dma_data_direction dir);
int krping_buf_alloc_pieces(struct krping_buf *buf, struct ib_device *device,
			    size_t size, u32 nr, enum dma_data_direction dir);
int krping_buf_map(struct krping_buf *buf, struct ib_device *device);
void krping_buf_unmap(struct krping_buf *buf);
void krping_buf_free(struct krping_buf *buf);

/* Sync the whole buffer, only its first and last byte, or a range, for the CPU or the device. */
void krping_buf_for_cpu(const struct krping_buf *buf);
void krping_buf_ends_for_cpu(const struct krping_buf *buf);
void krping_buf_sync_range(const struct krping_buf *buf, struct scatterlist *sg, size_t off,
			   size_t len, bool cpu);
void krping_buf_ends_for_device(const struct krping_buf *buf);
void krping_buf_for_device(const struct krping_buf *buf);

void krping_buf_fill(const struct krping_buf *buf, u64 iteration);
void krping_buf_poison(const struct krping_buf *buf);
size_t krping_buf_mismatch(const struct krping_buf *a,
			   const struct krping_buf *b);
struct scatterlist *krping_buf_seek(const struct krping_buf *buf, size_t off, size_t *in);
u8 *krping_buf_at(const struct krping_buf *buf, size_t off);
u8 krping_buf_byte(const struct krping_buf *buf, size_t off);

/**
 * krping_buf_contiguous() - check whether one SGE covers the whole buffer
 * @buf: the buffer
 */
static inline bool krping_buf_contiguous(const struct krping_buf *buf)
{
	return buf->nents == 1;
}

/**
 * krping_buf_addr() - return the DMA address of a contiguous buffer
 * @buf: the buffer
 *
 * Return: the address for an SGE with the PD's local DMA lkey, or for a peer that uses the PD's
 * global rkey.
 */
static inline u64 krping_buf_addr(const struct krping_buf *buf)
{
	return sg_dma_address(buf->sgl);
}

/**
 * krping_buf_data() - return where the data of a buffer begins
 * @buf: the buffer
 *
 * Return: pointer to the first chunk.
 */
static inline const u8 *krping_buf_data(const struct krping_buf *buf)
{
	return sg_virt(buf->sgl);
}

#endif /* KRPING_MEMORY_H */
