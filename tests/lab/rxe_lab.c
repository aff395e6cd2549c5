// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The lab device: rxe with a DMA device, and with limits and habits of hardware.
 *
 * Each habit is a module parameter, which can be written at run time. Limits take effect when
 * the next device is added. A parameter of 0 keeps rxe's behaviour.
 */
#include <linux/dma-direct.h>
#include <linux/dma-mapping.h>
#include <linux/iommu.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <rdma/ib_mad.h>

#include "rxe.h"
#include "rxe_loc.h"

/* Limits. */
static unsigned int lab_page_sizes;
module_param_named(page_sizes, lab_page_sizes, uint, 0644);
MODULE_PARM_DESC(page_sizes, "page_size_cap; an MR of other pages is mapped wrongly");

static unsigned int lab_mr_entries;
module_param_named(mr_entries, lab_mr_entries, uint, 0644);
MODULE_PARM_DESC(mr_entries, "max_fast_reg_page_list_len");

static unsigned int lab_max_mr;
module_param_named(max_mr, lab_max_mr, uint, 0644);
MODULE_PARM_DESC(max_mr, "max_mr");

static unsigned int lab_max_sge;
module_param_named(max_sge, lab_max_sge, uint, 0644);
MODULE_PARM_DESC(max_sge, "max_send_sge and max_recv_sge");

static unsigned int lab_max_sge_rd;
module_param_named(max_sge_rd, lab_max_sge_rd, uint, 0644);
MODULE_PARM_DESC(max_sge_rd, "max_sge_rd");

static unsigned int lab_max_qp_wr;
module_param_named(max_qp_wr, lab_max_qp_wr, uint, 0644);
MODULE_PARM_DESC(max_qp_wr, "max_qp_wr");

static unsigned int lab_max_cqe;
module_param_named(max_cqe, lab_max_cqe, uint, 0644);
MODULE_PARM_DESC(max_cqe, "max_cqe");

static unsigned int lab_max_msg_sz;
module_param_named(max_msg_sz, lab_max_msg_sz, uint, 0644);
MODULE_PARM_DESC(max_msg_sz, "max_msg_sz of the port");

static unsigned int lab_max_reads;
module_param_named(max_reads, lab_max_reads, uint, 0644);
MODULE_PARM_DESC(max_reads, "READs and atomics in flight, in both directions");

static unsigned int lab_max_qps;
module_param_named(max_qps, lab_max_qps, uint, 0644);
MODULE_PARM_DESC(max_qps, "max_qp");

static unsigned int lab_vectors;
module_param_named(vectors, lab_vectors, uint, 0644);
MODULE_PARM_DESC(vectors, "completion vectors");

static unsigned int lab_no_atomics;
module_param_named(no_atomics, lab_no_atomics, uint, 0644);
MODULE_PARM_DESC(no_atomics, "atomic_cap is IB_ATOMIC_NONE, and posting one fails");

static unsigned int lab_sq_bytes;
module_param_named(sq_bytes, lab_sq_bytes, uint, 0644);
MODULE_PARM_DESC(sq_bytes, "a QP whose SQ has more bytes of WQEs is refused with -ENOMEM");

static unsigned int lab_cq_entries;
module_param_named(cq_entries, lab_cq_entries, uint, 0644);
MODULE_PARM_DESC(cq_entries, "a CQ of more entries is refused with -ENOMEM");

/* ib_map_mr_sg(). */
static unsigned int lab_map_sleeps;
module_param_named(map_sleeps, lab_map_sleeps, uint, 0644);
MODULE_PARM_DESC(map_sleeps, "ib_map_mr_sg() may sleep, as on hns");

static unsigned int lab_map_pages;
module_param_named(map_pages, lab_map_pages, uint, 0644);
MODULE_PARM_DESC(map_pages, "ib_map_mr_sg() returns pages instead of entries");

static unsigned int lab_map_offset;
module_param_named(map_offset, lab_map_offset, uint, 0644);
MODULE_PARM_DESC(map_offset, "ib_map_mr_sg() needs an sg_offset");

/* Work requests. */
static unsigned int lab_reg_no_atomic;
module_param_named(reg_no_atomic, lab_reg_no_atomic, uint, 0644);
MODULE_PARM_DESC(reg_no_atomic, "REG_MR with REMOTE_ATOMIC fails at post");

static unsigned int lab_inline_first;
module_param_named(inline_first, lab_inline_first, uint, 0644);
MODULE_PARM_DESC(inline_first, "inline data is that of the first SGE");

static unsigned int lab_chain_fails;
module_param_named(chain_fails, lab_chain_fails, uint, 0644);
MODULE_PARM_DESC(chain_fails, "the second WR of this chain of RC WRs fails at post; counts down");

static unsigned int lab_post_eio;
module_param_named(post_eio, lab_post_eio, uint, 0644);
MODULE_PARM_DESC(post_eio, "posting fails with EIO from this RC WR on; counts down to 1");

static unsigned int lab_vendor_err;
module_param_named(vendor_err, lab_vendor_err, uint, 0644);
MODULE_PARM_DESC(vendor_err, "vendor_err of failed completions");

static unsigned int lab_backward;
module_param_named(backward, lab_backward, uint, 0644);
MODULE_PARM_DESC(backward, "payload is placed by cache lines, the last one first");

/* Events. */
static unsigned int lab_event;
module_param_named(event, lab_event, uint, 0644);
MODULE_PARM_DESC(event, "type of the event that event_after raises");

static unsigned int lab_event_after;
module_param_named(event_after, lab_event_after, uint, 0644);
MODULE_PARM_DESC(event_after, "at this RC WR raise it, and complete no WR of the QP; counts down");

static unsigned int lab_event_qp;
module_param_named(event_qp, lab_event_qp, uint, 0644);
MODULE_PARM_DESC(event_qp, "event_after counts the WRs of this QP only");

static unsigned int lab_lose;
module_param_named(lose, lab_lose, uint, 0644);
MODULE_PARM_DESC(lose, "lose the next message of the connection manager with this attribute id");

static struct platform_device *lab_platform;
static struct pci_dev *lab_pci;
static struct iommu_domain *lab_domain;

static int lab_probe(struct pci_dev *dev, const struct pci_device_id *id)
{
	return 0;
}

/* QEMU's device for teaching: it lends its IOMMU domain. */
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
	pci_dev_put(lab_pci);
	pci_unregister_driver(&lab_pci_driver);
	platform_device_unregister(lab_platform);
}

/* The device's view of memory: only what is mapped has a page behind it. */
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

static void lab_copy_piece(u64 bus, void *data, size_t len, bool to_memory)
{
	void *va = lab_va(bus);

	if (!va)
		return;
	if (to_memory)
		memcpy(va, data, len);
	else
		memcpy(data, va, len);
}

void lab_copy(u64 bus, void *data, size_t len, bool to_memory)
{
	/* A piece lies within one page and, backward, within one cache line. */
	size_t unit = to_memory && lab_backward ? SMP_CACHE_BYTES : PAGE_SIZE;

	if (to_memory && lab_backward) {
		while (len) {
			u64 last = round_down(bus + len - 1, unit);
			size_t off = last > bus ? last - bus : 0;

			lab_copy_piece(bus + off, data + off, len - off, true);
			len = off;
		}
		return;
	}
	while (len) {
		size_t n = min_t(size_t, len, unit - (bus & (unit - 1)));

		lab_copy_piece(bus, data, n, to_memory);
		bus += n;
		data += n;
		len -= n;
	}
}

void lab_limits(struct rxe_dev *rxe)
{
	struct ib_device_attr *attr = &rxe->attr;

	if (lab_page_sizes)
		attr->page_size_cap = lab_page_sizes;
	if (lab_mr_entries)
		attr->max_fast_reg_page_list_len = lab_mr_entries;
	if (lab_max_mr)
		attr->max_mr = lab_max_mr;
	if (lab_max_sge)
		attr->max_send_sge = lab_max_sge;
	if (lab_max_sge)
		attr->max_recv_sge = lab_max_sge;
	if (lab_max_sge_rd)
		attr->max_sge_rd = lab_max_sge_rd;
	if (lab_max_qp_wr)
		attr->max_qp_wr = lab_max_qp_wr;
	if (lab_max_cqe)
		attr->max_cqe = lab_max_cqe;
	if (lab_max_qps)
		attr->max_qp = lab_max_qps;
	if (lab_max_msg_sz)
		rxe->port.attr.max_msg_sz = lab_max_msg_sz;
	if (lab_max_reads)
		attr->max_qp_rd_atom = lab_max_reads;
	if (lab_max_reads)
		attr->max_qp_init_rd_atom = lab_max_reads;
	if (lab_no_atomics)
		attr->atomic_cap = IB_ATOMIC_NONE;
	if (lab_vectors)
		rxe->ib_dev.num_comp_vectors = lab_vectors;
}

int lab_check_qp(const struct ib_qp_init_attr *init)
{
	const struct ib_qp_cap *cap = &init->cap;
	/* As mlx5 computes it: a control segment, and what is larger, SGEs or inline data. */
	u64 wqe = 64 + max(cap->max_send_sge * 16, cap->max_inline_data);

	if (init->qp_type == IB_QPT_RC && lab_sq_bytes && wqe * cap->max_send_wr > lab_sq_bytes)
		return -ENOMEM;
	return 0;
}

int lab_check_cq(unsigned int entries)
{
	return lab_cq_entries && entries > lab_cq_entries ? -ENOMEM : 0;
}

int lab_map_begin(const struct ib_mr *mr, const unsigned int *sg_offset)
{
	if (lab_map_sleeps) {
		WARN_ONCE(!preemptible(),
			  "rxe lab: ib_map_mr_sg() called in atomic context\n");
		might_sleep();
	}
	if (lab_map_offset &&
	    WARN_ONCE(!sg_offset, "rxe lab: ib_map_mr_sg() called without sg_offset\n"))
		return -EFAULT;
	if (lab_page_sizes &&
	    WARN_ONCE(!(mr->page_size & lab_page_sizes), "rxe lab: an MR of pages of %u bytes\n",
		      mr->page_size))
		return -EINVAL;
	return 0;
}

int lab_map_end(int entries, int pages)
{
	return lab_map_pages && entries > 0 ? pages : entries;
}

struct lab_event {
	struct work_struct work;
	struct rxe_qp *qp;
	enum ib_event_type type;
};

static void lab_raise(struct work_struct *work)
{
	struct lab_event *lab = container_of(work, struct lab_event, work);
	struct ib_qp *qp = &lab->qp->ibqp;
	struct ib_event event = {
		.device = qp->device,
		.event = lab->type,
	};

	switch (lab->type) {
	case IB_EVENT_CQ_ERR:
		event.element.cq = qp->send_cq;
		if (qp->send_cq->event_handler)
			qp->send_cq->event_handler(&event, qp->send_cq->cq_context);
		break;
	case IB_EVENT_SRQ_ERR:
		event.element.srq = qp->srq;
		if (qp->srq && qp->srq->event_handler)
			qp->srq->event_handler(&event, qp->srq->srq_context);
		break;
	case IB_EVENT_DEVICE_FATAL:
	case IB_EVENT_PORT_ERR:
	case IB_EVENT_PORT_ACTIVE:
		event.element.port_num = 1;
		ib_dispatch_event(&event);
		break;
	default:
		event.element.qp = qp;
		if (qp->event_handler)
			qp->event_handler(&event, qp->qp_context);
		break;
	}
	rxe_put(lab->qp);
	kfree(lab);
}

static void lab_raise_later(struct rxe_qp *qp)
{
	struct lab_event *lab = kzalloc(sizeof(*lab), GFP_ATOMIC);

	if (!lab)
		return;
	INIT_WORK(&lab->work, lab_raise);
	lab->qp = qp;
	lab->type = lab_event;
	rxe_get(qp);
	schedule_work(&lab->work);
}

/* Number of the QP that has failed by an event; it forgets its WRs. */
static u32 lab_dead;

/* Count a parameter down to 1. Return true when and while it is 1. */
static bool lab_due(unsigned int *param)
{
	unsigned int n = READ_ONCE(*param);

	if (n > 1)
		WRITE_ONCE(*param, n - 1);
	return n == 1;
}

int lab_post(struct rxe_qp *qp, const struct ib_send_wr *wr, int nr)
{
	/* A QP in another state is being drained, which must work. */
	if (qp_type(qp) != IB_QPT_RC || qp->attr.qp_state != IB_QPS_RTS)
		return 0;
	if (lab_no_atomics && (wr->opcode == IB_WR_ATOMIC_CMP_AND_SWP ||
			       wr->opcode == IB_WR_ATOMIC_FETCH_AND_ADD))
		return -EINVAL;
	if (lab_reg_no_atomic && wr->opcode == IB_WR_REG_MR &&
	    reg_wr(wr)->access & IB_ACCESS_REMOTE_ATOMIC)
		return -EINVAL;
	if (lab_chain_fails && nr == 1 && lab_due(&lab_chain_fails)) {
		WRITE_ONCE(lab_chain_fails, 0);
		return -ENOMEM;
	}
	if (lab_due(&lab_post_eio))
		return -EIO;
	if ((!lab_event_qp || lab_event_qp == qp_num(qp)) && lab_due(&lab_event_after)) {
		WRITE_ONCE(lab_event_after, 0);
		/* A QP survives events of its port. */
		if (lab_event != IB_EVENT_PORT_ERR && lab_event != IB_EVENT_PORT_ACTIVE)
			WRITE_ONCE(lab_dead, qp_num(qp));
		lab_raise_later(qp);
	}
	return READ_ONCE(lab_dead) == qp_num(qp);
}

int lab_inline_sges(int num_sge)
{
	return lab_inline_first ? min(num_sge, 1) : num_sge;
}

bool lab_loses(struct rxe_qp *qp, const void *payload)
{
	const struct ib_mad_hdr *mad = payload;
	unsigned int lose = READ_ONCE(lab_lose);

	if (!lose || qp_type(qp) != IB_QPT_GSI || mad->mgmt_class != IB_MGMT_CLASS_CM ||
	    be16_to_cpu(mad->attr_id) != lose)
		return false;
	return cmpxchg(&lab_lose, lose, 0) == lose;
}

void lab_complete(struct rxe_cqe *cqe)
{
	if (lab_vendor_err && cqe->ibwc.status != IB_WC_SUCCESS &&
	    cqe->ibwc.status != IB_WC_WR_FLUSH_ERR)
		cqe->ibwc.vendor_err = lab_vendor_err;
}
