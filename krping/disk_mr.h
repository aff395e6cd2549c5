/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * MRs for the pages of a disk's requests, on iWARP, where the sink of a READ needs an MR.
 */
#ifndef KRPING_DISK_MR_H
#define KRPING_DISK_MR_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

struct krping_conn;

/**
 * struct krping_disk_mr - the MR of a tag of the block layer, for the request that has the tag
 * @mr: the MR
 * @reg: registers the pages; the caller sets the WR that follows @reg
 * @inv: invalidates the last key of @mr; @reg follows in the chain
 * @uses: number of registrations
 * @valid: the last key of @mr is valid: post @inv before @reg
 */
struct krping_disk_mr {
	struct ib_mr *mr;
	struct ib_reg_wr reg;
	struct ib_send_wr inv;
	u32 uses;
	bool valid;
};

/**
 * struct krping_disk_mrs - the MRs of a connection; all zeros: none
 * @nr: number of @mr that are allocated
 * @mr: the MRs, by tag
 */
struct krping_disk_mrs {
	u32 nr;
	struct krping_disk_mr *mr;
};

/* Allocate and free the MRs of a connection, one for each of @nr tags. */
int krping_disk_mrs_alloc(struct krping_disk_mrs *mrs, struct krping_conn *conn, u32 nr);
void krping_disk_mrs_free(struct krping_disk_mrs *mrs);
/* Map the pages of @sgl under a new key; returns false if the device cannot map the pages. */
bool krping_disk_mr_renew(struct krping_disk_mr *m, struct scatterlist *sgl, int nents,
			  u32 len, int access, struct ib_sge *sge);

#endif /* KRPING_DISK_MR_H */
