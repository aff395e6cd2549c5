// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases: the responder must refuse WRITEs and READs with an invalid remote key.
 */
#include "case.h"

static int write_after_local_inv(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_legal_write(c, &t, &op);

	if (!ret)
		ret = conform_peer_inv(c, &t);
	return ret ? ret : conform_provoke(c, &op, 1);
}

static int read_after_local_inv(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_legal_read(c, &t, &op);

	if (!ret)
		ret = conform_peer_inv(c, &t);
	return ret ? ret : conform_provoke(c, &op, 1);
}

static int write_after_dereg(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_legal_write(c, &t, &op);

	if (!ret)
		ret = conform_peer_dereg(c, &t);
	return ret ? ret : conform_provoke(c, &op, 1);
}

static int read_after_dereg(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_legal_read(c, &t, &op);

	if (!ret)
		ret = conform_peer_dereg(c, &t);
	return ret ? ret : conform_provoke(c, &op, 1);
}

static int write_next_key(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_legal_write(c, &t, &op);

	op.key = ib_inc_rkey(op.key);
	return ret ? ret : conform_provoke(c, &op, 1);
}

static int read_next_key(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_legal_read(c, &t, &op);

	op.key = ib_inc_rkey(op.key);
	return ret ? ret : conform_provoke(c, &op, 1);
}

static int write_other_pd(struct conform_client *c)
{
	struct conform_target t, other;
	struct conform_op op;
	int ret = conform_legal_write(c, &t, &op);

	if (!ret)
		ret = conform_peer_reg_elsewhere(c, 1, CONFORM_READ_WRITE, &other);
	conform_write(&op, &other);
	return ret ? ret : conform_provoke(c, &op, 1);
}

static int read_other_pd(struct conform_client *c)
{
	struct conform_target t, other;
	struct conform_op op;
	int ret = conform_legal_read(c, &t, &op);

	if (!ret)
		ret = conform_peer_reg_elsewhere(c, 1, CONFORM_READ_WRITE, &other);
	conform_read(&op, &other);
	return ret ? ret : conform_provoke(c, &op, 1);
}

#define CONFORM_KEY_CASE(fn, where, op)					\
	{								\
		.name = #fn, .source = where, .run = fn,		\
		.expect = "remote access error; both QPs in error; an access error event", \
		.want = &conform_access_refused,				\
		.iwarp = &conform_access_refused_iwarp_##op,			\
	}

static const struct conform_case conform_key_cases[] = {
	CONFORM_KEY_CASE(write_after_local_inv, "IBTA C9-222.1.1", write),
	CONFORM_KEY_CASE(read_after_local_inv, "IBTA C9-222.1.1", read),
	CONFORM_KEY_CASE(write_after_dereg, "IBTA C9-222.1.1", write),
	CONFORM_KEY_CASE(read_after_dereg, "IBTA C9-222.1.1", read),
	CONFORM_KEY_CASE(write_next_key, "IBTA C9-222.1.1", write),
	CONFORM_KEY_CASE(read_next_key, "IBTA C9-222.1.1", read),
	CONFORM_KEY_CASE(write_other_pd, "IBTA C10-56", write),
	CONFORM_KEY_CASE(read_other_pd, "IBTA C10-56", read),
};

const struct conform_group conform_keys = {
	"keys", conform_key_cases, ARRAY_SIZE(conform_key_cases),
};
