// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the cases on remote memory share: the legal operation on a new target, and how a
 * responder refuses.
 */
#include "case.h"

const struct conform_want conform_access_refused = {
	.send		= { CONFORM_WC(REM_ACCESS_ERR) },
	.state		= CONFORM_STATE(ERR),
	.peer_state	= CONFORM_STATE(ERR),
	.events		= CONFORM_EVENT(QP_ACCESS_ERR),
};

/* A WRITE may complete when it has left; the responder ends the connection. */
const struct conform_want conform_access_refused_iwarp_write = {
	.send		= { CONFORM_WC_ANY },
	.ended		= true,
};

const struct conform_want conform_access_refused_iwarp_read = {
	.send		= { CONFORM_WC_FAILED },
	.ended		= true,
};

/**
 * conform_legal_rdma() - register a target, and do a legal WRITE or READ
 * @c: the client
 * @opcode: IB_WR_RDMA_WRITE or IB_WR_RDMA_READ
 * @len: bytes, at most CONFORM_TARGET_BYTES
 * @t: set to the target
 * @op: set to the operation
 *
 * Return: 0 or a negative errno.
 */
int conform_legal_rdma(struct conform_client *c, enum ib_wr_opcode opcode, u32 len,
		       struct conform_target *t, struct conform_op *op)
{
	int ret = conform_peer_reg(c, 0, CONFORM_READ_WRITE, t);

	if (opcode == IB_WR_RDMA_READ) {
		if (!ret)
			ret = conform_own_sink(c);
		conform_read(op, t);
	} else {
		conform_write(op, t);
	}
	op->len = len;
	return ret ? ret : conform_legal(c, op, t);
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
