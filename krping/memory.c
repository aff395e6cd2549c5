// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Allocate, map, sync, fill and compare the memory that a device accesses.
 *
 * All memory is mapped for streaming DMA, because a coherent allocation needs a dma_device, which
 * software providers do not have. All allocations prefer the device's NUMA node, wherever the
 * calling thread runs.
 */
#include <linux/dma-mapping.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/pfn.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "memory.h"
#include "pattern.h"

/*
 * A buffer that an MR covers need not be contiguous. It consists of chunks of KRPING_CHUNK bytes.
 * If a buffer needs more than KRPING_CHUNKS_MAX chunks of this size, its chunks are larger, so that
 * their scatterlist fits into a page. If memory is too fragmented for chunks of this size, the
 * chunks are smaller.
 */
#define KRPING_CHUNK		SZ_64K
#define KRPING_CHUNKS_MAX	128

/* Bytes to sync for an access to one byte; no supported machine has a longer cache line. */
#define KRPING_LINE		256

/* Bytes from the beginning of a page to a scattered piece: one cache line. */
#define KRPING_PIECE_OFFSET	64

/**
 * krping_dma_alloc() - allocate memory for messages and map it for a device
 * @mem: to be filled in
 * @device: the device
 * @size: bytes, at least 1
 * @dir: direction of the device's accesses
 *
 * Context: process context. The content is zero.
 *
 * Return: 0 or -ENOMEM.
 */
int krping_dma_alloc(struct krping_dma *mem, struct ib_device *device,
		     size_t size, enum dma_data_direction dir)
{
	mem->device = device;
	mem->dir = dir;
	mem->size = size;
	mem->data = kzalloc_node(size, GFP_KERNEL | __GFP_NOWARN, ibdev_to_node(device));
	if (!mem->data)
		return -ENOMEM;
	mem->addr = ib_dma_map_single(device, mem->data, size, dir);
	if (!ib_dma_mapping_error(device, mem->addr))
		return 0;
	kfree(mem->data);
	mem->data = NULL;
	return -ENOMEM;
}

/**
 * krping_dma_free() - unmap and free memory for messages
 * @mem: the memory; nothing happens if it was never allocated
 */
void krping_dma_free(struct krping_dma *mem)
{
	if (!mem->data)
		return;
	ib_dma_unmap_single(mem->device, mem->addr, mem->size, mem->dir);
	kfree(mem->data);
	mem->data = NULL;
}

/**
 * krping_mem_page_size() - return the size of the pages of an MR
 * @device: the device
 *
 * The function chooses the device's largest page size that does not exceed PAGE_SIZE. For most
 * devices this is PAGE_SIZE, the only size that rxe maps. But irdma has pages of 4 KiB, 2 MiB and
 * 1 GiB, so on irdma a kernel with pages of 64 KiB registers pages of 4 KiB.
 *
 * Return: bytes, a power of two; PAGE_SIZE if the driver names no size; 0 if all page sizes of the
 * device are larger than PAGE_SIZE.
 */
u32 krping_mem_page_size(const struct ib_device *device)
{
	u64 sizes = device->attrs.page_size_cap;

	if (!sizes)
		return PAGE_SIZE;
	sizes &= 2 * PAGE_SIZE - 1;
	return sizes ? rounddown_pow_of_two(sizes) : 0;
}

/**
 * krping_mem_reg_max() - return the size of the largest buffer that one MR covers
 * @device: the device
 *
 * Return: bytes, for a page-aligned buffer; 0 if the device has no registration by WR, or has it
 * only for pages larger than PAGE_SIZE.
 */
u64 krping_mem_reg_max(const struct ib_device *device)
{
	const struct ib_device_attr *attrs = &device->attrs;

	if (!(attrs->device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS))
		return 0;
	return min_t(u64, (u64)attrs->max_fast_reg_page_list_len * krping_mem_page_size(device),
		     attrs->max_mr_size);
}

/**
 * krping_mem_contiguous_max() - return the size of the largest contiguous buffer
 * @device: the device
 *
 * Where the DMA API may use bounce buffers (swiotlb), a mapping has at most 256 KiB.
 *
 * Return: bytes, a multiple of the page size.
 */
size_t krping_mem_contiguous_max(const struct ib_device *device)
{
	size_t max = KRPING_CONTIGUOUS_MAX;

	if (device->dma_device)
		max = min(max, dma_max_mapping_size(device->dma_device));
	return round_down(max, PAGE_SIZE);
}

/* Return the size of the largest chunks to try, whole pages. */
static size_t krping_chunk_size(const struct ib_device *device, size_t size, bool contiguous)
{
	size_t max = rounddown_pow_of_two(krping_mem_contiguous_max(device));
	size_t chunk;

	if (contiguous)
		return PAGE_ALIGN(size);
	chunk = roundup_pow_of_two(DIV_ROUND_UP(size, KRPING_CHUNKS_MAX));
	chunk = clamp_t(size_t, chunk, min_t(size_t, KRPING_CHUNK, max), max);
	return min_t(size_t, chunk, roundup_pow_of_two(PAGE_ALIGN(size)));
}

static void krping_buf_free_pages(struct krping_buf *buf)
{
	struct scatterlist *sg;
	int i;

	for_each_sg(buf->sgl, sg, buf->nents, i)
		if (sg_page(sg))
			free_pages_exact(sg_virt(sg) - sg->offset,
					 sg->offset + sg->length);
	kvfree(buf->sgl);
	buf->sgl = NULL;
	kvfree(buf->map);
	buf->map = NULL;
}

/* As alloc_pages_exact(), but on @node. The caller frees the pages with free_pages_exact(). */
static void *krping_alloc_pages(size_t bytes, int node, gfp_t flags)
{
	unsigned int order = get_order(bytes);
	struct page *page;
	size_t i;

	page = alloc_pages_node(node, GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN | flags, order);
	if (!page)
		return NULL;
	split_page(page, order);
	for (i = PFN_UP(bytes); i < 1UL << order; i++)
		__free_page(page + i);
	return page_address(page);
}

/* Allocate the scatterlists of the data and of the mapping. */
static int krping_buf_alloc_lists(struct krping_buf *buf)
{
	buf->sgl = kvcalloc(buf->nents, sizeof(*buf->sgl), GFP_KERNEL);
	if (!buf->sgl)
		return -ENOMEM;
	sg_init_table(buf->sgl, buf->nents);
	buf->map = kvcalloc(buf->nents, sizeof(*buf->map), GFP_KERNEL);
	if (!buf->map) {
		krping_buf_free_pages(buf);
		return -ENOMEM;
	}
	sg_init_table(buf->map, buf->nents);
	return 0;
}

/*
 * Allocate chunks of @chunk bytes. If @chunk is 0, allocate pieces of almost the same length.
 *
 * Map whole pages of each chunk. A bounce buffer of less than a page is not page-aligned, but an MR
 * needs the alignment. The bounce buffer's page also has data of other mappings, which a peer must
 * not reach.
 */
static int krping_buf_alloc_pages(struct krping_buf *buf, struct ib_device *device, size_t chunk,
				  gfp_t flags)
{
	size_t off = chunk ? 0 : KRPING_PIECE_OFFSET;
	size_t left = buf->size;
	struct scatterlist *sg;
	int i;

	if (krping_buf_alloc_lists(buf))
		return -ENOMEM;
	for_each_sg(buf->sgl, sg, buf->nents, i) {
		size_t len = chunk ? min(chunk, left) : left / (buf->nents - i);
		void *data;

		data = krping_alloc_pages(off + len, ibdev_to_node(device), flags);
		if (!data) {
			krping_buf_free_pages(buf);
			return -ENOMEM;
		}
		sg_set_buf(sg, data + off, len);
		sg_set_buf(&buf->map[i], data + off, chunk ? PAGE_ALIGN(len) : len);
		left -= len;
	}
	return 0;
}

/*
 * Allocate chunks of @chunk bytes. If too few are free, try half the size, down to a page. Chunks
 * above a page do not retry, because smaller chunks suffice. Pages retry, but do not start the OOM
 * killer.
 */
static int krping_buf_alloc_chunks(struct krping_buf *buf, struct ib_device *device, size_t chunk)
{
	int ret;

	do {
		buf->nents = DIV_ROUND_UP(buf->size, chunk);
		ret = krping_buf_alloc_pages(buf, device, chunk, chunk > PAGE_SIZE ?
					     __GFP_NORETRY : __GFP_RETRY_MAYFAIL);
		chunk /= 2;
	} while (ret && chunk >= PAGE_SIZE);
	return ret;
}

/*
 * Copy the DMA segments of the mapping to @buf->sgl. Shorten the last one, so that it ends with the
 * data and not with a page.
 */
static void krping_buf_copy_segments(struct krping_buf *buf)
{
	struct scatterlist *sg, *to = buf->sgl;
	size_t left = buf->size;
	int i;

	for_each_sg(buf->map, sg, buf->mapped, i) {
		sg_dma_address(to) = sg_dma_address(sg);
		sg_dma_len(to) = min_t(size_t, left, sg_dma_len(sg));
		left -= sg_dma_len(to);
		to = sg_next(to);
	}
}

/**
 * krping_buf_map() - map a buffer for a device
 * @buf: the buffer, not mapped
 * @device: the device
 *
 * Context: process context. A new buffer is mapped already, so callers need this function only
 * after krping_buf_unmap().
 *
 * Return: 0 or -ENOMEM.
 */
int krping_buf_map(struct krping_buf *buf, struct ib_device *device)
{
	buf->device = device;
	buf->mapped = ib_dma_map_sg(device, buf->map, buf->nents, buf->dir);
	krping_buf_copy_segments(buf);
	return buf->mapped ? 0 : -ENOMEM;
}

/**
 * krping_buf_unmap() - unmap a buffer, which keeps its data
 * @buf: the buffer; nothing happens if it is not mapped
 *
 * Context: process context. krping_buf_free() also unmaps the buffer.
 */
void krping_buf_unmap(struct krping_buf *buf)
{
	if (buf->mapped)
		ib_dma_unmap_sg(buf->device, buf->map, buf->nents, buf->dir);
	buf->mapped = 0;
}

/* Map a new buffer. If the mapping fails, free the buffer's pages. */
static int krping_buf_map_new(struct krping_buf *buf, struct ib_device *device,
			      enum dma_data_direction dir)
{
	int ret;

	buf->dir = dir;
	ret = krping_buf_map(buf, device);
	if (ret)
		krping_buf_free_pages(buf);
	return ret;
}

/**
 * krping_buf_alloc() - allocate a buffer and map it for a device
 * @buf: to be filled in
 * @device: the device
 * @size: bytes, at least 1
 * @contiguous: allocate one chunk; @size is at most krping_mem_contiguous_max()
 * @dir: direction of the device's accesses
 *
 * Context: process context. The content is zero, so that no kernel data leaks to a peer.
 *
 * Return: 0 or -ENOMEM.
 */
int krping_buf_alloc(struct krping_buf *buf, struct ib_device *device,
		     size_t size, bool contiguous, enum dma_data_direction dir)
{
	size_t chunk = krping_chunk_size(device, size, contiguous);
	int ret;

	buf->size = size;
	buf->nents = 1;
	if (contiguous)
		ret = krping_buf_alloc_pages(buf, device, chunk, 0);
	else
		ret = krping_buf_alloc_chunks(buf, device, chunk);
	return ret ?: krping_buf_map_new(buf, device, dir);
}

/**
 * krping_buf_alloc_pieces() - allocate a buffer of scattered pieces and map it
 * @buf: to be filled in
 * @device: the device
 * @size: bytes, at least @nr
 * @nr: number of pieces
 * @dir: direction of the device's accesses
 *
 * Context: as krping_buf_alloc(). The pieces are adjacent neither in memory nor in the address
 * space of an IOMMU, because each piece begins KRPING_PIECE_OFFSET bytes behind the beginning of a
 * page. Each piece therefore needs its own SGE.
 *
 * Return: 0 or -ENOMEM.
 */
int krping_buf_alloc_pieces(struct krping_buf *buf, struct ib_device *device,
			    size_t size, u32 nr, enum dma_data_direction dir)
{
	buf->size = size;
	buf->nents = nr;
	if (krping_buf_alloc_pages(buf, device, 0, 0))
		return -ENOMEM;
	return krping_buf_map_new(buf, device, dir);
}

/**
 * krping_buf_free() - unmap and free a buffer
 * @buf: the buffer; nothing happens if it was never allocated
 */
void krping_buf_free(struct krping_buf *buf)
{
	if (!buf->sgl)
		return;
	krping_buf_unmap(buf);
	krping_buf_free_pages(buf);
}

/**
 * krping_buf_sync_range() - sync a part of a DMA segment for the CPU or for the device
 * @buf: the buffer, on a device that has a DMA device
 * @sg: the segment
 * @off: offset in the segment
 * @len: bytes, contiguous in the segment and in the CPU's memory
 * @cpu: true for the CPU, false for the device
 *
 * Context: any.
 */
void krping_buf_sync_range(const struct krping_buf *buf, struct scatterlist *sg, size_t off,
			   size_t len, bool cpu)
{
	struct device *dev = buf->device->dma_device;

	if (cpu)
		dma_sync_single_range_for_cpu(dev, sg_dma_address(sg), off, len, buf->dir);
	else
		dma_sync_single_range_for_device(dev, sg_dma_address(sg), off, len, buf->dir);
}

/*
 * Sync the whole buffer, for the CPU or for the device. Software providers have no DMA device. In a
 * contiguous buffer the sync covers the data, not the rest of the last page.
 */
static void krping_buf_sync(const struct krping_buf *buf, bool cpu)
{
	struct device *dev = buf->device->dma_device;

	if (!dev)
		return;
	if (krping_buf_contiguous(buf))
		krping_buf_sync_range(buf, buf->sgl, 0, buf->size, cpu);
	else if (cpu)
		dma_sync_sg_for_cpu(dev, buf->map, buf->nents, buf->dir);
	else
		dma_sync_sg_for_device(dev, buf->map, buf->nents, buf->dir);
}

/**
 * krping_buf_for_cpu() - make the device's writes to a buffer visible to the CPU
 * @buf: the buffer
 */
void krping_buf_for_cpu(const struct krping_buf *buf)
{
	krping_buf_sync(buf, true);
}

/* Sync the cache line of the byte at offset @off of @sg, for the CPU or for the device. */
static void krping_sync_line(const struct krping_buf *buf, struct scatterlist *sg, size_t off,
			     bool cpu)
{
	size_t line = round_down(off, KRPING_LINE);

	krping_buf_sync_range(buf, sg, line, min_t(size_t, KRPING_LINE, sg_dma_len(sg) - line),
			      cpu);
}

/* Sync the cache lines of the first and the last byte. Software providers have no DMA device. */
static void krping_sync_ends(const struct krping_buf *buf, bool cpu)
{
	struct scatterlist *last;

	if (!buf->device->dma_device)
		return;
	last = &buf->sgl[buf->mapped - 1];
	krping_sync_line(buf, buf->sgl, 0, cpu);
	krping_sync_line(buf, last, sg_dma_len(last) - 1, cpu);
}

/**
 * krping_buf_ends_for_cpu() - sync the first and the last byte of a buffer for the CPU
 * @buf: the buffer
 *
 * A thread that polls the first and the last byte calls this function in each poll. If the mapping
 * has a bounce buffer, krping_buf_for_cpu() would copy all of the data each time.
 *
 * Context: any context.
 */
void krping_buf_ends_for_cpu(const struct krping_buf *buf)
{
	krping_sync_ends(buf, true);
}

/**
 * krping_buf_ends_for_device() - sync the first and the last byte of a buffer for the device
 * @buf: the buffer, after krping_buf_ends_for_cpu()
 *
 * Context: any context.
 */
void krping_buf_ends_for_device(const struct krping_buf *buf)
{
	krping_sync_ends(buf, false);
}

/**
 * krping_buf_for_device() - make the CPU's writes to a buffer visible to the device
 * @buf: the buffer
 */
void krping_buf_for_device(const struct krping_buf *buf)
{
	krping_buf_sync(buf, false);
}

/**
 * krping_buf_fill() - write the data of an iteration, see krping_pattern_fill()
 * @buf: the buffer, after krping_buf_for_cpu()
 * @iteration: the iteration's number
 */
void krping_buf_fill(const struct krping_buf *buf, u64 iteration)
{
	struct scatterlist *sg;
	size_t off = 0;
	int i;

	for_each_sg(buf->sgl, sg, buf->nents, i) {
		krping_pattern_fill(sg_virt(sg), off, sg->length, buf->size,
				    iteration);
		off += sg->length;
	}
}

/**
 * krping_buf_poison() - overwrite old data, so that a test does not mistake it for new data
 * @buf: the buffer, after krping_buf_for_cpu()
 */
void krping_buf_poison(const struct krping_buf *buf)
{
	struct scatterlist *sg;
	int i;

	for_each_sg(buf->sgl, sg, buf->nents, i)
		memset(sg_virt(sg), KRPING_POISON, sg->length);
}

/**
 * krping_buf_mismatch() - compare two buffers of the same size
 * @a: a buffer, after krping_buf_for_cpu()
 * @b: a buffer, after krping_buf_for_cpu()
 *
 * The buffers may have chunks of different sizes.
 *
 * Return: offset of the first byte that differs; the buffers' size if no byte differs.
 */
size_t krping_buf_mismatch(const struct krping_buf *a,
			   const struct krping_buf *b)
{
	struct scatterlist *sa = a->sgl, *sb = b->sgl;
	size_t in_a = 0, in_b = 0;
	size_t off = 0;

	while (off < a->size) {
		size_t len = min(sa->length - in_a, sb->length - in_b);
		size_t diff = krping_pattern_mismatch(sg_virt(sa) + in_a,
						      sg_virt(sb) + in_b, len);

		off += diff;
		if (diff != len)
			break;
		in_a += len;
		in_b += len;
		if (in_a == sa->length) {
			sa = sg_next(sa);
			in_a = 0;
		}
		if (in_b == sb->length) {
			sb = sg_next(sb);
			in_b = 0;
		}
	}
	return off;
}

/**
 * krping_buf_seek() - find a byte of a buffer
 * @buf: the buffer
 * @off: offset of the byte, below the buffer's size
 * @in: set to the offset of the byte in the entry
 *
 * Return: the entry of the scatterlist that has the byte.
 */
struct scatterlist *krping_buf_seek(const struct krping_buf *buf, size_t off, size_t *in)
{
	struct scatterlist *sg = buf->sgl;

	while (off >= sg->length) {
		off -= sg->length;
		sg = sg_next(sg);
	}
	*in = off;
	return sg;
}

/**
 * krping_buf_at() - return a pointer to a byte of a buffer
 * @buf: the buffer
 * @off: offset of the byte, below the buffer's size
 *
 * Return: pointer to the byte.
 */
u8 *krping_buf_at(const struct krping_buf *buf, size_t off)
{
	struct scatterlist *sg;
	size_t in;

	sg = krping_buf_seek(buf, off, &in);
	return (u8 *)sg_virt(sg) + in;
}

/**
 * krping_buf_byte() - read one byte of a buffer
 * @buf: the buffer, after krping_buf_for_cpu()
 * @off: offset of the byte, below the buffer's size
 *
 * Return: the byte.
 */
u8 krping_buf_byte(const struct krping_buf *buf, size_t off)
{
	return *krping_buf_at(buf, off);
}
