// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * KUnit tests of struct krping_share, the PD and the MR that all connections of a test share: the
 * offsets of the connections' buffers in the MR, and which connections may use the PD and the MR.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/sizes.h>

#include "../share.h"

static void share_offset(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 0ULL, krping_share_offset(1, 0));
	KUNIT_EXPECT_EQ(test, (u64)PAGE_SIZE, krping_share_offset(1, 1));
	KUNIT_EXPECT_EQ(test, 3ULL * PAGE_SIZE, krping_share_offset(PAGE_SIZE, 3));
	KUNIT_EXPECT_EQ(test, 6ULL * PAGE_SIZE, krping_share_offset(PAGE_SIZE + 1, 3));
	KUNIT_EXPECT_EQ(test, 2048ULL * SZ_1G, krping_share_offset(SZ_1G, 2048));
}

static void share_size_max(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, (u64)PAGE_SIZE, krping_share_size_max(PAGE_SIZE, 1));
	KUNIT_EXPECT_EQ(test, 0ULL, krping_share_size_max(PAGE_SIZE, 2));
	KUNIT_EXPECT_EQ(test, 0ULL, krping_share_size_max(PAGE_SIZE - 1, 1));
	KUNIT_EXPECT_EQ(test, 2ULL * PAGE_SIZE, krping_share_size_max(8ULL * PAGE_SIZE, 3));
	KUNIT_EXPECT_EQ(test, (u64)round_down(1ULL << 52, PAGE_SIZE),
			krping_share_size_max(1ULL << 63, 2048));
}

/* Buffers of the largest size fit into the MR, and do not overlap. */
static void share_fits(struct kunit *test)
{
	u64 reg_max, nr, size;

	for (reg_max = PAGE_SIZE; reg_max < 70 * PAGE_SIZE; reg_max += PAGE_SIZE / 2 + 1)
		for (nr = 1; nr < 20; nr++) {
			size = krping_share_size_max(reg_max, nr);
			KUNIT_EXPECT_LE(test, krping_share_offset(size, nr), reg_max);
			KUNIT_EXPECT_GT(test, krping_share_offset(size + 1, nr), reg_max);
			KUNIT_EXPECT_EQ(test, krping_share_offset(size, nr - 1) + size,
					krping_share_offset(size, nr));
		}
}

/* A connection must have buffers of the share's size, number (parts) and access rights. */
static void share_admits(struct kunit *test)
{
	struct krping_share share = {
		.nr = 3, .taken = 1, .size = 5000, .parts = 2,
		.mr.reg.access = IB_ACCESS_REMOTE_WRITE,
	};
	struct krping_share_need need = {
		.size = 5000, .parts = 2, .access = IB_ACCESS_REMOTE_WRITE,
	};

	KUNIT_EXPECT_TRUE(test, krping_share_admits(&share, &need));
	need.size = 4999;
	KUNIT_EXPECT_FALSE(test, krping_share_admits(&share, &need));
	need.size = 5001;
	KUNIT_EXPECT_FALSE(test, krping_share_admits(&share, &need));
	need.size = 5000;
	need.parts = 1;
	KUNIT_EXPECT_FALSE(test, krping_share_admits(&share, &need));
	need.parts = 2;
	need.access = IB_ACCESS_REMOTE_READ;
	KUNIT_EXPECT_FALSE(test, krping_share_admits(&share, &need));
	need.access |= IB_ACCESS_REMOTE_WRITE;
	KUNIT_EXPECT_FALSE(test, krping_share_admits(&share, &need));
}

/* A share without an MR ignores access rights. */
static void share_admits_without_mr(struct kunit *test)
{
	struct krping_share share = { .nr = 2, .taken = 1, .size = 64 };
	struct krping_share_need need = { .size = 64, .access = IB_ACCESS_LOCAL_WRITE };

	KUNIT_EXPECT_TRUE(test, krping_share_admits(&share, &need));
	need.parts = 1;
	KUNIT_EXPECT_FALSE(test, krping_share_admits(&share, &need));
}

/* A share admits at most &krping_share.nr connections. */
static void share_admits_so_many(struct kunit *test)
{
	struct krping_share share = { .nr = 3, .taken = 2, .size = 64 };
	struct krping_share_need need = { .size = 64 };

	KUNIT_EXPECT_TRUE(test, krping_share_admits(&share, &need));
	share.taken = 3;
	KUNIT_EXPECT_FALSE(test, krping_share_admits(&share, &need));
	share.taken = U32_MAX;
	KUNIT_EXPECT_FALSE(test, krping_share_admits(&share, &need));
}

/* The PD must be of the connection's device, and have a global rkey exactly if one is needed. */
static void share_has_pd_of(struct kunit *test)
{
	struct ib_device *device = kunit_kzalloc(test, 2 * sizeof(*device), GFP_KERNEL);
	struct ib_pd pd = { .device = device };
	struct krping_share share = { .pd = &pd };

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, device);
	KUNIT_EXPECT_TRUE(test, krping_share_has_pd_of(&share, device, false));
	KUNIT_EXPECT_FALSE(test, krping_share_has_pd_of(&share, device, true));
	KUNIT_EXPECT_FALSE(test, krping_share_has_pd_of(&share, device + 1, false));
	share.global_rkey = true;
	KUNIT_EXPECT_TRUE(test, krping_share_has_pd_of(&share, device, true));
	KUNIT_EXPECT_FALSE(test, krping_share_has_pd_of(&share, device, false));
}

/* Only the queue of the first connection registers the MR, and only if the share has an MR. */
static void share_registers(struct kunit *test)
{
	struct krping_queue *q = kunit_kzalloc(test, 2 * sizeof(*q), GFP_KERNEL);
	struct krping_share share = { .parts = 1, .cqe.queue = q };

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, q);
	KUNIT_EXPECT_TRUE(test, krping_share_registers(&share, q));
	KUNIT_EXPECT_FALSE(test, krping_share_registers(&share, q + 1));
	KUNIT_EXPECT_FALSE(test, krping_share_registers(NULL, q));
	share.parts = 0;
	KUNIT_EXPECT_FALSE(test, krping_share_registers(&share, q));
}

static struct kunit_case share_cases[] = {
	KUNIT_CASE(share_offset),
	KUNIT_CASE(share_size_max),
	KUNIT_CASE(share_fits),
	KUNIT_CASE(share_admits),
	KUNIT_CASE(share_admits_without_mr),
	KUNIT_CASE(share_admits_so_many),
	KUNIT_CASE(share_has_pd_of),
	KUNIT_CASE(share_registers),
	{}
};

static struct kunit_suite share_suite = {
	.name = "krping_share",
	.test_cases = share_cases,
};

kunit_test_suite(share_suite);

MODULE_DESCRIPTION("KUnit tests of krping's shared MR");
MODULE_LICENSE("Dual BSD/GPL");
