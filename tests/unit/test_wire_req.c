// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Test the values that a REQ may have: connections, tests, flags and sizes. */
#include "wire_params.h"
#include "tap.h"

/* Test the index of a connection and the number of connections. */
static void test_conns(void)
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
	struct krping_params in = { 0 }, out;
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

/* Encode and decode each test with each combination of flags and some sizes. */
static void test_round_trips(void)
{
	static const u64 sizes[] = { 1, 64, 4096, 4 << 20, U32_MAX };
	struct krping_params in = { 0 }, out;
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

int main(void)
{
	test_conns();
	test_round_trips();
	return tap_done();
}
