// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Operations without data. On InfiniBand and RoCE, the responder must not validate their key.
 */
#include "case.h"

static const struct conform_want conform_succeeds = {
	.send		= { CONFORM_WC(SUCCESS) },
	.state		= CONFORM_STATE(RTS),
	.peer_state	= CONFORM_STATE(RTS),
	.events		= CONFORM_NO_EVENT,
};

static const struct conform_want conform_imm_succeeds = {
	.send		= { CONFORM_WC(SUCCESS) },
	.recv		= { CONFORM_WC(SUCCESS) },
	.state		= CONFORM_STATE(RTS),
	.peer_state	= CONFORM_STATE(RTS),
	.events		= CONFORM_NO_EVENT,
	.len_given	= true,
};

/* An iWARP device may validate the key or not, so any status is right. */
static const struct conform_want conform_recorded = {
	.send		= { CONFORM_WC_ANY },
};

/* Remove the data of @op, and set a key and an address that belong to no memory region. */
static void conform_empty(struct conform_op *op)
{
	op->len = 0;
	op->key = ~op->key;
	op->addr = 1;
}

/* Do a legal WRITE, and set @op to a WRITE without data and with a bad key. */
static int conform_zero_write(struct conform_client *c, struct conform_op *op)
{
	struct conform_target t;
	int ret = conform_legal_write(c, &t, op);

	conform_empty(op);
	return ret;
}

static int zero_write_bad_key(struct conform_client *c)
{
	struct conform_op op;
	int ret = conform_zero_write(c, &op);

	return ret ? ret : conform_provoke(c, &op, 1);
}

static int zero_read_bad_key(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_legal_read(c, &t, &op);

	conform_empty(&op);
	return ret ? ret : conform_provoke(c, &op, 1);
}

static int zero_write_imm_bad_key(struct conform_client *c)
{
	struct conform_op op;
	int ret = conform_zero_write(c, &op);

	op.opcode = IB_WR_RDMA_WRITE_WITH_IMM;
	if (!ret)
		ret = conform_begin(c);
	if (!ret)
		ret = conform_peer_recv(c, CONFORM_LEN, NULL);
	return ret ? ret : conform_provoke_behind(c, &op, 1);
}

static const struct conform_case conform_zero_cases[] = {
	{
		.name = "zero_write_bad_key", .source = "IBTA C9-88",
		.expect = "success: the key is not validated",
		.run = zero_write_bad_key,
		.want = &conform_succeeds, .iwarp = &conform_recorded,
	},
	{
		.name = "zero_read_bad_key", .source = "IBTA C9-88",
		.expect = "success: the key is not validated",
		.run = zero_read_bad_key,
		.want = &conform_succeeds, .iwarp = &conform_recorded,
	},
	{
		.name = "zero_write_imm_bad_key", .source = "IBTA C9-88",
		.expect = "success; the RECV completes with byte_len 0",
		.needs = CONFORM_NEEDS_IB,
		.run = zero_write_imm_bad_key,
		.want = &conform_imm_succeeds,
	},
};

const struct conform_group conform_zero = {
	"zero", conform_zero_cases, ARRAY_SIZE(conform_zero_cases),
};
