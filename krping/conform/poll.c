// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases in which both sides poll their CQs, which are never armed and raise no interrupt. A device
 * must put the same completions into such a CQ as into others, in the same order.
 */
#include "case.h"

static const struct conform_want conform_polled_sends = {
	.send		= { CONFORM_WC(SUCCESS), CONFORM_WC(SUCCESS), CONFORM_WC(SUCCESS) },
	.recv		= { CONFORM_WC(SUCCESS), CONFORM_WC(SUCCESS), CONFORM_WC(SUCCESS) },
	.state		= CONFORM_STATE(RTS),
	.peer_state	= CONFORM_STATE(RTS),
	.opcode		= IB_WC_RECV,
	.len_changed	= true,
	.changed	= CONFORM_LEN,
	.events		= CONFORM_NO_EVENT,
};

static int poll_sends(struct conform_client *c)
{
	struct conform_op ops[3];
	int ret = conform_legal_send(c);

	if (!ret)
		ret = conform_begin_sends(c, ops, ARRAY_SIZE(ops), CONFORM_LEN,
					  CONFORM_TARGET_BYTES);
	return ret ? ret : conform_provoke_behind(c, ops, ARRAY_SIZE(ops));
}

static int poll_write_next_key(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_legal_write(c, &t, &op);

	op.key = ib_inc_rkey(op.key);
	return ret ? ret : conform_provoke(c, &op, 1);
}

static int poll_flush_later_wrs(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op ops[3];
	int ret = conform_legal_read(c, &t, ops);

	ops[0].key = ib_inc_rkey(ops[0].key);
	conform_send(&ops[1], CONFORM_TARGET, CONFORM_LEN);
	ops[2] = ops[1];
	return ret ? ret : conform_provoke(c, ops, ARRAY_SIZE(ops));
}

static const struct conform_case conform_poll_cases[] = {
	{
		.name = "poll_sends", .source = "IBTA 11.4.2.1",
		.expect = "success in the order of the SENDs; length and opcode of the RECV",
		.polled = true,
		.run = poll_sends, .want = &conform_polled_sends,
	},
	{
		.name = "poll_write_next_key", .source = "IBTA C9-222.1.1",
		.expect = "remote access error; both QPs in error; an access error event",
		.polled = true,
		.run = poll_write_next_key,
		.want = &conform_access_refused, .iwarp = &conform_access_refused_iwarp_write,
	},
	{
		.name = "poll_flush_later_wrs", .source = "IBTA C10-42",
		.expect = "the WRs behind a failed one are flushed, once and in order",
		.needs = CONFORM_NEEDS_IB, .polled = true,
		.run = poll_flush_later_wrs, .want = &conform_later_flushes,
	},
};

const struct conform_group conform_poll = {
	"poll", conform_poll_cases, ARRAY_SIZE(conform_poll_cases),
};
