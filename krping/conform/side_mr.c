// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Register, invalidate and free the memory regions of one side of a case, post its RECVs, and set
 * and query attributes of its QP and SRQ.
 */
#include <linux/kernel.h>
#include <linux/scatterlist.h>
#include <linux/string.h>

#include "../mr.h"
#include "../wait.h"
#include "../wr.h"
#include "message.h"
#include "side.h"

/**
 * conform_access() - convert rights to IB_ACCESS_*
 * @rights: KRPING_CONFORM_REMOTE_WRITE and the like
 *
 * Return: the bits IB_ACCESS_*.
 */
int conform_access(u32 rights)
{
	return (rights & KRPING_CONFORM_LOCAL_WRITE ? IB_ACCESS_LOCAL_WRITE : 0) |
	       (rights & KRPING_CONFORM_REMOTE_READ ? IB_ACCESS_REMOTE_READ : 0) |
	       (rights & KRPING_CONFORM_REMOTE_WRITE ? IB_ACCESS_REMOTE_WRITE : 0) |
	       (rights & KRPING_CONFORM_REMOTE_ATOMIC ? IB_ACCESS_REMOTE_ATOMIC : 0);
}

/**
 * conform_side_set_access() - set the remote access rights of the QP
 * @side: the side, connected
 * @rights: KRPING_CONFORM_REMOTE_WRITE and the like
 *
 * Return: 0 or a negative errno.
 */
int conform_side_set_access(struct conform_side *side, u32 rights)
{
	struct ib_qp_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.qp_state = IB_QPS_RTS;
	attr.qp_access_flags = conform_access(rights);
	return ib_modify_qp(side->qp, &attr, IB_QP_STATE | IB_QP_ACCESS_FLAGS);
}

/**
 * conform_side_srq_limit() - arm the limit of the SRQ
 * @side: the side, connected
 * @limit: when the SRQ has fewer RECVs, the device raises IB_EVENT_SRQ_LIMIT_REACHED once
 *
 * Return: 0; -EINVAL without an SRQ; or another negative errno.
 */
int conform_side_srq_limit(struct conform_side *side, u32 limit)
{
	struct ib_srq_attr attr = { .srq_limit = limit };

	return side->srq ? ib_modify_srq(side->srq, &attr, IB_SRQ_LIMIT) : -EINVAL;
}

/**
 * conform_side_mtu() - return the path MTU of the QP
 * @side: the side, connected
 *
 * Return: bytes; 0: the device does not report the path MTU.
 */
u32 conform_side_mtu(struct conform_side *side)
{
	struct ib_qp_init_attr init = { 0 };
	struct ib_qp_attr attr;

	memset(&attr, 0, sizeof(attr));
	if (ib_query_qp(side->qp, &attr, IB_QP_PATH_MTU, &init) || attr.path_mtu < IB_MTU_256 ||
	    attr.path_mtu > IB_MTU_4096)
		return 0;
	return ib_mtu_enum_to_int(attr.path_mtu);
}

/* Fill in @side->reg, the REG_MR of a memory region with the key in its struct ib_mr. */
static void conform_side_reg_wr(struct conform_side *side, struct conform_mr *mr)
{
	mr->key = mr->mr->rkey;
	memset(&side->reg, 0, sizeof(side->reg));
	side->reg.wr.opcode = IB_WR_REG_MR;
	side->reg.mr = mr->mr;
	side->reg.key = mr->key;
	side->reg.access = mr->access;
}

/**
 * conform_side_map() - allocate a memory region, and fill in the REG_MR in @side->reg
 * @side: the side
 * @pd: the side's PD, or another PD
 * @nr: as in conform_side_reg()
 * @rights: as in conform_side_reg()
 * @off: as in conform_side_reg()
 * @len: as in conform_side_reg()
 *
 * Return: 0 or a negative errno.
 */
int conform_side_map(struct conform_side *side, struct ib_pd *pd, u32 nr, u32 rights, u32 off,
		     u32 len)
{
	struct scatterlist sg = *side->mem.sgl;
	struct conform_mr *mr = &side->mr[nr];

	if (mr->mr)
		return -EBUSY;
	mr->mr = krping_alloc_mr(pd, CONFORM_BYTES);
	if (IS_ERR(mr->mr)) {
		int ret = PTR_ERR(mr->mr);

		mr->mr = NULL;
		return ret;
	}
	ib_update_fast_reg_key(mr->mr, ib_inc_rkey(mr->mr->rkey));
	sg_dma_address(&sg) += off;
	sg_dma_len(&sg) = len;
	if (!krping_map_mr_sg(mr->mr, &sg, 1, len))
		return -EIO;
	/* Replace the iova, so that the peer learns no address of the kernel. */
	mr->mr->iova = ((u64)(nr + 1) << 32) | (mr->mr->iova & ~PAGE_MASK);
	mr->addr = mr->mr->iova;
	mr->off = off;
	mr->len = len;
	mr->access = conform_access(rights);
	conform_side_reg_wr(side, mr);
	return 0;
}

/**
 * conform_side_reg() - register a part of the memory, and wait for the completion
 * @side: the side, connected
 * @nr: index of the memory region, below CONFORM_MRS
 * @rights: KRPING_CONFORM_REMOTE_WRITE and the like
 * @off: offset of the first byte
 * @len: bytes, at least 1; within the memory
 *
 * Return: 0 or a negative errno.
 */
int conform_side_reg(struct conform_side *side, u32 nr, u32 rights, u32 off, u32 len)
{
	int ret = conform_side_map(side, side->pd, nr, rights, off, len);

	return ret ? ret : conform_side_own(side, &side->reg.wr);
}

/**
 * conform_side_reg_elsewhere() - register a part of the memory in the control connection's PD
 * @side: the side, connected
 * @nr: as in conform_side_reg()
 * @rights: as in conform_side_reg()
 * @off: as in conform_side_reg()
 * @len: as in conform_side_reg()
 *
 * The function posts the REG_MR to the control connection's QP, and waits for the completion. After
 * an error the control connection is lost.
 *
 * Return: 0 or a negative errno.
 */
int conform_side_reg_elsewhere(struct conform_side *side, u32 nr, u32 rights, u32 off, u32 len)
{
	struct krping_queue *q = &side->thread->conns->queue;
	int ret;

	ret = conform_settle(q);
	if (!ret)
		ret = conform_side_map(side, side->thread->conns->pd, nr, rights, off, len);
	if (ret)
		return ret;
	side->reg.wr.wr_cqe = krping_queue_cqe(q, KRPING_OP_REG);
	krping_queue_prepare(q, &side->reg.wr);
	ret = krping_queue_submit(q, &side->reg.wr);
	if (!ret)
		ret = conform_settle(q);
	/* The side, which has the WR and the MR, may be freed after an error. */
	if (ret)
		krping_cq_drain_qps(q->cq);
	return ret;
}

/**
 * conform_side_inv() - invalidate a memory region, and wait for the completion
 * @side: the side, connected
 * @nr: index of the memory region
 *
 * Return: 0 or a negative errno.
 */
int conform_side_inv(struct conform_side *side, u32 nr)
{
	struct ib_send_wr inv = {
		.opcode			= IB_WR_LOCAL_INV,
		.ex.invalidate_rkey	= side->mr[nr].key,
	};

	return side->mr[nr].mr ? conform_side_own(side, &inv) : -ENOENT;
}

/**
 * conform_side_rereg() - invalidate and register a memory region, each time with the next key
 * @side: the side, connected
 * @nr: index of the memory region, registered in this side's PD
 * @times: number of registrations
 *
 * The function waits for the completion of each WR.
 *
 * Return: 0 or a negative errno.
 */
int conform_side_rereg(struct conform_side *side, u32 nr, u32 times)
{
	struct conform_mr *mr = &side->mr[nr];
	int ret = 0;

	while (times-- && !ret) {
		ret = conform_side_inv(side, nr);
		if (ret)
			break;
		ib_update_fast_reg_key(mr->mr, ib_inc_rkey(mr->mr->rkey));
		conform_side_reg_wr(side, mr);
		ret = conform_side_own(side, &side->reg.wr);
	}
	return ret;
}

/**
 * conform_side_dereg() - free a memory region
 * @side: the side
 * @nr: index of the memory region
 *
 * Return: 0 or a negative errno.
 */
int conform_side_dereg(struct conform_side *side, u32 nr)
{
	struct ib_mr *mr = side->mr[nr].mr;

	side->mr[nr].mr = NULL;
	return mr ? ib_dereg_mr(mr) : -ENOENT;
}

/**
 * conform_side_recv() - post a RECV
 * @side: the side
 * @id: number of the RECV, below CONFORM_DEPTH
 * @off: offset of the RECV's first byte in the memory, if @mr is 0
 * @len: number of bytes; within the memory
 * @mr: 0: use the local DMA lkey; else 1 + index of a memory region: use its last address and
 *	key, even if the memory region has been freed
 *
 * Return: 0 or the error of the post.
 */
int conform_side_recv(struct conform_side *side, u32 id, u32 off, u32 len, u32 mr)
{
	struct ib_sge sge = {
		.addr	= krping_buf_addr(&side->mem) + off,
		.length	= len,
		.lkey	= side->pd->local_dma_lkey,
	};
	struct ib_recv_wr wr = {
		.wr_cqe		= &side->cqe[KRPING_CONFORM_RECV_ID + id].cqe,
		.sg_list	= &sge,
		.num_sge	= 1,
	};

	if (mr) {
		sge.addr = side->mr[mr - 1].addr;
		sge.lkey = side->mr[mr - 1].key;
	}
	return side->srq ? ib_post_srq_recv(side->srq, &wr, NULL) :
	       ib_post_recv(side->qp, &wr, NULL);
}
