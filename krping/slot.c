// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Fill, poison and check a slot, the part of a buffer that one operation uses, while the device
 * uses other slots of the buffer.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "pattern.h"
#include "slot.h"

/*
 * Return the DMA segment of byte @off, and set @in to the byte's offset in the segment. An IOMMU
 * may have merged entries, so krping_buf_seek(), which finds the CPU address, may return another
 * entry.
 */
static struct scatterlist *krping_slot_seek_dma(struct scatterlist *sgl, size_t off, size_t *in)
{
	while (off >= sg_dma_len(sgl)) {
		off -= sg_dma_len(sgl);
		sgl = sg_next(sgl);
	}
	*in = off;
	return sgl;
}

/*
 * Sync only the slot. If the device uses a bounce buffer, a sync of the whole buffer for the device
 * would overwrite data that the device has just written to other slots. Each call of the DMA API
 * syncs memory that is contiguous both for the CPU and for the device.
 */
static void krping_slot_sync(const struct krping_slot *slot, bool cpu)
{
	size_t done, part;

	/* Software providers have no DMA device. */
	if (!slot->buf->device->dma_device)
		return;
	for (done = 0; done < slot->size; done += part) {
		struct scatterlist *sg, *dma;
		size_t in, in_dma;

		sg = krping_buf_seek(slot->buf, slot->off + done, &in);
		dma = krping_slot_seek_dma(slot->buf->sgl, slot->off + done, &in_dma);
		part = min3(slot->size - done, sg->length - in, sg_dma_len(dma) - in_dma);
		krping_buf_sync_range(slot->buf, dma, in_dma, part, cpu);
	}
}

/**
 * krping_slot_for_cpu() - make the device's writes to a slot visible to the CPU
 * @slot: the slot
 *
 * Context: any.
 */
void krping_slot_for_cpu(const struct krping_slot *slot)
{
	krping_slot_sync(slot, true);
}

/**
 * krping_slot_for_device() - make the CPU's writes to a slot visible to the device
 * @slot: the slot
 *
 * Context: any.
 */
void krping_slot_for_device(const struct krping_slot *slot)
{
	krping_slot_sync(slot, false);
}

/* Return the address of byte @done of a slot, and set @len to the contiguous bytes from there. */
static u8 *krping_slot_piece(const struct krping_slot *slot, size_t done, size_t *len)
{
	struct scatterlist *sg;
	size_t in;

	sg = krping_buf_seek(slot->buf, slot->off + done, &in);
	*len = min_t(size_t, slot->size - done, sg->length - in);
	return (u8 *)sg_virt(sg) + in;
}

/**
 * krping_slot_fill() - write the data of an iteration into a slot
 * @slot: the slot, for which the caller has called krping_slot_for_cpu()
 * @n: number of the iteration
 *
 * Context: any.
 */
void krping_slot_fill(const struct krping_slot *slot, u64 n)
{
	size_t done, len;

	for (done = 0; done < slot->size; done += len) {
		u8 *data = krping_slot_piece(slot, done, &len);

		krping_pattern_fill(data, done, len, slot->size, n);
	}
}

/**
 * krping_slot_poison() - overwrite a slot, so that a test does not mistake old data for new data
 * @slot: the slot, for which the caller has called krping_slot_for_cpu()
 *
 * Context: any.
 */
void krping_slot_poison(const struct krping_slot *slot)
{
	size_t done, len;

	for (done = 0; done < slot->size; done += len) {
		u8 *data = krping_slot_piece(slot, done, &len);

		memset(data, KRPING_POISON, len);
	}
}

/**
 * krping_slot_check() - compare a slot with the data of an iteration
 * @slot: the slot, for which the caller has called krping_slot_for_cpu()
 * @n: number of the iteration
 *
 * Context: any.
 *
 * Return: offset of the first byte that differs; the size of the slot if there is none.
 */
size_t krping_slot_check(const struct krping_slot *slot, u64 n)
{
	size_t done = 0;

	while (done < slot->size) {
		size_t len, same;
		const u8 *data = krping_slot_piece(slot, done, &len);

		same = krping_pattern_check(data, done, len, slot->size, n);
		done += same;
		if (same != len)
			break;
	}
	return done;
}
