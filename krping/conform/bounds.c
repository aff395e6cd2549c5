// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases: the responder must refuse an operation that exceeds a memory region. The refused
 * operation must not move a single byte.
 */
#include "case.h"

enum conform_place {
	CONFORM_BEHIND_END,	/* the last byte is behind the end of the target */
	CONFORM_BEFORE_START,	/* the first byte is before the start of the target */
	CONFORM_WRAPS,		/* address + length exceeds 2^64 */
};

/* Return a remote address at which an operation of @len bytes exceeds the target. */
static u64 conform_place_addr(const struct conform_target *t, u32 len,
			      enum conform_place place)
{
	switch (place) {
	case CONFORM_BEFORE_START:
		return t->addr - 1;
	case CONFORM_WRAPS:
		return U64_MAX - len / 2;
	case CONFORM_BEHIND_END:
	default:
		return t->addr + t->len - len + 1;
	}
}

/* Do a legal operation of @len bytes, and repeat it at @place, where it exceeds the target. */
static int conform_beyond(struct conform_client *c, enum ib_wr_opcode opcode, u32 len,
			  enum conform_place place)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_legal_rdma(c, opcode, len, &t, &op);

	op.addr = conform_place_addr(&t, len, place);
	return ret ? ret : conform_provoke(c, &op, 1);
}

static int write_behind_end(struct conform_client *c)
{
	return conform_beyond(c, IB_WR_RDMA_WRITE, CONFORM_LEN, CONFORM_BEHIND_END);
}

static int read_behind_end(struct conform_client *c)
{
	return conform_beyond(c, IB_WR_RDMA_READ, CONFORM_LEN, CONFORM_BEHIND_END);
}

static int write_before_start(struct conform_client *c)
{
	return conform_beyond(c, IB_WR_RDMA_WRITE, CONFORM_LEN, CONFORM_BEFORE_START);
}

static int read_before_start(struct conform_client *c)
{
	return conform_beyond(c, IB_WR_RDMA_READ, CONFORM_LEN, CONFORM_BEFORE_START);
}

static int write_address_wraps(struct conform_client *c)
{
	return conform_beyond(c, IB_WR_RDMA_WRITE, CONFORM_LEN, CONFORM_WRAPS);
}

static int read_address_wraps(struct conform_client *c)
{
	return conform_beyond(c, IB_WR_RDMA_READ, CONFORM_LEN, CONFORM_WRAPS);
}

/* The operation takes several packets, of which only the last one exceeds the memory region. */
static int write_long_behind_end(struct conform_client *c)
{
	return conform_beyond(c, IB_WR_RDMA_WRITE, CONFORM_TARGET_BYTES, CONFORM_BEHIND_END);
}

static int read_long_behind_end(struct conform_client *c)
{
	return conform_beyond(c, IB_WR_RDMA_READ, CONFORM_TARGET_BYTES, CONFORM_BEHIND_END);
}

#define CONFORM_NO_BYTE	"remote access error; both QPs in error; an access error event; no byte moves"

#define CONFORM_BOUNDS_CASE(fn, op)					\
	{								\
		.name = #fn, .source = "IBTA C9-222.1.1", .run = fn,	\
		.expect = CONFORM_NO_BYTE,				\
		.want = &conform_access_refused,				\
		.iwarp = &conform_access_refused_iwarp_##op,			\
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
