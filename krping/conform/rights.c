// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Rights that a memory region does not grant.
 */
#include "case.h"

static const struct conform_want conform_refused = {
	.send		= { CONFORM_WC(REM_ACCESS_ERR) },
	.state		= CONFORM_STATE(ERR),
	.peer_state	= CONFORM_STATE(ERR),
	.events		= CONFORM_EVENT(QP_ACCESS_ERR),
};

static const struct conform_want conform_refused_iwarp_write = {
	.send		= { CONFORM_WC_ANY },
	.ended		= true,
};

static const struct conform_want conform_refused_iwarp_read = {
	.send		= { CONFORM_WC_FAILED },
	.ended		= true,
};

/* Do a legal operation, and then the same with a key that lacks the right. */
static int conform_without(struct conform_client *c, struct conform_op *op,
			   const struct conform_target *t, u32 rights)
{
	struct conform_target poor;
	int ret = conform_legal(c, op, t);

	if (!ret)
		ret = conform_peer_reg(c, 1, rights, &poor);
	op->addr = poor.addr;
	op->key = poor.key;
	return ret ? ret : conform_provoke(c, op, 1);
}

static int write_without_right(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_peer_reg(c, 0, CONFORM_READ_WRITE, &t);

	conform_write(&op, &t);
	return ret ? ret : conform_without(c, &op, &t, KRPING_CONFORM_LOCAL_WRITE |
					   KRPING_CONFORM_REMOTE_READ);
}

static int read_without_right(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_peer_reg(c, 0, CONFORM_READ_WRITE, &t);

	if (!ret)
		ret = conform_own_sink(c);
	conform_read(&op, &t);
	return ret ? ret : conform_without(c, &op, &t, KRPING_CONFORM_LOCAL_WRITE |
					   KRPING_CONFORM_REMOTE_WRITE);
}

static int atomic_without_right(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_peer_reg(c, 0, CONFORM_READ_WRITE | KRPING_CONFORM_REMOTE_ATOMIC, &t);

	conform_write(&op, &t);
	op.opcode = IB_WR_ATOMIC_FETCH_AND_ADD;
	op.len = sizeof(u64);
	return ret ? ret : conform_without(c, &op, &t, CONFORM_READ_WRITE);
}

#define CONFORM_RIGHTS_CASE(fn, op, what)				\
	{								\
		.name = #fn, .source = "IBTA C10-57", .run = fn, .needs = what, \
		.expect = "remote access error; both QPs in error; an access error event", \
		.want = &conform_refused,				\
		.iwarp = &conform_refused_iwarp_##op,			\
	}

static const struct conform_case conform_rights_cases[] = {
	CONFORM_RIGHTS_CASE(write_without_right, write, 0),
	CONFORM_RIGHTS_CASE(read_without_right, read, 0),
	CONFORM_RIGHTS_CASE(atomic_without_right, read,
			    CONFORM_NEEDS_ATOMIC | CONFORM_NEEDS_IB),
};

const struct conform_group conform_rights = {
	"rights", conform_rights_cases, ARRAY_SIZE(conform_rights_cases),
};
