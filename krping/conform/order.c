// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The order of operations on the same bytes, and of completions.
 *
 * Client and server have different canaries (known bytes) at the same offset. Most operations copy
 * bytes between equal offsets of the two sides, so the final contents of the memory show the order.
 */
#include "case.h"

/*
 * An offset past the first CONFORM_LEN bytes of the target. The canaries at this offset differ from
 * those of the first bytes.
 */
#define CONFORM_ELSEWHERE	(CONFORM_TARGET + CONFORM_LEN + 1)

#define CONFORM_TWO	{ CONFORM_WC(SUCCESS), CONFORM_WC(SUCCESS) }
#define CONFORM_THREE	{ CONFORM_WC(SUCCESS), CONFORM_WC(SUCCESS), CONFORM_WC(SUCCESS) }

#define CONFORM_FIVE	{ CONFORM_WC(SUCCESS), CONFORM_WC(SUCCESS), CONFORM_WC(SUCCESS), \
			  CONFORM_WC(SUCCESS), CONFORM_WC(SUCCESS) }

#define CONFORM_SEVEN	{ CONFORM_WC(SUCCESS), CONFORM_WC(SUCCESS), CONFORM_WC(SUCCESS), \
			  CONFORM_WC(SUCCESS), CONFORM_WC(SUCCESS), CONFORM_WC(SUCCESS), \
			  CONFORM_WC(SUCCESS) }

/* Number of READ/WRITE pairs. With the final READ, there are seven WRs; see CONFORM_SEVEN. */
#define CONFORM_PAIRS	3

/* Number of READs; see CONFORM_SEVEN. The connection allows fewer READs in flight. */
#define CONFORM_READS	7

#define CONFORM_INTACT							\
	.state = CONFORM_STATE(RTS), .peer_state = CONFORM_STATE(RTS),	\
	.events = CONFORM_NO_EVENT

static const struct conform_want conform_write_send = {
	.send = CONFORM_TWO, .recv = { CONFORM_WC(SUCCESS) },
	.changed = 2 * CONFORM_LEN, CONFORM_INTACT,
};

static const struct conform_want conform_write_read = {
	.send = CONFORM_TWO, .changed = CONFORM_LEN, CONFORM_INTACT,
};

static const struct conform_want conform_long_write_read = {
	.send = CONFORM_TWO, .changed = CONFORM_TARGET_BYTES, CONFORM_INTACT,
};

/* The WRITE sends back the bytes that the READ has fetched, so the server's bytes stay the same. */
static const struct conform_want conform_read_fenced_write = {
	.send = CONFORM_TWO, .own_changed = CONFORM_LEN, CONFORM_INTACT,
};

static const struct conform_want conform_reads_fenced_write = {
	.send = CONFORM_FIVE, .own_changed = CONFORM_TARGET_BYTES, CONFORM_INTACT,
};

static const struct conform_want conform_read_fenced_send = {
	.send = CONFORM_TWO, .recv = { CONFORM_WC(SUCCESS) },
	.own_changed = CONFORM_LEN, CONFORM_INTACT,
};

static const struct conform_want conform_seven_reads = {
	.send = CONFORM_SEVEN, .own_changed = CONFORM_READS * CONFORM_LEN, CONFORM_INTACT,
};

static const struct conform_want conform_write_write = {
	.send = CONFORM_TWO, .changed = CONFORM_LEN, CONFORM_INTACT,
};

static const struct conform_want conform_three_sends = {
	.send = CONFORM_THREE, .recv = CONFORM_THREE,
	.changed = 3 * CONFORM_LEN, CONFORM_INTACT,
};

static const struct conform_want conform_last_signaled = {
	.send = { CONFORM_WC(SUCCESS) }, .first = 2,
	.changed = 3 * CONFORM_LEN, CONFORM_INTACT,
};

static const struct conform_want conform_reads_and_writes = {
	.send = CONFORM_SEVEN, .changed = CONFORM_PAIRS * CONFORM_LEN,
	.own_changed = CONFORM_PAIRS * CONFORM_LEN, CONFORM_INTACT,
};

static int order_write_send(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op ops[2];
	int ret = conform_legal_write(c, &t, &ops[0]);

	if (!ret)
		ret = conform_begin(c);
	if (!ret)
		ret = conform_peer_recv_at(c, CONFORM_ELSEWHERE, CONFORM_LEN);
	conform_send(&ops[1], CONFORM_ELSEWHERE, CONFORM_LEN);
	return ret ? ret : conform_provoke_behind(c, ops, 2);
}

/* If the READ does not see the preceding WRITE, the READ changes the client's bytes. */
static int conform_write_then_read(struct conform_client *c, u32 len)
{
	struct conform_target t;
	struct conform_op ops[2];
	int ret = conform_legal_rdma(c, IB_WR_RDMA_READ, len, &t, &ops[1]);

	conform_write(&ops[0], &t);
	ops[0].len = len;
	return ret ? ret : conform_provoke(c, ops, 2);
}

static int order_write_read(struct conform_client *c)
{
	return conform_write_then_read(c, CONFORM_LEN);
}

static int order_long_write_read(struct conform_client *c)
{
	return conform_write_then_read(c, CONFORM_TARGET_BYTES);
}

static int order_read_fenced_write(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op ops[2];
	int ret = conform_legal_read(c, &t, &ops[0]);

	conform_write(&ops[1], &t);
	ops[1].flags = IB_SEND_FENCE;
	return ret ? ret : conform_provoke(c, ops, 2);
}

/*
 * Post a short READ, two long READs, a short READ, and a fenced WRITE of the last READ's bytes. If
 * a device begins the WRITE once the first READ has completed, the WRITE sends old bytes.
 */
static int order_reads_fenced_write(struct conform_client *c)
{
	u32 last = CONFORM_TARGET_BYTES - CONFORM_LEN;
	struct conform_op ops[5];
	struct conform_target t;
	u32 i;
	int ret = conform_legal_read(c, &t, &ops[0]);

	for (i = 1; i < ARRAY_SIZE(ops); i++) {
		ops[i] = ops[0];
		ops[i].addr += CONFORM_LEN;
		ops[i].off += CONFORM_LEN;
		ops[i].len = last - CONFORM_LEN;
	}
	ops[3].addr = t.addr + last;
	ops[3].off = CONFORM_TARGET + last;
	ops[3].len = CONFORM_LEN;
	conform_write(&ops[4], &t);
	ops[4].addr = ops[3].addr;
	ops[4].off = ops[3].off;
	ops[4].flags = IB_SEND_FENCE;
	return ret ? ret : conform_provoke(c, ops, ARRAY_SIZE(ops));
}

static int order_read_fenced_send(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op ops[2];
	int ret = conform_legal_read(c, &t, &ops[0]);

	if (!ret)
		ret = conform_begin(c);
	if (!ret)
		ret = conform_peer_recv(c, CONFORM_LEN, NULL);
	conform_send(&ops[1], CONFORM_TARGET, CONFORM_LEN);
	ops[1].flags = IB_SEND_FENCE;
	return ret ? ret : conform_provoke_behind(c, ops, 2);
}

/* WRITE the bytes of another offset to the target, and then the expected bytes. */
static int order_write_write(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op ops[2];
	int ret = conform_legal_write(c, &t, &ops[1]);

	ops[0] = ops[1];
	ops[0].off = CONFORM_ELSEWHERE;
	return ret ? ret : conform_provoke(c, ops, 2);
}

static int order_sends(struct conform_client *c)
{
	struct conform_op ops[3];
	int ret = conform_legal_send(c);
	u32 i;

	if (!ret)
		ret = conform_begin(c);
	for (i = 0; i < ARRAY_SIZE(ops) && !ret; i++) {
		conform_send(&ops[i], CONFORM_TARGET + i * CONFORM_LEN, CONFORM_LEN);
		ret = conform_peer_recv_at(c, ops[i].off, CONFORM_LEN);
	}
	return ret ? ret : conform_provoke_behind(c, ops, ARRAY_SIZE(ops));
}

static int order_last_signaled(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op ops[3];
	int ret = conform_legal_write(c, &t, &ops[0]);
	u32 i;

	for (i = 1; i < ARRAY_SIZE(ops); i++) {
		ops[i] = ops[0];
		ops[i].addr += i * CONFORM_LEN;
		ops[i].off += i * CONFORM_LEN;
	}
	ops[0].unsignaled = true;
	ops[1].unsignaled = true;
	return ret ? ret : conform_provoke(c, ops, ARRAY_SIZE(ops));
}

/*
 * Post pairs of a READ and a WRITE, no two on the same bytes, and a READ of the last WRITE's bytes.
 * A faulty device completes a WRITE before the preceding READ, unless the READ's response is
 * fast. Rarely all responses of a run are fast; then only another run shows the fault.
 */
static int order_read_write_read(struct conform_client *c)
{
	struct conform_op ops[2 * CONFORM_PAIRS + 1];
	struct conform_target t;
	u32 i;
	int ret = conform_legal_read(c, &t, &ops[0]);

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		/* The last READ fetches the bytes of the last WRITE. */
		u32 off = min_t(u32, i, ARRAY_SIZE(ops) - 2) * CONFORM_LEN;

		if (i % 2)
			conform_write(&ops[i], &t);
		else
			conform_read(&ops[i], &t);
		ops[i].addr += off;
		ops[i].off += off;
	}
	return ret ? ret : conform_provoke(c, ops, ARRAY_SIZE(ops));
}

static int order_many_reads(struct conform_client *c)
{
	struct conform_op ops[CONFORM_READS];
	struct conform_target t;
	u32 i;
	int ret = conform_legal_read(c, &t, &ops[0]);

	for (i = 1; i < ARRAY_SIZE(ops); i++) {
		ops[i] = ops[0];
		ops[i].addr += i * CONFORM_LEN;
		ops[i].off += i * CONFORM_LEN;
	}
	return ret ? ret : conform_provoke(c, ops, ARRAY_SIZE(ops));
}

/* The arguments after @text are further members. */
#define CONFORM_ORDER_CASE(fn, what, text, ...)				\
	{								\
		.name = #fn, .source = "IBTA 10.8.3.3", .run = fn,	\
		.expect = text, .want = &(what), __VA_ARGS__		\
	}

static const struct conform_case conform_order_cases[] = {
	CONFORM_ORDER_CASE(order_write_send, conform_write_send,
			   "the data of the WRITE has arrived when the RECV completes"),
	CONFORM_ORDER_CASE(order_write_read, conform_write_read,
			   "the READ fetches the bytes of the preceding WRITE"),
	CONFORM_ORDER_CASE(order_long_write_read, conform_long_write_read,
			   "a READ of several packets fetches the bytes of the preceding WRITE"),
	CONFORM_ORDER_CASE(order_read_fenced_write, conform_read_fenced_write,
			   "a fenced WRITE carries the bytes that the preceding READ has fetched"),
	CONFORM_ORDER_CASE(order_reads_fenced_write, conform_reads_fenced_write,
			   "a fenced WRITE waits for all preceding READs"),
	CONFORM_ORDER_CASE(order_read_fenced_send, conform_read_fenced_send,
			   "a fenced SEND carries the bytes that the preceding READ has fetched"),
	CONFORM_ORDER_CASE(order_write_write, conform_write_write,
			   "two WRITEs to the same bytes: the bytes of the second one remain"),
	CONFORM_ORDER_CASE(order_sends, conform_three_sends,
			   "SENDs and RECVs complete in order, each message in its own RECV"),
	CONFORM_ORDER_CASE(order_last_signaled, conform_last_signaled,
			   "only the signaled WR has a completion"),
	CONFORM_ORDER_CASE(order_read_write_read, conform_reads_and_writes,
			   "completions in order; the last READ fetches the last WRITE's bytes",
			   .timed = true),
	CONFORM_ORDER_CASE(order_many_reads, conform_seven_reads,
			   "READs beyond the number that may be in flight wait; none is lost"),
};

const struct conform_group conform_order = {
	"order", conform_order_cases, ARRAY_SIZE(conform_order_cases),
};
