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
 * @sgl: the chunks, or the pieces of krping_buf_alloc_pieces(). Each chunk is page-aligned, and all
 *	but the last have the same size. The DMA addresses and lengths are those of the DMA
 *	segments. The last entry ends with the data
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

/* Allocate memory for messages and map it for a device. */
int krping_dma_alloc(struct krping_dma *mem, struct ib_device *device,
		     size_t size, enum dma_data_direction dir);

/* Unmap and free memory for messages. */
void krping_dma_free(struct krping_dma *mem);

/* Return the size of the pages of an MR. */
u32 krping_mem_page_size(const struct ib_device *device);

/* Return the size of the largest buffer that one MR covers. */
u64 krping_mem_reg_max(const struct ib_device *device);

/* Return the size of the largest contiguous buffer. */
size_t krping_mem_contiguous_max(const struct ib_device *device);

/* Allocate a buffer and map it for a device. */
int krping_buf_alloc(struct krping_buf *buf, struct ib_device *device,
		     size_t size, bool contiguous, enum dma_data_direction dir);

/* Allocate a buffer of scattered pieces and map it. */
int krping_buf_alloc_pieces(struct krping_buf *buf, struct ib_device *device,
			    size_t size, u32 nr, enum dma_data_direction dir);

/* Map a buffer for a device. */
int krping_buf_map(struct krping_buf *buf, struct ib_device *device);

/* Unmap a buffer, which keeps its data. */
void krping_buf_unmap(struct krping_buf *buf);

/* Unmap and free a buffer. */
void krping_buf_free(struct krping_buf *buf);

/* Make the device's writes to a buffer visible to the CPU. */
void krping_buf_for_cpu(const struct krping_buf *buf);

/* Sync the first and the last byte of a buffer for the CPU. */
void krping_buf_ends_for_cpu(const struct krping_buf *buf);

/* Sync a part of a DMA segment for the CPU or for the device. */
void krping_buf_sync_range(const struct krping_buf *buf, struct scatterlist *sg, size_t off,
			   size_t len, bool cpu);

/* Sync the first and the last byte of a buffer for the device. */
void krping_buf_ends_for_device(const struct krping_buf *buf);

/* Make the CPU's writes to a buffer visible to the device. */
void krping_buf_for_device(const struct krping_buf *buf);

/* Write the data of an iteration, see krping_pattern_fill(). */
void krping_buf_fill(const struct krping_buf *buf, u64 iteration);

/* Overwrite old data, so that a test does not mistake it for new data. */
void krping_buf_poison(const struct krping_buf *buf);

/* Return the offset of the first byte in which two buffers of the same size differ. */
size_t krping_buf_mismatch(const struct krping_buf *a,
			   const struct krping_buf *b);

/* Find the entry of @buf->sgl with the byte at @off. Set @in to the byte's offset in the entry. */
struct scatterlist *krping_buf_seek(const struct krping_buf *buf, size_t off, size_t *in);

/* Return a pointer to a byte of a buffer. */
u8 *krping_buf_at(const struct krping_buf *buf, size_t off);

/* Read one byte of a buffer. */
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
