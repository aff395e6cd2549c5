// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The wire formats: the place of each byte, and what is made of bad ones. */
#include <linux/kernel.h>
#include <linux/string.h>
#include <stdlib.h>

#include "../../krping/wire.h"
#include "tap.h"

typedef int (*decode_fn)(const void *data, size_t len,
			 struct krping_agreement *out);

static const struct krping_agreement agreed = {
	.test = KRPING_TEST_SBW,
	.flags = KRPING_WIRE_VALIDATE | KRPING_WIRE_DUPLEX,
	.size = 0xf1f2f3f4,
	.count = 0x1112131415161718ULL,
};

/* What a REQ and a REP start with. */
static const u8 agreed_bytes[24] = {
	'k', 'r', 'p', 'g',
	1,
	6,
	0, 9,
	0, 0, 0, 0, 0xf1, 0xf2, 0xf3, 0xf4,
	0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
};

static bool same(const struct krping_agreement *a,
		 const struct krping_agreement *b)
{
	return a->test == b->test && a->flags == b->flags &&
	       a->size == b->size && a->count == b->count;
}

/* Decode from a buffer of exactly that length, which is not aligned. */
static int decode(decode_fn fn, const void *data, size_t len,
		  struct krping_agreement *out)
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

/* @valid: @size bytes of valid private data, whose reserved bytes are zero. */
static void test_lengths(const char *name, decode_fn fn, const u8 *valid,
			 size_t size)
{
	struct krping_agreement out;
	u8 padded[256] = { 0 };
	bool good = true;
	size_t len;

	memcpy(padded, valid, size);
	for (len = size; len <= sizeof(padded); len++) {
		memset(&out, 0, sizeof(out));
		good &= !decode(fn, padded, len, &out) && same(&out, &agreed);
	}
	ok(good, "%s: round trip, with any padding", name);

	good = true;
	for (len = 4; len < size; len++)
		good &= decode(fn, valid, len, &out) == -EPROTO;
	ok(good, "%s: -EPROTO when it is cut off", name);

	good = fn(NULL, 0, &out) == -ENOENT;
	for (len = 0; len < 4; len++)
		good &= decode(fn, valid, len, &out) == -ENOENT;
	ok(good, "%s: -ENOENT when it is too short for a magic", name);
}

static void test_header(const char *name, decode_fn fn, const u8 *valid,
			size_t size)
{
	struct krping_agreement out;
	u8 bytes[64];
	bool good = true;
	int i;

	memset(bytes, 0, sizeof(bytes));
	ok(decode(fn, bytes, sizeof(bytes), &out) == -ENOENT,
	   "%s: -ENOENT for the zeros that an old client's REQ is padded with", name);

	for (i = 0; i < 4; i++) {
		memcpy(bytes, valid, size);
		bytes[i] ^= 0x80;
		good &= decode(fn, bytes, size, &out) == -ENOENT;
	}
	ok(good, "%s: -ENOENT for another magic", name);

	good = true;
	for (i = 0; i < 256; i++) {
		if (i == KRPING_WIRE_VERSION)
			continue;
		memcpy(bytes, valid, size);
		bytes[4] = i;
		good &= decode(fn, bytes, size, &out) == -EPROTONOSUPPORT;
		good &= decode(fn, bytes, 5, &out) == -EPROTONOSUPPORT;
	}
	ok(good, "%s: -EPROTONOSUPPORT for another version, of any length", name);
}

static void test_fields(const char *name, decode_fn fn, const u8 *valid,
			size_t size)
{
	static const struct {
		const char *what;
		int at;
		u8 to;
	} bad[] = {
		{ "the first number that is no test", 5, KRPING_TEST_COUNT },
		{ "test 255", 5, 255 },
		{ "an unknown low flag", 7, 0x10 },
		{ "an unknown high flag", 6, 0x80 },
		{ "a size of 4 GiB and more", 11, 1 },
		{ "a huge size", 8, 0xff },
	};
	const struct krping_agreement untouched = {
		.test = KRPING_TEST_RLAT, .flags = 7, .size = 7, .count = 7,
	};
	struct krping_agreement out;
	u8 bytes[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		memcpy(bytes, valid, size);
		bytes[bad[i].at] = bad[i].to;
		out = untouched;
		ok(decode(fn, bytes, size, &out) == -EPROTO && same(&out, &untouched),
		   "%s: -EPROTO for %s", name, bad[i].what);
	}

	memcpy(bytes, valid, size);
	memset(bytes + 8, 0, 8);
	ok(decode(fn, bytes, size, &out) == -EPROTO, "%s: -EPROTO for size 0", name);

	memcpy(bytes, valid, size);
	memset(bytes + 24, 0xff, size - 24);
	ok(!decode(fn, bytes, size, &out) && same(&out, &agreed),
	   "%s: reserved bytes are ignored", name);

	memcpy(bytes, valid, size);
	memset(bytes + 16, 0, 8);
	ok(!decode(fn, bytes, size, &out) && !out.count,
	   "%s: a count of 0 is one", name);
}

static void test_req_rep(void)
{
	static const u8 zeros[24];
	struct krping_wire_req req;
	struct krping_wire_rep rep;

	memset(&req, 0xa5, sizeof(req));
	memset(&rep, 0xa5, sizeof(rep));
	krping_wire_req_encode(&req, &agreed);
	krping_wire_rep_encode(&rep, &agreed);
	ok(sizeof(req) == 48 && !memcmp(&req, agreed_bytes, 24) &&
	   !memcmp(req.reserved, zeros, sizeof(req.reserved)), "req: bytes");
	ok(sizeof(rep) == 32 && !memcmp(&rep, agreed_bytes, 24) &&
	   !memcmp(rep.reserved, zeros, sizeof(rep.reserved)), "rep: bytes");

	test_lengths("req", krping_wire_req_decode, (u8 *)&req, sizeof(req));
	test_lengths("rep", krping_wire_rep_decode, (u8 *)&rep, sizeof(rep));
	test_header("req", krping_wire_req_decode, (u8 *)&req, sizeof(req));
	test_header("rep", krping_wire_rep_decode, (u8 *)&rep, sizeof(rep));
	test_fields("req", krping_wire_req_decode, (u8 *)&req, sizeof(req));
	test_fields("rep", krping_wire_rep_decode, (u8 *)&rep, sizeof(rep));
}

/* Every test, flag and some sizes survive the wire. */
static void test_round_trips(void)
{
	static const u64 sizes[] = { 1, 64, 4096, 4 << 20, U32_MAX };
	struct krping_agreement in, out;
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
		if (reason >= KRPING_REJ_BUSY && reason <= KRPING_REJ_STOPPED)
			good &= strcmp(krping_rej_reason_str(reason),
				       krping_rej_reason_str(255)) != 0;
	}
	ok(good, "rej: every reason has words, and ours their own");
}

int main(void)
{
	test_msg();
	test_req_rep();
	test_round_trips();
	test_rej();
	return tap_done();
}
