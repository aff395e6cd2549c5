// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * KUnit tests of stride=: successive operations use successive slots of a buffer.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "../stride.h"

static void stride_slots(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 1U, krping_stride_slots(0, 64));
	KUNIT_EXPECT_EQ(test, 64U, krping_stride_slots(1, 64));
	KUNIT_EXPECT_EQ(test, 1U, krping_stride_slots(U32_MAX, 1));
}

static void stride_offset(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 0ULL, krping_stride_offset(0, 1, 17));
	KUNIT_EXPECT_EQ(test, 14ULL, krping_stride_offset(7, 3, 2));
	KUNIT_EXPECT_EQ(test, 0ULL, krping_stride_offset(7, 3, 3));
	KUNIT_EXPECT_EQ(test, 7ULL, krping_stride_offset(7, 3, 7));
	KUNIT_EXPECT_EQ(test, 0xfffffULL * U32_MAX,
			krping_stride_offset(U32_MAX, 0x100000, 0xfffff));
}

static void stride_span(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 64ULL, krping_stride_span(64, 0, 1));
	KUNIT_EXPECT_EQ(test, 4096ULL, krping_stride_span(64, 64, 64));
	KUNIT_EXPECT_EQ(test, 114ULL, krping_stride_span(100, 7, 3));
	KUNIT_EXPECT_EQ(test, 0x100000ULL * U32_MAX,
			krping_stride_span(U32_MAX, U32_MAX, 0x100000));
}

/* With validate, no two slots may share a cache line; 0: the stride would exceed 32 bits. */
static void stride_validate(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 256U, krping_stride_validate(1));
	KUNIT_EXPECT_EQ(test, 512U, krping_stride_validate(257));
	KUNIT_EXPECT_EQ(test, 0U, krping_stride_validate(U32_MAX));
	KUNIT_EXPECT_EQ(test, 2U, krping_stride_fit(320, 64, 256));
}

/* Post batches of operations: each batch begins at the slot of its first operation. */
static void stride_next(struct kunit *test)
{
	u32 slots, batch, slot, n;

	for (slots = 1; slots <= 9; slots++)
		for (batch = 1; batch <= 20; batch++)
			for (slot = 0, n = 0; n < 100; n += batch) {
				KUNIT_EXPECT_EQ(test, n % slots, slot);
				slot = krping_stride_next(slot, batch, slots);
			}
}

static struct kunit_case stride_cases[] = {
	KUNIT_CASE(stride_slots),
	KUNIT_CASE(stride_offset),
	KUNIT_CASE(stride_span),
	KUNIT_CASE(stride_next),
	KUNIT_CASE(stride_validate),
	{}
};

static struct kunit_suite stride_suite = {
	.name = "krping_stride",
	.test_cases = stride_cases,
};

kunit_test_suite(stride_suite);

MODULE_DESCRIPTION("KUnit tests of krping's stride");
MODULE_LICENSE("Dual BSD/GPL");
