/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * MRs, and the WRs that register a data buffer again and again, each time under a new key, and
 * invalidate the key. The callers post the WRs.
 */
#ifndef KRPING_MR_H
#define KRPING_MR_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

struct krping_buf;
struct scatterlist;

/**
 * struct krping_mr - an MR, and the WRs of its latest registration
 * @mr: the memory region
 * @buf: the buffer
 * @part: copy of &krping_buf.sgl for registrations of a part of the buffer, or NULL
 * @reg: WR that registers the buffer
 * @inv: WR that invalidates the last registration
 * @uses: number of registrations so far
 * @valid: the last registration is prepared or posted; false once krping has posted the
 *	invalidation, or has learned that the peer has invalidated the key
 *
 * The caller links @reg and @inv into the chains that it posts.
 */
struct krping_mr {
	struct ib_mr *mr;
	const struct krping_buf *buf;
	struct scatterlist *part;
	struct ib_reg_wr reg;
	struct ib_send_wr inv;
	u32 uses;
	bool valid;
};

/**
 * krping_map_mr_sleeps() - check whether ib_map_mr_sg() of a device may sleep
 * @device: the device
 *
 * The core permits ib_map_mr_sg() in any context, but hns allocates with GFP_KERNEL.
 *
 * Return: true if only a context that may sleep may call krping_map_mr_sg().
 */
static inline bool krping_map_mr_sleeps(const struct ib_device *device)
{
	return device->ops.driver_id == RDMA_DRIVER_HNS;
}

/* Allocate an MR for registration by WR. */
struct ib_mr *krping_alloc_mr(struct ib_pd *pd, u64 bytes);

/* Map all entries of a scatterlist into an MR. */
bool krping_map_mr_sg(struct ib_mr *mr, struct scatterlist *sgl, int nents, u64 len);

/* Allocate a memory region for a buffer, and build its WRs. */
int krping_mr_alloc(struct krping_mr *mr, struct ib_pd *pd,
		    const struct krping_buf *buf, int access,
		    struct ib_cqe *reg_cqe, struct ib_cqe *inv_cqe);

/* Allow registrations of a part of the buffer. */
int krping_mr_alloc_part(struct krping_mr *mr);

/* Free a memory region. */
void krping_mr_free(struct krping_mr *mr);

/* Prepare a registration under a new key. */
int krping_mr_renew(struct krping_mr *mr);

/* Prepare a registration of a part under a new key. */
int krping_mr_renew_part(struct krping_mr *mr, size_t size);

#endif /* KRPING_MR_H */
