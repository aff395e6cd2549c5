// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases: ib_post_send() and ib_post_recv() must refuse invalid WRs. The call must return an errno
 * and the exact bad_wr, and the refused WR must not complete.
 */
#include <linux/errno.h>

#include "case.h"

static const struct conform_want conform_too_many = {
	.post		= { EINVAL, ENOMEM },
	.state		= CONFORM_STATE(RTS),
	.peer_state	= CONFORM_STATE(RTS),
	.events		= CONFORM_NO_EVENT,
};

static const struct conform_want conform_no_opcode = {
	.post		= { EINVAL, EOPNOTSUPP },
	.state		= CONFORM_STATE(RTS),
	.peer_state	= CONFORM_STATE(RTS),
	.events		= CONFORM_NO_EVENT,
};

static const struct conform_want conform_third = {
	.send		= { CONFORM_WC(SUCCESS), CONFORM_WC(SUCCESS) },
	.post		= { EINVAL, EOPNOTSUPP },
	.bad		= 2,
	.changed	= CONFORM_LEN,
	.state		= CONFORM_STATE(RTS),
	.peer_state	= CONFORM_STATE(RTS),
	.events		= CONFORM_NO_EVENT,
};

static const struct conform_want conform_full = {
	.post		= { ENOMEM },
	.state		= CONFORM_STATE(RTS),
	.events		= CONFORM_NO_EVENT,
};

/* iWARP devices may return ENOTCONN for a post in the wrong state. */
static const struct conform_want conform_wrong_state = {
	.post		= { EINVAL, ENOTCONN },
};

static int post_too_many_sges(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_legal_write(c, &t, &op);

	if (ret)
		return ret;
	op.nr_sge = conform_too_many_sges(c);
	if (!op.nr_sge)
		return 0;
	op.len = 1;
	return conform_provoke(c, &op, 1);
}

/*
 * Use an opcode that only datagram QPs have, because an undefined opcode may crash a driver that
 * indexes a table with it.
 */
static int post_bad_opcode(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_legal_write(c, &t, &op);

	op.opcode = IB_WR_LSO;
	return ret ? ret : conform_provoke(c, &op, 1);
}

static int post_chain_third_bad(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op ops[3];
	int ret = conform_legal_write(c, &t, ops);

	ops[1] = ops[0];
	ops[2] = ops[0];
	ops[2].opcode = IB_WR_LSO;
	return ret ? ret : conform_provoke(c, ops, 3);
}

/* The server's QP does not answer, so no WR leaves the SQ while the case fills it. */
static int post_full_sq(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_legal_write(c, &t, &op);

	if (!ret)
		ret = conform_peer_state(c, IB_QPS_RESET);
	if (!ret)
		ret = conform_begin(c);
	if (ret || !conform_fill_sq(c, &op))
		return ret;
	return conform_provoke_behind(c, &op, 1);
}

static int post_recv_in_reset(struct conform_client *c)
{
	int ret = conform_legal_send(c);

	return ret ? ret : conform_provoke_reset(c, true);
}

static int post_send_in_reset(struct conform_client *c)
{
	int ret = conform_legal_send(c);

	return ret ? ret : conform_provoke_reset(c, false);
}

static const struct conform_case conform_post_cases[] = {
	{
		.name = "post_too_many_sges", .source = "ib_post_send",
		.expect = "the post returns EINVAL or ENOMEM; no completion",
		.run = post_too_many_sges, .want = &conform_too_many,
	},
	{
		.name = "post_bad_opcode", .source = "ib_post_send",
		.expect = "the post returns EINVAL or EOPNOTSUPP; no completion",
		.run = post_bad_opcode, .want = &conform_no_opcode,
	},
	{
		.name = "post_chain_third_bad", .source = "ib_post_send",
		.expect = "the first two WRs complete; bad_wr is the third",
		.run = post_chain_third_bad, .want = &conform_third,
	},
	{
		.name = "post_full_sq", .source = "ib_post_send",
		.expect = "the post to a full SQ returns ENOMEM; no completion",
		.needs = CONFORM_NEEDS_IB,
		.run = post_full_sq, .want = &conform_full,
	},
	{
		.name = "post_recv_in_reset", .source = "IBTA C10-97.2.1",
		.expect = "the post returns EINVAL; no completion",
		.needs = CONFORM_NEEDS_IB,
		.run = post_recv_in_reset, .want = &conform_wrong_state,
	},
	{
		.name = "post_send_in_reset", .source = "IBTA 10.8.2",
		.expect = "the post returns EINVAL; no completion",
		.run = post_send_in_reset, .want = &conform_wrong_state,
	},
};

const struct conform_group conform_post = {
	"post", conform_post_cases, ARRAY_SIZE(conform_post_cases),
};
