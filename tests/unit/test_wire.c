// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Test the wire formats of messages, REQ and REP: the place of each byte, and invalid bytes. */
#include "wire_params.h"
#include "tap.h"

/* The parameters of a decoded REP: a REP carries no session, conn_idx and conns_total. */
static const struct krping_params negotiated_rep = {
	.test = KRPING_TEST_SBW,
	.flags = KRPING_WIRE_VALIDATE | KRPING_WIRE_DUPLEX | KRPING_WIRE_REPORT,
	.size = 0xf1f2f3f4,
	.count = 0x1112131415161718ULL,
	.conns_total = 1,
	.recvs = 0xf1323334,
	.config = {
		.known = true, .sge = 0x41, .flags = 0x0055, .txdepth = 0xf1424344,
		.rate = 0xf1525354, .cqmod = 0xf162, .batch = 0xf172, .qps = 0x0182,
		.threads = 2,
	},
};

/* The first 24 bytes, which a REQ and a REP have in common */
static const u8 negotiated_bytes[24] = {
	'k', 'r', 'p', 'g',
	1,
	6,
	0, 0x19,
	0, 0, 0, 0, 0xf1, 0xf2, 0xf3, 0xf4,
	0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
};

/* The bytes after negotiated_bytes in a REQ */
static const u8 req_bytes[12] = {
	0xf1, 0x22, 0x23, 0x24,
	1, 2,
	3, 1,
	0xf1, 0x32, 0x33, 0x34,
};

/* The bytes after negotiated_bytes in a REP */
static const u8 rep_bytes[4] = {
	0xf1, 0x32, 0x33, 0x34,
};

/* The last bytes of a REQ and of a REP: the options of the sender */
static const u8 config_bytes[20] = {
	1, 0x41, 0, 0x55,
	0xf1, 0x42, 0x43, 0x44,
	0xf1, 0x52, 0x53, 0x54,
	0xf1, 0x62, 0xf1, 0x72,
	0x01, 0x82, 0, 2,
};

/**
 * struct format - a REQ or a REP, to test both by the same functions
 * @name: name of the message
 * @decode: decoder of the message
 * @want: the parameters that the decoder returns for @valid
 * @valid: valid private data with options of the sender
 * @size: length of @valid
 * @config: offset of the options, which extend to the end of @valid
 * @min: length that an older krping sends, which has reserved bytes in the place of the options
 */
struct format {
	const char *name;
	decode_fn decode;
	const struct krping_params *want;
	const u8 *valid;
	size_t size;
	size_t config;
	size_t min;
};

static void test_msg(void)
{
	static const u8 bytes[16] = {
		0xff, 2, 3, 4, 5, 6, 7, 8, 0xfe, 10, 11, 12, 0xfd, 14, 15, 16
	};
	struct krping_advert advert;
	struct krping_wire_msg msg;

	krping_wire_msg_encode(&msg, 0xff02030405060708ULL, 0xfe0a0b0c, 0xfd0e0f10);
	ok(!memcmp(&msg, bytes, sizeof(bytes)), "msg: bytes");
	krping_wire_msg_decode(&msg, &advert);
	ok(advert.addr == 0xff02030405060708ULL && advert.rkey == 0xfe0a0b0c &&
	   advert.size == 0xfd0e0f10, "msg: round trip");
}

/* Test private data that is padded with zeros, and private data that is cut off. */
static void test_lengths(const struct format *f)
{
	struct krping_params out;
	u8 padded[256] = { 0 };
	bool good = true;
	size_t len;

	memcpy(padded, f->valid, f->size);
	for (len = f->size; len <= sizeof(padded); len++) {
		memset(&out, 0, sizeof(out));
		good &= !decode(f->decode, padded, len, &out) &&
			same(&out, f->want);
	}
	ok(good, "%s: round trip, with any padding", f->name);

	good = true;
	for (len = f->min; len < f->size; len++) {
		memset(&out, 0xff, sizeof(out));
		good &= !decode(f->decode, f->valid, len, &out) &&
			out.recvs == f->want->recvs && !out.config.known;
	}
	ok(good, "%s: without options when these are cut off", f->name);

	good = true;
	for (len = 4; len < f->min; len++)
		good &= decode(f->decode, f->valid, len, &out) == -EPROTO;
	ok(good, "%s: -EPROTO for less than an older krping sends", f->name);

	good = f->decode(NULL, 0, &out) == -ENOENT;
	for (len = 0; len < 4; len++)
		good &= decode(f->decode, f->valid, len, &out) == -ENOENT;
	ok(good, "%s: -ENOENT when the data is too short for a magic", f->name);
}

static void test_header(const struct format *f)
{
	struct krping_params out;
	u8 bytes[64];
	bool good = true;
	int i;

	memset(bytes, 0, sizeof(bytes));
	ok(decode(f->decode, bytes, sizeof(bytes), &out) == -ENOENT,
	   "%s: -ENOENT for zeros, the padding of an old peer's empty private data",
	   f->name);

	for (i = 0; i < 4; i++) {
		memcpy(bytes, f->valid, f->size);
		bytes[i] ^= 0x80;
		good &= decode(f->decode, bytes, f->size, &out) == -ENOENT;
	}
	ok(good, "%s: -ENOENT for another magic", f->name);

	good = true;
	for (i = 0; i < 256; i++) {
		if (i == KRPING_WIRE_VERSION)
			continue;
		memcpy(bytes, f->valid, f->size);
		bytes[4] = i;
		good &= decode(f->decode, bytes, f->size, &out) == -EPROTONOSUPPORT;
		good &= decode(f->decode, bytes, 5, &out) == -EPROTONOSUPPORT;
	}
	ok(good, "%s: -EPROTONOSUPPORT for another version, even if cut off",
	   f->name);
}

static void test_fields(const struct format *f)
{
	static const struct {
		const char *what;
		int at;
		u8 to;
	} bad[] = {
		{ "the first number that is no test", 5, KRPING_TEST_COUNT },
		{ "test 255", 5, 255 },
		{ "an unknown low flag", 7, 0x80 },
		{ "an unknown high flag", 6, 0x01 },
		{ "the highest flag", 6, 0x80 },
		{ "a stride with validate", 11, 1 },
		{ "a huge stride with validate", 8, 0xff },
	};
	const struct krping_params untouched = {
		.test = KRPING_TEST_RLAT, .flags = 7, .size = 7, .count = 7,
		.session = 7, .conn_idx = 7, .conns_total = 7, .recvs = 7,
	};
	struct krping_params out;
	u8 bytes[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		memcpy(bytes, f->valid, f->size);
		bytes[bad[i].at] = bad[i].to;
		out = untouched;
		ok(decode(f->decode, bytes, f->size, &out) == -EPROTO &&
		   same(&out, &untouched), "%s: -EPROTO for %s", f->name,
		   bad[i].what);
	}

	memcpy(bytes, f->valid, f->size);
	memset(bytes + 8, 0, 8);
	ok(decode(f->decode, bytes, f->size, &out) == -EPROTO,
	   "%s: -EPROTO for size 0", f->name);

	memcpy(bytes, f->valid, f->size);
	memset(bytes + f->config, 0xff, f->size - f->config);
	ok(!decode(f->decode, bytes, f->size, &out) && out.recvs == f->want->recvs &&
	   !out.config.known, "%s: options of another version are ignored", f->name);

	memcpy(bytes, f->valid, f->size);
	memset(bytes + 16, 0, 8);
	ok(!decode(f->decode, bytes, f->size, &out) && !out.count,
	   "%s: a count of 0 is decoded as 0", f->name);

	/* A peer that knows no field after the count sends zeros. */
	memcpy(bytes, f->valid, f->size);
	memset(bytes + 24, 0, f->size - 24);
	ok(!decode(f->decode, bytes, f->size, &out) && !out.session &&
	   !out.conn_idx && out.conns_total == 1 && !out.recvs && !out.config.known,
	   "%s: zeros after the count are one connection, no RECVs, no options", f->name);
}

/* Test that the decoder rejects options of a peer if one of them is out of range. */
static void test_config(const struct format *f)
{
	static const struct {
		const char *what;
		int at;
		u8 bytes[4];
		int len;
	} bad[] = {
		{ "sge is 0", 1, { 0 }, 1 },
		{ "a flag is unknown", 2, { 0, 0x80 }, 2 },
		{ "the highest flag is set", 2, { 0x80, 0 }, 2 },
		{ "txdepth is 0", 4, { 0, 0, 0, 0 }, 4 },
		{ "qps is 0", 16, { 0, 0 }, 2 },
		{ "threads is 0", 18, { 0, 0 }, 2 },
		{ "qps * threads is 1158, above 1024", 18, { 0, 3 }, 2 },
		{ "qps * threads exceeds 32 bits", 16, { 0xff, 0xff, 0xff, 0xff }, 4 },
	};
	struct krping_params out;
	u8 bytes[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		memcpy(bytes, f->valid, f->size);
		memcpy(bytes + f->config + bad[i].at, bad[i].bytes, bad[i].len);
		memset(&out, 0, sizeof(out));
		ok(decode(f->decode, bytes, f->size, &out) == -EPROTO && !out.size,
		   "%s: -EPROTO where %s", f->name, bad[i].what);
	}
}

/* Test that an option that is too large for its field is sent as the field's largest value. */
static void test_config_saturates(void)
{
	static const u8 unknown[sizeof(struct krping_wire_config)];
	struct krping_config in = negotiated.config, out;
	struct krping_wire_config wire;

	in.cqmod = 65536;
	in.batch = 1048576;
	krping_wire_config_encode(&wire, &in);
	ok(!krping_wire_config_decode(&wire, &out) && out.cqmod == 65535 &&
	   out.batch == 65535, "options: cqmod and batch saturate");
	in.known = false;
	krping_wire_config_encode(&wire, &in);
	ok(!memcmp(&wire, unknown, sizeof(wire)), "options: unknown ones are zeros");
}

static void test_req_rep(void)
{
	struct krping_wire_req req;
	struct krping_wire_rep rep;
	struct format formats[] = {
		{ "req", krping_wire_req_decode, &negotiated, (u8 *)&req,
		  sizeof(req), 36, 48 },
		{ "rep", krping_wire_rep_decode, &negotiated_rep, (u8 *)&rep,
		  sizeof(rep), 28, 32 },
	};
	size_t i;

	memset(&req, 0xa5, sizeof(req));
	memset(&rep, 0xa5, sizeof(rep));
	krping_wire_req_encode(&req, &negotiated);
	krping_wire_rep_encode(&rep, &negotiated);
	ok(sizeof(req) == 56 && !memcmp(&req, negotiated_bytes, 24) &&
	   !memcmp((u8 *)&req + 24, req_bytes, 12) &&
	   !memcmp((u8 *)&req + 36, config_bytes, 20), "req: bytes");
	ok(sizeof(rep) == 48 && !memcmp(&rep, negotiated_bytes, 24) &&
	   !memcmp((u8 *)&rep + 24, rep_bytes, 4) &&
	   !memcmp((u8 *)&rep + 28, config_bytes, 20), "rep: bytes");

	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		test_lengths(&formats[i]);
		test_header(&formats[i]);
		test_fields(&formats[i]);
		test_config(&formats[i]);
	}
	test_config_saturates();
}

int main(void)
{
	test_msg();
	test_req_rep();
	return tap_done();
}
