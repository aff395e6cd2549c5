// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Damage the data or the scatter/gather list of a work request.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "corrupt.h"

#define KRPING_CORRUPT_PAGE	4096

/* The data of the operation to damage, the data of the operation before, and room to swap pages. */
static u8 krping_corrupt_flat[KRPING_CORRUPT_MOST];
static u8 krping_corrupt_last[KRPING_CORRUPT_MOST];
static u8 krping_corrupt_page[KRPING_CORRUPT_PAGE];

bool krping_corrupt_reads(const struct ib_send_wr *wr)
{
	return wr->opcode == IB_WR_RDMA_READ ||
	       wr->opcode == IB_WR_RDMA_READ_WITH_INV;
}

/* Return the length of the operation's data. */
u32 krping_corrupt_bytes(const struct ib_send_wr *wr)
{
	u32 bytes = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++)
		bytes += wr->sg_list[i].length;
	return bytes;
}

/* If @gather, copy the data of an SGE that the lab device maps to @flat; else copy it back. */
static bool krping_corrupt_copy_lab(const struct ib_sge *sge, u8 *flat, bool gather)
{
	u32 at, len;
	void *data;

	for (at = 0; at < sge->length; at += len) {
		len = min_t(u32, sge->length - at, PAGE_SIZE - offset_in_page(sge->addr + at));
		data = krping_corrupt_lab_va(sge->addr + at);
		if (!data)
			return false;
		if (gather)
			memcpy(flat + at, data, len);
		else
			memcpy(data, flat + at, len);
	}
	return true;
}

/*
 * If @gather, copy the data of a SEND or WRITE from its scatter/gather list to @flat; else copy
 * the data back. rxe and siw use virtual addresses for DMA, so the address of an SGE is a kernel
 * address if the data is inline, or if the SGE has the local DMA lkey. The lab device has bus
 * addresses, if the data is not inline. Return: false if an SGE has another lkey.
 */
static bool krping_corrupt_copy(const struct ib_qp *from,
				const struct ib_send_wr *wr, u8 *flat, bool gather)
{
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		const struct ib_sge *sge = &wr->sg_list[i];
		bool is_inline = wr->send_flags & IB_SEND_INLINE;
		void *data = (void *)(uintptr_t)sge->addr;

		if (!is_inline && sge->lkey != from->pd->local_dma_lkey)
			return false;
		if (!is_inline && krping_corrupt_lab_va) {
			if (!krping_corrupt_copy_lab(sge, flat, gather))
				return false;
		} else if (gather) {
			memcpy(flat, data, sge->length);
		} else {
			memcpy(data, flat, sge->length);
		}
		flat += sge->length;
	}
	return true;
}

/* Keep the data of an operation, so that the next operation can send this data again. */
void krping_corrupt_keep(const struct ib_qp *from, const struct ib_send_wr *wr)
{
	if (!krping_corrupt_reads(wr))
		krping_corrupt_copy(from, wr, krping_corrupt_last, true);
}

/*
 * Change the data as `first`, `last`, `bit` or `stale`. Return: false if @fault is none of these,
 * or if @data is NULL.
 */
static bool krping_corrupt_bytewise(u8 *data, u32 bytes, const char *fault)
{
	if (!data)
		return false;
	if (sysfs_streq(fault, "first"))
		data[0] ^= 0x01;
	else if (sysfs_streq(fault, "last"))
		data[bytes - 1] ^= 0x01;
	else if (sysfs_streq(fault, "bit"))
		data[bytes / 2] ^= 0x10;
	else if (sysfs_streq(fault, "stale"))
		memcpy(data, krping_corrupt_last, bytes);
	else
		return false;
	return true;
}

/* Swap the second and the third page. Return: false if the operation is too small. */
static bool krping_corrupt_pages(struct ib_send_wr *wr, u8 *data, u32 bytes)
{
	u8 *a, *b;

	if (krping_corrupt_reads(wr)) {
		if (wr->num_sge < 3)
			return false;
		swap(wr->sg_list[1].addr, wr->sg_list[2].addr);
		return true;
	}
	if (!data || bytes < 3 * KRPING_CORRUPT_PAGE)
		return false;
	a = data + KRPING_CORRUPT_PAGE;
	b = a + KRPING_CORRUPT_PAGE;
	memcpy(krping_corrupt_page, a, KRPING_CORRUPT_PAGE);
	memcpy(a, b, KRPING_CORRUPT_PAGE);
	memcpy(b, krping_corrupt_page, KRPING_CORRUPT_PAGE);
	return true;
}

/* Remove the last @cut bytes from the scatter/gather list. */
static void krping_corrupt_cut(struct ib_send_wr *wr, u32 cut)
{
	while (cut) {
		struct ib_sge *last = &wr->sg_list[wr->num_sge - 1];

		if (last->length > cut) {
			last->length -= cut;
			return;
		}
		cut -= last->length;
		wr->num_sge--;
	}
}

/* Move all data by one byte towards the end. Return: false if that is not possible. */
static bool krping_corrupt_shift(struct ib_send_wr *wr, u8 *data, u32 bytes)
{
	if (krping_corrupt_reads(wr)) {
		wr->sg_list->addr++;
		wr->sg_list->length--;
	} else if (wr->opcode == IB_WR_RDMA_WRITE) {
		container_of(wr, struct ib_rdma_wr, wr)->remote_addr++;
		krping_corrupt_cut(wr, 1);
	} else if (data) {
		memmove(data + 1, data, bytes - 1);
	} else {
		return false;
	}
	return true;
}

/*
 * Exchange the data of an operation and the next one of the same kind and length. Return: false
 * if the chain has none.
 */
static bool krping_corrupt_swap(struct ib_send_wr *wr)
{
	struct ib_send_wr *next = wr;
	u32 bytes = krping_corrupt_bytes(wr);

	do {
		next = (struct ib_send_wr *)next->next;
	} while (next && (next->opcode != wr->opcode || krping_corrupt_bytes(next) != bytes));
	if (!next)
		return false;
	if (krping_corrupt_reads(wr))
		swap(container_of(wr, struct ib_rdma_wr, wr)->remote_addr,
		     container_of(next, struct ib_rdma_wr, wr)->remote_addr);
	else
		swap(wr->sg_list, next->sg_list);
	return true;
}

/*
 * Damage the operation as @fault names it. Return: false if the fault does not apply to the
 * operation.
 */
bool krping_corrupt_spoil(const struct ib_qp *from, struct ib_send_wr *wr,
			  const char *fault)
{
	u32 bytes = krping_corrupt_bytes(wr);
	u8 *data = NULL;
	bool done;

	if (sysfs_streq(fault, "swap"))
		return krping_corrupt_swap(wr);
	if (sysfs_streq(fault, "late")) {
		/*
		 * Transfer no data, as if the data came after the completion. A READ keeps an
		 * empty SGE, because siw requires one.
		 */
		wr->num_sge = krping_corrupt_reads(wr);
		wr->sg_list->length = 0;
		return true;
	}
	if (sysfs_streq(fault, "lkey")) {
		/* The index of an MR that does not exist. */
		wr->sg_list->lkey ^= 0xabcdef00;
		return true;
	}
	if (sysfs_streq(fault, "short")) {
		krping_corrupt_cut(wr, bytes / 4);
		return true;
	}
	if (!krping_corrupt_reads(wr) &&
	    krping_corrupt_copy(from, wr, krping_corrupt_flat, true))
		data = krping_corrupt_flat;
	if (sysfs_streq(fault, "pages"))
		done = krping_corrupt_pages(wr, data, bytes);
	else if (sysfs_streq(fault, "shift"))
		done = krping_corrupt_shift(wr, data, bytes);
	else
		done = krping_corrupt_bytewise(data, bytes, fault);
	if (done && data)
		krping_corrupt_copy(from, wr, data, false);
	return done;
}
