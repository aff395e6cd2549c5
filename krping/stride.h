/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Choose the addresses of successive operations. Operation N uses slot N modulo the number of
 * slots, and slot I begins I strides behind the beginning of the buffer. Without a stride there
 * is only one slot. This file also builds in user space for the tests.
 */
#ifndef KRPING_STRIDE_H
#define KRPING_STRIDE_H

#include <linux/math64.h>
#include <linux/types.h>

#include "wire.h"

/* In bytes. With validate, slots begin at multiples of this size, and so share no cache line. */
#define KRPING_SLOT_ALIGN	256

/* With validate, the default of txdepth is so small that all slots fit into this many bytes. */
#define KRPING_SLOTS_BYTES	(256 << 10)

/**
 * krping_stride_allowed() - check whether a test may have a stride
 * @test: an enum krping_test_type
 *
 * Return: true for the tests of throughput.
 */
static inline bool krping_stride_allowed(u8 test)
{
	return test == KRPING_TEST_BW || test == KRPING_TEST_RBW || test == KRPING_TEST_SBW;
}

/**
 * krping_stride_validate() - return the stride of a throughput test with validate
 * @size: bytes of an operation, 1 to U32_MAX
 *
 * Return: bytes, so that no two slots overlap or share a cache line; 0 if the stride would exceed
 * 32 bits.
 */
static inline u32 krping_stride_validate(u64 size)
{
	return (size + KRPING_SLOT_ALIGN - 1) & ~(u64)(KRPING_SLOT_ALIGN - 1);
}

/**
 * krping_stride_slots() - return the number of slots of a test
 * @stride: bytes from one slot to the next; 0: all operations use one address
 * @depth: maximum number of the client's operations in flight, at least 1
 *
 * Return: with a stride, @depth, so that no two operations in flight use the same address;
 * else 1.
 */
static inline u32 krping_stride_slots(u32 stride, u32 depth)
{
	return stride ? depth : 1;
}

/**
 * krping_stride_offset() - return where a slot begins
 * @stride: bytes from one slot to the next
 * @slots: number of slots, at least 1
 * @n: number of the operation that uses the slot
 *
 * Return: bytes from the beginning of the buffer.
 */
static inline u64 krping_stride_offset(u32 stride, u32 slots, u32 n)
{
	return (u64)stride * (n % slots);
}

/**
 * krping_stride_span() - return the number of bytes that a buffer needs
 * @size: bytes of an operation, 1 to U32_MAX
 * @stride: bytes from one slot to the next
 * @slots: number of slots, at least 1
 *
 * Return: the number of bytes. It fits into 64 bits for all values of the parameters, which the
 * peer may have chosen.
 */
static inline u64 krping_stride_span(u64 size, u32 stride, u32 slots)
{
	return size + krping_stride_offset(stride, slots, slots - 1);
}

/**
 * krping_stride_fit() - return how many slots a buffer has
 * @bytes: bytes of the buffer, at least @size
 * @size: bytes of an operation
 * @stride: bytes from one slot to the next, at least 1
 *
 * Return: the number, at least 1.
 */
static inline u32 krping_stride_fit(u64 bytes, u64 size, u32 stride)
{
	return div_u64(bytes - size, stride) + 1;
}

/**
 * krping_stride_next() - return the slot of the operation that follows @nr operations
 * @slot: slot of the first of the @nr operations
 * @nr: number of operations, at most 2^31
 * @slots: number of slots, 1 to 2^31
 *
 * Return: the slot.
 */
static inline u32 krping_stride_next(u32 slot, u32 nr, u32 slots)
{
	return (slot + nr) % slots;
}

#endif /* KRPING_STRIDE_H */
