// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The lab device: rxe with a DMA device, and with the limits and the behaviour of hardware.
 *
 * Each limit and each behaviour is a module parameter, which can be written at run time. Limits
 * take effect when the next device is added. A parameter of 0 keeps rxe's behaviour.
 */
#include "rxe.h"
#include "rxe_loc.h"

/* Limits. */
static unsigned int lab_page_sizes;
module_param_named(page_sizes, lab_page_sizes, uint, 0644);
MODULE_PARM_DESC(page_sizes, "page_size_cap; ib_map_mr_sg() refuses an MR of other pages");

static unsigned int lab_mr_entries;
module_param_named(mr_entries, lab_mr_entries, uint, 0644);
MODULE_PARM_DESC(mr_entries, "max_fast_reg_page_list_len");

static unsigned int lab_max_mr;
module_param_named(max_mr, lab_max_mr, uint, 0644);
MODULE_PARM_DESC(max_mr, "max_mr");

static unsigned int lab_max_sge;
module_param_named(max_sge, lab_max_sge, uint, 0644);
MODULE_PARM_DESC(max_sge,
		 "max_send_sge and max_recv_sge of RC QPs; a MAD QP, which needs 2, has rxe's limit");

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
MODULE_PARM_DESC(max_reads, "max_qp_rd_atom and max_qp_init_rd_atom");

static unsigned int lab_no_reads;
module_param_named(no_reads, lab_no_reads, uint, 0644);
MODULE_PARM_DESC(no_reads, "max_qp_rd_atom and max_qp_init_rd_atom are 0: no READs, no atomics");

static unsigned int lab_max_qps;
module_param_named(max_qps, lab_max_qps, uint, 0644);
MODULE_PARM_DESC(max_qps, "max_qp");

static unsigned int lab_max_ah;
module_param_named(max_ah, lab_max_ah, uint, 0644);
MODULE_PARM_DESC(max_ah, "max_ah; another address handle is refused with -ENOMEM");

static unsigned int lab_vectors;
module_param_named(vectors, lab_vectors, uint, 0644);
MODULE_PARM_DESC(vectors, "completion vectors; a CQ with another vector is refused with -EINVAL");

static unsigned int lab_no_atomics;
module_param_named(no_atomics, lab_no_atomics, uint, 0644);
MODULE_PARM_DESC(no_atomics, "atomic_cap is IB_ATOMIC_NONE, and posting an atomic fails");

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
MODULE_PARM_DESC(map_pages, "ib_map_mr_sg() returns the number of pages, not of SG entries");

static unsigned int lab_map_offset;
module_param_named(map_offset, lab_map_offset, uint, 0644);
MODULE_PARM_DESC(map_offset, "ib_map_mr_sg() needs an sg_offset");

static unsigned int lab_hns;
module_param_named(hns, lab_hns, uint, 0644);
MODULE_PARM_DESC(hns, "driver_id is RDMA_DRIVER_HNS; takes effect when the next device is added");

static int (*lab_rxe_query)(struct ib_device *dev, struct ib_device_attr *attr,
			    struct ib_udata *udata);

/*
 * Report the limit of SGEs to consumers. rxe's own limit, against which rxe checks MAD QPs, too,
 * stays; lab_check_qp() checks RC QPs.
 */
static int lab_query_device(struct ib_device *dev, struct ib_device_attr *attr,
			    struct ib_udata *udata)
{
	int err = lab_rxe_query(dev, attr, udata);

	if (lab_max_sge) {
		attr->max_send_sge = lab_max_sge;
		attr->max_recv_sge = lab_max_sge;
	}
	return err;
}

static int (*lab_rxe_create_ah)(struct ib_ah *ah, struct rdma_ah_init_attr *attr,
				struct ib_udata *udata);
static int (*lab_rxe_destroy_ah)(struct ib_ah *ah, u32 flags);
static atomic_t lab_ahs = ATOMIC_INIT(0);

/* Refuse an address handle beyond the limit, as rxe of Linux 5.10 does with its 100. */
static int lab_create_ah(struct ib_ah *ah, struct rdma_ah_init_attr *attr, struct ib_udata *udata)
{
	int ahs = atomic_inc_return(&lab_ahs);
	int err = -ENOMEM;

	if (!lab_max_ah || ahs <= lab_max_ah)
		err = lab_rxe_create_ah(ah, attr, udata);
	if (err)
		atomic_dec(&lab_ahs);
	return err;
}

static int lab_destroy_ah(struct ib_ah *ah, u32 flags)
{
	int err = lab_rxe_destroy_ah(ah, flags);

	if (!err)
		atomic_dec(&lab_ahs);
	return err;
}

/* Set the attributes of a new device to the limits. */
void lab_limits(struct rxe_dev *rxe)
{
	struct ib_device_attr *attr = &rxe->attr;

	if (lab_hns)
		rxe->ib_dev.ops.driver_id = RDMA_DRIVER_HNS;
	if (lab_page_sizes)
		attr->page_size_cap = lab_page_sizes;
	if (lab_mr_entries)
		attr->max_fast_reg_page_list_len = lab_mr_entries;
	if (lab_max_mr)
		attr->max_mr = lab_max_mr;
	lab_rxe_query = rxe->ib_dev.ops.query_device;
	rxe->ib_dev.ops.query_device = lab_query_device;
	lab_rxe_create_ah = rxe->ib_dev.ops.create_ah;
	lab_rxe_destroy_ah = rxe->ib_dev.ops.destroy_ah;
	rxe->ib_dev.ops.create_ah = lab_create_ah;
	rxe->ib_dev.ops.destroy_ah = lab_destroy_ah;
	if (lab_max_ah)
		attr->max_ah = lab_max_ah;
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
	if (lab_no_reads)
		attr->max_qp_rd_atom = 0;
	if (lab_no_reads)
		attr->max_qp_init_rd_atom = 0;
	if (lab_no_atomics)
		attr->atomic_cap = IB_ATOMIC_NONE;
	if (lab_vectors)
		rxe->ib_dev.num_comp_vectors = lab_vectors;
}

/* Return an errno for an RC QP that exceeds the parameter max_sge or sq_bytes. */
int lab_check_qp(const struct ib_qp_init_attr *init)
{
	const struct ib_qp_cap *cap = &init->cap;
	/*
	 * As in mlx5, a WQE has 64 bytes of control segments, and room for the SGEs (16 bytes each)
	 * or for the inline data.
	 */
	u64 wqe = 64 + max(cap->max_send_sge * 16, cap->max_inline_data);

	if (init->qp_type != IB_QPT_RC)
		return 0;
	if (lab_max_sge && (cap->max_send_sge > lab_max_sge || cap->max_recv_sge > lab_max_sge))
		return -EINVAL;
	return lab_sq_bytes && wqe * cap->max_send_wr > lab_sq_bytes ? -ENOMEM : 0;
}

/* Return an errno for a CQ that exceeds the parameter vectors or cq_entries. */
int lab_check_cq(const struct ib_cq_init_attr *attr)
{
	if (lab_vectors && attr->comp_vector >= lab_vectors)
		return -EINVAL;
	return lab_cq_entries && attr->cqe > lab_cq_entries ? -ENOMEM : 0;
}

/* Return 0, or the errno of a call of ib_map_mr_sg() that the parameters forbid; also warn. */
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

/* Return the result of ib_map_mr_sg(): SG entries or, with the parameter map_pages, pages. */
int lab_map_end(int entries, int pages)
{
	return lab_map_pages && entries > 0 ? pages : entries;
}
