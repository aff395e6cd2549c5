// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * KUnit suite of the wire formats: that each byte is where other machines look
 * for it, and that what comes from them is checked.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "wire.h"

static const struct krping_agreement agreed = {
	.test = KRPING_TEST_BW,
	.flags = KRPING_WIRE_VALIDATE | KRPING_WIRE_DUPLEX,
	.size = 0x01020304,
	.count = 0x1112131415161718ULL,
};

static const u8 agreed_bytes[24] = {
	'k', 'r', 'p', 'g', 1, 4, 0, 9,
	0, 0, 0, 0, 1, 2, 3, 4,
	0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
};

static void wire_msg(struct kunit *test)
{
	static const u8 bytes[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
	struct krping_wire_msg msg;
	struct krping_advert advert;

	krping_wire_msg_encode(&msg, 0x0102030405060708ULL, 0x090a0b0c, 0x0d0e0f10);
	KUNIT_EXPECT_EQ(test, 0, memcmp(&msg, bytes, sizeof(bytes)));
	krping_wire_msg_decode(&msg, &advert);
	KUNIT_EXPECT_EQ(test, advert.addr, 0x0102030405060708ULL);
	KUNIT_EXPECT_EQ(test, advert.rkey, 0x090a0b0cU);
	KUNIT_EXPECT_EQ(test, advert.size, 0x0d0e0f10U);
}

static void wire_req(struct kunit *test)
{
	struct krping_agreement out = {};
	struct krping_wire_req req;
	u8 cm[1 + KRPING_WIRE_PRIVATE_MAX] = {};

	krping_wire_req_encode(&req, &agreed);
	KUNIT_EXPECT_EQ(test, 0, memcmp(&req, agreed_bytes, sizeof(agreed_bytes)));

	/* Unaligned and padded, as a CM event may have it. */
	memcpy(cm + 1, &req, sizeof(req));
	KUNIT_EXPECT_EQ(test, 0, krping_wire_req_decode(cm + 1, sizeof(cm) - 1, &out));
	KUNIT_EXPECT_EQ(test, (int)out.test, (int)agreed.test);
	KUNIT_EXPECT_EQ(test, out.flags, agreed.flags);
	KUNIT_EXPECT_EQ(test, out.size, agreed.size);
	KUNIT_EXPECT_EQ(test, out.count, agreed.count);

	KUNIT_EXPECT_EQ(test, -EPROTO, krping_wire_req_decode(&req, 47, &out));
	KUNIT_EXPECT_EQ(test, -ENOENT, krping_wire_req_decode(&req, 3, &out));
	KUNIT_EXPECT_EQ(test, -ENOENT, krping_wire_req_decode(NULL, 0, &out));
	req.version = 2;
	KUNIT_EXPECT_EQ(test, -EPROTONOSUPPORT,
			krping_wire_req_decode(&req, sizeof(req), &out));
	req.magic = 0;
	KUNIT_EXPECT_EQ(test, -ENOENT, krping_wire_req_decode(&req, sizeof(req), &out));
}

static void wire_rep(struct kunit *test)
{
	struct krping_agreement out = {};
	struct krping_wire_rep rep;

	krping_wire_rep_encode(&rep, &agreed);
	KUNIT_EXPECT_EQ(test, 0, memcmp(&rep, agreed_bytes, sizeof(agreed_bytes)));
	KUNIT_EXPECT_EQ(test, 0, krping_wire_rep_decode(&rep, sizeof(rep), &out));
	KUNIT_EXPECT_EQ(test, out.size, agreed.size);
	KUNIT_EXPECT_EQ(test, -EPROTO, krping_wire_rep_decode(&rep, 31, &out));
}

static void wire_fields(struct kunit *test)
{
	struct krping_agreement bad, out;
	struct krping_wire_req req;

	bad = agreed;
	bad.test = KRPING_TEST_COUNT;
	krping_wire_req_encode(&req, &bad);
	KUNIT_EXPECT_EQ(test, -EPROTO, krping_wire_req_decode(&req, sizeof(req), &out));
	bad = agreed;
	bad.flags = KRPING_WIRE_FLAGS + 1;
	krping_wire_req_encode(&req, &bad);
	KUNIT_EXPECT_EQ(test, -EPROTO, krping_wire_req_decode(&req, sizeof(req), &out));
	bad = agreed;
	bad.size = 0;
	krping_wire_req_encode(&req, &bad);
	KUNIT_EXPECT_EQ(test, -EPROTO, krping_wire_req_decode(&req, sizeof(req), &out));
	bad.size = 1ULL << 32;
	krping_wire_req_encode(&req, &bad);
	KUNIT_EXPECT_EQ(test, -EPROTO, krping_wire_req_decode(&req, sizeof(req), &out));
}

static void wire_rej(struct kunit *test)
{
	static const u8 bytes[16] = {
		'k', 'r', 'p', 'g', 1, 5, 0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0
	};
	struct krping_rejection out = {};
	struct krping_wire_rej rej;

	krping_wire_rej_encode(&rej, KRPING_REJ_SIZE, 4 << 20);
	KUNIT_EXPECT_EQ(test, 0, memcmp(&rej, bytes, sizeof(bytes)));
	rej.version = 2;
	KUNIT_EXPECT_EQ(test, 0, krping_wire_rej_decode(&rej, sizeof(rej), &out));
	KUNIT_EXPECT_EQ(test, out.version, (u8)2);
	KUNIT_EXPECT_EQ(test, out.reason, (u8)KRPING_REJ_SIZE);
	KUNIT_EXPECT_EQ(test, out.limit, 4ULL << 20);
	KUNIT_EXPECT_EQ(test, -EPROTO, krping_wire_rej_decode(&rej, 15, &out));
	rej.reason = 0;
	KUNIT_EXPECT_EQ(test, -EPROTO, krping_wire_rej_decode(&rej, sizeof(rej), &out));
}

static struct kunit_case wire_cases[] = {
	KUNIT_CASE(wire_msg),
	KUNIT_CASE(wire_req),
	KUNIT_CASE(wire_rep),
	KUNIT_CASE(wire_fields),
	KUNIT_CASE(wire_rej),
	{}
};

static struct kunit_suite wire_suite = {
	.name = "krping_wire",
	.test_cases = wire_cases,
};

kunit_test_suite(wire_suite);

MODULE_DESCRIPTION("KUnit tests of krping's wire formats");
MODULE_LICENSE("Dual BSD/GPL");
