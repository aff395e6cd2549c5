// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Build and post the WRs of a case on the client.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "client.h"

/**
 * conform_write() - fill in a legal WRITE of CONFORM_LEN bytes to the start of the target
 * @op: filled in
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
 * conform_read() - fill in a legal READ of CONFORM_LEN bytes from the start of the target
 * @op: filled in
 * @t: the target
 *
 * Before the caller posts the READ, it calls conform_own_sink(), which registers the sink.
 */
void conform_read(struct conform_op *op, const struct conform_target *t)
{
	conform_write(op, t);
	op->opcode = IB_WR_RDMA_READ;
	op->mr = 1;
}

/**
 * conform_send() - fill in a SEND
 * @op: filled in
 * @off: offset of the data in the client's memory
 * @len: bytes
 */
void conform_send(struct conform_op *op, u32 off, u32 len)
{
	*op = (struct conform_op){ .opcode = IB_WR_SEND, .off = off, .len = len };
}

/* Return the first 8 canaries (known bytes) of the target as a number, for the side with @fill. */
static u64 conform_value(u8 fill)
{
	u8 bytes[sizeof(u64)];
	u64 value;
	u32 i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = conform_canary(fill, CONFORM_TARGET + i);
	memcpy(&value, bytes, sizeof(value));
	return value;
}

/**
 * conform_add() - fill in a FETCH_ADD that turns the server's canaries into the client's
 * @op: filled in
 * @t: the target
 */
void conform_add(struct conform_op *op, const struct conform_target *t)
{
	conform_write(op, t);
	op->opcode = IB_WR_ATOMIC_FETCH_AND_ADD;
	op->len = sizeof(u64);
	op->compare_add = conform_value(0) - conform_value(CONFORM_PEER_FILL);
}

/**
 * conform_swap() - fill in a CMP_SWAP that replaces the server's canaries by the client's
 * @op: filled in
 * @t: the target
 */
void conform_swap(struct conform_op *op, const struct conform_target *t)
{
	conform_add(op, t);
	op->opcode = IB_WR_ATOMIC_CMP_AND_SWP;
	op->compare_add = conform_value(CONFORM_PEER_FILL);
	op->swap = conform_value(0);
}

/*
 * Fill in the SGEs, which cover consecutive parts of the client's memory. With IB_SEND_INLINE the
 * driver copies the data from the SGEs, so the SGEs have kernel addresses.
 */
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
	if (op->flags & IB_SEND_INLINE)
		addr = (uintptr_t)krping_buf_at(&side->mem, op->off);
	for (i = 0; i < max_t(u32, op->nr_sge, 1); i++) {
		out->sge[i].addr = addr + (u64)i * op->len;
		out->sge[i].length = op->len;
		out->sge[i].lkey = lkey;
	}
}

/**
 * conform_is_atomic() - check whether an operation is atomic
 * @opcode: opcode of the operation
 *
 * Return: true for FETCH_ADD and CMP_SWAP.
 */
bool conform_is_atomic(enum ib_wr_opcode opcode)
{
	return opcode == IB_WR_ATOMIC_FETCH_AND_ADD || opcode == IB_WR_ATOMIC_CMP_AND_SWP;
}

/* Return the number of SGEs. An iWARP READ needs an SGE even if it has no data. */
static int conform_nr_sge(const struct conform_client *c, const struct conform_op *op)
{
	bool sink = op->opcode == IB_WR_RDMA_READ && krping_conn_iwarp(c->thread->conns);

	return op->len || sink ? max_t(int, op->nr_sge, 1) : 0;
}

/* Set the members of the WR that depend on the opcode. */
static void conform_build_rest(struct conform_client *c, struct conform_wr *out,
			       const struct conform_op *op)
{
	struct ib_send_wr *wr = &out->rdma.wr;

	switch (op->opcode) {
	case IB_WR_REG_MR:
		out->reg.mr = c->side->mr[op->mr - 1].mr;
		out->reg.key = op->key;
		out->reg.access = conform_access(op->rights);
		break;
	case IB_WR_SEND_WITH_INV:
	case IB_WR_LOCAL_INV:
		wr->ex.invalidate_rkey = op->key;
		break;
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		out->atomic.remote_addr = op->addr;
		out->atomic.rkey = op->key;
		out->atomic.compare_add = op->compare_add;
		out->atomic.swap = op->swap;
		break;
	default:
		out->rdma.remote_addr = op->addr;
		out->rdma.rkey = op->key;
		wr->ex.imm_data = cpu_to_be32(op->imm);
		break;
	}
}

/* Build WR @nr of the case from @op. */
static struct ib_send_wr *conform_build(struct conform_client *c, u32 nr,
					const struct conform_op *op)
{
	struct conform_wr *out = &c->wr[nr];
	struct ib_send_wr *wr = &out->rdma.wr;

	memset(out, 0, sizeof(*out));
	conform_sges(c, out, op);
	wr->wr_cqe = &c->side->cqe[nr].cqe;
	wr->opcode = op->opcode;
	wr->send_flags = op->flags | (op->unsignaled ? 0 : IB_SEND_SIGNALED);
	wr->sg_list = out->sge;
	wr->num_sge = conform_nr_sge(c, op);
	conform_build_rest(c, out, op);
	return wr;
}

/* Return the number of WRs that the SQ has room for; 0 if the device does not report it. */
static u32 conform_sq_room(struct conform_client *c)
{
	struct ib_qp_init_attr init = { 0 };
	struct ib_qp_attr attr = { 0 };

	return ib_query_qp(c->side->qp, &attr, IB_QP_CAP, &init) ? 0 : attr.cap.max_send_wr;
}

/**
 * conform_fill_sq() - post a WR repeatedly until the device refuses it
 * @c: the client, whose peer does not answer
 * @op: the WR
 *
 * The record leaves out these WRs. Each of them may complete when the QP ends, so the function
 * posts no more than the CQ has room for. If the SQ has room for more WRs than the function posts,
 * the case is unsupported.
 *
 * Return: true unless the case is unsupported.
 */
bool conform_fill_sq(struct conform_client *c, const struct conform_op *op)
{
	struct ib_send_wr *wr = conform_build(c, 0, op);
	u32 i;

	wr->wr_cqe = &c->side->own.cqe;
	for (i = 0; i < CONFORM_FILL; i++)
		if (ib_post_send(c->side->qp, wr, NULL))
			return true;
	c->seen->supported = conform_sq_room(c) < CONFORM_FILL;
	return c->seen->supported;
}

/* Check whether the device permits the READs and atomics among @ops. */
static bool conform_has_reads(const struct conform_client *c, const struct conform_op *ops, u32 nr)
{
	u32 i;

	if (c->side->device->attrs.max_qp_init_rd_atom)
		return true;
	for (i = 0; i < nr; i++)
		if (ops[i].opcode == IB_WR_RDMA_READ || conform_is_atomic(ops[i].opcode))
			return false;
	return true;
}

/**
 * conform_post_chain() - post a chain, and record the outcome of the post in @c->seen
 * @c: the client
 * @qp: a QP of the client
 * @ops: the WRs
 * @nr: number of @ops, at most CONFORM_DEPTH
 *
 * The outcome is errno, bad_wr, and the first WR's immediate data or key to invalidate. If the
 * device posts no READs and atomics, a case that needs one becomes unsupported.
 */
void conform_post_chain(struct conform_client *c, struct ib_qp *qp, const struct conform_op *ops,
			u32 nr)
{
	struct ib_send_wr *first = NULL;
	const struct ib_send_wr *bad = NULL;
	u32 i = nr;

	if (!conform_has_reads(c, ops, nr)) {
		c->seen->supported = false;
		c->seen->post = -EOPNOTSUPP;
		return;
	}
	while (i--) {
		struct ib_send_wr *wr = conform_build(c, i, &ops[i]);

		wr->next = first;
		first = wr;
	}
	c->seen->bad = -1;
	c->seen->imm = ops[0].opcode == IB_WR_SEND_WITH_INV ? ops[0].key : ops[0].imm;
	conform_trace_since(c->side);
	c->seen->post = ib_post_send(qp, first, &bad);
	for (i = 0; i < nr && c->seen->post; i++)
		if (bad == &c->wr[i].rdma.wr)
			c->seen->bad = i;
}
