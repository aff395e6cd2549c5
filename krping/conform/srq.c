// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases in which the responder's QP takes its RECVs from an SRQ. A RECV must complete as a RECV of
 * an RQ does. When the SRQ has fewer RECVs than its limit, the device must raise an event, and not
 * before. The case srq_last_wqe in flush.c checks the event IB_EVENT_QP_LAST_WQE_REACHED.
 */
#include "case.h"

/* Length of a SEND that is shorter than its RECV, and has several packets on most paths. */
#define CONFORM_SRQ_LEN		4000

/* Limit of the SRQ, and number of RECVs: two SENDs leave fewer than the limit. */
#define CONFORM_SRQ_LIMIT	2
#define CONFORM_SRQ_RECVS	3

#define CONFORM_SRQ_INTACT						\
	.state = CONFORM_STATE(RTS), .peer_state = CONFORM_STATE(RTS)

static const struct conform_want conform_srq_sent = {
	.send		= { CONFORM_WC(SUCCESS) },
	.recv		= { CONFORM_WC(SUCCESS) },
	.opcode		= IB_WC_RECV,
	.len_changed	= true,
	.changed	= CONFORM_SRQ_LEN,
	.events		= CONFORM_NO_EVENT,
	CONFORM_SRQ_INTACT,
};

static const struct conform_want conform_srq_above = {
	.send		= { CONFORM_WC(SUCCESS) },
	.recv		= { CONFORM_WC(SUCCESS) },
	.changed	= CONFORM_LEN,
	.events		= CONFORM_NO_EVENT,
	CONFORM_SRQ_INTACT,
};

static const struct conform_want conform_srq_below = {
	.send		= { CONFORM_WC(SUCCESS), CONFORM_WC(SUCCESS) },
	.recv		= { CONFORM_WC(SUCCESS), CONFORM_WC(SUCCESS) },
	.changed	= CONFORM_LEN,
	.events		= CONFORM_EVENT(SRQ_LIMIT_REACHED),
	CONFORM_SRQ_INTACT,
};

static int srq_send(struct conform_client *c)
{
	struct conform_op op;
	int ret = conform_legal_send(c);

	if (!ret)
		ret = conform_begin_sends(c, &op, 1, CONFORM_SRQ_LEN, CONFORM_TARGET_BYTES);
	return ret ? ret : conform_provoke_behind(c, &op, 1);
}

/* Fill the SRQ, arm its limit, and let @sends SENDs take RECVs out of the SRQ. */
static int conform_srq_take(struct conform_client *c, u32 sends)
{
	struct conform_op ops[CONFORM_SRQ_RECVS];
	int ret = conform_legal_send(c);

	if (!ret)
		ret = conform_begin_sends(c, ops, CONFORM_SRQ_RECVS, CONFORM_LEN, CONFORM_LEN);
	if (!ret)
		ret = conform_peer_srq_limit(c, CONFORM_SRQ_LIMIT);
	return ret ? ret : conform_provoke_behind(c, ops, sends);
}

static int srq_at_limit(struct conform_client *c)
{
	return conform_srq_take(c, CONFORM_SRQ_RECVS - CONFORM_SRQ_LIMIT);
}

static int srq_below_limit(struct conform_client *c)
{
	return conform_srq_take(c, CONFORM_SRQ_RECVS - CONFORM_SRQ_LIMIT + 1);
}

static const struct conform_case conform_srq_cases[] = {
	{
		.name = "srq_send", .source = "IBTA 11.4.2.1",
		.expect = "success; the RECV's completion has the length of the SEND",
		.needs = CONFORM_NEEDS_SRQ,
		.run = srq_send, .want = &conform_srq_sent,
	},
	{
		.name = "srq_at_limit", .source = "ib_modify_srq",
		.expect = "success, and no event: the SRQ has as many RECVs as its limit",
		.needs = CONFORM_NEEDS_SRQ,
		.run = srq_at_limit, .want = &conform_srq_above,
	},
	{
		.name = "srq_below_limit", .source = "ib_modify_srq",
		.expect = "success, and the SRQ event SRQ limit reached",
		.needs = CONFORM_NEEDS_SRQ,
		.run = srq_below_limit, .want = &conform_srq_below,
	},
};

const struct conform_group conform_srq = {
	"srq", conform_srq_cases, ARRAY_SIZE(conform_srq_cases),
};
