// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The lab device: fill the bounce buffers, and leave holes for krping's mappings.
 */
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/swiotlb.h>

#include "rxe.h"
#include "rxe_loc.h"

/* Maximum number of slots to map, more than the bounce buffers have by default. */
#define LAB_SLOTS	SZ_64K

/* In slots: the distance between the beginnings of two holes, and 64 KiB. */
#define LAB_HOLE	64
#define LAB_CHUNK	(SZ_64K / IO_TLB_SIZE)

static dma_addr_t *lab_slots;
static void *lab_slot_data;

static void lab_slot_unmap(dma_addr_t addr)
{
	dma_unmap_single_attrs(lab_dma_device(), addr, IO_TLB_SIZE, DMA_TO_DEVICE,
			       DMA_ATTR_SKIP_CPU_SYNC);
}

/*
 * Each second hole has room for 64 KiB and two more slots. In the other holes, the slot after
 * 64 KiB is in use and the next slot is free, so a short mapping there is not aligned to a page.
 */
static bool lab_slot_is_free(u64 slot)
{
	u64 pos = slot % LAB_HOLE;

	return pos < LAB_CHUNK || pos == LAB_CHUNK + 1 ||
	       (pos == LAB_CHUNK && slot / LAB_HOLE % 2);
}

/* Unmap all slots that lab_holes_fill() has left mapped. */
static void lab_holes_end(void)
{
	u32 i;

	if (!lab_slots)
		return;
	for (i = 0; i < LAB_SLOTS; i++)
		if (lab_slots[i] != DMA_MAPPING_ERROR)
			lab_slot_unmap(lab_slots[i]);
	kvfree(lab_slots);
	kfree(lab_slot_data);
	lab_slots = NULL;
}

/* Map all slots of the bounce buffers, and then unmap the slots of the holes. */
static void lab_holes_fill(void)
{
	dma_addr_t first = DMA_MAPPING_ERROR;
	u32 i;

	for (i = 0; i < LAB_SLOTS; i++) {
		lab_slots[i] = dma_map_single_attrs(lab_dma_device(), lab_slot_data, IO_TLB_SIZE,
						    DMA_TO_DEVICE,
						    DMA_ATTR_SKIP_CPU_SYNC | DMA_ATTR_NO_WARN);
		first = min(first, lab_slots[i]);
	}
	for (i = 0; i < LAB_SLOTS; i++) {
		if (lab_slots[i] == DMA_MAPPING_ERROR ||
		    !lab_slot_is_free((lab_slots[i] - first) / IO_TLB_SIZE))
			continue;
		lab_slot_unmap(lab_slots[i]);
		lab_slots[i] = DMA_MAPPING_ERROR;
	}
}

/* Handle a write to the parameter bounce_holes: 0 unmaps the slots, another number makes holes. */
static int lab_holes_set(const char *val, const struct kernel_param *kp)
{
	unsigned int holes;
	int ret = kstrtouint(val, 0, &holes);

	if (ret)
		return ret;
	lab_holes_end();
	if (!holes)
		return 0;
	if (!is_swiotlb_force_bounce(lab_dma_device()))
		return -EINVAL;
	lab_slot_data = kzalloc(IO_TLB_SIZE, GFP_KERNEL);
	lab_slots = kvmalloc_array(LAB_SLOTS, sizeof(*lab_slots), GFP_KERNEL);
	if (!lab_slot_data || !lab_slots) {
		kfree(lab_slot_data);
		kvfree(lab_slots);
		lab_slots = NULL;
		return -ENOMEM;
	}
	lab_holes_fill();
	return 0;
}

static int lab_holes_get(char *buffer, const struct kernel_param *kp)
{
	return sprintf(buffer, "%d\n", !!lab_slots);
}

static const struct kernel_param_ops lab_holes_ops = {
	.set = lab_holes_set,
	.get = lab_holes_get,
};
module_param_cb(bounce_holes, &lab_holes_ops, NULL, 0644);
MODULE_PARM_DESC(bounce_holes, "bounce buffers have holes: 64 KiB with one slot in use behind them");

void lab_bounce_exit(void)
{
	lab_holes_end();
}
