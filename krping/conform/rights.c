// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases: the responder must refuse an operation for which the memory region does not grant the
 * right.
 */
#include "case.h"

/* Repeat a legal operation on a memory region that grants only @rights. */
static int conform_without(struct conform_client *c, struct conform_op *op, u32 rights)
{
	struct conform_target poor;
	int ret = conform_peer_reg(c, 1, rights, &poor);

	op->addr = poor.addr;
	op->key = poor.key;
	return ret ? ret : conform_provoke(c, op, 1);
}

static int write_without_right(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_legal_write(c, &t, &op);

	return ret ? ret : conform_without(c, &op, KRPING_CONFORM_LOCAL_WRITE |
					   KRPING_CONFORM_REMOTE_READ);
}

static int read_without_right(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_legal_read(c, &t, &op);

	return ret ? ret : conform_without(c, &op, KRPING_CONFORM_LOCAL_WRITE |
					   KRPING_CONFORM_REMOTE_WRITE);
}

static int atomic_without_right(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_legal_atomic(c, &t, &op);

	return ret ? ret : conform_without(c, &op, CONFORM_READ_WRITE);
}

#define CONFORM_RIGHTS_CASE(fn, op, what)				\
	{								\
		.name = #fn, .source = "IBTA C10-57", .run = fn, .needs = what, \
		.expect = "remote access error; both QPs in error; an access error event", \
		.want = &conform_access_refused,				\
		.iwarp = &conform_access_refused_iwarp_##op,			\
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
