// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Test the wire formats of rejections and control messages. */
#include <linux/kernel.h>
#include <linux/string.h>
#include <stdlib.h>

#include "../../krping/wire.h"
#include "tap.h"

/*
 * Decode a copy of a rejection at an odd address, because private data need not be aligned.
 * The copy ends with its buffer, so that the sanitizer reports an access beyond the end.
 */
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

/* Test the bytes of a rejection, and rejections that are truncated or invalid. */
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
	ok(good, "rej: -EPROTO for a truncated rejection");
	good = krping_wire_rej_decode(NULL, 0, &out) == -ENOENT;
	for (len = 0; len < 4; len++)
		good &= decode_rej(&rej, len, &out) == -ENOENT;
	ok(good, "rej: -ENOENT for data shorter than a magic");

	rej.version = 9;
	rej.reserved = 0xffff;
	ok(!decode_rej(&rej, sizeof(rej), &out) && out.version == 9 &&
	   out.reason == KRPING_REJ_SIZE, "rej: a rejection of another version is decoded");
	rej.reason = 0;
	ok(decode_rej(&rej, sizeof(rej), &out) == -EPROTO, "rej: -EPROTO for reason 0");
	rej.magic = 0;
	ok(decode_rej(&rej, sizeof(rej), &out) == -ENOENT, "rej: -ENOENT for a wrong magic");

	good = true;
	for (reason = 0; reason < 256; reason++) {
		good &= !!krping_rej_reason_str(reason);
		if (reason >= KRPING_REJ_BUSY && reason <= KRPING_REJ_ADDRESS)
			good &= strcmp(krping_rej_reason_str(reason),
				       krping_rej_reason_str(255)) != 0;
	}
	ok(good, "rej: each reason has a text, and no known reason has the text of unknown ones");
}

/*
 * Control messages.
 */

/* Valid length of each type in bytes. */
static const size_t ctl_length[KRPING_CTL_CONFORM_TRACE + 1] = {
	[KRPING_CTL_FINISH] = 16,
	[KRPING_CTL_CREDIT] = 16,
	[KRPING_CTL_REPORT] = 168,
	[KRPING_CTL_BUF_ADVERT] = 32,
	[KRPING_CTL_REGION] = 48,
	[KRPING_CTL_ASK] = 32,
	[KRPING_CTL_ANSWER] = 48,
	[KRPING_CTL_CONFORM_ASK] = 48,
	[KRPING_CTL_CONFORM_ANSWER] = 160,
	[KRPING_CTL_REFILL] = 16,
	[KRPING_CTL_CONFORM_TRACE] = 120,
};

/*
 * Decode a message of @len bytes: @size bytes of @data, truncated, or padded with zeros. The
 * message is in a buffer of exactly @len bytes, so that the sanitizer reports an access
 * beyond the end.
 */
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

/* Test which messages are control messages: type, length and magic decide. */
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
		bool known = type >= KRPING_CTL_FINISH && type <= KRPING_CTL_CONFORM_TRACE;

		krping_wire_ctl_encode(&ctl, type, type + 1);
		for (len = 0; len <= 200; len++) {
			bool right = known && len == ctl_length[type];

			value = 7;
			good &= decode_ctl(&ctl, sizeof(ctl), len, &value) ==
				(right ? type : KRPING_CTL_NONE);
			good &= value == (right ? type + 1 : 7);
		}
	}
	ok(good, "ctl: a control message has a known type and the length of its type");

	good = true;
	krping_wire_ctl_encode(&ctl, KRPING_CTL_FINISH, 0);
	for (i = 0; i < 4; i++) {
		((u8 *)&ctl)[i] ^= 0x80;
		good &= decode_ctl(&ctl, sizeof(ctl), sizeof(ctl), &value) ==
			KRPING_CTL_NONE;
		((u8 *)&ctl)[i] ^= 0x80;
	}
	ok(good, "ctl: a message with a wrong magic is no control message");

	memset(ctl.reserved, 0xff, sizeof(ctl.reserved));
	ok(decode_ctl(&ctl, sizeof(ctl), sizeof(ctl), &value) == KRPING_CTL_FINISH &&
	   !value, "ctl: reserved bytes are ignored");

	/*
	 * An advert starts with an address. The high half of the address is a counter of
	 * registrations, which may have the value of the magic. The low half is an offset within
	 * a page.
	 */
	good = true;
	for (i = 0; i < 4096; i++) {
		krping_wire_msg_encode(&msg, (u64)KRPING_WIRE_MAGIC << 32 | i,
				       0x01020304, 64);
		good &= decode_ctl(&msg, sizeof(msg), sizeof(msg), &value) ==
			KRPING_CTL_NONE;
	}
	ok(good, "ctl: an advertisement is no control message, even with the magic in its address");
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
	   KRPING_CTL_BUF_ADVERT && !value, "buffer advert: type and value");
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
	/* The values of the fields are consecutive numbers, beginning with the iterations. */
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
	   KRPING_CTL_REPORT && value == in.iterations, "report: type and value");

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
	test_rej();
	test_ctl();
	test_buf_advert();
	test_report();
	return tap_done();
}
