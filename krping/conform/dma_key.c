// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases whose target has a key for all memory, which ib_alloc_pd() makes for a PD with
 * IB_PD_UNSAFE_GLOBAL_RKEY. The key grants READ and WRITE of each byte to QPs of its PD, and no
 * more. The server gives these keys to its client only if the server's command has mem_mode=dma;
 * without that, the cases are unsupported.
 */
#include "case.h"

/*
 * Get the target with the key of the QP's PD, and do a legal WRITE or READ of CONFORM_LEN bytes.
 * If the server has given the key, set @op to this operation.
 */
static int conform_legal_dma_key(struct conform_client *c, enum ib_wr_opcode opcode,
				 struct conform_target *t, struct conform_op *op)
{
	int ret = conform_peer_dma_key(c, false, t);

	return ret ? ret : conform_legal_rdma_to(c, opcode, CONFORM_LEN, t, op);
}

static int dma_key_of_other_pd(struct conform_client *c)
{
	struct conform_target t, other;
	struct conform_op op;
	int ret = conform_legal_dma_key(c, IB_WR_RDMA_READ, &t, &op);

	if (!ret)
		ret = conform_peer_dma_key(c, true, &other);
	conform_read(&op, &other);
	return ret ? ret : conform_provoke(c, &op, 1);
}

/* The key does not grant IB_ACCESS_REMOTE_ATOMIC. */
static int dma_key_atomic(struct conform_client *c)
{
	struct conform_target t, mr;
	struct conform_op op;
	int ret = conform_legal_atomic(c, &mr, &op);

	if (!ret)
		ret = conform_legal_dma_key(c, IB_WR_RDMA_WRITE, &t, &op);
	conform_add(&op, &t);
	return ret ? ret : conform_provoke(c, &op, 1);
}

/* No REG_MR has made the key, so no SEND may invalidate it. */
static int dma_key_send_inv(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_legal_send(c);

	if (!ret)
		ret = conform_legal_dma_key(c, IB_WR_RDMA_WRITE, &t, &op);
	if (!ret)
		ret = conform_begin_sends(c, &op, 1, CONFORM_LEN, CONFORM_LEN);
	op.opcode = IB_WR_SEND_WITH_INV;
	op.key = t.key;
	return ret ? ret : conform_provoke_behind(c, &op, 1);
}

static const struct conform_case conform_dma_key_cases[] = {
	{
		.name = "dma_key_of_other_pd", .source = "IBTA C10-56",
		.expect = "remote access error; both QPs in error; an access error event",
		.needs = CONFORM_NEEDS_DMA_KEY, .run = dma_key_of_other_pd,
		.want = &conform_access_refused, .iwarp = &conform_access_refused_iwarp_read,
	},
	{
		.name = "dma_key_atomic", .source = "IBTA C10-57",
		.expect = "remote access error; both QPs in error; an access error event",
		.needs = CONFORM_NEEDS_DMA_KEY | CONFORM_NEEDS_ATOMIC | CONFORM_NEEDS_IB,
		.run = dma_key_atomic, .want = &conform_access_refused,
	},
	{
		.name = "dma_key_send_inv", .source = "IBTA 9.4.1.1",
		.expect = "the RECV fails; the responder's QP in error",
		.needs = CONFORM_NEEDS_DMA_KEY, .run = dma_key_send_inv, .silent = true,
		.want = &conform_send_inv_refused, .iwarp = &conform_send_inv_refused_iwarp,
	},
};

const struct conform_group conform_dma_key = {
	"dma_key", conform_dma_key_cases, ARRAY_SIZE(conform_dma_key_cases),
};
