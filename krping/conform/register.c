// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases: the device must refuse an illegal REG_MR and execute a legal one before the next WR. Only
 * the key of the last REG_MR may be valid.
 */
#include <linux/errno.h>

#include "case.h"

/* Index of the client's memory region that a case registers. */
#define CONFORM_REG	1

/* A legal REG_MR, and then a WRITE from its memory region. */
static const struct conform_want conform_reg_chain = {
	.send		= { CONFORM_WC(SUCCESS), CONFORM_WC(SUCCESS) },
	.changed	= CONFORM_LEN,
	.state		= CONFORM_STATE(RTS),
	.peer_state	= CONFORM_STATE(RTS),
	.events		= CONFORM_NO_EVENT,
};

/* A legal WRITE. */
static const struct conform_want conform_reg_valid = {
	.send		= { CONFORM_WC(SUCCESS) },
	.changed	= CONFORM_LEN,
	.state		= CONFORM_STATE(RTS),
	.peer_state	= CONFORM_STATE(RTS),
	.events		= CONFORM_NO_EVENT,
};

/* The WRITE fails. The preceding REG_MR may succeed, fail, or be refused at the post. */
static const struct conform_want conform_reg_grants_nothing = {
	.send		= { CONFORM_WC(SUCCESS) | CONFORM_WC(MW_BIND_ERR),
			    CONFORM_WC(LOC_PROT_ERR) | CONFORM_WC(WR_FLUSH_ERR) },
	.post		= { EINVAL },
	.post_may	= true,
	.state		= CONFORM_STATE(ERR),
	.events		= CONFORM_NO_EVENT,
};

/* Fill in a REG_MR of the client's memory region. */
static void conform_reg(const struct conform_client *c, struct conform_op *op)
{
	*op = (struct conform_op){
		.opcode	= IB_WR_REG_MR,
		.mr	= 1 + CONFORM_REG,
		.key	= conform_own_key(c, CONFORM_REG),
		.rights	= KRPING_CONFORM_LOCAL_WRITE,
	};
}

/* Register a memory region that is registered already. */
static int reg_valid_mr(struct conform_client *c)
{
	struct conform_op op;
	int ret = conform_legal_write_from(c, CONFORM_REG, &op);

	conform_reg(c, &op);
	return ret ? ret : conform_provoke(c, &op, 1);
}

/* Use a key whose index is not the client's: no MR, or an MR of another user, has this index. */
static int reg_foreign_index(struct conform_client *c)
{
	struct conform_op op;
	int ret = conform_legal_write_from(c, 0, &op);

	if (!ret)
		ret = conform_own_map(c, CONFORM_REG, false);
	conform_reg(c, &op);
	op.key ^= 0x55555500;
	return ret ? ret : conform_provoke(c, &op, 1);
}

static int reg_mr_of_other_pd(struct conform_client *c)
{
	struct conform_op op;
	int ret = conform_legal_write_from(c, 0, &op);

	if (!ret)
		ret = conform_own_map(c, CONFORM_REG, true);
	conform_reg(c, &op);
	return ret ? ret : conform_provoke(c, &op, 1);
}

/* WRITE from a memory region that is allocated, but was never registered. */
static int write_from_unregistered(struct conform_client *c)
{
	struct conform_op op;
	int ret = conform_legal_write_from(c, 0, &op);

	if (!ret)
		ret = conform_own_map(c, CONFORM_REG, false);
	op.mr = 1 + CONFORM_REG;
	return ret ? ret : conform_provoke(c, &op, 1);
}

static int reg_then_write(struct conform_client *c)
{
	struct conform_op ops[2];
	int ret = conform_legal_write_from(c, 0, &ops[1]);

	if (!ret)
		ret = conform_own_map(c, CONFORM_REG, false);
	conform_reg(c, &ops[0]);
	ops[1].mr = 1 + CONFORM_REG;
	return ret ? ret : conform_provoke(c, ops, 2);
}

/* Register no bytes, because some devices have treated a length of 0 as unlimited. */
static int reg_empty_then_write(struct conform_client *c)
{
	struct conform_op ops[2];
	int ret = conform_legal_write_from(c, 0, &ops[1]);

	if (!ret)
		ret = conform_own_map_empty(c, CONFORM_REG);
	/* If the device cannot map 0 bytes, the case is unsupported. */
	if (ret == -EOPNOTSUPP)
		return 0;
	conform_reg(c, &ops[0]);
	ops[1].mr = 1 + CONFORM_REG;
	return ret ? ret : conform_provoke(c, ops, 2);
}

/* Change the key in struct ib_mr, but post no REG_MR. The registered key must stay valid. */
static int key_update_alone(struct conform_client *c)
{
	struct conform_op op;
	int ret = conform_legal_write_from(c, CONFORM_REG, &op);

	conform_own_update_key(c, CONFORM_REG);
	return ret ? ret : conform_provoke(c, &op, 1);
}

/*
 * Let the server invalidate and register the target @times times. Then WRITE with the first key if
 * @old_key, else with the last key.
 */
static int conform_reg_again(struct conform_client *c, u32 times, bool old_key)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_legal_write(c, &t, &op);

	if (!ret)
		ret = conform_peer_rereg(c, times, &t);
	if (!old_key)
		op.key = t.key;
	return ret ? ret : conform_provoke(c, &op, 1);
}

static int reg_again_old_key(struct conform_client *c)
{
	return conform_reg_again(c, 1, true);
}

static int reg_again_new_key(struct conform_client *c)
{
	return conform_reg_again(c, 1, false);
}

/*
 * Only the low eight bits of a key change, so the first key is stale after 255 registrations, and
 * valid again after 256.
 */
static int reg_255_times_old_key(struct conform_client *c)
{
	return conform_reg_again(c, KRPING_CONFORM_TIMES - 1, true);
}

static int reg_256_times_old_key(struct conform_client *c)
{
	return conform_reg_again(c, KRPING_CONFORM_TIMES, true);
}

#define CONFORM_REG_CASE(fn)						\
	{								\
		.name = #fn, .source = "IBTA 10.6.3", .run = fn,	\
		.expect = "memory management operation error; the QP in error", \
		.want = &conform_mr_refused,				\
		.iwarp = &conform_refused_locally_iwarp,		\
	}

#define CONFORM_STALE_CASE(fn)						\
	{								\
		.name = #fn, .source = "IBTA C9-222.1.1", .run = fn,	\
		.expect = "remote access error; both QPs in error; an access error event", \
		.want = &conform_access_refused,			\
		.iwarp = &conform_access_refused_iwarp_write,		\
	}

#define CONFORM_VALID_CASE(fn)						\
	{								\
		.name = #fn, .source = "IBTA 10.6.3", .run = fn,	\
		.expect = "success: the key is valid", .want = &conform_reg_valid, \
	}

static const struct conform_case conform_register_cases[] = {
	CONFORM_REG_CASE(reg_valid_mr),
	CONFORM_REG_CASE(reg_foreign_index),
	CONFORM_REG_CASE(reg_mr_of_other_pd),
	{
		.name = "write_from_unregistered", .source = "IBTA C10-56",
		.expect = "local protection error; the QP in error; the responder sees nothing",
		.run = write_from_unregistered,
		.want = &conform_lkey_refused, .iwarp = &conform_refused_locally_iwarp,
	},
	{
		.name = "reg_then_write", .source = "IBTA 10.8.3.3",
		.expect = "success: a WR sees the preceding registration",
		.run = reg_then_write, .want = &conform_reg_chain,
	},
	{
		.name = "reg_empty_then_write", .source = "IBTA C10-56",
		.expect = "a memory region of no bytes grants no access, or is refused",
		.run = reg_empty_then_write,
		.want = &conform_reg_grants_nothing,
	},
	CONFORM_VALID_CASE(key_update_alone),
	CONFORM_STALE_CASE(reg_again_old_key),
	CONFORM_VALID_CASE(reg_again_new_key),
	CONFORM_STALE_CASE(reg_255_times_old_key),
	CONFORM_VALID_CASE(reg_256_times_old_key),
};

const struct conform_group conform_register = {
	"register", conform_register_cases, ARRAY_SIZE(conform_register_cases),
};
