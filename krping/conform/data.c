// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases: SENDs, WRITEs and READs of different lengths, some with several SGEs, inline data or
 * immediate data. Each byte must arrive at its place, and the completion of each RECV must report
 * length and immediate data of the message.
 */
#include "case.h"

/* Immediate data with a different value in each byte. */
#define CONFORM_IMM	0x81426324

#define CONFORM_INTACT							\
	.state = CONFORM_STATE(RTS), .peer_state = CONFORM_STATE(RTS),	\
	.events = CONFORM_NO_EVENT

/* The byte_len of the RECV's completion must be the number of bytes that have changed. */
#define CONFORM_SENT							\
	.send = { CONFORM_WC(SUCCESS) }, .recv = { CONFORM_WC(SUCCESS) }, \
	.len_changed = true, CONFORM_INTACT

/* Let the server post a RECV of @room bytes, and post the SEND @op. */
static int conform_message(struct conform_client *c, const struct conform_op *op, u32 room)
{
	int ret = conform_begin(c);

	if (!ret)
		ret = conform_peer_recv(c, room, NULL);
	return ret ? ret : conform_provoke_behind(c, op, 1);
}

/* Send @len bytes to a RECV of @room bytes. */
static int conform_data_send(struct conform_client *c, u32 len, u32 room)
{
	struct conform_op op;
	int ret = conform_legal_send(c);

	conform_send(&op, CONFORM_TARGET, len);
	return ret ? ret : conform_message(c, &op, room);
}

static int send_empty(struct conform_client *c)
{
	return conform_data_send(c, 0, CONFORM_LEN);
}

static int send_1_byte(struct conform_client *c)
{
	return conform_data_send(c, 1, 1);
}

static int send_shorter(struct conform_client *c)
{
	return conform_data_send(c, CONFORM_LEN, CONFORM_TARGET_BYTES);
}

static int send_4096(struct conform_client *c)
{
	return conform_data_send(c, 4096, 4096);
}

static int send_4097(struct conform_client *c)
{
	return conform_data_send(c, 4097, 4097);
}

static int send_mtu(struct conform_client *c)
{
	u32 mtu = conform_expect_mtu(c, false);

	return mtu ? conform_data_send(c, mtu, mtu) : 0;
}

static int send_two_sges(struct conform_client *c)
{
	struct conform_op op;
	int ret = conform_legal_send(c);

	conform_send(&op, CONFORM_TARGET, CONFORM_LEN);
	op.nr_sge = 2;
	return ret ? ret : conform_message(c, &op, CONFORM_TARGET_BYTES);
}

static int send_inline(struct conform_client *c)
{
	struct conform_op op;
	int ret = conform_legal_send(c);

	if (!ret && !conform_has_inline(c, CONFORM_INLINE))
		return 0;
	conform_send(&op, CONFORM_TARGET, CONFORM_INLINE);
	op.flags = IB_SEND_INLINE;
	return ret ? ret : conform_message(c, &op, CONFORM_LEN);
}

static int send_solicited(struct conform_client *c)
{
	struct conform_op op;
	int ret = conform_legal_send(c);

	conform_send(&op, CONFORM_TARGET, CONFORM_LEN);
	op.flags = IB_SEND_SOLICITED;
	return ret ? ret : conform_message(c, &op, CONFORM_LEN);
}

static int send_imm(struct conform_client *c)
{
	struct conform_op op;
	int ret = conform_legal_send(c);

	conform_send(&op, CONFORM_TARGET, CONFORM_LEN);
	op.opcode = IB_WR_SEND_WITH_IMM;
	op.imm = CONFORM_IMM;
	return ret ? ret : conform_message(c, &op, CONFORM_LEN);
}

/* WRITE @len bytes with immediate data. The buffer of the RECV must not change. */
static int conform_write_imm(struct conform_client *c, u32 len)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_legal_write(c, &t, &op);

	op.opcode = IB_WR_RDMA_WRITE_WITH_IMM;
	op.imm = CONFORM_IMM;
	op.len = len;
	if (!ret)
		ret = conform_begin(c);
	if (!ret)
		ret = conform_peer_recv_at(c, 0, CONFORM_LEN);
	return ret ? ret : conform_provoke_behind(c, &op, 1);
}

static int write_imm(struct conform_client *c)
{
	return conform_write_imm(c, CONFORM_LEN);
}

static int write_imm_long(struct conform_client *c)
{
	return conform_write_imm(c, CONFORM_TARGET_BYTES);
}

/* WRITE or READ by @nr_sge SGEs of @len bytes each. */
static int conform_rdma(struct conform_client *c, enum ib_wr_opcode opcode, u32 len, u32 nr_sge)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_legal_rdma(c, opcode, CONFORM_LEN, &t, &op);

	op.len = len;
	op.nr_sge = nr_sge;
	return ret ? ret : conform_provoke(c, &op, 1);
}

static int write_1_byte(struct conform_client *c)
{
	return conform_rdma(c, IB_WR_RDMA_WRITE, 1, 1);
}

static int write_4096(struct conform_client *c)
{
	return conform_rdma(c, IB_WR_RDMA_WRITE, 4096, 1);
}

static int write_4097(struct conform_client *c)
{
	return conform_rdma(c, IB_WR_RDMA_WRITE, 4097, 1);
}

static int write_mtu(struct conform_client *c)
{
	u32 mtu = conform_expect_mtu(c, false);

	return mtu ? conform_rdma(c, IB_WR_RDMA_WRITE, mtu, 1) : 0;
}

static int write_two_sges(struct conform_client *c)
{
	return conform_rdma(c, IB_WR_RDMA_WRITE, 2000, 2);
}

static int write_inline(struct conform_client *c)
{
	struct conform_target t;
	struct conform_op op;
	int ret = conform_legal_write(c, &t, &op);

	if (!ret && !conform_has_inline(c, CONFORM_INLINE))
		return 0;
	op.len = CONFORM_INLINE;
	op.flags = IB_SEND_INLINE;
	return ret ? ret : conform_provoke(c, &op, 1);
}

static int read_1_byte(struct conform_client *c)
{
	return conform_rdma(c, IB_WR_RDMA_READ, 1, 1);
}

static int read_4096(struct conform_client *c)
{
	return conform_rdma(c, IB_WR_RDMA_READ, 4096, 1);
}

static int read_4097(struct conform_client *c)
{
	return conform_rdma(c, IB_WR_RDMA_READ, 4097, 1);
}

static int read_mtu(struct conform_client *c)
{
	u32 mtu = conform_expect_mtu(c, true);

	return mtu ? conform_rdma(c, IB_WR_RDMA_READ, mtu, 1) : 0;
}

static int read_two_sges(struct conform_client *c)
{
	return conform_rdma(c, IB_WR_RDMA_READ, 2000, 2);
}

#define CONFORM_SEND_CASE(fn, bytes)					\
	{								\
		.name = #fn, .source = "IBTA 11.4.2.1", .run = fn,	\
		.expect = "success; the RECV's completion has the length of the SEND", \
		.want = &(const struct conform_want){			\
			CONFORM_SENT, .changed = (bytes), .opcode = IB_WC_RECV,	\
		},							\
	}

#define CONFORM_IMM_CASE(fn, op, bytes)					\
	{								\
		.name = #fn, .source = "IBTA 11.4.2.1", .run = fn,	\
		.needs = CONFORM_NEEDS_IB,				\
		.expect = "success; the RECV's completion has length, opcode and immediate data", \
		.want = &(const struct conform_want){			\
			CONFORM_SENT, .changed = (bytes), .opcode = (op), .flags = IB_WC_WITH_IMM, \
		},							\
	}

#define CONFORM_WRITE_CASE(fn, bytes)					\
	{								\
		.name = #fn, .source = "IBTA 9.4.3", .run = fn,		\
		.expect = "success; each byte is at its place",		\
		.want = &(const struct conform_want){			\
			.send = { CONFORM_WC(SUCCESS) }, .changed = (bytes), CONFORM_INTACT, \
		},							\
	}

#define CONFORM_READ_CASE(fn, bytes, what)				\
	{								\
		.name = #fn, .source = "IBTA 9.4.4", .run = fn, .needs = (what), \
		.expect = "success; each byte is at its place",		\
		.want = &(const struct conform_want){			\
			.send = { CONFORM_WC(SUCCESS) }, .own_changed = (bytes), CONFORM_INTACT, \
		},							\
	}

/* conform_expect_mtu() sets the number of bytes of send_mtu, write_mtu and read_mtu. */
static const struct conform_case conform_data_cases[] = {
	CONFORM_SEND_CASE(send_empty, 0),
	CONFORM_SEND_CASE(send_1_byte, 1),
	CONFORM_SEND_CASE(send_shorter, CONFORM_LEN),
	CONFORM_SEND_CASE(send_4096, 4096),
	CONFORM_SEND_CASE(send_4097, 4097),
	CONFORM_SEND_CASE(send_mtu, 0),
	CONFORM_SEND_CASE(send_two_sges, 2 * CONFORM_LEN),
	CONFORM_SEND_CASE(send_inline, CONFORM_INLINE),
	CONFORM_SEND_CASE(send_solicited, CONFORM_LEN),
	CONFORM_IMM_CASE(send_imm, IB_WC_RECV, CONFORM_LEN),
	CONFORM_IMM_CASE(write_imm, IB_WC_RECV_RDMA_WITH_IMM, CONFORM_LEN),
	CONFORM_IMM_CASE(write_imm_long, IB_WC_RECV_RDMA_WITH_IMM, CONFORM_TARGET_BYTES),
	CONFORM_WRITE_CASE(write_1_byte, 1),
	CONFORM_WRITE_CASE(write_4096, 4096),
	CONFORM_WRITE_CASE(write_4097, 4097),
	CONFORM_WRITE_CASE(write_mtu, 0),
	CONFORM_WRITE_CASE(write_two_sges, 4000),
	CONFORM_WRITE_CASE(write_inline, CONFORM_INLINE),
	CONFORM_READ_CASE(read_1_byte, 1, 0),
	CONFORM_READ_CASE(read_4096, 4096, 0),
	CONFORM_READ_CASE(read_4097, 4097, 0),
	CONFORM_READ_CASE(read_mtu, 0, 0),
	CONFORM_READ_CASE(read_two_sges, 4000, CONFORM_NEEDS_IB),
};

const struct conform_group conform_data = {
	"data", conform_data_cases, ARRAY_SIZE(conform_data_cases),
};
