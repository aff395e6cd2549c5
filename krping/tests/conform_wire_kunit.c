// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * KUnit tests of the messages of the test `conform`: encoding and decoding keep each field.
 */
#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

/* Compile a copy into this test, because the codecs need nothing of the rest of the module. */
#include "../wire.c"
#include "../wire_conform.c"

static void message_ask(struct kunit *test)
{
	static const struct krping_conform_ask in = {
		.nr = 0x0102030405060708ULL, .step = 0x11121314,
		.args = { 0x21222324, 2, 3, 4, 5, 0xf1f2f3f4 },
	};
	struct krping_wire_conform_ask wire;
	struct krping_conform_ask out;
	u64 value;

	/* memcmp() compares the padding, too. */
	memset(&out, 0, sizeof(out));
	krping_wire_conform_ask_encode(&wire, &in);
	KUNIT_EXPECT_EQ(test, (int)KRPING_CTL_CONFORM_ASK,
			(int)krping_wire_ctl_decode(&wire, sizeof(wire), &value));
	KUNIT_EXPECT_EQ(test, value, in.nr);
	KUNIT_EXPECT_EQ(test, ((u8 *)&wire)[16], (u8)0x11);
	KUNIT_EXPECT_EQ(test, ((u8 *)&wire)[20], (u8)0x21);
	krping_wire_conform_ask_decode(&wire, &out);
	KUNIT_EXPECT_EQ(test, 0, memcmp(&in, &out, sizeof(in)));
}

static void message_answer(struct kunit *test)
{
	struct krping_conform_answer in, out;
	struct krping_wire_conform_answer wire;
	u64 value;
	int i;

	/* memcmp() compares the padding, too. */
	memset(&in, 0, sizeof(in));
	memset(&out, 0, sizeof(out));
	in.nr = 9;
	in.error = -EINVAL;
	in.key = 0xfefdfcfb;
	in.addr = 0xf1f2f3f4f5f6f7f8ULL;
	in.record.nr_wcs = 8;
	in.record.event = -1;
	in.record.state = IB_QPS_ERR;
	in.record.ended = true;
	in.record.changed = 0x01020304;
	in.record.first = 0x05060708;
	in.record.garbled = 0x090a0b0c;
	in.record.imm = 0x0d0e0f10;
	for (i = 0; i < KRPING_CONFORM_WCS; i++) {
		in.record.wc[i].id = 10 + i;
		in.record.wc[i].status = 20 + i;
		in.record.wc[i].opcode = 128 + i;
		in.record.wc[i].flags = 30 + i;
		in.record.wc[i].vendor_err = 0xffff0000 + i;
		in.record.wc[i].byte_len = 4096 + i;
	}
	krping_wire_conform_answer_encode(&wire, &in);
	KUNIT_EXPECT_EQ(test, (int)KRPING_CTL_CONFORM_ANSWER,
			(int)krping_wire_ctl_decode(&wire, sizeof(wire), &value));
	krping_wire_conform_answer_decode(&wire, &out);
	KUNIT_EXPECT_EQ(test, 0, memcmp(&in, &out, sizeof(in)));
	/* A faulty peer sends values out of range. */
	wire.error = cpu_to_be32(U32_MAX);
	wire.event = cpu_to_be32(U32_MAX);
	wire.state = cpu_to_be32(300);
	krping_wire_conform_answer_decode(&wire, &out);
	KUNIT_EXPECT_EQ(test, out.error, -EPROTO);
	KUNIT_EXPECT_EQ(test, out.record.event, KRPING_CONFORM_ENUM_MAX);
	KUNIT_EXPECT_EQ(test, out.record.state, KRPING_CONFORM_ENUM_MAX);
}

static void message_trace(struct kunit *test)
{
	struct krping_conform_trace in, out;
	struct krping_wire_conform_trace wire;
	u64 value;
	int i;

	/* memcmp() compares the padding, too. */
	memset(&in, 0, sizeof(in));
	memset(&out, 0, sizeof(out));
	for (i = 0; i < KRPING_CONFORM_WCS; i++)
		in.wc_usec[i] = 0xf1000000 + i;
	in.nr_events = 0x01020304;
	for (i = 0; i < KRPING_CONFORM_EVENTS; i++) {
		in.event[i].object = 1 + i;
		in.event[i].event = 0xe0 + i;
		in.event[i].usec = 0xf2000000 + i;
	}
	krping_wire_conform_trace_encode(&wire, 0x0102030405060708ULL, &in);
	KUNIT_EXPECT_EQ(test, (int)KRPING_CTL_CONFORM_TRACE,
			(int)krping_wire_ctl_decode(&wire, sizeof(wire), &value));
	KUNIT_EXPECT_EQ(test, value, 0x0102030405060708ULL);
	/* A message of another length is no trace. */
	KUNIT_EXPECT_EQ(test, (int)KRPING_CTL_NONE,
			(int)krping_wire_ctl_decode(&wire, sizeof(wire) - 8, &value));
	KUNIT_EXPECT_EQ(test, ((u8 *)&wire)[16], (u8)0xf1);
	KUNIT_EXPECT_EQ(test, ((u8 *)&wire)[48], (u8)0x01);
	KUNIT_EXPECT_EQ(test, ((u8 *)&wire)[56], (u8)1);
	KUNIT_EXPECT_EQ(test, ((u8 *)&wire)[60], (u8)0xf2);
	krping_wire_conform_trace_decode(&wire, &out);
	KUNIT_EXPECT_EQ(test, 0, memcmp(&in, &out, sizeof(in)));
}

static struct kunit_case conform_wire_cases[] = {
	KUNIT_CASE(message_ask),
	KUNIT_CASE(message_answer),
	KUNIT_CASE(message_trace),
	{}
};

static struct kunit_suite conform_wire_suite = {
	.name = "krping_conform_wire",
	.test_cases = conform_wire_cases,
};

kunit_test_suite(conform_wire_suite);

MODULE_DESCRIPTION("KUnit tests of krping's messages of conform");
MODULE_LICENSE("Dual BSD/GPL");
