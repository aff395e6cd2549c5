// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Operations of a case: WRs of the client.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "client.h"

/**
 * conform_write() - fill in a legal WRITE
 * @op: the WR
 * @t: the target
 */
void conform_write(struct conform_op *op, const struct conform_target *t)
{
	*op = (struct conform_op){
		.opcode	= IB_WR_RDMA_WRITE,
		.addr	= t->addr,
		.key	= t->key,
		.off	= CONFORM_TARGET,
		.len	= CONFORM_LEN,
	};
}

/**
 * conform_read() - fill in a legal READ
 * @op: the WR
 * @t: the target
 *
 * The sink is registered by conform_own_sink().
 */
void conform_read(struct conform_op *op, const struct conform_target *t)
{
	conform_write(op, t);
	op->opcode = IB_WR_RDMA_READ;
	op->mr = 1;
}

static void conform_sges(struct conform_client *c, struct conform_wr *out,
			 const struct conform_op *op)
{
	const struct conform_side *side = c->side;
	u64 addr = krping_buf_addr(&side->mem) + op->off;
	u32 lkey = side->pd->local_dma_lkey;
	u32 i;

	if (op->mr) {
		const struct conform_mr *mr = &side->mr[op->mr - 1];

		addr = mr->addr + (op->off - mr->off);
		lkey = mr->key;
	}
	for (i = 0; i < max_t(u32, op->nr_sge, 1); i++) {
		out->sge[i].addr = addr;
		out->sge[i].length = op->len;
		out->sge[i].lkey = lkey;
	}
}

/**
 * conform_is_atomic() - check whether an operation is an atomic one
 * @opcode: its opcode
 */
bool conform_is_atomic(enum ib_wr_opcode opcode)
{
	return opcode == IB_WR_ATOMIC_FETCH_AND_ADD || opcode == IB_WR_ATOMIC_CMP_AND_SWP;
}

/* An iWARP READ has one sink, also without data. */
static int conform_nr_sge(const struct conform_client *c, const struct conform_op *op)
{
	bool sink = op->opcode == IB_WR_RDMA_READ && krping_conn_iwarp(c->thread->conns);

	return op->len || sink ? max_t(int, op->nr_sge, 1) : 0;
}

static struct ib_send_wr *conform_build(struct conform_client *c, u32 nr,
					const struct conform_op *op)
{
	struct conform_wr *out = &c->wr[nr];
	struct ib_send_wr *wr = &out->rdma.wr;

	memset(out, 0, sizeof(*out));
	conform_sges(c, out, op);
	wr->wr_cqe = &c->side->cqe[nr].cqe;
	wr->opcode = op->opcode;
	wr->send_flags = op->unsignaled ? 0 : IB_SEND_SIGNALED;
	wr->sg_list = out->sge;
	wr->num_sge = conform_nr_sge(c, op);
	if (conform_is_atomic(op->opcode)) {
		out->atomic.remote_addr = op->addr;
		out->atomic.rkey = op->key;
		/* The sum differs from the canaries in each byte. */
		out->atomic.compare_add = 0x0101010101010101ULL;
	} else if (op->opcode == IB_WR_SEND_WITH_INV) {
		wr->ex.invalidate_rkey = op->key;
	} else {
		out->rdma.remote_addr = op->addr;
		out->rdma.rkey = op->key;
	}
	return wr;
}

/**
 * conform_post_chain() - post a chain, and note what the post returns
 * @c: the client
 * @qp: a QP of its
 * @ops: the WRs
 * @nr: number of @ops, at most CONFORM_DEPTH
 */
void conform_post_chain(struct conform_client *c, struct ib_qp *qp, const struct conform_op *ops,
			u32 nr)
{
	struct ib_send_wr *first = NULL;
	const struct ib_send_wr *bad = NULL;
	u32 i = nr;

	while (i--) {
		struct ib_send_wr *wr = conform_build(c, i, &ops[i]);

		wr->next = first;
		first = wr;
	}
	c->seen->bad = -1;
	c->seen->post = ib_post_send(qp, first, &bad);
	for (i = 0; i < nr && c->seen->post; i++)
		if (bad == &c->wr[i].rdma.wr)
			c->seen->bad = i;
}
