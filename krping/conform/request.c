// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases: the responder must refuse invalid requests, and messages that its RECV cannot receive.
 */
#include <linux/errno.h>

#include "case.h"

static const struct conform_want conform_too_long = {
	.send		= { CONFORM_WC(REM_INV_REQ_ERR) },
	.recv		= { CONFORM_WC(LOC_LEN_ERR) },
	.state		= CONFORM_STATE(ERR),
	.peer_state	= CONFORM_STATE(ERR),
};

static const struct conform_want conform_bad_recv = {
	.send		= { CONFORM_WC(REM_OP_ERR) },
	.recv		= { CONFORM_WC(LOC_PROT_ERR) },
	.state		= CONFORM_STATE(ERR),
	.peer_state	= CONFORM_STATE(ERR),
};

static const struct conform_want conform_recv_fails_iwarp = {
	.send		= { CONFORM_WC_ANY },
	.recv		= { CONFORM_WC_FAILED },
	.ended		= true,
};

/* The device consumes the RECV. It need not raise an event, because the RECV reports the error. */
static const struct conform_want conform_imm_refused = {
	.send		= { CONFORM_WC(REM_ACCESS_ERR) },
	.recv		= { CONFORM_WC_FAILED },
	.state		= CONFORM_STATE(ERR),
	.peer_state	= CONFORM_STATE(ERR),
};

static const struct conform_want conform_not_allowed = {
	.send		= { CONFORM_WC(REM_INV_REQ_ERR) },
	.state		= CONFORM_STATE(ERR),
	.peer_state	= CONFORM_STATE(ERR),
};

/* A message exceeds the limit of 2^31 bytes. The device may refuse it already at the post. */
static const struct conform_want conform_beyond_2g = {
	.send		= { CONFORM_WC(LOC_LEN_ERR) | CONFORM_WC(REM_INV_REQ_ERR) },
	.post		= { EINVAL },
	.post_may	= true,
	.state		= CONFORM_STATE(ERR),
};

static int write_imm_bad_key(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_legal_write(c, &t, &op);

	op.opcode = IB_WR_RDMA_WRITE_WITH_IMM;
	op.key ^= 1;
	if (!ret)
		ret = conform_begin(c);
	if (!ret)
		ret = conform_peer_recv_at(c, 0, CONFORM_LEN);
	return ret ? ret : conform_provoke_behind(c, &op, 1);
}

/* The key grants the right, but the responder's QP does not. */
static int write_qp_without_right(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_legal_write(c, &t, &op);

	if (!ret)
		ret = conform_peer_access(c, KRPING_CONFORM_REMOTE_READ);
	return ret ? ret : conform_provoke(c, &op, 1);
}

static int read_qp_without_right(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_legal_read(c, &t, &op);

	if (!ret)
		ret = conform_peer_access(c, KRPING_CONFORM_REMOTE_WRITE);
	return ret ? ret : conform_provoke(c, &op, 1);
}

/* Even if a device accepts the length, the WRITE cannot read beyond the client's memory region. */
static int write_beyond_2g(struct conform_client *c)
{
	struct conform_op op;
	int ret = conform_legal_write_from(c, 0, &op);

	op.len = 0x80000001;
	return ret ? ret : conform_provoke(c, &op, 1);
}

static int atomic_misaligned(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_legal_atomic(c, &t, &op);

	op.addr += 1;
	return ret ? ret : conform_provoke(c, &op, 1);
}

/* SEND CONFORM_LEN bytes to a RECV of @len bytes. The RECV uses @t or, if NULL, the DMA lkey. */
static int conform_send_to(struct conform_client *c, u32 len, const struct conform_target *t)
{
	struct conform_op op;
	int ret = conform_begin(c);

	conform_send(&op, CONFORM_TARGET, CONFORM_LEN);
	if (!ret)
		ret = conform_peer_recv(c, len, t);
	return ret ? ret : conform_provoke_behind(c, &op, 1);
}

static int send_too_long(struct conform_client *c)
{
	int ret = conform_legal_send(c);

	return ret ? ret : conform_send_to(c, CONFORM_LEN - 1, NULL);
}

static int recv_stale_lkey(struct conform_client *c)
{
	struct conform_target t;
	int ret = conform_legal_send(c);

	if (!ret)
		ret = conform_peer_reg(c, 0, CONFORM_READ_WRITE, &t);
	if (!ret)
		ret = conform_peer_inv(c, &t);
	return ret ? ret : conform_send_to(c, CONFORM_LEN, &t);
}

static int recv_without_local_write(struct conform_client *c)
{
	struct conform_target t;
	int ret = conform_legal_send(c);

	if (!ret)
		ret = conform_peer_reg(c, 0, KRPING_CONFORM_REMOTE_READ, &t);
	return ret ? ret : conform_send_to(c, CONFORM_LEN, &t);
}

static int recv_lkey_of_other_pd(struct conform_client *c)
{
	struct conform_target t;
	int ret = conform_legal_send(c);

	if (!ret)
		ret = conform_peer_reg_elsewhere(c, 0, CONFORM_READ_WRITE, &t);
	return ret ? ret : conform_send_to(c, CONFORM_LEN, &t);
}

#define CONFORM_RECV_CASE(fn)						\
	{								\
		.name = #fn, .source = "IBTA C9-220", .run = fn,	\
		.expect = "remote operation error; the RECV: local protection error", \
		.want = &conform_bad_recv, .iwarp = &conform_recv_fails_iwarp, \
	}

#define CONFORM_QP_CASE(fn)						\
	{								\
		.name = #fn, .source = "IBTA 9.7.4.1", .run = fn, .needs = CONFORM_NEEDS_IB, \
		.expect = "remote invalid request error; both QPs in error; no byte moves", \
		.want = &conform_not_allowed,				\
	}

static const struct conform_case conform_request_cases[] = {
	{
		.name = "atomic_misaligned", .source = "IBTA 9.4.5",
		.expect = "EINVAL at the post, or remote invalid request error and an event",
		.needs = CONFORM_NEEDS_ATOMIC | CONFORM_NEEDS_IB,
		.run = atomic_misaligned, .want = &conform_request_refused,
	},
	{
		.name = "send_too_long", .source = "IBTA C9-220",
		.expect = "remote invalid request error; the RECV: local length error",
		.run = send_too_long,
		.want = &conform_too_long, .iwarp = &conform_recv_fails_iwarp,
	},
	CONFORM_RECV_CASE(recv_stale_lkey),
	CONFORM_RECV_CASE(recv_without_local_write),
	CONFORM_RECV_CASE(recv_lkey_of_other_pd),
	{
		.name = "write_imm_bad_key", .source = "IBTA C9-222.1.1",
		.expect = "remote access error; the RECV fails; both QPs in error; no byte moves",
		.needs = CONFORM_NEEDS_IB,
		.run = write_imm_bad_key, .want = &conform_imm_refused,
	},
	CONFORM_QP_CASE(write_qp_without_right),
	CONFORM_QP_CASE(read_qp_without_right),
	{
		.name = "write_beyond_2g", .source = "IBTA C9-94",
		.expect = "EINVAL at the post, or local length or remote invalid request error",
		.needs = CONFORM_NEEDS_IB,
		.run = write_beyond_2g, .want = &conform_beyond_2g,
	},
};

const struct conform_group conform_request = {
	"request", conform_request_cases, ARRAY_SIZE(conform_request_cases),
};
