// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases in which a QP or a CQ fails. Some check that the posted WRs complete once and in order, and
 * the others that the device raises the event that reports the failure.
 */
#include "case.h"

static const struct conform_want conform_recvs_flush = {
	.send		= { CONFORM_WC(REM_ACCESS_ERR) },
	.own_recv	= 3,
	.state		= CONFORM_STATE(ERR),
};

static const struct conform_want conform_recvs_flush_iwarp = {
	.send		= { CONFORM_WC_FAILED },
	.own_recv	= 3,
};

static const struct conform_want conform_completes = {
	.send		= { CONFORM_WC(REM_ACCESS_ERR) },
	.state		= CONFORM_STATE(ERR),
};

static const struct conform_want conform_completes_iwarp = {
	.send		= { CONFORM_WC_FAILED },
};

static const struct conform_want conform_last_wqe = {
	.peer_state	= CONFORM_STATE(ERR),
	.events		= CONFORM_EVENT(QP_LAST_WQE_REACHED),
};

/* At least one SEND must arrive. The specification leaves the status of each SEND open. */
static const struct conform_want conform_overrun = {
	.send		= { [0 ... CONFORM_DEPTH - 1] = CONFORM_WC_ANY },
	.peer_state	= CONFORM_STATE(ERR),
	.events		= CONFORM_EVENT(CQ_ERR),
	.changed	= CONFORM_LEN,
};

static const struct conform_want conform_overrun_iwarp = {
	.send		= { [0 ... CONFORM_DEPTH - 1] = CONFORM_WC_ANY },
	.ended		= true,
	.events		= CONFORM_EVENT(CQ_ERR),
	.changed	= CONFORM_LEN,
};

/* Do a legal READ, and set @op to a READ with a bad key. */
static int conform_flush_read(struct conform_client *c, struct conform_op *op)
{
	struct conform_target t;
	int ret = conform_legal_read(c, &t, op);

	op->key ^= 0xff;
	return ret;
}

static int flush_later_wrs(struct conform_client *c)
{
	struct conform_op ops[3];
	int ret = conform_flush_read(c, ops);

	ops[1] = ops[0];
	ops[1].opcode = IB_WR_SEND;
	ops[1].mr = 0;
	ops[2] = ops[1];
	return ret ? ret : conform_provoke(c, ops, 3);
}

static int flush_own_recvs(struct conform_client *c)
{
	struct conform_op op;
	int ret = conform_flush_read(c, &op);

	if (!ret)
		ret = conform_begin(c);
	if (!ret)
		ret = conform_own_recvs(c, 3);
	return ret ? ret : conform_provoke_behind(c, &op, 1);
}

static int unsignaled_failure_completes(struct conform_client *c)
{
	struct conform_op op;
	int ret = conform_flush_read(c, &op);

	op.unsignaled = true;
	return ret ? ret : conform_provoke(c, &op, 1);
}

/* IB_EVENT_QP_LAST_WQE_REACHED reports that a QP in error takes no more RECVs out of its SRQ. */
static int srq_last_wqe(struct conform_client *c)
{
	int ret = conform_legal_send(c);

	if (!ret)
		ret = conform_begin(c);
	if (!ret)
		ret = conform_peer_recv(c, CONFORM_LEN, NULL);
	if (!ret)
		ret = conform_peer_state(c, IB_QPS_ERR);
	return ret ? ret : conform_collect(c);
}

/*
 * The legal operation is a WRITE, which needs no RECV: nothing polls the CQ of the server's RECVs,
 * so the completion of a legal RECV would stay in the CQ.
 */
static int cq_overrun(struct conform_client *c)
{
	struct conform_op ops[CONFORM_DEPTH];
	struct conform_target t;
	int ret = conform_legal_write(c, &t, ops);

	if (!ret)
		ret = conform_begin_sends(c, ops, CONFORM_DEPTH, CONFORM_LEN, CONFORM_LEN);
	return ret ? ret : conform_provoke_behind(c, ops, CONFORM_DEPTH);
}

static const struct conform_case conform_flush_cases[] = {
	{
		.name = "flush_later_wrs", .source = "IBTA C10-42",
		.expect = "the WRs behind a failed one are flushed, once and in order",
		.needs = CONFORM_NEEDS_IB,
		.run = flush_later_wrs, .want = &conform_later_flushes,
	},
	{
		.name = "flush_own_recvs", .source = "IBTA C10-42",
		.expect = "the RECVs of the failed QP are flushed, once and in order",
		.run = flush_own_recvs,
		.want = &conform_recvs_flush, .iwarp = &conform_recvs_flush_iwarp,
	},
	{
		.name = "unsignaled_failure_completes", .source = "IBTA 10.8.6",
		.expect = "a WR that fails has a completion, although it is unsignaled",
		.run = unsignaled_failure_completes,
		.want = &conform_completes, .iwarp = &conform_completes_iwarp,
	},
	{
		.name = "srq_last_wqe", .source = "IBTA o11-5.2.5",
		.expect = "the QP event last WQE reached; the RECV stays in the SRQ",
		.needs = CONFORM_NEEDS_SRQ,
		.run = srq_last_wqe, .want = &conform_last_wqe,
	},
	{
		.name = "cq_overrun", .source = "IBTA C9-218",
		.expect = "the CQ event CQ error; the responder's QP in error",
		.needs = CONFORM_NEEDS_SMALL_CQ, .silent = true,
		.run = cq_overrun,
		.want = &conform_overrun, .iwarp = &conform_overrun_iwarp,
	},
};

const struct conform_group conform_flush = {
	"flush", conform_flush_cases, ARRAY_SIZE(conform_flush_cases),
};
