// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * MRs, and the WRs that register a data buffer again and again, each time under a new key, and
 * invalidate the key. The callers post the WRs.
 */
#include <linux/kernel.h>
#include <linux/slab.h>

#include "memory.h"
#include "mr.h"

/**
 * krping_alloc_mr() - allocate an MR for registration by WR
 * @pd: the PD
 * @bytes: maximum number of bytes of a registration, which begins at a page boundary
 *
 * Context: process context.
 *
 * Return: the MR, which is not registered; or an ERR_PTR: -EOPNOTSUPP if all page sizes of the
 * device are larger than PAGE_SIZE, or the error of the device.
 */
struct ib_mr *krping_alloc_mr(struct ib_pd *pd, u64 bytes)
{
	u32 page_size = krping_mem_page_size(pd->device);
	struct ib_mr *mr;

	if (!page_size)
		return ERR_PTR(-EOPNOTSUPP);
	mr = ib_alloc_mr(pd, IB_MR_TYPE_MEM_REG, DIV_ROUND_UP_ULL(bytes, page_size));
	if (!IS_ERR(mr))
		mr->page_size = page_size;
	return mr;
}

/**
 * krping_mr_alloc() - allocate a memory region for a buffer, and build its WRs
 * @mr: to be filled in; krping_mr_renew() sets the keys of its WRs
 * @pd: the connection's PD
 * @buf: the buffer, which must outlive @mr
 * @access: IB_ACCESS_* of each registration
 * @reg_cqe: ib_cqe of the registrations
 * @inv_cqe: ib_cqe of the invalidations
 *
 * Context: process context.
 *
 * Return: 0, or the error of the device.
 */
int krping_mr_alloc(struct krping_mr *mr, struct ib_pd *pd,
		    const struct krping_buf *buf, int access,
		    struct ib_cqe *reg_cqe, struct ib_cqe *inv_cqe)
{
	struct ib_mr *ib_mr;

	ib_mr = krping_alloc_mr(pd, buf->size);
	if (IS_ERR(ib_mr))
		return PTR_ERR(ib_mr);

	memset(mr, 0, sizeof(*mr));
	mr->mr = ib_mr;
	mr->buf = buf;
	mr->reg.wr.opcode = IB_WR_REG_MR;
	mr->reg.wr.wr_cqe = reg_cqe;
	mr->reg.mr = ib_mr;
	mr->reg.access = access;
	mr->inv.opcode = IB_WR_LOCAL_INV;
	mr->inv.wr_cqe = inv_cqe;
	return 0;
}

/**
 * krping_mr_free() - free a memory region
 * @mr: the memory region; nothing happens if it was never allocated
 */
void krping_mr_free(struct krping_mr *mr)
{
	if (mr->mr)
		ib_dereg_mr(mr->mr);
	mr->mr = NULL;
	kvfree(mr->part);
	mr->part = NULL;
}

/**
 * krping_mr_alloc_part() - prepare an MR for registrations of a part of the buffer
 * @mr: the memory region; its buffer must stay mapped until krping_mr_free()
 *
 * Context: process context.
 *
 * Return: 0 or -ENOMEM.
 */
int krping_mr_alloc_part(struct krping_mr *mr)
{
	mr->part = kvmalloc_array(mr->buf->nents, sizeof(*mr->part), GFP_KERNEL);
	if (!mr->part)
		return -ENOMEM;
	memcpy(mr->part, mr->buf->sgl, mr->buf->nents * sizeof(*mr->part));
	return 0;
}

/**
 * krping_map_mr_sg() - map all entries of a scatterlist into an MR
 * @mr: the MR, from krping_alloc_mr()
 * @sgl: the list, mapped for DMA
 * @nents: number of mapped entries
 * @len: bytes of the list
 *
 * Return: true if the device maps all entries and all bytes.
 */
bool krping_map_mr_sg(struct ib_mr *mr, struct scatterlist *sgl, int nents, u64 len)
{
	/* Some drivers read the offset without a check for NULL. */
	unsigned int offset = 0;

	/* Some drivers return the number of pages, which may exceed the number of entries. */
	return ib_map_mr_sg(mr, sgl, nents, &offset, mr->page_size) >= nents && mr->length == len;
}

/*
 * Map the first @size bytes: shorten the entry that has the last byte. The entry is in @mr->part, a
 * copy of the buffer's list, because other MRs may use the buffer's list.
 */
static bool krping_mr_map_part(struct krping_mr *mr, size_t size)
{
	struct scatterlist *last = mr->part;
	size_t left = size;
	unsigned int len;
	bool mapped;

	for (; left > sg_dma_len(last); last++)
		left -= sg_dma_len(last);
	len = sg_dma_len(last);
	sg_dma_len(last) = left;
	mapped = krping_map_mr_sg(mr->mr, mr->part, last - mr->part + 1, size);
	sg_dma_len(last) = len;
	return mapped;
}

/* Map the first @size bytes, which are all of the buffer or a part. */
static bool krping_mr_map(struct krping_mr *mr, size_t size)
{
	const struct krping_buf *buf = mr->buf;

	if (size == buf->size)
		return krping_map_mr_sg(mr->mr, buf->sgl, buf->mapped, size);
	return krping_mr_map_part(mr, size);
}

/**
 * krping_mr_renew_part() - prepare a registration of a part under a new key
 * @mr: the memory region, whose last registration the device has invalidated
 * @size: bytes from the buffer's beginning; after krping_mr_alloc_part() 1 to the buffer's size,
 *	else the buffer's size
 *
 * The function sets the key of @mr->reg and @mr->inv, and posts nothing. The upper half of the iova
 * counts the registrations, and the lower half has only the offset within the page, so that the
 * peer learns no kernel address. net/sunrpc/xprtrdma hides the address likewise.
 *
 * Context: any context, or process context if krping_map_mr_sleeps() returns true.
 *
 * Return: 0, or -EIO if the device does not map all chunks.
 */
int krping_mr_renew_part(struct krping_mr *mr, size_t size)
{
	ib_update_fast_reg_key(mr->mr, ib_inc_rkey(mr->mr->rkey));
	if (unlikely(!krping_mr_map(mr, size)))
		return -EIO;

	mr->uses++;
	mr->mr->iova = ((u64)mr->uses << 32) | (mr->mr->iova & ~PAGE_MASK);
	mr->reg.key = mr->mr->rkey;
	mr->inv.ex.invalidate_rkey = mr->mr->rkey;
	mr->valid = true;
	return 0;
}

/**
 * krping_mr_renew() - prepare a registration under a new key
 * @mr: the memory region, whose last registration the device has invalidated
 *
 * Context: as krping_mr_renew_part(), which the function calls for the whole buffer.
 *
 * Return: 0 or -EIO.
 */
int krping_mr_renew(struct krping_mr *mr)
{
	return krping_mr_renew_part(mr, mr->buf->size);
}
