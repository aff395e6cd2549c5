// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Addresses beyond a memory region. A refused operation moves not one byte.
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

/* Do a legal operation, and then the same at @addr. */
static int conform_move(struct conform_client *c, bool read, s64 from_start, s64 from_end,
			u64 addr)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_peer_reg(c, 0, CONFORM_READ_WRITE, &t);

	if (!ret && read)
		ret = conform_own_sink(c);
	if (read)
		conform_read(&op, &t);
	else
		conform_write(&op, &t);
	if (!ret)
		ret = conform_legal(c, &op, &t);
	if (from_start)
		op.addr = t.addr + from_start;
	else if (from_end)
		op.addr = t.addr + t.len + from_end;
	else
		op.addr = addr;
	return ret ? ret : conform_provoke(c, &op, 1);
}

static int write_behind_end(struct conform_client *c)
{
	return conform_move(c, false, 0, 1 - CONFORM_LEN, 0);
}

static int read_behind_end(struct conform_client *c)
{
	return conform_move(c, true, 0, 1 - CONFORM_LEN, 0);
}

static int write_before_start(struct conform_client *c)
{
	return conform_move(c, false, -1, 0, 0);
}

static int read_before_start(struct conform_client *c)
{
	return conform_move(c, true, -1, 0, 0);
}

static int write_address_wraps(struct conform_client *c)
{
	return conform_move(c, false, 0, 0, U64_MAX - CONFORM_LEN / 2);
}

static int read_address_wraps(struct conform_client *c)
{
	return conform_move(c, true, 0, 0, U64_MAX - CONFORM_LEN / 2);
}

/* Several packets, of which only the last one exceeds the memory region. */
static int conform_long(struct conform_client *c, bool read)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_peer_reg(c, 0, CONFORM_READ_WRITE, &t);

	if (!ret && read)
		ret = conform_own_sink(c);
	if (read)
		conform_read(&op, &t);
	else
		conform_write(&op, &t);
	op.len = t.len;
	if (!ret)
		ret = conform_legal(c, &op, &t);
	op.addr = t.addr + 1;
	return ret ? ret : conform_provoke(c, &op, 1);
}

static int write_long_behind_end(struct conform_client *c)
{
	return conform_long(c, false);
}

static int read_long_behind_end(struct conform_client *c)
{
	return conform_long(c, true);
}

#define CONFORM_NO_BYTE	"remote access error; both QPs in error; an access error event; no byte moves"

#define CONFORM_BOUNDS_CASE(fn, op)					\
	{								\
		.name = #fn, .source = "IBTA C9-222.1.1", .run = fn,	\
		.expect = CONFORM_NO_BYTE,				\
		.want = &conform_refused,				\
		.iwarp = &conform_refused_iwarp_##op,			\
	}

static const struct conform_case conform_bounds_cases[] = {
	CONFORM_BOUNDS_CASE(write_behind_end, write),
	CONFORM_BOUNDS_CASE(read_behind_end, read),
	CONFORM_BOUNDS_CASE(write_before_start, write),
	CONFORM_BOUNDS_CASE(read_before_start, read),
	CONFORM_BOUNDS_CASE(write_address_wraps, write),
	CONFORM_BOUNDS_CASE(read_address_wraps, read),
	CONFORM_BOUNDS_CASE(write_long_behind_end, write),
	CONFORM_BOUNDS_CASE(read_long_behind_end, read),
};

const struct conform_group conform_bounds = {
	"bounds", conform_bounds_cases, ARRAY_SIZE(conform_bounds_cases),
};
