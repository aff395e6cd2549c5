// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The wire formats: the place of each byte, and what is made of bad ones. */
#include <linux/kernel.h>
#include <linux/string.h>
#include <stdlib.h>

#include "../../krping/wire.h"
#include "tap.h"

typedef int (*decode_fn)(const void *data, size_t len,
			 struct krping_params *out);

static const struct krping_params negotiated = {
	.test = KRPING_TEST_SBW,
	.flags = KRPING_WIRE_VALIDATE | KRPING_WIRE_DUPLEX | KRPING_WIRE_REPORT,
	.size = 0xf1f2f3f4,
	.count = 0x1112131415161718ULL,
	.session = 0xf1222324,
	.conn_idx = 0x0102,
	.conns_total = 0x0301,
	.recvs = 0xf1323334,
};

/* What of it a REP carries. */
static const struct krping_params negotiated_rep = {
	.test = KRPING_TEST_SBW,
	.flags = KRPING_WIRE_VALIDATE | KRPING_WIRE_DUPLEX | KRPING_WIRE_REPORT,
	.size = 0xf1f2f3f4,
	.count = 0x1112131415161718ULL,
	.conns_total = 1,
	.recvs = 0xf1323334,
};

/* What a REQ and a REP start with. */
static const u8 negotiated_bytes[24] = {
	'k', 'r', 'p', 'g',
	1,
	6,
	0, 0x19,
	0, 0, 0, 0, 0xf1, 0xf2, 0xf3, 0xf4,
	0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
};

/* How they go on. */
static const u8 req_bytes[24] = {
	0xf1, 0x22, 0x23, 0x24,
	1, 2,
	3, 1,
	0xf1, 0x32, 0x33, 0x34,
};

static const u8 rep_bytes[8] = {
	0xf1, 0x32, 0x33, 0x34,
};

static bool same(const struct krping_params *a,
		 const struct krping_params *b)
{
	return a->test == b->test && a->flags == b->flags &&
	       a->size == b->size && a->count == b->count &&
	       a->session == b->session && a->conn_idx == b->conn_idx &&
	       a->conns_total == b->conns_total && a->recvs == b->recvs;
}

/**
 * struct format - private data whose decoders have much in common
 * @name: name of the message
 * @decode: its decoder
 * @want: what the decoder makes of @valid
 * @valid: valid private data, whose reserved bytes are zero
 * @size: its length
 * @reserved: where the reserved bytes begin, up to its end
 */
struct format {
	const char *name;
	decode_fn decode;
	const struct krping_params *want;
	const u8 *valid;
	size_t size;
	size_t reserved;
};

/* Decode from a buffer of exactly that length, which is not aligned. */
static int decode(decode_fn fn, const void *data, size_t len,
		  struct krping_params *out)
{
	u8 *copy = malloc(len + 1);
	int ret;

	if (!copy)
		abort();
	memcpy(copy + 1, data, len);
	ret = fn(copy + 1, len, out);
	free(copy);
	return ret;
}

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
	for (len = 4; len < f->size; len++)
		good &= decode(f->decode, f->valid, len, &out) == -EPROTO;
	ok(good, "%s: -EPROTO when it is cut off", f->name);

	good = f->decode(NULL, 0, &out) == -ENOENT;
	for (len = 0; len < 4; len++)
		good &= decode(f->decode, f->valid, len, &out) == -ENOENT;
	ok(good, "%s: -ENOENT when it is too short for a magic", f->name);
}

static void test_header(const struct format *f)
{
	struct krping_params out;
	u8 bytes[64];
	bool good = true;
	int i;

	memset(bytes, 0, sizeof(bytes));
	ok(decode(f->decode, bytes, sizeof(bytes), &out) == -ENOENT,
	   "%s: -ENOENT for the zeros that an old client's REQ is padded with",
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
	ok(good, "%s: -EPROTONOSUPPORT for another version, of any length",
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
		{ "a size of 4 GiB and more", 11, 1 },
		{ "a huge size", 8, 0xff },
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
	memset(bytes + f->reserved, 0xff, f->size - f->reserved);
	ok(!decode(f->decode, bytes, f->size, &out) && same(&out, f->want),
	   "%s: reserved bytes are ignored", f->name);

	memcpy(bytes, f->valid, f->size);
	memset(bytes + 16, 0, 8);
	ok(!decode(f->decode, bytes, f->size, &out) && !out.count,
	   "%s: a count of 0 is one", f->name);

	/* A peer that knows nothing of what is behind the count. */
	memcpy(bytes, f->valid, f->size);
	memset(bytes + 24, 0, f->size - 24);
	ok(!decode(f->decode, bytes, f->size, &out) && !out.session &&
	   !out.conn_idx && out.conns_total == 1 && !out.recvs,
	   "%s: zeros behind the count are one connection and no RECVs", f->name);
}

static void test_req_rep(void)
{
	struct krping_wire_req req;
	struct krping_wire_rep rep;
	struct format formats[] = {
		{ "req", krping_wire_req_decode, &negotiated, (u8 *)&req,
		  sizeof(req), 36 },
		{ "rep", krping_wire_rep_decode, &negotiated_rep, (u8 *)&rep,
		  sizeof(rep), 28 },
	};
	size_t i;

	memset(&req, 0xa5, sizeof(req));
	memset(&rep, 0xa5, sizeof(rep));
	krping_wire_req_encode(&req, &negotiated);
	krping_wire_rep_encode(&rep, &negotiated);
	ok(sizeof(req) == 48 && !memcmp(&req, negotiated_bytes, 24) &&
	   !memcmp((u8 *)&req + 24, req_bytes, 24), "req: bytes");
	ok(sizeof(rep) == 32 && !memcmp(&rep, negotiated_bytes, 24) &&
	   !memcmp((u8 *)&rep + 24, rep_bytes, 8), "rep: bytes");

	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		test_lengths(&formats[i]);
		test_header(&formats[i]);
		test_fields(&formats[i]);
	}
}

static void test_lanes(void)
{
	static const struct {
		u16 conn_idx;
		u16 conns_total;
		int ret;
	} cases[] = {
		{ 0, 0, 0 },
		{ 0, 1, 0 },
		{ 1, 2, 0 },
		{ 0, KRPING_WIRE_CONNS_MAX, 0 },
		{ KRPING_WIRE_CONNS_MAX - 1, KRPING_WIRE_CONNS_MAX, 0 },
		{ 1, 0, -EPROTO },
		{ 1, 1, -EPROTO },
		{ 2, 2, -EPROTO },
		{ U16_MAX, 2, -EPROTO },
		{ KRPING_WIRE_CONNS_MAX, KRPING_WIRE_CONNS_MAX, -EPROTO },
		{ 0, KRPING_WIRE_CONNS_MAX + 1, -EPROTO },
		{ 0, U16_MAX, -EPROTO },
		{ U16_MAX, U16_MAX, -EPROTO },
	};
	struct krping_params in, out;
	struct krping_wire_req req;
	size_t i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		in = negotiated;
		in.conn_idx = cases[i].conn_idx;
		in.conns_total = cases[i].conns_total;
		krping_wire_req_encode(&req, &in);
		ret = decode(krping_wire_req_decode, &req, sizeof(req), &out);
		if (!in.conns_total)
			in.conns_total = 1;
		ok(ret == cases[i].ret && (ret || same(&in, &out)),
		   "req: conn_idx %u of %u gives %d", cases[i].conn_idx, cases[i].conns_total,
		   cases[i].ret);
	}
}

/* Every test, flag and some sizes survive the wire. */
static void test_round_trips(void)
{
	static const u64 sizes[] = { 1, 64, 4096, 4 << 20, U32_MAX };
	struct krping_params in, out;
	struct krping_wire_req req;
	bool good = true;
	int test, flags;
	size_t i;

	for (test = 0; test < KRPING_TEST_COUNT; test++) {
		for (flags = 0; flags <= KRPING_WIRE_FLAGS; flags++) {
			for (i = 0; i < ARRAY_SIZE(sizes); i++) {
				in.test = test;
				in.flags = flags;
				in.size = sizes[i];
				in.count = i ? U64_MAX / i : 0;
				in.session = flags * 0x01010101U;
				in.conn_idx = test;
				in.conns_total = test + 1 + i;
				in.recvs = i ? U32_MAX / i : 0;
				krping_wire_req_encode(&req, &in);
				good &= !decode(krping_wire_req_decode, &req,
						sizeof(req), &out) &&
					same(&in, &out);
			}
		}
	}
	ok(good, "req: every test, flag and size makes the round trip");
}

static int decode_rej(const void *data, size_t len, struct krping_rejection *out)
{
	u8 *copy = malloc(len + 1);
	int ret;

	if (!copy)
		abort();
	memcpy(copy + 1, data, len);
	ret = krping_wire_rej_decode(copy + 1, len, out);
	free(copy);
	return ret;
}

static void test_rej(void)
{
	static const u8 bytes[16] = {
		'k', 'r', 'p', 'g', 1, 5, 0, 0, 0xf1, 2, 3, 4, 5, 6, 7, 8
	};
	struct krping_rejection out = { 0 };
	struct krping_wire_rej rej;
	u8 padded[148] = { 0 };
	bool good = true;
	size_t len;
	int reason;

	memset(&rej, 0xa5, sizeof(rej));
	krping_wire_rej_encode(&rej, KRPING_REJ_SIZE, 0xf102030405060708ULL);
	ok(sizeof(rej) == 16 && !memcmp(&rej, bytes, sizeof(bytes)), "rej: bytes");

	memcpy(padded, &rej, sizeof(rej));
	ok(!decode_rej(padded, sizeof(padded), &out) && out.version == 1 &&
	   out.reason == KRPING_REJ_SIZE && out.limit == 0xf102030405060708ULL,
	   "rej: round trip");

	for (len = 4; len < sizeof(rej); len++)
		good &= decode_rej(&rej, len, &out) == -EPROTO;
	ok(good, "rej: -EPROTO when it is cut off");
	good = krping_wire_rej_decode(NULL, 0, &out) == -ENOENT;
	for (len = 0; len < 4; len++)
		good &= decode_rej(&rej, len, &out) == -ENOENT;
	ok(good, "rej: -ENOENT when it is too short for a magic");

	rej.version = 9;
	rej.reserved = 0xffff;
	ok(!decode_rej(&rej, sizeof(rej), &out) && out.version == 9 &&
	   out.reason == KRPING_REJ_SIZE, "rej: another version is understood");
	rej.reason = 0;
	ok(decode_rej(&rej, sizeof(rej), &out) == -EPROTO, "rej: -EPROTO without a reason");
	rej.magic = 0;
	ok(decode_rej(&rej, sizeof(rej), &out) == -ENOENT, "rej: -ENOENT without a magic");

	good = true;
	for (reason = 0; reason < 256; reason++) {
		good &= !!krping_rej_reason_str(reason);
		if (reason >= KRPING_REJ_BUSY && reason <= KRPING_REJ_ADDRESS)
			good &= strcmp(krping_rej_reason_str(reason),
				       krping_rej_reason_str(255)) != 0;
	}
	ok(good, "rej: every reason has words, and ours their own");
}

/*
 * Control messages. They are given in a buffer of exactly their length, so that
 * the sanitizer reports an access behind it.
 */

static const size_t ctl_length[KRPING_CTL_ANSWER + 1] = {
	[KRPING_CTL_FINISH] = 16,
	[KRPING_CTL_CREDIT] = 16,
	[KRPING_CTL_REPORT] = 168,
	[KRPING_CTL_BUF_ADVERT] = 32,
	[KRPING_CTL_REGION] = 48,
	[KRPING_CTL_ASK] = 32,
	[KRPING_CTL_ANSWER] = 48,
};

static enum krping_ctl_type decode_ctl(const void *data, size_t size, size_t len,
				       u64 *value)
{
	enum krping_ctl_type type;
	u8 *copy = calloc(1, len ? len : 1);

	if (!copy)
		abort();
	memcpy(copy, data, size < len ? size : len);
	type = krping_wire_ctl_decode(copy, len, value);
	free(copy);
	return type;
}

static void test_ctl(void)
{
	static const u8 bytes[16] = {
		'k', 'r', 'p', 'g', 2, 0, 0, 0,
		0xf1, 2, 3, 4, 5, 6, 7, 8,
	};
	struct krping_wire_ctl ctl;
	struct krping_wire_msg msg;
	bool good = true;
	u64 value = 7;
	size_t len;
	int type;
	int i;

	memset(&ctl, 0xa5, sizeof(ctl));
	krping_wire_ctl_encode(&ctl, KRPING_CTL_CREDIT, 0xf102030405060708ULL);
	ok(sizeof(ctl) == 16 && !memcmp(&ctl, bytes, sizeof(bytes)), "ctl: bytes");

	for (type = 0; type < 256; type++) {
		bool known = type >= KRPING_CTL_FINISH && type <= KRPING_CTL_ANSWER;

		krping_wire_ctl_encode(&ctl, type, type + 1);
		for (len = 0; len <= 200; len++) {
			bool right = known && len == ctl_length[type];

			value = 7;
			good &= decode_ctl(&ctl, sizeof(ctl), len, &value) ==
				(right ? type : KRPING_CTL_NONE);
			good &= value == (right ? type + 1 : 7);
		}
	}
	ok(good, "ctl: every type has its one length, and others are none");

	good = true;
	krping_wire_ctl_encode(&ctl, KRPING_CTL_FINISH, 0);
	for (i = 0; i < 4; i++) {
		((u8 *)&ctl)[i] ^= 0x80;
		good &= decode_ctl(&ctl, sizeof(ctl), sizeof(ctl), &value) ==
			KRPING_CTL_NONE;
		((u8 *)&ctl)[i] ^= 0x80;
	}
	ok(good, "ctl: another magic is none");

	memset(ctl.reserved, 0xff, sizeof(ctl.reserved));
	ok(decode_ctl(&ctl, sizeof(ctl), sizeof(ctl), &value) == KRPING_CTL_FINISH &&
	   !value, "ctl: reserved bytes are ignored");

	/* The address of a registration: a counter, and an offset in a page. */
	good = true;
	for (i = 0; i < 4096; i++) {
		krping_wire_msg_encode(&msg, (u64)KRPING_WIRE_MAGIC << 32 | i,
				       0x01020304, 64);
		good &= decode_ctl(&msg, sizeof(msg), sizeof(msg), &value) ==
			KRPING_CTL_NONE;
	}
	ok(good, "ctl: an advertisement is none, whatever its address");
}

static void test_buf_advert(void)
{
	static const u8 bytes[32] = {
		'k', 'r', 'p', 'g', 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0xff, 2, 3, 4, 5, 6, 7, 8, 0xfe, 10, 11, 12, 0xfd, 14, 15, 16,
	};
	struct krping_wire_buf_advert wire;
	struct krping_advert advert;
	u64 value = 7;

	memset(&wire, 0xa5, sizeof(wire));
	krping_wire_ctl_encode(&wire.ctl, KRPING_CTL_BUF_ADVERT, 0);
	krping_wire_msg_encode(&wire.msg, 0xff02030405060708ULL, 0xfe0a0b0c,
			       0xfd0e0f10);
	ok(sizeof(wire) == 32 && !memcmp(&wire, bytes, sizeof(bytes)),
	   "buffer advert: bytes");
	ok(decode_ctl(&wire, sizeof(wire), sizeof(wire), &value) ==
	   KRPING_CTL_BUF_ADVERT && !value, "buffer advert: is one");
	krping_wire_msg_decode(&wire.msg, &advert);
	ok(advert.addr == 0xff02030405060708ULL && advert.rkey == 0xfe0a0b0c &&
	   advert.size == 0xfd0e0f10, "buffer advert: round trip");
}

static void test_report(void)
{
	struct krping_wire_report wire;
	struct krping_peer_stats in, out;
	u8 bytes[168] = { 'k', 'r', 'p', 'g', 3 };
	u64 value = 0;
	bool good;
	int i;

	memset(&in, 0, sizeof(in));
	in.iterations = 0xf1f2f3f4f5f60100ULL;
	in.nsec = 0xf1f2f3f4f5f60101ULL;
	for (i = 0; i < KRPING_REPORT_COUNTERS; i++)
		in.counters[i] = 0xf1f2f3f4f5f60102ULL + i;
	in.latencies = 0xf1f2f3f4f5f6010aULL;
	for (i = 0; i < KRPING_REPORT_LATENCIES; i++)
		in.latency[i] = 0xf1f2f3f4f5f6010bULL + i;
	/* Numbers in a row from the iterations on. */
	for (i = 0; i < 20; i++) {
		static const u8 high[7] = { 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 1 };

		memcpy(bytes + 8 + 8 * i, high, sizeof(high));
		bytes[8 + 8 * i + 7] = i;
	}

	memset(&wire, 0xa5, sizeof(wire));
	krping_wire_report_encode(&wire, &in);
	ok(sizeof(wire) == 168 && !memcmp(&wire, bytes, sizeof(bytes)),
	   "report: bytes");
	ok(decode_ctl(&wire, sizeof(wire), sizeof(wire), &value) ==
	   KRPING_CTL_REPORT && value == in.iterations, "report: is one");

	memset(&out, 0xa5, sizeof(out));
	krping_wire_report_decode(&wire, &out);
	good = out.iterations == in.iterations && out.nsec == in.nsec &&
	       out.latencies == in.latencies;
	good &= !memcmp(out.counters, in.counters, sizeof(in.counters));
	good &= !memcmp(out.latency, in.latency, sizeof(in.latency));
	ok(good, "report: round trip");
}

int main(void)
{
	test_msg();
	test_req_rep();
	test_lanes();
	test_round_trips();
	test_rej();
	test_ctl();
	test_buf_advert();
	test_report();
	return tap_done();
}
