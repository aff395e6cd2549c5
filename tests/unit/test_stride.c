// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Test the addresses of operations with a stride (the distance of their addresses), and the stride
 * in REQ and REP. A slot is the place of one operation; the operations use the slots in turn.
 */
#include "../../krping/stride.h"
#include "wire_params.h"
#include "tap.h"

/* Flags of a test without validate. */
#define FLAGS	(KRPING_WIRE_DUPLEX | KRPING_WIRE_REPORT)

/* Test the number of slots. */
static void test_slots(void)
{
	ok(krping_stride_slots(0, 1) == 1 && krping_stride_slots(0, 64) == 1,
	   "slots: without a stride there is one");
	ok(krping_stride_slots(1, 1) == 1 && krping_stride_slots(1, 64) == 64 &&
	   krping_stride_slots(~0U, 1 << 20) == 1 << 20,
	   "slots: with a stride there are as many as operations in flight");
}

/* Test the offset of an operation's slot. */
static void test_offset(void)
{
	ok(!krping_stride_offset(0, 1, 0) && !krping_stride_offset(0, 1, 17),
	   "offset: without a stride it is 0");
	ok(!krping_stride_offset(7, 3, 0) && krping_stride_offset(7, 3, 1) == 7 &&
	   krping_stride_offset(7, 3, 2) == 14 && !krping_stride_offset(7, 3, 3) &&
	   krping_stride_offset(7, 3, 7) == 7, "offset: after the last slot it is 0 again");
	ok(krping_stride_offset(~0U, 1 << 20, (1 << 20) - 1) == 0xfffffULL * 0xffffffff,
	   "offset: the largest one does not overflow");
}

/* Test how many bytes all slots span. */
static void test_span(void)
{
	ok(krping_stride_span(64, 0, 1) == 64 && krping_stride_span(64, 4096, 1) == 64,
	   "span: the size of a single operation");
	ok(krping_stride_span(64, 64, 64) == 4096, "span: the sum of adjacent operations");
	ok(krping_stride_span(100, 7, 3) == 114, "span: less if operations overlap");
	ok(krping_stride_span(1, 4096, 2) == 4097, "span: the last operation adds its size only");
	ok(krping_stride_span(~0U, ~0U, 1 << 20) == 0xffffffffULL * (1 << 20),
	   "span: the largest one does not overflow");
}

/* Test that a batch advances the slot as far as the same number of single operations. */
static void test_next(void)
{
	u32 slots, batch, slot, n;
	bool good = true;

	for (slots = 1; slots <= 9; slots++)
		for (batch = 1; batch <= 20; batch++)
			for (slot = 0, n = 0; n < 100; n += batch) {
				good &= slot == n % slots;
				slot = krping_stride_next(slot, batch, slots);
			}
	ok(good, "next: a batch advances the slot as far as its single operations");
	ok(krping_stride_next((1 << 20) - 1, 1 << 20, 1 << 20) == (1 << 20) - 1,
	   "next: the largest batch with the largest number of slots does not overflow");
}

/* Test the stride that validate makes from the size, and how many slots fit into a buffer. */
static void test_validate(void)
{
	ok(krping_stride_validate(1) == 256 && krping_stride_validate(256) == 256 &&
	   krping_stride_validate(257) == 512, "validate: slots begin at multiples of 256 bytes");
	ok(krping_stride_validate(0xffffff00) == 0xffffff00 &&
	   !krping_stride_validate(0xffffff01) && !krping_stride_validate(~0U),
	   "validate: 0 if the stride exceeds 32 bits");
	ok(krping_stride_fit(64, 64, 256) == 1 && krping_stride_fit(319, 64, 256) == 1 &&
	   krping_stride_fit(320, 64, 256) == 2 && krping_stride_fit(4 << 20, 4096, 4096) == 1024,
	   "fit: as many slots as a buffer has");
}

/*
 * Test the stride in @bytes, a REQ or REP. Only tests of throughput may have a stride. With
 * validate the size determines the stride.
 */
static void test_wire(const char *name, decode_fn fn, const struct krping_params *want,
		      u8 *bytes, size_t len)
{
	static const u8 stride[8] = { 0xe1, 0xe2, 0xe3, 0xe4, 0xf1, 0xf2, 0xf3, 0xf4 };
	struct krping_params out;
	bool good = true;
	int test;

	ok(!memcmp(bytes + 8, stride, sizeof(stride)), "%s: bytes of the stride", name);
	memset(&out, 0, sizeof(out));
	ok(!decode(fn, bytes, len, &out) && same(&out, want),
	   "%s: round trip of the stride", name);
	for (test = 0; test < KRPING_TEST_COUNT; test++) {
		bytes[5] = test;
		good &= decode(fn, bytes, len, &out) ==
			(test >= KRPING_TEST_BW && test <= KRPING_TEST_SBW ? 0 : -EPROTO);
	}
	ok(good, "%s: -EPROTO for a stride in all tests but bw, rbw, sbw", name);
	bytes[5] = KRPING_TEST_BW;
	bytes[7] |= KRPING_WIRE_VALIDATE;
	ok(decode(fn, bytes, len, &out) == -EPROTO,
	   "%s: -EPROTO for another stride than that of validate", name);
	/* 0xf1f2f3f4, rounded up to a multiple of 256 */
	memcpy(bytes + 8, "\xf1\xf2\xf4\x00", 4);
	ok(!decode(fn, bytes, len, &out) && out.stride == 0xf1f2f400,
	   "%s: the stride of validate", name);
	bytes[11] = 0xff;
	good = decode(fn, bytes, len, &out) == -EPROTO;
	memcpy(bytes + 8, "\xf1\xf2\xf5\x00", 4);
	ok(good && decode(fn, bytes, len, &out) == -EPROTO,
	   "%s: -EPROTO for a larger stride with validate", name);
	memset(bytes + 8, 0, 4);
	ok(!decode(fn, bytes, len, &out) && !out.stride && out.size == 0xf1f2f3f4,
	   "%s: zeros instead of a stride, which an older krping sends, are no stride", name);
	bytes[7] &= ~KRPING_WIRE_VALIDATE;
	memcpy(bytes + 8, stride, 4);
	memset(bytes + 12, 0, 4);
	ok(decode(fn, bytes, len, &out) == -EPROTO, "%s: -EPROTO for a stride with size 0", name);
}

int main(void)
{
	struct krping_params in = negotiated;
	struct krping_wire_req req;
	struct krping_wire_rep rep;

	in.flags = FLAGS;
	in.stride = 0xe1e2e3e4;
	krping_wire_req_encode(&req, &in);
	krping_wire_rep_encode(&rep, &in);
	test_slots();
	test_offset();
	test_span();
	test_next();
	test_validate();
	test_wire("req", krping_wire_req_decode, &in, (u8 *)&req, sizeof(req));
	/* A REP lacks the following three fields: the decoder sets them to these values. */
	in.session = 0;
	in.conn_idx = 0;
	in.conns_total = 1;
	test_wire("rep", krping_wire_rep_decode, &in, (u8 *)&rep, sizeof(rep));
	return tap_done();
}
