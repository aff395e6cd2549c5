// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * MRs for the pages of a disk's requests, on iWARP, where the sink of a READ needs an MR.
 *
 * An MR belongs to a PD, and so to a connection. The requests of the block layer outlive
 * connections, so the connection has the MRs: one for each tag. No two requests of a connection
 * have the same tag at the same time, so I/O neither allocates MRs nor takes locks for them.
 */
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "cm.h"
#include "disk_mr.h"
#include "mr.h"
#include "wr.h"

/* Allocate an MR, and prepare its chain of LOCAL_INV and REG_MR. */
static int krping_disk_mr_init(struct krping_disk_mr *m, struct krping_conn *conn)
{
	struct ib_mr *mr;

	mr = krping_alloc_mr(conn->pd, krping_mem_reg_max(conn->pd->device));
	if (IS_ERR(mr))
		return krping_alloc_errno(PTR_ERR(mr));
	m->mr = mr;
	m->reg.wr.opcode = IB_WR_REG_MR;
	m->reg.wr.wr_cqe = krping_queue_cqe(&conn->queue, KRPING_OP_REG);
	m->reg.mr = mr;
	m->inv.opcode = IB_WR_LOCAL_INV;
	m->inv.wr_cqe = krping_queue_cqe(&conn->queue, KRPING_OP_INV);
	m->inv.next = &m->reg.wr;
	return 0;
}

/**
 * krping_disk_mrs_alloc() - allocate the MRs of a connection
 * @mrs: the MRs, all zeros
 * @conn: the connection, with a PD
 * @nr: number of tags, each of which gets an MR
 *
 * Context: process. The caller frees the MRs by krping_disk_mrs_free(), also after an error.
 *
 * Return: 0 or a negative errno.
 */
int krping_disk_mrs_alloc(struct krping_disk_mrs *mrs, struct krping_conn *conn, u32 nr)
{
	int ret = 0;

	mrs->mr = kvcalloc(nr, sizeof(*mrs->mr), GFP_KERNEL);
	if (!mrs->mr)
		return -ENOMEM;
	while (mrs->nr < nr && !ret) {
		ret = krping_disk_mr_init(&mrs->mr[mrs->nr], conn);
		mrs->nr += !ret;
	}
	return ret;
}

/**
 * krping_disk_mrs_free() - free the MRs of a connection
 * @mrs: the MRs, which no posted WR uses; all zeros afterwards
 */
void krping_disk_mrs_free(struct krping_disk_mrs *mrs)
{
	while (mrs->nr)
		ib_dereg_mr(mrs->mr[--mrs->nr].mr);
	kvfree(mrs->mr);
	mrs->mr = NULL;
}

/**
 * krping_disk_mr_renew() - prepare the registration of pages under a new key
 * @m: the MR
 * @sgl: the pages, mapped
 * @nents: number of mapped entries
 * @len: number of bytes in @sgl
 * @access: rights of the key
 * @sge: set to the address, length and key of the registered bytes
 *
 * The iova consists of the number of the registration and the offset within the page, so that the
 * server learns no kernel address. Before the call, the caller stores the current key in
 * &krping_disk_mr.inv. After the call, the caller posts &krping_disk_mr.reg, behind
 * &krping_disk_mr.inv if the previous key is still valid.
 *
 * Return: false if the device cannot map the pages.
 */
bool krping_disk_mr_renew(struct krping_disk_mr *m, struct scatterlist *sgl, int nents,
			  u32 len, int access, struct ib_sge *sge)
{
	struct ib_mr *mr = m->mr;
	u32 old = mr->rkey;

	ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey));
	if (!krping_map_mr_sg(mr, sgl, nents, len)) {
		/* Restore the registered key, which the next LOCAL_INV needs. */
		ib_update_fast_reg_key(mr, old);
		return false;
	}
	m->uses++;
	mr->iova = ((u64)m->uses << 32) | (mr->iova & ~PAGE_MASK);
	m->reg.key = mr->rkey;
	m->reg.access = access;
	sge->addr = mr->iova;
	sge->length = mr->length;
	sge->lkey = mr->lkey;
	return true;
}
