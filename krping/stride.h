/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Choose the addresses of successive operations. Operation N uses slot N modulo the number of
 * slots, and slot I begins I strides behind the beginning of the buffer. Without a stride there
 * is only one slot. This file also builds in user space for the tests.
 */
#ifndef KRPING_STRIDE_H
#define KRPING_STRIDE_H

#include <linux/types.h>

/**
 * krping_stride_slots() - return the number of slots
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
 * @n: number of an operation
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
 * Return: the number of bytes, which does not overflow, whatever the peer has sent.
 */
static inline u64 krping_stride_span(u64 size, u32 stride, u32 slots)
{
	return size + krping_stride_offset(stride, slots, slots - 1);
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
