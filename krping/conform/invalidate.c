// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases: LOCAL_INV and SEND_WITH_INV must only invalidate a key that a REG_MR in the same PD has
 * made valid, and the device must refuse later WRs with an invalidated key.
 */
#include "case.h"

/* Index of the client's memory region that a case invalidates. */
#define CONFORM_INV	1

/* A LOCAL_INV of a key that is invalid already. InfiniBand permits success and error. */
static const struct conform_want conform_inv_free = {
	.send		= { CONFORM_WC(SUCCESS) | CONFORM_WC(MW_BIND_ERR) },
	.events		= CONFORM_NO_EVENT,
};

static const struct conform_want conform_inv_free_iwarp = {
	.send		= { CONFORM_WC(SUCCESS) },
};

/* A LOCAL_INV, and then a WRITE from the memory region whose key the LOCAL_INV invalidates. */
static const struct conform_want conform_inv_chain = {
	.send		= { CONFORM_WC(SUCCESS), CONFORM_WC(LOC_PROT_ERR) },
	.state		= CONFORM_STATE(ERR),
	.events		= CONFORM_NO_EVENT,
};

static const struct conform_want conform_inv_chain_iwarp = {
	.send		= { CONFORM_WC(SUCCESS), CONFORM_WC_FAILED },
};

static const struct conform_want conform_send_inv_done = {
	.send		= { CONFORM_WC(SUCCESS) },
	.recv		= { CONFORM_WC(SUCCESS) },
	.changed	= CONFORM_LEN,
	.len_given	= true,
	.len		= CONFORM_LEN,
	.opcode		= IB_WC_RECV,
	.flags		= IB_WC_WITH_INVALIDATE,
	.state		= CONFORM_STATE(RTS),
	.peer_state	= CONFORM_STATE(RTS),
	.events		= CONFORM_NO_EVENT,
};

/* The data of the SEND has arrived, but the data of the WRITE has not. */
static const struct conform_want conform_behind_send_inv = {
	.send		= { CONFORM_WC(SUCCESS), CONFORM_WC(REM_ACCESS_ERR) },
	.recv		= { CONFORM_WC(SUCCESS) },
	.changed	= CONFORM_LEN,
	.state		= CONFORM_STATE(ERR),
	.peer_state	= CONFORM_STATE(ERR),
	.events		= CONFORM_EVENT(QP_ACCESS_ERR),
};

static const struct conform_want conform_behind_send_inv_iwarp = {
	.send		= { CONFORM_WC(SUCCESS), CONFORM_WC_ANY },
	.recv		= { CONFORM_WC(SUCCESS) },
	.changed	= CONFORM_LEN,
	.ended		= true,
};

static const struct conform_want conform_inv_behind_write = {
	.send		= { CONFORM_WC(SUCCESS), CONFORM_WC(SUCCESS) },
	.changed	= CONFORM_TARGET_BYTES,
	.state		= CONFORM_STATE(RTS),
	.peer_state	= CONFORM_STATE(RTS),
	.events		= CONFORM_NO_EVENT,
};

static const struct conform_want conform_inv_behind_read = {
	.send		= { CONFORM_WC(SUCCESS), CONFORM_WC(SUCCESS) },
	.own_changed	= CONFORM_TARGET_BYTES,
	.state		= CONFORM_STATE(RTS),
	.peer_state	= CONFORM_STATE(RTS),
	.events		= CONFORM_NO_EVENT,
};

/*
 * Do a legal WRITE from a memory region of the client. Set @write to this WRITE, and @inv to a
 * LOCAL_INV of the region's key.
 */
static int conform_inv_write(struct conform_client *c, struct conform_op *write,
			     struct conform_op *inv)
{
	int ret = conform_legal_write_from(c, CONFORM_INV, write);

	*inv = (struct conform_op){
		.opcode	= IB_WR_LOCAL_INV,
		.key	= conform_own_key(c, CONFORM_INV),
	};
	return ret;
}

/* Post a LOCAL_INV of a key that differs from a valid key in @bits. */
static int conform_inv_other(struct conform_client *c, u32 bits)
{
	struct conform_op write, inv;
	int ret = conform_inv_write(c, &write, &inv);

	inv.key ^= bits;
	return ret ? ret : conform_provoke(c, &inv, 1);
}

static int inv_unknown_index(struct conform_client *c)
{
	return conform_inv_other(c, 0x55555500);
}

static int inv_next_key(struct conform_client *c)
{
	return conform_inv_other(c, 1);
}

static int inv_twice(struct conform_client *c)
{
	struct conform_op write, inv;
	int ret = conform_inv_write(c, &write, &inv);

	if (!ret)
		ret = conform_own_inv(c, CONFORM_INV);
	return ret ? ret : conform_provoke(c, &inv, 1);
}

static int inv_of_other_pd(struct conform_client *c)
{
	struct conform_op write, inv;
	int ret = conform_inv_write(c, &write, &inv);

	if (!ret)
		ret = conform_own_reg_elsewhere(c, 2, KRPING_CONFORM_LOCAL_WRITE);
	if (!ret)
		inv.key = conform_own_key(c, 2);
	return ret ? ret : conform_provoke(c, &inv, 1);
}

/* No REG_MR has made the local DMA lkey, so no WR may invalidate this key. */
static int inv_dma_key(struct conform_client *c)
{
	struct conform_op write, inv;
	int ret = conform_inv_write(c, &write, &inv);

	inv.key = conform_own_dma_key(c);
	return ret ? ret : conform_provoke(c, &inv, 1);
}

static int inv_behind_write(struct conform_client *c)
{
	struct conform_op ops[2];
	int ret = conform_inv_write(c, &ops[0], &ops[1]);

	ops[0].len = CONFORM_TARGET_BYTES;
	ops[1].flags = IB_SEND_FENCE;
	return ret ? ret : conform_provoke(c, ops, 2);
}

/* The READ's sink must stay valid until the response has arrived. */
static int inv_behind_read(struct conform_client *c)
{
	struct conform_op ops[2] = { { 0 }, { .opcode = IB_WR_LOCAL_INV } };
	struct conform_target t;
	int ret = conform_legal_read(c, &t, &ops[0]);

	ops[0].len = CONFORM_TARGET_BYTES;
	ops[1].key = conform_own_key(c, 0);
	ops[1].flags = IB_SEND_FENCE;
	return ret ? ret : conform_provoke(c, ops, 2);
}

static int write_behind_own_inv(struct conform_client *c)
{
	struct conform_op ops[2];
	int ret = conform_inv_write(c, &ops[1], &ops[0]);

	return ret ? ret : conform_provoke(c, ops, 2);
}

/*
 * Do a legal SEND, and a legal WRITE to a target. Then let the server post a RECV, and build a
 * SEND_WITH_INV of the target's key.
 */
static int conform_send_inv(struct conform_client *c, struct conform_op *send,
			    struct conform_op *write)
{
	struct conform_target t;
	int ret = conform_legal_send(c);

	if (!ret)
		ret = conform_legal_write(c, &t, write);
	if (!ret)
		ret = conform_begin(c);
	if (!ret)
		ret = conform_peer_recv(c, CONFORM_LEN, NULL);
	conform_send(send, CONFORM_TARGET, CONFORM_LEN);
	send->opcode = IB_WR_SEND_WITH_INV;
	send->key = write->key;
	return ret;
}

static int send_inv(struct conform_client *c)
{
	struct conform_op send, write;
	int ret = conform_send_inv(c, &send, &write);

	return ret ? ret : conform_provoke_behind(c, &send, 1);
}

static int write_behind_send_inv(struct conform_client *c)
{
	struct conform_op ops[2];
	int ret = conform_send_inv(c, &ops[0], &ops[1]);

	/* Write bytes that the SEND does not write. They change only if the WRITE is executed. */
	ops[1].addr += CONFORM_LEN;
	ops[1].off += CONFORM_LEN;
	return ret ? ret : conform_provoke_behind(c, ops, 2);
}

/* Post a SEND_WITH_INV of a key that differs from a valid key in @bits. */
static int conform_send_inv_other(struct conform_client *c, u32 bits)
{
	struct conform_op send, write;
	int ret = conform_send_inv(c, &send, &write);

	send.key ^= bits;
	return ret ? ret : conform_provoke_behind(c, &send, 1);
}

static int send_inv_unknown_index(struct conform_client *c)
{
	return conform_send_inv_other(c, 0x55555500);
}

static int send_inv_next_key(struct conform_client *c)
{
	return conform_send_inv_other(c, 1);
}

static int send_inv_of_other_pd(struct conform_client *c)
{
	struct conform_op send, write;
	struct conform_target t;
	int ret = conform_send_inv(c, &send, &write);

	if (!ret)
		ret = conform_peer_reg_elsewhere(c, 1, CONFORM_READ_WRITE, &t);
	if (!ret)
		send.key = t.key;
	return ret ? ret : conform_provoke_behind(c, &send, 1);
}

#define CONFORM_INV_CASE(fn)						\
	{								\
		.name = #fn, .source = "IBTA 10.6.5", .run = fn,	\
		.expect = "memory management operation error; the QP in error", \
		.want = &conform_mr_refused, .iwarp = &conform_refused_locally_iwarp, \
	}

#define CONFORM_SEND_INV_CASE(fn)					\
	{								\
		.name = #fn, .source = "IBTA 9.4.1.1", .run = fn, .silent = true, \
		.expect = "the RECV fails; the responder's QP in error",	\
		.want = &conform_send_inv_refused,			\
		.iwarp = &conform_send_inv_refused_iwarp,		\
	}

static const struct conform_case conform_invalidate_cases[] = {
	CONFORM_INV_CASE(inv_unknown_index),
	CONFORM_INV_CASE(inv_next_key),
	CONFORM_INV_CASE(inv_of_other_pd),
	CONFORM_INV_CASE(inv_dma_key),
	{
		.name = "inv_twice", .source = "IBTA 10.6.5",
		.expect = "success or memory management operation error; on iWARP success",
		.run = inv_twice,
		.want = &conform_inv_free, .iwarp = &conform_inv_free_iwarp,
	},
	{
		.name = "inv_behind_write", .source = "IBTA 10.6.5.1",
		.expect = "a fenced LOCAL_INV waits for the WRITE from its memory region",
		.run = inv_behind_write, .want = &conform_inv_behind_write,
	},
	{
		.name = "inv_behind_read", .source = "IBTA 10.6.5.1",
		.expect = "a fenced LOCAL_INV waits for the READ into its memory region",
		.run = inv_behind_read, .want = &conform_inv_behind_read,
	},
	{
		.name = "write_behind_own_inv", .source = "IBTA 10.8.3.3",
		.expect = "the LOCAL_INV succeeds, the WRITE is a local protection error",
		.run = write_behind_own_inv,
		.want = &conform_inv_chain, .iwarp = &conform_inv_chain_iwarp,
	},
	{
		.name = "send_inv", .source = "IBTA 9.4.1.1",
		.expect = "success; the RECV completes with IB_WC_WITH_INVALIDATE and that key",
		.run = send_inv, .want = &conform_send_inv_done,
	},
	{
		.name = "write_behind_send_inv", .source = "IBTA C9-222.1.1",
		.expect = "the SEND succeeds; the WRITE is a remote access error",
		.run = write_behind_send_inv,
		.want = &conform_behind_send_inv, .iwarp = &conform_behind_send_inv_iwarp,
	},
	CONFORM_SEND_INV_CASE(send_inv_unknown_index),
	CONFORM_SEND_INV_CASE(send_inv_next_key),
	CONFORM_SEND_INV_CASE(send_inv_of_other_pd),
};

const struct conform_group conform_invalidate = {
	"invalidate", conform_invalidate_cases, ARRAY_SIZE(conform_invalidate_cases),
};
