// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Test the lists of pieces of exported memory, which a client gets from an untrusted server. */
#include <linux/kernel.h>
#include <linux/string.h>

#include "../../krping/region.h"
#include "tap.h"

#define PIECES_MAX	8
#define MIB		0x100000U

static struct krping_region_piece pieces[PIECES_MAX + 1];

/* Make a region of @size bytes in @nr pieces of @sizes. Return: an error if @sizes are invalid. */
static int make(struct krping_region *r, u64 size, const u32 *sizes, u32 nr)
{
	struct krping_wire_msg msg[PIECES_MAX];
	u32 i;

	memset(r, 0, sizeof(*r));
	memset(pieces, 0xa5, sizeof(pieces));
	r->size = size;
	r->nr_pieces = nr;
	r->pieces = pieces;
	for (i = 0; i < nr; i++)
		krping_wire_msg_encode(&msg[i], 0x100000000ULL * (i + 1), i + 1, sizes[i]);
	return krping_region_add(r, msg, nr);
}

/* Test how many pieces a list of a given number of bytes has. */
static void test_count(void)
{
	struct krping_region r = { .size = 1 };

	ok(krping_region_count(&r, 16) == 1, "list: 16 bytes are one piece");
	ok(krping_region_count(&r, 16U << 20) == 1 << 20, "list: the longest has 2^20 pieces");
	ok(krping_region_count(&r, (16U << 20) + 16) == -EPROTO, "list: -EPROTO if too long");
	ok(krping_region_count(&r, 0) == -EPROTO, "list: -EPROTO if empty");
	ok(krping_region_count(&r, 15) == -EPROTO, "list: -EPROTO for less than a piece");
	ok(krping_region_count(&r, 33) == -EPROTO, "list: -EPROTO for two pieces and a byte");
	r.size = 0;
	ok(krping_region_count(&r, 16) == -EPROTO, "list: -EPROTO for an empty region");
}

/* Test the distance between pieces of one size. It is 0 if any piece but the last is shorter. */
static void test_stride(void)
{
	static const u32 equal[] = { MIB, MIB, 1 };
	static const u32 full[] = { MIB, MIB, MIB };
	static const u32 growing[] = { MIB, MIB, MIB + 1 };
	static const u32 wrong[] = { MIB, 65536, MIB, 1 };
	static const u32 two[] = { 65536, MIB };
	struct krping_region r;

	make(&r, 2 * MIB + 1, equal, 3);
	ok(krping_region_stride(&r) == MIB, "stride: the last piece may be shorter");
	make(&r, 3 * MIB, full, 3);
	ok(krping_region_stride(&r) == MIB, "stride: the size of equal pieces");
	make(&r, 1, &equal[2], 1);
	ok(krping_region_stride(&r) == 1, "stride: the size of a single piece");
	make(&r, 3 * MIB + 1, growing, 3);
	ok(!krping_region_stride(&r), "stride: 0 if the last piece is larger");
	make(&r, 2 * MIB + 65537, wrong, 4);
	ok(!krping_region_stride(&r), "stride: 0 if a piece in the middle is shorter");
	make(&r, MIB + 65536, two, 2);
	ok(!krping_region_stride(&r), "stride: 0 if the first piece is shorter");
}

/* Test that a list is rejected if its pieces are too small or do not add up to the region. */
static void test_add(void)
{
	static const u32 good[] = { MIB, 65536, MIB, 1 };
	static const u32 empty[] = { MIB, 0, MIB };
	static const u32 small[] = { MIB, 65535, MIB };
	static const u32 huge[] = { U32_MAX, U32_MAX, U32_MAX };
	struct krping_wire_msg msg = { 0 };
	struct krping_region r;

	ok(!make(&r, 2 * MIB + 65537, good, 4), "pieces: the last one may be short");
	ok(pieces[3].end == 2 * MIB + 65537 && pieces[1].end == MIB + 65536 &&
	   pieces[2].addr == 0x300000000ULL && pieces[2].rkey == 3,
	   "pieces: ends, addresses and keys");
	ok(krping_region_add(&r, &msg, 1) == -EPROTO, "pieces: -EPROTO for one too many");
	ok(make(&r, 2 * MIB + 65536, good, 4) == -EPROTO, "pieces: -EPROTO beyond the region");
	ok(make(&r, 2 * MIB + 65538, good, 4) == -EPROTO, "pieces: -EPROTO in a larger region");
	ok(make(&r, 2 * MIB, empty, 3) == -EPROTO, "pieces: -EPROTO for an empty one");
	ok(make(&r, 2 * MIB + 65535, small, 3) == -EPROTO,
	   "pieces: -EPROTO for less than 64 KiB in the middle");
	ok(!make(&r, 3ULL * U32_MAX, huge, 3), "pieces: a piece may have U32_MAX bytes");
	ok(!make(&r, 1, &good[3], 1), "pieces: a region may have one byte");
	ok(make(&r, 1, &empty[1], 1) == -EPROTO, "pieces: -EPROTO if the last one is empty");
}

static void test_has(void)
{
	struct krping_region r = { .size = 1000 };

	ok(krping_region_has(&r, 0, 1000), "a region has all its bytes");
	ok(krping_region_has(&r, 999, 1), "a region has its last byte");
	ok(!krping_region_has(&r, 1000, 1), "a region does not have the byte after its last one");
	ok(!krping_region_has(&r, 0, 1001), "a region does not have more bytes than its size");
	ok(!krping_region_has(&r, 996, 5), "a region does not have bytes across its end");
	ok(!krping_region_has(&r, U64_MAX, 2), "a region does not have bytes that wrap around");
}

/* Test the search for the piece that has an offset. */
static void test_find(void)
{
	static const u32 sizes[] = { MIB, 65536, MIB, 5 };
	struct krping_region r;
	bool good = true;
	u64 offset, start;

	make(&r, 2 * MIB + 65541, sizes, 4);
	for (offset = 0; offset < r.size; offset += offset % 65536 < 2 ? 1 : 16381) {
		const struct krping_region_piece *p = krping_region_find(&r, offset, &start);

		good &= offset >= start && offset < p->end &&
			start == (p == pieces ? 0 : p[-1].end);
	}
	ok(good, "find: each byte is in its piece");
	ok(krping_region_find(&r, MIB - 1, &start) == &pieces[0] && start == 0,
	   "find: the last byte of a piece");
	ok(krping_region_find(&r, MIB, &start) == &pieces[1] && start == MIB,
	   "find: the first byte of a piece");
	ok(krping_region_find(&r, U64_MAX, &start) == &pieces[3] && start == 2 * MIB + 65536,
	   "find: an offset beyond the region is in the last piece");
}

int main(void)
{
	test_count();
	test_add();
	test_stride();
	test_has();
	test_find();
	return tap_done();
}
