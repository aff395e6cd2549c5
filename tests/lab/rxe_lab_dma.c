// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The lab device: register a DMA device, and access memory by bus addresses.
 */
#include <linux/dma-direct.h>
#include <linux/dma-mapping.h>
#include <linux/iommu.h>
#include <linux/ktime.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/prandom.h>
#include <linux/sizes.h>
#include <linux/swiotlb.h>

#include "rxe.h"
#include "rxe_loc.h"

static unsigned int lab_backward;
module_param_named(backward, lab_backward, uint, 0644);
MODULE_PARM_DESC(backward,
		 "N: payload is placed by cache lines, the last one first, and the others N us later");

static unsigned int lab_shuffle;
module_param_named(shuffle, lab_shuffle, uint, 0644);
MODULE_PARM_DESC(shuffle,
		 "N: payload is placed by cache lines in varying order, with backward the last one first, and one line N us after all others");

static unsigned int lab_node;
module_param_named(node, lab_node, uint, 0644);
MODULE_PARM_DESC(node, "NUMA node of the device; 0: the device has none");

static struct platform_device *lab_platform;
static struct pci_dev *lab_pci;
static struct iommu_domain *lab_domain;

static int lab_probe(struct pci_dev *dev, const struct pci_device_id *id)
{
	return 0;
}

/*
 * QEMU's device "edu". The lab device uses only its IOMMU domain. Without this PCI device, the lab
 * device maps memory for a platform device.
 */
static const struct pci_device_id lab_pci_ids[] = {
	{ PCI_DEVICE(0x1234, 0x11e8) },
	{ }
};

static struct pci_driver lab_pci_driver = {
	.name = "rxe_lab",
	.id_table = lab_pci_ids,
	.probe = lab_probe,
};

struct device *lab_dma_device(void)
{
	return lab_pci ? &lab_pci->dev : &lab_platform->dev;
}

/* Register the DMA device, and log whether an IOMMU or bounce buffers are in use. */
int lab_init(void)
{
	struct device *dev;
	int err;

	lab_platform = platform_device_register_simple("rxe_lab", PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(lab_platform))
		return PTR_ERR(lab_platform);
	err = pci_register_driver(&lab_pci_driver);
	if (err) {
		platform_device_unregister(lab_platform);
		return err;
	}
	lab_pci = pci_get_device(0x1234, 0x11e8, NULL);
	dev = lab_dma_device();
	dma_coerce_mask_and_coherent(dev, DMA_BIT_MASK(64));
	dma_set_max_seg_size(dev, SZ_2G);
	lab_domain = iommu_get_domain_for_dev(dev);
	if (lab_domain && !(lab_domain->type & __IOMMU_DOMAIN_PAGING))
		lab_domain = NULL;
	pr_info("lab: DMA by %s, %s\n", dev_name(dev),
		lab_domain ? "an IOMMU translates" :
		is_swiotlb_force_bounce(dev) ? "all mappings are bounced" : "direct");
	return 0;
}

void lab_exit(void)
{
	lab_bounce_exit();
	pci_dev_put(lab_pci);
	pci_unregister_driver(&lab_pci_driver);
	platform_device_unregister(lab_platform);
}

/* Put a device on the NUMA node of the parameter node. */
void lab_set_node(struct ib_device *device)
{
	if (!lab_node)
		return;
	device->dev.parent = lab_dma_device();
	set_dev_node(lab_dma_device(), lab_node);
}

/*
 * Translate a bus address to a kernel address. Warn and return NULL if it is not mapped.
 * krping_corrupt.ko uses this function, too.
 */
void *lab_va(u64 bus)
{
	phys_addr_t phys;

	phys = lab_domain ? iommu_iova_to_phys(lab_domain, bus) :
	       dma_to_phys(lab_dma_device(), bus);
	if (WARN_ONCE(!phys || !pfn_valid(PHYS_PFN(phys)),
		      "rxe lab: access to bus address %#llx, which is not mapped\n", bus))
		return NULL;
	return phys_to_virt(phys);
}
EXPORT_SYMBOL_GPL(lab_va);

/*
 * Map the registered memory of user space, @sgt, again, without bounce buffers. rxe accesses the
 * pages of this memory. Bounce buffers would have the contents of the time of the registration,
 * which would overwrite the pages when the memory is unmapped.
 */
void lab_user_memory(struct sg_table *sgt)
{
	struct device *dev = lab_dma_device();
	struct scatterlist *sg;
	int i;

	if (lab_domain || !is_swiotlb_force_bounce(dev))
		return;
	dma_unmap_sgtable(dev, sgt, DMA_BIDIRECTIONAL, DMA_ATTR_SKIP_CPU_SYNC);
	for_each_sgtable_sg(sgt, sg, i) {
		sg_dma_address(sg) = phys_to_dma(dev, sg_phys(sg));
		sg_dma_len(sg) = sg->length;
	}
}

/*
 * Let a kernel with DMA_API_DEBUG report an access to memory that no driver has mapped for accesses
 * in this direction. The device cannot read the kernel's list of mappings, but a sync compares its
 * arguments with this list. With bounce buffers, a sync would copy data, and hide a missing sync.
 */
static noinline void lab_check_access(u64 bus, size_t len, bool to_memory)
{
	struct device *dev = lab_dma_device();

	if (IS_ENABLED(CONFIG_DMA_API_DEBUG) && !lab_domain && !is_swiotlb_force_bounce(dev))
		dma_sync_single_for_cpu(dev, bus, len,
					to_memory ? DMA_FROM_DEVICE : DMA_TO_DEVICE);
}

/*
 * Copy between @data and a bus address, within a page. lab/placement traces the calls of this
 * function.
 */
static noinline __noclone void lab_copy_piece(u64 bus, void *data, size_t len, bool to_memory)
{
	void *va = lab_va(bus);

	if (!va)
		return;
	if (to_memory)
		memcpy(va, data, len);
	else
		memcpy(data, va, len);
}

/* The maximum payload of a packet. */
#define LAB_PAYLOAD_MAX	SZ_4K

/*
 * Set @order to the order in which to place @nr cache lines: with the parameter shuffle a random
 * one, which is the same in each run for the same number of calls, else descending. With the
 * parameter backward, the last line is the first.
 */
static void lab_order_lines(u8 *order, unsigned int nr)
{
	static atomic_t calls = ATOMIC_INIT(0);
	unsigned int fixed = lab_backward ? 1 : 0;
	struct rnd_state rnd;
	unsigned int i;

	for (i = 0; i < nr; i++)
		order[i] = nr - 1 - i;
	if (!lab_shuffle)
		return;
	prandom_seed_state(&rnd, atomic_inc_return(&calls));
	for (i = nr - 1; i > fixed; i--) {
		/* swap() evaluates its arguments twice */
		unsigned int other = fixed + prandom_u32_state(&rnd) % (i + 1 - fixed);

		swap(order[i], order[other]);
	}
}

/*
 * Wait for @us microseconds of the clock by which krping measures. udelay() is short if the machine
 * was busy when the kernel calibrated its TSC.
 */
static void lab_wait(unsigned int us)
{
	u64 end = ktime_get_ns() + (u64)us * NSEC_PER_USEC;

	while (ktime_get_ns() < end)
		cpu_relax();
}

/* Copy the payload of a packet to memory by cache lines, in the order of lab_order_lines(). */
static void lab_copy_lines(u64 bus, void *data, size_t len)
{
	u64 first = round_down(bus, SMP_CACHE_BYTES);
	unsigned int nr = DIV_ROUND_UP(bus + len - first, SMP_CACHE_BYTES);
	u8 order[LAB_PAYLOAD_MAX / SMP_CACHE_BYTES + 1];
	unsigned int i;

	lab_order_lines(order, nr);
	for (i = 0; i < nr; i++) {
		u64 begin = max(bus, first + order[i] * SMP_CACHE_BYTES);
		u64 end = min(bus + len, first + (order[i] + 1) * SMP_CACHE_BYTES);

		if (i == 1 && lab_backward)
			lab_wait(lab_backward);
		if (i && i == nr - 1 && lab_shuffle)
			lab_wait(lab_shuffle);
		lab_copy_piece(begin, data + (begin - bus), end - begin, true);
	}
}

/* Copy between @data and a bus address. The parameters backward and shuffle choose the order. */
void lab_copy(u64 bus, void *data, size_t len, bool to_memory)
{
	lab_check_access(bus, len, to_memory);
	if (to_memory && len && len <= LAB_PAYLOAD_MAX && (lab_backward || lab_shuffle)) {
		lab_copy_lines(bus, data, len);
		return;
	}
	while (len) {
		size_t n = min_t(size_t, len, PAGE_SIZE - (bus & (PAGE_SIZE - 1)));

		lab_copy_piece(bus, data, n, to_memory);
		bus += n;
		data += n;
		len -= n;
	}
}
