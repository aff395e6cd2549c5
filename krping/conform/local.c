// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases: the requester's device must refuse a WR whose local key is invalid, lacks the right, or
 * does not cover the data.
 */
#include "case.h"

static int write_from_stale_lkey(struct conform_client *c)
{
	struct conform_op op;
	int ret = conform_legal_write_from(c, 1, &op);

	if (!ret)
		ret = conform_own_inv(c, 1);
	return ret ? ret : conform_provoke(c, &op, 1);
}

static int write_from_other_pd(struct conform_client *c)
{
	struct conform_op op;
	int ret = conform_legal_write_from(c, 1, &op);

	if (!ret)
		ret = conform_own_reg_elsewhere(c, 2, KRPING_CONFORM_LOCAL_WRITE);
	op.mr = 1 + 2;
	return ret ? ret : conform_provoke(c, &op, 1);
}

static int write_from_behind_end(struct conform_client *c)
{
	struct conform_op op;
	int ret = conform_legal_write_from(c, 1, &op);

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
		.want = &conform_lkey_refused,				\
		.iwarp = &conform_refused_locally_iwarp,		\
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
