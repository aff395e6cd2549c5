// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Code that several groups of cases use: functions that register a target and do a legal operation
 * on it, and the expected outcomes of a WR that the responder's or the requester's device refuses.
 */
#include <linux/errno.h>

#include "case.h"

const struct conform_want conform_access_refused = {
	.send		= { CONFORM_WC(REM_ACCESS_ERR) },
	.state		= CONFORM_STATE(ERR),
	.peer_state	= CONFORM_STATE(ERR),
	.events		= CONFORM_EVENT(QP_ACCESS_ERR),
};

/* An iWARP WRITE may complete before the responder refuses it and ends the connection. */
const struct conform_want conform_access_refused_iwarp_write = {
	.send		= { CONFORM_WC_ANY },
	.ended		= true,
};

const struct conform_want conform_access_refused_iwarp_read = {
	.send		= { CONFORM_WC_FAILED },
	.ended		= true,
};

/* The responder refuses the first of three WRs. The requester's device flushes the others. */
const struct conform_want conform_later_flushes = {
	.send		= { CONFORM_WC(REM_ACCESS_ERR), CONFORM_WC(WR_FLUSH_ERR),
			    CONFORM_WC(WR_FLUSH_ERR) },
	.state		= CONFORM_STATE(ERR),
};

/* The responder places the data, and may acknowledge the SEND, before it invalidates the key. */
const struct conform_want conform_send_inv_refused = {
	.send		= { CONFORM_WC_ANY },
	.recv		= { CONFORM_WC_FAILED },
	.changed	= CONFORM_LEN,
	.peer_state	= CONFORM_STATE(ERR),
};

const struct conform_want conform_send_inv_refused_iwarp = {
	.send		= { CONFORM_WC_ANY },
	.recv		= { CONFORM_WC_FAILED },
	.changed	= CONFORM_LEN,
	.ended		= true,
};

/* The responder refuses a malformed request, unless the post has already failed. */
const struct conform_want conform_request_refused = {
	.send		= { CONFORM_WC(REM_INV_REQ_ERR) },
	.post		= { EINVAL },
	.post_may	= true,
	.state		= CONFORM_STATE(ERR),
	.peer_state	= CONFORM_STATE(ERR),
	.events		= CONFORM_EVENT(QP_REQ_ERR),
};

/* The requester's device refuses a local key. */
const struct conform_want conform_lkey_refused = {
	.send		= { CONFORM_WC(LOC_PROT_ERR) },
	.state		= CONFORM_STATE(ERR),
	.events		= CONFORM_NO_EVENT,
};

/* The requester's device refuses a REG_MR or LOCAL_INV. */
const struct conform_want conform_mr_refused = {
	.send		= { CONFORM_WC(MW_BIND_ERR) },
	.state		= CONFORM_STATE(ERR),
	.events		= CONFORM_NO_EVENT,
};

/* The requester's iWARP device refuses a WR, which fails with any error status. */
const struct conform_want conform_refused_locally_iwarp = {
	.send		= { CONFORM_WC_FAILED },
};

/**
 * conform_legal_rdma_to() - do a legal READ or WRITE of a target
 * @c: the client
 * @opcode: IB_WR_RDMA_READ or IB_WR_RDMA_WRITE
 * @len: bytes of the operation, from the first byte of the target
 * @t: the target
 * @op: set to the operation
 *
 * Return: 0 or a negative errno.
 */
int conform_legal_rdma_to(struct conform_client *c, enum ib_wr_opcode opcode, u32 len,
			  const struct conform_target *t, struct conform_op *op)
{
	int ret = 0;

	if (opcode == IB_WR_RDMA_READ) {
		ret = conform_own_sink(c);
		conform_read(op, t);
	} else {
		conform_write(op, t);
	}
	op->len = len;
	return ret ? ret : conform_legal(c, op, t);
}

/**
 * conform_legal_rdma() - register a target, and do a legal WRITE or READ
 * @c: the client
 * @opcode: IB_WR_RDMA_WRITE or IB_WR_RDMA_READ
 * @len: bytes, at most CONFORM_TARGET_BYTES
 * @t: set to the target
 * @op: set to the operation, if the server has registered the target
 *
 * Return: 0 or a negative errno.
 */
int conform_legal_rdma(struct conform_client *c, enum ib_wr_opcode opcode, u32 len,
		       struct conform_target *t, struct conform_op *op)
{
	int ret = conform_peer_reg(c, 0, CONFORM_READ_WRITE, t);

	return ret ? ret : conform_legal_rdma_to(c, opcode, len, t, op);
}

/**
 * conform_legal_atomic() - register a target, and do a legal FETCH AND ADD
 * @c: the client
 * @t: set to the target
 * @op: set to the operation
 *
 * Return: 0 or a negative errno.
 */
int conform_legal_atomic(struct conform_client *c, struct conform_target *t,
			 struct conform_op *op)
{
	int ret = conform_peer_reg(c, 0, CONFORM_READ_WRITE | KRPING_CONFORM_REMOTE_ATOMIC, t);

	conform_add(op, t);
	return ret ? ret : conform_legal(c, op, t);
}

/**
 * conform_legal_write_from() - register a memory region of the client, and do a legal WRITE from it
 * @c: the client
 * @nr: index of the memory region
 * @op: set to the operation
 *
 * Return: 0 or a negative errno.
 */
int conform_legal_write_from(struct conform_client *c, u32 nr, struct conform_op *op)
{
	struct conform_target t;
	int ret = conform_peer_reg(c, 0, CONFORM_READ_WRITE, &t);

	if (!ret)
		ret = conform_own_reg(c, nr, KRPING_CONFORM_LOCAL_WRITE);
	conform_write(op, &t);
	op->mr = 1 + nr;
	return ret ? ret : conform_legal(c, op, &t);
}
