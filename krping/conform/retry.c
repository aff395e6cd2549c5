// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases: if the peer is not ready or does not answer, the retries must end with an error.
 */
#include "case.h"

/* The retries end with an error, and the responder's QP stays in the state RTS. */
static const struct conform_want conform_not_ready = {
	.send		= { CONFORM_WC(RNR_RETRY_EXC_ERR) },
	.state		= CONFORM_STATE(ERR),
	.peer_state	= CONFORM_STATE(RTS),
	.events		= CONFORM_NO_EVENT,
};

static const struct conform_want conform_not_ready_iwarp = {
	.send		= { CONFORM_WC_ANY },
	.ended		= true,
};

static const struct conform_want conform_flushed_behind = {
	.send		= { CONFORM_WC(RNR_RETRY_EXC_ERR), CONFORM_WC(WR_FLUSH_ERR) },
	.state		= CONFORM_STATE(ERR),
	.peer_state	= CONFORM_STATE(RTS),
	.events		= CONFORM_NO_EVENT,
};

static const struct conform_want conform_unanswered = {
	.send		= { CONFORM_WC(RETRY_EXC_ERR) },
	.state		= CONFORM_STATE(ERR),
	.events		= CONFORM_NO_EVENT,
};

static int send_no_recv(struct conform_client *c)
{
	struct conform_op op;
	int ret = conform_legal_send(c);

	conform_send(&op, CONFORM_TARGET, CONFORM_LEN);
	return ret ? ret : conform_provoke(c, &op, 1);
}

static int write_imm_no_recv(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_legal_write(c, &t, &op);

	op.opcode = IB_WR_RDMA_WRITE_WITH_IMM;
	return ret ? ret : conform_provoke(c, &op, 1);
}

/* The WRITE follows a SEND that fails, so the device must not execute the WRITE. */
static int write_behind_no_recv(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op ops[2];
	int ret = conform_legal_write(c, &t, &ops[1]);

	conform_send(&ops[0], CONFORM_TARGET, CONFORM_LEN);
	return ret ? ret : conform_provoke(c, ops, 2);
}

/*
 * Do a legal operation, move the server's QP to @state, in which the QP answers no request, and
 * repeat the operation.
 */
static int conform_silent(struct conform_client *c, enum ib_wr_opcode opcode,
			  enum ib_qp_state state)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_legal_rdma(c, opcode, CONFORM_LEN, &t, &op);

	if (!ret)
		ret = conform_peer_state(c, state);
	return ret ? ret : conform_provoke(c, &op, 1);
}

static int write_to_err(struct conform_client *c)
{
	return conform_silent(c, IB_WR_RDMA_WRITE, IB_QPS_ERR);
}

static int read_from_err(struct conform_client *c)
{
	return conform_silent(c, IB_WR_RDMA_READ, IB_QPS_ERR);
}

static int write_to_reset(struct conform_client *c)
{
	return conform_silent(c, IB_WR_RDMA_WRITE, IB_QPS_RESET);
}

#define CONFORM_SILENT_CASE(fn)						\
	{								\
		.name = #fn, .source = "IBTA 9.9.2.4.1", .run = fn,	\
		.needs = CONFORM_NEEDS_IB, .silent = true,		\
		.expect = "transport retry counter exceeded; the QP in error; no byte moves", \
		.want = &conform_unanswered,				\
	}

static const struct conform_case conform_retry_cases[] = {
	{
		.name = "send_no_recv", .source = "IBTA 9.9.2.4.1",
		.expect = "RNR retry counter exceeded; the responder's QP goes on",
		.run = send_no_recv,
		.want = &conform_not_ready, .iwarp = &conform_not_ready_iwarp,
	},
	{
		.name = "write_imm_no_recv", .source = "IBTA 9.9.2.4.1",
		.expect = "RNR retry counter exceeded; no byte moves",
		.needs = CONFORM_NEEDS_IB,
		.run = write_imm_no_recv, .want = &conform_not_ready,
	},
	{
		.name = "write_behind_no_recv", .source = "IBTA 9.9.2.4.1",
		.expect = "RNR retry counter exceeded; the WRITE is flushed, no byte moves",
		.needs = CONFORM_NEEDS_IB,
		.run = write_behind_no_recv, .want = &conform_flushed_behind,
	},
	CONFORM_SILENT_CASE(write_to_err),
	CONFORM_SILENT_CASE(read_from_err),
	CONFORM_SILENT_CASE(write_to_reset),
};

const struct conform_group conform_retry = {
	"retry", conform_retry_cases, ARRAY_SIZE(conform_retry_cases),
};
