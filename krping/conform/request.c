// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requests that are invalid, and messages that do not fit the responder's RECV.
 */
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

static int atomic_misaligned(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_legal_atomic(c, &t, &op);

	op.addr += 1;
	return ret ? ret : conform_provoke(c, &op, 1);
}

/* Let a SEND meet a RECV of @len bytes in @t, or with the local DMA lkey. */
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
};

const struct conform_group conform_request = {
	"request", conform_request_cases, ARRAY_SIZE(conform_request_cases),
};
