// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases: atomic operations must have the right results, and the devices must refuse illegal ones.
 *
 * The operations of conform_add() and conform_swap() exchange canaries (known bytes): the client
 * receives the server's canary, and the server's memory gets the client's canary. The ADD adds the
 * difference of the two.
 */
#include <linux/errno.h>

#include "case.h"

#define CONFORM_VALUE	((u32)sizeof(u64))

#define CONFORM_INTACT							\
	.state = CONFORM_STATE(RTS), .peer_state = CONFORM_STATE(RTS),	\
	.events = CONFORM_NO_EVENT

static const struct conform_want conform_both_change = {
	.send = { CONFORM_WC(SUCCESS) },
	.changed = CONFORM_VALUE, .own_changed = CONFORM_VALUE, CONFORM_INTACT,
};

static const struct conform_want conform_own_changes = {
	.send = { CONFORM_WC(SUCCESS) }, .own_changed = CONFORM_VALUE, CONFORM_INTACT,
};

/* The second operation fetches the client's own canary, so the client's memory ends as it began. */
static const struct conform_want conform_second_sees = {
	.send = { CONFORM_WC(SUCCESS), CONFORM_WC(SUCCESS) },
	.changed = CONFORM_VALUE, CONFORM_INTACT,
};

static const struct conform_want conform_four_add = {
	.send = { CONFORM_WC(SUCCESS), CONFORM_WC(SUCCESS), CONFORM_WC(SUCCESS),
		  CONFORM_WC(SUCCESS) },
	.changed = CONFORM_VALUE, CONFORM_INTACT,
};

/* The post fails, or the requester's device refuses a buffer whose size is not 8 bytes. */
static const struct conform_want conform_short = {
	.send		= { CONFORM_WC(LOC_LEN_ERR) },
	.post		= { EINVAL, EOPNOTSUPP },
	.post_may	= true,
	.state		= CONFORM_STATE(ERR),
	.events		= CONFORM_NO_EVENT,
};

/* Register a target, do a legal FETCH_ADD, and fill in a FETCH_ADD and a CMP_SWAP. */
static int conform_both(struct conform_client *c, struct conform_target *t,
			struct conform_op *add, struct conform_op *swap)
{
	int ret = conform_legal_atomic(c, t, add);

	conform_swap(swap, t);
	return ret;
}

static int fetch_add(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op add, swap;
	int ret = conform_both(c, &t, &add, &swap);

	return ret ? ret : conform_provoke(c, &add, 1);
}

static int cmp_swap_equal(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op add, swap;
	int ret = conform_both(c, &t, &add, &swap);

	return ret ? ret : conform_provoke(c, &swap, 1);
}

/* Compare with a value that differs from the server's in one bit. */
static int cmp_swap_different(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op add, swap;
	int ret = conform_both(c, &t, &add, &swap);

	swap.compare_add ^= 1ULL << 63;
	return ret ? ret : conform_provoke(c, &swap, 1);
}

static int fetch_add_then_read(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op ops[2];
	int ret = conform_both(c, &t, &ops[0], &ops[1]);

	if (!ret)
		ret = conform_own_sink(c);
	conform_read(&ops[1], &t);
	ops[1].len = CONFORM_VALUE;
	return ret ? ret : conform_provoke(c, ops, 2);
}

static int write_then_fetch_add(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op ops[2];
	int ret = conform_both(c, &t, &ops[1], &ops[0]);

	conform_write(&ops[0], &t);
	ops[0].len = CONFORM_VALUE;
	ops[1].compare_add = 0;
	return ret ? ret : conform_provoke(c, ops, 2);
}

/*
 * Post four FETCH_ADDs, as many as the connection allows in flight. The sum of their addends is the
 * addend of conform_add().
 */
static int fetch_add_four(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op ops[4];
	int ret = conform_both(c, &t, &ops[0], &ops[3]);

	ops[1] = ops[0];
	ops[2] = ops[0];
	ops[3] = ops[0];
	ops[0].compare_add -= 3;
	ops[1].compare_add = 1;
	ops[2].compare_add = 2;
	ops[3].compare_add = 0;
	return ret ? ret : conform_provoke(c, ops, 4);
}

static int cmp_swap_misaligned(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op add, swap;
	int ret = conform_both(c, &t, &add, &swap);

	swap.addr += 4;
	return ret ? ret : conform_provoke(c, &swap, 1);
}

/* The client's buffer is too short for the old value. */
static int fetch_add_short(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op add, swap;
	int ret = conform_both(c, &t, &add, &swap);

	add.len = CONFORM_VALUE / 2;
	return ret ? ret : conform_provoke(c, &add, 1);
}

static int atomic_behind_end(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op add, swap;
	int ret = conform_both(c, &t, &add, &swap);

	add.addr += t.len;
	return ret ? ret : conform_provoke(c, &add, 1);
}

static int atomic_before_start(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op add, swap;
	int ret = conform_both(c, &t, &add, &swap);

	add.addr -= CONFORM_VALUE;
	return ret ? ret : conform_provoke(c, &add, 1);
}

static int atomic_next_key(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op add, swap;
	int ret = conform_both(c, &t, &add, &swap);

	add.key ^= 1;
	return ret ? ret : conform_provoke(c, &add, 1);
}

static int atomic_after_local_inv(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op add, swap;
	int ret = conform_both(c, &t, &add, &swap);

	if (!ret)
		ret = conform_peer_inv(c, &t);
	return ret ? ret : conform_provoke(c, &add, 1);
}

/*
 * Do a legal operation, and then a CMP_SWAP if @swaps, else a FETCH_ADD, on a target that has only
 * @rights. If @elsewhere, the target belongs to another PD.
 */
static int conform_atomic_on(struct conform_client *c, u32 rights, bool elsewhere, bool swaps)
{
	struct conform_target t, other;
	struct conform_op add, swap;
	int ret = conform_both(c, &t, &add, &swap);

	if (!ret && elsewhere)
		ret = conform_peer_reg_elsewhere(c, 1, rights, &other);
	else if (!ret)
		ret = conform_peer_reg(c, 1, rights, &other);
	if (ret)
		return ret;
	conform_add(&add, &other);
	conform_swap(&swap, &other);
	return conform_provoke(c, swaps ? &swap : &add, 1);
}

static int atomic_other_pd(struct conform_client *c)
{
	return conform_atomic_on(c, CONFORM_READ_WRITE | KRPING_CONFORM_REMOTE_ATOMIC, true,
				 false);
}

static int cmp_swap_without_right(struct conform_client *c)
{
	return conform_atomic_on(c, CONFORM_READ_WRITE, false, true);
}

#define CONFORM_ATOMIC	(CONFORM_NEEDS_ATOMIC | CONFORM_NEEDS_IB)

#define CONFORM_RESULT_CASE(fn, what, text)				\
	{								\
		.name = #fn, .source = "IBTA 9.4.5", .run = fn,		\
		.needs = CONFORM_ATOMIC, .expect = text, .want = &(what), \
	}

#define CONFORM_REFUSED_CASE(fn, where)					\
	{								\
		.name = #fn, .source = where, .run = fn, .needs = CONFORM_ATOMIC, \
		.expect = "remote access error; both QPs in error; an access error event", \
		.want = &conform_access_refused,			\
	}

static const struct conform_case conform_atomic_cases[] = {
	CONFORM_RESULT_CASE(fetch_add, conform_both_change,
			    "success: the client gets the old value, the server the sum"),
	CONFORM_RESULT_CASE(cmp_swap_equal, conform_both_change, "success: the value is swapped"),
	CONFORM_RESULT_CASE(cmp_swap_different, conform_own_changes,
			    "success: the client gets the old value, the server keeps it"),
	CONFORM_RESULT_CASE(fetch_add_then_read, conform_second_sees,
			    "success: the READ fetches the sum"),
	CONFORM_RESULT_CASE(write_then_fetch_add, conform_second_sees,
			    "success: the FETCH_ADD fetches the bytes of the WRITE"),
	CONFORM_RESULT_CASE(fetch_add_four, conform_four_add,
			    "success: the server gets the sum of all addends"),
	CONFORM_RESULT_CASE(cmp_swap_misaligned, conform_request_refused,
			    "EINVAL at the post, or remote invalid request error and an event"),
	CONFORM_RESULT_CASE(fetch_add_short, conform_short,
			    "EINVAL at the post, or local length error; no byte moves"),
	CONFORM_REFUSED_CASE(atomic_behind_end, "IBTA C9-222.1.1"),
	CONFORM_REFUSED_CASE(atomic_before_start, "IBTA C9-222.1.1"),
	CONFORM_REFUSED_CASE(atomic_next_key, "IBTA C9-222.1.1"),
	CONFORM_REFUSED_CASE(atomic_after_local_inv, "IBTA C9-222.1.1"),
	CONFORM_REFUSED_CASE(atomic_other_pd, "IBTA C10-56"),
	CONFORM_REFUSED_CASE(cmp_swap_without_right, "IBTA C10-57"),
};

const struct conform_group conform_atomic = {
	"atomic", conform_atomic_cases, ARRAY_SIZE(conform_atomic_cases),
};
