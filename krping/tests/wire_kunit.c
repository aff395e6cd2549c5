// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * KUnit tests of the wire formats: each field has its offset and byte order, and the
 * decoders reject malformed messages.
 */
#include <kunit/test.h>
#include <linux/module.h>

/* Compile a copy into this test, because wire.c needs nothing of the rest of the module. */
#include "../wire.c"

static const struct krping_params negotiated = {
	.test = KRPING_TEST_BW,
	.flags = KRPING_WIRE_VALIDATE | KRPING_WIRE_DUPLEX | KRPING_WIRE_REPORT,
	.size = 0x01020304,
	.count = 0x1112131415161718ULL,
	.session = 0x21222324,
	.conn_idx = 0x0102,
	.conns_total = 0x0301,
	.recvs = 0x31323334,
	.config = {
		.known = true, .sge = 4, .flags = 5, .txdepth = 256, .rate = 65536,
		.cqmod = 6, .batch = 7, .qps = 8, .threads = 9,
	},
};

/* The first bytes of a REQ and of a REP with these parameters. */
static const u8 negotiated_bytes[24] = {
	'k', 'r', 'p', 'g', 1, 4, 0, 0x19,
	0, 0, 0, 0, 1, 2, 3, 4,
	0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
};

/* The bytes that follow in a REQ, and those that follow in a REP. */
static const u8 req_bytes[12] = {
	0x21, 0x22, 0x23, 0x24, 1, 2, 3, 1, 0x31, 0x32, 0x33, 0x34,
};

static const u8 rep_bytes[4] = {
	0x31, 0x32, 0x33, 0x34,
};

/* The last bytes of a REQ and of a REP, which are the sender's options. */
static const u8 config_bytes[20] = {
	1, 4, 0, 5, 0, 0, 1, 0, 0, 1, 0, 0, 0, 6, 0, 7, 0, 8, 0, 9,
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
	struct krping_params out = {};
	struct krping_wire_req req;
	u8 cm[1 + KRPING_WIRE_PRIVATE_MAX] = {};

	krping_wire_req_encode(&req, &negotiated);
	KUNIT_EXPECT_EQ(test, 0, memcmp(&req, negotiated_bytes, sizeof(negotiated_bytes)));
	KUNIT_EXPECT_EQ(test, 0, memcmp((u8 *)&req + sizeof(negotiated_bytes), req_bytes,
					sizeof(req_bytes)));
	KUNIT_EXPECT_EQ(test, 0, memcmp(&req.config, config_bytes, sizeof(config_bytes)));

	/* The private data of a CM event may be unaligned and padded. */
	memcpy(cm + 1, &req, sizeof(req));
	KUNIT_EXPECT_EQ(test, 0, krping_wire_req_decode(cm + 1, sizeof(cm) - 1, &out));
	KUNIT_EXPECT_EQ(test, (int)out.test, (int)negotiated.test);
	KUNIT_EXPECT_EQ(test, out.flags, negotiated.flags);
	KUNIT_EXPECT_EQ(test, out.size, negotiated.size);
	KUNIT_EXPECT_EQ(test, out.count, negotiated.count);
	KUNIT_EXPECT_EQ(test, out.session, negotiated.session);
	KUNIT_EXPECT_EQ(test, out.conn_idx, negotiated.conn_idx);
	KUNIT_EXPECT_EQ(test, out.conns_total, negotiated.conns_total);
	KUNIT_EXPECT_EQ(test, out.recvs, negotiated.recvs);

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
	struct krping_params out = {};
	struct krping_wire_rep rep;

	krping_wire_rep_encode(&rep, &negotiated);
	KUNIT_EXPECT_EQ(test, 0, memcmp(&rep, negotiated_bytes, sizeof(negotiated_bytes)));
	KUNIT_EXPECT_EQ(test, 0, memcmp((u8 *)&rep + sizeof(negotiated_bytes), rep_bytes,
					sizeof(rep_bytes)));
	KUNIT_EXPECT_EQ(test, 0, memcmp(&rep.config, config_bytes, sizeof(config_bytes)));
	KUNIT_EXPECT_EQ(test, 0, krping_wire_rep_decode(&rep, sizeof(rep), &out));
	KUNIT_EXPECT_EQ(test, out.size, negotiated.size);
	KUNIT_EXPECT_EQ(test, out.session, 0U);
	KUNIT_EXPECT_EQ(test, out.conns_total, (u16)1);
	KUNIT_EXPECT_EQ(test, out.recvs, negotiated.recvs);
	KUNIT_EXPECT_EQ(test, -EPROTO, krping_wire_rep_decode(&rep, 31, &out));
}

/* The decoder rejects an unknown test, an unknown flag, and a size of 0. */
static void wire_fields(struct kunit *test)
{
	struct krping_params bad, out;
	struct krping_wire_req req;

	bad = negotiated;
	bad.test = KRPING_TEST_COUNT;
	krping_wire_req_encode(&req, &bad);
	KUNIT_EXPECT_EQ(test, -EPROTO, krping_wire_req_decode(&req, sizeof(req), &out));
	bad = negotiated;
	bad.flags = KRPING_WIRE_FLAGS + 1;
	krping_wire_req_encode(&req, &bad);
	KUNIT_EXPECT_EQ(test, -EPROTO, krping_wire_req_decode(&req, sizeof(req), &out));
	bad = negotiated;
	bad.size = 0;
	krping_wire_req_encode(&req, &bad);
	KUNIT_EXPECT_EQ(test, -EPROTO, krping_wire_req_decode(&req, sizeof(req), &out));
	bad.size = 1ULL << 32;
	krping_wire_req_encode(&req, &bad);
	KUNIT_EXPECT_EQ(test, -EPROTO, krping_wire_req_decode(&req, sizeof(req), &out));
}

/* The decoder ignores options that are cut off or of another version, and rejects invalid ones. */
static void wire_config(struct kunit *test)
{
	struct krping_params params, out;
	struct krping_wire_req req;

	krping_wire_req_encode(&req, &negotiated);
	KUNIT_EXPECT_EQ(test, 0, krping_wire_req_decode(&req, sizeof(req), &out));
	KUNIT_EXPECT_TRUE(test, out.config.known);
	KUNIT_EXPECT_EQ(test, out.config.txdepth, 256U);
	KUNIT_EXPECT_EQ(test, 0, krping_wire_req_decode(&req, 55, &out));
	KUNIT_EXPECT_FALSE(test, out.config.known);
	req.config.version = 2;
	KUNIT_EXPECT_EQ(test, 0, krping_wire_req_decode(&req, sizeof(req), &out));
	KUNIT_EXPECT_FALSE(test, out.config.known);
	params = negotiated;
	params.config.qps = 1025;
	params.config.threads = 1;
	krping_wire_req_encode(&req, &params);
	KUNIT_EXPECT_EQ(test, -EPROTO, krping_wire_req_decode(&req, sizeof(req), &out));
}

/* A number of connections of 0 means 1. The decoder rejects an index that reaches the number. */
static void wire_conn_idx(struct kunit *test)
{
	struct krping_params request, out;
	struct krping_wire_req req;

	request = negotiated;
	request.conn_idx = 0;
	request.conns_total = 0;
	krping_wire_req_encode(&req, &request);
	KUNIT_EXPECT_EQ(test, 0, krping_wire_req_decode(&req, sizeof(req), &out));
	KUNIT_EXPECT_EQ(test, out.conns_total, (u16)1);
	request.conn_idx = 1;
	krping_wire_req_encode(&req, &request);
	KUNIT_EXPECT_EQ(test, -EPROTO, krping_wire_req_decode(&req, sizeof(req), &out));
	request.conn_idx = KRPING_WIRE_CONNS_MAX - 1;
	request.conns_total = KRPING_WIRE_CONNS_MAX;
	krping_wire_req_encode(&req, &request);
	KUNIT_EXPECT_EQ(test, 0, krping_wire_req_decode(&req, sizeof(req), &out));
	request.conn_idx = KRPING_WIRE_CONNS_MAX;
	krping_wire_req_encode(&req, &request);
	KUNIT_EXPECT_EQ(test, -EPROTO, krping_wire_req_decode(&req, sizeof(req), &out));
	request.conn_idx = 0;
	request.conns_total = KRPING_WIRE_CONNS_MAX + 1;
	krping_wire_req_encode(&req, &request);
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

static void wire_ctl(struct kunit *test)
{
	/* Valid length of each type, from KRPING_CTL_NONE on; 0: the decoder rejects the type. */
	static const size_t length[] = { 0, 16, 16, 168, 32, 48, 32, 48, 48, 160, 16, 120,
					 0 };
	static const u8 bytes[16] = {
		'k', 'r', 'p', 'g', 2, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8,
	};
	struct krping_wire_report room = {};
	int type, want;
	size_t len;
	u64 value;

	krping_wire_ctl_encode(&room.ctl, KRPING_CTL_CREDIT, 0x0102030405060708ULL);
	KUNIT_EXPECT_EQ(test, 0, memcmp(&room, bytes, sizeof(bytes)));

	for (type = 0; type < ARRAY_SIZE(length); type++) {
		krping_wire_ctl_encode(&room.ctl, type, type + 1);
		for (len = 0; len <= sizeof(room); len++) {
			want = len && len == length[type] ? type : KRPING_CTL_NONE;
			value = 7;
			KUNIT_EXPECT_EQ(test, want,
					(int)krping_wire_ctl_decode(&room, len, &value));
			KUNIT_EXPECT_EQ(test, value, want ? type + 1ULL : 7ULL);
		}
	}
	krping_wire_ctl_encode(&room.ctl, KRPING_CTL_FINISH, 0);
	room.ctl.magic ^= cpu_to_be32(1);
	KUNIT_EXPECT_EQ(test, (int)KRPING_CTL_NONE,
			(int)krping_wire_ctl_decode(&room, sizeof(room.ctl), &value));
}

static void wire_report(struct kunit *test)
{
	struct krping_peer_stats in, out = {};
	struct krping_wire_report wire;
	u64 *number = (u64 *)&in;
	u64 value = 0;
	int i;

	/* The struct has only u64 members, in the order of the wire. */
	for (i = 0; i < sizeof(in) / sizeof(*number); i++)
		number[i] = 0xf1f2f3f4f5f6f700ULL + i;
	krping_wire_report_encode(&wire, &in);
	KUNIT_EXPECT_EQ(test, (int)KRPING_CTL_REPORT,
			(int)krping_wire_ctl_decode(&wire, sizeof(wire), &value));
	KUNIT_EXPECT_EQ(test, value, in.iterations);
	for (i = 0; i < sizeof(in) / sizeof(*number); i++)
		KUNIT_EXPECT_EQ(test, ((u8 *)&wire)[8 + 8 * i + 7], (u8)i);
	krping_wire_report_decode(&wire, &out);
	KUNIT_EXPECT_EQ(test, 0, memcmp(&in, &out, sizeof(in)));
}

static struct kunit_case wire_cases[] = {
	KUNIT_CASE(wire_msg),
	KUNIT_CASE(wire_req),
	KUNIT_CASE(wire_rep),
	KUNIT_CASE(wire_fields),
	KUNIT_CASE(wire_config),
	KUNIT_CASE(wire_conn_idx),
	KUNIT_CASE(wire_rej),
	KUNIT_CASE(wire_ctl),
	KUNIT_CASE(wire_report),
	{}
};

static struct kunit_suite wire_suite = {
	.name = "krping_wire",
	.test_cases = wire_cases,
};

kunit_test_suite(wire_suite);

MODULE_DESCRIPTION("KUnit tests of krping's wire formats");
MODULE_LICENSE("Dual BSD/GPL");
