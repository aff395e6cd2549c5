// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Keys of the requester's own memory that the device must refuse.
 */
#include "case.h"

static const struct conform_want conform_refused = {
	.send		= { CONFORM_WC(LOC_PROT_ERR) },
	.state		= CONFORM_STATE(ERR),
	.events		= CONFORM_NO_EVENT,
};

static const struct conform_want conform_refused_iwarp = {
	.send		= { CONFORM_WC_FAILED },
};

/* Do a legal WRITE from the client's memory region 1. */
static int conform_local_write(struct conform_client *c, struct conform_op *op)
{
	struct conform_target t;
	int ret = conform_peer_reg(c, 0, CONFORM_READ_WRITE, &t);

	if (!ret)
		ret = conform_own_reg(c, 1, KRPING_CONFORM_LOCAL_WRITE);
	conform_write(op, &t);
	op->mr = 1 + 1;
	return ret ? ret : conform_legal(c, op, &t);
}

static int write_from_stale_lkey(struct conform_client *c)
{
	struct conform_op op;
	int ret = conform_local_write(c, &op);

	if (!ret)
		ret = conform_own_inv(c, 1);
	return ret ? ret : conform_provoke(c, &op, 1);
}

static int write_from_other_pd(struct conform_client *c)
{
	struct conform_op op;
	int ret = conform_local_write(c, &op);

	if (!ret)
		ret = conform_own_reg_elsewhere(c, 2, KRPING_CONFORM_LOCAL_WRITE);
	op.mr = 1 + 2;
	return ret ? ret : conform_provoke(c, &op, 1);
}

static int write_from_behind_end(struct conform_client *c)
{
	struct conform_op op;
	int ret = conform_local_write(c, &op);

	op.off = CONFORM_TARGET + CONFORM_TARGET_BYTES - CONFORM_LEN + 1;
	return ret ? ret : conform_provoke(c, &op, 1);
}

static int read_to_sink_without_right(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_legal_read(c, &t, &op);

	if (!ret)
		ret = conform_own_reg(c, 1, KRPING_CONFORM_REMOTE_READ);
	op.mr = 1 + 1;
	return ret ? ret : conform_provoke(c, &op, 1);
}

#define CONFORM_LOCAL_CASE(fn)						\
	{								\
		.name = #fn, .source = "IBTA C10-56", .run = fn,	\
		.expect = "local protection error; the QP in error; the responder sees nothing", \
		.want = &conform_refused, .iwarp = &conform_refused_iwarp, \
	}

static const struct conform_case conform_local_cases[] = {
	CONFORM_LOCAL_CASE(write_from_stale_lkey),
	CONFORM_LOCAL_CASE(write_from_other_pd),
	CONFORM_LOCAL_CASE(write_from_behind_end),
	CONFORM_LOCAL_CASE(read_to_sink_without_right),
};

const struct conform_group conform_local = {
	"local", conform_local_cases, ARRAY_SIZE(conform_local_cases),
};
